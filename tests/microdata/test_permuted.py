"""A permuted release: exact values, exact secrets, and nothing that links them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from permuted_tables import GROUPS, PATIENTS, groupings
from proofs import examples
from random_tables import tables
from sklearn.naive_bayes import BernoulliNB

import unveil as uv
from unveil.adversary import ConditionalFrequency, NaiveBayes, SmoothedFrequency
from unveil.microdata import Permuted, Statistic, same_domains
from unveil.sanitize import Sanitizer


@pytest.fixture
def release():
    return Permuted.from_groups(PATIENTS, GROUPS, made_by="Anatomy")


def test_four_groups_of_two(release):
    assert (len(release), release.n_groups) == (8, 4)
    assert release.groups == ("1", "2", "3", "4")
    assert release.sizes.tolist() == [2, 2, 2, 2]
    assert release.sensitive.texts == ("Diabetes", "Flu", "HIV", "Heart", "Stomach")
    assert release.counts.tolist() == [
        [0, 1, 0, 1, 0],
        [0, 1, 0, 0, 1],
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
    ]
    assert release.totals.tolist() == PATIENTS.sensitive_counts.tolist()
    assert same_domains(release, PATIENTS)
    assert release.in_short == (
        "8 records by Anatomy in 4 groups, the smallest of 2, each with its values of disease "
        "shuffled"
    )


def test_the_two_tables(release):
    records, secrets = release.tables()
    assert records.to_dict("list") == {
        "group": [1, 1, 2, 2, 3, 3, 4, 4],
        "nationality": ["Japan", "Malaysia", "Japan", "Japan", "China", "Japan", "India",
                        "Malaysia"],
        "zip": ["45502", "45501", "55503", "55504", "66601", "66601", "77701", "77701"],
    }  # fmt: skip
    assert secrets.to_dict("list") == {
        "group": [1, 1, 2, 2, 3, 3, 4, 4],
        "disease": ["Flu", "Heart", "Flu", "Stomach", "Diabetes", "HIV", "Flu", "Heart"],
        "count": [1] * 8,
    }


def test_one_table_has_the_values_of_a_group_sorted(release):
    frame = release.to_frame()
    assert list(frame.columns) == ["group", "nationality", "zip", "disease"]
    assert frame["disease"].tolist() == release.tables()[1]["disease"].tolist()
    assert frame.equals(release.to_frame(by_class=True))


def test_a_printed_release():
    table = uv.read_table({"age": range(14), "s": list("abcdefg") * 2}, quasi="age", sensitive="s")
    groups = [0] * 8 + [1, 2, 3, 4, 5, 6]
    assert repr(Permuted.from_groups(table, groups)) == (
        "Permuted release by somebody: 14 records in 7 groups of 1 to 8\n"
        "  group  records  s\n"
        "  0      8        a 2, b 1, c 1, d 1, e 1, …\n"
        "  1      1        b 1\n"
        "  2      1        c 1\n"
        "  3      1        d 1\n"
        "  4      1        e 1\n"
        "  … and 2 more groups"
    )


def test_what_was_decided_about_the_original_is_passed_on():
    holes = uv.read_table(
        {"q": [1, None], "s": ["a", "b"]}, quasi="q", sensitive="s", missing="drop"
    )
    release = Permuted.from_groups(holes, ["x"])
    assert release.notes == ("1 of 2 records with missing values dropped (q 1)",)
    assert repr(release).endswith("\n  " + release.notes[0])


@examples(60)
@given(groupings())
def test_records_and_secrets_of_every_group(case):
    table, group_of = case
    release = Permuted.from_groups(table, group_of)
    assert release.groups == tuple(str(g) for g in np.unique(group_of))
    assert release.codes.shape == table.codes.shape
    for g, name in enumerate(release.groups):
        original = np.flatnonzero(group_of == int(name))
        published = release.codes[:, release.group_of == g]
        assert sorted(published.T.tolist()) == sorted(table.codes[:, original].T.tolist())
        secrets = np.repeat(np.arange(release.sensitive.size), release.counts[g])
        assert secrets.tolist() == sorted(table.sensitive.codes[original].tolist())


@examples(40)
@given(groupings(), st.randoms(use_true_random=False))
def test_the_order_of_the_original_is_not_in_it(case, random):
    """Nor which secret is whose: any table with the same groups is published alike."""
    table, group_of = case
    order = np.array(random.sample(range(len(table)), len(table)))
    shuffled = table.take(order)
    secret = shuffled.sensitive.codes.copy()
    for g in np.unique(group_of):
        rows = np.flatnonzero(group_of[order] == g)
        secret[rows] = secret[random.sample(rows.tolist(), len(rows))]
    shuffled.sensitive.codes[:] = secret
    one, other = (
        Permuted.from_groups(table, group_of),
        Permuted.from_groups(shuffled, group_of[order]),
    )
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.group_of, other.group_of)
    assert np.array_equal(one.counts, other.counts)
    assert len(one.sensitive.codes) == 0


def test_groups_are_called_as_they_were():
    for given_names, names in (
        ([10, 9, 9, 10, -1, -1, 10, 9], ("-1", "9", "10")),
        (list("babababa"), ("a", "b")),
        (["2", "x", "10", "2", "x", "10", "2", "x"], ("2", "10", "x")),
        ([2.0, 1.0] * 4, ("1", "2")),
    ):
        release = Permuted.from_groups(PATIENTS, given_names)
        assert release.groups == names
        labels = release.tables()[0]["group"].tolist()
        assert labels == sorted(labels, key=lambda label: names.index(str(label)))


def test_codes_with_a_nought_in_front_remain_names():
    release = Permuted.from_groups(PATIENTS, ["01"] * 4 + ["2"] * 4)
    assert set(release.tables()[0]["group"]) == {"01", "2"}


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], "2 groups were given for 8 records of table; each record needs one"),
        ([1, 1, None, 1, 1, 1, 1, 1], "row 3, column 'group' of table is empty"),
        (7, "column 'group' of table must be a sequence of values, but int was given"),
    ],
)
def test_groups_that_are_none(groups, message):
    with pytest.raises(uv.UnveilError, match=message):
        Permuted.from_groups(PATIENTS, groups)


def matches(release):
    """All ways to give the records of each group its secrets, equally likely."""
    pools = [np.repeat(np.arange(release.sensitive.size), row) for row in release.counts]
    for choice in itertools.product(*(itertools.permutations(pool.tolist()) for pool in pools)):
        yield np.concatenate([np.array(secrets) for secrets in choice])  # records are by group


@examples(40)
@given(tables(5), st.data())
def test_counts_are_means_over_all_matches(table, data):
    group_of = data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table)))
    release = Permuted.from_groups(table, group_of)
    joint, cover = [], []
    for secrets in matches(release):
        one_hot = np.eye(release.sensitive.size)[secrets]
        same = release.codes[:, None, :] == table.codes[:, :, None]
        joint.append(same.all(axis=0) @ one_hot)
        cover.append(np.moveaxis(same @ one_hot, 0, 1))
    np.testing.assert_allclose(
        release.statistic(Statistic.JOINT, table.codes), np.mean(joint, axis=0), atol=1e-12
    )
    np.testing.assert_allclose(
        release.statistic(Statistic.COVER, table.codes), np.mean(cover, axis=0), atol=1e-12
    )


def test_people_that_nobody_is_like(release):
    nowhere = np.array([[0], [0]], dtype=np.int32)  # China, 45501
    assert release.joint_counts(nowhere).tolist() == [[0] * 5]
    assert release.cover_counts(nowhere)[0].tolist() == [[0.5, 0, 0.5, 0, 0], [0, 0.5, 0, 0.5, 0]]
    assert release.joint_counts(nowhere[:, :0]).shape == (0, 5)


def test_counting_one_by_one_is_counting_all(release):
    everybody = PATIENTS.codes
    for counts in (release.joint_counts, release.cover_counts):
        each = [counts(everybody[:, [i]])[0] for i in range(8)]
        assert np.array_equal(counts(everybody), each)


def test_a_group_that_is_alike_counts_in_whole_numbers():
    table = uv.read_table({"q": ["a"] * 49, "s": ["x"] + ["y"] * 48}, quasi="q", sensitive="s")
    release = Permuted.from_groups(table, [1] * 49)
    assert release.joint_counts(table.codes[:, :1]).tolist() == [[1, 48]]


def test_counting_adversaries_learn_from_it(release):
    malaysian = PATIENTS.codes[:, :1]
    assert ConditionalFrequency().predict(release, malaysian).tolist() == [[0, 0.5, 0, 0.5, 0]]
    assert SmoothedFrequency().predict(release, malaysian) * 12 == pytest.approx(
        np.array([[2, 3, 2, 3, 2]])
    )
    beliefs = NaiveBayes().predict(release, PATIENTS.codes)
    for target in range(8):
        # Each record as often as its group has values, with their shares for weights.
        bits = (release.codes == PATIENTS.codes[:, [target]]).T
        group, secret = np.nonzero(release.counts)
        record, pair = np.nonzero(release.group_of[:, None] == group)
        weights = (release.counts / release.sizes[:, None])[group[pair], secret[pair]]
        model = BernoulliNB().fit(bits[record], secret[pair], weights)
        np.testing.assert_allclose(beliefs[target], model.predict_proba([[1, 1]])[0])


class Pairs(Sanitizer):
    """Groups of two, in the table's order."""

    def sanitize(self, microdata):
        return Permuted.from_groups(microdata, np.arange(len(microdata)) // 2, made_by=self.label)


@pytest.mark.parametrize(
    "adversary", ["naive-bayes", "conditional-frequency", "smoothed-frequency"]
)
def test_the_differential_inference_test_runs_on_it(adversary):
    finding = uv.differential_inference(PATIENTS, Pairs(), adversary=adversary)
    model = {"naive-bayes": NaiveBayes, "conditional-frequency": ConditionalFrequency,
             "smoothed-frequency": SmoothedFrequency}[adversary]()  # fmt: skip
    for i in range(8):
        target = PATIENTS.codes[:, [i]]
        present = model.predict(Pairs().sanitize(PATIENTS), target)
        absent = model.predict(Pairs().sanitize(PATIENTS.without(i)), target)
        assert finding.distances[i] == pytest.approx(np.abs(present - absent).sum() / 2)


def test_what_needs_records_says_so(release):
    with pytest.raises(uv.UnveilError, match="learns from released records"):
        uv.inference(release, PATIENTS, adversary="tree")
