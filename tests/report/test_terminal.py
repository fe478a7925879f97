"""Tables for the terminal: numbers are the findings', and they fit."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import unveil as uv
from unveil.report import Outcome, comparison, remarks, worst_records


def rendered(*what, width=80):
    out = Console(file=io.StringIO(), width=width, color_system=None)
    for one in what:
        out.print(one)
    return out.file.getvalue()


@pytest.fixture(scope="module")
def survey():
    return uv.datasets.election_survey()


@pytest.fixture(scope="module")
def finding(survey):
    return uv.differential_inference(survey, uv.Mondrian(k=5))


@pytest.fixture(scope="module")
def outcomes(survey, finding):
    plain = uv.differential_inference(survey, uv.Identity())
    return [
        Outcome(sanitizer="Identity()", finding=plain),
        Outcome(sanitizer="Mondrian(k=5)", finding=finding),
        Outcome(sanitizer="Mondrian(l=9)", error="Mondrian(l=9) cannot be met: too few"),
    ]


def test_one_row_a_sanitizer_with_the_findings_numbers(outcomes, finding):
    text = rendered(comparison(outcomes, width=100), width=100)
    rows = {line[:16].strip(): line.split() for line in text.splitlines()}
    assert rows["Mondrian(k=5)"][1:6] == [
        f"{finding.n_classes}",
        f"{finding.smallest_class}",
        f"{finding.delta:.3f}",
        f"{finding.mean:.3f}",
        f"{finding.quantiles([0.9])[0.9]:.3f}",
    ]
    assert f"{finding.share_over(0.05):.1%}" in rows["Mondrian(k=5)"]
    assert "no anonymization" in rows
    assert set(rows["Mondrian(l=9)"][1:]) == {"–"}


@pytest.mark.parametrize("width", [70, 80, 100, 140])
def test_numbers_are_never_cut(outcomes, finding, width):
    tiny = replace(finding, distances=finding.distances / 10_000, n_classes=123_456)
    more = [*outcomes, Outcome(sanitizer="Mondrian(k=50, l=3)", finding=tiny)]
    text = rendered(comparison(more, width=width), width=width)
    assert "…" not in text
    assert "123,456" in text
    assert f"{tiny.delta:.6f}" in text
    assert max(map(len, text.splitlines())) <= width
    assert ("time" in text) == (width >= 100)


def test_nobody_tested(finding):
    empty = replace(
        finding, distances=np.full(len(finding.distances), np.nan), not_tested={"why not": 944}
    )
    outcome = Outcome(sanitizer="Mondrian(k=5)", finding=empty)
    assert math.isnan(empty.delta)
    assert "nan" not in rendered(comparison([outcome], width=80), *remarks([outcome]))


def test_remarks_say_everything_once(outcomes, finding):
    noted = replace(finding, notes=("3 records dropped",), not_tested={"why not": 1})
    text = rendered(*remarks([*outcomes, Outcome(sanitizer="Mondrian(k=5)", finding=noted)]))
    assert "Not done: Mondrian(l=9) cannot be met: too few" in text
    assert "Not tested: 1 record under Mondrian(k=5): why not" in text
    assert "Note: 3 records dropped" in text
    assert text.count("Attacker:") == text.count("total variation") == 1


def test_targets_chosen_at_random_are_said_to_be_so(survey):
    some = uv.differential_inference(survey, uv.Identity(), targets=10, seed=3)
    text = rendered(*remarks([Outcome(sanitizer="Identity()", finding=some)]), width=200)
    assert "10 of 944 records were tested, drawn at random (seed 3)" in text


def test_worst_records_with_and_without_beliefs(survey, finding):
    text = rendered(worst_records(finding, 2), width=200)
    worst = finding.worst(2)
    for row, party, age in zip(worst["row"], worst["party"], worst["age"], strict=True):
        assert f"row {row + 1}: age {age}, " in text  # rows count from 1 in all that people read
        assert f"party {party}" in text
    assert "belief" not in text
    closer = uv.differential_inference(
        survey, uv.Mondrian(k=5), targets=worst["record"].to_list(), predictions=True
    )
    text = rendered(worst_records(closer, 2), width=200)
    own = survey.sensitive.codes[closer.targets[0]]
    without, present = closer.absent[0, own], closer.present[0, own]
    assert f"belief: {worst['party'][0]} {without:.0%} → {present:.0%}" in text


def test_columns_may_be_called_anything():
    table = {"distance": [1, 2, 3], "row": ["a", "b", "b"], "[bold]": ["x", "y", "x"]}
    odd = uv.read_table(table, quasi=["distance", "row"], sensitive="[bold]")
    text = rendered(worst_records(uv.differential_inference(odd, uv.Identity()), 3))
    assert "distance 2, row b; [bold] y" in text
