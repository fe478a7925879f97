"""Sets that do not overlap need no sampling: strict Mondrian releases of Adult."""

from dataclasses import replace

import numpy as np
import pytest
from chain_means import assert_chains_find, chain_means

import unveil as uv
from unveil.attacks.relative_risk import (
    attacker,
    exact_answer,
    horizontal_problem,
    is_settled,
)
from unveil.attacks.relative_risk.samplers import ALGORITHMS, sampler_for

pytestmark = pytest.mark.real

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")


@pytest.fixture(scope="module")
def census(adult_arx):
    """As many records as were published about, of the same columns."""
    table = adult_arx(QUASI, sensitive="occupation")
    rng = np.random.default_rng(1)
    return table.take(np.sort(rng.choice(len(table), 5_692, replace=False)))


@pytest.mark.parametrize("regions", ["tight", "cut"])
@pytest.mark.parametrize("k", [4, 10])
def test_the_attacker_sees_the_shares_of_the_class(census, k, regions):
    release = uv.Mondrian(k=k, regions=regions).sanitize(census)
    share = release.counts / release.sizes[:, None]
    for domain in ("observed", "product"):
        problem = horizontal_problem(release, census, domain=domain, beta=0.5)
        problem = problem.watching(census.codes)
        assert is_settled(problem, "saturated")
        answer = exact_answer(problem, steps=0)
        believed = attacker(answer.rows)
        np.testing.assert_allclose(believed, share[release.class_of].T, rtol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_samplers_see_the_same(census, algorithm):
    """Tuples are kept apart, or nothing would be left to sample."""
    release = uv.Mondrian(k=10, regions="cut").sanitize(census)
    problem = horizontal_problem(release, census)
    apart = replace(problem, apart=True)
    assert (~apart.lumped.is_settled).mean() > 0.9
    sampler = sampler_for(apart, "saturated", algorithm)
    chains = chain_means(apart, sampler, kept=20, thin=1, first=10)
    assert_chains_find(exact_answer(problem, steps=0), chains, names=("rows", "density"))
    believed = attacker(np.mean([chain.rows for chain in chains], axis=0))
    share = (release.counts / release.sizes[:, None])[release.class_of].T
    off = np.abs(believed[:, problem.domain.find(census.codes)] - share)
    assert off.mean() < 0.005
    assert off.max() < 0.1


def test_the_largest_relative_risk_of_full_domain_recoding(adult_arx):
    """The published experiment with rows and hierarchies of ARX: the rows at risk alone count."""
    quasi = ("sex", "race", "marital-status", "education", "native-country", "workclass",
             "salary-class")  # fmt: skip
    table = adult_arx(quasi, sensitive="occupation")
    rows = np.random.default_rng([0, 0]).choice(len(table), 5_692, replace=False)
    table = table.take(np.sort(rows))
    worst = {1.0: [], 0.1: []}
    for k in (4, 5, 10):
        release = uv.Recoding(k=k).sanitize(table)
        for beta, found in worst.items():
            finding = uv.relative_risk(release, table, beta=beta)
            at_risk = finding.attacker.argmax(axis=0)[finding.tuple_of] == table.sensitive.codes
            assert (at_risk <= finding.at_risk).all()
            assert finding.worst_relative_risk == finding.ratios[finding.at_risk].max()
            found.append(round(finding.worst_relative_risk, 2))
    assert worst == {1.0: [4.10, 4.10, 2.32], 0.1: [1.82, 1.82, 1.41]}


def test_gr_does_not_depend_on_the_length_of_the_chains(adult):
    """Anatomy of the first 4,000 records: near ties everywhere, and many exact ones."""
    quasi = ["age", "workclass", "education", "marital_status", "race", "sex", "native_country"]
    table = adult(quasi=quasi, sensitive="occupation").take(np.arange(4_000))
    release = uv.Anatomy(l=3, seed=1).sanitize(table)
    short, longer = (
        uv.relative_risk(release, table, ess=ess, progress=False) for ess in (400, 1_600)
    )
    assert short.converged
    assert longer.converged
    assert longer.chains.sweeps > 1.5 * short.chains.sweeps
    assert abs(short.gr - longer.gr) < 0.01
    assert short.gr > 0.02
    (low, high), (least, most) = short.gr_interval, longer.gr_interval
    assert low <= least <= short.gr <= most < high
    assert low <= longer.gr <= high
