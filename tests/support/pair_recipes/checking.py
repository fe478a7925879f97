"""Truths checked against their files, cell by cell, in plain Python: no recipe is asked."""

from __future__ import annotations

import csv
import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from pair_recipes.people import age_on
from pair_recipes.writing import cells_of

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_DATES = {
    "yyyy-mm-dd": r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)",
    "yyyy-mm-dd hh:mm:ss": r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d) \d\d:\d\d:\d\d",
    "dd.mm.yyyy": r"(?P<d>\d\d)\.(?P<m>\d\d)\.(?P<y>\d{4})",
    "dd/mm/yyyy": r"(?P<d>\d\d)/(?P<m>\d\d)/(?P<y>\d{4})",
    "mm/dd/yyyy": r"(?P<m>\d\d)/(?P<d>\d\d)/(?P<y>\d{4})",
    "dd.mm.yy": r"(?P<d>\d\d)\.(?P<m>\d\d)\.(?P<y>\d\d)",
    "ddmonyyyy": r"(?P<d>\d\d)(?P<m>[a-z]{3})(?P<y>\d{4})",
}


class PairOfFiles:
    """A pair as it is on disk, with its truth."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.truth: dict[str, Any] = tomllib.loads((folder / "truth.toml").read_text("utf-8"))

    @cached_property
    def original(self) -> dict[str, list[str]]:
        return self._columns("original")

    @cached_property
    def published(self) -> dict[str, list[str]]:
        return self._columns("published")

    def blank(self, side: str) -> set[str]:
        return set(self.truth["reading"][side]["blank"])

    @property
    def of(self) -> list[int]:
        """The original's row of every published row."""
        rows: list[int] = []
        for one in self.truth["rows"]["of"]:
            first, _, last = str(one).partition("-")
            rows.extend(range(int(first), int(last or first) + 1))
        return rows

    def _columns(self, side: str) -> dict[str, list[str]]:
        path = self.folder / self.truth[side]
        if path.suffix == ".xlsx":
            names, *rows = cells_of(path)
        else:
            how = self.truth["reading"][side]
            with path.open(encoding=how["encoding"], newline="") as file:
                names, *rows = csv.reader(file, delimiter=how["delimiter"])
        assert len(set(names)) == len(names)
        return {name: list(cells) for name, *cells in zip(names, *rows, strict=True)}


def wrong_cells(pair: PairOfFiles, column: dict[str, Any], of: list[int]) -> list[str]:
    """Published cells that do not follow from the row's own value as the truth says."""
    if "changed" in column.get("check", {}):
        return _not_as_often(pair, column, of)
    follows = _rule(column["how"][0], column.get("check", {}))
    unsaid = {*column.get("marks", ()), *pair.blank("published")}
    values = pair.original[column["original"]]
    cells = pair.published[column["published"]]
    wrong = []
    for place, (cell, row) in enumerate(zip(cells, of, strict=True)):
        value = values[row]
        gap = value in pair.blank("original")
        if cell in unsaid:
            allowed = (
                gap or cell in column.get("marks", ()) or column.get("check", {}).get("may_blank")
            )
        else:
            allowed = not gap and follows(value, cell)
        if not allowed:
            wrong.append(f"row {place}: {value!r} is published as {cell!r}")
    return wrong


def is_as_right(pair: PairOfFiles, column: dict[str, Any], how: str) -> bool:
    """Whether these words are among the right ones, or give the same cells as the right ones.

    Ages on the next day are the same if nobody has a birthday, and caps may come in any order.
    """
    right = column["how"]
    if how in right or "written" not in column.get("check", {}):
        return how in right
    words = [sorted(part.split()[0] for part in one.split(", ")) for one in (how, right[0])]
    same_words = words[0] == words[1] and words[0] in (["age"], ["age", "top"], ["bottom", "top"])
    return same_words and not wrong_cells(pair, {**column, "how": [how]}, pair.of)


@dataclass(frozen=True)
class Linked:
    """How many people of the original are linked to one record, and to one sensitive value."""

    people: int
    to_one_record: int
    to_one_value: int


def linked(pair: PairOfFiles, quasi: list[str], sensitive: str) -> Linked:
    """Everybody compared with every published record, by the truth's own rules.

    Records that hide every quasi-identifier are candidates of people whom no other record covers.
    A set of records is the bits of a number.
    """
    everybody = (1 << len(pair.of)) - 1
    suppressed = everybody
    candidates = [everybody] * len(next(iter(pair.original.values())))
    for name in quasi:
        (column,) = (one for one in pair.truth["columns"] if one.get("published") == name)
        follows = _rule(column["how"][0], column.get("check", {}))
        unsaid = {*column.get("marks", ()), *pair.blank("published")}
        having: dict[str, int] = {}
        for record, cell in enumerate(pair.published[name]):
            having[cell] = having.get(cell, 0) | 1 << record
        hidden = sum(records for cell, records in having.items() if cell in unsaid)
        suppressed &= hidden
        covering = {
            value: hidden | sum(
                records for cell, records in having.items()
                if cell not in unsaid and follows(value, cell)
            )
            for value in set(pair.original[column["original"]])
        }  # fmt: skip
        for person, value in enumerate(pair.original[column["original"]]):
            candidates[person] &= covering[value]
    secrets = pair.published[sensitive]
    found = []
    for records in candidates:
        left = records & ~suppressed or suppressed
        values = [value for record, value in enumerate(secrets) if left >> record & 1]
        found.append((len(values), len(set(values))))
    return Linked(
        len(found), sum(one == 1 for one, _ in found), sum(values == 1 for _, values in found)
    )


def _not_as_often(pair: PairOfFiles, column: dict[str, Any], of: list[int]) -> list[str]:
    """Of a column with values of other people: what is said of how many, if it is wrong."""
    values, cells = pair.original[column["original"]], pair.published[column["published"]]
    changed = sum(values[row] != cell for row, cell in zip(of, cells, strict=True)) / len(of)
    low, high = column["check"]["changed"]
    return [] if low <= changed <= high and set(cells) <= set(values) else [f"{changed:.3f}"]


def _rule(how: str, check: dict[str, Any]) -> Callable[[str, str], bool]:
    if "table" in check:
        return lambda value, cell: check["table"][value] == cell
    if "bands" in check:
        return lambda value, cell: _in_band(check, value, cell)
    if "overlap" in check:
        ranges = {text: (low, high) for text, low, high in check["overlap"]}
        return lambda value, cell: ranges[cell][0] <= int(value) <= ranges[cell][1]
    if "sets" in check:
        return lambda value, cell: value in check["sets"][cell]
    if "within" in check:
        return lambda value, cell: abs(float(cell) / float(value) - 1) <= check["within"]
    if "written" in check:
        return lambda value, cell: _written(how, check, value) == cell
    assert how in ("unchanged", "suppressed"), how
    return lambda value, cell: how == "unchanged" and value == cell


def _in_band(check: dict[str, Any], value: str, cell: str) -> bool:
    """Whether the cell is the only band with the value."""
    number: Any = _date(value, check["form"]).isoformat() if "form" in check else float(value)
    bands = [
        text
        for text, low, high, ends in check["bands"]
        if (low <= number if ends[0] == "[" else low < number)
        and (number <= high if ends[1] == "]" else number < high)
    ]
    return bands == [cell]


def _date(text: str, form: str) -> date:
    found = re.fullmatch(_DATES[form], text)
    assert found is not None, (text, form)
    month, year = found["m"], int(found["y"])
    return date(
        year + 1900 * (year < 100),
        int(month) if month.isdecimal() else _MONTHS.index(month) // 4 + 1,
        int(found["d"]),
    )


def _written(how: str, check: dict[str, Any], value: str) -> str:
    """The cell that the words of the contract and the template ask for."""
    parts: dict[str, Any] = {"text": value}
    words = [part.split() for part in how.split(", ")]
    form = check.get("form", "")
    if form in _DATES:
        day = _date(value, form)
        parts |= {
            "year": day.year, "month": day.month, "quarter": (day.month - 1) // 3 + 1,
            "decade": day.year - day.year % 10,
        }  # fmt: skip
    for word, *rest in words:
        if word == "prefix":
            assert check["written"].startswith("{text:." + rest[0] + "}")
        elif word == "age":
            parts["age"] = age_on(day, date.fromisoformat(rest[0]))
        elif word in ("floor", "rounded", "decade") and form not in _DATES:
            width = Decimal(rest[0]) if rest else Decimal(10)
            number = Decimal(value.replace(",", "") if form == "1,234.56" else value)
            steps = number / width
            parts["floor"] = int(math.floor(steps) * width)
            parts["rounded"] = int(steps.quantize(Decimal(1), ROUND_HALF_UP) * width)
    caps = {word: int(rest[0]) for word, *rest in words if word in ("top", "bottom")}
    if caps:
        parts.setdefault("number", int(value) if value.isdecimal() else None)
        for name in ("number", "age", "rounded"):
            if (number := parts.get(name)) is not None:
                if "top" in caps and number >= caps["top"] and "top_written" in check:
                    return str(check["top_written"])
                number = min(number, caps.get("top", number))
                parts[name] = max(number, caps.get("bottom", number))
    return str(check["written"].format(**parts))
