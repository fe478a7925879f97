"""How much work may be done: as an amount of work, or as a time.

Work has units of its own: runs of the sanitizer, people tested, sweeps of a chain. The same amount
gives the same numbers on every machine, however busy it is. What a time allows depends on the
machine, so a finding made by the clock says that it cannot be reproduced (`Budget.note`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unveil.engine._progress import parse_duration
from unveil.errors import InputError, Listed, Message, Option

UNITS = {"runs": "run", "people": "person", "sweeps": "sweep", "draws": "draw"}
"""Units of work, and what one of them is called."""

AUTO = "auto"
"""As much as an audit does: it follows from the size of the table, and not from the clock."""

_TIME = "seconds"
_AMOUNT = re.compile(r"(\d[\d,_]*)\s*([a-z]+)", re.ASCII)
_UNIT_OF = {word: unit for unit, one in UNITS.items() for word in (unit, one)}


@dataclass(frozen=True)
class Budget:
    """An amount of work, or of time.

    Attributes
    ----------
    amount : float
        0 for ``"auto"``.
    unit : str
        One of `UNITS`, ``"seconds"`` or ``"auto"``.
    """

    amount: float
    unit: str

    @property
    def seconds(self) -> float | None:
        """The time; None if it is an amount of work."""
        return self.amount if self.unit == _TIME else None

    def work(self, unit: str) -> int | None:
        """The amount of one unit; None if it is of another."""
        return int(self.amount) if self.unit == unit else None

    @property
    def is_auto(self) -> bool:
        """Whether it follows from the size of the table."""
        return self.unit == AUTO

    def __str__(self) -> str:
        if self.unit == _TIME:
            return f"{self.amount:g} s"
        if self.unit == AUTO:
            return AUTO
        return f"{self.amount:,.0f} {UNITS[self.unit] if self.amount == 1 else self.unit}"

    def note(self, *, instead: str) -> Message:
        """That a finding made by this clock cannot be reproduced, and what can."""
        return Message(
            "the budget was a time ({budget}): how much was done in it depends on the machine, so "
            "these numbers cannot be reproduced; an amount of work can ({instead})",
            budget=str(self), instead=Option("budget", instead),
        )  # fmt: skip


def parse_budget(given: Any, units: Sequence[str] = ()) -> Budget | None:
    """A budget, as people write it; None if there is none.

    ``units`` are the units of work that make sense where it is used.

    >>> parse_budget("200 runs", ["runs"]), parse_budget("1 person", ["runs", "people"])
    (Budget(amount=200.0, unit='runs'), Budget(amount=1.0, unit='people'))
    >>> parse_budget("10 min"), parse_budget(45), parse_budget("auto")
    (Budget(amount=600.0, unit='seconds'), Budget(amount=45.0, unit='seconds'), Budget(amount=0.0,
     unit='auto'))
    >>> parse_budget("5 sweeps", ["runs"])
    Traceback (most recent call last):
    unveil.errors.InputError: budget='5 sweeps' is not possible here: give a number of runs, or a
    time such as '10 min'
    """
    if given is None or isinstance(given, Budget):
        return given
    text = given.strip().lower() if isinstance(given, str) else ""
    if text == AUTO:
        return Budget(0.0, AUTO)
    found = _AMOUNT.fullmatch(text)
    unit = _UNIT_OF.get(found[2]) if found else None
    if found is None or unit is None:
        return Budget(parse_duration(given), _TIME)
    amount = float(found[1].replace(",", "").replace("_", ""))
    if unit not in units:
        raise InputError(
            "{option} is not possible here: give {work}a time such as '10 min'",
            option=Option("budget", given),
            work=Message("a number of {units}, or ", units=Listed(units, "or")) if units else "",
        )  # fmt: skip
    if amount < 1:
        raise InputError("{option} is not possible: it must be at least 1",
                         option=Option("budget", given))  # fmt: skip
    return Budget(amount, unit)
