"""A finding of composition: what it prints, writes and draws."""

import json
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import unveil as uv
from unveil.errors import InputError

PEOPLE = uv.datasets.election_survey()
# Each release cuts other columns.
FIRST = uv.Mondrian(k=4).sanitize(PEOPLE)
SECOND = uv.Recoding(k=4, suppression=0.05).sanitize(PEOPLE)
FINDING = uv.composition({"spring": FIRST, "autumn": SECOND}, PEOPLE)
NAMES = {
    "name": [f"Zoe {i}" for i in range(20)],
    **{c.name: c.decode()[:20] for c in PEOPLE.quasi},
}


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_it_prints_itself():
    text = repr(FINDING)
    assert text.startswith("Composition: 944 people of election_survey.csv in 2 releases")
    assert FINDING.verdict() in text
    assert "It is assumed that everybody is in all of the tables, with the same party" in text
    for part in ("spring", "autumn", "together", "below 4", "at most as"):
        assert part in text
    exact = uv.composition([FIRST, SECOND], PEOPLE, pseudonym=[range(944)] * 2)
    assert "are therefore at most" not in exact.summary()
    assert "Mondrian(k=4)" in exact.summary()


def test_the_verdict_has_the_numbers():
    assert f"{FINDING.below_k.sum()} (" in FINDING.verdict()
    assert "both together" in FINDING.verdict()
    assert "candidates (none in one release alone)" in FINDING.verdict()


def test_json_names_nobody_unless_asked():
    finding = uv.composition([FIRST, SECOND], external=NAMES, identifier="name")
    assert "Zoe" not in finding.to_json()
    assert "Zoe" not in repr(finding)
    content = json.loads(FINDING.to_json())
    assert content["finding"] == "composition"
    assert [one["release"] for one in content["releases"]] == ["spring", "autumn"]
    assert content["together"]["below_k"] == FINDING.below_k.sum()
    assert content["figures"]["below_k"]["value"] == FINDING.below_k.mean()
    assert content["own_lost"] == 0
    records = json.loads(finding.to_json(records=True))["records"]
    assert records["name"] == NAMES["name"]


def test_columns_called_like_the_finding_s_own():
    table = uv.read_table({"age": [21, 22], "values": ["a", "b"]}, quasi="age", sensitive="values")
    release = uv.Identity().sanitize(table)
    frame = uv.composition([release, release], table).to_frame()
    assert frame["values"].tolist() == [1, 1]
    assert frame["values left"].tolist() == ["a", "b"]


def test_a_picture():
    axes = FINDING.plot()
    assert isinstance(axes.get_figure(), Figure)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["spring", "autumn", "together (an upper bound)"]
    (chart,) = FINDING.story().charts
    together = chart.series[2]
    share = (FINDING.left.candidates <= 4).mean()
    assert together.y[np.flatnonzero(np.array(together.x) <= 4)[-1]] == pytest.approx(share)


def test_somebody_is_looked_up():
    exact = uv.composition([FIRST, SECOND], PEOPLE, pseudonym=[range(944)] * 2)
    for finding in (FINDING, exact):
        for person in (0, 17, 400, 943):
            found = finding.candidates_of(person)
            for left, label in zip((*finding.alone, finding.left), found.columns[1:], strict=True):
                assert found[label].sum() == left.candidates[person]
                assert (found[label] > 0).sum() == left.values[person]
    named = uv.composition([FIRST, SECOND], external=NAMES, identifier="name")
    assert named.candidates_of("Zoe 3").equals(named.candidates_of(3))
    with pytest.raises(InputError, match="nobody is called 'Zo 3' in table; did you mean 'Zoe 3'"):
        named.candidates_of("Zo 3")
