"""The deFinetti attack: by hand, beside its definition, on real data, and with bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from permuted_tables import groupings
from plain_definetti import plain_definetti
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError, MissingValuesError

PEOPLE = uv.read_table(
    {"name": ["Ann", "Bob", "Cat", "Dan"], "smokes": ["yes", "no", "no", "no"],
     "disease": ["cancer", "flu", "flu", "flu"]},
    identifier="name", quasi="smokes", sensitive="disease",
)  # fmt: skip
RELEASE = uv.Permuted.from_groups(PEOPLE, [1, 1, 2, 2])
SURVEY = uv.datasets.election_survey()


def test_by_hand():
    """One round. Ann (yes) and Bob (no) have cancer and flu; Cat and Dan (both no) have flu.

    By shares, Ann and Bob have cancer with 1/2 each. So n(yes, cancer) = n(no, cancer) = 1/2,
    n(yes, flu) = 1/2 and n(no, flu) = 5/2; with one more person for each disease, of whom 1/4
    smokes, P(yes | cancer) = 3/8, P(no | cancer) = 5/8, P(yes | flu) = 3/16, P(no | flu) = 13/16.
    The world where Ann has cancer weighs 3/8 · 13/16 = 39/128, the other 3/16 · 5/8 = 15/128.
    """
    finding = uv.definetti(RELEASE, PEOPLE, smoothing=1, rounds=1)
    ann = finding.belief_about("Ann")
    assert ann["value"].tolist() == ["cancer", "flu"]
    assert ann["random_worlds"].tolist() == [0.5, 0.5]
    assert ann["reweighted"].tolist() == pytest.approx([39 / 54, 15 / 54], abs=1e-15)
    # Without the group: 1/4 · 3/8 against 3/4 · 3/16.
    assert ann["population"].tolist() == pytest.approx([0.4, 0.6], abs=1e-15)
    # Nobody knows which of the three who do not smoke Bob is: the mean of them.
    bob = finding.belief_about(1)
    assert bob["reweighted"].tolist() == pytest.approx([15 / 54 / 3, 1 - 15 / 54 / 3], abs=1e-15)
    assert finding.random_worlds.right.tolist() == [0.5, 1, 1, 1]
    assert finding.reweighted.right.tolist() == [1, 1, 1, 1]
    assert finding.population.right.tolist() == [0, 1, 1, 1]
    assert finding.exceeding.tolist() == [True, False, False, False]
    assert finding.exceeding_right == 1
    assert finding.learned.likelihood[0] - finding.learned.model.log_prior == pytest.approx(
        np.log(54 / 128 * (13 / 16) ** 2)
    )
    # Foreground knowledge of the only column is just that round.
    once = uv.definetti(RELEASE, PEOPLE, method="foreground", smoothing=1)
    assert once.belief_about("Ann")["reweighted"].tolist() == ann["reweighted"].tolist()


def test_records_of_a_release_alone_are_known_by_their_group():
    finding = uv.definetti(RELEASE, smoothing=1, rounds=1)
    assert len(finding) == 4
    assert finding.to_frame()["reweighted_belief"].tolist() == pytest.approx(
        [39 / 54, 39 / 54, 1, 1]
    )
    assert finding.random_worlds.accuracy is None
    assert finding.exceeding_right is None


@examples(40, derandomize=True)
@given(groupings(9), st.integers(1, 3), st.sampled_from([0.01, 1.0, 20.0]))
def test_permuted_releases_beside_the_definition(table_and_groups, rounds, smoothing):
    table, group_of = table_and_groups
    release = uv.Permuted.from_groups(table, group_of)
    finding = uv.definetti(release, smoothing=smoothing, rounds=rounds, settled=0, steps=10**6)
    plain, population = plain_definetti(
        release.codes.T, release.group_of, release.counts, smoothing, rounds
    )
    for person in range(len(table)):
        found = finding.belief_about(person)
        assert np.abs(found["reweighted"] - plain[person]).max() < 1e-12
        assert np.abs(found["population"] - population[person]).max() < 1e-12
    # Of people, those of their records who are alike, on average.
    about = uv.definetti(release, table, smoothing=smoothing, rounds=rounds, settled=0, steps=10**6)
    for person in range(len(table)):
        alike = (table.codes[:, person] == release.codes.T).all(axis=1)
        found = about.belief_about(person)["reweighted"]
        assert np.abs(found - plain[alike].mean(axis=0)).max() < 1e-12
        own = plain[alike].mean(axis=0)
        tied = np.flatnonzero(own >= own.max() - 1e-9)
        right = (table.sensitive.codes[person] in tied) / len(tied)
        assert about.reweighted.right[person] == pytest.approx(right)


@examples(25, derandomize=True)
@given(tables_and_goals(max_size=9))
def test_generalized_releases_beside_the_definition(table_and_goal):
    table, goal = table_and_goal
    release = uv.Mondrian(**goal).sanitize(table)
    finding = uv.definetti(release, table, smoothing=1, rounds=2, settled=0, steps=10**6)
    assert finding.placed.all()
    group_of, counts = release.class_of, release.counts
    plain, _ = plain_definetti(table.codes.T, group_of, counts, 1, 2)
    for person in range(len(table)):
        found = finding.belief_about(person)["reweighted"]
        assert np.abs(found - plain[person]).max() < 1e-12


@pytest.mark.parametrize("steps", [4096, 0])
def test_what_is_published_becomes_likelier_in_every_round(steps):
    release = uv.Mondrian(k=8, l=3).sanitize(SURVEY)
    finding = uv.definetti(release, SURVEY, smoothing=20, rounds=25, settled=0, steps=steps)
    likelihood = finding.learned.likelihood
    assert len(likelihood) == 25
    assert np.diff(likelihood).min() > -1e-9 * abs(likelihood[0])
    assert finding.learned.approximate.any()
    assert finding.learned.approximate.all() == (steps == 0)
    assert not finding.learned.settled


def test_approximate_and_exact_groups_agree_on_a_survey():
    release = uv.Mondrian(k=8, l=3).sanitize(SURVEY)
    exact = uv.definetti(release, SURVEY, rounds=3, settled=0, steps=10**6)
    rough = uv.definetti(release, SURVEY, rounds=3, settled=0, steps=0)
    assert not exact.learned.approximate.any()
    error = np.abs(exact.learned.beliefs - rough.learned.beliefs)
    assert error.max() < 0.02
    assert error.mean() < 0.0005


def test_the_order_of_records_does_not_matter():
    order = np.random.default_rng(0).permutation(len(SURVEY))
    release = uv.Mondrian(k=5).sanitize(SURVEY)
    a = uv.definetti(release, SURVEY, rounds=5)
    b = uv.definetti(uv.Mondrian(k=5).sanitize(SURVEY.take(order)), SURVEY.take(order), rounds=5)
    assert np.allclose(a.reweighted.belief[order], b.reweighted.belief, atol=1e-9)


def test_strangers_are_people_of_whom_nothing_is_known():
    """Half of the people are known: the others are strangers, and say nothing."""
    release = uv.read_release(
        {"smokes": ["*", "*", "*", "*"], "disease": ["cancer", "flu", "flu", "flu"]}, PEOPLE
    )
    finding = uv.definetti(release, external={"smokes": ["yes", "no"]}, smoothing=1)
    assert finding.by_group()["strangers"].tolist() == [2]
    assert "2 records are strangers'" in finding.summary()
    # There is one group: nothing can be learnt across groups.
    assert np.allclose(finding.belief_about(0)["reweighted"], [0.25, 0.75])


def test_missing_values_are_not_known():
    register = {"smokes": ["yes", None, "no", "no"]}
    release = uv.Mondrian(k=4).sanitize(PEOPLE)
    with pytest.raises(MissingValuesError, match=r"say what to do: missing_people=.any."):
        uv.definetti(release, external=register)
    finding = uv.definetti(release, external=register, missing_people="any")
    assert finding.placed.all()
    assert np.allclose(finding.belief_about(1)["population"], [0.25, 0.75])
    fewer = uv.definetti(release, external=register, missing_people="drop")
    assert len(fewer) == 3


def test_people_with_names_are_found_in_the_original():
    register = pd.DataFrame({"name": ["Dan", "Ann", "Eve"], "smokes": ["no", "yes", "no"]})
    finding = uv.definetti(
        RELEASE, PEOPLE, external=register, identifier="name", smoothing=1, rounds=1
    )
    assert finding.in_table.tolist() == [True, True, False]
    assert finding.reweighted.right[:2].tolist() == [1, 1]
    assert np.isnan(finding.reweighted.right[2])
    assert finding.belief_about("Ann")["reweighted"].tolist() == pytest.approx([39 / 54, 15 / 54])


def test_people_who_are_not_there_are_not_guessed():
    finding = uv.definetti(RELEASE, external={"smokes": ["yes", "cigars"]}, unknown="apart")
    assert (finding.nowhere, finding.placed.tolist()) == (1, [True, False])
    with pytest.raises(InputError, match="nothing is believed about 1"):
        finding.belief_about(1)
    assert "no record can be theirs" in finding.summary()
    crowd = {"smokes": ["yes"] * 3 + ["no"] * 9}
    with pytest.raises(InputError, match="more people than records"):
        uv.definetti(uv.Mondrian(k=4).sanitize(PEOPLE), external=crowd)


def test_foreground_knowledge_is_of_the_column_that_tells_most():
    """The colour is nearly as good as the disease, sizes are all different."""
    rng = np.random.default_rng(1)
    disease = rng.integers(0, 3, 300)
    table = uv.read_table(
        {"size": [f"z{x}" for x in range(300)],
         "colour": [f"c{x}" for x in np.where(rng.random(300) < 0.9, disease, 0)],
         "disease": [f"d{x}" for x in disease]},
        quasi=["size", "colour"], sensitive="disease",
    )  # fmt: skip
    release = uv.Anatomy(l=2, seed=0).sanitize(table)
    finding = uv.definetti(release, table, method="foreground")
    assert finding.columns == ("colour",)
    assert finding.reweighted.accuracy > finding.random_worlds.accuracy + 0.2
    both = uv.definetti(release, table, method="foreground", by=["size", "colour"])
    assert both.columns == ("size × colour",)
    size = uv.definetti(release, table, by="size")
    assert size.columns == ("size",)
    assert size.reweighted.accuracy < finding.reweighted.accuracy - 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "definetty"}, "did you mean 'definetti'"),
        ({"smoothing": -1}, "smoothing=-1 is not possible: it must be a number above 0$"),
        ({"smoothing": 0}, "smoothing=0 .* a number above 0"),
        ({"smoothing": float("inf")}, "smoothing=inf .* a number above 0"),
        ({"smoothing": float("nan")}, "smoothing=nan .* a number above 0"),
        ({"settled": "small"}, "settled='small' .* must be a number from 0 up"),
        ({"rounds": 0}, "rounds=0 .* must be a whole number from 1 up"),
        ({"steps": 1.5}, "steps=1.5 .* must be a whole number from 0 up"),
        ({"method": "foreground", "rounds": 3}, "is learnt once"),
        ({"by": "smoke"}, "by= names .smoke., .* did you mean .smokes."),
        ({"by": []}, "is not possible: name one or several"),
        ({"by": 3}, "by=3 is not possible: name one or several quasi-identifiers"),
        ({"settled": None}, "settled=None .* must be a number"),
        ({"steps": None}, "steps=None .* must be a whole number"),
        ({"missing_people": "drp"}, "missing_people='drp' .*did you mean 'drop'"),
        ({"rename": {"smokes": "smoker"}}, "give that table as external="),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        uv.definetti(RELEASE, PEOPLE, **options)


def test_as_many_steps_as_you_like():
    finding = uv.definetti(RELEASE, PEOPLE, steps=10**30)
    assert not finding.learned.approximate.any()


def test_releases_that_make_no_sense():
    with pytest.raises(InputError, match="give the original, microdata=, or a table of the people"):
        uv.definetti(uv.Mondrian(k=2).sanitize(PEOPLE))
    with pytest.raises(InputError, match="publishes none, only counts"):
        uv.definetti(uv.LaplaceCounts(epsilon=1).sanitize(PEOPLE), PEOPLE)
    with pytest.raises(InputError, match="publishes values of disease that need not be"):
        uv.definetti(uv.RandomizedResponse(epsilon=1).sanitize(PEOPLE), PEOPLE)
    means = replace(uv.Mondrian(k=2).sanitize(PEOPLE), perturbed=("smokes",))
    with pytest.raises(InputError, match="publishes values of smokes that need not be"):
        uv.definetti(means, PEOPLE)
    with pytest.raises(InputError, match="a table of people without sensitive values as external="):
        uv.definetti(RELEASE, {"smokes": ["yes"]})
    with pytest.raises(InputError, match="column 'smokes' is not in"):
        uv.definetti(RELEASE, external={"smoker": ["yes"]})


def test_values_of_people_without_a_class_say_nothing():
    """Nobody in a group lives in the north: whoever does is nowhere, and there is no warning."""
    table = uv.read_table(
        {"smokes": ["yes", "yes", "no", "no"], "home": ["south", "south", "south", "north"],
         "disease": ["cancer", "flu", "cancer", "flu"]},
        quasi=["smokes", "home"], sensitive="disease",
    )  # fmt: skip
    release = uv.read_release(
        {"smokes": ["yes", "yes", "no"], "home": ["*", "*", "south"],
         "disease": ["cancer", "flu", "cancer"]}, table,
    )  # fmt: skip
    finding = uv.definetti(release, table)
    assert finding.placed.tolist() == [True, True, True, False]
    assert np.isfinite(finding.population.belief[:3]).all()
    assert np.isnan(finding.population.belief[3])
    assert np.isfinite(finding.learned.model.table).all()


def test_next_to_no_smoothing_is_not_none_at_all():
    """Nobody in a group with a or b smokes cigars: half of the smallest number is 0."""
    table = uv.read_table(
        {"smokes": ["pipe", "pipe", "cigars", "cigars"], "disease": list("abcd")},
        quasi="smokes", sensitive="disease",
    )  # fmt: skip
    release = uv.Permuted.from_groups(table, [1, 1, 2, 2])
    finding = uv.definetti(release, table, smoothing=5e-324, rounds=3)
    assert np.isfinite(finding.reweighted.belief).all()
    assert np.isfinite(finding.learned.likelihood).all()


def test_people_of_a_permuted_release_whose_values_are_not_known_are_undecided():
    register = {"smokes": ["yes", None]}
    finding = uv.definetti(RELEASE, external=register, missing_people="any")
    assert (finding.nowhere, finding.undecided) == (0, 1)
    assert finding.placed.tolist() == [True, False]
    assert np.isnan(finding.promise[1])
    assert "one of their values is not known" in finding.summary()


def test_one_of_each_is_no_plural():
    text = uv.definetti(uv.Permuted.from_groups(PEOPLE.take([0]), [1]), PEOPLE.take([0])).summary()
    assert "1 person of" in text
    assert "1 round until" in text
    assert "1 group, computed exactly" in text


def test_groups_of_so_many_secrets_that_their_states_are_beyond_floats():
    n = 1100
    table = uv.read_table(
        {"x": ["a", "b"] * (n // 2), "s": [f"{i}" for i in range(n)]}, quasi="x", sensitive="s"
    )
    finding = uv.definetti(uv.Permuted.from_groups(table, [1] * n), table, rounds=1)
    assert finding.learned.approximate.tolist() == [True]
    assert np.allclose(finding.learned.beliefs, 1 / n)


def test_a_release_without_records():
    nothing = uv.Permuted.from_groups(PEOPLE.take([]), [])
    with pytest.raises(InputError, match="has no records to learn from"):
        uv.definetti(nothing)
