"""Attackers who look whether cells cover a person: by definition, as published, and in trouble."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables_and_goals
from scipy.stats import binom, rankdata

import unveil as uv
from unveil.attacks.membership import ATTACKERS, MEMBERSHIP, REMOVAL, THREATS
from unveil.attacks.membership._covering import covering
from unveil.attacks.membership._roc import separation
from unveil.errors import GoalError, InputError, UnveilError
from unveil.microdata import Intervals, Permuted

COVERED = ["covered", "covered-value"]


def boxes(release):
    """Of each class, or record of a permuted release: records, values, and codes by column."""
    if isinstance(release, Permuted):
        for record in range(len(release)):
            group = release.group_of[record]
            shares = release.counts[group] / release.sizes[group]
            yield 1, shares, [{int(code)} for code in release.codes[:, record]]
        return
    for c in range(release.n_classes):
        columns = []
        for column, regions in zip(release.quasi, release.regions, strict=True):
            codes = {code for code in range(column.size) if regions.covers(code)[c]}
            if isinstance(regions, Intervals) and regions.there is not None:
                # A cut says nothing about values that nobody has; uncut, it covers any others.
                codes = set(range(regions.low[c], regions.high[c] + 1))
                codes |= {column.size} if len(codes) == column.size else set()
            columns.append(codes)
        yield release.sizes[c], release.counts[c].astype(float), columns


def plainly(release, codes, secrets):
    """All classes and all people, one by one."""
    classes = list(boxes(release))
    every = sum(records for records, _, _ in classes)
    shares = [np.zeros(column.size + 1) for column in release.quasi]
    for records, _, columns in classes:
        for share, cell in zip(shares, columns, strict=True):
            for code in cell:
                share[code] += records / len(cell) / every
    regions = [None] * len(shares) if isinstance(release, Permuted) else release.regions
    found = []
    for person, secret in zip(codes.T.tolist(), secrets.tolist(), strict=True):
        values = np.zeros(release.sensitive.size)
        for _, numbers, columns in classes:
            chance, inside = 1.0, True
            for j, (code, cell) in enumerate(zip(person, columns, strict=True)):
                there = getattr(regions[j], "there", None)
                at = len(shares[j]) - 1 if there is not None and not there[code] else code
                inside &= at in cell
                chance *= sum(shares[j][one] for one in cell)
            if inside:
                values += numbers / chance
        total = release.totals[secret]
        found.append([values.sum() / every, values[secret] / total if total else 0.0])
    return np.array(found).T


def released(sanitizer, table):
    try:
        return sanitizer.sanitize(table)
    except (GoalError, InputError):
        return None


@examples(60)
@given(tables_and_goals(max_size=24), st.integers(0, 4), st.data())
def test_likelihoods_are_those_of_the_definition(table_and_goal, seed, data):
    table, goal = table_and_goal
    k = min(goal["k"], 3)
    sanitizer = data.draw(
        st.sampled_from([
            uv.Mondrian(k=k), uv.Mondrian(k=k, regions="cut"), uv.Identity(),
            uv.Anatomy(l=2, seed=seed), uv.Recoding(k=k, suppression=0.5),
        ])
    )  # fmt: skip
    members = np.random.default_rng(seed).permutation(len(table))[: 1 + len(table) // 2]
    release = released(sanitizer, table.take(np.sort(members)))
    if release is None:
        return
    kept = table.codes.copy()
    found = covering(release, table.codes, table.sensitive.codes)
    assert (table.codes == kept).all()
    expected = plainly(release, table.codes, table.sensitive.codes)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    # Whoever is in the table is covered, and so is their value; and nobody is covered by rounding.
    assert (np.array(found)[:, members] > 0).all()
    joint = release.joint_counts(table.codes)
    np.testing.assert_array_equal(found[0] > 0, joint.sum(axis=1) > 0)
    own = joint[np.arange(len(table)), table.sensitive.codes]
    np.testing.assert_array_equal(found[1] > 0, own > 0)


def area(scores, is_member):
    ranks, m = rankdata(scores), int(is_member.sum())
    return (ranks[is_member].sum() - m * (m + 1) / 2) / m / (len(scores) - m)


def test_areas_that_were_measured_independently():
    """By yes and no, 0.974 and 0.984; graded scores rank people a little better."""
    people = uv.datasets.census(3000, seed=1)
    finding = uv.membership(people, uv.Mondrian(k=5), attackers=[*COVERED, "population"])
    is_member = finding.people.is_member
    yes_or_no = [area(np.isfinite(finding.played[name].scores), is_member) for name in COVERED]
    assert [round(one, 3) for one in yes_or_no] == [0.974, 0.984]
    for name, plain in zip(COVERED, yes_or_no, strict=True):
        scores = finding.played[name].scores
        assert np.isfinite(scores[is_member]).all()
        assert finding.against[name].auc.value == pytest.approx(area(scores, is_member))
        assert finding.against[name].auc.value > plain
    assert finding.strongest == "covered-value"


def test_a_class_that_covers_everybody_says_nothing():
    """Suppressed records are candidates for everybody, and must not hide who is covered else."""
    ages, votes = list(range(40)), list("aabb") * 10
    table = uv.read_table({"age": ages, "vote": votes}, quasi="age", sensitive="vote")
    plain = uv.Identity().sanitize(table.take(np.arange(0, 40, 2)))
    cells = [*(str(age) for age in ages[::2]), *["*"] * 10]
    release = uv.read_release({"age": cells, "vote": [*votes[::2], *"ababababab"]}, table)
    is_member = np.arange(40) % 2 == 0
    for one in (plain, release):
        alone, _ = covering(one, table.codes, table.sensitive.codes)
        assert area(alone, is_member) == 1
    assert (alone > 0).all()


# what it is not for ---------------------------------------------------------------------------

TABLE = random_microdata(4, 120, ("numeric", "flat"))


@pytest.mark.parametrize(
    ("sanitizer", "why"),
    [
        (uv.Microaggregation(k=3),
         ["published cells need not cover the people they stand for"] * 2),
        (uv.LaplaceCounts(epsilon=1),
         ["the release has no records whose cells could cover anybody"] * 2),
        (uv.RandomizedResponse(epsilon=1), [None, "published sensitive values need not be true"]),
    ],
)  # fmt: skip
def test_where_cells_or_values_are_not_true(sanitizer, why):
    finding = uv.membership(TABLE, sanitizer, attackers=[*COVERED, "release"])
    for name, reason in zip(COVERED, why, strict=True):
        assert (finding.against[name] is None) == (reason is not None)
        if reason is not None:
            assert finding.not_scored[name] == {reason: 120}
            assert f"NOT SCORED by {name}: 120 people: {reason}" in finding.summary()
    assert finding.against["release"] is not None
    if why[0] is not None:
        with pytest.raises(UnveilError, match="no attacker could score") as error:
            uv.membership(TABLE, sanitizer, attackers=COVERED)
        assert why[0] in str(error.value)


def test_noise_on_values_does_not_hide_who_is_there():
    finding = uv.membership(
        uv.datasets.census(1000, seed=2), uv.RandomizedResponse(epsilon=0.1), attackers="covered"
    )
    assert finding.against["covered"].auc.low > 0.97


# two threats, two figures ---------------------------------------------------------------------


def test_each_threat_has_its_figure():
    assert [name for names in THREATS.values() for name in names] == list(ATTACKERS)
    finding = uv.membership(TABLE, uv.Mondrian(k=3), removals=20, jobs=1)
    one, two = finding.figures
    assert (one.figure, two.figure) == (MEMBERSHIP, REMOVAL)
    areas = {name: found.auc for name, found in finding.against.items()}
    removal = areas.pop("removal")
    best = areas[finding.strongest]
    assert one.value == best.value == max(found.value for found in areas.values())
    assert one.high >= max(found.high for found in areas.values())
    assert one.low < best.low  # the choice of the largest is allowed for
    assert two.value == removal.value
    assert two.low < removal.low  # of three models
    assert two.high == max(area.high for area in finding.models("removal").values())


@pytest.mark.parametrize(
    ("attackers", "known", "said"),
    [
        ("removal", [False, True], "it is not known what attackers who have one release can tell."),
        (COVERED, [True, False], "It is not known what an attacker who compares predictions from "
         "two releases between which one person left can tell."),
    ],
)  # fmt: skip
def test_what_was_not_tested_is_not_known(attackers, known, said):
    finding = uv.membership(TABLE, uv.Mondrian(k=3), attackers=attackers, removals=20, jobs=1)
    assert [value.value is not None for value in finding.figures] == known
    assert said in finding.verdict()
    audit = uv.audit(
        TABLE, "mondrian:k=3", attacks={"membership": {"attackers": attackers, "removals": 20}},
        fail_on=["membership > 1", "membership_removal > 1"], progress=False, jobs=1,
    )  # fmt: skip
    assert [check.passed for check in audit.releases[0].checks] == known


# coverage of the interval ---------------------------------------------------------------------

REPEATS = 3 * settings().max_examples  # 300 in `make proofs`
MOST = int(binom.isf(0.0005, REPEATS, 0.025))  # more on one side once in two thousand times


def missed(truth, intervals):
    ends = np.array([(one.low, one.high) for one in intervals])
    return int((truth < ends[:, 0]).sum()), int((truth > ends[:, 1]).sum())


@pytest.mark.parametrize("others", [30, 100, 400])
@pytest.mark.parametrize("levels", [2, 4])
@pytest.mark.parametrize("covered", [0.0, 0.02, 0.3])
def test_areas_of_few_different_scores_are_covered(covered, levels, others):
    """All members are covered, few of the others; classes are of few kinds, so there are ties."""
    values = np.append(-np.inf, np.arange(1.0, levels))
    inside = np.arange(1.0, levels) / np.arange(1.0, levels).sum()
    outside = np.append(1 - covered, covered * inside[::-1])
    wins = (values[1:, None] > values) + (values[1:, None] == values) / 2
    truth = inside @ wins @ outside
    found = []
    for seed in range(REPEATS):
        rng = np.random.default_rng(seed)
        members = rng.choice(values[1:], 200, p=inside)
        found.append(separation(members, rng.choice(values, others, p=outside)).auc)
    assert max(missed(truth, found)) <= MOST


@pytest.mark.parametrize("name", COVERED)
def test_areas_of_a_release_are_covered(name):
    """The release is given, and people held out are drawn from many."""
    people = uv.datasets.census(12_000, seed=5)
    release = uv.Mondrian(k=5).sanitize(people.take(np.arange(300)))
    scores = covering(release, people.codes, people.sensitive.codes)[COVERED.index(name)]
    members, others = scores[:300], scores[300:]
    truth = separation(members, others).auc.value
    found = [
        separation(members, np.random.default_rng(seed).choice(others, 300)).auc
        for seed in range(REPEATS)
    ]
    assert max(missed(truth, found)) <= MOST
    assert np.mean([one.high - one.low for one in found]) < 0.1
