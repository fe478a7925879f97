"""Minimality on people who exist."""

import numpy as np

import unveil as uv


def test_adult(adult):
    """ℓ tells something, k nothing; nobody's own value is ever ruled out where all is counted."""
    some = adult().take(np.arange(0, 45_222, 30))
    finding = uv.minimality(uv.Mondrian(k=5, l=3), some, draws=2_000)
    assert finding.released_most.max() <= 1 / 3
    assert finding.believed_most.max() > 1 / 3
    assert finding.above.sum() > 0
    exact = finding.how[finding.group_of] == "exact"
    assert exact.sum() > 0
    assert (finding.believed_own[exact] > 0).all()
    assert np.allclose(finding.belief.sum(axis=1), 1)
    assert uv.minimality(uv.Mondrian(k=5), some).change.max() == 0


def test_adult_recoded(adult_arx):
    """All that is refused by secrets, at the levels of ARX's hierarchies."""
    some = adult_arx(("sex", "age", "race"), sensitive="occupation").take(np.arange(0, 30_162, 60))
    finding = uv.minimality(uv.Recoding(k=5, l=3, suppression=0.05), some, draws=500)
    assert finding.path == "fast"
    assert np.allclose(finding.belief.sum(axis=1), 1)
    assert (finding.believed_own[finding.how[finding.group_of] == "exact"] > 0).all()
