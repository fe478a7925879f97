"""Findings as tables and paragraphs for the terminal (rich)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table
from rich.text import Text

from unveil._text import harmless
from unveil.attacks import MAIN_THRESHOLD, DifferentialInference, sampling_in_words
from unveil.report._words import display_name, number

__all__ = ["Outcome", "adversaries", "comparison", "how_exact", "remarks", "worst_records"]

_OVER = (0.05, 0.1)
_NOTHING = "–"
_HEADS = (
    "anonymization",
    "classes",
    "of at\nleast",
    "δ\nworst",
    "\nmean",
    "90 %\nbelow",
    *(f"over\n{over:g}" for over in _OVER),
    "mode\nchanged",
    "\ntime",
)
_CHOSEN = {
    "random": "drawn at random",
    "stratified": "drawn at random within each sensitive value",
    "exposed": "those first whom the fewest released records cover",
    "chosen": "as chosen",
    "all": "in random order",
}
_STYLES = {"δ\nworst": "bold", "\ntime": "dim"}
_ESSENTIAL = len(_HEADS) - 2


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one sanitizer: a finding, or the reason why there is none."""

    sanitizer: str
    finding: DifferentialInference | None = None
    error: str | None = None


def comparison(outcomes: Sequence[Outcome], *, width: int) -> Table:
    """One row a sanitizer, with those that could not be done as rows of dashes.

    Where the width does not suffice, the columns stand closer, and then those go that matter
    least: the time, and the changes of the mode.
    """
    findings = [outcome.finding for outcome in outcomes if outcome.finding is not None]
    decimals = _decimals(findings)
    heads = list(_HEADS)
    rows = [
        [display_name(outcome.sanitizer), *_cells(outcome.finding, decimals)]
        for outcome in outcomes
    ]
    gap = 2
    while _width(heads, rows, gap) > width and len(heads) > _ESSENTIAL:
        if gap > 1:
            gap = 1
        else:
            heads.pop()
            rows = [row[:-1] for row in rows]
    table = Table(box=box.SIMPLE_HEAD, padding=(0, gap - 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column(heads[0], overflow="fold")
    for head in heads[1:]:
        table.add_column(head, justify="right", no_wrap=True, style=_STYLES.get(head))
    for outcome, row in zip(outcomes, rows, strict=True):
        table.add_row(*row, style="dim" if outcome.finding is None else None)
    return table


def _width(heads: Sequence[str], rows: Sequence[Sequence[str]], gap: int) -> int:
    lines = [head.split("\n") for head in heads]
    widest = [
        max(len(text) for text in (*lines[j], *(row[j] for row in rows))) for j in range(len(heads))
    ]
    return sum(widest) + gap * (len(heads) - 1)


def _cells(finding: DifferentialInference | None, decimals: int) -> list[str]:
    if finding is None:
        return [_NOTHING] * (len(_HEADS) - 1)
    sizes = (finding.n_classes, finding.smallest_class)
    release = [_NOTHING if size is None else f"{size:,}" for size in sizes]
    if not len(finding.tested):
        return [*release, *[_NOTHING] * (4 + len(_OVER)), _time(finding.seconds)]
    distances = (finding.delta, finding.mean, finding.quantiles([0.9])[0.9])
    return [
        *release,
        *("∞" if math.isinf(value) else f"{value:.{decimals}f}" for value in distances),
        *(_share(finding.share_over(over)) for over in _OVER),
        _share(finding.modes_changed),
        _time(finding.seconds),
    ]


def _share(share: float) -> str:
    """A share in percent; a few people are not nobody.

    >>> _share(0.224), _share(0.0001), _share(0.0)
    ('22.4%', '<0.1%', '0.0%')
    """
    return "<0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def _time(seconds: float) -> str:
    """A duration, short.

    >>> _time(0.0234), _time(1.26), _time(75), _time(4000)
    ('23 ms', '1.3 s', '75 s', '67 min')
    """
    if seconds < 0.9995:
        return f"{max(1, round(1000 * seconds))} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:,.0f} min"


def _decimals(findings: Iterable[DifferentialInference]) -> int:
    """So many that the smallest mean shows two digits; the same in every row, to compare."""
    means = [f.mean for f in findings if len(f.tested) and 0 < f.mean < math.inf]
    if not means:
        return 3
    return min(6, max(3, 1 - math.floor(math.log10(min(means)))))


def remarks(
    outcomes: Sequence[Outcome],
    *,
    spelled: Callable[[Any], str] = str,
    known: Sequence[str] = (),
) -> list[Text]:
    """What has to be known beside the numbers: failures, untested records, notes, adversary.

    ``spelled`` puts a note's remedies into the words of whoever shows them; notes that are
    ``known`` are left out.
    """
    said: dict[str, Text] = {}  # what holds for all findings is said once
    for outcome in outcomes:
        if outcome.error is not None:
            _remark(said, "Not done", outcome.error, "bold red")
    findings = [outcome.finding for outcome in outcomes if outcome.finding is not None]
    for finding in findings:
        for reason, count in finding.not_tested.items():
            records = "1 record" if count == 1 else f"{count:,} records"
            name = display_name(finding.sanitizer)
            _remark(said, "Not tested", f"{records} under {name}: {reason}", "bold yellow")
    for finding in findings:
        if finding.failures:
            _remark(said, "Note", spelled("what was said about each is in finding.failures"))
        if len(finding.targets) < len(finding.microdata):
            _remark(said, "Note", _some(finding))
        if 0 < len(finding.tested) < len(finding.microdata):
            bound = finding.bound(MAIN_THRESHOLD).in_words()
            _remark(said, display_name(finding.sanitizer), bound)
        for note in finding.notes:
            if note not in known:
                _remark(said, "Note", spelled(str(note)))
    for finding in findings:
        for one in finding.against.values() or [finding]:
            known_before = "; it has a prior of its own" if one.prior else ""
            said_of_him = f"{one.adversary.label}, who {one.adversary.explained}{known_before}"
            _remark(said, "Attacker", said_of_him)
        _remark(said, "Distance between two beliefs", _distance(finding))
    return list(said.values())


def how_exact(findings: Sequence[DifferentialInference]) -> list[Text]:
    """How exact sampled distances are: to be read before the numbers are taken at their word."""
    return [
        Text.assemble((f"{display_name(finding.sanitizer)}: ", "bold"), " ".join(lines))
        for finding in findings
        if (lines := sampling_in_words(finding))
    ]


def _some(finding: DifferentialInference) -> str:
    """Which records were tested, if not all were."""
    targets, tested = len(finding.targets), len(finding.tested)
    text = f"{targets:,} of {len(finding.microdata):,} records were "
    text += "tested" if tested == targets else f"targets ({tested:,} of them could be tested)"
    if len(finding.targets) < finding.wanted:
        text += f", as many as the budget of {_time(finding.budget or 0)} allowed"
    text += f", {_CHOSEN[finding.how]}"
    if finding.how in ("random", "stratified"):
        text += f" (seed {finding.seed})"
    return f"{text}; the worst of all may be worse off"


def _distance(finding: DifferentialInference) -> str:
    explained = f": {finding.distance_explained}" if finding.distance_explained else ""
    return f"{finding.distance}{explained}"


def adversaries(findings: Sequence[DifferentialInference]) -> list[Text]:
    """δ of each adversary where several attacked, and for how many each is the strongest."""
    lines = []
    for finding in findings:
        if not finding.against or not len(finding.tested):
            continue
        best, width = finding.strongest_for(), max(map(len, finding.against))
        lines.append(Text(f"Attackers of {display_name(finding.sanitizer)}", style="bold"))
        for name, one in finding.against.items():
            lines.append(
                Text.assemble(
                    f"  {name.ljust(width)}  δ ", (f"{number(one.delta):<8}", "bold"),
                    f"  mean {number(one.mean):<8}  strongest for {best[name]:,} of "
                    f"{len(finding.tested):,}",
                )
            )  # fmt: skip
    return lines


def _remark(said: dict[str, Text], kind: str, what: str, style: str = "bold") -> None:
    said.setdefault(f"{kind}: {what}", Text.assemble((f"{kind}: ", style), what))


def worst_records(finding: DifferentialInference, n: int) -> Table:
    """The worst-placed people under one sanitizer: their values, d, and what is believed.

    Beliefs are shown if the finding kept them.
    """
    grid = Table.grid(padding=(0, 2))
    for place in finding.worst_places(n):
        text = _person(finding, int(finding.targets[place]))
        if finding.present is not None and finding.absent is not None:
            text.append(_beliefs(finding, finding.absent[place], finding.present[place], place))
        grid.add_row("", Text(number(finding.distances[place]), style="bold red"), text)
    return grid


def _person(finding: DifferentialInference, record: int) -> Text:
    secret = finding.microdata.sensitive
    values = (f"{c.name} {c.texts[c.codes[record]]}" for c in finding.microdata.quasi)
    # Rows count from 1, as in every message.
    return Text.assemble(
        harmless(f"row {finding.microdata.rows[record] + 1}: {', '.join(values)}; "),
        (harmless(f"{secret.name} {secret.texts[secret.codes[record]]}"), "bold"),
    )


def _beliefs(
    finding: DifferentialInference,
    absent: NDArray[np.float64],
    present: NDArray[np.float64],
    place: int,
) -> str:
    """What is believed of the true value and, if another one moved more, of that: without the
    record → with it.
    """
    secret = finding.microdata.sensitive
    own = int(secret.codes[finding.targets[place]])
    most = int(np.abs(present - absent).argmax())
    shown = [
        harmless(f"{secret.texts[s]} {absent[s]:.0%} → {present[s]:.0%}")
        for s in dict.fromkeys([own, most])
    ]
    rest = secret.size - len(shown)
    others = f", and smaller shifts over the {rest} others" if rest > 1 else ""
    return f"\nbelief: {', '.join(shown)}{others}"
