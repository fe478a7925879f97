"""The election survey is the public extract, unchanged but for its words."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import unveil.datasets
from unveil.datasets import election_survey
from unveil.microdata import Kind, Role

FOLDER = Path(unveil.datasets.__file__).parent

# Counted in statsmodels' anes96 by answer number.
PARTY = {
    "Strong Democrat": 200,
    "Weak Democrat": 180,
    "Independent Democrat": 108,
    "Independent": 37,
    "Independent Republican": 94,
    "Weak Republican": 150,
    "Strong Republican": 175,
}
EDUCATION = {
    "8 grades or less": 13,
    "Some high school": 52,
    "High school": 248,
    "Some college": 187,
    "Associate degree": 90,
    "Bachelor's degree": 227,
    "Advanced degree": 127,
}
INCOME = (19, 12, 17, 19, 18, 13, 11, 17, 10, 15, 23, 35, 26, 39, 68, 70, 62, 48, 51, 100, 103,
          53, 47, 68)  # fmt: skip


@pytest.fixture(scope="module")
def survey():
    return election_survey()


def _counts(column):
    return dict(zip(column.texts, np.bincount(column.codes, minlength=column.size), strict=True))


def test_has_everybody(survey):
    assert len(survey) == 944
    assert survey.rows.tolist() == list(range(944))
    assert "election_survey" in survey.source
    assert "/" not in survey.source


def test_roles_and_kinds(survey):
    assert [c.name for c in survey.quasi] == ["age", "education", "income", "population"]
    assert survey.sensitive.name == "party"
    assert survey["vote"].role is Role.OTHER
    kinds = {c.name: c.kind for c in survey.columns}
    assert kinds == {
        "age": Kind.NUMERIC,
        "education": Kind.CATEGORICAL,
        "income": Kind.ORDINAL,
        "population": Kind.NUMERIC,
        "party": Kind.ORDINAL,
        "vote": Kind.CATEGORICAL,
    }


def test_frequencies_are_those_of_the_extract(survey):
    assert _counts(survey["party"]) == PARTY
    assert _counts(survey["education"]) == EDUCATION
    assert tuple(_counts(survey["income"]).values()) == INCOME
    assert _counts(survey["vote"]) == {"Clinton": 551, "Dole": 393}


def test_numbers_are_those_of_the_extract(survey):
    age, population = survey["age"].decode(), survey["population"].decode()
    assert (age.min(), age.max()) == (19, 91)
    assert (population.min(), population.max()) == (0, 7300)
    assert (population == 0).sum() == 228
    assert population.mean() == pytest.approx(306.381356)


def test_first_and_last_record(survey):
    table = survey.to_frame()
    assert table.iloc[0].to_dict() == {
        "age": 36,
        "education": "High school",
        "income": "Under $3,000",
        "population": 0,
        "party": "Strong Republican",
        "vote": "Dole",
    }
    assert table.iloc[-1]["income"] == "$105,000 and over"


@pytest.mark.parametrize(
    ("name", "sizes"), [("education", [7, 4, 2, 1]), ("income", [24, 7, 3, 1])]
)
def test_hierarchy_files_cover_all_values_in_order(survey, name, sizes):
    with (FOLDER / "hierarchies" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        paths = list(csv.reader(file, delimiter=";"))
    assert [len(set(level)) for level in zip(*paths, strict=True)] == sizes
    assert {path[-1] for path in paths} == {"*"}
    column = survey[name]
    assert column.texts == tuple(path[0] for path in paths) == column.hierarchy.leaves
    assert set(column.decode()) == set(column.texts)


def test_income_nodes_hold_the_brackets_they_name(survey):
    def bounds(bracket):
        dollars = [int(amount.replace(",", "")) for amount in re.findall(r"\$([\d,]+)", bracket)]
        if bracket.startswith("Under"):
            return 0, dollars[0]
        return dollars[0], dollars[1] + 1 if len(dollars) == 2 else float("inf")

    tree = survey["income"].hierarchy
    for leaf in range(tree.n_leaves):
        spans = [bounds(label) for label in tree.path(leaf)[:-1]]
        for (low, high), (above_low, above_high) in pairwise(spans):
            assert above_low <= low < high <= above_high


def test_richer_people_went_to_school_for_longer(survey):
    # Codes ascend with school too, although that column is categorical.
    assert np.corrcoef(survey["education"].codes, survey["income"].codes)[0, 1] > 0.3


def test_party_tells_the_vote(survey):
    table = Counter(zip(survey["party"].decode(), survey["vote"].decode(), strict=True))
    assert table["Strong Democrat", "Clinton"] == 197
    assert table["Strong Republican", "Dole"] == 167


def test_is_small():
    files = [file for file in FOLDER.rglob("*.csv") if file.is_file()]
    assert len(files) == 3
    assert sum(file.stat().st_size for file in files) < 64_000
