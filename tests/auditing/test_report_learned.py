"""What can be learned from reports by whoever makes up tables and has them audited.

This attacker uses all that stands in several reports of one table: of several candidates and of the
published release alone, with other thresholds and another seed, their comparison, JUnit and text.
In `make proofs` there are two more: for someone who knows one column only, and with a second
secret, of which the attacker knows everything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from report_attack import Attacker, score_of
from report_learned import Learned, Told, learned, made_up, private_of, told_by
from report_tables import ALL_CASES, CHANCE, PUBLISHED, TABLES, attacker_of, total

import unveil as uv
from unveil.auditing import compare_audits

CANDIDATES = ["mondrian:k=3,5,10", "mondrian:k=3,l=2"]
PARTS = [
    "differential-inference", "inference", "relative-risk", "linkage", "measures",
    "discrimination-rate", "utility", "remedies",
]  # fmt: skip
SOME = [*TABLES] if ALL_CASES else ["random of 24"]
MADE_UP = 120 if ALL_CASES else 34
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
    all_of_them = [several, alone, *(further(table) if ALL_CASES else [])]
    return [
        told_by(
            one.to_dict(), other.to_dict(), str(one), other.verdict(), other.to_junit(),
            str(compare_audits(one.to_dict(), other.to_dict())),
            *((more.to_dict(), str(more)) for more in others),
        )
        for one, other, *others in (all_of_them, map(private_of, all_of_them))
    ]  # fmt: skip


def further(table: uv.Microdata) -> list[uv.Audit]:
    """Reports for someone who knows one column only, and with a second secret."""
    secret = table.sensitive
    second = np.random.default_rng(11).permutation(np.arange(len(table)) % secret.size)
    other = replace(secret, name="second", codes=second.astype(secret.codes.dtype))
    both = [table, replace(table, columns=tuple(
        other if one is secret else one for one in table.columns
    ))]  # fmt: skip
    options: dict[str, Any] = {"fail_on": ["delta > 0.45", "gr > 5%"], "progress": False, "jobs": 1}
    return [
        uv.audit(table, PUBLISHED, attacks=PARTS, knows=table.quasi[0].name, **options),
        uv.audit(both, [PUBLISHED, "mondrian:k=8"], attacks=PARTS, **options),
    ]


Attacks = list[tuple[Attacker, Learned, Learned, Learned]]


def attacked(name: str, tables: int) -> tuple[Attacker, Learned, Learned, Learned]:
    attacker = attacker_of(name)
    codes, told = made_up(attacker, reports_of, tables)
    others, owners = (learned(attacker, codes, [one[n] for one in told]) for n in (0, 1))
    return attacker, others, owners, found_by_a_slip(attacker, codes, [one[0] for one in told])


def found_by_a_slip(attacker: Attacker, codes: NDArray[np.int64], told: Sequence[Told]) -> Learned:
    """What is learned if the reports said one person's value somewhere, among all that they say."""
    person = int(np.argmax((codes != codes[0]).mean(axis=0)))  # whose value is not known anyway
    said = [{**one, "a slip": str(own[person])} for one, own in zip(told, codes, strict=True)]
    return learned(attacker, codes, said)


def z_of(found: Sequence[Learned]) -> float:
    """How many standard errors the mean excess of many reports is above none."""
    excess = np.concatenate([one.excess for one in found])
    return float(excess.mean() / (excess.std(ddof=1) / math.sqrt(len(excess)) + 1e-12))


@pytest.fixture(scope="module")
def attacks() -> Attacks:
    return [attacked(name, MADE_UP) for name in SOME]


def test_the_attacker_learns_from_private_reports(
    attacks: Attacks,
) -> None:
    """So they have teeth."""
    owners = [found for _, _, found, _ in attacks]
    people = sum(found.codes.size for found in owners)
    assert z_of(owners) > 5
    assert sum(found.excess.sum() for found in owners) / people >= 4 * MOST


def test_the_attacker_finds_one_value_that_slipped_into_a_report(attacks: Attacks) -> None:
    """So one number too many about one person would be seen, among all the others."""
    for _, others, _, slip in attacks:
        told = int(np.argmax((others.codes != others.codes[0]).mean(axis=0)))
        right = slip.guesses[:, told] == slip.codes[:, told]
        assert right.mean() > 0.95
        assert slip.excess.mean() > others.excess.mean() + 0.1


def test_the_attacker_learns_next_to_nothing_from_reports_for_others(
    attacks: Attacks,
) -> None:
    """On average over all tables that fit the release."""
    others = [found for _, found, _, _ in attacks]
    people = sum(found.codes.size for found in others)
    assert sum(found.excess.sum() for found in others) / people < MOST


def test_the_reports_of_the_true_table_give_nobody_away(
    attacks: Attacks,
) -> None:
    """So many right guesses are no less likely than `CHANCE` for whoever has the release alone."""
    scores = []
    for attacker, found, *_ in attacks:
        true = int(np.flatnonzero((found.codes == attacker.truth).all(axis=1))[0])
        scores.append(score_of(attacker, found.guesses[true]))
    assert total(scores).p > CHANCE
