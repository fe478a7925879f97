"""A published table, read into classes of records that share their cells."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil._text import counted
from unveil.errors import Cell, InputError, Listed, Message, Option, Row, Text, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata._cell_columns import (
    CellColumn,
    Empty,
    column_cells,
    open_release,
    read_column,
)
from unveil.microdata._cells import cell_reader
from unveil.microdata._declared_cells import Declared, Table
from unveil.microdata._distinct import Distinct, distinct_of
from unveil.microdata._encode import MISSING
from unveil.microdata._extras import extras_of
from unveil.microdata._levels import (
    Level,
    at_published_level,
    coarsened,
    halves_apart,
    refuse_other_level,
    widened,
)
from unveil.microdata._messages import ValueOption, must, value_meant
from unveil.microdata._microdata import Column, Microdata, distinct_rows
from unveil.microdata._notations import EMPTY_WORDS, Notation, is_hidden
from unveil.microdata._numbers import numbers_among
from unveil.microdata._persons import Persons, persons_of, refuse_repeated
from unveil.microdata._readers import HierarchiesOption, Names, Options, check_original
from unveil.microdata._release import Release
from unveil.microdata._release_domains import DomainsOption, check_held, columns_alone
from unveil.microdata._row_counts import (
    check_count,
    counted_note,
    looks_counted,
    numbers_of_people,
    suspected,
)
from unveil.microdata._sources import Source
from unveil.microdata._suppressed import about_suppressed
from unveil.microdata._suspicions import suspicions
from unveil.microdata.coarsening import Coarsening
from unveil.microdata.vocabulary import is_called_count
from unveil.options import check

_MAY_CHANGE = "--may-change-sensitive, which unveil audit, inference and linkage have"
_MOST = 10**8  # records of a release that is read alone: each takes memory
_NOTATIONS = tuple(str(notation) for notation in Notation if notation is not Notation.SUPPRESSED)


def read_release(
    table: Any,
    original: Microdata | None = None,
    *,
    quasi: Names | None = None,
    sensitive: str | None = None,
    domains: DomainsOption = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    forms: Mapping[str, str] | None = None,
    hierarchies: HierarchiesOption = None,
    made_by: str = "somebody",
    notation: Mapping[str, str] | None = None,
    empty: Empty | None = None,
    count: str | Literal[False] | None = None,
    person: Names | Literal[False] | None = None,
    in_order: bool = False,
    may_change: bool = False,
    how: Mapping[str, str | Coarsening] | None = None,
    rename: Mapping[str, str] | None = None,
    cells: Mapping[str, Table] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Release:
    """Read a table of generalized cells as a release, with or without its original.

    The notation of a column is detected from all its cells: intervals ``[20, 30)``, ranges
    ``20-30``, bounds ``>=40`` and ``90+``, masks ``2*``, sets ``{a, b}`` or ``a;b``, lists, names
    of hierarchy nodes, ``*``. `Release.notations` has the result. A value of the original is that
    value, whatever it looks like. What remains ambiguous is refused, and the message says how to
    declare it.

    Without the original, a column has the values in `domains`, or the levels in `ordinal`, or the
    leaves of its hierarchy, or those that its cells name: values, members of sets, and the whole
    numbers (or days) from the smallest to the largest in ranges, and all digits behind masks such
    as ``816**``. `Release.notes` reports the last. If the cells do not determine it, it must be
    given.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        Needs the quasi-identifiers and the sensitive column. Attacks use no others; `identifiers`
        looks at them (`Release.extras`). A path is a Parquet file (``.parquet``, ``.pq``) or a CSV
        file.
    original : Microdata, optional
        The original, whose domains and hierarchies the cells refer to.
    quasi, sensitive : str or sequence of str, and str
        Without the original: the quasi-identifiers and the sensitive column.
    domains : mapping of str to sequence or Column, optional
        Without the original: the values of a column, in any order, with or without repetitions; or
        the column of a register or of other microdata. Kinds follow as in `read_table`.
    numeric, ordinal, categorical, forms, hierarchies
        Without the original: as in `read_csv`.
    made_by : str
        Name of the sanitizer.
    notation : mapping of str to str, optional
        Notation of ambiguous columns: ``"value"``, ``"range"``, ``"interval"``, ``"mask"`` (a star
        is one character), ``"prefix"`` (a star is any number of characters), ``"set"``,
        ``"list"`` or ``"node"``. Values and suppressed cells are allowed besides.
    empty : {"suppressed", "missing"}, optional
        Meaning of an empty cell (or ``NA``, ``null``, ``NaN``). Default: suppressed, unless missing
        is a value of the original's column.
    count : str or False, optional
        The column with the number of records of a row. Default: a row is one record, unless the
        numbers in a column named as one of counts add up to the original's records. What looks
        like a table of counts without that is refused until this is said; ``False`` says that each
        row is one record.
    person : str or sequence of str, or False, optional
        The published column that says whose a row is, such as a pseudonym. Default: those of the
        original that say it, if they are published; otherwise nobody knows whose a row is. Without
        the original a row is one person's, ``False`` says so, and what is named as people are and
        repeats is asked about.
    in_order : bool
        Whether its rows are those of the original's source, in the same order: then it is known
        whose they are, where a person has several.
    may_change : bool
        Whether sensitive values may be changed, as by noise and swapping.
    how : mapping of str to str, optional
        How columns of the original were coarsened, where the cells alone do not tell:
        ``{"born": "year", "pay": "rounded 1000, top 90000"}``. The words are those of
        `parse_how`. ``"perturbed"``: published values need not be true.
    rename : mapping of str to str, optional
        Published columns that have another name than in the original, and that name:
        ``{"age_group": "age"}``.
    cells : mapping of str to mapping, optional
        The values of the original that each published text of a column stands for:
        ``{"sex": {"v": "female", "m": "male"}}``.
    delimiter, encoding : str, optional
        For a CSV file. Default: detected.
    sheet : str, optional
        For an Excel workbook. Default: the first.

    Returns
    -------
    Release
        ``suppressed`` counts the suppressed records, which form no class, ``dropped`` the
        original's records that are not in it, or without a sensitive value.

    Raises
    ------
    InputError
        Rows in messages are counted from 1, without the header.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> published = {"age": ["30-39", "30-39", "*"], "vote": ["a", "b", "a"]}
    >>> read_release(published, survey)
    Release by somebody: 3 records in 1 class of 2; 1 is suppressed
      age    records
      30-39  2
      *      1
      age: ranges like 30-39, suppressed cells
      1 of 3 records is suppressed and forms no class: all its quasi-identifiers are hidden

    The same without the original:

    >>> release = read_release(published, quasi="age", sensitive="vote")
    >>> print(release.notes[0])
    age: inferred values: the whole numbers from 30 to 39
    >>> read_release(published, quasi="age", sensitive="vote",
    ...              domains={"age": range(18, 100)}).quasi[0].size
    82
    """
    alone: dict[str, Any] = {
        "quasi": quasi, "sensitive": sensitive, "numeric": numeric, "ordinal": ordinal,
        "categorical": categorical, "forms": forms, "hierarchies": hierarchies,
    }  # fmt: skip
    check("empty", Empty | None, empty)
    named = _quasi_names(original, {**alone, "domains": domains})
    written = _checked(notation, named)
    if original is not None:
        named = [*named, original.sensitive.name]
    elif how or cells:
        raise InputError("{option} says how the original was coarsened; give the original, too",
                         option=Option("how" if how else "cells"))  # fmt: skip
    said = Declared.of(how, cells, written, named)
    source = open_release(table, delimiter=delimiter, encoding=encoding, sheet=sheet)
    source = source.renamed(rename)
    if original is None:
        template, held_by = columns_alone(source, Options(**alone), domains, written, empty)
    else:
        template = original
        held_by = {c.name: "the original" for c in (*original.quasi, original.sensitive)}
    columns = []
    secret = template.sensitive
    cells_in = {one.name: column_cells(source, one.name) for one in (*template.quasi, secret)}
    with _left_out_may_be_meant(original):
        may_change |= secret.name in said.perturbed
        secrets = _secrets(
            secret, cells_in[secret.name], empty, held_by[secret.name], said, may_change=may_change
        )
        told = secrets.codes >= 0  # the others are no records, whatever else stands there
        for column in template.quasi:
            cells_there = cells_in[column.name]
            if told.any() and not told.all():
                cells_there = cells_there.take(told)
            read = said.read(column, cells_there, empty)
            if original is None:
                check_held(column, cells_there, read, held_by[column.name])
            columns.append(read.in_rows(told))
    weights, count, told_of = _weights(source, template, count, is_alone=original is None)
    perturbed = dict.fromkeys([*said.perturbed, *([secret.name] if may_change else [])])
    release = _release(template, columns, secrets, weights, made_by, tuple(perturbed))
    release = replace(
        release,
        persons=_persons(
            source,
            original,
            person,
            told,
            weights,
            in_order=in_order,
            used=[column.name for column in (*template.quasi, secret)],
        ),
    )
    if original is None:
        told_of += _about_untold(secrets.codes, secret.name)
    else:
        with _left_out_may_be_meant(original):
            at_level = at_published_level(original, release)
            check_release(release, at_level, may_drop=True, may_change=may_change)
    empties = [(c.name, r.as_missing) for c, r in zip(template.quasi, columns, strict=True)]
    empties.append((secret.name, secrets.as_missing))
    notes = [
        *([] if secrets.level is None else [secrets.level.said]), *template.notes, *source.notes,
        *told_of, *_about_empty(empties, held_by), *_about_words(template, columns),
        *_about_hidden(release, template), *_about_uncovered(release, template, columns),
        *(() if original is None else suspicions(release, original)),
    ]  # fmt: skip
    counted_by = [count] if count else []
    used = [*(column.name for column in (*template.quasi, secret)), *counted_by]
    return replace(release, notes=tuple(notes), extras=extras_of((source, used)))


def _persons(
    source: Source,
    original: Microdata | None,
    person: Names | Literal[False] | None,
    told: NDArray[np.bool_],
    weights: NDArray[np.int64] | None,
    *,
    used: Collection[str],
    in_order: bool,
) -> Persons | None:
    """Whose the released records are; nobody knows if that is not published."""
    several = None if original is None else original.several
    named = [person] if isinstance(person, str) else list(person or ())
    if in_order and original is not None and several is not None and not named:
        return _persons_in_order(source, original, several, told)
    if not named and several is not None:
        named = [name for name in several.columns if name in source.columns]
        if len(named) < len(several.columns):
            return replace(several, of=None)
    if not named and person is None and original is None:
        _refuse_repeated(source, used)
    if not named:
        return None
    for name in named:
        source.check_has(name)
    found = persons_of({name: distinct_of(source, name) for name in named})
    rows = np.flatnonzero(told)
    return found.take(rows if weights is None else np.repeat(rows, weights[told]))


def _refuse_repeated(source: Source, used: Collection[str]) -> None:
    """Ask about a published column that says whose a row is, and repeats."""
    columns = {}
    for name in source.columns:
        if name not in source.unreadable:
            with suppress(InputError):  # lists of values, which are cells
                columns[name] = distinct_of(source, name)
    refuse_repeated({}, columns, [name for name in columns if name not in used], source.file)


def _persons_in_order(
    source: Source, original: Microdata, several: Persons, told: NDArray[np.bool_]
) -> Persons:
    """Whose the rows are, by their places; nobody knows if one is of nobody who was read."""
    if source.n_rows != original.source_rows:
        raise InputError(
            "{option} was said, but {published} has {n:row} and {original} {rows}",
            option=Option("in_order"), published=source.file, n=source.n_rows,
            original=original.file, rows=original.source_rows,
        )  # fmt: skip
    assert several.of is not None
    of = np.full(source.n_rows, -1, dtype=np.int64)
    of[original.rows] = several.of
    found = of[np.flatnonzero(told)]
    return replace(
        several, of=None if (found < 0).any() else np.unique(found, return_inverse=True)[1]
    )


@contextmanager
def _left_out_may_be_meant(original: Microdata | None) -> Iterator[None]:
    """Add to an error what to do about people who were dropped from the original."""
    try:
        yield
    except InputError as error:
        # A note tells that some were; all others who are not there were left out by an attack.
        if original is None or not any("dropped" in note for note in original.notes):
            raise
        raise InputError(
            "{error}; if it is about people who were dropped from the original for missing values, "
            "keep them there with {option}", error=error, option=Option("missing", "keep"),
        ) from error  # fmt: skip


def _quasi_names(original: Microdata | None, alone: Mapping[str, Any]) -> list[str]:
    """The names of the quasi-identifiers, from the original or as given, but not both."""
    check_original("original", original, alone)
    if original is not None:
        return [column.name for column in original.quasi]
    lacking = [name for name in ("quasi", "sensitive") if alone[name] is None]
    if lacking:
        raise InputError(
            "{lacking} must be given without the original; give the original as read_csv or "
            "read_table returns it, or name the columns: {quasi}, {sensitive}",
            lacking=Listed([Option(name) for name in lacking], "and"),
            quasi=Option("quasi", ["age", "zip"]), sensitive=Option("sensitive", "disease"),
        )  # fmt: skip
    return [alone["quasi"]] if isinstance(alone["quasi"], str) else list(alone["quasi"])


def _checked(notation: Mapping[str, str] | None, names: Sequence[str]) -> dict[str, Notation]:
    """The declared notations; refused if they are not applicable."""
    option = Option("notation")
    if notation is not None and not isinstance(notation, Mapping):
        raise must("notation", "map columns to words, such as {'age': 'range'}", notation)
    said = {}
    for name, word in (notation or {}).items():
        if name not in names:
            raise InputError(
                "{option} names {name}, which is not a quasi-identifier{hint} (those are {names})",
                option=option, name=Cell(name), hint=did_you_mean(str(name), names),
                names=", ".join(names),
            )  # fmt: skip
        if word not in _NOTATIONS:
            raise InputError(
                "{option} of column {column} must be one of {words}, but {given} was given{hint}",
                option=option, column=ColumnName(name), words=", ".join(_NOTATIONS),
                given=repr(word), hint=did_you_mean(str(word), _NOTATIONS),
            )  # fmt: skip
        said[name] = Notation(word)
    return said


def _release(
    original: Microdata,
    columns: list[CellColumn],
    secrets: _Secrets,
    weights: NDArray[np.int64] | None,
    made_by: str,
    perturbed: tuple[str, ...],
) -> Release:
    """The records with a sensitive value, in classes that share their cells."""
    told = np.flatnonzero(secrets.codes >= 0)
    rows = told if weights is None else np.repeat(told, weights[told])
    if not len(rows):
        raise InputError("no row of the release has a value of {column}",
                         column=ColumnName(original.sensitive.name))  # fmt: skip
    cells = [column.cell_of[rows] for column in columns]
    first, class_of = distinct_rows(cells)
    classes = list(zip(columns, [column[first] for column in cells], strict=True))
    return Release(
        quasi=original.quasi,
        sensitive=replace(
            original.sensitive if secrets.level is None else secrets.level.column,
            codes=secrets.codes[rows],
        ),
        level=secrets.level,
        perturbed=perturbed,
        class_of=class_of.astype(np.int32),
        regions=tuple(column.regions.take(row) for column, row in classes),
        made_by=made_by,
        notations={c.name: r.read_as for c, r in zip(original.quasi, columns, strict=True)},
        dropped=max(0, len(original) - len(rows)),
    )


class _Secrets(NamedTuple):
    """What a release publishes of its sensitive column."""

    codes: NDArray[np.int32]
    """Of each row; -1 if hidden."""
    as_missing: int
    """Number of rows that were read as missing."""
    level: Level | None = None
    """Where it is not that of the original."""


def _secrets(
    column: Column, cells: Distinct, empty: Empty | None, held_by: Text, said: Declared, *,
    may_change: bool,
) -> _Secrets:  # fmt: skip
    """The sensitive values of all rows: those of the original, parts of its domain, or others."""
    if said.is_said(column.name):
        return _in_parts(column, said.read(column, cells, empty), held_by)
    texts, domain = cells.texts(), cell_reader(column).domain
    found = [domain.value(text) for text in texts]
    untold = [t for t, code in zip(texts, found, strict=True) if code is None and not is_hidden(t)]
    if not untold:
        return _exact_secrets(column, cells, found, empty)
    numbers = numbers_among(untold, column) if may_change else {}
    if len(numbers) == len(untold):
        level = widened(column, list(numbers.values()))
        wide = cell_reader(level.column).domain
        exact = _exact_secrets(level.column, cells, [wide.value(text) for text in texts], empty)
        return exact._replace(level=level)
    for position, text in enumerate(texts):
        if text in untold and not any(r.spans for r in cell_reader(column).read(text).all):
            raise InputError(
                "{row}: {value} is not a value of {column} in {held_by}{hint}",
                row=Row(cells.first_row(position)), value=Cell(text), column=column.name,
                held_by=held_by, hint=value_meant(text, column.texts),
            )  # fmt: skip
    return _in_parts(column, read_column(column, cells, empty=empty), held_by)


def _in_parts(column: Column, read: CellColumn, held_by: Text) -> _Secrets:
    """The rows' values, where the cells are parts of the domain."""
    parts = [() if hidden else cell.reading.spans
             for cell, hidden in zip(read.cells, read.hidden, strict=True)]  # fmt: skip
    for cell, spans, hidden in zip(read.cells, parts, read.hidden, strict=True):
        if not spans and not hidden:
            raise InputError(
                "{value} covers no value of {column} in {held_by}; if it was changed, give "
                "{changed}", value=Cell(cell.written), column=column.name, held_by=held_by,
                changed=Option("how", {column.name: "perturbed"}),
            )  # fmt: skip
    if "rounded" in read.said:
        records = np.bincount(read.cell_of, minlength=len(parts))
        parts = halves_apart(parts, records, np.bincount(column.codes, minlength=column.size))
    level = None
    one_each = all(len(one) < 2 and all(first == last for first, last in one) for one in parts)
    values = {Notation.VALUE, Notation.SUPPRESSED}
    in_other_words = {cell.reading.notation for cell in read.cells} <= values
    if one_each and in_other_words and read.said in ("", "recoded"):
        codes = [spans[0][0] if spans else -1 for spans in parts]
    else:
        level, codes = coarsened(column, [c.written for c in read.cells], parts)
    return _Secrets(np.array(codes, dtype=np.int32)[read.cell_of], read.as_missing, level)


def _exact_secrets(
    column: Column, cells: Distinct, found: Sequence[int | None], empty: Empty | None
) -> _Secrets:
    """The rows' values, where every cell is a value or hidden."""
    missing = -1 if empty == "suppressed" else column.places.get(MISSING, -1)
    empties = [position for position, text in enumerate(cells.texts())
               if found[position] is None and text.strip() in EMPTY_WORDS]  # fmt: skip
    codes = [-1 if code is None else code for code in found]
    for position in empties:
        codes[position] = missing
    as_missing = cells.count(empties) + int(cells.missing.sum()) if missing >= 0 else 0
    return _Secrets(np.array([*codes, missing], dtype=np.int32)[cells.codes], as_missing)


def _weights(
    source: Source, original: Microdata, count: str | Literal[False] | None, *, is_alone: bool
) -> tuple[NDArray[np.int64] | None, str | None, list[Text]]:
    """The number of records of each row, if not one each; their column; and notes about it."""
    used = [column.name for column in (*original.quasi, original.sensitive)]
    check_count(count, used)
    notes: list[Text] = []
    named = [column.name for column in original.columns]  # what is a value there, is one here
    if count is None and (is_alone or source.n_rows < len(original)):
        # As many rows as records are the records.
        columns = _readable(source)
        if not is_alone:
            count = _adding_up(columns, original, named)
        suspect = None if count else suspected(columns, named)
        if suspect is not None:
            raise looks_counted(suspect, source.file)
        notes = [_not_counted(name) for name in columns
                 if is_alone and name not in used and is_called_count(name)]  # fmt: skip
    if not count:
        return None, None, notes
    cells = column_cells(source, count)
    weights = numbers_of_people(cells, least=0)
    most = _MOST if is_alone else len(original)
    if weights.sum(dtype=np.float64) > most:
        raise InputError(
            "{where}: its numbers of records add up to {sum}, but {most}", where=cells.where,
            sum=f"{weights.sum(dtype=np.float64):,.0f}",
            most=f"there may be at most {most:,}" if is_alone else f"the original has {most:,}",
        )  # fmt: skip
    return weights, count, [counted_note(count, source.n_rows, int(weights.sum()))]


def _not_counted(name: str) -> Text:
    return Message("each row is read as one record, regardless of its {column}; if that is a "
                   "number of records, give {option}", column=ColumnName(name),
                   option=Option("count", name))  # fmt: skip


def _readable(source: Source) -> dict[str, Distinct]:
    """All columns of a published table that can be read."""
    found = {}
    for name in source.columns:
        try:
            found[name] = column_cells(source, name)
        except InputError:
            continue
    return found


def _adding_up(
    columns: Mapping[str, Distinct], original: Microdata, used: Sequence[str]
) -> str | None:
    """A column named as one of counts, or as that of the original, that adds up to its records."""
    for name, column in columns.items():
        if name in used or not (is_called_count(name) or name == original.counted_by):
            continue
        try:
            numbers = numbers_of_people(column, least=0)
        except InputError:
            continue
        if numbers.sum() == len(original):
            return name
    return None


def _about_empty(as_missing: list[tuple[str, int]], held_by: Mapping[str, Text]) -> list[Text]:
    """Empty cells that were read as missing values."""
    return [
        Message("{cells} of {column} read as '(missing)', which is a value of {held_by}; if they "
                "are suppressed, give {option}", cells=counted(n, "empty cell"), column=name,
                held_by=held_by[name], option=Option("empty", "suppressed"))
        for name, n in as_missing if n
    ]  # fmt: skip


def _about_words(original: Microdata, columns: Sequence[CellColumn]) -> list[Text]:
    """Which words were read as suppressed cells, because they are no values."""
    return [
        Message("{column}: {words}, which {no} of the column, {cells}", column=column.name,
                words=Listed([Cell(word) for word in read.words], "and"),
                no="is no value" if len(read.words) == 1 else "are no values",
                cells="is read as a suppressed cell" if len(read.words) == 1
                else "are read as suppressed cells")
        for column, read in zip(original.quasi, columns, strict=True) if read.words
    ]  # fmt: skip


def _about_hidden(release: Release, original: Microdata) -> list[Text]:
    """Records that are suppressed or not in the release."""
    notes: list[Text] = [*about_suppressed(release.suppressed, len(release))]
    if release.hidden > release.suppressed:
        notes.append(
            "all quasi-identifiers of all records are hidden: the release does not tell people "
            "apart"
        )
    if release.dropped:
        are = "is" if release.dropped == 1 else "are"
        notes.append(
            f"{release.dropped:,} of {len(original):,} records {are} not in the release, or in it "
            "without a sensitive value"
        )
    return notes


def _about_uncovered(
    release: Release, original: Microdata, columns: list[CellColumn]
) -> list[Text]:
    """Values that no cell covers, although each released record's own cell should.

    They come from tools that round the bounds of their labels, and from means of several values.
    """
    notes: list[Text] = []
    for column, read in zip(original.quasi, columns, strict=True):
        once = np.ones((len(read.regions), 1), dtype=np.int64)
        uncovered = read.regions.cover_counts(once, column.size)[:, 0] == 0
        left_out = uncovered[column.codes]
        if left_out.sum() > release.dropped:
            code = column.codes[np.argmax(left_out)]
            value = Cell(column.texts[code], people=int((column.codes == code).sum()), bare=True)
            notes.append(Message(
                "{column}: no cell covers the values of {n} of {all} records, such as {value}; "
                "cells are read as they are written", column=column.name, n=int(left_out.sum()),
                all=len(original), value=value,
            ))  # fmt: skip
    return notes


def _about_untold(secrets: NDArray[np.int32], name: str) -> list[Text]:
    """Rows without a sensitive value, if there is no original to count dropped records."""
    untold = int((secrets < 0).sum())
    if not untold:
        return []
    have, are = ("has", "is") if untold == 1 else ("have", "are")
    return [f"{untold:,} of {len(secrets):,} rows {have} no value of {name} and {are} left out"]


def check_release(
    release: Release, original: Microdata, *, may_drop: bool, may_change: bool
) -> None:
    """Refuse a release that cannot be one of the original.

    It must not have other columns, more records than the original, fewer unless records may be
    dropped, or more with some sensitive value unless those may be changed.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": ["30-39", "30-39"], "vote": ["a", "b"]}, survey)
    >>> check_release(release, survey, may_drop=False, may_change=False)
    Traceback (most recent call last):
    unveil.errors.InputError: somebody returned 2 records for a table of 3; if suppressed records
    are left out, give may_drop=True
    """
    refuse_other_level(release, original)
    _check_columns(release, original)
    parts = {"maker": release.maker, "n": len(release), "table": len(original)}
    if len(release) > len(original):
        raise InputError("{maker} returned {n} records for a table of {table}; a release has at "
                         "most one record for each of the original", **parts)  # fmt: skip
    if len(release) < len(original) and not may_drop:
        raise InputError(
            "{maker} returned {n} records for a table of {table}; if suppressed records are left "
            "out, give {option}", option=Option("may_drop", True), **parts,
        )  # fmt: skip
    if may_change:
        return
    # With as many records as the original, some value has too many if any has too few.
    more = np.flatnonzero(release.totals > original.sensitive_counts)
    if len(more):
        held = int(original.sensitive_counts[more[0]])
        if release.sensitive.texts[more[0]] == MISSING:
            raise InputError(
                "{maker} returned {n} records without a value of {column}, where the table has "
                "{held}; leave these people out with {option}", maker=release.maker,
                n=int(release.totals[more[0]]), column=release.sensitive.name, held=held,
                option=Option("missing", "keep"),
            )  # fmt: skip
        raise InputError(
            "{maker} returned {n} records with {column} {value} where the table has {held}: "
            "sensitive values were changed; if that is intended, give {option}",
            maker=release.maker, n=int(release.totals[more[0]]), column=release.sensitive.name,
            value=Cell(release.sensitive.texts[more[0]], people=held), held=held,
            option=ValueOption("may_change", True, typed=_MAY_CHANGE),
        )  # fmt: skip


def _check_columns(release: Release, original: Microdata) -> None:
    """The columns and their domains must be the original's, or codes differ in meaning."""
    theirs = {column.name: column for column in (*release.quasi, release.sensitive)}
    ours = {column.name: column for column in (*original.quasi, original.sensitive)}
    for name, column in ours.items():
        if name not in theirs:
            raise InputError(
                "column {column} is not in the release by {maker}{hint} (columns: {columns})",
                column=ColumnName(name), maker=release.maker, hint=did_you_mean(name, theirs),
                columns=", ".join(theirs),
            )  # fmt: skip
        other = theirs[name]
        if other.values is not column.values and other.texts != column.texts:
            raise InputError(
                "column {column} of the release by {maker} has other values than the original's; "
                "read it as a release of this original",
                column=ColumnName(name), maker=release.maker,
            )  # fmt: skip
    more = [name for name in theirs if name not in ours]
    if more:
        raise InputError(
            "the release by {maker} has a column {column} that is neither a quasi-identifier nor "
            "sensitive in the original (those are {columns})", maker=release.maker,
            column=ColumnName(more[0]), columns=", ".join(ours),
        )  # fmt: skip
