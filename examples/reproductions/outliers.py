"""Outliers taken out, as in the 2019 report: remove the few with a large d, sanitize, test again.

The report proposes it without a promise that one round is enough, and what it says of it is in
words; there is no published number to put beside. Here the rounds are unveil's own (uv.harden,
which any sanitizer can be given to), for the *basic* Mondrian that the report ran, read as text
and as numbers, and for unveil's own: δ, the mean and how many were removed, round by round.

    python examples/reproductions/outliers.py
    python examples/reproductions/outliers.py --table adult --k 20 --delta 0.05 --at-a-time 0.002
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from experiment import ADVERSARY, HEADS, Asked, Setting, Values, asked, experiment_parser
from numpy.typing import NDArray
from outliers_picture import draw_outliers
from reproduction import one_number, run, save_json, shown, side_by_side
from two_tables import TwoTables, table_options

import unveil as uv
from unveil.engine import Progress
from unveil.errors import GoalError, InputError
from unveil.microdata import Microdata

_VALUES = Values((5,), (3,))
_QUICK = Values((20,), ())
_QUICK_ROUNDS = 2


@dataclass(frozen=True)
class Limits:
    """The goal, and how far one may go for it."""

    delta: float
    rounds: int
    at_a_time: float
    at_most: float


@dataclass(frozen=True, eq=False)
class Hardened:
    """One setting in one variant, round by round."""

    setting: Setting
    variant: str
    before: NDArray[np.float64]
    hardening: uv.Hardening

    @property
    def after(self) -> NDArray[np.float64]:
        """The distances of the best round."""
        return self.hardening.finding.tested

    def to_dict(self) -> dict[str, Any]:
        course = self.hardening.course
        return {
            self.setting.goal: self.setting.value,
            "variant": self.variant,
            "holds": self.hardening.holds,
            "ended": course.ended,
            "best_round": course.best.number,
            "rounds": [
                {
                    "round": one.number, "removed": one.removed, "delta": one.delta,
                    "mean": one.mean, "over": one.share_over,
                }
                for one in course.rounds
            ],
        }  # fmt: skip


def main(words: Sequence[str] | None = None) -> None:
    """Harden, print, draw."""
    options = _parser().parse_args(words)
    wanted, limits = asked(options, _VALUES, _QUICK), _limits(options)
    seed = one_number(options.seed, "--seed", least=0) or 0
    two = TwoTables.asked(options.table, wanted.columns, options.data, seed)
    tables = {name: two.read(name) for name in two.names}
    results = []
    for name, table in tables.items():
        found = list(_hardened(table, wanted, limits))
        for setting in wanted.settings:
            some = [one for one in found if one.setting == setting]
            if some:
                title = f"{two.title(name)}, {setting.label}"
                _print(title, some, limits)
                picture = f"outliers-{name}-{setting.goal}{setting.value}"
                draw_outliers(some, limits.delta, wanted.out, picture, title)
        results += [{"table": name, **one.to_dict()} for one in found]
    settings = wanted.to_dict() | vars(limits) | {"columns": wanted.columns, "seed": seed}
    save_json(wanted.json, "outliers", settings, results)


def _hardened(table: Microdata, wanted: Asked, limits: Limits) -> Iterator[Hardened]:
    n = len(table)
    with Progress("hardening", n * len(wanted.settings) * len(wanted.variants)) as progress:
        for setting in wanted.settings:
            for variant in wanted.variants:
                f = setting.sanitizer(variant)
                try:
                    before = uv.differential_inference(
                        table, f, adversary=ADVERSARY, jobs=wanted.jobs, progress=False
                    )
                except GoalError as error:
                    print(f"{setting.label}, {HEADS[variant]}: {error}")
                    continue
                finally:
                    progress.advance(n)
                hardening = uv.harden(
                    table,
                    f,
                    strategy="remove",
                    **vars(limits),
                    adversary=ADVERSARY,
                    jobs=wanted.jobs,
                    progress=False,
                )
                yield Hardened(setting, variant, before.tested, hardening)


def _print(title: str, found: Sequence[Hardened], limits: Limits) -> None:
    courses = [one.hardening.course for one in found]
    rows = []
    for number in range(max(len(course.rounds) for course in courses)):
        row = [f"round {number}"]
        for course in courses:
            if number < len(course.rounds):
                one = course.rounds[number]
                star = " ●" if one == course.best else ""
                row += [shown(one.delta, 4) + star, shown(one.mean, 4), f"{one.removed:,}"]
            else:
                row += ["", "", ""]
        rows.append(row)
    heads = [""]
    for one in found:
        heads += [f"δ {HEADS[one.variant]}", "mean", "removed"]
    ended = []
    for one, course in zip(found, courses, strict=True):
        rounds = len(course.rounds) - 1
        ended.append(
            f"{HEADS[one.variant]}: {'reached' if one.hardening.holds else 'NOT REACHED'} after "
            f"{rounds} round{'' if rounds == 1 else 's'}; the best is round {course.best.number} "
            f"with {course.best.removed:,} of {len(one.before):,} removed; ended: {course.ended}"
        )
    side_by_side(
        f"{title}: outliers removed until δ ≤ {limits.delta:g}",
        heads, rows, ["● the best round.", *ended],
    )  # fmt: skip


# Options ----------------------------------------------------------------------------------------


def _limits(options: argparse.Namespace) -> Limits:
    rounds = one_number(options.rounds, "--rounds")
    return Limits(
        delta=_above_zero(options.delta, "--delta"),
        rounds=rounds or (_QUICK_ROUNDS if options.quick else 20),
        at_a_time=_above_zero(options.at_a_time, "--at-a-time"),
        at_most=_above_zero(options.at_most, "--at-most"),
    )


def _above_zero(text: str, option: str) -> float:
    """A number between 0 and 1, which distances and shares are."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise InputError(f"{option}: {text!r} is no number between 0 and 1, such as 0.1")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = experiment_parser(__doc__)
    table_options(parser)
    parser.add_argument("--delta", metavar="D", default="0.1", help="the goal (default: 0.1)")
    parser.add_argument("--rounds", metavar="N", help="at most (default: 20)")
    parser.add_argument(
        "--at-a-time", metavar="SHARE", default="0.01",
        help="of the records, removed in one round at most, the worst first (default: 0.01)",
    )  # fmt: skip
    parser.add_argument(
        "--at-most", metavar="SHARE", default="0.1",
        help="of the records, removed in all at most (default: 0.1)",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
