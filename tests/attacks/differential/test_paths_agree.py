"""The fast path and the general one give the same distance for every record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_microdata, tables, tables_and_crowds, tables_and_goals

import unveil as uv
from unveil.adversary import ConditionalFrequency, NaiveBayes
from unveil.attacks.differential import _beliefs
from unveil.sanitize.mondrian import _partition

ADVERSARIES = ["naive-bayes", "conditional-frequency"]  # those who count have a fast path
adversaries = st.sampled_from(ADVERSARIES)
distances = st.sampled_from(["total-variation", "l1", "hellinger", "emd:unit"])


def assert_paths_agree(microdata, sanitizer, jobs=1, **options):
    fast = uv.differential_inference(
        microdata, sanitizer, path="fast", jobs=jobs, predictions=True, **options
    )
    general = uv.differential_inference(
        microdata, sanitizer, path="general", predictions=True, **options
    )
    assert fast.fast
    assert not general.fast
    np.testing.assert_allclose(fast.distances, general.distances, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fast.present, general.present, rtol=0, atol=1e-12)
    np.testing.assert_allclose(fast.absent, general.absent, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(fast.mode_changed, general.mode_changed)
    assert fast.not_tested == general.not_tested
    assert sum(fast.not_tested.values()) == np.isnan(fast.distances).sum()
    return fast


@examples(400)
@given(tables_and_goals(), adversaries, distances, st.integers(1, 2))
def test_on_small_tables(case, adversary, distance, jobs):
    microdata, options = case
    f = uv.Mondrian(**options)
    assert_paths_agree(microdata, f, jobs, adversary=adversary, distance=distance)


@examples(200)
@given(tables_and_crowds(), adversaries, distances)
def test_where_some_ask_for_crowds(case, adversary, distance):
    microdata, options = case
    f = uv.Mondrian(**options)
    assert_paths_agree(microdata, f, adversary=adversary, distance=distance)


@examples(60)
@given(tables(), adversaries, distances)
def test_on_unsanitized_tables(microdata, adversary, distance):
    assert_paths_agree(microdata, uv.Identity(), adversary=adversary, distance=distance)


@examples(40)
@given(tables_and_goals(max_size=20), adversaries)
def test_an_oracle_that_hides_mondrian_finds_the_same(case, adversary):
    microdata, options = case
    f = uv.Mondrian(**options)
    fast = uv.differential_inference(microdata, f, adversary=adversary)
    hidden = uv.differential_inference(microdata, uv.Oracle(f), adversary=adversary)
    np.testing.assert_allclose(fast.distances, hidden.distances, rtol=0, atol=1e-12)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize(("n", "k", "l"), [(400, 3, 1), (1000, 1, 3), (3000, 5, 2)])
def test_on_larger_tables_and_many_tasks(n, k, l, regions, adversary, monkeypatch):  # noqa: E741
    monkeypatch.setattr(_partition, "_SMALLEST", 32)
    microdata = random_microdata(n, n, ("fine", "tree", "flat", "numeric"), sensitive_values=9)
    f = uv.Mondrian(k=k, l=l, regions=regions)
    assert_paths_agree(microdata, f, jobs=2, adversary=adversary, targets=40, seed=1)


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_work_in_small_portions_gives_the_same(adversary, monkeypatch):
    microdata = random_microdata(5, 150, ("fine", "tree", "flat"))
    whole = assert_paths_agree(microdata, uv.Mondrian(k=3), adversary=adversary)
    monkeypatch.setattr(_beliefs, "_ENTRIES", 16 * 7)
    monkeypatch.setattr(_beliefs, "_LARGEST", 11)
    parts = assert_paths_agree(microdata, uv.Mondrian(k=3), adversary=adversary)
    np.testing.assert_array_equal(whole.distances, parts.distances)


def test_where_k_is_the_whole_table_nobody_can_be_tested():
    microdata = random_microdata(1, 9, ("numeric", "flat"))
    finding = assert_paths_agree(microdata, uv.Mondrian(k=9))
    assert np.isnan(finding.distances).all()
    assert finding.not_tested == {"the table without them cannot be sanitized this way": 9}


def test_where_l_holds_only_with_some_of_the_records():
    table = {"q": [1, 2, 3, 4], "s": ["a", "a", "b", "b"]}
    microdata = uv.read_table(table, quasi="q", sensitive="s")
    finding = assert_paths_agree(microdata, uv.Mondrian(l=2))
    assert np.isnan(finding.distances).all()
    lopsided = uv.read_table(
        {"q": [1, 2, 3, 4], "s": ["a", "a", "b", "c"]}, quasi="q", sensitive="s"
    )
    finding = assert_paths_agree(lopsided, uv.Mondrian(l=2))
    assert np.isnan(finding.distances).tolist() == [False, False, True, True]


def test_a_single_record_cannot_be_tested():
    one = uv.read_table({"q": [1], "s": ["a"]}, quasi="q", sensitive="s")
    for f in (uv.Identity(), uv.Mondrian(k=1)):
        assert np.isnan(assert_paths_agree(one, f).delta)


@examples(30)
@given(tables_and_goals(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, random):
    microdata, options = case
    order = list(range(len(microdata)))
    random.shuffle(order)
    f = uv.Mondrian(**options)
    straight = uv.differential_inference(microdata, f)
    shuffled = uv.differential_inference(microdata.take(order), f)
    np.testing.assert_array_equal(straight.distances[order], shuffled.distances)


def test_auto_takes_the_fast_path_where_there_is_one():
    microdata = random_microdata(1, 20, ("numeric",))
    f = uv.Mondrian(k=3)
    assert uv.differential_inference(microdata, f).fast
    assert not uv.differential_inference(microdata, uv.Oracle(f)).fast

    class Own(uv.adversary.Adversary):
        label, explained = "one of my own", "does as naive Bayes does"

        def predict(self, release, codes):
            return NaiveBayes().predict(release, codes)

    own = uv.differential_inference(microdata, f, adversary=Own())
    assert not own.fast
    np.testing.assert_allclose(
        own.distances,
        uv.differential_inference(microdata, f, adversary="naive-bayes").distances,
        atol=1e-12,
    )


def test_adversaries_may_be_given_as_such():
    microdata = random_microdata(1, 20, ("numeric",))
    by_name = uv.differential_inference(microdata, uv.Identity(), adversary="conditional-frequency")
    as_such = uv.differential_inference(microdata, uv.Identity(), adversary=ConditionalFrequency())
    np.testing.assert_array_equal(by_name.distances, as_such.distances)
