"""The report is a release: an attacker who has it learns no more than from what was published.

Against the private report the same attacks decode people's values; so they have teeth.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np
import pytest
from proofs import repeats
from report_attack import (
    Attacker,
    Score,
    by_fingerprints,
    by_search,
    figures_of,
    numbers_tried,
    score_of,
)
from report_tables import ALL_CASES, CHANCE, PUBLISHED, TABLES, K, attacker_of, classes_of, total

import unveil as uv
from unveil.auditing import compare_audits, junit_of
from unveil.render.page import page_of

SOME = list(TABLES)[: repeats(len(TABLES))]
FEW = SOME if ALL_CASES else SOME[:1]
QUICK = ["differential-inference", "relative-risk", "linkage", "measures"]


@functools.cache
def audit_of(name: str, *, releases: str = f"mondrian:k={K}") -> uv.Audit:
    return uv.audit(
        attacker_of(name).table, releases.split(";"), attacks=[*QUICK, "inference", "definetti"],
        fail_on=["delta > 0.33", "mean_d > 0.07", "k < 3", "gr > 2%"], progress=False,
    )  # fmt: skip


def artefacts(audit: uv.Audit) -> list[Any]:
    """All that is made of an audit."""
    told = audit.to_dict()
    return [
        told, audit.page(), audit.to_junit(), str(audit), audit.verdict(), audit._repr_html_(),
        str(compare_audits(told, told)),
    ]  # fmt: skip


LEARNER = "naive-bayes"
"""An attacker with another number for each person, as they learn from all classes."""


def fingerprints(attacker: Attacker, how: Any, *, adversary: Any) -> tuple[Score, Score]:
    """How much is decoded by numbers of people: from the private report, and that for others."""
    tried = numbers_tried(attacker, how, tries=60, adversary=adversary)
    scores = []
    for private in (True, False):
        audit = uv.audit(
            attacker.table, how, attacks=["differential-inference", "relative-risk", "measures"],
            adversary=adversary, fail_on=["delta > 0.33", "gr > 2%"], private=private,
            progress=False,
        )  # fmt: skip
        scores.append(score_of(attacker, by_fingerprints(attacker, artefacts(audit), tried)))
    return scores[0], scores[1]


@pytest.mark.parametrize(
    ("adversary", "least"), [(LEARNER, 200), *([(None, 15)] if ALL_CASES else [])]
)
def test_most_people_are_decoded_from_the_private_report_and_nobody_from_that_for_others(
    adversary: str | None, least: int
) -> None:
    """Of 250 people in classes of 10 and more.

    With the default adversaries fewer are: three of four people can swap values with somebody of
    their class, and no d moves.
    """
    table, how = uv.datasets.census(250, seed=1), uv.Mondrian(k=10)
    attacker = Attacker(table=table, class_of=classes_of(table, how))
    owners, others = fingerprints(attacker, how, adversary=adversary)
    assert owners.right > least
    assert owners.right / owners.guessed > 0.95
    assert owners.right > (2 if adversary else 1.3) * owners.by_class
    assert others.p > CHANCE


@pytest.mark.parametrize("adversary", [LEARNER, None])
def test_numbers_of_single_people_are_in_the_private_report_alone(adversary: str | None) -> None:
    """Those decoded are right where a class's most frequent value seldom is."""
    both = [fingerprints(attacker_of(name), PUBLISHED, adversary=adversary) for name in SOME]
    owners, others = (total(list(scores)) for scores in zip(*both, strict=True))
    assert owners.guessed > 20
    assert owners.right / owners.guessed > 0.8
    assert owners.right > 1.3 * owners.by_class
    assert owners.p < CHANCE
    assert others.p > CHANCE
    assert others.guessed == 0 or others.right <= others.by_class + 3 * np.sqrt(others.guessed)


SERIES = f"identity;mondrian:k=3,{K},10;mondrian:k=3,l=2"


def searched(name: str, reports: list[dict[str, Any]], known: dict[str, Any], steps: int) -> Score:
    attacker = attacker_of(name)
    guesses = by_search(attacker, reports, known, steps=repeats(steps), starts=repeats(6))
    return score_of(attacker, guesses)


def test_an_exact_curve_alone_gives_people_away() -> None:
    """So the search has teeth: it finds out who has which value from a curve over people."""
    scores = []
    for name in FEW:
        report = uv.audit(
            attacker_of(name).table, PUBLISHED, attacks=["differential-inference"], private=True,
            progress=False,
        ).to_dict()  # fmt: skip
        scores.append(searched(name, [report], {"Mondrian(k=5)": PUBLISHED}, steps=1000))
    assert total(scores).p < CHANCE


def test_all_figures_and_curves_of_several_reports_tell_of_nobody() -> None:
    known = {
        "Mondrian(k=5)": PUBLISHED, "Mondrian(k=3)": uv.Mondrian(k=3),
        "the table as it is": uv.Identity(), "no anonymization": uv.Identity(),
    }  # fmt: skip
    scores = []
    for name in FEW:
        reports = [audit_of(name), audit_of(name, releases=SERIES)]
        scores.append(searched(name, [one.to_dict() for one in reports], known, steps=120))
    assert total(scores).p > CHANCE


def bisected(name: str, figures: tuple[str, ...], times: int) -> dict[str, Any]:
    """A report in which thresholds of further reports have narrowed the ranges of figures."""
    table = attacker_of(name).table
    options: dict[str, Any] = {"attacks": ["differential-inference"], "progress": False}
    report = uv.audit(table, PUBLISHED, **options).to_dict()
    told = report["secrets"][0]["releases"][0]["figures"]
    for _ in range(times):
        limits = {figure: sum(told[figure]) / 2 for figure in figures}
        asked = [f"{figure} > {limit!r}" for figure, limit in limits.items()]
        again = uv.audit(table, PUBLISHED, fail_on=asked, **options).to_dict()
        for check in again["secrets"][0]["releases"][0]["checks"]:
            figure, (low, high) = check["figure"], told[check["figure"]]
            limit = limits[figure]
            told[figure] = [limit, high] if check["state"] == "fails" else [low, limit]
    return report


def test_thresholds_that_are_bisected_narrow_a_range_and_tell_of_nobody() -> None:
    """Each further report tells one bit of each figure, and no more."""
    scores = []
    for name in FEW:
        report = bisected(name, ("delta", "mean_d"), times=8)
        low, high = figures_of(report)["Mondrian(k=5)"]["delta"]
        assert high - low == pytest.approx(0.1 / 2**8)
        finding = uv.differential_inference(attacker_of(name).table, PUBLISHED, progress=False)
        assert low - 1e-12 <= finding.delta <= high + 1e-12
        scores.append(searched(name, [report], {"Mondrian(k=5)": PUBLISHED}, steps=1500))
    assert total(scores).p > CHANCE


def test_page_and_junit_are_made_from_the_json_alone() -> None:
    """So what the attacks do not find in the JSON is in no picture either."""
    audit = audit_of(SOME[0])
    told = json.loads(audit.to_json())
    assert page_of(told) == audit.page()
    assert junit_of(told) == audit.to_junit()
