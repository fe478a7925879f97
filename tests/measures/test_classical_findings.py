"""What the findings say, to people and to programs, and what they keep to themselves."""

import json
import math

import numpy as np
import pytest
from reference_tables import ORIGINAL, THREE_ANONYMOUS, THREE_DIVERSE

import unveil as uv
from unveil.engine.counting import Contingency, Held, Histograms, KeyColumn
from unveil.errors import InputError
from unveil.measures import (
    alpha_k,
    beta_likeness,
    count,
    delta_disclosure,
    k_anonymity,
    l_diversity,
    t_closeness,
)
from unveil.measures._classes import one_pass
from unveil.measures._measures import classical

MEASURES = [k_anonymity, alpha_k, l_diversity, t_closeness, beta_likeness, delta_disclosure]


def diverse():
    return uv.read_table(THREE_DIVERSE, quasi=["ZIP*", "Age*"], sensitive="Disease")


def anonymous():
    return uv.read_table(THREE_ANONYMOUS, quasi=["Age*"], sensitive="Disease")


def test_the_tables_of_the_literature():
    """3-anonymous, but everybody in his twenties has the same disease; 3-diverse, and nobody."""
    original = uv.read_table(ORIGINAL, quasi=["ZIP", "Age"], sensitive="Disease")
    assert k_anonymity(original).k == 1
    assert (k_anonymity(anonymous()).k, k_anonymity(diverse()).k) == (3, 3)
    assert l_diversity(anonymous()).distinct == 1
    assert l_diversity(diverse()).distinct == 3
    assert l_diversity(diverse()).entropy == 3
    assert alpha_k(anonymous()).alpha == 1
    assert alpha_k(diverse()).alpha == 1 / 3
    assert alpha_k(anonymous()).values == ("lung cancer",)


def test_a_release_is_measured_as_it_is_published():
    people = uv.datasets.census(400, seed=3)
    release = uv.Mondrian(k=7, l=2).sanitize(people)
    found = k_anonymity(release)
    assert found.source == "the release by Mondrian(k=7, l=2)"
    assert found.k >= 7
    assert found.k == release.sizes.min()
    assert alpha_k(release).alpha <= 1 / 2
    assert l_diversity(release).distinct >= 2


@pytest.mark.parametrize("table", [diverse, anonymous])
@pytest.mark.parametrize("measure", MEASURES)
def test_json_says_nothing_about_people_unless_asked(measure, table):
    found = measure(table())
    told = found.to_json()
    people = {text for column in table().columns for text in column.texts}
    assert not [text for text in people if json.dumps(text, ensure_ascii=False) in told]
    whole = json.loads(found.to_json(records=True))
    named = whole["deciding"].get("classes") or whole["deciding"]["distinct"]["classes"]
    assert named[0]["keys"]["Age*"] in ("2*", "3*", "≥40")
    assert json.loads(told)["keys"] == list(found.keys)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_finding_is_a_frame_too(measure):
    assert len(measure(diverse()).to_frame()) > 0


def test_infinite_is_a_word():
    found = delta_disclosure(diverse())
    assert math.isinf(found.delta)
    content = json.loads(found.to_json())
    assert content["delta"] == "infinite"
    assert content["finite"] == pytest.approx(math.log(3))
    assert "δ = infinite" in repr(found)
    assert "a class lacks a value: 2 classes have no Disease = colon cancer, " in repr(found)
    assert "δ = 1.099" in repr(found)
    recursive = json.loads(l_diversity(anonymous()).to_json())["deciding"]["recursive"]
    assert recursive["c_above"] == "infinite"
    assert "for no c, a class has fewer than 2 values" in repr(l_diversity(anonymous()))


def test_enhanced_likeness_that_no_beta_gives():
    """Of 9 people 3 have lung cancer: −ln 1/3 = 1.0986, but its gain is (1 − 1/3) / (1/3) = 2."""
    found = beta_likeness(anonymous())
    assert found.basic == 2
    assert found.enhanced is None
    assert found.beyond_values[0] == "lung cancer"
    assert found.beyond.classes[0].keys == {"Age*": "2*"}
    assert "for no β, Disease = lung cancer" in repr(found)
    assert json.loads(found.to_json())["enhanced"] is None


def test_enhanced_likeness_holds():
    """q = 1/2 may gain ln 2 = 0.693, and gains (3/5 − 1/2) / (1/2) = 0.2."""
    table = uv.read_table(
        {"age": [1] * 5 + [2] * 5, "vote": [*"aaabb", *"aabbb"]}, quasi=["age"], sensitive="vote"
    )
    found = beta_likeness(table)
    assert found.basic == found.enhanced == pytest.approx(0.2)
    assert found.beyond.number == 0
    assert "no gain exceeds −ln q" in repr(found)


def test_notes_are_printed():
    counts = Held(
        keys={"age": KeyColumn(np.array([0]), (30,))}, secret=None, class_of=np.array([0, 0]),
        codes=np.array([0, 0]), numbers=np.array([2, 1]), source="a.csv",
        notes=("missing is a value of its own",),
    )  # fmt: skip
    found = k_anonymity(counts)
    assert repr(found).endswith("\n  Note: missing is a value of its own")
    assert found.to_dict()["notes"] == ["missing is a value of its own"]


def test_without_a_sensitive_column_there_is_only_k():
    counts = Held(
        keys={"age": KeyColumn(np.array([0, 1]), (30, 40))}, secret=None,
        class_of=np.array([0, 1]), codes=np.array([0, 0]), numbers=np.array([4, 2]),
        source="a.csv",
    )  # fmt: skip
    assert [*classical(counts)] == ["k_anonymity"]
    assert k_anonymity(counts).k == 2
    for measure in MEASURES[1:]:
        with pytest.raises(InputError, match="needs a sensitive column: name it with sensitive="):
            measure(counts)


def test_options_reach_the_measures():
    counts = count(diverse())
    lookings = classical(counts, distance="equal", l=3)
    found = dict(zip(lookings, one_pass(counts, list(lookings.values())), strict=True))
    assert found["t_closeness"].distance == "equal"
    assert found["l_diversity"].deciding_l == 3
    assert found["l_diversity"].recursive(3) == 1
    for l in (0, -1, 2.5, "2", None, True):  # noqa: E741
        with pytest.raises(InputError, match=f"l={l!r} is not possible: it must be a whole number"):
            l_diversity(counts, l=l)
        with pytest.raises(InputError, match=f"l={l!r} is not possible: it must be a whole number"):
            found["l_diversity"].recursive(l)
    with pytest.raises(InputError, match="l=0 is not possible"):  # before the file is looked for
        l_diversity("no such file.csv", quasi="age", sensitive="disease", l=0)


class Matching(Contingency):
    """Two classes that share a record, since a cell stands for anything."""

    keys, source, notes, overlapping = ("age",), "a table", (), True

    def __init__(self, table):
        self.secret = count(table).secret

    @property
    def totals(self):
        return np.array([2, 1])

    def blocks(self):
        yield Histograms(
            start=np.array([0, 1, 3]), codes=np.array([0, 0, 1]), numbers=np.array([2, 1, 1]),
            weights=np.array([1, 1]), key_of=lambda g: (("30", "*")[g],),
        )  # fmt: skip

    def over(self, keys):
        raise AssertionError("nobody asks for that")

    def where(self, values):
        raise AssertionError("nobody asks for that")


def test_classes_that_overlap():
    """Three records, four memberships: {a, a} and {a, b}."""
    table = uv.read_table(
        {"age": [1, 2, 3], "vote": ["a", "a", "b"]}, quasi=["age"], sensitive="vote"
    )
    counts = Matching(table)
    found = k_anonymity(counts)
    assert (found.k, found.records, found.mean_class, found.share_below(3)) == (2, 3, 2.0, 1.0)
    assert alpha_k(counts).alpha == 1
    assert l_diversity(counts).distinct == 1
    assert t_closeness(counts).t == pytest.approx(1 / 3)
    assert t_closeness(counts).mean == pytest.approx((1 / 3 + 1 / 6) / 2)
    assert beta_likeness(counts).basic == pytest.approx(0.5)


@pytest.mark.real
def test_adult_as_it_is(adult_arx):
    """The raw table is 1-anonymous, and its loners are 30 % of it or more."""
    table = adult_arx()
    found = k_anonymity(table)
    rows = list(zip(*(column.codes.tolist() for column in table.quasi), strict=True))
    sizes: dict[tuple[int, ...], int] = {}
    for row in rows:
        sizes[row] = sizes.get(row, 0) + 1
    assert found.k == min(sizes.values()) == 1
    assert found.classes == len(sizes)
    loners = sum(size == 1 for size in sizes.values())
    assert found.deciding.number == found.sizes[1] == loners
    assert found.share_below(2) == loners / len(table)
    assert len(found.deciding.classes) == 5
