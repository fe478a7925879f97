"""All measures of utility side by side."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError
from unveil.measures import (
    average_class_size,
    classifier_utility,
    discernibility,
    entropy_loss,
    information_loss,
    suppression,
    utility,
)
from unveil.render import plain


@examples(50)
@given(tables_and_goals(max_size=25))
def test_each_is_what_it_is_alone(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    original = microdata.take([*range(len(microdata)), 0])
    found = utility(release, original, k=options["k"])
    alone = {
        "information_loss": information_loss(release, original),
        "entropy_loss": entropy_loss(release, original),
        "discernibility": discernibility(release, original=original),
        "average_class_size": average_class_size(release, k=options["k"]),
        "suppression": suppression(release, original),
    }
    content = found.to_dict()
    for name, finding in alone.items():
        assert content[name] == plain(finding.facts)
    assert content["classifier"] is None
    assert json.loads(found.to_json())["discernibility"]["cost"] == found.discernibility.cost
    frame = found.to_frame()
    assert len(frame) == 8 + 3 * len(microdata.quasi)
    assert found.summary().count("\n") >= 7


def test_utility_falls_as_k_grows():
    survey = uv.datasets.election_survey()
    found = [utility(uv.Mondrian(k=k), survey) for k in (1, 2, 5, 20, 100, 944)]
    for losses in (
        [one.information_loss.loss for one in found],
        [one.entropy_loss.loss for one in found],
        [one.discernibility.normalized for one in found],
        [one.class_size.mean for one in found],
    ):
        assert (np.diff(losses) > 0).all()
    assert found[0].information_loss.loss < 0.01
    assert found[-1].entropy_loss.loss == found[-1].discernibility.normalized == 1
    assert found[-1].suppression.of_records == 1


def test_a_classifier_is_trained_where_it_is_asked_for():
    survey = uv.datasets.election_survey().take(range(200))
    release = uv.Mondrian(k=5).sanitize(survey)
    assert utility(release, survey).classifier is None
    assert utility(release, survey, classifier=False, of="vote").classifier is None
    asked = [
        utility(release, survey, classifier=True, repeats=2),
        utility(release, survey, model="naive-bayes", repeats=2),
    ]
    alone = classifier_utility(release, survey, repeats=2)
    for found in asked:
        assert found.classifier.from_release.tolist() == alone.from_release.tolist()
    other = utility(uv.Mondrian(k=5), survey, of="vote", repeats=2)
    assert (other.classifier.target, other.classifier.sanitized_anew) == ("vote", True)
    frame = other.to_frame().set_index("measure")["value"]
    assert frame["accuracy from the release"] == other.classifier.release.mean
    assert "guesses vote of 60 held-out people, 2 splits" in repr(other)
    assert other.to_dict()["classifier"]["target"] == "vote"


def test_it_prints_a_small_table():
    survey = uv.datasets.election_survey()
    lines = repr(utility(uv.Mondrian(k=5), survey, k=5)).splitlines()
    assert lines[0] == "Utility of Mondrian(k=5), a release of election_survey.csv"
    assert lines[1] == "  944 records in 139 classes"
    assert lines[5] == "  average class size  6.791 = 1.358 × 5, the goal"
    assert lines[8].split() == [
        "column",
        "information",
        "loss",
        "entropy",
        "loss",
        "suppressed",
        "cells",
    ]
    assert lines[9].split() == ["age", "17.5%", "60.0%", "0.0%"]
    assert lines[-1] == "  13.9% of the information in the quasi-identifiers is lost."
    assert len(lines) == 15


def test_what_is_wrong_is_told_first():
    survey = uv.datasets.election_survey().take(range(50))
    with pytest.raises(InputError, match="utility needs microdata"):
        utility(uv.Mondrian(k=5), survey.to_frame())
    with pytest.raises(InputError, match="k=0 is not possible"):
        utility(uv.Mondrian(k=5), survey, k=0)
    with pytest.raises(InputError, match="utility needs released records"):
        utility(uv.LaplaceCounts(epsilon=1), survey)


def test_measures_are_there_without_waiting_for_models():
    assert information_loss is uv.information_loss
    heavy = "import sys, unveil.measures; print(sorted({'numba', 'sklearn', 'pandas', " \
            "'ibis', 'scipy'} & set(sys.modules)))"  # fmt: skip
    said = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.real
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
