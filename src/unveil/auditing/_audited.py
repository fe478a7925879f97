"""What an audit found: of each release, and of each part of the audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from unveil.auditing._masking import Masking
from unveil.auditing._subjects import Subject
from unveil.auditing._thresholds import Check, Threshold
from unveil.errors import Message, Text
from unveil.findings import Finding
from unveil.microdata import Microdata
from unveil.sanitize import Oracle

__all__ = ["Audited", "Looked", "OneSecret", "Status"]

_NOT_MADE = "the release could not be made"
_WITHHELD = (
    "the program failed, or gave what is no release of the table; what it said may name people, so "
    "it is shown only to whoever runs the audit"
)

Status: TypeAlias = Literal["done", "not applicable", "failed", "interrupted"]


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What became of one part for one release.

    Attributes
    ----------
    status : str
        ``done``; ``not applicable`` to such a release; ``failed``, if something went wrong;
        ``interrupted``, by the user.
    finding : Finding, optional
        What was found, if it was done.
    why : str or Message, optional
        Why not, otherwise.
    seconds : float
    """

    status: Status
    finding: Finding | None = None
    why: Text | None = None
    seconds: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Audited:
    """What was found about one release.

    Attributes
    ----------
    subject : Subject
    looked : mapping of str to Looked
        By the name of the part.
    figures : mapping of str to (float or None)
        All numbers that there are, by their names.
    checks : sequence of Check
        What became of each threshold.
    error : str or Message, optional
        Why there is no such release at all.
    """

    subject: Subject
    looked: Mapping[str, Looked]
    figures: Mapping[str, float | None]
    checks: Sequence[Check] = ()
    error: Text | None = None

    @property
    def name(self) -> str:
        """What the release is called."""
        return self.subject.name

    @property
    def passed(self) -> bool | None:
        """Whether it meets all thresholds; None if there are none."""
        return all(check.passed for check in self.checks) if self.checks else None

    def checked(
        self,
        thresholds: Sequence[Threshold],
        given_by: Mapping[str, str],
        among: Mapping[str, str | None],
    ) -> list[Check]:
        """What becomes of thresholds.

        ``given_by`` says which part gives a figure, and ``among`` of whom it is, if not of all.
        """
        return [
            threshold.check(
                self.figures.get(threshold.figure.name),
                self._why_not(given_by.get(threshold.figure.name)),
                among.get(threshold.figure.name),
            )
            for threshold in thresholds
        ]

    def told_error(self, masking: Masking) -> str | None:
        """Why there is no such release, as a report may say it."""
        return None if self.error is None else self._told(self.error, masking)

    def told_why(self, part: str, masking: Masking) -> str | None:
        """Why a part was not done, as a report may say it."""
        looked = self.looked[part]
        if looked.why is None or looked.status != "failed":
            return None if looked.why is None else masking.text(looked.why)
        return self._told(looked.why, masking)

    def told_check(self, check: Check, masking: Masking) -> str:
        """What became of a threshold, as a report may say it."""
        if check.why_not is None:
            return str(check)
        if self.error is not None:  # which is told once
            return str(replace(check, why_not=_NOT_MADE))
        failed = any(
            one.status == "failed" and one.why == check.why_not for one in self.looked.values()
        )
        why = self._told(check.why_not, masking) if failed else masking.text(check.why_not)
        return str(replace(check, why_not=why))

    def _told(self, failure: Text, masking: Masking) -> str:
        """A failure; programs of others say anything when they fail, records included."""
        if isinstance(self.subject.sanitizer, Oracle) and not masking.shows_all:
            return _WITHHELD
        return masking.text(failure)

    def _why_not(self, part: str | None) -> Text | None:
        if self.error is not None:
            return Message("{not_made}: {error}", not_made=_NOT_MADE, error=self.error)
        if part is None or part not in self.looked:
            return f"{part or 'what gives it'} was not asked for"
        return self.looked[part].why


@dataclass(frozen=True, eq=False, kw_only=True)
class OneSecret:
    """All releases, with one sensitive attribute that the attacker wants to know."""

    microdata: Microdata
    audited: Sequence[Audited]

    @property
    def sensitive(self) -> str:
        """What the attacker wants to know."""
        return self.microdata.sensitive.name

    def badness(self) -> tuple[float, ...]:
        """Sensitive attributes are told in this order, the worst first.

        By how many checks fail, and then by the worst that any release has of what is inferred.
        """
        failed = sum(not check.passed for one in self.audited for check in one.checks)
        worst = [
            max((one.figures.get(name) or 0.0 for one in self.audited), default=0.0)
            for name in _WORSE
        ]
        return (float(failed), *(0.0 if math.isnan(value) else value for value in worst))


_WORSE = ("delta", "gr", "one_value", "alpha", "t", "discrimination")
