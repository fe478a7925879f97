"""A finding of the deFinetti attack: what it prints, writes and draws, and whom it names."""

import json
import pickle
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import unveil as uv
from unveil.errors import InputError, View
from unveil.render import table_text

SURVEY = uv.datasets.election_survey()
RELEASE = uv.Anatomy(l=2, seed=0).sanitize(SURVEY)
NAMES = {
    "name": [f"Zoe {i}" for i in range(len(SURVEY))],
    **{c.name: c.decode() for c in SURVEY.quasi},
}
FINDING = uv.definetti(
    RELEASE, SURVEY, external=NAMES, identifier="name", record_of=range(len(SURVEY)), rounds=4
)
ALONE = uv.definetti(RELEASE, method="foreground")


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_it_prints_itself():
    text = repr(FINDING)
    assert text.startswith("deFinetti attack: 944 people of table against 944 records by Anat")
    for part in ("guessed right", "all computed exactly", "random worlds", "(for more: rounds=)"):
        assert part in text
    assert FINDING.verdict() in text
    assert "Zoe" not in text
    alone = repr(ALONE)
    assert alone.startswith("Foreground knowledge: 944 people of the release by Anatomy(l=2")
    assert "guessed right" not in alone.split("Give the original")[0]
    assert "whether that is right is not known" in ALONE.verdict()


def test_approximate_groups_are_counted():
    release = uv.Mondrian(k=20).sanitize(SURVEY)
    finding = uv.definetti(release, SURVEY, steps=0, rounds=2)
    rough = int(finding.learned.approximate.sum())
    assert f"{rough:,}" in finding.summary() or "all" in finding.summary()
    assert "by Bethe's approximation" in finding.summary()
    assert finding.to_dict()["approximate_groups"] == rough > 0


def test_json_names_nobody_unless_asked():
    content = json.loads(FINDING.to_json())
    assert content["finding"] == "definetti"
    assert content["people"] == content["placed"] == content["known"] == 944
    assert content["right"]["reweighted"] == pytest.approx(FINDING.reweighted.right.mean())
    assert content["exceeding"] == int(FINDING.exceeding.sum())
    assert "Zoe" not in FINDING.to_json()
    each = json.loads(FINDING.to_json(records=True))["records"]
    assert each["name"] == NAMES["name"]
    assert each["reweighted_belief"] == FINDING.reweighted.belief.tolist()
    assert json.loads(ALONE.to_json())["right"] is None


def test_one_row_a_person():
    frame = FINDING.to_frame()
    assert len(frame) == 944
    for name in ("random_worlds", "reweighted", "population"):
        view = getattr(FINDING, name)
        person = FINDING.belief_about("Zoe 7")
        top = person[name].max()
        assert frame.loc[7, f"{name}_belief"] == pytest.approx(top)
        assert person.loc[person["value"] == frame.loc[7, name], name].item() == pytest.approx(top)
        assert frame[f"{name}_right"].mean() == view.accuracy
    assert (frame["exceeds"] == (frame["reweighted_belief"] > frame["promise"] + 1e-9)).all()
    assert "reweighted_right" not in ALONE.to_frame()


def test_the_worst():
    worst = FINDING.worst(5)
    beyond = FINDING.reweighted.belief / FINDING.promise
    assert worst["person"].tolist() == np.argsort(-beyond, kind="stable")[:5].tolist()
    assert len(FINDING.worst(0)) == 0
    with pytest.raises(InputError, match="whole number"):
        FINDING.worst(-1)


def test_one_row_a_group():
    frame = ALONE.by_group()
    assert frame["group"].tolist() == list(RELEASE.groups)
    assert frame["records"].tolist() == RELEASE.sizes.tolist()
    assert frame["exceeding"].sum() == ALONE.exceeding.sum()
    each = ALONE.to_frame()
    for g in (0, 100, 471):
        mine = np.flatnonzero(RELEASE.group_of == g)
        assert frame["worst"][g] == pytest.approx(each["reweighted_belief"][mine].max())
        assert each["reweighted_belief"][frame["person"][g]] == pytest.approx(frame["worst"][g])
        assert frame["promise"][g] == RELEASE.counts[g].max() / RELEASE.sizes[g]
    classes = uv.definetti(uv.Mondrian(k=9).sanitize(SURVEY), SURVEY, rounds=1).by_group()
    assert classes["group"].dtype.kind == "i"
    assert classes["records"].sum() == 944


def test_who_is_asked_about():
    with pytest.raises(InputError, match="nobody is called 'Zoe 9999'"):
        FINDING.belief_about("Zoe 9999")
    with pytest.raises(InputError, match="numbered from 0 to 943"):
        FINDING.belief_about(944)


def test_people_are_named_to_who_asks_and_masked_in_a_report():
    table, worst = FINDING.of_person("Zoe 7"), FINDING.of_worst(3)
    assert str(table.title) == "Zoe 7, row 8 of table: belief in each party"
    beliefs = FINDING.belief_about("Zoe 7")["reweighted"]
    assert [row[2][0] for row in table.rows] == sorted(beliefs, reverse=True)
    assert str(worst.rows[0][0]) == f"Zoe {FINDING.worst(1)['person'][0]}, row " + str(
        FINDING.worst(1)["row"][0] + 1
    )
    for one in (table, worst):
        assert "Zoe" not in table_text(one, View("report"))
    nobody = uv.definetti(RELEASE, external={**NAMES, "age": ["999"] * 944})
    assert "Nothing is believed about row 1" in str(nobody.of_person(0).title)


def test_it_draws():
    axes = FINDING.plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(labels) == 3
    assert labels[-1] == "by both"
    assert FINDING.plot(chart=1).get_title() == "Belief in a person's most likely value"
    own = Figure().subplots()
    assert ALONE.plot(own) is own
    assert own.get_title() == "Belief in a person's most likely value"
    assert own.get_ylim()[0] == 0


def test_it_can_be_sent():
    again = pickle.loads(pickle.dumps(FINDING))
    assert again.verdict() == FINDING.verdict()


def test_beliefs_that_are_stronger_but_not_truer_are_no_success():
    keys = ["age", "education", "income"]
    plain = uv.read_table(SURVEY.to_frame(), quasi=keys, sensitive="party")
    finding = uv.definetti(uv.Mondrian(k=5).sanitize(plain), plain)
    assert finding.exceeding.any()
    assert finding.reweighted.accuracy <= finding.random_worlds.accuracy
    assert finding.verdict().endswith("beliefs are stronger, but not more often true.")
    census = uv.datasets.census(400, seed=1)
    learnt = uv.definetti(uv.Anatomy(l=2, seed=1).sanitize(census), census)
    assert learnt.reweighted.accuracy > learnt.random_worlds.accuracy
    assert "not more often true" not in learnt.verdict()
