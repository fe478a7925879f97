"""JSON of single attacks: it says that it is the owner's, and has nobody's values unless asked."""

import json

import numpy as np
import pytest
from command_line import run

import unveil as uv
from unveil.auditing.parts import PARTS

PEOPLE = 61  # no other number of the tables, so that a list of that length is of people


@pytest.fixture(scope="module")
def audit():
    rng = np.random.default_rng(4)
    table = uv.read_table(
        {"age": rng.integers(20, 60, PEOPLE), "town": rng.choice(list("xyz"), PEOPLE),
         "vote": rng.choice(list("abcd"), PEOPLE)},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip
    return uv.audit(table, ["mondrian:k=3", uv.Anatomy(l=2)], attacks="all", progress=False)


def lists_in(content):
    if isinstance(content, dict):
        for one in content.values():
            yield from lists_in(one)
    elif isinstance(content, list):
        yield content
        for one in content:
            yield from lists_in(one)


def test_every_finding_says_whose_it_is_and_lists_nobody(audit):
    seen = set()
    for release in audit.releases:
        for name, looked in release.looked.items():
            if looked.finding is None:
                continue
            seen.add(name)
            content = json.loads(looked.finding.to_json())
            assert content["private"] is True
            assert not isinstance(content.get("records"), dict)  # as a number, how many
            assert not [one for one in lists_in(content) if len(one) == PEOPLE], name
    assert len(seen) >= len(PARTS) - 3


def test_the_command_says_it_once_for_all(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "out.json"
    table.write_text("age,vote\n" + "".join(f"{20 + i // 3},{'ab'[i % 2]}\n" for i in range(12)))
    run("linkage", table, "--quasi", "age", "--sensitive", "vote", "--sanitizer", "mondrian:k=2",
        "--json", out)  # fmt: skip
    content = json.loads(out.read_text())
    assert content["private"] is True
    help = " ".join(run("linkage", "--help").output.replace("│", " ").split())
    assert "exact numbers: for the owner of the table, not to be handed on" in help
