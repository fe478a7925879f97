"""What others may see of a finding: ranges, and what stands for several people.

A number that depends on who has which sensitive value is a fingerprint of the table. Whoever knows
everybody's quasi-identifiers and the release can permute the values within each class, run the same
attack, and keep the permutations by which the number comes out. With sixteen digits one person's
number gives that person away; with two digits of a hundred numbers so do they together. So others
see numbers that tell them something new only as ranges on a fixed grid. They see no number of one
person, and no point of a curve that stands for a few.

All of it follows from what findings declare (`unveil.findings.Follows`). What is not declared is
taken to depend on people's sensitive values.

A release that is not published is looked at with even less detail. Its classes are others than
those that are published, and where two of them overlap, the numbers of both together are about a
few people. So of the table as it is, and of each of several candidates, others see figures alone:
no curve, no table, no choice of words.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unveil.errors import (
    HIDDEN,
    SMALLEST,
    Amount,
    Chosen,
    Known,
    Listed,
    Message,
    Person,
    Text,
    View,
)
from unveil.errors import shown as worded
from unveil.findings import (
    Chart,
    Figure,
    Finding,
    Follows,
    Series,
    Story,
    Table,
    Value,
    numbers,
)

_EXTREME = 0.1  # the width of the range of a number from 0 to 1 that may be one person's
_WIDEST = 0.5  # the same of a release that is not published: wider ones say nothing
_FINEST = 0.001  # of a mean or a share over many people
_CURVE = 0.05  # the least step of a curve over people
_SEVERAL = 5  # groups that a step of a curve stands for, and of a mean of what is not published
_STEEPEST = 0.25  # a curve with larger steps shows nothing
_LEAST = 0.001  # on log axes: what is smaller is drawn there

_UNTOLD = "Under {release}, what was found would tell of people; it is in the private report."

Ends = tuple[float, float]


def grid_step(least: float) -> float:
    """The next larger of 1, 2 and 5 times a power of ten.

    >>> [grid_step(least) for least in (0.0053, 0.02, 0.021, 0.3)]
    [0.01, 0.02, 0.05, 0.5]
    """
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))
    return float(f"{step * power:.3g}")


def within_steps(value: float, step: float) -> Ends:
    """The ends of the step that a number from −1 to 1 lies in; 1 is in the last one.

    >>> within_steps(0.83, 0.1), within_steps(1.0, 0.1), within_steps(-0.01, 0.02)
    ((0.8, 0.9), (0.9, 1.0), (-0.02, 0.0))
    """
    place = math.floor(value / step + 1e-9)
    if value >= 1 - 1e-12:
        place = math.ceil(1 / step - 1e-9) - 1
    return float(f"{place * step:.6g}"), float(f"{min((place + 1) * step, 1.0):.6g}")


def within_decades(value: float, edges: Sequence[int] = (1, 2, 5, 10)) -> Ends:
    """The ends of the range from 1, 2 or 5 times a power of ten that a number lies in.

    >>> within_decades(3.7), within_decades(5), within_decades(0.04), within_decades(-300)
    ((2.0, 5.0), (5.0, 10.0), (0.0, 0.1), (-500.0, -200.0))
    >>> within_decades(3.7, (1, 10))
    (1.0, 10.0)
    """
    if value < 0:
        low, high = within_decades(-value, edges)
        return -high, -low
    if value < 0.1:
        return 0.0, 0.1
    power = 10.0 ** math.floor(math.log10(value) + 1e-12)
    ends = [float(f"{edge * power:.3g}") for edge in edges]
    place = max(n for n, end in enumerate(ends) if end <= value * (1 + 1e-9))
    return ends[place], ends[min(place + 1, len(ends) - 1)]


def joined(low: str, high: str, word: str = "–") -> str:
    """Two ends of a range in one text; a unit that both have is said once.

    >>> joined("80 points", "90 points", " to "), joined("30%", "40%"), joined("0.8", "0.9")
    ('80 to 90 points', '30–40%', '0.8–0.9')
    >>> joined("84%", "84%", " to ")
    'about 84%'
    """
    if low == high:
        return f"about {low}"
    plain_low, plain_high = low.lstrip("-−0123456789.,"), high.lstrip("-−0123456789.,")
    if plain_low and plain_low.strip().rstrip("s") == plain_high.strip().rstrip("s"):
        low = low[: len(low) - len(plain_low)]
    return f"{low}{word}{high}"


@dataclass(frozen=True, kw_only=True)
class Coarseness:
    """How coarsely a reader sees what was found in one release.

    Attributes
    ----------
    people : int
        In the table.
    smallest : int
        What stands for fewer people is not shown.
    published : bool
        Whether the reader has the release: what follows from it tells them nothing new.
    alone : bool
        Whether everything was found in the release alone, and so follows from it.
    blind : bool
        Whether the classes of the release are known not to depend on sensitive values.
    exact : bool
        Whether the reader is the owner of the table, who sees everything.
    """

    people: int = 0
    smallest: int = SMALLEST
    published: bool = False
    alone: bool = False
    blind: bool = False
    exact: bool = True

    def shows(self, follows: Follows) -> bool:
        """Whether numbers that follow from this are shown as they are."""
        return (
            self.exact
            or follows is Follows.COLUMNS
            or (follows is Follows.QUASI and (self.published or self.blind))
            or ((follows is Follows.RELEASE or self.alone) and self.published)
        )

    def ends(self, figure: Figure, value: float, people: int | None = None) -> Ends | None:
        """The range that others see of a figure; None if they see the number, or it is infinite.

        >>> delta = Figure(name="d", title="δ", says="", question="inference", at_most_one=True)
        >>> mean = replace(delta, averages=True)
        >>> coarse = Coarseness(people=944, exact=False, published=True)
        >>> coarse.ends(delta, 0.83), coarse.ends(mean, 0.0482), coarse.ends(mean, 0.0482, 12)
        ((0.8, 0.9), (0.04, 0.05), (0.0, 0.5))
        >>> one_of_several = replace(coarse, published=False)
        >>> one_of_several.ends(delta, 0.83), one_of_several.ends(mean, 0.0482)
        ((0.8, 0.9), (0.0, 0.05))
        >>> replace(one_of_several, people=60).ends(delta, 0.83)
        (0.0, 1.0)
        """
        if self.shows(figure.follows_from) or not math.isfinite(value):
            return None
        if figure.averages and abs(value) <= 1:
            step = self._mean_step(people, at_once=figure.beyond_a_limit)
            whole = (-1.0 if figure.below_zero else 0.0, 1.0)
            return within_steps(value, step) if step < 1 else whole
        return self._extreme(value, at_most_one=figure.at_most_one)

    def _mean_step(self, people: int | None = None, *, at_once: bool = False) -> float:
        """The step of a mean: others see what people of a group, or of several, change together."""
        step = self._of_people(people, _FINEST, 1 if self.published and not at_once else _SEVERAL)
        return step if self.published or step < _WIDEST else 1.0  # even one bit is too much

    def _of_people(self, people: int | None, least: float, groups: int = 1) -> float:
        """The least step of a share over so many people that the smallest groups make."""
        people = self.people if people is None else people
        fewest = self.smallest * groups
        share = fewest / people if people > fewest else 1.0
        return min(1.0, grid_step(max(share, least)))

    def _extreme(self, value: float, *, at_most_one: bool) -> Ends:
        # What is above 1 by rounding alone is 1.
        if at_most_one and abs(value) <= 1 + 1e-9:
            return within_steps(min(value, 1.0), self._extreme_step)
        return within_decades(value, (1, 2, 5, 10) if self._extreme_step < _WIDEST else (1, 10))

    @property
    def _extreme_step(self) -> float:
        if self.published:
            return _EXTREME
        return max(_EXTREME, self._mean_step())

    @property
    def says_little(self) -> bool:
        """Whether the table is so small that even one bit about it tells of people.

        >>> coarse = Coarseness(people=100, exact=False)
        >>> coarse.says_little, replace(coarse, people=125).says_little
        (True, False)
        >>> replace(coarse, published=True).says_little
        False
        """
        return not self.exact and self._extreme_step >= 1

    def value_ends(self, value: Value) -> Ends | None:
        """The same of a value, which may be of some people only."""
        if value.value is None or math.isnan(value.value):
            return None
        some = value.among is not None and value.people is None  # nobody says of how many
        figure = replace(value.figure, averages=False) if some else value.figure
        return self.ends(figure, value.value, value.people)

    def interval(self, value: Value) -> tuple[float | None, float | None]:
        """The ends of the interval of an estimate, outwards to those of their ranges."""
        around = self.value_ends(value)
        if around is not None and value.figure.at_most_one and around[1] - around[0] >= 1:
            return None, None  # nothing is told of it, nor whether it may be below 0
        outer: list[float | None] = []
        for side, end in enumerate((value.low, value.high)):
            found = None if end is None else self.value_ends(replace(value, value=end))
            outer.append(end if found is None else found[side])
        return outer[0], outer[1]

    def text(self, value: Value | None, word: str = "–") -> str:
        """A value for people: the number, or its range."""
        if value is None:
            return "–"
        ends = self.value_ends(value)
        if ends is None:
            return value.figure.text(value.value)
        low, high = (end_text(value.figure, end) for end in ends)
        return joined(low, high, word)

    def plain(self, value: Value) -> Any:
        """A value for JSON: the number with the digits that are shown, or the ends of its range."""
        ends = self.value_ends(value)
        if ends is not None:
            return list(ends)
        return value.value if self.exact or value.value is None else as_shown(value.value)

    def by(self, value: Value) -> str | None:
        """Who attains a value, which is chosen by people's sensitive values."""
        return value.by if self.exact or self.published else None

    def amount(self, amount: Amount | Chosen) -> str:
        """A value in a sentence, or words that were chosen by values."""
        if isinstance(amount, Chosen):
            return amount.text if self.exact or self.published else amount.instead
        ends = self.ends(amount.figure, amount.value, amount.people)
        if ends is None:
            return amount.form(amount.value)
        if amount.ranged is not None:
            return amount.ranged(*ends)
        return joined(amount.form(ends[0]), amount.form(ends[1]), " to ")

    # What a finding tells ---------------------------------------------------------------------

    def view(self, view: View, follows: Follows) -> View:
        """How texts are worded whose numbers follow from this: without them, unless marked."""
        return view if self.shows(follows) else replace(view, amount=self.amount)

    def story(self, finding: Finding, release: Text, view: View) -> Story:
        """What a finding tells, as others may see it; texts are worded."""
        told, follows = finding.story(release), finding.follows_from
        if self.exact:
            return told
        hiding = self.view(view, follows)
        verdict = worded(told.verdict, hiding)
        if not self.shows(Follows.QUASI) or (self.says_little and not self.shows(follows)):
            # Texts say what follows from quasi-identifiers as it is; here nothing does. And which
            # text is chosen may tell whether a number is 0.
            said: Text = self.in_figures(finding, release) if finding.figures else ""
            if not said and self.shows(Follows.QUASI):
                said = Message(_UNTOLD, release=release)
            told = replace(told, sentences=())
            verdict = worded(said, hiding)
        elif HIDDEN in verdict:
            verdict = worded(self.in_figures(finding, release), hiding)
        return replace(
            told, verdict=verdict, sentences=self.sentences(told.sentences, follows, view),
            tables=[one for one in (self.table(t, follows, view) for t in told.tables) if one],
            charts=[one for one in (self.chart(c, follows, view) for c in told.charts) if one],
            closer=(), diagnostics=self.sentences(told.diagnostics, follows, view),
        )  # fmt: skip

    def sentences(self, texts: Sequence[Text], follows: Follows, view: View) -> list[str]:
        """Those of which every number may be seen."""
        said = [worded(text, self.view(view, follows)) for text in texts]
        return [text for text in said if HIDDEN not in text]

    def in_figures(self, finding: Finding, release: Text) -> Message:
        """What was found, by the ranges of the figures alone."""
        known = [
            Message("{title} is {range}{by}", title=Known(one.figure.title),
                    range=Known(self.text(one, " to ")),
                    by=Known(f" by {self.by(one)}" if self.by(one) else ""))
            for one in finding.figures if one.value is not None
        ]  # fmt: skip
        if not known:
            return Message("Under {release}, no figure is known.", release=release)
        return Message("Under {release}, {figures}.", release=release, figures=Listed(known, "and"))

    def table(self, table: Table, follows: Follows, view: View) -> Table | None:
        """A table: numbers as they are shown, or only whom it names, in an order of no meaning.

        How many it names tells something as well, if they are fewer than others may see.
        """
        if self.shows(table.follows_from or follows):
            return replace(table, rows=[[_cell(one, view) for one in row] for row in table.rows])
        if not self.published or len(table.rows) < self.smallest:
            return None
        hiding = self.view(view, Follows.SECRETS)
        people = [
            place for place in range(len(table.columns))
            if table.rows and all(isinstance(row[place], Person) for row in table.rows)
        ]  # fmt: skip
        if not people:
            return None
        named = sorted([worded(row[place], view) for place in people] for row in table.rows)
        says = worded(table.says, hiding)
        return replace(
            table, columns=[table.columns[place] for place in people],
            rows=named,
            says=f"{'' if HIDDEN in says else says} In no order.".strip(),
        )  # fmt: skip

    def chart(self, chart: Chart, follows: Follows, view: View) -> Chart | None:
        """A chart: numbers with a few digits, or coarse; None if it has no coarse form."""
        if self.shows(chart.follows_from or follows):
            return _with_few_digits(chart)
        series: list[Series]
        if any((one.people or 0) < self.smallest for one in chart.series):
            return None
        if not self.published and any(one.figure is None for one in chart.series):
            return None
        if chart.kind == "distribution":
            if any(self._step(one) > _STEEPEST for one in chart.series):
                return None
            series = [self._steps(one, chart) for one in chart.series]
        elif chart.kind == "bars":
            series = self._ranges(chart.series, view)
        else:
            return None
        says = worded(chart.says, self.view(view, Follows.SECRETS))
        return replace(
            chart, series=series, coarse=True, in_terminal=False,
            says="" if HIDDEN in says else says,
        )  # fmt: skip

    def _step(self, one: Series) -> float:
        return self._of_people(one.people, _CURVE, _SEVERAL)

    def _steps(self, one: Series, chart: Chart) -> Series:
        """A distribution at the edges of a fixed grid, in steps of several people each."""
        known = [(x, y) for x, y in zip(one.x, one.y, strict=True) if x is not None]
        if not known:
            return replace(one, x=[], y=[], people=None)
        xs, ys = [x for x, _ in known], [y or 0.0 for _, y in known]
        step = self._step(one)
        edges = _edges(xs[0], xs[-1], log=chart.x.scale == "log")
        shares = [0.0 if edge < xs[0] else ys[_last_upto(xs, edge)] for edge in edges]
        rounded = [min(1.0, float(f"{round(y / step) * step:.6g}")) for y in shares]
        # Where it begins is where a step of several people is, not where the first of them is.
        first = max((n for n, y in enumerate(rounded) if y == 0), default=0)
        return replace(one, x=edges[first:], y=numbers(rounded[first:]), people=None)

    def _ranges(self, series: Sequence[Series], view: View) -> list[Series]:
        """Bars as ranges, drawn at their middle."""
        ranged = []
        for one in series:
            ends = [None if y is None else self._bar(one, y) for y in one.y]
            ranged.append(replace(
                one, people=None, y=[None if end is None else middle(end) for end in ends],
                low=[None if end is None else end[0] for end in ends],
                high=[None if end is None else end[1] for end in ends],
            ))  # fmt: skip
        return _in_order(ranged, view)

    def _bar(self, one: Series, y: float) -> Ends:
        ends = None if one.figure is None else self.ends(one.figure, y, one.people)
        return ends or self._extreme(y, at_most_one=True)


def _edges(least: float, most: float, *, log: bool) -> list[float]:
    """Edges of ranges that have numbers between these, the last at or above the largest."""
    if not log and least >= -1 and most <= 1:
        low, high = within_steps(least, _EXTREME)[0], within_steps(most, _EXTREME)[1]
        count = round((high - low) / _EXTREME)
        return [float(f"{low + n * _EXTREME:.6g}") for n in range(1, count + 1)]
    edges, edge = [], _LEAST
    while edge < most * (1 - 1e-9):
        edges.append(edge)
        edge = float(f"{edge * (2.5 if f'{edge:e}'.startswith('2') else 2):.6g}")
    edges.append(edge)
    before = max((n for n, one in enumerate(edges) if one <= least), default=0)
    return edges[before:]


def _last_upto(xs: Sequence[float], edge: float) -> int:
    """The place of the last x up to an edge, which may be one of them but for rounding."""
    return bisect_left(xs, edge * (1 + 1e-9) if edge > 0 else edge + 1e-12) - 1


def _in_order(ranged: list[Series], view: View) -> list[Series]:
    """Bars that are ranges, in an order that follows from these."""
    if len({tuple(worded(x, view) for x in one.x) for one in ranged}) > 1:
        return ranged
    order = sorted(
        range(len(ranged[0].x) if ranged else 0),
        key=lambda n: ([-(one.y[n] or 0.0) for one in ranged], worded(ranged[0].x[n], view)),
    )
    return [
        replace(one, x=[one.x[n] for n in order], y=[one.y[n] for n in order],
                low=[one.low[n] for n in order], high=[one.high[n] for n in order])
        for one in ranged
    ]  # fmt: skip


def middle(ends: Sequence[float]) -> float:
    """Where a range is drawn.

    >>> middle([0.8, 0.9])
    0.85
    """
    return float(f"{(ends[0] + ends[1]) / 2:.6g}")


def _with_few_digits(chart: Chart) -> Chart:
    def few(values: Sequence[Any]) -> list[Any]:
        return [as_shown(one) if isinstance(one, float | int) else one for one in values]

    matrix = chart.matrix and replace(chart.matrix, cells=[few(row) for row in chart.matrix.cells])
    series = [
        replace(one, x=few(one.x), y=few(one.y), low=few(one.low), high=few(one.high))
        for one in chart.series
    ]
    return replace(chart, series=series, matrix=matrix)


def _cell(given: Any, view: View) -> Any:
    if isinstance(given, Person):
        return worded(given, view)  # a reference of this place
    if isinstance(given, tuple) and given[0] is not None:
        return as_shown(given[0]), given[1]
    return given


def as_shown(value: float) -> float:
    """A number with three digits; whole ones as they are.

    >>> as_shown(0.123456), as_shown(1234.0), as_shown(1234.5)
    (0.123, 1234.0, 1230.0)
    """
    if not math.isfinite(value) or float(value).is_integer():
        return float(value)
    return float(f"{value:.3g}")


def end_text(figure: Figure, end: float) -> str:
    """One end of a range, which has few digits.

    >>> share = Figure(name="s", title="s", says="", question="inference", share=True)
    >>> end_text(share, 0.02), end_text(share, 0.001), end_text(replace(share, share=False), 20)
    ('2%', '0.1%', '20')
    """
    text = f"{100 * end:.6g}%" if figure.share else f"{end:,.6g}"
    return text.replace("-", "−")


def range_of(figure: Mapping[str, Any], value: Sequence[float]) -> str:
    """The text of a range of an audit's JSON; ``figure`` is what the audit says of it."""
    ends = (f"{100 * end:.6g}%" if figure["share"] else f"{end:,.6g}" for end in value)
    return joined(*(end.replace("-", "−") for end in ends))
