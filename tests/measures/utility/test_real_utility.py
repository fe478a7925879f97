"""Utility of the public tables."""

import numpy as np
import pytest

import unveil as uv
from unveil.measures import utility

pytestmark = pytest.mark.real


def test_adult_loses_more_the_larger_the_classes(adult_arx):
    adult = adult_arx()
    found = [utility(uv.Mondrian(k=k), adult, k=k, classifier=True, repeats=3)
             for k in (2, 10, 50, 250)]  # fmt: skip
    for losses in (
        [one.information_loss.loss for one in found],
        [one.entropy_loss.loss for one in found],
        [one.discernibility.cost for one in found],
        [one.class_size.mean for one in found],
    ):
        assert (np.diff(losses) > 0).all()
    assert all(one.class_size.normalized >= 1 for one in found)
    accuracy = [one.classifier.release.mean for one in found]
    assert (np.diff(accuracy) < 0).all()
    original, majority = found[0].classifier.original, found[0].classifier.majority
    assert original.low > majority.high
    assert abs(accuracy[0] - original.mean) < 0.01
    assert found[0].classifier.kept > 0.9 > 0.6 > found[-1].classifier.kept
