"""Persons with several records: all of them are left out, and the one that moves most counts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables, visits_and_goals, with_persons
from several_rows import read, repeated, stays

import unveil as uv
from unveil.adversary import Adversary, ConditionalFrequency, NaiveBayes
from unveil.attacks.differential._by_person import rows_of
from unveil.attacks.differential._targets import draw
from unveil.errors import GoalError, InputError
from unveil.microdata import Persons
from unveil.sanitize import Sanitizer

BOTH = (NaiveBayes(), ConditionalFrequency())
FREQUENCY = {"adversary": "conditional-frequency"}


class Forced(Persons):
    """Takes the way of several records, whether or not somebody has them."""

    repeat = True


class Unknown(Sanitizer):
    """Nothing is known of it but that it can be run."""

    def sanitize(self, microdata):
        return uv.Mondrian(k=2).sanitize(microdata)


class Lots(Sanitizer):
    """Random; nobody says that equal records are alike to it."""

    is_random, label = True, "Lots"

    def __init__(self, seed=None):
        self.seed = seed

    def with_seed(self, seed):
        return Lots(seed)

    def sanitize(self, microdata):
        return uv.RandomizedResponse(epsilon=1, seed=self.seed).sanitize(microdata)


def by_definition(table, sanitizer, adversary):
    """Largest and mean distance of each person's records; NaN without a release."""
    whole, of = sanitizer.sanitize(table), table.persons.of
    largest, means = [], []
    for person in range(table.persons.count):
        rows = np.flatnonzero(of == person)
        try:
            rest = sanitizer.sanitize(table.take(np.flatnonzero(of != person)))
        except GoalError:
            distances = np.array([np.nan])
        else:
            with_, without = (adversary.predict(one, table.codes[:, rows]) for one in (whole, rest))
            distances = np.abs(with_ - without).sum(axis=1) / 2
        largest.append(distances.max())
        means.append(distances.mean())
    return np.array(largest), np.array(means)


def people_of(finding):
    """The person of each target, by number."""
    return finding.microdata.persons.of[finding.targets]


def assert_by_definition(table, sanitizer, finding, adversary):
    largest, means = by_definition(table, sanitizer, adversary)
    people = people_of(finding)
    np.testing.assert_allclose(finding.distances, largest[people], rtol=0, atol=1e-12)
    np.testing.assert_allclose(finding.means, means[people], rtol=0, atol=1e-12)


@examples(150)
@given(stays(), st.sampled_from([uv.Mondrian(k=2), uv.Mondrian(l=2), uv.Identity(), Unknown()]),
       st.sampled_from(BOTH))  # fmt: skip
def test_by_definition(made, sanitizer, adversary):
    table = read(made)
    if table.several is None:
        return
    try:
        finding = uv.differential_inference(table, sanitizer, adversary=adversary, jobs=1)
    except GoalError:
        return
    assert finding.targets.tolist() == np.unique(table.persons.of, return_index=True)[1].tolist()
    assert_by_definition(table, sanitizer, finding, adversary)
    # The record that is named is the person's, and its distance is theirs.
    shown = table.persons.of[finding.shown]
    np.testing.assert_array_equal(shown, people_of(finding))


def test_by_hand():
    """Rows of A and C in 30s, of B and C in 40s; what is left of 30s without A is C's asthma."""
    table = uv.read_table(
        {"who": list("AAABCC"), "age": ["30s", "30s", "30s", "40s", "40s", "30s"],
         "ill": ["flu", "flu", "asthma", "flu", "flu", "asthma"]},
        quasi="age", sensitive="ill", person="who",
    )  # fmt: skip
    finding = uv.differential_inference(table, uv.Identity(), predictions=True, **FREQUENCY)
    np.testing.assert_allclose(finding.distances, [1 / 2, 0, 1 / 6])
    np.testing.assert_allclose(finding.means, [1 / 2, 0, 1 / 12])
    assert finding.shown.tolist() == [0, 3, 5]  # C's visit in the 30s
    frame = finding.to_frame()
    assert frame["first_record"].tolist() == [0, 3, 4]
    assert frame["records"].tolist() == [3, 1, 2]
    assert frame["P without: flu"].tolist() == pytest.approx([0, 1, 2 / 3])
    assert finding.worst(3)["age"].tolist() == ["30s", "30s", "40s"]
    assert finding.delta == 1 / 2
    assert finding.mean == pytest.approx(2 / 9)
    assert finding.share_over(0.1) == pytest.approx(2 / 3)
    assert str(finding.bound(0.1)) == "2 of all 3 people (66%) are over 0.1."
    assert finding.facts["people"] == 3
    assert finding.facts["rows"] == 6
    assert "records" not in finding.to_dict()
    assert finding.to_dict(records=True)["records"]["first_record"] == [0, 3, 4]
    said = str(finding)
    assert "3 of 3 people tested" in said
    assert "Removing their own records" in said
    assert "own record " not in said


@examples(60)
@given(
    tables(20),
    st.sampled_from([uv.Mondrian(k=2), uv.Identity(), Unknown(), Lots()]),
)
def test_with_one_row_each_it_is_the_ordinary_test(table, sanitizer):
    """The way of several records, forced, beside the ordinary one."""
    forced = replace(table, persons=Forced(("who",), np.arange(len(table))))
    named = replace(table, persons=Persons(("who",), np.arange(len(table))))
    options = {"samples": 8} if sanitizer.is_random else {}
    try:
        plain = uv.differential_inference(table, sanitizer, jobs=1, **options)
    except GoalError:
        return
    same = uv.differential_inference(named, sanitizer, jobs=1, **options)
    assert same.farthest is None
    assert str(same) == str(plain)
    other = uv.differential_inference(forced, sanitizer, jobs=1, **options)
    assert other.farthest is not None
    for found in (same, other):
        np.testing.assert_allclose(found.distances, plain.distances, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found.targets, plain.targets)
        np.testing.assert_array_equal(found.mode_changed, plain.mode_changed)
        assert found.not_tested == plain.not_tested
        for one, old in zip(found.figures[:3], plain.figures[:3], strict=True):
            assert one.value == pytest.approx(old.value, abs=1e-12, nan_ok=True)
    np.testing.assert_allclose(other.means, plain.distances, rtol=0, atol=1e-12)
    assert other.delta_within() == pytest.approx(plain.delta_within(), abs=1e-12, nan_ok=True)


def test_every_row_three_times_is_the_same_table():
    plain = random_microdata(3, 30, ("flat", "numeric"))
    table, _ = repeated(plain)
    one = uv.differential_inference(plain, uv.Identity(), **FREQUENCY)
    found = uv.differential_inference(table, uv.Identity(), **FREQUENCY)
    np.testing.assert_allclose(np.sort(found.distances), np.sort(one.distances), atol=1e-12)
    assert (found.people, len(found.tested)) == (30, 30)
    # By rows nobody's single row would move anything much: that is no bound.
    rows = replace(table, persons=None)
    assert uv.differential_inference(rows, uv.Identity(), **FREQUENCY).delta < one.delta


@examples(150)
@given(visits_and_goals(), st.sampled_from(BOTH), st.sampled_from(["l1", "hellinger"]))
def test_paths_agree(case, adversary, distance):
    """The fast way beside the sanitizer run again without each person."""
    table, options = case
    for f in (uv.Mondrian(**options), uv.Identity()):
        try:
            fast, general = (
                uv.differential_inference(table, f, adversary=adversary, path=path, jobs=1,
                                          predictions=True, distance=distance)
                for path in ("fast", "general")
            )  # fmt: skip
        except GoalError:
            continue
        assert (fast.way, general.way) == ("fast", "general")
        assert fast.not_tested == general.not_tested
        for name in ("distances", "present", "absent"):
            np.testing.assert_allclose(getattr(fast, name), getattr(general, name), atol=1e-12)
        if table.several is not None:
            np.testing.assert_allclose(fast.means, general.means, atol=1e-12)


@pytest.mark.parametrize("sanitizer", [
    uv.Mondrian(t=0.5), uv.Recoding(k=2), uv.Microaggregation(k=2),
    uv.RandomizedResponse(epsilon=1), uv.Oracle(uv.Mondrian(k=2)),
], ids=str)  # fmt: skip
def test_other_sanitizers_are_run_again(sanitizer):
    """Whatever a sanitizer knows of tables without one record, nothing of it is used."""
    table = uv.datasets.visits(15)
    options = {"samples": 4} if sanitizer.is_random else {}
    found = uv.differential_inference(table, sanitizer, jobs=1, **options, **FREQUENCY)
    assert found.way == ("sampled" if options else "general") or sanitizer.leaves_out(table)
    assert len(found.targets) == table.persons.count
    if not sanitizer.is_random:
        assert_by_definition(table, sanitizer, found, ConditionalFrequency())


def test_no_way_that_leaves_out_one_record():
    table = with_persons(random_microdata(1, 20, ("flat",)), np.random.default_rng(1), 8)
    found = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1), samples=4)
    assert found.way == "sampled"
    found = uv.differential_inference(table, uv.Identity(), adversary="gaussian-nb")
    assert found.way == "general"


def test_sampled():
    """Of what is not random at all every sample is the same, and so are the distances."""
    rng = np.random.default_rng(5)
    table = with_persons(random_microdata(5, 24, ("numeric", "flat")), rng, 9)
    finding = uv.differential_inference(table, Unknown(), samples=6, jobs=1, **FREQUENCY)
    assert finding.way == "sampled"
    assert_by_definition(table, Unknown(), finding, ConditionalFrequency())
    np.testing.assert_array_equal(finding.sampling.records, table.persons.rows[people_of(finding)])
    # Errors of several records are larger, as each of them must be right.
    alone = replace(finding.sampling, records=np.ones_like(finding.sampling.records))
    many = finding.sampling.records > 1
    assert (finding.sampling.error[many] > alone.error[many]).all()
    np.testing.assert_array_equal(finding.sampling.error[~many], alone.error[~many])
    # How often belief about any of them moves.
    tail = finding.tail(0.1)
    np.testing.assert_array_equal(tail.probability, finding.distances >= 0.1)


def test_sampled_bounds_hold_for_all_records():
    """The largest of a person's distances is within the bounds, where each of them is random."""
    table = with_persons(random_microdata(2, 30, ("flat",), 3), np.random.default_rng(2), 10)
    f = uv.RandomizedResponse(epsilon=1)
    few = uv.differential_inference(table, f, samples=60, jobs=1, **FREQUENCY)
    many = uv.differential_inference(table, f, samples=500, jobs=1, seed=9, **FREQUENCY)
    low, high = few._within(0.95)
    error = many.sampling.error
    assert (low <= many.distances + error).all()
    assert (many.distances - error <= high).all()
    least, most = few.mean_within()
    assert least <= many.mean <= most
    assert few.delta_within()[0] <= many.delta <= few.delta_within()[1]


def test_several_attackers():
    table = uv.datasets.visits(40)
    finding = uv.differential_inference(table, uv.Mondrian(k=4), predictions=True, jobs=1)
    each = np.stack([one.distances for one in finding.against.values()])
    np.testing.assert_array_equal(finding.distances, each.max(axis=0))
    for place, best in enumerate(finding.strongest.tolist()):
        one = list(finding.against.values())[best]
        assert finding.shown[place] == one.shown[place]
        assert finding.means[place] == one.means[place]
        np.testing.assert_array_equal(finding.present[place], one.present[place])


def test_whom_to_test():
    table = uv.datasets.visits(60)
    of, first = table.persons.of, table.people
    options = {"jobs": 1, **FREQUENCY}
    some = uv.differential_inference(table, uv.Identity(), targets=[70, 71, 3, 70], **options)
    assert people_of(some).tolist() == list(dict.fromkeys(of[[70, 71, 3]].tolist()))
    assert np.isin(some.targets, first).all()
    mask = np.arange(len(table)) < 5
    some = uv.differential_inference(table, uv.Identity(), targets=mask, **options)
    assert people_of(some).tolist() == list(dict.fromkeys(of[:5].tolist()))
    for how in ("random", "stratified", "exposed", "worst-first"):
        found = draw(table, 20, how, 1, release=uv.Mondrian(k=3).sanitize(table))
        assert len(set(of[found.records].tolist())) == 20
        assert np.isin([*found.records, *found.front], first).all()
        some = uv.differential_inference(table, uv.Identity(), targets=20, draw=how, **options)
        assert (some.people, len(some.tested)) == (60, 20)
        assert some.bound(0.05).population == 60
        assert "of all 60 people" in str(some.bound(0.05))
        assert "the 20 of 60 people tested" in str(some.figures[0].among)
    everybody = draw(table, 60, "worst-first", 1).records
    assert sorted(everybody.tolist()) == sorted(first.tolist())
    with pytest.raises(InputError, match="the table has 60 people to choose from"):
        uv.differential_inference(table, uv.Identity(), targets=61)


def test_who_has_many_rows_is_tested_first():
    """Forty rows of one value in a class of fifty: without them belief is another."""
    rng = np.random.default_rng(0)
    whose = np.concatenate([np.arange(200), np.full(40, 200)])
    ages = np.concatenate([rng.integers(20, 25, 200), np.full(40, 22)])
    ill = np.concatenate([rng.integers(0, 3, 200), np.full(40, 1)])
    table = uv.read_table({"who": whose, "age": ages, "ill": ill}, quasi="age", sensitive="ill",
                          person="who")  # fmt: skip
    found = draw(table, 10, "worst-first", 0, release=uv.Identity().sanitize(table))
    assert table.persons.of[found.front[0]] == 200


def test_of_many_rows_few_are_compared(monkeypatch):
    """However many classes there are: as many as n people may have."""
    from unveil.attacks.differential import _likely_worst

    table = uv.datasets.visits(80)
    release = uv.Identity().sanitize(table)
    for compared in (1, 2**28):
        monkeypatch.setattr(_likely_worst, "_COMPARED", compared)
        front = draw(table, 30, "worst-first", 0, release=release).front
        assert len(set(table.persons.of[front].tolist())) == 15


class Choosy(Adversary):
    """Cannot say anything about the first combination of values."""

    def predict(self, release, codes):
        if (codes[0] == 0).any():
            raise RuntimeError("not about them")
        return np.tile(np.array([0.5, 0.5]), (codes.shape[1], 1))


class Silent(Choosy):
    """Has no belief about them."""

    def predict(self, release, codes):
        beliefs = np.tile(np.array([0.5, 0.5]), (codes.shape[1], 1))
        return np.where((codes[0] == 0)[:, None], np.nan, beliefs)


@pytest.mark.parametrize("adversary", [Choosy(), Silent()], ids=lambda one: one.label)
@pytest.mark.parametrize("options", [{}, {"samples": 3}])
def test_what_is_not_known_of_a_record_is_not_known_of_the_person(adversary, options):
    table = uv.read_table({"who": list("abcabc"), "age": [1, 2, 3, 3, 3, 3], "ill": list("xyxyxy")},
                          quasi="age", sensitive="ill", person="who")  # fmt: skip
    found = uv.differential_inference(table, Unknown(), adversary=adversary, jobs=1, **options)
    assert np.isnan(found.distances).tolist() == [True, False, False]
    assert sum(found.not_tested.values()) == 1
    assert found.figures[0].among  # nothing passes by those who were tested alone


def test_without_the_only_person_there_is_no_release():
    table = uv.read_table({"who": list("aaa"), "age": [1, 2, 3], "ill": list("xyx")}, quasi="age",
                          sensitive="ill", person="who")  # fmt: skip
    for f in (uv.Identity(), uv.Mondrian(k=1)):
        found = uv.differential_inference(table, f, jobs=1)
        assert len(found.tested) == 0
        assert sum(found.not_tested.values()) == 1


def test_releases_made_beforehand_are_without_a_row(tmp_path):
    table = uv.datasets.visits(5)
    uv.Identity().sanitize(table).to_frame().to_csv(tmp_path / "full.csv", index=False)
    with pytest.raises(InputError, match="all of which must be left out; give the program"):
        uv.differential_inference(table, uv.Oracle(tmp_path))


def test_pieces_of_the_fast_way(monkeypatch):
    """However many rows are counted at a time."""
    from unveil.attacks.differential import _beliefs

    table = uv.datasets.visits(50)
    whole = uv.differential_inference(table, uv.Identity(), jobs=1)
    monkeypatch.setattr(_beliefs, "_ENTRIES", 12 * 5 * table.sensitive.size)
    found = uv.differential_inference(table, uv.Identity(), jobs=1)
    np.testing.assert_array_equal(found.distances, whole.distances)


def test_rows_of_people():
    table = uv.datasets.visits(30)
    rows = rows_of(table, table.people[[4, 2, 9]])
    for place, person in enumerate([4, 2, 9]):
        its = rows.records[rows.each[place]]
        assert its.tolist() == np.flatnonzero(table.persons.of == person).tolist()


class Ended(Unknown):
    """Ended by the user after so many runs."""

    def __init__(self, runs=10**6):
        self.runs = [runs]

    label = "Ended"

    def sanitize(self, microdata):
        self.runs[0] -= 1
        if self.runs[0] < 0:
            raise KeyboardInterrupt
        return super().sanitize(microdata)


@pytest.mark.parametrize("options", [{}, {"samples": 3}])
def test_goes_on_after_an_interrupt(tmp_path, options):
    table = uv.datasets.visits(14)
    options = {**options, "jobs": 1, **FREQUENCY}
    whole = uv.differential_inference(table, Ended(), **options)
    half = uv.differential_inference(table, Ended(10), run=tmp_path / "run", **options)
    assert half.interrupted
    assert 0 < len(half.tested) < 14
    again = uv.differential_inference(table, Ended(), run=tmp_path / "run", **options)
    for name in ("distances", "means", "farthest"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


def test_a_budget_is_of_people():
    table = uv.datasets.visits(30)
    for budget in ("6 runs", "6 people"):
        found = uv.differential_inference(table, Unknown(), budget=budget, jobs=1, **FREQUENCY)
        assert (len(found.tested), found.people) == (6, 30)
        assert found.forecast().everybody == 24
        assert "24 more people" in str(found)
    fast = uv.differential_inference(table, uv.Identity(), budget="6 people", jobs=1)
    assert len(fast.tested) == 6
