"""What the columns of a table are that an engine counts: as declared, else as `read_csv` finds out.

An engine has texts where a CSV file has numbers and dates. What a sensitive column means is found
out from its distinct values. Classes need only to know which cells of a key are the same value:
``1,5`` and ``1,50`` are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from unveil.engine.counting import Opened, text_of
from unveil.errors import Cell, InputError, Listed, Option, did_you_mean
from unveil.microdata import (
    Distinct,
    Kind,
    Role,
    Wish,
    encode,
    is_form,
    is_hidden,
    listed_values,
    must,
    value_text,
)

KeyValues: TypeAlias = Callable[[str, Sequence[Any]], Sequence[Any] | None]
"""What the values of a key mean, one for each; None if they are what they look like."""


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """What was declared about the columns of a table."""

    kinds: Mapping[str, Kind]
    forms: Mapping[str, str]
    missing_values: Any

    @classmethod
    def of(
        cls, numeric: str | Sequence[str] | None, categorical: str | Sequence[str] | None,
        forms: Mapping[str, str] | None, missing_values: Any,
    ) -> Kinds:  # fmt: skip
        """The options as they were given."""
        if forms is not None and not isinstance(forms, Mapping):
            raise must("forms", "map columns to forms, such as {'born': 'dd.mm.yyyy'}", forms)
        for name, form in (forms or {}).items():
            if not is_form(form):
                raise must("forms", f"say how column {name!r} is written, such as 'dd.mm.yyyy', "
                           "'mm/dd/yyyy', '1.234,56' or '1,234.56'", form)  # fmt: skip
        numbers, words = [*_listed(numeric), *(forms or {})], _listed(categorical)
        for name in words:
            if name in numbers:
                raise InputError("column {column} cannot be both {one} and {other}",
                                 column=Cell(name), one=Kind.NUMERIC.value,
                                 other=Kind.CATEGORICAL.value)  # fmt: skip
        kinds = {**dict.fromkeys(numbers, Kind.NUMERIC), **dict.fromkeys(words, Kind.CATEGORICAL)}
        return cls(kinds=kinds, forms=forms or {}, missing_values=missing_values)

    def check(self, columns: Sequence[str]) -> None:
        """Refuse what was declared about other columns."""
        said = {
            "numeric": [one for one in self.kinds
                        if self.kinds[one] is Kind.NUMERIC and one not in self.forms],
            "categorical": [one for one in self.kinds if self.kinds[one] is Kind.CATEGORICAL],
            "forms": list(self.forms),
            "missing_values": list(self._markers_by_column),
        }  # fmt: skip
        for option, names in said.items():
            for name in names:
                if name not in columns:
                    raise InputError(
                        "{option} names {name}, which is not counted{near} (columns: {columns})",
                        option=Option(option), name=Cell(name),
                        near=did_you_mean(str(name), columns), columns=Listed(columns),
                    )  # fmt: skip

    @property
    def _markers_by_column(self) -> Mapping[str, Any]:
        return self.missing_values if isinstance(self.missing_values, Mapping) else {}

    def without_missing(self, there: Opened) -> Opened:
        """The table, where all that means missing is."""
        import ibis

        if self.missing_values is None:
            return there
        changed = {}
        for name in there.table.columns:
            if isinstance(self.missing_values, Mapping):
                markers = _listed(self.missing_values.get(name))
            else:
                markers = _listed(self.missing_values)
            column = there.table[name]
            fitting = _fitting(markers, column.type())
            if fitting:
                gone = column.isin(fitting)
                changed[name] = gone.ifelse(ibis.null(column.type()), column)
        return replace(there, table=there.table.mutate(**changed)) if changed else there

    def reader(self, there: Opened) -> KeyValues | None:
        """Reads the values of keys; None where a table says what they are."""
        if not there.is_text_file and not self.kinds:
            return None

        def read(name: str, values: Sequence[Any]) -> Sequence[Any] | None:
            kind, form = self.kinds.get(name), self.forms.get(name)
            texts = [one for one in values if isinstance(one, str) and not is_hidden(one)]
            if kind is Kind.CATEGORICAL or not texts or not (there.is_text_file or kind):
                return None
            distinct = without_rows(listed_values(name, texts, there.name))
            try:
                column = encode(distinct, Wish(role=Role.QUASI, kind=kind, form=form))
            except InputError:  # classes are the same, whichever way they are read
                if kind is not None:
                    raise
                return None
            if column.kind is not Kind.NUMERIC:
                return None
            if column.is_dates:
                written = [text_of(one) for one in column.values]
            else:
                written = [_written(one) for one in column.values.tolist()]
            known = {text: written[code] for text, code in
                     zip(texts, column.codes.tolist(), strict=True)}  # fmt: skip
            changed = [known.get(one, one) if isinstance(one, str) else one for one in values]
            return None if changed == list(values) else changed

        return read


def without_rows(column: Distinct) -> Distinct:
    """The same for messages that do not know rows: an engine has values, not their places."""
    return replace(column, rows=np.full(len(column.rows), -2, dtype=np.int64))


def _written(number: float) -> str:
    """The same as `text_of`, of many numbers sooner.

    >>> _written(20.0), _written(1.5), _written(7), _written(1e-9) == text_of(1e-9)
    ('20', '1.5', '7', True)
    """
    text = repr(number)
    return text_of(number) if "e" in text else text.removesuffix(".0")


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return [given] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)


def _fitting(markers: Sequence[Any], kind: Any) -> list[Any]:
    """The markers that a column of a type can have."""
    if kind.is_string():
        return [value_text(one) for one in markers]
    if not kind.is_numeric():
        return []  # a date or a truth value is no marker
    found = []
    for one in markers:
        try:
            found.append(float(one))
        except (TypeError, ValueError):
            continue  # such as "?"
    return found
