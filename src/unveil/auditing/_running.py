"""The work of an audit: every part looks at every release, one after the other.

Releases and parts are not done side by side. The slow ones use all cores themselves, and what has
a budget of time would find out less in it if it had to share the cores.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unveil.auditing._audited import Audited, Looked, OneSecret, Status
from unveil.auditing._costs import MAKING, steps_of
from unveil.auditing._subjects import Subject
from unveil.auditing._thresholds import Threshold
from unveil.auditing.parts import Asked, Part
from unveil.engine import Forecast, StepsShown
from unveil.errors import InputError, MissingExtraError, Text, UnveilError
from unveil.microdata import Microdata

__all__ = ["Run"]


class Run:
    """The work, with what has been done kept when the user ends it."""

    def __init__(
        self, *, asked: Asked, parts: Sequence[Part[Any]], thresholds: Sequence[Threshold],
        progress: bool | None,
    ) -> None:  # fmt: skip
        self._asked, self._parts, self._thresholds = asked, parts, thresholds
        self._given_by = {figure: part.name for part in parts for figure in part.figures}
        self._progress = progress
        self.interrupted = False
        self.seconds = 0.0

    def over(
        self, tables: Sequence[Microdata], subjects: Sequence[Sequence[Subject]]
    ) -> list[OneSecret]:
        """Look at the subjects of each table, one after the other."""
        begun = time.perf_counter()
        everything = [subject for some in subjects for subject in some]
        forecast = Forecast(steps_of(everything, self._parts, self._asked))
        secrets = []
        with StepsShown(forecast, self._progress) as steps:
            for table, some in zip(tables, subjects, strict=True):
                audited = [self._one(subject, steps) for subject in some]
                secrets.append(OneSecret(microdata=table, audited=audited))
        self.seconds = time.perf_counter() - begun
        return secrets

    def _one(self, subject: Subject, steps: StepsShown) -> Audited:
        steps.begin(f"{subject.name}: {MAKING}")
        error = None if self.interrupted else self._make(subject)
        steps.done()
        looked: dict[str, Looked] = {}
        for part in self._parts:
            steps.begin(f"{subject.name}: {part.name}")
            if error is None:
                looked[part.name] = self._look(part, subject)
            steps.done()
        figures: dict[str, float | None] = {}
        among: dict[str, str | None] = {}
        for part in self._parts:
            found = looked.get(part.name)
            if found is not None and found.finding is not None:
                figures |= part.numbers(found.finding)
                among |= dict.fromkeys(part.figures, part.among(found.finding))
        audited = Audited(subject=subject, looked=looked, figures=figures, error=error)
        return replace(audited, checks=audited.checked(self._thresholds, self._given_by, among))

    def _make(self, subject: Subject) -> Text | None:
        """Have the release made once, before any clock of a part runs; why not, if it cannot be."""
        try:
            subject.release  # noqa: B018
        except UnveilError as failed:
            return failed.message
        except KeyboardInterrupt:
            self.interrupted = True
        return None

    def _look(self, part: Part[Any], subject: Subject) -> Looked:
        if self.interrupted:
            return Looked(status="interrupted", why="it was ended before")
        begun = time.perf_counter()
        status: Status = "not applicable"
        quiet = replace(self._asked, progress=False)
        try:
            finding = part.look(subject, quiet)
        except KeyboardInterrupt:
            self.interrupted = True
            return Looked(status="interrupted", why="it was ended by the user")
        except InputError as error:
            why = error.message
        except MissingExtraError:
            raise
        except UnveilError as error:
            status, why = "failed", error.message
        else:
            if getattr(finding, "interrupted", False):
                self.interrupted = True
            return Looked(status="done", finding=finding, seconds=time.perf_counter() - begun)
        return Looked(status=status, why=why, seconds=time.perf_counter() - begun)
