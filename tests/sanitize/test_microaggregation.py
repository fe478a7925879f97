"""Microaggregation makes MDAV's groups, and publishes their middles."""

from dataclasses import replace
from statistics import median_low

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_mdav import plain_mdav
from proofs import examples
from random_tables import random_microdata, tables, with_persons

import unveil as uv
from unveil.adversary import adversary_named
from unveil.attacks.relative_risk import horizontal_problem
from unveil.engine import _parallel
from unveil.errors import GoalError, InputError
from unveil.microdata import Kind
from unveil.sanitize import sanitizer_named
from unveil.sanitize._mdav import mdav
from unveil.sanitize._microaggregation import _blocks, _Similar, _similar_groups

ALL = 10**9  # a block that is never cut


@st.composite
def tables_and_k(draw, max_size=40):
    table = draw(tables(max_size))
    n = len(table)
    return table, draw(st.one_of(st.integers(1, min(5, n)), st.integers(1, n)))


def as_sets(group_of):
    return [np.flatnonzero(group_of == g).tolist() for g in range(group_of.max() + 1)]


@examples(100)
@given(tables_and_k())
def test_groups_are_those_of_the_brute_force(case):
    table, k = case
    similar = _Similar.of(table)
    group_of, groups = _similar_groups(similar, k, ALL)
    plain = plain_mdav(
        similar.points.tolist(), similar.codes[similar.named].tolist(),
        similar.weights.tolist(), k,
    )  # fmt: skip
    assert groups == len(plain)
    assert as_sets(group_of) == plain


@examples(200)
@given(tables_and_k(), st.integers(0, 2**32 - 1))
def test_groups_of_people_are_those_of_the_brute_force(case, seed):
    """One who has many rows is one of k people; with one row each nothing changes."""
    table, k = case
    rng = np.random.default_rng(seed)
    table = with_persons(table, rng, int(rng.integers(k, len(table) + 1)))
    k = min(k, table.persons.count)
    similar = _Similar.of(table, table.persons)
    people = [set(table.persons.of[similar.of_record == i]) for i in range(len(similar.weights))]
    plain = plain_mdav(
        similar.points.tolist(), similar.codes[similar.named].tolist(),
        similar.weights.tolist(), k, people,
    )  # fmt: skip
    assert as_sets(_similar_groups(similar, k, ALL)[0]) == plain
    one_each = replace(table.persons, of=rng.permutation(len(table)))
    same = _similar_groups(_Similar.of(table, one_each), k, ALL)[0]
    np.testing.assert_array_equal(same, _similar_groups(_Similar.of(table), k, ALL)[0])


@pytest.mark.parametrize("block", [ALL, 50, 5])
def test_groups_and_blocks_are_of_k_people(block):
    table = uv.datasets.visits(300, seed=2)
    release = uv.Microaggregation(k=6, block=block).sanitize(table)
    assert uv.measures(release).k >= 6
    assert release.n_classes > 20
    assert [str(note) for note in release.notes[-1:]] == [
        "each cell is the middle of a group of 6 or more people, and need not be true of any of "
        "them"
    ]
    with pytest.raises(GoalError, match=r"the 893 records of .* are of 300 people, fewer than"):
        uv.Microaggregation(k=301).sanitize(table)


def test_a_larger_table_equals_the_brute_force():
    table = random_microdata(3, 250, ("numeric", "fine", "ordinal", "tree"))
    similar = _Similar.of(table)
    plain = plain_mdav(
        similar.points.tolist(), similar.codes[similar.named].tolist(),
        similar.weights.tolist(), 4,
    )  # fmt: skip
    assert as_sets(_similar_groups(similar, 4, ALL)[0]) == plain


@examples(50)
@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_without_equal_records_groups_have_k_to_2k_less_one(n, k, seed):
    points = np.random.default_rng(seed).random((2, n))
    nobody = np.zeros(0, dtype=np.int64)
    group_of, groups = mdav(
        points, np.empty((0, n), dtype=np.int32), np.ones(n, dtype=int), k, nobody, nobody
    )
    sizes = np.bincount(group_of, minlength=groups)
    if n < k:
        assert sizes.tolist() == [n]
    else:
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_by_hand():
    """Seven ages, k = 2. The mean is 12.3, so 50 is farthest, with 12; 0 is farthest from 50, with
    1; three are left, a group. The means are 31 (12 and 50 are equally near), 0.5 and 7.7.
    """
    ages = [0, 1, 2, 10, 11, 12, 50]
    table = uv.read_table({"age": ages, "vote": list("abababa")}, quasi="age", sensitive="vote")
    release = uv.Microaggregation(k=2).sanitize(table)
    assert release.to_frame()["age"].tolist() == ["0", "0", "10", "10", "10", "12", "12"]


def test_by_hand_with_weights():
    """Ten times 0, then 1, 2 and 3, k = 3. The mean is 6/13, so 3 is farthest; it takes 2 and 1.

    If 3 is missing, 2 is farthest and takes 1 and all of the noughts.
    """
    ages = [0] * 10 + [1, 2, 3]
    table = uv.read_table({"age": ages, "vote": ["a"] * 13}, quasi="age", sensitive="vote")
    f = uv.Microaggregation(k=3)
    assert f.sanitize(table).to_frame()["age"].tolist() == ["0"] * 10 + ["2"] * 3
    assert f.sanitize_without(table, 12).n_classes == 1


def test_distances_of_all_kinds():
    """Numbers and places are standardized; categories are the same or not."""
    table = uv.read_table(
        {"age": [1, 3, 5, 7], "school": ["low", "mid", "high", "high"], "sex": list("fmfm"),
         "vote": list("abab")},
        quasi=["age", "school", "sex"], sensitive="vote",
        ordinal={"school": ["low", "mid", "high"]},
    )  # fmt: skip
    similar = _Similar.of(table)
    assert similar.points[0] == pytest.approx((np.array([1, 3, 5, 7]) - 4) / np.sqrt(5))
    places = np.array([0, 1, 2, 2])
    assert similar.points[1] == pytest.approx((places - places.mean()) / places.std())
    assert similar.named.tolist() == [2]
    # Half the mean squared distance of two records drawn with replacement: ½ · ½ for the sexes.
    assert similar.differing(np.arange(4)) == pytest.approx([1, 1, 0.25])


@examples(50)
@given(tables_and_k())
def test_points_have_the_variance_one_or_none(case):
    similar = _Similar.of(case[0])
    shares = similar.weights / similar.weights.sum()
    for line in similar.points:
        assert shares @ line == pytest.approx(0, abs=1e-9)
        variance = shares @ line**2
        assert variance == pytest.approx(1) or (line == 0).all()


@examples(60)
@given(tables_and_k(), st.integers(1, 50))
def test_every_class_keeps_k_and_publishes_middles(case, block):
    table, k = case
    release = uv.Microaggregation(k=k, block=block).sanitize(table)
    assert len(release) == len(table)
    assert release.sizes.min() >= k
    assert uv.k_anonymity(release).k >= k
    assert (release.totals == table.sensitive_counts).all()
    assert np.array_equal(release.sensitive.codes, table.sensitive.codes)
    similar = _Similar.of(table)
    group_of = _similar_groups(similar, k, block)[0][similar.of_record]
    for j, column in enumerate(table.quasi):
        cells = release.regions[j].low[release.class_of]
        for g in range(group_of.max() + 1):
            members = group_of == g
            [cell] = set(cells[members].tolist())
            assert cell in middles_of(column, column.codes[members].tolist())


def middles_of(column, codes):
    """What a group may publish: rounding may decide between two numbers equally near."""
    if column.kind is Kind.ORDINAL:
        return [median_low(codes)]
    if column.kind is Kind.CATEGORICAL:
        return [min(codes, key=lambda code: (-codes.count(code), code))]
    values = column.values.astype(float)
    off = np.abs(values - values[codes].mean())
    return np.flatnonzero(off <= off.min() + 1e-9 * (1 + np.ptp(values))).tolist()


@examples(60)
@given(tables_and_k(), st.integers(1, 50), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, block, random):
    table, k = case
    order = list(range(len(table)))
    random.shuffle(order)
    f = uv.Microaggregation(k=k, block=block)
    straight, shuffled = f.sanitize(table), f.sanitize(table.take(order))
    pd.testing.assert_frame_equal(
        straight.to_frame().iloc[order].reset_index(drop=True), shuffled.to_frame()
    )


@examples(60)
@given(tables_and_k())
def test_equal_records_are_never_parted(case):
    table, k = case
    release = uv.Microaggregation(k=k).sanitize(table)
    for codes in np.unique(table.codes, axis=1).T:
        alike = (table.codes == codes[:, None]).all(axis=0)
        assert len(set(release.class_of[alike].tolist())) == 1


@examples(50)
@given(tables_and_k(), st.integers(1, 20))
def test_blocks_are_disjoint_and_no_group_is_in_two_of_them(case, block):
    table, k = case
    similar = _Similar.of(table)
    everybody = np.arange(len(similar.weights))
    blocks = list(_blocks(similar, everybody, k, block))
    assert np.array_equal(np.sort(np.concatenate(blocks)), everybody)
    group_of, _ = _similar_groups(similar, k, block)
    seen = [set(group_of[some].tolist()) for some in blocks]
    assert sum(map(len, seen)) == len(set().union(*seen))
    for some in blocks:
        assert similar.weights[some].sum() >= k
        if len(some) > block:  # nowhere could it be cut into two that are large enough
            for codes in similar.codes[:, some]:
                upto = [similar.weights[some][codes <= cut].sum() for cut in set(codes.tolist())]
                assert all(left < k or similar.weights[some].sum() - left < k for left in upto)


def test_blocks_are_cut_at_the_median_of_what_differs_most():
    table = uv.read_table(
        {"age": [1, 2, 3, 4, 5, 6], "sex": list("ffffff"), "vote": list("ababab")},
        quasi=["sex", "age"], sensitive="vote",
    )  # fmt: skip
    blocks = list(_blocks(_Similar.of(table), np.arange(6), 1, 3))
    assert [some.tolist() for some in blocks] == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_the_same_whatever_the_workers(monkeypatch, cores):
    table = random_microdata(5, 300, ("numeric", "fine", "flat"))
    f = uv.Microaggregation(k=3, block=20)
    before = f.sanitize(table).to_frame()
    monkeypatch.setattr(_parallel, "available_cores", lambda: cores)
    pd.testing.assert_frame_equal(f.sanitize(table).to_frame(), before)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@examples(25)
@given(case=tables_and_k())
def test_the_table_comes_back_from_files(tmp_path_factory, ending, case):
    table, k = case
    release = uv.Microaggregation(k=k).sanitize(table)
    frame = release.to_frame()
    file = tmp_path_factory.mktemp("release") / f"release.{ending}"
    frame.to_csv(file, index=False) if ending == "csv" else frame.to_parquet(file, index=False)
    back = uv.read_release(file, table)
    pd.testing.assert_frame_equal(back.to_frame(), frame)
    assert back.n_classes == release.n_classes
    assert np.array_equal(back.sizes[back.class_of], release.sizes[release.class_of])


def test_groups_with_the_same_middle_are_one_class():
    merged = 0
    for seed in range(20):
        table = random_microdata(seed, 60, ("flat", "tree"))
        release = uv.Microaggregation(k=2).sanitize(table)
        cells = list(zip(*release.cells(), strict=True))
        assert len(set(cells)) == len(cells)
        merged += _similar_groups(_Similar.of(table), 2, ALL)[1] > len(cells)
    assert merged > 0


def test_differential_inference_is_its_definition():
    survey = uv.datasets.election_survey().take(np.arange(0, 944, 12))
    f = uv.Microaggregation(k=3)
    finding = uv.differential_inference(survey, f, targets=[0, 5, 7])
    assert "neighbours@scaling-hot" in f.adversaries
    attackers = [adversary_named(name) for name in f.adversaries]
    for record, distance in zip(finding.targets, finding.distances, strict=True):
        about = survey.codes[:, [record]]
        moved = [
            np.abs(
                attacker.predict(f.sanitize(survey), about)
                - attacker.predict(f.sanitize(survey.without(record)), about)
            ).sum()
            / 2
            for attacker in attackers
        ]
        assert distance == pytest.approx(max(moved))
    assert "each cell is the middle of a group of 3 or more records" in finding.notes[-1]


SURVEY = uv.read_table(
    {"age": [20, 21, 30, 41, 45, 60], "vote": ["a", "a", "b", "c", "b", "a"]},
    quasi="age",
    sensitive="vote",
)


@pytest.mark.parametrize(
    ("attack", "what"),
    [
        (lambda release: horizontal_problem(release, SURVEY), "relative risk"),
        (lambda release: uv.skewness(release, SURVEY), "skewness"),
        (uv.information_loss, "information_loss"),
        (lambda release: uv.entropy_loss(release, SURVEY), "entropy_loss"),
        (lambda release: uv.utility(release, SURVEY), "utility"),
        (
            lambda release: uv.reidentification_risk(release, population=SURVEY),
            "re-identification risk with a population",
        ),
    ],
)
def test_what_takes_cells_for_true_says_that_they_need_not_be(attack, what):
    with pytest.raises(InputError) as error:
        attack(uv.Microaggregation(k=2).sanitize(SURVEY))
    useful = what in ("information_loss", "entropy_loss", "utility")
    attacks = "differential_inference and membership do"
    others = "unveil.classifier_utility does" if useful else attacks
    assert str(error.value) == (
        f"{what} assumes that published values are true, and Microaggregation(k=2) publishes "
        f"values of age that need not be; {others} not need that"
    )


def test_by_name():
    assert sanitizer_named("microaggregation:k=5") == uv.Microaggregation(k=5)
    typed = "Microaggregation(k=5, block=100)"
    assert sanitizer_named(typed) == uv.Microaggregation(k=5, block=100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0 is not possible: it must be a whole number from 1 up"),
        ({"k": "5"}, "k='5' is not possible: it must be a whole number from 1 up"),
        (
            {"k": 5, "block": 0},
            "block=0 is not possible: it must be a whole number from 1 up",
        ),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(InputError) as error:
        uv.Microaggregation(**options)
    assert str(error.value) == message


def test_a_goal_that_cannot_be_met_says_what_could_be():
    with pytest.raises(GoalError) as error:
        uv.Microaggregation(k=7).sanitize(SURVEY)
    assert str(error.value) == (
        "Microaggregation(k=7) cannot be met: table has 6 records, fewer than k=7; the largest "
        "possible k is 6"
    )
    assert uv.Microaggregation(k=6).sanitize(SURVEY).n_classes == 1
    with pytest.raises(GoalError, match="table has no records"):
        uv.Microaggregation(k=1).sanitize(SURVEY.take([]))


def test_one_is_the_table_itself():
    release = uv.Microaggregation(k=1).sanitize(SURVEY)
    assert release.to_frame()["age"].tolist() == uv.Identity().sanitize(SURVEY).cells()[0]
