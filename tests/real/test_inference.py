"""Empirical inference on Adult: what is known about the population, and what is a breach."""

import numpy as np
import pytest

import unveil as uv

pytestmark = pytest.mark.real


def test_naive_bayes_knows_the_population_and_not_the_people(adult):
    finding = uv.inference(uv.Mondrian(k=5), adult())
    assert len(finding.inside) == len(finding.outside) == 45_222
    # Twice as good as the prior, and about as good about people whose records are not there.
    assert finding.outside.accuracy.low > 2 * finding.baseline
    assert abs(finding.gap.value) < 0.01
    assert finding.gap.high < 0.02


def test_who_remembers_records_has_a_real_gap(adult):
    everybody = adult()
    some = everybody.take(np.random.default_rng(0).choice(len(everybody), 4_000, replace=False))
    finding = uv.inference(
        uv.Identity(), some, adversary=["naive-bayes", "tree@bounds-hot"], folds=3, targets=1_500
    )
    bayes, tree = finding.against.values()
    assert finding.adversary is tree.adversary
    assert tree.gap.low > 0.5
    assert tree.gap.value > 3 * bayes.gap.value
    # He is as sure about those whom he has never seen, and wrong.
    assert tree.outside.sure.value > 0.5
    assert tree.inside.accuracy_if_sure > 0.99
    assert tree.outside.accuracy_if_sure < 0.3
