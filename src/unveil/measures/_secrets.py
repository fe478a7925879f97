"""The sensitive attribute, from the distinct values that an engine found."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unveil.engine.counting import EncodedSecret, Secret
from unveil.errors import InputError
from unveil.microdata import (
    Column,
    Hierarchy,
    Kind,
    Role,
    Wish,
    distinct_values,
    encode,
    read_hierarchy,
    value_text,
)

__all__ = ["Encoding", "Hierarchies", "Ordinal", "secret_of"]

Ordinal = Mapping[str, Sequence[Any]] | None
Hierarchies = Mapping[str, Hierarchy | str | os.PathLike[str]] | None


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
        import pyarrow as pa

        present = [value for value in raw if value is not None]
        values: tuple[object, ...] = ()
        codes: dict[Any, int] = {}
        ordered, tree = False, None
        if present:
            distinct = distinct_values(
                pa.array(present), name=self.name, source=self.source,
                is_text_file=self.is_text_file,
            )  # fmt: skip
            column = encode(
                distinct,
                Wish(
                    role=Role.SENSITIVE,
                    kind=None if self.levels is None else Kind.ORDINAL,
                    levels=self.levels,
                    hierarchy=self.hierarchy,
                ),
            )
            values, ordered, tree = (
                tuple(column.values.tolist()),
                column.is_ordered,
                column.hierarchy,
            )
            codes = dict(zip(present, column.codes.tolist(), strict=True))
        if len(present) < len(raw):
            codes[None] = len(values)
            values = (*values, None)
        secret = Secret(name=self.name, values=values, ordered=ordered, hierarchy=tree)
        return EncodedSecret(secret, codes)
