"""An audit that is killed while it writes leaves whole files, and a key wherever one is needed."""

from __future__ import annotations

import re
import signal
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import ROLES, run

from chaos import Faulty, dies, fails_with, forked
from unveil import files
from unveil.auditing import key_from, read_audit

ASKED = [*ROLES, "--attack", "differential-inference", "--json", "audit.json",
         "--report", "report.html", "--junit", "unveil.xml"]  # fmt: skip
RESULTS = ("audit.json", "unveil.xml", "report.html")  # in the order in which they are put there


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "survey.csv"
    rows = [f"{20 + 7 * i % 30},{'abc'[i % 3]}town,{'xy'[i % 2]}" for i in range(24)]
    file.write_text("\n".join(["age,town,vote", *rows]) + "\n")
    return file


def audit(survey: Path, k: int, code: int | None = 0) -> None:
    run("audit", survey, *ASKED, "--sanitizer", f"mondrian:k={k}", code=code)


def is_new(name: str) -> bool | None:
    """Whether a file is that of the second audit; None if there is none. Each is whole."""
    if not Path(name).exists():
        return None
    text = Path(name).read_text("utf-8")
    if name.endswith(".json"):
        read_audit(name)
    elif name.endswith(".xml"):
        ET.fromstring(text)
    else:
        assert text.rstrip().endswith("</html>")
    assert ("k=2" in text) != ("k=5" in text)
    return "k=2" in text


@pytest.mark.parametrize("there", ["old results", "nothing"])
@pytest.mark.parametrize(
    "every", [9, pytest.param(1, marks=pytest.mark.chaos)], ids=["some calls", "every call"]
)
def test_an_audit_that_is_killed_at_any_call(every: int, there: str, survey: Path) -> None:
    audit(survey, 5)
    old = {name: Path(name).read_bytes() for name in (*RESULTS, "report.key")}
    kept = dict(old) if there == "old results" else {}

    def again() -> None:
        for path in Path().iterdir():
            if path != Path("survey.csv"):
                path.unlink()
        for name, content in kept.items():
            Path(name).write_bytes(content)
        if kept:
            Path("report.key").chmod(0o600)

    def child(at: int) -> None:
        files.os = Faulty(at, dies)  # type: ignore[assignment]  # in a child
        audit(survey, 2)

    at = kills = 0
    while True:
        again()
        code = forked(lambda at=at: child(at))
        assert code in (0, -signal.SIGKILL)
        found = [is_new(name) for name in RESULTS]
        if code == 0:
            break
        kills += 1
        new = found.count(True)
        assert found == [True] * new + [False if kept else None] * (3 - new)
        if Path("report.key").exists():
            key = key_from("report.key")
            assert not kept or old["report.key"].decode().strip() == key
        assert Path("report.key").exists() or True not in found
        at += every
    assert found == [True] * 3
    assert kills > 30 / every
    assert re.fullmatch(r"[0-9a-f]{64}", key_from("report.key"))
    audit(survey, 5)
    assert sorted(path.name for path in Path().iterdir()) == sorted([*RESULTS, "report.key",
                                                                    "survey.csv"])  # fmt: skip


def test_what_a_full_disk_refuses_is_kept_elsewhere(
    survey: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All old results stay, and the new ones can be had without another run."""
    elsewhere = tmp_path.parent / f"{tmp_path.name} elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    audit(survey, 5)
    before = {name: Path(name).read_bytes() for name in RESULTS}
    real, fail = files._Draft.sync, fails_with(28)

    def full(draft: files._Draft) -> None:
        if draft.target.parent == tmp_path:
            fail()
        real(draft)

    monkeypatch.setattr(files._Draft, "sync", full)
    said = run("audit", survey, *ASKED, "--sanitizer", "mondrian:k=2", code=2)
    assert "Mondrian(k=2)" in said.stdout
    assert {name: Path(name).read_bytes() for name in RESULTS} == before
    [kept] = elsewhere.glob("unveil-kept-*")
    assert kept.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in kept.iterdir()) == sorted(RESULTS)
    assert said.stderr == (
        "error: cannot write 'audit.json': No space left on device; make room there, or name a "
        "file on another disk; meanwhile audit.json, unveil.xml, report.html are in "
        f"'{kept}', which only you can read; move them from there\n"
    )
    monkeypatch.chdir(kept)
    assert [is_new(name) for name in RESULTS] == [True] * 3
