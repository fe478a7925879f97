"""The sensitive attribute, from the distinct values that an engine found."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.engine.counting import EncodedSecret, Secret
from unveil.errors import HierarchyError, InputError, did_you_mean
from unveil.microdata import (
    MISSING,
    Column,
    Hierarchy,
    Kind,
    Role,
    Wish,
    distinct_values,
    encode,
    read_hierarchies,
    read_hierarchy,
    value_text,
)

__all__ = ["Encoding", "Hierarchies", "Ordinal", "secret_of"]

Ordinal = Mapping[str, Sequence[Any]] | None
Hierarchies = Mapping[str, Hierarchy | str | os.PathLike[str]] | str | os.PathLike[str] | None


def secret_of(column: Column) -> Secret:
    """The secret that a column of microdata or of a release is."""
    return Secret(
        name=column.name,
        values=tuple(column.values.tolist()),
        ordered=column.is_ordered,
        hierarchy=column.hierarchy,
    )


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """What is known of the sensitive column before its values are."""

    name: str
    source: str
    is_text_file: bool
    levels: tuple[str, ...] | None
    hierarchy: Hierarchy | None

    @classmethod
    def chosen(
        cls,
        name: str,
        *,
        source: str,
        is_text_file: bool,
        own_levels: tuple[str, ...] | None,
        ordinal: Ordinal,
        hierarchies: Hierarchies,
    ) -> Encoding:
        """From what the user said, which goes before what the table says."""
        if isinstance(hierarchies, str | os.PathLike):
            hierarchies = read_hierarchies(hierarchies, [name])
        for option, given in (("ordinal", ordinal), ("hierarchies", hierarchies)):
            for column in given or ():
                if column != name:
                    raise InputError(
                        f"{option} names the column {column!r}; measures use the order and the "
                        f"hierarchy of the sensitive column alone, which is {name!r}"
                    )
        levels = own_levels
        if ordinal:
            levels = tuple(value_text(value) for value in ordinal[name])
        tree = hierarchies[name] if hierarchies else None
        return cls(
            name=name,
            source=source,
            is_text_file=is_text_file,
            levels=levels,
            hierarchy=tree if tree is None or isinstance(tree, Hierarchy) else read_hierarchy(tree),
        )

    def encoded(self, raw: Sequence[Any]) -> EncodedSecret:
        """The secret with these distinct values; None stands for a missing one."""
        # Engines know fewer blanks than there are.
        gaps = [v for v in raw if v is None or (isinstance(v, str) and not v.strip())]
        present = [value for value in raw if value not in gaps]
        column = self._column(present) if present else None
        values: tuple[object, ...] = ()
        codes: dict[Any, int] = {}
        tree = self.hierarchy
        if column is not None:
            values = tuple(column.values.tolist())
            codes = dict(zip(present, column.codes.tolist(), strict=True))
            tree = column.hierarchy
        if gaps:
            if MISSING not in values:  # or else the user gave it a place among the levels
                values = (*values, None)
            place = values.index(MISSING) if MISSING in values else len(values) - 1
            codes.update(dict.fromkeys(gaps, place))
            if tree is not None and MISSING not in tree.leaves:
                tree = tree.with_leaf(MISSING)
        ordered = column is not None and column.is_ordered
        return EncodedSecret(
            Secret(name=self.name, values=values, ordered=ordered, hierarchy=tree), codes
        )

    def _column(self, present: Sequence[Any]) -> Column:
        import pyarrow as pa

        distinct = distinct_values(
            pa.array(present), name=self.name, source=self.source, is_text_file=self.is_text_file
        )
        self._check(distinct.texts())
        return encode(
            distinct,
            Wish(
                role=Role.SENSITIVE,
                kind=None if self.levels is None else Kind.ORDINAL,
                levels=self.levels,
                hierarchy=self.hierarchy,
            ),
        )

    def _check(self, texts: Sequence[str]) -> None:
        """Refuse values that have no place; engines have no rows whose number could be told."""
        of = f"column {self.name!r} of {self.source}"
        if self.levels is not None:
            for text in sorted(set(texts) - set(self.levels)):
                raise InputError(
                    f"{of} has {text!r}, which is not among its levels"
                    f"{did_you_mean(text, self.levels)} (levels: {', '.join(self.levels)})"
                )
        elif not self.is_text_file and {"inf", "-inf"} & set(texts):
            raise InputError(f"{of} has infinite values: numeric columns need finite numbers")
        if self.hierarchy is not None:
            leaves = set(self.hierarchy.leaves)
            strange = sorted(t for t in texts if t not in leaves and _as_number(t) not in leaves)
            others = f" and {len(strange) - 1:,} more" if len(strange) > 1 else ""
            for text in strange:
                raise HierarchyError(
                    f"hierarchy {self.hierarchy.source} does not have {text!r}{others} of {of}"
                    f"{did_you_mean(text, self.hierarchy.leaves)}"
                )


def _as_number(text: str) -> str:
    """The text of the number that a text of a file may stand for: 1 for 1.0."""
    try:
        return value_text(float(text))
    except ValueError:
        return text
