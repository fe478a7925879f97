"""Thresholds: what makes a release fail, such as ``delta > 0.05`` or ``k < 5``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from unveil.auditing._figures import Figure, Question, figure_named
from unveil.errors import InputError, Text

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

    def check(
        self, value: float | None, why_not: Text | None = None, among: str | None = None
    ) -> Check:
        """Whether a release passes. What is not known does not pass: nothing would be proved.

        Nor does it if somebody who was not looked at may be worse off: ``among`` says who was.
        """
        if value is None or math.isnan(value):
            return Check(threshold=self, value=None, passed=False, why_not=why_not or "not known")
        compared = self.bound if _same(value, self.bound) else value
        met = _OPERATORS[self.sign](compared, self.bound)
        left_open = not met and among is not None and self.figure.of_the_worst
        return Check(
            threshold=self, value=value, passed=not met and not left_open, among=among, met=met
        )


@dataclass(frozen=True, kw_only=True)
class Check:
    """What became of a threshold for one release."""

    threshold: Threshold
    value: float | None
    passed: bool
    why_not: Text | None = None
    """Why the value is not known."""
    among: str | None = None
    """Of whom it is, if not of everybody."""
    met: bool = False
    """Whether the value itself is one to fail by."""

    def __str__(self) -> str:
        """For people.

        >>> print(Threshold.parse("k < 5").check(3))
        k is 3, which is below 5
        >>> print(Threshold.parse("delta > 0.05").check(0.02))
        delta is 0.02, which is not above 0.05
        >>> print(Threshold.parse("delta > 0.05").check(None, "a file cannot be made anew"))
        delta is not known: a file cannot be made anew
        >>> print(Threshold.parse("delta > 0.05").check(0.02, among="among the 3 people tested"))
        delta is 0.02 among the 3 people tested, which is not above 0.05, but of the others it is
        not known: give the test longer (budget=)
        """
        name = self.threshold.figure.name
        if self.value is None:
            return f"{name} is not known: {self.why_not}"
        how = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}[self.threshold.sign]
        no = "" if self.met else "not "
        text, bound = (self.threshold.figure.text(v) for v in (self.value, self.threshold.bound))
        if _same(self.value, self.threshold.bound):
            text = bound
        elif text == bound:
            text, bound = told_apart(self.value, self.threshold.bound)
        whom = f" {self.among}" if self.among else ""
        said = f"{name} is {text}{whom}, which is {no}{how} {bound}"
        if self.passed or self.met:
            return said
        return f"{said}, but of the others it is not known: give the test longer (budget=)"


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
