"""Reports of what was asserted: a page and its numbers for each, named by the test."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil.auditing import Audit

_LONGEST = 100  # characters of a test's name; file systems end at 255 bytes


@dataclass
class Reports:
    """A folder of reports.

    Attributes
    ----------
    folder : Path
    test : str
        What is running.
    times : int
        How often it has asserted something.
    """

    folder: Path
    test: str = "unveil"
    times: int = field(default=0)

    def save(self, audit: Audit) -> list[Path]:
        """Write the page and the numbers."""
        self.times += 1
        name = name_of(self.test) + (f"-{self.times}" if self.times > 1 else "")
        self.folder.mkdir(parents=True, exist_ok=True)
        return [audit.save(self.folder / f"{name}{ending}") for ending in (".html", ".json")]


# A run of pytest may run another within itself: the innermost is the one that writes.
_running: list[Reports] = []


def begin(folder: Path) -> Reports:
    """From now on, write what is asserted into a folder."""
    _running.append(Reports(folder=folder))
    return _running[-1]


def end(reports: Reports) -> None:
    """No more."""
    _running.remove(reports)


def started(reports: Reports, test: str) -> None:
    """A test begins."""
    reports.test, reports.times = test, 0


def save(audit: Audit) -> list[Path]:
    """Write the files of an audit, if anybody asked for that."""
    return _running[-1].save(audit) if _running else []


def name_of(test: str) -> str:
    """The name of a test's files: readable, and another one for every test.

    >>> name_of("tests/test_survey.py::test_release[k=5]")
    'tests-test_survey.py-test_release-k=5-7cf967'
    """
    readable = re.sub(r"[^\w.=]+", "-", test, flags=re.ASCII).strip("-.")[:_LONGEST]
    return f"{readable}-{hashlib.sha256(test.encode()).hexdigest()[:6]}"
