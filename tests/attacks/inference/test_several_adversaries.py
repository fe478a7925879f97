"""Several adversaries: who counts, by definition, and that a weak one lets nothing pass."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_inference import right_of
from proofs import examples
from random_tables import random_microdata, tables
from scipy.stats import binom

import unveil as uv
from unveil.adversary import Adversary, adversary_named
from unveil.attacks.estimates import CONFIDENCE, TAIL, largest, share_of
from unveil.attacks.held_out import split_in_folds
from unveil.attacks.inference._inference import published_by

BOTH = ("naive-bayes", "conditional-frequency")
LABELS = ["Bernoulli naive Bayes", "conditional frequency"]


class Says(Adversary):
    """Believes in one value, about everybody."""

    explained = "believes in one value"

    def __init__(self, value):
        self.value = value

    @property
    def label(self):
        return f"says {self.value}"

    def predict(self, release, codes):
        beliefs = np.zeros((codes.shape[1], release.sensitive.size))
        beliefs[:, release.sensitive.places[self.value]] = 1
        return beliefs


def hospital(n=2000, seed=3):
    """Hardly anybody is like anybody else, and there are many diagnoses."""
    rng = np.random.default_rng(seed)
    return uv.read_table(
        {"age": rng.integers(0, 100, n), "zip": rng.integers(0, 300, n),
         "sex": rng.choice(["f", "m"], n), "diagnosis": [f"d{i}" for i in rng.integers(0, 40, n)]},
        quasi=["age", "zip", "sex"], sensitive="diagnosis",
    )  # fmt: skip


def test_who_attacks_by_default():
    table = random_microdata(0, 30, ("numeric", "flat"))
    for release in (uv.Mondrian(k=3), uv.Identity(), uv.Mondrian(k=3).sanitize(table)):
        assert list(uv.inference(release, table).against) == LABELS
    frequencies = ["smoothed frequency", "conditional frequency"]
    counts = uv.LaplaceCounts(epsilon=1, seed=1)
    nearest = ["NearestNeighbours() on scaling-hot", "NearestNeighbours(k=1) on scaling-hot"]
    averages = uv.Microaggregation(k=3)
    for f, labels in ((counts, frequencies), (averages, nearest)):
        assert list(uv.inference(f, table).against) == labels
        assert list(uv.inference(f.sanitize(table), table).against) == labels
    assert list(uv.differential_inference(table, uv.Mondrian(k=3)).against) == LABELS
    alone = uv.inference(uv.Mondrian(k=3), table, adversary="naive-bayes")
    assert list(alone.against) == LABELS[:1]


@examples(40)
@given(tables(), st.integers(2, 4))
def test_the_figures_are_the_largest_of_all(table, folds):
    if len(table) < 2 * folds:
        return
    both = uv.inference(uv.Mondrian(k=1), table, folds=folds)
    alone = [uv.inference(uv.Mondrian(k=1), table, folds=folds, adversary=name) for name in BOTH]
    accuracy, gain = both.figures
    for figure, ones in ((accuracy, [one.figures[0] for one in alone]),
                         (gain, [one.figures[1] for one in alone])):  # fmt: skip
        assert figure.value == max(one.value for one in ones)
        assert figure.high == max(one.high for one in ones)
        assert figure.low <= max(one.low for one in ones)  # it was chosen among several
    for one in alone:  # what each attains stays at hand
        [(label, sides)] = one.against.items()
        np.testing.assert_array_equal(both.against[label].inside.answers, sides.inside.answers)


@examples(30)
@given(tables(), st.integers(2, 3), st.integers(0, 3))
def test_right_by_any_is_what_no_choice_among_guesses_exceeds(table, folds, seed):
    if len(table) < 2 * folds:
        return
    finding = uv.inference(uv.Mondrian(k=1), table, folds=folds, seed=seed)
    splits = split_in_folds(table, folds, seed)
    adversaries = [adversary_named(name) for name in BOTH]
    best = [[] for _ in range(len(table))]
    for release, split in zip(published_by(uv.Mondrian(k=1), splits, seed), splits, strict=True):
        for person in split.members.tolist():
            true = int(table.sensitive.codes[person])
            codes = table.codes[:, [person]]
            best[person].append(
                max(right_of(one.predict(release, codes)[0], true) for one in adversaries)
            )
    np.testing.assert_allclose(finding.by_any.right, [np.mean(one) for one in best], atol=1e-12)
    assert finding.by_any.accuracy.value >= finding.accuracy - 1e-12


def test_a_weak_attacker_lets_nothing_pass():
    table = hospital()
    naive = uv.inference(uv.Identity().sanitize(table), table, adversary="naive-bayes")
    both = uv.inference(uv.Identity().sanitize(table), table)
    assert naive.accuracy < 0.45 < 0.98 < both.accuracy
    assert both.strongest == "conditional frequency"
    assert "conditional frequency is right about the diagnosis of " in both.verdict()
    coarser = uv.Mondrian(k=2).sanitize(table)
    audited = uv.audit(table, coarser, attacks="inference", fail_on="accuracy > 0.4")
    assert uv.inference(coarser, table, adversary="naive-bayes").figures[0].high < 0.4
    assert not audited.passed


def test_an_attacker_who_is_blind_adds_nothing_and_takes_nothing_away():
    table = random_microdata(1, 60, ("numeric", "flat"))
    blind = [Says(text) for text in table.sensitive.texts]
    release = uv.Mondrian(k=3).sanitize(table)
    alone = uv.inference(release, table, adversary="conditional-frequency")
    finding = uv.inference(release, table, adversary=["conditional-frequency", *blind])
    assert finding.accuracy == alone.accuracy
    assert finding.strongest == "conditional frequency"
    # Somebody names every value: that is why this is a bound, and not a figure.
    assert finding.by_any.accuracy.value == 1
    assert "is not right more often" in finding.summary()


def test_the_sentence_names_whoever_gains_most_from_records():
    rng = np.random.default_rng(0)
    table = uv.read_table(
        {"age": rng.integers(20, 80, 60), "town": rng.choice(["Rome", "Lyon", "Nice"], 60),
         "vote": rng.choice(["a", "b", "c"], 60)},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip
    finding = uv.inference(uv.Mondrian(k=3), table, folds=4, seed=2)
    assert (finding.strongest, finding.widest) == (LABELS[1], LABELS[0])
    said = finding.verdict()
    assert f"They add most to what {LABELS[0]} guesses: 26.1 points" in said
    assert finding.largest_gap.low <= 0
    assert "a breach is not certain" in said


def test_as_json():
    finding = uv.inference(uv.Mondrian(k=5), uv.datasets.election_survey())
    content = json.loads(finding.to_json())
    assert [one["adversary"] for one in content["adversaries"]] == LABELS
    assert content["adversary"] == content["largest_gap_by"] == LABELS[1]
    assert content["accuracy"] == content["most_right"]["value"]
    assert content["largest_gap"]["value"] == content["adversaries"][1]["gap"]["value"]
    assert content["right_by_any"]["value"] > content["accuracy"]


def test_intervals_of_the_largest_hold_as_often_as_they_say():
    """Exactly, for two and three independent shares: over all outcomes of 20 people each."""
    n = 20
    outcomes = [np.repeat([1.0, 0.0], [yes, n - yes]) for yes in range(n + 1)]
    within = [share_of(one, tail=TAIL) for one in outcomes]
    narrower = {m: [share_of(one, tail=TAIL / m) for one in outcomes] for m in (2, 3)}
    for truths in ([0.3, 0.3], [0.3, 0.5], [0.5, 0.5, 0.5], [0.05, 0.1, 0.1]):
        m, top = len(truths), max(truths)
        # Ends are maxima of independent numbers: multiply distribution functions.
        too_low = too_high = 1.0
        for p in truths:
            chances = binom.pmf(np.arange(n + 1), n, p)
            too_low *= chances @ [one.high < top for one in within]
            too_high *= chances @ [one.low <= top for one in narrower[m]]
        assert too_low <= TAIL
        assert 1 - too_high <= TAIL
        assert pytest.approx(TAIL) == (1 - CONFIDENCE) / 2


def test_the_largest_of_one_is_itself():
    values = np.array([1.0, 0.0, 1.0, 1.0])
    assert largest([lambda tail: share_of(values, tail=tail)]) == share_of(values)
