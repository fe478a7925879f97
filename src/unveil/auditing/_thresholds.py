"""Thresholds: what makes a release fail, such as ``delta > 0.05`` or ``k < 5``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from unveil._exits import ExitCode
from unveil.auditing._figures import Figure, Question, figure_named
from unveil.errors import InputError, Message, Option, Text, View, shown
from unveil.findings import Value
from unveil.render import Coarseness

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_SIGNS = {"≤": "<=", "≥": ">="}
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FORM = re.compile(r"\s*([^<>=≤≥]+?)\s*(<=|>=|<|>|≤|≥)\s*(\S+?)\s*(%?)\s*")

SAME = 1e-9
"""Numbers that differ by less, of their size, are the same."""


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A condition under which a release fails.

    Attributes
    ----------
    figure : Figure
    sign : str
        ``<``, ``<=``, ``>`` or ``>=``.
    bound : float
    """

    figure: Figure
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read what makes a release fail.

        What must hold, written in its place, would let the worst pass, and is refused.

        >>> print(Threshold.parse("delta > 0.05"))
        delta > 0.05
        >>> print(Threshold.parse("unique >= 1%"))
        unique >= 0.01
        >>> Threshold.parse("k == 5")
        Traceback (most recent call last):
        unveil.errors.InputError: cannot read 'k == 5' as a threshold; write a figure, one of ...
        >>> Threshold.parse("k >= 5")
        Traceback (most recent call last):
        unveil.errors.InputError: the threshold 'k >= 5' would fail what is good: of k, more is
        better, and a threshold says what makes a release fail; did you mean 'k < 5'?
        """
        threshold = cls.condition(text)
        if threshold.fails_the_better:
            raise InputError(
                "the threshold {text} would fail what is good: of {figure}, {which} is better, and "
                "a threshold says what makes a release fail; did you mean '{opposite}'?",
                text=repr(text), figure=threshold.figure.name, opposite=threshold.opposite,
                which="less" if threshold.figure.lower_is_better else "more",
            )  # fmt: skip
        return threshold

    @classmethod
    def condition(cls, text: str) -> Threshold:
        """Read any condition, whether or not it makes sense to fail by it.

        >>> print(Threshold.condition("k >= 5"))
        k >= 5
        """
        form = _FORM.fullmatch(text) if isinstance(text, str) else None
        bound = None if form is None else _number(form[3])
        if form is None or bound is None:
            raise InputError(
                "cannot read {text} as a threshold; write a figure, one of < <= > >=, and a "
                "number, such as 'delta > 0.05' or 'k < 5'", text=repr(text),
            )  # fmt: skip
        figure = figure_named(form[1])
        if form[4]:
            if not figure.at_most_one:
                raise InputError(
                    "{figure} is not a share, so {text} cannot be in percent; write a plain number",
                    figure=figure.name, text=repr(text),
                )  # fmt: skip
            bound /= 100
        if figure.at_most_one and abs(bound) > 1:
            raise InputError(
                "{figure} is never above 1, so {text} would always give the same answer; write a "
                "number up to 1{percent}",
                figure=figure.name, text=repr(text), percent=_in_percent(bound),
            )  # fmt: skip
        return cls(figure=figure, sign=_SIGNS.get(form[2], form[2]), bound=bound)

    @property
    def fails_the_better(self) -> bool:
        """Whether good releases fail, and bad ones pass.

        Utility may be wanted from both sides: classes not too small, and not too large.
        """
        return self.figure.question is not Question.UTILITY and self.figure.lower_is_better is (
            self.sign in ("<", "<=")
        )

    @property
    def opposite(self) -> Threshold:
        """The condition that holds wherever this one does not.

        >>> print(Threshold.parse("k < 5").opposite)
        k >= 5
        """
        return replace(self, sign=_OPPOSITE[self.sign])

    def __str__(self) -> str:
        # As many digits as it takes: what is printed can be typed again.
        bound = repr(float(self.bound)).removesuffix(".0")
        return f"{self.figure.name} {self.sign} {bound}"

    def check(self, value: Value | float | None, why_not: Text | None = None) -> Check:
        """What becomes of a release by this threshold. What is not known does not pass.

        A number that is an estimate, or of some people only, has to pass by the unfavourable end
        of its interval. ``why_not`` says why there is no number.
        """
        if not isinstance(value, Value):
            value = self.figure.of(value)
        at, end = _known(value.value), self._unfavourable(value)
        if at is not None and self._met(at) and not self._only_bounds(value):
            state = State.FAILS
        elif at is None or end is None or self._met(end):
            state = State.NOT_KNOWN
        else:
            state = State.PASSES
        return Check(threshold=self, of=value, state=state, why_not=why_not)

    @property
    def is_upwards(self) -> bool:
        """Whether large numbers fail."""
        return self.sign in (">", ">=")

    def _unfavourable(self, value: Value) -> float | None:
        """The end of the interval that decides; None where anything is possible."""
        end = _known(value.high if self.is_upwards else value.low)
        if end is not None:
            return end
        is_sure = value.low is value.high is None and value.among is None
        return _known(value.value) if is_sure else None

    def _only_bounds(self, value: Value) -> bool:
        """Whether the figure is a bound, and what it bounds may still be on the right side."""
        other = _known(value.low if self.is_upwards else value.high)
        return self.figure.is_bound and other is not None and not self._met(other)

    def _met(self, value: float) -> bool:
        compared = self.bound if _same(value, self.bound) else value
        return _OPERATORS[self.sign](compared, self.bound)


class State(StrEnum):
    """What is said of a release. ``str(state)`` is the word, from the worst to the best."""

    FAILS = "fails"
    NOT_TESTED = "not tested"
    NOT_KNOWN = "not known"
    PASSES = "passes"

    @property
    def exit_code(self) -> ExitCode:
        """By which a command says it."""
        told = {"fails": ExitCode.FAILS, "passes": ExitCode.DONE}
        return told.get(self.value, ExitCode.NOT_KNOWN)

    @property
    def sign(self) -> str:
        """The same without colour."""
        return {"fails": "✗", "not tested": "–", "not known": "?", "passes": "✓"}[self.value]


def worst(states: Iterable[State]) -> State | None:
    """The one that decides for all; None if there is none.

    >>> print(worst([State.PASSES, State.NOT_KNOWN]))
    not known
    """
    there = set(states)
    return next((state for state in State if state in there), None)


def in_short(states: Iterable[State]) -> str:
    """How many releases of how many are in each state.

    >>> in_short([State.PASSES, State.NOT_KNOWN, State.FAILS, State.FAILS])
    '2 of 4 releases fail, 1 is not known to pass, 1 passes'
    >>> in_short([State.PASSES]), in_short([State.NOT_TESTED] * 2)
    ('the release passes', '2 of 2 releases were not tested')
    """
    all_of_them = list(states)
    words = {
        State.FAILS: ("fails", "fail"), State.PASSES: ("passes", "pass"),
        State.NOT_TESTED: ("was not tested", "were not tested"),
        State.NOT_KNOWN: ("is not known to pass", "are not known to pass"),
    }  # fmt: skip
    counts = [(all_of_them.count(state), words[state]) for state in State if state in all_of_them]
    (first, said), *others = counts
    several = f"{first} of {len(all_of_them)} releases {said[first > 1]}"
    parts = ["the release " + said[0] if len(all_of_them) == 1 else several]
    return ", ".join([*parts, *(f"{count} {word[count > 1]}" for count, word in others)])


_EXACT = Coarseness()
_HOW = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}


@dataclass(frozen=True, kw_only=True)
class Check:
    """What became of a threshold for one release.

    Attributes
    ----------
    threshold : Threshold
    of : Value
        The number, its interval, and of whom it is.
    state : State
        Never ``not tested``: that is said of a release as a whole.
    why_not : str or Message, optional
        Why there is no number.
    """

    threshold: Threshold
    of: Value
    state: State
    why_not: Text | None = None

    @property
    def value(self) -> float | None:
        """The number; None where it is not known."""
        return _known(self.of.value)

    @property
    def passed(self) -> bool:
        """Whether the release surely passes."""
        return self.state is State.PASSES

    def __str__(self) -> str:
        """For people, in Python.

        >>> print(Threshold.parse("k < 5").check(3))
        k is 3, which is below 5
        >>> print(Threshold.parse("delta > 0.05").check(0.02))
        delta is 0.02, which is not above 0.05
        >>> print(Threshold.parse("delta > 0.05").check(None, "a file cannot be made anew"))
        delta is not known: a file cannot be made anew
        >>> delta = figure_named("delta")
        >>> print(Threshold.parse("delta > 0.05").check(delta.of(0.9, by="naive Bayes")))
        delta is 0.9 by naive Bayes, which is above 0.05
        """
        return shown(self.says(), View())

    def says(self, coarse: Coarseness = _EXACT) -> Message:
        """The same with its parts marked; the number as a reader may see it.

        >>> delta = figure_named("delta")
        >>> few = delta.of(0.02, high=1, among="among the 3 people tested")
        >>> print(shown(Threshold.parse("delta > 0.05").check(few).says(), View()))
        delta is 0.02 among the 3 people tested, which is not above 0.05, but of everybody it may
        be up to 1: give the test more to do (budget=)
        >>> others = Coarseness(people=944, exact=False)
        >>> print(Threshold.parse("delta > 0.5").check(delta.of(0.8341)).says(others))
        delta is 0.8 to 0.9, which is above 0.5
        >>> print(Threshold.parse("delta > 0.85").check(delta.of(0.8341)).says(others))
        delta is 0.8 to 0.9, and by the exact number not above 0.85
        """
        if self.value is None:
            return Message("{name} is not known: {why}", name=self.threshold.figure.name,
                           why=self.why_not or self.of.remedy or "there is no number")  # fmt: skip
        met = self.threshold._met(self.value)
        said, parts = self._compared(coarse, met=met)
        if met and self.of.because is not None:
            return Message(said + ": {because}", **parts, because=self.of.because)
        low, high = coarse.interval(self.of)
        if met and self.state is State.NOT_KNOWN:
            other = low if self.threshold.is_upwards else high
            said += "; but it is a bound, and the truth may be {low}: {remedy}"
            return Message(said, **parts, low=self.threshold.figure.text(other),
                           remedy=self._remedy(coarse))  # fmt: skip
        if met or (self.of.low is self.of.high is None and self.of.among is None):
            return Message(said, **parts)
        end = high if self.threshold.is_upwards else low
        if self.state is State.PASSES:
            return self._with_confidence(said, parts, end)
        said += ", but of everybody it" if self.of.among else ", but it"
        if _known(self.threshold._unfavourable(self.of)) is None or end is None:
            said += " is not known"
        else:
            said += " may be {way} {end}"
            parts |= {"way": "up to" if self.threshold.is_upwards else "down to",
                      "end": self._apart(end)}  # fmt: skip
        return Message(said + ": {remedy}", **parts, remedy=self._remedy(coarse))

    def _compared(self, coarse: Coarseness, *, met: bool) -> tuple[str, dict[str, Any]]:
        """The number beside its bound. A bound within the range is told of the exact number."""
        assert self.value is not None
        figure, bound = self.threshold.figure, self.threshold.bound
        ends = coarse.value_ends(self.of)
        text, limit = _apart(figure, self.value, bound)
        which = ", which is {no}{how} {limit}"
        if ends is not None:
            text, limit = coarse.text(self.of, " to "), figure.text(bound)
            if ends[0] < bound < ends[1]:
                which = ", and by the exact number {no}{how} {limit}"
        return "{name} is {text}{by}{whom}" + which, {
            "name": figure.name, "text": text, "limit": limit, "no": "" if met else "not ",
            "how": _HOW[self.threshold.sign], "whom": f" {self.of.among}" if self.of.among else "",
            "by": f" by {coarse.by(self.of)}" if coarse.by(self.of) else "",
        }  # fmt: skip

    def _with_confidence(self, said: str, parts: dict[str, Any], end: float | None) -> Message:
        """A pass by an estimate, with the end of its interval that decides if it can be shown."""
        assert self.value is not None
        if end is None or _same(end, self.value) or self.threshold._met(end):
            return Message(said, **parts)
        most = "at most" if self.threshold.is_upwards else "at least"
        return Message(said + " ({most} {end}, with 95% confidence)", **parts, most=most,
                       end=self._apart(end))  # fmt: skip

    def _apart(self, end: float) -> str:
        return _apart(self.threshold.figure, end, self.threshold.bound)[0]

    def _remedy(self, coarse: Coarseness) -> Text:
        """What would make the number known."""
        remedy = self.of.remedy or (
            Message("give the test more to do ({budget})", budget=Option("budget"))
            if self.of.among else "only more draws can tell"
        )  # fmt: skip
        if coarse.shows(self.threshold.figure.follows_from):
            return remedy
        return shown(remedy, coarse.view(View("report"), self.threshold.figure.follows_from))


def _apart(figure: Figure, value: float, bound: float) -> tuple[str, str]:
    """A number and its bound as texts, which are the same only if the numbers are."""
    text, limit = figure.text(value), figure.text(bound)
    if _same(value, bound):
        return limit, limit
    return told_apart(value, bound) if text == limit else (text, limit)


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _same(value: float, bound: float) -> bool:
    """Whether two numbers are one but for rounding: 0.1 + 0.2 is not above 0.3."""
    return math.isclose(value, bound, rel_tol=SAME, abs_tol=1e-12)


def _in_percent(bound: float) -> str:
    return f", or in percent: {bound:g}%" if 1 < bound <= 100 else ""


def told_apart(value: float, bound: float) -> tuple[str, str]:
    """Two numbers with as many digits as tell them apart."""
    for digits in range(3, 18):
        told = f"{value:.{digits}g}", f"{bound:.{digits}g}"
        # What is short of 1 is not called 1.
        if told[0] != told[1] and (float(told[0]) == 1) <= (value == 1):
            return told
    return repr(value), repr(bound)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def thresholds_of(given: str | Threshold | Iterable[str | Threshold] | None) -> list[Threshold]:
    """Thresholds as typed; none if there are none."""
    if given is None:
        return []
    one = isinstance(given, str | Threshold) or not isinstance(given, Iterable)
    many: Iterable[str | Threshold] = [given] if one else given  # type: ignore[assignment,list-item]
    return [one if isinstance(one, Threshold) else Threshold.parse(one) for one in many]
