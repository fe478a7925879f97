"""Anatomy makes the groups that the paper's two steps make, and nothing links within them."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Permuted, check_permuted
from unveil.sanitize import sanitizer_named
from unveil.sanitize._anatomy import _anatomized, _value_groups

# Worked by hand: three with flu, two with gout, one with cold; ℓ = 2 leaves nobody over.
PATIENTS = uv.read_table(
    {
        "age": [23, 27, 35, 59, 61, 65],
        "disease": ["flu", "gout", "flu", "cold", "flu", "gout"],
    },
    quasi="age",
    sensitive="disease",
)


@st.composite
def eligible(draw, max_size=40):
    """Tables, and the ℓ that they can meet."""
    table = draw(tables(max_size))
    largest = len(table) // int(table.sensitive_counts.max())
    return table, draw(st.integers(1, largest))


def plain_value_groups(sizes, l):  # noqa: E741
    """The group-creation step as the paper has it: sort all buckets before every group."""
    left, groups = list(sizes), []
    while sum(size > 0 for size in left) >= l:
        largest = sorted(range(len(left)), key=lambda b: (-left[b], b))[:l]
        for b in largest:
            left[b] -= 1
        groups.append(sorted(largest))
    return groups, left


@examples(100)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=9), st.integers(1, 5))
def test_groups_of_the_largest_buckets(sizes, l):  # noqa: E741
    group_of, groups = _value_groups(np.array(sizes), l)
    plain, left = plain_value_groups(sizes, l)
    bucket_of = np.repeat(np.arange(len(sizes)), sizes)
    assert groups == len(plain)
    for g, values in enumerate(plain):
        assert sorted(bucket_of[group_of == g].tolist()) == values
    assert np.bincount(bucket_of[group_of < 0], minlength=len(sizes)).tolist() == left


@examples(80)
@given(eligible(), st.integers(0, 2**64 - 1))
def test_every_group_has_l_values_none_of_them_twice_and_nobody_is_lost(case, seed):
    table, l = case  # noqa: E741
    release = uv.Anatomy(l=l, seed=seed).sanitize(table)
    assert isinstance(release, Permuted)
    assert (release.counts <= 1).all()
    assert (release.counts.sum(axis=1) == release.sizes).all()
    assert release.sizes.min() >= l
    assert release.sizes.max() <= 2 * l - 1
    assert release.totals.tolist() == table.sensitive_counts.tolist()
    assert Counter(map(tuple, release.codes.T)) == Counter(map(tuple, table.codes.T))
    assert len(release.sensitive.codes) == 0
    check_permuted(release, table)


@examples(60)
@given(eligible(), st.integers(0, 99))
def test_it_is_the_release_of_its_groups(case, seed):
    table, l = case  # noqa: E741
    secrets = table.sensitive.codes
    order = np.argsort(table.distinct_of, kind="stable")
    rng = np.random.default_rng(seed)
    group_of = np.empty(len(table), dtype=int)
    group_of[order], groups = _anatomized(secrets[order], table.sensitive.size, l, rng)
    assert sorted(set(group_of.tolist())) == list(range(groups))
    expected = Permuted.from_groups(table, group_of + 1)
    release = uv.Anatomy(l=l, seed=seed).sanitize(table)
    for got, wanted in zip(release.tables(), expected.tables(), strict=True):
        pd.testing.assert_frame_equal(got, wanted)


@examples(60)
@given(eligible(), st.randoms(use_true_random=False))
def test_neither_the_order_of_the_rows_nor_a_second_run_matters(case, random):
    table, l = case  # noqa: E741
    order = list(range(len(table)))
    random.shuffle(order)
    f = uv.Anatomy(l=l, seed=7)
    for other in (table, table.take(order)):
        for got, wanted in zip(f.sanitize(other).tables(), f.sanitize(table).tables(), strict=True):
            pd.testing.assert_frame_equal(got, wanted)


@examples(60)
@given(eligible(), st.data())
def test_leaving_out_is_sanitizing_the_rest(case, data):
    table, l = case  # noqa: E741
    record = data.draw(st.integers(0, len(table) - 1))
    rest = table.without(record)
    assume(len(rest) > 0)
    f = uv.Anatomy(l=l, seed=3)
    if rest.sensitive_counts.max() * l > len(rest):
        for run in (lambda: f.sanitize(rest), lambda: f.sanitize_without(table, record)):
            with pytest.raises(GoalError):
                run()
        return
    pairs = zip(f.sanitize_without(table, record).tables(), f.sanitize(rest).tables(), strict=True)
    for got, wanted in pairs:
        pd.testing.assert_frame_equal(got, wanted)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@examples(25)
@given(case=eligible())
def test_the_two_tables_come_back_from_files(tmp_path_factory, ending, case):
    table, l = case  # noqa: E741
    release = uv.Anatomy(l=l, seed=5).sanitize(table)
    folder = tmp_path_factory.mktemp("tables")
    files = release.write(folder / f"records.{ending}", folder / f"secrets.{ending}")
    back = uv.read_anatomy(*files, microdata=table)
    assert back.dropped == 0
    assert back.groups == release.groups
    assert np.array_equal(back.codes, release.codes)
    assert np.array_equal(back.group_of, release.group_of)
    assert np.array_equal(back.counts, release.counts)


def test_by_hand():
    """Flu has 3, gout 2, cold 1: flu and gout; then flu 2, gout 1, cold 1: the first in order.

    The values are cold, flu, gout; so the second group has flu and cold, the third flu and gout.
    """
    release = uv.Anatomy(l=2, seed=0).sanitize(PATIENTS)
    assert release.sensitive.texts == ("cold", "flu", "gout")
    assert release.counts.tolist() == [[0, 1, 1], [1, 1, 0], [0, 1, 1]]
    assert release.group_of.tolist() == [0, 0, 1, 1, 2, 2]
    ages = [set(release.quasi[0].decode()[release.group_of == g].tolist()) for g in range(3)]
    assert 59 in ages[1]
    assert {frozenset({23, 35, 61} & group) for group in ages} == {
        frozenset({age}) for age in (23, 35, 61)
    }


def test_who_is_left_over_joins_a_group_without_their_value():
    """a 2, b 2, c 1 with ℓ = 2: groups (a, b) and (a, b); c is left over and joins either."""
    secrets = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    joined = Counter()
    for seed in range(200):
        group_of, groups = _anatomized(secrets, 3, 2, np.random.default_rng(seed))
        assert groups == 2
        joined[int(group_of[4])] += 1
    assert set(joined) == {0, 1}
    assert 60 < joined[0] < 140


def test_a_left_over_record_goes_where_its_value_is_not():
    """a 3, b 1, c 1 with ℓ = 1: everybody is a group; ℓ = 5 of five values: one group."""
    ones = np.array([0, 0, 0, 1, 2], dtype=np.int32)
    group_of, groups = _anatomized(ones, 3, 1, np.random.default_rng(0))
    assert sorted(group_of.tolist()) == [0, 1, 2, 3, 4]
    assert groups == 5
    # b 3, c 3, a 1 with ℓ = 2: (b, c), (b, c), (a, b); the last c can only join the third.
    left = np.array([0, 1, 1, 1, 2, 2, 2], dtype=np.int32)
    for seed in range(20):
        group_of, groups = _anatomized(left, 3, 2, np.random.default_rng(seed))
        assert groups == 3
        assert sorted(left[group_of == 2].tolist()) == [0, 1, 2]


def test_all_matches_are_equally_likely():
    """Two values of two records each, ℓ = 2: each of the first two is with either of the others,
    in either group: four ways."""
    secrets = np.array([0, 0, 1, 1], dtype=np.int32)
    ways = Counter(
        tuple(_anatomized(secrets, 2, 2, np.random.default_rng(seed))[0].tolist())
        for seed in range(4000)
    )
    assert set(ways) == {
        (*first, *second)
        for first, second in itertools.product(itertools.permutations((0, 1)), repeat=2)
    }
    # χ² with three degrees of freedom is over 30.7 once in a million.
    assert sum((count - 1000) ** 2 / 1000 for count in ways.values()) < 30.7


def test_the_measures_find_l_group_by_group():
    survey = uv.datasets.election_survey()
    release = uv.Anatomy(l=4, seed=1).sanitize(survey)
    assert uv.l_diversity(release).distinct == 4
    assert uv.k_anonymity(release, quasi="group").k == 4


# Three values of two records each. The groups are (a, b), (a, c) and (b, c).
PAIRS = uv.read_table(
    {"age": [1, 2, 3, 4, 5, 6], "vote": list("aabbcc")}, quasi="age", sensitive="vote"
)


def test_differential_inference_by_hand():
    """With their record, the target's value has ½, and one of the other two has ½, each in half
    of the releases; without it nobody is of that age, and all shares are those of the rest: ⅕, ⅖
    and ⅖. That is |½ - ⅕| for their own value, and (|0 - ⅖| + |½ - ⅖|) / 2 for either other one.
    """
    finding = uv.differential_inference(
        PAIRS, uv.Anatomy(l=2), adversary="conditional-frequency", samples=500, predictions=True
    )
    assert finding.way == "sampled"
    assert (finding.n_classes, finding.smallest_class) == (3, 2)
    expected = (0.3 + 0.25 + 0.25) / 2
    assert (np.abs(finding.distances - expected) <= finding.sampling.error).all()
    own = PAIRS.sensitive.codes
    assert finding.present[np.arange(6), own] == pytest.approx(0.5)
    assert finding.absent[np.arange(6), own] == pytest.approx(0.2)


def test_it_is_sampled_unasked():
    finding = uv.differential_inference(PAIRS, uv.Anatomy(l=2), targets=[0], seed=1)
    assert finding.way == "sampled"
    assert (finding.sampling.samples == 1000).all()


def test_it_says_who_cannot_be_left_out():
    """Without somebody who has no flu, more than half of the others have it."""
    finding = uv.differential_inference(PATIENTS, uv.Anatomy(l=2), samples=10)
    flu = PATIENTS.sensitive.decode() == "flu"
    assert np.isnan(finding.distances).tolist() == (~flu).tolist()
    assert finding.not_tested == {"the table without them cannot be sanitized this way": 3}


@examples(60)
@given(eligible())
def test_one_target_at_a_time_is_all_targets_together(case):
    table, l = case  # noqa: E741
    release = uv.Anatomy(l=l, seed=1).sanitize(table)
    for counts in (release.joint_counts, release.cover_counts):
        together = counts(table.codes)
        for i in range(len(table)):
            np.testing.assert_allclose(counts(table.codes[:, [i]])[0], together[i], atol=1e-12)


def test_the_same_numbers_whatever_the_seed_of_the_release_and_the_workers():
    options = {"samples": 20, "targets": [0, 3], "seed": 5}
    here = uv.differential_inference(PAIRS, uv.Anatomy(l=2), jobs=1, **options)
    there = uv.differential_inference(
        PAIRS, uv.Anatomy(l=2, seed=9), jobs=2, backend="threading", **options
    )
    assert np.array_equal(here.distances, there.distances)


@pytest.mark.parametrize(
    "attack",
    [
        lambda: uv.differential_inference(PAIRS, uv.Anatomy(l=2), path="fast"),
        lambda: uv.differential_inference(PAIRS, uv.Anatomy(l=2), distance="kl"),
        lambda: uv.differential_inference(PAIRS, uv.Anatomy(l=2), adversary="tree"),
        lambda: uv.inference(uv.Anatomy(l=2), PAIRS, adversary="tree"),
        lambda: uv.information_loss(uv.Anatomy(l=2).sanitize(PAIRS)),
        lambda: uv.utility(uv.Anatomy(l=2).sanitize(PAIRS), PAIRS),
        lambda: uv.compare_encodings(PAIRS, uv.Anatomy(l=2)),
    ],
)
def test_what_makes_no_sense_says_why(attack):
    with pytest.raises(InputError) as error:
        attack()
    text = str(error.value)
    reasons = (
        "publishes none, only quasi-identifiers and sensitive values apart from each other",
        "no fast path for Anatomy(l=2)",
        "random releases or adversaries are compared value by value",
    )
    assert any(reason in text for reason in reasons)


def test_membership_is_attacked():
    survey = uv.datasets.election_survey().take(np.arange(0, 944, 8))
    finding = uv.membership(survey, uv.Anatomy(l=2), seed=3)
    assert finding.sanitizer == "Anatomy(l=2)"
    again = uv.membership(survey, uv.Anatomy(l=2, seed=8), seed=3)
    assert finding.against["release"].auc == again.against["release"].auc


def test_without_a_seed_it_is_another_one_each_time():
    survey = uv.datasets.election_survey()
    first, second = (uv.Anatomy(l=2).sanitize(survey) for _ in range(2))
    assert not np.array_equal(first.codes, second.codes)


def test_other_seeds_give_other_groups():
    survey = uv.datasets.election_survey()
    f = uv.Anatomy(l=2, seed=1)
    assert f.with_seed(2) == uv.Anatomy(l=2, seed=2)
    assert not np.array_equal(f.sanitize(survey).codes, f.with_seed(2).sanitize(survey).codes)


def test_nothing_tells_the_seed():
    release = uv.Anatomy(l=2, seed=123).sanitize(PATIENTS)
    assert release.made_by == "Anatomy(l=2)"
    assert "123" not in repr(release)


def test_by_name():
    assert sanitizer_named("anatomy:l=3") == uv.Anatomy(l=3)
    assert sanitizer_named("Anatomy(l=3, seed=4)") == uv.Anatomy(l=3, seed=4)
    with pytest.raises(InputError, match="anatomy needs l; write anatomy:l=1"):
        sanitizer_named("anatomy")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l": 0}, "l=0 is not possible: it must be a whole number from 1 up"),
        ({"l": 2.0}, "l=2.0 is not possible: it must be a whole number"),
        ({"l": True}, "l=True is not possible: it must be a whole number"),
        (
            {"l": 2, "seed": -1},
            "seed=-1 is not possible: it must be a whole number from 0 to 18446744073709551615",
        ),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(InputError) as error:
        uv.Anatomy(**options)
    assert str(error.value).startswith(message)


def test_a_table_that_is_not_eligible_is_told_what_would_be():
    with pytest.raises(GoalError) as error:
        uv.Anatomy(l=3).sanitize(PATIENTS)
    assert str(error.value) == (
        "Anatomy(l=3) cannot be met: 'flu' is the 'disease' of 3 of the 6 records of table, "
        "more than 1/3 of them; the largest possible l is 2"
    )
    assert uv.Anatomy(l=2).sanitize(PATIENTS).n_groups == 3


def test_nothing_cannot_be_published():
    one = uv.read_table({"age": [30], "vote": ["a"]}, quasi="age", sensitive="vote")
    assert uv.Anatomy(l=1).sanitize(one).n_groups == 1
    with pytest.raises(GoalError) as error:
        uv.Anatomy(l=1).sanitize(one.without(0))
    assert str(error.value) == "Anatomy(l=1) cannot be met: table has no records"


def test_a_plain_table_is_no_microdata():
    with pytest.raises(InputError, match="Anatomy needs microdata"):
        uv.Anatomy(l=2).sanitize({"age": [1]})
