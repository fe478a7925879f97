"""What a column tells about groups that it was not learnt from, beside its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples

import unveil as uv
from unveil.attacks.definetti._groups import groups_of_permuted
from unveil.attacks.definetti._learning import Model, told


def told_by(codes, group_of, counts, smoothing):
    """Person by person; codes below 0 are not known, and say nothing."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    prior, found = counts.sum(axis=0) / counts.sum(), 0.0
    for code, group in zip(codes, group_of, strict=True):
        others = (group_of != group) & (codes >= 0)
        alike = others & (codes == code)
        if code < 0 or not alike.any():
            continue
        seen = shares[group_of[alike]].sum(axis=0) + smoothing * alike.sum() / others.sum()
        given_secret = seen / (shares[group_of[others]].sum(axis=0) + smoothing)
        ratio, own = given_secret / (prior @ given_secret), shares[group]
        found += sum(own[s] * np.log(ratio[s]) for s in np.flatnonzero(own))
    return found


def model_of(release, codes, smoothing):
    groups, tuple_of = groups_of_permuted(release, apart=True)
    of_tuple = np.full((len(groups.tuples), 1), -1, dtype=np.int32)
    of_tuple[tuple_of, 0] = codes
    model = Model.of(groups, ("x",), of_tuple, release.totals, smoothing)
    return groups, model.learnt(groups.sheet(of_tuple, 0), groups.shares)


@examples(30, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.01, 1.0, 20.0]))
def test_beside_the_definition(seed, smoothing):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    table = uv.read_table(
        {"x": np.arange(n).astype(str), "s": rng.choice(list("pqr"), n)}, quasi="x", sensitive="s"
    )
    release = uv.Permuted.from_groups(table, rng.integers(0, 4, n))
    codes = rng.integers(-1, 4, n)
    groups, model = model_of(release, codes, smoothing)
    plain = told_by(codes, release.group_of, release.counts, smoothing)
    assert told(groups, model) == pytest.approx(plain, abs=1e-9)


def test_a_value_of_one_person_alone_tells_nothing():
    survey = uv.datasets.election_survey()
    release = uv.Anatomy(l=2, seed=0).sanitize(survey)
    groups, model = model_of(release, np.arange(len(release)), 10.0)
    assert told(groups, model) == 0.0
