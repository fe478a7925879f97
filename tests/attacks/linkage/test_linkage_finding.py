"""A finding of linkage: what it prints, writes and draws, and that it names nobody unasked."""

import json
import pickle
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import unveil as uv
from unveil.errors import InputError

PEOPLE = uv.datasets.election_survey()
RELEASE = uv.Mondrian(k=3).sanitize(PEOPLE)
NAMES = {
    "name": [f"Zoe {i}" for i in range(40)],
    **{c.name: c.decode()[:40] for c in PEOPLE.quasi},
}
FINDING = uv.linkage(
    RELEASE, NAMES, identifier="name", microdata=PEOPLE, record_of=[*range(30), *[-1] * 10]
)
ALONE = uv.linkage(uv.Identity().sanitize(PEOPLE), NAMES, identifier="name")


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_it_prints_itself():
    text = repr(FINDING)
    assert text.startswith("Linkage: 40 people of table against 944 records by Mondrian(k=3)")
    for part in ("linked to a single record", "own record among the candidates", "in the table"):
        assert part in text
    assert FINDING.verdict() in text
    assert "Zoe" not in text


def test_the_verdict_has_the_numbers():
    assert ALONE.unique.all()
    assert ALONE.verdict().startswith(
        "In the release by Identity(), of 40 people, all 40 are linked to a single record"
    )
    assert "whether these links are right is not known" in ALONE.verdict()
    assert "Of the 30 people in the table" in FINDING.verdict()
    one = uv.linkage(RELEASE, {k: v[:1] for k, v in NAMES.items()}, microdata=PEOPLE, record_of=[0])
    assert "of 1 person, none is linked" in one.verdict()
    assert "Of the 1 person in the table" in one.verdict()


def test_json_names_nobody_unless_asked():
    content = json.loads(FINDING.to_json())
    assert content["finding"] == "linkage"
    assert content["people"] == 40
    assert content["in_table"] == 30
    assert content["unique"] == int((FINDING.candidates == 1).sum())
    assert content["record_right"] == pytest.approx(
        float((1 / FINDING.candidates[FINDING.right.among]).sum() / 30)
    )
    assert "Zoe" not in FINDING.to_json()
    each = json.loads(FINDING.to_json(records=True))["records"]
    assert each["name"] == NAMES["name"]
    assert each["candidates"] == FINDING.candidates.tolist()


def test_one_row_a_person():
    frame = FINDING.to_frame()
    assert len(frame) == 40
    assert list(frame.columns) == [
        "name", "row", "candidates", "classes", "values", "likeliest", "share", "in_table",
        "own_among", "own_value",
    ]  # fmt: skip
    assert list(ALONE.to_frame().columns) == list(frame.columns)[:7]


def test_what_candidates_have_adds_up():
    for person in (0, "Zoe 7", 39):
        found = FINDING.candidates_of(person)
        number = int(str(person).split()[-1])
        assert found["records"].sum() == FINDING.candidates[number]
        assert found["share"].sum() == pytest.approx(1)
        assert len(found) == FINDING.values[number]


def test_people_who_are_not_there():
    with pytest.raises(InputError, match="nobody is called 'Zoe 99'"):
        FINDING.candidates_of("Zoe 99")
    with pytest.raises(InputError, match="numbered from 0 to 39, got 40"):
        FINDING.candidates_of(40)
    twice = uv.linkage(RELEASE, {**NAMES, "name": ["Ann"] * 40}, identifier="name")
    with pytest.raises(InputError, match="40 people are called 'Ann'"):
        twice.candidates_of("Ann")


def test_a_picture():
    axes = FINDING.plot()
    assert isinstance(axes.get_figure(), Figure)
    records, _ = axes.lines
    share = np.searchsorted(np.sort(FINDING.candidates), 5, side="right") / 40
    x, y = records.get_data()
    assert y[np.flatnonzero(x <= 5)[-1]] == pytest.approx(share)
    values, _ = FINDING.plot(chart=1).lines
    assert values.get_ydata()[-1] == 1
    assert axes.get_xscale() == "log"


def test_a_picture_of_nobody_found():
    nobody = {c.name: [c.decode()[0]] for c in PEOPLE.quasi} | {"age": [1]}
    finding = uv.linkage(uv.Identity().sanitize(PEOPLE), nobody)
    assert finding.candidates.tolist() == [0]
    assert "1 of 1 people have none" in str(finding.story().charts[0].says)
    assert finding.plot().has_data()


def test_it_travels():
    again = pickle.loads(pickle.dumps(FINDING))
    assert again.summary() == FINDING.summary()
    assert again.candidates_of(3).equals(FINDING.candidates_of(3))


def test_links_are_told_with_how_many_are_right():
    changed = uv.RandomizedResponse(epsilon=1, seed=3).sanitize(PEOPLE)
    finding = uv.linkage(changed, PEOPLE, microdata=PEOPLE)
    one, right = int(finding.one_value.sum()), finding.one_value_right
    assert right is not None
    assert right < one / 2
    assert f" to a single party ({right:,} rightly)." in finding.verdict()
    assert "rightly)" not in ALONE.verdict()


def test_whom_no_cell_is_true_of_is_not_called_safe():
    table = {"age": [20, 30, 40, 50], "ill": ["yes", "no", "yes", "no"]}
    middles = uv.read_release({**table, "age": [25, 25, 45, 50]}, quasi="age", sensitive="ill")
    people = uv.read_table(table, quasi="age", sensitive="ill")
    assert "  3 of those in the table have no candidate" in repr(
        uv.linkage(middles, people, microdata=people)
    )
    assert "have no candidate" not in repr(FINDING)
