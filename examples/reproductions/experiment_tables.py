"""The tables of an experiment: published, reproduced and corrected, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from experiment import HEADS, OWN, Asked, Outcome, Setting
from published import DELTA, OVER, THRESHOLD_TEXT
from reproduction import agreement, percent, shown, side_by_side

__all__ = ["print_tables"]


def print_tables(
    outcomes: Sequence[Outcome], wanted: Asked, title: str, data: str | None, remark: str
) -> None:
    """Print everything that came out; of several draws the median and the range.

    ``data`` is what the reports call the table, if this is what they tested.
    """
    found: dict[tuple[Setting, str], list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.setting, outcome.variant), []).append(outcome)
    draws = max(len(some) for some in found.values())
    heads = [HEADS[variant] for variant in wanted.variants]
    basic = wanted.variants[0]

    def cells(setting: Setting, summary: str, write: Callable[[float], str]) -> list[str]:
        return [_spread(found[setting, v], summary, write) for v in wanted.variants]

    question = "to the digit?" if draws == 1 else "in the range?"
    printed = [] if data is None else ["published"]
    rows = []
    for setting in wanted.settings:
        said = _said(DELTA, data, setting)
        found_here = cells(setting, "delta", lambda value: shown(value, 4 if draws == 1 else 3))
        verdict = [_verdict(*said, found[setting, basic])] if said else []
        rows.append([setting.label, *said, *found_here, *verdict])
    side_by_side(
        f"{title}: δ, the worst record",
        ["", *printed, *heads, *([question] if printed else [])],
        rows,
        [remark, *_remarks(outcomes)],
        emphasis=["published", HEADS[basic]],
    )
    rows = [
        [setting.label, *_said(OVER, data, setting), *cells(setting, "over_of_all", percent)]
        for setting in wanted.settings
    ]
    side_by_side(
        f"{title}: of all records, those with d over {THRESHOLD_TEXT} (equal ones counted each)",
        ["", *printed, *heads],
        rows,
    )
    for what, summary, write in (
        (f"distinct records with d over {THRESHOLD_TEXT}", "over", percent),
        ("mean of d", "mean", lambda value: shown(value, 4)),
        ("standard deviation of d", "std", lambda value: shown(value, 4)),
        (
            "of the distinct records, those whose most likely value changes",
            "modes_changed",
            percent,
        ),
    ):
        rows = [[setting.label, *cells(setting, summary, write)] for setting in wanted.settings]
        side_by_side(f"{title}: {what}", ["", *heads], rows)
    rows = [
        [
            setting.label,
            *(
                _classes(found[setting, variant], least)
                for variant in (basic, OWN[0])
                for least in (False, True)
            ),
            _spread(found[setting, basic], "too_few", percent) if setting.goal == "k" else "–",
        ]
        for setting in wanted.settings
    ]
    side_by_side(
        f"{title}: classes",
        ["", "basic", "smallest", "unveil", "smallest", "basic: records in classes < k"],
        rows,
    )


def _said(
    table: dict[str, dict[str, dict[int, str]]], data: str | None, setting: Setting
) -> list[str]:
    """What was printed, a dash where nothing was; no cell for what the reports did not test."""
    return [] if data is None else [table[data][setting.goal].get(setting.value, "–")]


def _values(outcomes: Sequence[Outcome], summary: str) -> list[float]:
    return [value for o in outcomes if (value := o.of(summary)) == value]


def _spread(outcomes: Sequence[Outcome], summary: str, write: Callable[[float], str]) -> str:
    """A value, or the median and the range of several."""
    values = _values(outcomes, summary)
    if not values:
        return "–"
    middle = write(float(np.median(values)))
    if len(outcomes) == 1:
        return middle
    return f"{middle} ({write(min(values))} to {write(max(values))})"


def _verdict(published: str, outcomes: Sequence[Outcome]) -> str:
    values = _values(outcomes, "delta")
    if published == "–" or not values:
        return "–"
    if len(outcomes) == 1:
        return agreement(published, values[0])
    inside = min(values) <= float(published) <= max(values)
    ends = (agreement(published, end) for end in (min(values), max(values)))
    return "yes" if inside or "same" in ends else "no"


def _classes(outcomes: Sequence[Outcome], smallest: bool) -> str:
    """The median number of classes, or the smallest of all."""
    done = [o for o in outcomes if o.n_classes]
    if not done:
        return "–"
    if smallest:
        return f"{min(o.smallest_class for o in done):,}"
    return f"{np.median([o.n_classes for o in done]):,.0f}"


def _remarks(outcomes: Sequence[Outcome]) -> list[str]:
    """What unveil refuses to do, and why; of several draws the first says it."""
    refused: dict[Setting, str] = {}
    for outcome in outcomes:
        if outcome.refused:
            refused.setdefault(outcome.setting, outcome.refused)
    if not refused:
        return []
    return [
        *refused.values(),
        "The basic Mondrian then publishes the whole table as one class, without a word.",
    ]
