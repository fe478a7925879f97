"""Recoding of ARX's Adult table with ARX's hierarchies.

Seven quasi-identifiers: sex, age, race, marital status, education, native country, workclass (2 · 5
· 2 · 3 · 4 · 3 · 3 = 2,160 combinations of levels); sensitive: occupation.
"""

from itertools import product

import numpy as np
import pytest

import unveil as uv
from unveil.microdata import Statistic
from unveil.sanitize.recoding._lattice import Lattice, Weights, common_scale, domain_of
from unveil.sanitize.recoding._search import judged

pytestmark = pytest.mark.real

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
GOALS = [
    {"k": 5, "suppression": 0.05},
    {"k": 5},
    {"k": 5, "l": 3, "suppression": 0.05},
    {"k": 5, "t": 0.3, "suppression": 0.05},
]


@pytest.fixture(scope="module")
def people(adult_arx):
    return adult_arx(SEVEN, sensitive="occupation")


def loss_at(problem, weights, node):
    """What a node loses, and how many records are suppressed at it."""
    found = judged(problem, node)
    codes = problem.table.codes[:, found.classes.first]
    each = weights.of_classes(codes, problem.lattice.at(node))
    sizes = found.classes.sizes
    gone = int(sizes[found.misses].sum())
    return int(sizes @ np.where(found.misses, weights.everything, each)), gone


@pytest.mark.parametrize("options", GOALS)
def test_no_combination_of_levels_is_better(people, options):
    sanitizer = uv.Recoding(**options)
    problem = sanitizer._problem(people)
    assert problem.lattice.shape == (2, 5, 2, 3, 4, 3, 3)
    weights = problem.weights()
    found = []
    for node in product(*map(range, problem.lattice.shape)):
        loss, gone = loss_at(problem, weights, node)
        if gone <= problem.limit:
            found.append((loss, node))
    assert tuple(sanitizer.levels(people).values()) == min(found)[1]


@pytest.mark.parametrize("options", GOALS)
def test_the_goal_is_met_and_nobody_is_lost(people, options):
    release = uv.Recoding(**options).sanitize(people)
    assert len(release) == 30_162
    assert release.suppressed <= options.get("suppression", 0) * 30_162
    kept = np.flatnonzero(release.sizes > 0)[: release.n_classes - (release.suppressed > 0)]
    assert release.sizes[kept].min() >= 5
    most = release.counts[kept].max(axis=1)
    assert (most * options.get("l", 1) <= release.sizes[kept]).all()
    again = uv.read_release(release.to_frame(by_class=True), people)
    assert again.suppressed == release.suppressed
    assert sorted(map(tuple, again.counts.tolist())) == sorted(map(tuple, release.counts.tolist()))


def test_without_some_records(people):
    sanitizer = uv.Recoding(k=5, suppression=0.05)
    records = np.random.default_rng(7).choice(len(people), 12, replace=False)
    for statistic in Statistic:
        found = sanitizer.leave_one_out(people, records, statistic)
        assert found.possible.all()
        for place, record in enumerate(records):
            without = sanitizer.sanitize(people.without(int(record)))
            expected = without.statistic(statistic, people.codes[:, [record]])[0]
            np.testing.assert_array_equal(found.absent[place], expected)


def test_everybody_is_tested(people):
    finding = uv.differential_inference(people, uv.Recoding(k=5, suppression=0.05))
    assert len(finding.distances) == 30_162
    assert 0 < finding.delta < 0.2


def test_local_recoding_loses_less(people):
    everywhere = uv.Recoding(k=5, suppression=0.05).sanitize(people)
    locally = uv.Recoding(k=5, scheme="local").sanitize(people)
    assert uv.k_anonymity(locally).k >= 5
    assert len(locally) == 30_162
    assert uv.information_loss(locally).loss < uv.information_loss(everywhere).loss / 2


def test_ages_are_measured_against_those_that_people_have(people):
    lattice = Lattice.of(people.quasi)
    domains = [domain_of(column, "values") for column in people.quasi]
    counts = [np.bincount(c.codes, minlength=c.size) for c in people.quasi]
    weights = Weights.of(lattice, domains, counts)
    ages = domains[SEVEN.index("age")]
    assert len(ages.there) == 72
    assert len(domains[SEVEN.index("native-country")].there) == people["native-country"].size
    assert weights.everything == 7 * common_scale([d for d in domains if len(d.there) > 5])
