"""What recoding says its release would be without a record is what it is when run without it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_recoding import goals, recodable_tables
from proofs import examples
from random_tables import random_microdata

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.microdata import Statistic

BOTH = [Statistic.COVER, Statistic.JOINT]


def assert_exact(sanitizer, microdata, records, statistic):
    finished = []
    try:
        release = sanitizer.sanitize(microdata)
    except GoalError:
        with pytest.raises(GoalError):
            sanitizer.leave_one_out(microdata, records, statistic)
        return
    found = sanitizer.leave_one_out(microdata, records, statistic, done=finished.append)
    codes = microdata.codes
    np.testing.assert_array_equal(found.present, release.statistic(statistic, codes[:, records]))
    assert sum(finished) == found.possible.sum()
    for place, record in enumerate(records):
        try:
            without = sanitizer.sanitize(microdata.without(record))
        except GoalError:
            assert not found.possible[place]
            continue
        assert found.possible[place]
        expected = without.statistic(statistic, codes[:, [record]])[0]
        np.testing.assert_array_equal(found.absent[place], expected, str(record))


@examples(100)
@given(st.data(), recodable_tables(max_size=30), st.sampled_from(BOTH))
def test_every_record_of_small_tables(data, microdata, statistic):
    options = data.draw(goals(microdata))
    assert_exact(uv.Recoding(**options), microdata, np.arange(len(microdata)), statistic)


def test_local_recoding_is_run_anew():
    table, f = random_microdata(1, 12, ("numeric", "flat")), uv.Recoding(k=2, scheme="local")
    assert uv.Recoding(k=2).leaves_one_out
    assert not f.leaves_one_out
    with pytest.raises(InputError, match="run sanitize_without for each"):
        f.leave_one_out(table, np.arange(12), Statistic.JOINT)
    assert uv.differential_inference(table, f, jobs=1).way == "general"
    with pytest.raises(InputError, match=r"no fast path for Recoding\(k=2, scheme='local'\)"):
        uv.differential_inference(table, f, path="fast")


@examples(60)
@given(st.data(), recodable_tables(), st.sampled_from(BOTH))
def test_records_in_any_order_and_any_number_of_times(data, microdata, statistic):
    options = data.draw(goals(microdata))
    some = st.lists(st.integers(0, len(microdata) - 1), min_size=1, max_size=12)
    records = np.array(data.draw(some), dtype=np.intp)
    assert_exact(uv.Recoding(**options), microdata, records, statistic)


MIXTURES = [("tree", "tree", "tree"), ("numeric", "tree", "flat"), ("tree", "ordinal", "tree")]
GOALS = [
    {"k": 5},
    {"k": 3, "suppression": 0.1},
    {"l": 2, "suppression": 0.05},
    {"k": 2, "t": 0.3, "suppression": 0.1},
    {"t": 0.2},
]


@pytest.mark.parametrize("options", GOALS)
@pytest.mark.parametrize("statistic", BOTH)
def test_larger_tables(options, statistic):
    for seed, kinds in enumerate(MIXTURES):
        microdata = random_microdata(seed, 400, kinds, sensitive_values=5)
        records = np.random.default_rng(seed).choice(400, 25, replace=False)
        assert_exact(uv.Recoding(**options), microdata, records, statistic)


def test_the_differential_test_takes_the_fast_path():
    survey = uv.datasets.election_survey()
    for options in ({"k": 5}, {"k": 5, "suppression": 0.05}, {"l": 2, "suppression": 0.1}):
        sanitizer = uv.Recoding(**options)
        fast = uv.differential_inference(survey, sanitizer, targets=20, path="fast")
        general = uv.differential_inference(survey, sanitizer, targets=20, path="general", jobs=1)
        np.testing.assert_allclose(fast.distances, general.distances, rtol=0, atol=1e-12)
        assert fast.delta >= 0
