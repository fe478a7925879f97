"""Suppressed records are candidates only of people whom no other record of a release covers."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from plain_suppressed import is_suppressed, plain_candidates, starred
from proofs import examples
from random_tables import tables

import unveil as uv

ROLES = {"quasi": ["age", "zip"], "sensitive": "disease"}


@st.composite
def pairs(draw):
    table = draw(tables())
    return table, [starred(table, draw), starred(table, draw)]


def gone_from(release):
    """The suppressed records of a release."""
    return {
        i for i in range(len(release))
        if release.suppressed and is_suppressed(release, int(release.class_of[i]))
    }  # fmt: skip


@examples(100)
@given(pairs())
def test_like_comparing_everybody_with_every_record(case):
    table, releases = case
    finding = uv.composition(releases, table, k=2)
    assert finding.suppressed == tuple(len(gone_from(release)) for release in releases)
    for person in range(len(table)):
        sides = []
        for release, left in zip(releases, finding.alone, strict=True):
            found = plain_candidates(release, table.codes[:, person])
            sides.append(Counter(release.sensitive.codes[found].tolist()))
            assert left.candidates[person] == len(found)
            assert left.values[person] == len(sides[-1])
        both = sides[0] & sides[1]
        assert finding.left.candidates[person] == both.total()
        assert finding.left.values[person] == len(both)
        assert finding.left.own[person] == (int(table.sensitive.codes[person]) in both)


@examples(100)
@given(pairs())
def test_with_pseudonyms(case):
    """A record that any release suppresses is the last resort."""
    table, releases = case
    names = [str(i) for i in range(len(table))]
    finding = uv.composition(releases, table, k=2, pseudonym=[names, names])
    last = gone_from(releases[0]) | gone_from(releases[1])
    for person in range(len(table)):
        covering = [
            i for i in range(len(table))
            if all(
                regions.covers(int(code))[release.class_of[i]]
                for release in releases
                for regions, code in zip(release.regions, table.codes[:, person], strict=True)
            )
        ]  # fmt: skip
        found = [i for i in covering if i not in last] or covering
        assert finding.left.candidates[person] == len(found)
        assert finding.left.values[person] == len(set(table.sensitive.codes[found].tolist()))


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A thousand people, and releases of them with 0, 1, 2 and 20 suppressed records."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({
        "age": rng.integers(18, 90, 1000), "zip": rng.integers(100, 130, 1000),
        "disease": rng.choice(list("abcd"), 1000),
    })  # fmt: skip
    frame.to_csv("people.csv", index=False)
    order = rng.permutation(1000)
    for number in (0, 1, 2, 20):
        published = frame.astype(str)
        published.loc[order[:number], ["age", "zip"]] = "*"
        published.to_csv(f"published-{number}.csv", index=False)
    return uv.read_table(frame, **ROLES)


def test_a_few_suppressed_records_move_the_figures_a_little(people):
    other = uv.Mondrian(k=8).sanitize(people)
    found = {}
    for number in (0, 1, 2, 20):
        release = uv.read_release(f"published-{number}.csv", people)
        finding = uv.composition([release, other], people)
        assert finding.suppressed == (number, 0)
        found[number] = finding.determined.mean()
        assert finding.lost.sum() <= number
        said = [one["suppressed"] for one in finding.facts["releases"]]
        assert said == [number, 0]
        assert ("suppressed" in str(finding)) == bool(number)
    for number in (1, 2, 20):  # a person whose record is gone, and those who were alike
        assert abs(found[number] - found[0]) <= 3 * number / 1000


def test_in_a_shell(people):
    done = run(
        "composition", "people.csv", "--quasi", "age,zip", "--sensitive", "disease",
        "--release", "published-0.csv", "--release", "published-2.csv", "--json", "found.json",
    )  # fmt: skip
    assert "2 of 1,000 records of" in " ".join(done.output.split())
    said = json.loads(Path("found.json").read_text())["findings"][0]
    assert [one["suppressed"] for one in said["releases"]] == [0, 2]


def test_a_release_of_another_table_is_still_refused(people):
    """More people have lost their value than are suppressed."""
    cells = pd.read_csv("published-2.csv", dtype=str)
    cells["disease"] = cells["disease"].to_numpy()[::-1]
    with pytest.raises(uv.UnveilError, match="lacks the own value"):
        uv.composition([uv.read_release(cells, people), uv.Identity().sanitize(people)], people)
