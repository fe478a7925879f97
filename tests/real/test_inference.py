"""Empirical inference on Adult: what is known about the population, and what is a breach."""

import numpy as np
import pytest

import unveil as uv

pytestmark = pytest.mark.real


def test_naive_bayes_knows_the_population_and_conditional_frequency_the_people(adult):
    finding = uv.inference(uv.Mondrian(k=5), adult())
    assert len(finding.inside) == len(finding.outside) == 45_222
    bayes, frequency = finding.against.values()
    # Twice as good as the prior, and about as good about people whose records are not there.
    assert bayes.outside.accuracy.low > 2 * finding.baseline
    assert abs(bayes.gap.value) < 0.01
    assert bayes.gap.high < 0.02
    # Worse about people who are not there, and much better about those who are: a breach.
    assert finding.adversary is frequency.adversary
    assert round(100 * frequency.inside.accuracy.value, 1) == 37.3
    assert round(100 * frequency.outside.accuracy.value, 1) == 23.4
    assert round(100 * finding.largest_gap.value, 1) == 13.9
    assert finding.largest_gap.low > 0.13


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
