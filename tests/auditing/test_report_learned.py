"""What can be learned from reports by whoever makes up tables and has them audited.

This attacker uses all that stands in several reports of one table: of several candidates and of the
published release alone, with other thresholds and another seed, their comparison, JUnit and text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from report_attack import Attacker, score_of
from report_learned import Learned, Told, learned, made_up, private_of, told_by
from report_tables import ALL_CASES, CHANCE, PUBLISHED, TABLES, attacker_of, total

import unveil as uv
from unveil.auditing import compare_audits

CANDIDATES = ["mondrian:k=3,5,10", "mondrian:k=3,l=2"]
PARTS = [
    "differential-inference", "inference", "relative-risk", "linkage", "measures",
    "discrimination-rate", "utility",
]  # fmt: skip
SOME = [*TABLES] if ALL_CASES else ["random of 30"]
MADE_UP = 120 if ALL_CASES else 40
MOST = 0.005
"""Of all people so many more may be guessed right, on average over many tables, at most."""


def reports_of(table: uv.Microdata) -> Sequence[Told]:
    """What the reports for others say, and what those of the owner."""
    several = uv.audit(
        table, CANDIDATES, attacks=PARTS, fail_on=["delta > 0.33", "mean_d > 0.07", "gr > 2%"],
        progress=False, jobs=1,
    )  # fmt: skip
    alone = uv.audit(
        table, PUBLISHED, attacks=PARTS, fail_on=["delta > 0.6", "alpha > 70%"], seed=7,
        progress=False, jobs=1,
    )  # fmt: skip
    return [
        told_by(
            one.to_dict(), other.to_dict(), str(one), other.verdict(), other.to_junit(),
            str(compare_audits(one.to_dict(), other.to_dict())),
        )
        for one, other in ((several, alone), (private_of(several), private_of(alone)))
    ]  # fmt: skip


def attacked(name: str, tables: int) -> tuple[Attacker, Learned, Learned]:
    attacker = attacker_of(name)
    codes, told = made_up(attacker, reports_of, tables)
    others, owners = (learned(attacker, codes, [one[n] for one in told]) for n in (0, 1))
    return attacker, others, owners


def z_of(found: Sequence[Learned]) -> float:
    """How many standard errors the mean excess of many reports is above none."""
    excess = np.concatenate([one.excess for one in found])
    return float(excess.mean() / (excess.std(ddof=1) / math.sqrt(len(excess)) + 1e-12))


@pytest.fixture(scope="module")
def attacks() -> list[tuple[Attacker, Learned, Learned]]:
    return [attacked(name, MADE_UP) for name in SOME]


def test_the_attacker_learns_from_private_reports(
    attacks: list[tuple[Attacker, Learned, Learned]],
) -> None:
    """So they have teeth."""
    owners = [found for _, _, found in attacks]
    people = sum(found.codes.size for found in owners)
    assert z_of(owners) > (5 if ALL_CASES else 1)
    assert sum(found.excess.sum() for found in owners) / people >= (2 if ALL_CASES else 0.9) * MOST


def test_the_attacker_learns_next_to_nothing_from_reports_for_others(
    attacks: list[tuple[Attacker, Learned, Learned]],
) -> None:
    """On average over all tables that fit the release."""
    others = [found for _, found, _ in attacks]
    people = sum(found.codes.size for found in others)
    assert sum(found.excess.sum() for found in others) / people < MOST


def test_the_reports_of_the_true_table_give_nobody_away(
    attacks: list[tuple[Attacker, Learned, Learned]],
) -> None:
    """So many right guesses are no less likely than `CHANCE` for whoever has the release alone."""
    scores = []
    for attacker, found, _ in attacks:
        true = int(np.flatnonzero((found.codes == attacker.truth).all(axis=1))[0])
        scores.append(score_of(attacker, found.guesses[true]))
    assert total(scores).p > CHANCE
