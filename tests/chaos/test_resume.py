"""Work that is killed at any moment goes on, and comes to the same, byte for byte."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from kills import Kills

ROLES = ["--quasi", "age,town", "--sensitive", "vote", "--jobs", "1"]
RUN = ["--run", "run"]
COMMANDS = {
    "audit": [
        "audit", "survey.csv", *ROLES, "--sanitizer", "mondrian:k=3", "--sanitizer", "anatomy:l=2",
        "--budget", "80 runs", "--json", "a.json", "--junit", "j.xml", *RUN,
    ],
    "the general path": [
        "differential-inference", "survey.csv", *ROLES, "--sanitizer", "microaggregation:k=3",
        "--adversary", "naive-bayes", "--adversary", "tree", "--json", "a.json", "--csv", "j.csv",
        *RUN,
    ],
    "samples": [
        "differential-inference", "survey.csv", *ROLES, "--sanitizer", "anatomy:l=2", "--samples",
        "20", "--json", "a.json", *RUN,
    ],
    "chains": [
        "relative-risk", "survey.csv", *ROLES, "--sanitizer", "mondrian:k=5", "--exact", "never",
        "--likelihood", "naive-bayes", "--budget", "800 sweeps", "--json", "a.json", *RUN,
    ],
    "hardening": [
        "harden", "survey.csv", *ROLES, "--sanitizer", "mondrian:k=3", "--delta", "0.3", "--rounds",
        "3", "--json", "a.json", "-o", "j.csv", *RUN,
    ],
    "membership": [
        "membership", "survey.csv", *ROLES, "--sanitizer", "microaggregation:k=3", "--removals",
        "5", "--json", "a.json", *RUN,
    ],
}  # fmt: skip
OUTPUTS = ("a.json", "j.xml", "j.csv", "stdout")


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kills]:
    with Kills() as kills:
        kills.run(["warm up"], tmp_path_factory.mktemp("warm"))
        yield kills


class Case:
    """A command, what it comes to undisturbed, and fresh folders to disturb it in."""

    def __init__(self, kills: Kills, name: str, base: Path) -> None:
        self.kills, self.words, self._base, self._made = kills, COMMANDS[name], base, 0
        folder = self.folder()
        # A key of its own: another run would have another, and call people otherwise.
        self.calls = kills.calls(self.words, folder)
        self.seed = folder
        self.expected = self.outputs(folder)
        assert {"a.json", "stdout"} <= self.expected.keys()

    def folder(self) -> Path:
        """A folder with the survey in it."""
        self._made += 1
        folder = self._base / str(self._made)
        folder.mkdir(parents=True)
        rng = np.random.default_rng(0)
        pd.DataFrame({
            "age": rng.integers(20, 80, 60),
            "town": rng.choice(["Rome", "Lyon", "Nice"], 60),
            "vote": rng.choice(["a", "b", "c"], 60),
        }).to_csv(folder / "survey.csv", index=False)  # fmt: skip
        key = getattr(self, "seed", folder) / "a.key"
        if key.exists():
            shutil.copy(key, folder)
        return folder

    @staticmethod
    def outputs(folder: Path) -> dict[str, bytes]:
        return {n: (folder / n).read_bytes() for n in OUTPUTS if (folder / n).exists()}

    def check_resumes(self, folder: Path) -> None:
        """Whatever was killed there goes on, and comes to the same."""
        began = (folder / "run" / "plan.json").exists()
        words = ["resume", "run"] if began else self.words
        code = self.kills.run(words, folder)
        assert code in (0, 1), (folder / "stderr").read_text()
        assert self.outputs(folder) == self.expected
        shutil.rmtree(folder)


# Some of them are for make chaos alone.
QUICK = ("audit", "chains")
EACH = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.chaos, id=name)
    for name in COMMANDS
]


@pytest.fixture(scope="module", params=EACH)
def case(request: pytest.FixtureRequest, kills: Kills, tmp_path_factory) -> Case:
    return Case(kills, request.param, tmp_path_factory.mktemp("case"))


def killed_at(case: Case, call: str, number: int) -> bool:
    """Whether it was killed: on a busy machine more may be written together, in fewer calls."""
    folder = case.folder()
    code = case.kills.run(case.words, folder, at=[call, number])
    assert code in (-signal.SIGKILL, 0, 1)
    case.check_resumes(folder)
    return code == -signal.SIGKILL


def test_killed_at_a_few_writes(case: Case) -> None:
    for call, number in (("pwrite", 1), ("pwrite", case.calls["pwrite"] // 2), ("replace", 1)):
        assert killed_at(case, call, number)


@pytest.mark.chaos
def test_killed_at_every_write_fsync_and_rename(case: Case) -> None:
    killed = [
        killed_at(case, call, number)
        for call, many in case.calls.items()
        if many
        for number in {1, many, *range(1, many + 1, max(1, many // 12))}
    ]
    assert sum(killed) > len(killed) / 2


@pytest.mark.chaos
def test_killed_at_random_moments(case: Case) -> None:
    chance = random.Random(7)
    for _ in range(25):
        folder = case.folder()
        case.kills.run(case.words, folder, after=chance.uniform(0.0, 0.8))
        case.check_resumes(folder)


def test_killed_again_and_again(case: Case) -> None:
    """Each time it comes a few records further."""
    folder = case.folder()
    assert case.kills.run(case.words, folder, at=["pwrite", 1]) == -signal.SIGKILL
    for _ in range(3):
        case.kills.run(["resume", "run"], folder, at=["pwrite", 2])
    case.check_resumes(folder)


def test_a_complete_run_says_so_and_writes_the_same(case: Case) -> None:
    folder = case.folder()
    case.kills.run(case.words, folder)
    for name in case.expected:
        (folder / name).unlink()
    case.kills.run(["resume", "run"], folder)
    assert "this run is complete" in (folder / "stderr").read_text()
    assert case.outputs(folder) == case.expected


def test_a_damaged_journal_is_never_used(case: Case) -> None:
    chance = random.Random(3)
    for _ in range(2):
        folder = case.folder()
        case.kills.run(case.words, folder)
        journal = folder / "run" / "journal"
        content = bytearray(journal.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        journal.write_bytes(bytes(content[: chance.randrange(len(content) // 2, len(content))]))
        case.check_resumes(folder)
