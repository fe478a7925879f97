"""What every finding has in common: it prints itself, and turns into a table or into JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from unveil._html import html_of
from unveil._version import __version__

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SCHEMA", "Finding"]

SCHEMA = 1
"""Version of the form of `Finding.to_dict`; grows when a key changes its meaning."""


class Finding(ABC):
    """The frozen result of an attack or a measure."""

    @abstractmethod
    def summary(self) -> str:
        """What was found, in a few lines for people."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """One row a record."""

    @abstractmethod
    def content(self, *, records: bool) -> dict[str, Any]:
        """The finding's own part of `to_dict`."""

    def to_dict(self, *, records: bool = False) -> dict[str, Any]:
        """The finding as plain values, ready for JSON.

        Parameters
        ----------
        records : bool
            Also give the values of each record. A finding travels; by default it says nothing
            about individuals.
        """
        content = self.content(records=records)
        if "notes" in content:
            content["notes"] = [str(note) for note in content["notes"]]
        return {"unveil": __version__, "schema": SCHEMA, **content}

    def to_json(self, *, records: bool = False) -> str:
        """`to_dict` as JSON."""
        return json.dumps(
            self.to_dict(records=records), indent=2, ensure_ascii=False, allow_nan=False
        )

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """For notebooks: what it prints; tables keep their columns, and sentences find room."""
        return html_of(self.summary())
