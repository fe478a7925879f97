"""What attacks and measures return, as plain data that every renderer understands.

A `Finding` has *figures* (named numbers, on which thresholds are set), *facts* (what else goes into
JSON), a *story* (sentences, tables and charts), the values of individuals as a table, and notes.
How it prints, its JSON, its picture and its section of a report are written once, in
`unveil.render`, from these alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from unveil._text import percent
from unveil.errors import InputError, Listed, Message, Text, View

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as MatplotlibAxes
    from numpy.typing import NDArray

__all__ = [
    "SCHEMA",
    "Axis",
    "Breach",
    "Chart",
    "ChartKind",
    "Figure",
    "Finding",
    "Follows",
    "Matrix",
    "Question",
    "Row",
    "Series",
    "Story",
    "Table",
    "Value",
    "cell",
    "distribution",
    "numbers",
]

SCHEMA = 4
"""Version of the form of `Finding.to_dict`; grows when a key changes its meaning."""


class Question(StrEnum):
    """What a figure answers.

    The first three are what European guidance asks of an anonymization (Article 29 Working Party,
    Opinion 05/2014). The fourth is what the release is still good for.
    """

    SINGLING_OUT = "singling out"
    LINKABILITY = "linkability"
    INFERENCE = "inference"
    UTILITY = "utility"

    @property
    def asks(self) -> str | None:
        """What is asked; None of utility, which is not one of the three questions."""
        return {
            "singling out": "Can somebody's record be isolated?",
            "linkability": "Can records be linked to a person, or to each other?",
            "inference": "Can something be inferred about a person?",
        }.get(self.value)


class Follows(StrEnum):
    """What a number follows from, and so to whom it tells something new.

    An attacker who knows everybody's quasi-identifiers learns nothing from a number that follows
    from these, and one who has the release nothing from a number that follows from it. Everything
    else depends on who has which sensitive value: with many digits it is a fingerprint of the
    table, by which guesses at people's values can be tested. So a report for others shows it
    coarsely, or leaves it out. That is also done with what is not declared.

    Nobody has a release that is not published: then what follows from it tells something new, too.
    So does what follows from quasi-identifiers, where the sanitizer forms classes by sensitive
    values (`unveil.sanitize.Sanitizer.looks_at_secrets`). What follows from the columns that are
    published, and from nobody's row, tells nothing of anybody.
    """

    COLUMNS = "columns"
    QUASI = "quasi-identifiers"
    RELEASE = "release"
    SECRETS = "sensitive values"


@dataclass(frozen=True, kw_only=True)
class Breach:
    """How a figure answers one of the three questions.

    Attributes
    ----------
    says : str
        What it says of a release, with its attacker and without the full stop; ``{value}`` stands
        for the number.
    above : float
        Numbers above it answer the question with yes.
    chance : float
        The number of an attacker who learns nothing.
    question : Question, optional
        If it is not the one that the figure stands under.
    only_yes : bool
        Whether a number that is not above it answers nothing.
    """

    says: str
    above: float = 0.0
    chance: float = 0.0
    question: Question | None = None
    only_yes: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A named number that thresholds can be set on.

    Attributes
    ----------
    name : str
        As it is typed in a threshold: ``delta``.
    title : str
        As it stands above a column: ``δ``.
    says : str
        What it is, in one sentence without the full stop.
    question : Question
    lower_is_better : bool
    share : bool
        A share of people or records, shown in percent.
    at_most_one : bool
        Never above 1, as all shares are. A threshold on it may be given in percent.
    is_bound : bool
        It is itself the unfavourable end of what is known, with the other end as `Value.low` (or
        `Value.high`). It fails a threshold only if the other end does as well.
    of_the_worst : bool
        The figure of the worst-placed person. It is known only if everybody was tested.
    breach : Breach, optional
        How it answers one of the three questions, if it does so by itself.
    never_above : float, optional
        A release with more of it fails, whatever the thresholds.
    follows_from : Follows
        What it follows from. What is not declared is shown to others as a coarse range.
    averages : bool
        A mean or a share over people, to which each person adds one over their number at most.
        Others see a narrower range of it than of an extreme.
    beyond_a_limit : bool
        A share of the people whose own number is beyond a limit. One person's value can carry many
        others over it, so others see steps of several groups of people.
    below_zero : bool
        It is a difference that can be below 0. Where others are told nothing of it, not even this.
    of_several : bool
        It says more than others only where a person may have several rows, and is shown only there.
    """

    name: str
    title: str
    says: str
    question: Question
    lower_is_better: bool = True
    share: bool = False
    at_most_one: bool = False
    of_the_worst: bool = False
    breach: Breach | None = None
    never_above: float | None = None
    is_bound: bool = False
    follows_from: Follows = Follows.SECRETS
    averages: bool = False
    beyond_a_limit: bool = False
    below_zero: bool = False
    of_several: bool = False

    def __post_init__(self) -> None:
        if self.share:
            object.__setattr__(self, "at_most_one", True)

    def text(self, value: float | None) -> str:
        """A value of it, for people.

        >>> share = Figure(name="a", title="a", says="", question=Question.UTILITY, share=True)
        >>> plain = Figure(name="b", title="b", says="", question=Question.UTILITY)
        >>> share.text(0.0312), plain.text(5), plain.text(0.0482), plain.text(0.998)
        ('3.1%', '5', '0.048', '>0.99')
        >>> plain.text(None), plain.text(math.inf)
        ('–', 'infinite')
        """
        if value is None or math.isnan(value):
            return "–"
        if math.isinf(value):
            return "infinite"
        if self.share:
            return _percent(value)
        if float(value).is_integer() and abs(value) < 1e15:
            return f"{int(value):,}"
        if abs(value) >= 1000:
            return f"{value:,.0f}"
        if abs(value) >= 1:
            return f"{value:.3g}"
        return ">0.99" if value >= 0.995 else f"{value:.2g}"

    def of(
        self,
        value: float | None,
        *,
        low: float | None = None,
        high: float | None = None,
        among: str | None = None,
        people: int | None = None,
        by: str | None = None,
        why_not: Text | None = None,
        remedy: Text | None = None,
        because: Text | None = None,
    ) -> Value:
        """A value of this figure."""
        value = None if value is None else float(value)
        return Value(
            figure=self, value=value, low=low, high=high, among=among, people=people,
            by=None if value is None else by, why_not=why_not if value is None else None,
            remedy=remedy, because=because,
        )  # fmt: skip


def _percent(share: float) -> str:
    if share < 0:  # a gain can be a loss
        return f"−{_percent(-share).lstrip('<>')}"
    if share in (0, 1):
        return f"{share:.0%}"
    if share < 0.0005:
        return "<0.1%"
    return ">99.9%" if share > 0.9995 else f"{share:.1%}"


@dataclass(frozen=True, kw_only=True)
class Value:
    """The value of a figure, its interval, whom it is about, and who attains it.

    Attributes
    ----------
    value : float or None
        None where it is undefined.
    low, high : float, optional
        The 95 % interval, where it is an estimate.
    among : str, optional
        Whom it is about, if not everybody: ``among the 3 of 200 people tested``.
    people : int, optional
        How many people it is of, if not of everybody.
    by : str, optional
        The attacker who attains it, where there are several kinds; continues "by …":
        ``conditional frequency``. Another attacker may attain more.
    why_not : str or Message, optional
        Why it is undefined.
    remedy : str or Message, optional
        What would make it known, or known better, such as a longer budget.
    because : str or Message, optional
        What it is made up of, for the sentence of a release that fails by it.
    """

    figure: Figure
    value: float | None
    low: float | None = None
    high: float | None = None
    among: str | None = None
    people: int | None = None
    by: str | None = None
    why_not: Text | None = None
    remedy: Text | None = None
    because: Text | None = None


ChartKind: TypeAlias = Literal["distribution", "histogram", "bars", "heatmap", "points", "curves"]

Row: TypeAlias = Sequence[Any]
"""A row of a table: texts, messages, whole numbers, and other numbers with their texts (`cell`)."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What stands along an axis."""

    label: Text
    scale: Literal["linear", "log", "names"] = "linear"
    share: bool = False
    """Whether its numbers are shares, shown in percent."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """What belongs together in a chart: x and y of each mark, and the interval of y."""

    name: Text
    x: Sequence[Any]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    marks: Sequence[Text] = ()
    """The names of the marks, if they have any."""
    people: int | None = None
    """How many people a distribution is of. Others see no distribution that does not say it."""
    figure: Figure | None = None
    """Of bars: the figure that they repeat, which others see by the same ranges."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The cells of a heat map, row by row."""

    rows: Sequence[Text]
    columns: Sequence[Text]
    cells: Sequence[Sequence[float | None]]


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture as data.

    Attributes
    ----------
    kind : str
        ``distribution`` (steps that rise from 0 to 1), ``histogram`` (x has the edges of the bins,
        one more than y), ``bars``, ``points``, ``curves`` (lines through points) or ``heatmap``.
    title : str
        What is plotted. Charts of several releases with the same kind and title are drawn as one.
    says : str
        What to see.
    x, y : Axis
    series : sequence of Series
    matrix : Matrix, optional
        Of a heat map, instead of series.
    rank : float, optional
        Of several charts with the same title, draw only the one with the largest rank.
    in_terminal : bool
        Of a distribution on a log axis: the command shows it too, in block characters.
    most : int, optional
        Of bars, draw only so many names: those with the largest values in any release.
    follows_from : Follows, optional
        What its numbers follow from, if not from what those of the finding do.
    coarse : bool
        Its values are ranges, drawn at their middle. Renderers make such charts for others.
    """

    kind: ChartKind
    title: Text
    says: Text
    x: Axis
    y: Axis
    series: Sequence[Series] = ()
    matrix: Matrix | None = None
    rank: float | None = None
    in_terminal: bool = False
    most: int | None = None
    follows_from: Follows | None = None
    coarse: bool = False


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of texts and numbers.

    Attributes
    ----------
    title : str
        Tables of several releases with the same title are shown as one.
    columns : sequence of str or Message
        The heads. A column in which a number stands is shown to the right.
    rows : sequence of rows
        Texts, messages, whole numbers, and other numbers with their texts (`cell`, or a pair).
    across : bool
        Of several releases, put their columns side by side: rows belong together by their first
        cell. Otherwise the rows follow each other, with the release in front.
    private : bool
        It shows cells of the table. A text leaves it out, and a report masks it.
    follows_from : Follows, optional
        What its numbers follow from, if not from what those of the finding do.
    """

    title: Text = ""
    says: Text = ""
    columns: Sequence[Text] = ()
    rows: Sequence[Row] = ()
    across: bool = False
    private: bool = False
    follows_from: Follows | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", [[_cell(one) for one in row] for row in self.rows])

    @property
    def texts(self) -> set[int]:
        """Which columns have texts; the first always has."""
        with_numbers = {
            place for row in self.rows for place, one in enumerate(row) if isinstance(one, tuple)
        }
        return {0} | set(range(len(self.columns))) - with_numbers


def cell(value: Any, form: str | Callable[[Any], str] = ",") -> tuple[Any, str]:
    """A number in a table and how it is shown: ``%`` in percent, otherwise as Python's formats.

    >>> cell(1234), cell(0.0123, "%"), cell(0.5, ".3f"), cell(None, "%"), cell(7, "{} of 9".format)
    ((1234, '1,234'), (0.0123, '1.2%'), (0.5, '0.500'), (None, '–'), (7, '7 of 9'))
    """
    if (value is None and not callable(form)) or (value is not None and math.isnan(value)):
        return None, "–"
    return value, (
        form(value) if callable(form) else percent(value) if form == "%" else f"{value:{form}}"
    )


def _cell(given: Any) -> Any:
    if not isinstance(given, Integral | tuple):
        return given
    value, text = given if isinstance(given, tuple) else cell(given)
    return (None if value is None or not math.isfinite(value) else float(value)), text


@dataclass(frozen=True, kw_only=True)
class Story:
    """What a finding tells.

    Attributes
    ----------
    title : str or Message
        The method, and what it was tried on.
    about : sequence of str or Message
        How it was done, in a line or two beneath the title.
    verdict : str or Message
        What was found, in one sentence: the head of a report's section.
    sentences : sequence of str or Message
        What else there is to say of this release alone.
    tables, charts : sequences
    closer : sequence of Chart
        Charts for a closer look, which a report leaves out.
    diagnostics : sequence of str or Message
        How exact the numbers are.
    """

    title: Text
    about: Sequence[Text] = ()
    verdict: Text = ""
    sentences: Sequence[Text] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    closer: Sequence[Chart] = ()
    diagnostics: Sequence[Text] = ()

    def chart(self, which: int | str = 0) -> Chart:
        """One of the charts, by its number, counted from 0, or by a part of its title."""
        every = [*self.charts, *self.closer]
        if str(which).isdecimal():
            found = every[int(which) :]
        else:
            found = [one for one in every if str(which).casefold() in str(one.title).casefold()]
        if not found:
            raise InputError(
                "there is no chart {which}; {charts}", which=repr(which),
                charts=Message("choose from: {titles}", titles=Listed(
                    [f"{number} {one.title}" for number, one in enumerate(every)]
                )) if every else "this finding has none",
            )  # fmt: skip
        return found[0]


_PYTHON = View()


class Finding:
    """The frozen result of an attack or a measure.

    A subclass is a frozen dataclass that says what was found: its fields and properties, `figures`,
    `facts`, `story`, `to_frame` and `notes`. Everything else is rendered from these.
    """

    entry: ClassVar[str] = "finding"
    """The name of the attack or measure, as it is registered."""

    follows_from: ClassVar[Follows] = Follows.SECRETS
    """What all that it tells follows from, unless a table or a chart says otherwise.

    If that is who has which sensitive value, as it is unless declared, others see charts coarsely,
    of tables only whom they name, and a sentence only if all its numbers are marked (`Amount`,
    `Known`); otherwise the ranges of its figures stand in its place.
    """

    notes: Sequence[Text] = ()

    @property
    def figures(self) -> tuple[Value, ...]:
        """The named numbers."""
        return ()

    @property
    def facts(self) -> Mapping[str, Any]:
        """What else goes into JSON: plain values that say nothing about individuals."""
        return {}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        """Facts that may point to individuals. They go into JSON only with the records."""
        return {}

    def attributes(self, names: str) -> dict[str, Any]:
        """Attributes by their names, which have spaces between them, for `facts`."""
        return {name: getattr(self, name) for name in names.split()}

    def story(self, release: Text | None = None) -> Story:
        """Sentences, tables and charts.

        Parameters
        ----------
        release : str or Message, optional
            What the release is called where several are told of.
        """
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """One row per person, record or class."""
        raise NotImplementedError

    def of_person(self, person: int | str) -> Table:
        """What was found about one person, by number or name; where the attack has people."""
        raise NotImplementedError

    def of_worst(self, n: int) -> Table:
        """The n people who are worst off; where the attack ranks people."""
        raise NotImplementedError

    def verdict(self, release: Text | None = None) -> str:
        """What was found, in one sentence."""
        from unveil.errors import shown

        story = self.story(release)
        return shown(story.verdict or story.title, _PYTHON)

    def summary(self, view: View = _PYTHON) -> str:
        """What was found, as text."""
        from unveil.render import text_of

        return text_of(self.story(), self.notes, view)

    def content(self, *, records: bool) -> dict[str, Any]:
        """The finding's own part of `to_dict`."""
        from unveil.render import finding_content

        return finding_content(self, records=records)

    def to_dict(self, *, records: bool = False) -> dict[str, Any]:
        """The finding as plain values, ready for JSON.

        Parameters
        ----------
        records : bool
            Include the values of individuals. By default a finding says nothing about them.

        Returns
        -------
        dict
            ``"private"`` is true: the numbers are exact, so it is for the owner of the table and
            not to be handed on, with or without records. An `Audit` makes what is for others.
        """
        from unveil._version import __version__

        content = self.content(records=records)
        if "notes" in content:
            content["notes"] = [str(note) for note in content["notes"]]
        # An audit is made for others, and says itself whether; a finding has exact numbers, which
        # can give away people.
        whose = {} if "private" in content else {"private": True}
        return {"unveil": __version__, "schema": SCHEMA, **whose, **content}

    def to_json(self, *, records: bool = False) -> str:
        """`to_dict` as JSON."""
        from unveil.render import json_text

        return json_text(self.to_dict(records=records))

    def plot(self, ax: MatplotlibAxes | None = None, *, chart: int | str = 0) -> MatplotlibAxes:
        """Draw one of the charts of the story; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        chart : int or str
            Which of the story's charts: its number, counted from 0, or a part of its title.
        """
        from unveil.render import draw

        told = self.story()
        if not told.charts:
            raise InputError("there is nothing to draw: {found}", found=self.verdict())
        return draw(told.chart(chart), ax)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """For notebooks."""
        from unveil.render import html_of

        return html_of(self.summary())


_STEPS = 256  # of a distribution: more cannot be seen


def numbers(values: Iterable[float] | NDArray[Any]) -> list[float | None]:
    """Numbers for a chart, in which what is not finite is not drawn.

    >>> numbers([0.5, float("nan"), 1])
    [0.5, None, 1.0]
    """
    return [float(value) if math.isfinite(value) else None for value in values]


def distribution(
    name: Text, values: NDArray[Any], *, floor: float = 0.0, weights: NDArray[Any] | None = None
) -> Series:
    """The distribution function of values, thinned to as many steps as can be seen.

    With weights, each value counts as often as its weight says.

    The largest value is always kept, and each kept step is a true point of the distribution.

    >>> import numpy as np
    >>> distribution("d", np.array([0.3, 0.1, 0.3, 0.0]), floor=0.01)
    Series(name='d', x=[0.01, 0.1, 0.3], y=[0.25, 0.5, 1.0], low=(), high=(), marks=(), people=4,
        figure=None)
    """
    import numpy as np

    values = values.astype(np.float64)
    counts = np.ones(len(values)) if weights is None else weights
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    so_far = np.append(0.0, np.cumsum(counts[order]))
    at, last = np.unique(np.maximum(values[order], floor), return_index=True)
    upto = so_far[np.append(last[1:], len(order))] / max(1.0, counts[~np.isnan(values)].sum())
    if len(at) > _STEPS:
        # Evenly over the people, and the ends as they are.
        kept = np.searchsorted(upto, np.linspace(upto[0], upto[-1], _STEPS))
        kept = np.unique(np.append(kept, [0, len(at) - 1]))
        at, upto = at[kept], upto[kept]
    return Series(name=name, x=numbers(at), y=numbers(upto), people=len(values))
