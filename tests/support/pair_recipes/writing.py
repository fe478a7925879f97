"""Sheets as bytes, truths as TOML, and facts about published files by plain loops."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pair_recipes.pair import Column, Pair, Sheet


def text_of(sheet: Sheet) -> bytes:
    """A text file, as its program would write it."""
    file = io.StringIO(newline="")
    quoting = {
        "where needed": csv.QUOTE_MINIMAL,
        "texts": csv.QUOTE_NONNUMERIC,
        "everything": csv.QUOTE_ALL,
    }[sheet.quotes]
    writer = csv.writer(
        file, delimiter=sheet.delimiter, lineterminator=sheet.newline, quoting=quoting
    )
    writer.writerow(sheet.names)
    if sheet.quotes == "texts":  # R writes NA without quotes
        for row in sheet.rows:
            cells = [
                str(cell) if cell == "NA" or not isinstance(cell, str) else f'"{cell}"'
                for cell in row
            ]
            file.write(sheet.delimiter.join(cells) + sheet.newline)
    else:
        writer.writerows(sheet.rows)
    return file.getvalue().encode(sheet.encoding)


def as_texts(row: Sequence[Any]) -> list[str]:
    """Cells as ISO dates and plain numbers."""
    whole = [
        int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in row
    ]  # as a workbook gives them back
    return ["" if cell is None else str(cell) for cell in whole]


def cells_of(path: Path) -> list[list[str]]:
    """The cells of the only sheet of a workbook, the header first, as texts."""
    from openpyxl import load_workbook

    (sheet,) = load_workbook(path).worksheets
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    return [
        as_texts([cell.date() if isinstance(cell, datetime) else cell for cell in row])
        for row in rows
    ]


def write_excel(sheet: Sheet, path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = sheet.title
    book.active.append(sheet.names)
    for row in sheet.rows:
        book.active.append([None if cell == "" else cell for cell in row])
    book.save(path)


def write_pair(pair: Pair, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for sheet in (pair.original, pair.published):
        path = folder / sheet.file
        if path.suffix == ".xlsx":
            # A workbook holds the time of writing, so one with the same cells stays.
            if not path.exists() or cells_of(path) != [sheet.names, *map(as_texts, sheet.rows)]:
                write_excel(sheet, path)
        else:
            path.write_bytes(text_of(sheet))
    for inner, text in pair.beside.items():
        (folder / inner).parent.mkdir(exist_ok=True)
        (folder / inner).write_bytes(text.encode())
    (folder / "truth.toml").write_bytes(truth_of(pair).encode())


# --- the truth ---


def truth_of(pair: Pair) -> str:
    lines = [
        f"about = {_toml(pair.about)}",
        f"original = {_toml(pair.original.file)}",
        f"published = {_toml(pair.published.file)}",
        f"reading = {_toml(_reading(pair))}",
        f"identifiers = {_toml(pair.identifiers)}  # published columns that still name people",
        f"identifiers_allowed = {_toml(pair.identifiers_allowed)}",
        "",
        "[rows]",
        f"kinds = {_toml(pair.kinds)}",
        *([] if pair.key is None else [f"key = {_toml(pair.key)}"]),
        f"matched = {len(pair.of)}",
        f"only_original = {len(pair.original.rows) - len(pair.of)}",
        f"only_published = {len(pair.published.rows) - len(pair.of)}",
        f"of = {_toml(_runs(pair.of))}  # the original's row of every published row, or first-last",
    ]
    for column in pair.columns:
        lines += ["", "[[columns]]", *_about_column(column, pair)]
    for question in pair.questions:
        lines += [
            "", "[[questions]]", f"column = {_toml(question.column)}",
            f"about = {_toml(question.about)}", f"must = {_toml(question.must)}",
            f"answer = {_toml(question.answer)}",
        ]  # fmt: skip
    facts, secrets = facts_of(pair)
    lines += ["", "[facts]", *(f"{key} = {_toml(value)}" for key, value in facts.items())]
    for secret in secrets:
        lines += [
            "", "[[facts.secrets]]", *(f"{key} = {_toml(value)}" for key, value in secret.items())
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _reading(pair: Pair) -> dict[str, Any]:
    return {
        side: {"blank": sheet.blank} if sheet.file.endswith(".xlsx") else
        {"delimiter": sheet.delimiter, "encoding": sheet.encoding, "blank": sheet.blank}
        for side, sheet in (("original", pair.original), ("published", pair.published))
    }  # fmt: skip


def _about_column(column: Column, pair: Pair) -> list[str]:
    lines = []
    gaps = [0.0, 0.0]
    suppressed = 0.0
    if column.original is not None:
        lines.append(f"original = {_toml(column.original)}")
        gaps[0] = _share(pair.original.column(column.original), pair.original.blank)
    if column.published is not None:
        lines.append(f"published = {_toml(column.published)}")
        cells = pair.published.column(column.published)
        gaps[1] = _share(cells, pair.published.blank)
        suppressed = _share(cells, column.marks)
    lines += [
        f"how = {_toml(column.how)}",
        f"roles = {_toml(column.roles)}",
        f"suppressed = {suppressed}",
        f"gaps = {_toml(gaps)}",
    ]
    if column.marks:
        lines.append(f"marks = {_toml(column.marks)}")
    if column.may_ask:
        lines.append("may_ask = true")
    if column.check:
        lines.append(f"check = {_toml(column.check)}")
    return lines


def _share(cells: Sequence[Any], words: Sequence[str]) -> float:
    return round(sum(str(cell) in words for cell in cells) / len(cells), 6)


def _runs(of: list[int]) -> list[int | str]:
    """Rows in order are written as ``first-last``."""
    runs: list[int | str] = []
    start = 0
    for place in range(1, len(of) + 1):
        if place == len(of) or of[place] != of[place - 1] + 1:
            runs.append(of[start] if place - start == 1 else f"{of[start]}-{of[place - 1]}")
            start = place
    return runs


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(one)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(_toml(one) for one in value) + "]"


# --- facts, by plain loops ---


def facts_of(pair: Pair) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What follows from the published file alone, with its cells taken as texts."""
    sheet = pair.published
    marks = {one.published: {*one.marks, *sheet.blank} for one in pair.columns}
    keys = list(zip(*(map(str, sheet.column(name)) for name in pair.quasi), strict=True))
    suppressed = [
        all(cell in marks[name] for name, cell in zip(pair.quasi, key, strict=True)) for key in keys
    ]
    sizes = Counter(key for key, gone in zip(keys, suppressed, strict=True) if not gone)
    facts = {
        "quasi": pair.quasi, "records": len(keys), "suppressed_records": sum(suppressed),
        "k": min(sizes.values()), "classes": len(sizes),
        "unique": sum(size == 1 for size in sizes.values()),
    }  # fmt: skip
    secrets = []
    for name in pair.sensitive:
        values = defaultdict(list)
        for key, gone, cell in zip(keys, suppressed, sheet.column(name), strict=True):
            if not gone and str(cell) not in marks[name]:
                values[key].append(str(cell))
        groups = values.values()
        secrets.append({
            "sensitive": name, "records": sum(map(len, groups)), "k": min(map(len, groups)),
            "unique": sum(len(group) == 1 for group in groups),
            "one_value": sum(len(group) for group in groups if len(set(group)) == 1),
        })  # fmt: skip
    return facts, secrets
