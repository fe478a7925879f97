"""The deFinetti attack on Adult: what groups tell about each other beats what each one tells."""

import numpy as np
import pytest

import unveil as uv

QUASI = ("age", "workclass", "education", "marital_status", "race", "sex", "native_country")


@pytest.fixture(scope="module")
def occupations(adult):
    return adult(quasi=QUASI, sensitive="occupation")


@pytest.mark.parametrize(
    ("sanitizer", "shares", "reweighted"),
    [(uv.Anatomy(l=3, seed=0), 0.30, 0.40), (uv.Anatomy(l=6, seed=0), 0.20, 0.29),
     (uv.Mondrian(k=5, l=3), 0.29, 0.32)],
    ids=str,
)  # fmt: skip
def test_everybody_in_adult(occupations, sanitizer, shares, reweighted):
    """Measured once, with the group, without it, and by the group's shares alone."""
    finding = uv.definetti(sanitizer.sanitize(occupations), occupations, rounds=15)
    assert finding.placed.all()
    assert finding.random_worlds.accuracy == pytest.approx(shares, abs=0.015)
    assert finding.reweighted.accuracy == pytest.approx(reweighted, abs=0.015)
    assert finding.reweighted.accuracy > finding.random_worlds.accuracy + 0.02
    assert finding.reweighted.accuracy > finding.population.accuracy
    assert np.diff(finding.learned.likelihood).min() > 0
    # Beliefs are about as strong as they are right.
    assert finding.reweighted.belief.mean() == pytest.approx(finding.reweighted.accuracy, abs=0.05)
    # Many are believed beyond the shares, and rightly more often than the shares are.
    more = finding.exceeding
    assert more.mean() > 0.2
    assert finding.exceeding_right / more.sum() > finding.random_worlds.accuracy


def test_foreground_knowledge_of_adult(occupations):
    release = uv.Anatomy(l=3, seed=0).sanitize(occupations)
    finding = uv.definetti(release, occupations, method="foreground")
    assert finding.columns == ("education",)
    assert finding.random_worlds.accuracy + 0.03 < finding.reweighted.accuracy < 0.40


def test_suppressed_records_do_not_hide_anybody(adult_arx):
    """Stars overlap with all classes, and yet everybody's place can be told."""
    table = adult_arx(("sex", "age", "race", "education"))
    table = table.take(np.random.default_rng(0).permutation(len(table))[:3_000])
    release = uv.Recoding(k=5, suppression=0.05).sanitize(table)
    finding = uv.definetti(release, table, rounds=5)
    assert finding.placed.all()
    assert finding.by_group()["strangers"].sum() == 0
    assert len(finding.groups) == release.n_classes


def test_about_as_good_as_a_bayesian_attacker(occupations):
    """Relative risk samples the same question; 45 % on this table, against 31 % by shares."""
    table = occupations.take(np.random.default_rng(0).permutation(len(occupations))[:2_000])
    release = uv.Anatomy(l=3, seed=0).sanitize(table)
    finding = uv.definetti(release, table)
    other = uv.relative_risk(
        release, table, likelihood="naive-bayes", chains=1, sweeps=200, seed=0, progress=False
    )
    assert finding.reweighted.accuracy > finding.random_worlds.accuracy + 0.08
    assert other.accuracy == pytest.approx(finding.reweighted.accuracy, abs=0.06)
