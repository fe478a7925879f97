"""A finding of empirical inference: what it prints, writes and draws, and its intervals."""

import json
import re
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from random_tables import random_microdata
from scipy.stats import binomtest, ttest_1samp, ttest_ind

import unveil as uv
from unveil.attacks.estimates import (
    difference_of,
    mean_of,
    paired_difference,
    share_of,
)
from unveil.errors import InputError

SURVEY = uv.datasets.election_survey()
RNG = np.random.default_rng(0)
FINDING = uv.inference(uv.Identity(), SURVEY, adversary=["naive-bayes", "conditional-frequency"])
ALONE = uv.inference(uv.Identity().sanitize(SURVEY), SURVEY)


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_it_prints_itself():
    text = repr(FINDING)
    assert text.startswith("Empirical inference: Identity() on election_survey.csv\n  944 people")
    for part in ("5 folds", "prior", "in the release", "not in the release", "difference",
                 "believed from 90% up", FINDING.verdict()):  # fmt: skip
        assert part in text
    assert "conditional frequency is right about the party of 99.2%" in FINDING.verdict("x")
    assert "come from people's own records" in FINDING.verdict()


def test_without_people_held_out_it_says_what_it_cannot_tell():
    assert ALONE.outside is ALONE.gap is ALONE.prior_gap is None
    assert "a breach cannot be distinguished from knowledge about the population" in ALONE.verdict()
    assert "Give people who are not in the release as held_out=" in ALONE.summary()
    assert "difference" not in ALONE.summary()


def test_a_breach_is_not_certain_where_chance_may_have_done_it():
    table = random_microdata(0, 300, ("flat",), 3)
    finding = uv.inference(uv.Mondrian(k=60), table)
    assert finding.gap.low <= 0
    assert "a breach is not certain" in finding.verdict()


def test_people_of_another_kind_are_told_apart():
    by_value = np.argsort(SURVEY.sensitive.codes, kind="stable")
    release = uv.Mondrian(k=5).sanitize(SURVEY.take(by_value[:700]))
    finding = uv.inference(release, SURVEY, held_out=by_value[700:])
    assert finding.prior_gap.low > 0
    assert "these people differ from those in the release" in finding.verdict()
    assert re.search(r"prior +not in the release +\d", finding.summary())
    assert finding.plot() is not None


def test_json_has_the_numbers_and_names_nobody_unless_asked():
    content = json.loads(FINDING.to_json())
    assert content["finding"] == "inference"
    assert (content["folds"], content["releases"], content["records"]) == (5, 5, 944)
    assert [one["adversary"] for one in content["adversaries"]] == list(FINDING.against)
    assert all("each" not in one for one in content["adversaries"])
    strongest = content["adversaries"][1]
    assert strongest["gap"]["low"] == FINDING.gap.low
    assert strongest["inside"]["accuracy"]["value"] == content["accuracy"] == FINDING.accuracy
    each = json.loads(FINDING.to_json(records=True))["adversaries"][0]["each"]
    assert each["belief_gap"] == FINDING.to_frame("Bernoulli naive Bayes")["belief_gap"].tolist()
    alone = json.loads(ALONE.to_json(records=True))
    assert alone["adversaries"][0]["outside"] is None
    assert alone["adversaries"][0]["each"]["belief_outside"] == [None] * 944
    assert (alone["released"], alone["suppressed"]) == (944, 0)


def test_a_frame_of_an_adversary_who_is_not_there():
    with pytest.raises(InputError, match="did you mean 'conditional frequency'"):
        FINDING.to_frame("conditional-frequency")


def test_a_picture():
    """Of the strongest beside the prior, and for a closer look of all."""
    for axes, chart, names in (
        (FINDING.plot(), FINDING.story().charts[0], [FINDING.strongest]),
        (FINDING.plot(chart="by attacker"), FINDING.story().closer[0], list(FINDING.against)),
    ):
        assert isinstance(axes.get_figure(), Figure)
        labels = [one.name for one in chart.series]
        assert [text.get_text()[:39] for text in axes.get_legend().get_texts()] == [
            label[:39] for label in labels
        ]
        expected = [FINDING.baseline]
        for name in names:
            sides = FINDING.against[name]
            expected += [sides.outside.accuracy.value, sides.inside.accuracy.value]
        assert [one.y for one in chart.series] == [[value] for value in expected]
        assert [bar.get_width() for bar in axes.patches] == expected
        assert {str(one.x[0]) for one in chart.series} == {"Identity()"}
    assert labels[-1] == "people in the release, by conditional frequency"
    assert ALONE.story().charts[0].series[1].y == [None]
    assert ALONE.plot() is not None


def test_intervals_are_the_textbooks():
    yes = (RNG.random(200) < 0.3).astype(float)
    exact = binomtest(int(yes.sum()), 200).proportion_ci(0.95, method="exact")
    assert (share_of(yes).low, share_of(yes).high) == pytest.approx((exact.low, exact.high))
    first, second = RNG.random(300), RNG.random(200) ** 2
    student = ttest_1samp(first, 0).confidence_interval(0.95)
    assert (mean_of(first).low, mean_of(first).high) == pytest.approx(tuple(student))
    welch = ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    found = difference_of(first, second)
    assert (found.low, found.high) == pytest.approx(tuple(welch))


def test_folds_make_an_interval_wider_if_they_differ():
    folds = np.repeat(np.arange(5), 40)
    values = np.repeat([0.1, 0.3, 0.5, 0.7, 0.9], 40)
    student = ttest_1samp([0.1, 0.3, 0.5, 0.7, 0.9], 0).confidence_interval(0.95)
    found = mean_of(values, folds)
    assert (found.low, found.high) == pytest.approx((max(0, student.low), min(1, student.high)))
    assert mean_of(values).high < found.high
    same = RNG.permutation(folds)
    assert mean_of(values, same).high - mean_of(values).high < 0.05


def test_pairs_are_no_narrower_than_those_outside_alone():
    outside = (RNG.random(400) < 0.5).astype(float)
    found = paired_difference(outside, outside)  # everybody the same on both sides
    alone = mean_of(outside)
    assert found.value == 0
    assert found.high == pytest.approx(alone.high - alone.value)


@pytest.mark.parametrize("n", [1, 2, 50])
def test_nobody_seen_is_not_nobody_there(n):
    missed = 1 - 0.025 ** (1 / n)
    nothing = np.zeros(n)
    assert share_of(nothing).high == pytest.approx(missed)
    assert mean_of(nothing).high == pytest.approx(missed if n > 1 else 1)
    assert paired_difference(nothing, nothing).high == pytest.approx(missed if n > 1 else 1)
    assert difference_of(nothing, nothing).low == pytest.approx(-missed if n > 1 else -1)
