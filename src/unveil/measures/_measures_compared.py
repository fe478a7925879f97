"""All measures of several releases, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unveil.errors import InputError
from unveil.findings import Finding
from unveil.measures._measures import Measures, measures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["MeasuresComparison", "compare_measures"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasuresComparison(Finding):
    """The measures of several tables side by side.

    Attributes
    ----------
    tables : dict of str to Measures
        By the name each was given.
    """

    tables: dict[str, Measures]

    def to_frame(self) -> pd.DataFrame:
        """One row a number, one column a table."""
        import pandas as pd

        columns = {
            name: {(f.group, f.name): f.value for f in found.figures}
            for name, found in self.tables.items()
        }
        frame = pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(self._names))
        return frame.rename_axis(index=["about", "measure"]).reset_index()

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """The numbers that any of them has, in the order in which they come."""
        each = (f for found in self.tables.values() for f in found.figures)
        return list(dict.fromkeys((figure.group, figure.name) for figure in each))

    def rows(self) -> list[tuple[str, dict[str, str], str]]:
        """For each number its name, its texts by table, and what it says."""
        shown = {
            name: {(f.group, f.name): f for f in found.figures}
            for name, found in self.tables.items()
        }
        rows = []
        for key in self._names:
            there = {name: figures[key] for name, figures in shown.items() if key in figures}
            texts = {name: there[name].text if name in there else "" for name in self.tables}
            rows.append((key[1], texts, next(iter(there.values())).says))
        return rows

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many records are in classes of at most so many (needs matplotlib)."""
        from unveil.measures._picture import class_sizes

        return class_sizes({name: one.k_anonymity.sizes for name, one in self.tables.items()}, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "measures of several tables",
            "tables": {name: found.content(records=records) for name, found in self.tables.items()},
        }

    def summary(self) -> str:
        head = ["", *self.tables]
        rows = self.rows()
        body = [[name, *texts.values()] for name, texts, _ in rows]
        widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
        one = next(iter(self.tables.values()))
        about = f", sensitive {one.sensitive}" if one.sensitive else ""
        lines = [f"Measures side by side, by {', '.join(one.keys)}{about}"]
        for (first, *rest), says in zip(
            [head, *body], ["", *(row[2] for row in rows)], strict=True
        ):
            cells = "  ".join(text.rjust(w) for text, w in zip(rest, widths[1:], strict=True))
            lines.append(f"  {first:{widths[0]}}  {cells}  {says}".rstrip())
        for name, found in self.tables.items():
            lines += [
                f"{name}: {line}" if place == 0 else line
                for ranking in found.rankings
                for place, line in enumerate(ranking.summary().splitlines())
            ]
        noted = [(name, note) for name, found in self.tables.items() for note in found.notes]
        return "\n".join([*lines, *(f"  Note on {name}: {note}" for name, note in noted)])


def compare_measures(tables: Mapping[str, Any], **options: Any) -> MeasuresComparison:
    """The measures of several releases side by side.

    Parameters
    ----------
    tables : mapping of str to what `measures` takes
        The releases by the names they are to have.
    **options
        Those of `measures`, for all of them.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> found = uv.compare_measures({f"k={k}": uv.Mondrian(k=k).sanitize(survey) for k in (2, 8)})
    >>> [found.tables[name].k_anonymity.k for name in found.tables]
    [2, 8]
    """
    if not isinstance(tables, Mapping):
        raise InputError(
            "the tables to compare are given with their names, such as "
            f"{{'k=5': a, 'k=10': b}}, but got {type(tables).__name__}"
        )
    if not tables:
        raise InputError("there is nothing to compare: give at least one table")
    found = {}
    for name, table in tables.items():
        try:
            found[name] = measures(table, **options)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    return MeasuresComparison(tables=found)
