"""The finding of an audit."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.auditing._audited import Audited, OneSecret
from unveil.auditing._figures import FIGURES
from unveil.auditing._masking import Masking
from unveil.auditing._naming import public_name
from unveil.auditing._thresholds import Threshold
from unveil.auditing.parts import Asked, Part
from unveil.errors import InputError
from unveil.findings import Finding

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Audit"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Finding):
    """What all attacks and measures found in all releases.

    Attributes
    ----------
    secrets : tuple of OneSecret
        For each sensitive attribute, what was found; the worst first.
    parts : tuple of Part
        The attacks and measures.
    thresholds : tuple of Threshold
    asked : Asked
        The threat model, and what may be said of individuals.
    interrupted : bool
        Whether the user ended it before its end.
    command : str, optional
        What was typed, if it was.
    fingerprints : mapping of str to str
        Of the files that were read, such as their SHA-256; in a report they are hashed anew under
        the key.
    """

    secrets: tuple[OneSecret, ...]
    parts: tuple[Part[Any], ...]
    thresholds: tuple[Threshold, ...]
    asked: Asked
    interrupted: bool
    seconds: float
    command: str | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """How the table was read; for a secret by itself, where that was not the same for all."""
        notes = dict.fromkeys(note for one in self.secrets for note in one.microdata.notes)
        of = {
            note: [one.sensitive for one in self.secrets if note in one.microdata.notes]
            for note in notes
        }
        return [
            note if len(of[note]) == len(self.secrets) else f"for {' and '.join(of[note])}, {note}"
            for note in notes
        ]

    @property
    def releases(self) -> list[Audited]:
        """What was audited, with the sensitive attribute that is worst off first."""
        return [audited for one in self.secrets for audited in one.audited]

    @property
    def passed(self) -> bool | None:
        """Whether all releases meet all thresholds; None if there are none."""
        if not self.thresholds:
            return None
        return all(audited.passed for audited in self.releases)

    @property
    def key(self) -> str:
        """Of the references to people; whoever has it and the table knows who they are."""
        return self.asked.discretion.key

    def under(self, key: str) -> Audit:
        """The same, with people called by another key."""
        return replace(
            self, asked=replace(self.asked, discretion=replace(self.asked.discretion, key=key))
        )

    def masking(self, one: OneSecret) -> Masking:
        """What is taken out of texts before they are shown, of the table of one secret."""
        return self._maskings[one.sensitive]

    def asked_of(self, one: OneSecret) -> Asked:
        """What was asked for, with what may be said of the table of one secret."""
        return replace(self.asked, masking=self.masking(one))

    @cached_property
    def _maskings(self) -> dict[str, Masking]:
        raw = {name for audited in self.releases for name in audited.subject.raw_names}
        shown = {name: public_name(name) for name in raw if public_name(name) != name}
        return {
            one.sensitive: self.asked.discretion.masking(one.microdata, shown)
            for one in self.secrets
        }

    def to_frame(self) -> pd.DataFrame:
        """One row a release: all its figures."""
        import pandas as pd

        names = [n for n in FIGURES if any(n in audited.figures for audited in self.releases)]
        rows = [
            {
                "sensitive": one.sensitive,
                "release": audited.name,
                "passed": audited.passed,
                **{name: audited.figures.get(name) for name in names},
            }
            for one in self.secrets
            for audited in one.audited
        ]
        return pd.DataFrame(rows)

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.auditing._content import content_of

        return content_of(self)

    def verdict(self) -> str:
        """Pass or fail, or what was found, in plain words."""
        from unveil.auditing._verdict import verdict_of

        return "\n".join(verdict_of(self))

    def summary(self) -> str:
        from unveil.auditing._summary import summary_of

        return summary_of(self)

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and the releases side by side; `page` is the whole."""
        from unveil.auditing._shown import shown

        return shown(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw privacy against utility, a point for each release; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.auditing._picture import privacy_against_utility

        return privacy_against_utility(self, ax)

    def page(self) -> str:
        """The report: one HTML page; needs ``pip install 'unveil[report]'``."""
        from unveil.report.page import page_of

        return page_of(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the report (``.html``), all numbers (``.json``), or the checks (``.xml``, JUnit).

        The key of the references is not in any of them: `unveil.auditing.write_key` keeps it.
        """
        from unveil.auditing._junit import junit_of

        file = Path(path)
        made: dict[str, Callable[[], str]] = {
            ".html": self.page, ".htm": self.page, ".json": self.to_json,
            ".xml": lambda: junit_of(self.to_dict()),
        }  # fmt: skip
        if file.suffix.lower() not in made:
            raise InputError(
                f"cannot tell what to write into {str(path)!r}; end it in .html for the report, "
                ".json for all numbers, or .xml for JUnit"
            )
        file.write_text(made[file.suffix.lower()](), encoding="utf-8")
        return file
