"""Reading microdata: from CSV and Parquet files and from tables in memory.

All of them go one way: the table becomes Arrow columns, the columns become distinct values, and
those become codes. `Options` is what the user declares about the columns, checked against them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.errors import (
    Cell,
    File,
    HierarchyError,
    InputError,
    Known,
    Listed,
    Message,
    MissingValuesError,
    Option,
    Text,
)
from unveil.errors import Column as ColumnName
from unveil.files import note_input
from unveil.microdata._csv import from_csv
from unveil.microdata._distinct import Distinct, distinct_of
from unveil.microdata._encode import (
    MISSING,
    Builder,
    Wish,
    encode,
    stray_texts,
)
from unveil.microdata._forms import is_form, missing_value
from unveil.microdata._hierarchies import match_files, read_hierarchy
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._messages import must
from unveil.microdata._microdata import Column, Kind, Microdata, Role, value_text
from unveil.microdata._persons import (
    Persons,
    check_person,
    doubt_of,
    persons_note,
    persons_of,
    refuse_repeated,
)
from unveil.microdata._row_counts import check_count, looks_counted, one_row_each, suspected
from unveil.microdata._sources import Source, from_parquet, from_table, is_parquet
from unveil.options import check

Names: TypeAlias = str | Sequence[str]
_PathLike: TypeAlias = str | os.PathLike[str]
HierarchiesOption: TypeAlias = _PathLike | Mapping[str, Hierarchy | _PathLike | Builder] | None
Missing: TypeAlias = Literal["error", "drop", "category", "keep"]
_MissingValues: TypeAlias = Iterable[Any] | Mapping[str, Iterable[Any]] | None


def read_csv(
    path: str | os.PathLike[str],
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    person: Names | Literal[False] | None = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    forms: Mapping[str, str] | None = None,
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: _MissingValues = None,
    count: str | Literal[False] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | Mapping[int, str] | None = None,
    comment: str | None = None,
    sheet: str | None = None,
) -> Microdata:
    """Read microdata from a CSV file or an Excel workbook.

    A column is numeric if all its texts are numbers or dates, also as people write them:
    ``1984-05-23``, ``23.05.1984``, ``34,5``, ``1,234,567``. With leading zeros they are codes:
    ``01234``. All others are categorical. Blanks around a cell are ignored. What can be read in
    several ways (``03/04/1984``, ``45,250``) is refused in a column that is used until `forms` says
    which is meant.

    Parameters
    ----------
    path : path
        May be compressed (``.gz`` and others that Arrow reads), or a workbook (``.xlsx``,
        ``.xlsm``), for which the extra ``excel`` is needed. Cells of a workbook have the types
        that they have there; formulas are their results.
    quasi : str or sequence of str
        The quasi-identifiers: what an attacker may know about a person.
    sensitive : str
        What an attacker wants to know.
    identifier : str or sequence of str
        Columns that name a person. They are never used.
    person : str or sequence of str, or False, optional
        The column that says whose a row is, if a person may have several rows, or several such
        columns together. Default: each row is another person's, and a table whose identifiers
        repeat is refused until this is said; ``False`` says that each row is another person's all
        the same.
    numeric, categorical : str or sequence of str
        Columns whose kind is declared instead of detected.
    ordinal : mapping of str to sequence, optional
        Columns with an order, and all their levels from low to high.
    forms : mapping of str to str, optional
        How dates and numbers are written, by column: ``"dd.mm.yyyy"``, ``"mm/dd/yyyy"``,
        ``"ddmonyyyy"``, ``"yyyy-mm-dd hh:mm:ss"``, ``"1.234,56"``, ``"1,234.56"`` … Default:
        detected. Years of two digits are 1930 to 2029 unless the form says otherwise, as in
        ``"dd.mm.yy since 1910"``.
    hierarchies : path or mapping, optional
        A folder of hierarchy files (see `read_hierarchies`), or a mapping from columns to a
        `Hierarchy`, a file, or a function of the distinct values, such as `prefix_hierarchy`.
        The domain of a categorical column is then all leaves.
    missing : {'error', 'drop', 'category', 'keep'}
        Treatment of missing values in the quasi-identifiers and the sensitive column: refuse
        them, drop the records, or make missing a value of its own. ``'keep'`` makes it a value of
        quasi-identifiers, and leaves out people without a sensitive value.
    missing_values : sequence or mapping of str to sequence, optional
        Texts that mean missing, besides empty cells, in all columns or by column.
    count : str or False, optional
        The column with the number of people that a row stands for, in a table of counts. Default:
        a row is one person, and a table that looks like one of counts is refused until this is
        said; ``False`` says that each row is one person.
    delimiter : str, optional
        Default: detected (a comma, semicolon, tab or bar).
    encoding : str, optional
        Default: detected: UTF-8, what a byte order mark says, or Western Windows (which a note
        says).
    columns : sequence of str or mapping of int to str, optional
        For files without a header: the names of all columns, or of those at some positions
        (counted from 0); then only those are read.
    comment : str, optional
        Lines that begin with it are skipped.
    sheet : str, optional
        The sheet of a workbook. Default: the first one.

    Returns
    -------
    Microdata
        Columns in this order: quasi-identifiers as named, sensitive, all others.

    Raises
    ------
    InputError
        Rows in messages are counted from 1, without the header.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "survey.csv"
    >>> _ = file.write_text("age,zip,income\\n31,01234,low\\n45,01299,high\\n,01234,low\\n")
    >>> read_csv(file, quasi=["age", "zip"], sensitive="income", missing="drop")
    Microdata: 2 records from survey.csv
      age: quasi-identifier, numeric, 2 values
      zip: quasi-identifier, categorical, 2 values
      income: sensitive, categorical, 2 values
      1 of 3 records with missing values dropped (age 1)
    """
    source = from_csv(
        path, delimiter=delimiter, encoding=encoding, columns=columns, comment=comment, sheet=sheet
    )
    note_input(path)
    options = Options(
        quasi=quasi, sensitive=sensitive, identifier=identifier, person=person, numeric=numeric,
        ordinal=ordinal, categorical=categorical, forms=forms, hierarchies=hierarchies,
        missing=missing, missing_values=missing_values, count=count,
    )  # fmt: skip
    return _read(source, options)


def read_parquet(
    path: str | os.PathLike[str],
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    person: Names | Literal[False] | None = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    forms: Mapping[str, str] | None = None,
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: _MissingValues = None,
    count: str | Literal[False] | None = None,
) -> Microdata:
    """Read microdata from a Parquet file.

    The options are those of `read_csv`; kinds follow from the file's types, as in `read_table`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "survey.parquet"
    >>> pq.write_table(pa.table({"age": [31, 45], "income": ["low", "high"]}), file)
    >>> read_parquet(file, quasi="age", sensitive="income")
    Microdata: 2 records from survey.parquet
      age: quasi-identifier, numeric, 2 values
      income: sensitive, categorical, 2 values
    """
    options = Options(
        quasi=quasi, sensitive=sensitive, identifier=identifier, person=person, numeric=numeric,
        ordinal=ordinal, categorical=categorical, forms=forms, hierarchies=hierarchies,
        missing=missing, missing_values=missing_values, count=count,
    )  # fmt: skip
    source = from_parquet(path)
    note_input(path)
    return _read(source, options)


def read_table(
    table: Any,
    *,
    quasi: Names,
    sensitive: str,
    identifier: Names = (),
    person: Names | Literal[False] | None = None,
    numeric: Names = (),
    ordinal: Mapping[str, Sequence[Any]] | None = None,
    categorical: Names = (),
    forms: Mapping[str, str] | None = None,
    hierarchies: HierarchiesOption = None,
    missing: Missing = "error",
    missing_values: _MissingValues = None,
    count: str | Literal[False] | None = None,
) -> Microdata:
    """Read microdata from a table in memory.

    Numbers and dates are numeric; texts, truth values and categories are categorical; categories
    with an order (pandas' ordered categoricals, polars' enums) are ordinal. The index is ignored.

    Parameters
    ----------
    table : pandas, polars or Arrow table, any other that narwhals reads, or a mapping
        A mapping from column names to sequences of values; or what `open_table` opened.
    quasi, sensitive, identifier, person, numeric, ordinal, categorical, forms, hierarchies, \
missing, missing_values, count
        As in `read_csv`.

    Examples
    --------
    >>> people = {"age": [31, 45, 45], "sex": ["f", "m", "f"], "income": ["low", "high", "low"]}
    >>> survey = read_table(people, quasi=["age", "sex"], sensitive="income")
    >>> survey["age"].codes.tolist(), survey["age"].values.tolist()
    ([0, 1, 1], [31, 45])
    """
    options = Options(
        quasi=quasi, sensitive=sensitive, identifier=identifier, person=person, numeric=numeric,
        ordinal=ordinal, categorical=categorical, forms=forms, hierarchies=hierarchies,
        missing=missing, missing_values=missing_values, count=count,
    )  # fmt: skip
    return _read(from_table(table), options)


def open_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | Mapping[int, str] | None = None,
    comment: str | None = None,
    sheet: str | None = None,
    name_unnamed: bool = False,
) -> Source:
    """A CSV, Excel or Parquet file, opened once: `read_table` reads it for one sensitive column or
    many.

    The options are those of `read_csv`; none is for Parquet files. ``name_unnamed`` calls columns
    without a name by their place.
    """
    given = {
        "delimiter": delimiter, "encoding": encoding, "columns": columns, "comment": comment,
        "sheet": sheet,
    }  # fmt: skip
    if not is_parquet(path):
        source = from_csv(path, name_unnamed=name_unnamed, **given)  # type: ignore[arg-type]
        note_input(path)
        return source
    for name, one in given.items():
        if one:
            raise InputError(
                "{option} is for {what}; {file} is Parquet", option=Option(name),
                what="Excel workbooks" if name == "sheet" else "CSV files",
                file=File(os.path.basename(path), bare=True),
            )  # fmt: skip
    source = from_parquet(path)
    note_input(path)
    return source


def _read(source: Source, options: Options) -> Microdata:
    check("missing", Missing, options.missing)
    check_count(options.count)
    check_person(options.person)
    if source.n_rows == 0:
        raise InputError("{source} has no rows", source=source.file)
    wishes = options.wishes(source, missing_is_a_value=_HAVING_MISSING.get(options.missing, ()))
    if options.missing == "keep":
        wishes = {name: replace(wish, gap_is_kept=wish.role is Role.QUASI)
                  for name, wish in wishes.items()}  # fmt: skip
    columns, left_out = _distinct_columns(source, wishes, options.markers(source))
    columns, counted = _people_of(source, columns, wishes, options.count)
    persons = _persons(source, columns, wishes, options)
    everybody = len(next(iter(columns.values())).rows)
    columns, meaning = _settle_missing(columns, wishes, options.missing)
    as_words = [note for n, c in columns.items() if wishes[n].is_open for note in _read_as_words(c)]
    encoded = tuple(encode(column, wishes[name]) for name, column in columns.items())
    if persons is not None:  # of the rows that are left
        persons = _persons(source, columns, wishes, options)
        counted = [*counted, *persons_note(persons)]
    doubt = None
    if (
        persons is None
        and not options.count
        and not any(one.role is Role.IDENTIFIER for one in wishes.values())
    ):
        known = [column for name, column in columns.items() if wishes[name].role is Role.QUASI]
        doubt = doubt_of(known, everybody)
    return Microdata(
        columns=encoded,
        rows=next(iter(columns.values())).rows, source=source.name, source_rows=source.n_rows,
        notes=(*source.notes, *counted, *([doubt] if doubt else []), *meaning, *left_out,
               *as_words, *_about_forms(encoded, wishes)),
        counted_by=options.count or None,
        left_out=everybody - len(next(iter(columns.values())).rows)
        if options.missing == "keep" else 0,
        persons=persons, doubt=doubt,
    )  # fmt: skip


_HAVING_MISSING = {"category": (Role.QUASI, Role.SENSITIVE), "keep": (Role.QUASI,)}
"""Roles of columns of which missing is a value."""


def _people_of(
    source: Source,
    columns: dict[str, Distinct],
    wishes: Mapping[str, Wish],
    count: str | Literal[False] | None,
) -> tuple[dict[str, Distinct], list[Text]]:
    """The columns with one row per person; what may be a table of counts is asked about."""
    if count:
        return one_row_each(columns, count)
    if count is None:
        used = [name for name in columns if wishes[name].role is not Role.OTHER]
        name = suspected(columns, used)
        if name is not None:
            raise looks_counted(name, source.file)
    return columns, []


def _persons(
    source: Source,
    columns: Mapping[str, Distinct],
    wishes: Mapping[str, Wish],
    options: Options,
) -> Persons | None:
    """Whose the rows are, if a person may have several; identifiers that repeat are asked about."""
    having = {role: {n: one for n, one in columns.items() if wishes[n].role is role}
              for role in (Role.PERSON, Role.IDENTIFIER)}  # fmt: skip
    if having[Role.PERSON]:
        if options.count:
            raise InputError(
                "{person} and {count} exclude each other: a row of a table of counts stands for "
                "several people, and none of them has a name", person=Option("person"),
                count=Option("count"),
            )  # fmt: skip
        return persons_of(having[Role.PERSON])
    if options.person is False:
        return Persons((), np.arange(len(next(iter(columns.values())).codes)))
    if options.person is None and not options.count:
        named = having[Role.IDENTIFIER]
        others = {name: one for name, one in columns.items() if name not in named}
        unroled = [name for name in others if wishes[name].role is Role.OTHER]
        refuse_repeated(named, others, unroled, source.file)
    return None


def _about_forms(columns: Iterable[Column], wishes: Mapping[str, Wish]) -> list[Text]:
    """Notes on the forms that were found out."""
    return [
        read_in_form(column)
        for column in columns
        if column.form is not None and wishes[column.name].form is None
    ]


def read_in_form(column: Column) -> Text:
    """That the numbers or dates of a column have a form that was found out."""
    return Message("{column} is read as {what} written as {form}", column=column.name,
                   what="dates" if column.is_dates else "numbers",
                   form=Known(str(column.form)))  # fmt: skip


def _read_as_words(column: Distinct) -> list[Text]:
    """A note on a column of numbers that a few words make categorical: it changes every result."""
    stray = sorted(stray_texts(column))
    if not stray:
        return []
    return [
        Message(
            "{column} is read as words, not as numbers, because of {words}{more}; if that means "
            "missing, give {option}", column=column.name,
            words=Listed([Cell(text) for text in stray[:3]]), more=", …" if stray[3:] else "",
            option=missing_value(column.name, stray[0]),
        )
    ]  # fmt: skip


def _distinct_columns(
    source: Source, wishes: Mapping[str, Wish], markers: Mapping[str, list[Any]]
) -> tuple[dict[str, Distinct], list[Text]]:
    """The distinct values of all columns; unused columns that cannot be read are left out."""
    found: dict[str, Distinct] = {}
    notes: list[Text] = []
    for name, wish in wishes.items():
        try:
            column = distinct_of(source, name).without(markers.get(name, ()))
        except InputError:
            if wish.role.is_used:
                raise
            notes.append(Message("column {column} was left out: its values cannot be read",
                                 column=ColumnName(name)))  # fmt: skip
            continue
        if wish.role.is_used and column.missing.all():
            raise InputError("{where} is empty: it has no value at all", where=column.where)
        found[name] = column
    return found, notes


def _settle_missing(
    columns: dict[str, Distinct], wishes: Mapping[str, Wish], missing: Missing
) -> tuple[dict[str, Distinct], list[Text]]:
    """Treat missing values as the user chose, and note it."""
    used = [column for name, column in columns.items() if wishes[name].role.is_used]
    gone: NDArray[np.bool_] = np.any([column.missing for column in used], axis=0)
    if not gone.any():
        return columns, []
    counts = ", ".join(f"{c.name} {c.missing.sum():,}" for c in used if c.missing.any())
    how_many = f"{gone.sum():,} of {len(gone):,} records"
    have, drop = "has" if gone.sum() == 1 else "have", Option("missing", "drop")
    if missing == "error":
        raise MissingValuesError(
            "{records} in {source} {have} missing values ({counts}); choose how to treat them: "
            "{keep} makes missing a value of quasi-identifiers and leaves out people without a "
            "sensitive value, {drop} drops all these records, {category} makes missing a value of "
            "every column", records=how_many, source=used[0].file, have=have, counts=counts,
            drop=drop, keep=Option("missing", "keep"), category=Option("missing", "category"),
        )  # fmt: skip
    if missing == "category":
        return columns, [f"{how_many} {have} missing values ({counts}), kept as {MISSING!r}"]
    if missing == "keep":
        return _kept(columns, used, wishes)
    if gone.all():
        raise MissingValuesError(
            "{drop} leaves no record of {source}: each of its {n} has a missing value ({counts})",
            drop=drop, source=used[0].file, n=len(gone), counts=counts,
        )  # fmt: skip
    kept = {name: column.take(~gone) for name, column in columns.items()}
    return kept, [f"{how_many} with missing values dropped ({counts})"]


def _kept(
    columns: dict[str, Distinct], used: Sequence[Distinct], wishes: Mapping[str, Wish]
) -> tuple[dict[str, Distinct], list[Text]]:
    """Missing values of quasi-identifiers as values; people without a sensitive value left out."""
    notes: list[Text] = []
    (secret,) = (one for one in used if wishes[one.name].role is Role.SENSITIVE)
    for one in used:
        gone, everybody = int(one.missing.sum()), len(one.codes)
        if gone and one is not secret:
            have = "has" if gone == 1 else "have"
            notes.append(f"{gone:,} of {everybody:,} records {have} no {one.name}, kept as "
                         f"{MISSING!r}")  # fmt: skip
        elif gone:
            notes.append(
                f"{gone:,} of {everybody:,} people have no value of {one.name} and are left out: "
                f"it is tested over the other {everybody - gone:,}"
            )
    return {name: column.take(~secret.missing) for name, column in columns.items()}, notes


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options that all readers share, as given."""

    quasi: Names
    sensitive: str
    identifier: Names = ()
    person: Names | Literal[False] | None = None
    numeric: Names
    ordinal: Mapping[str, Sequence[Any]] | None
    categorical: Names
    forms: Mapping[str, str] | None = None
    hierarchies: HierarchiesOption
    missing: Missing = "error"
    missing_values: _MissingValues = None
    count: str | Literal[False] | None = None

    def wishes(self, source: Source, *, missing_is_a_value: Sequence[Role] = ()) -> dict[str, Wish]:
        """What is declared about every column.

        Quasi-identifiers come first, as named, then the sensitive column, then all others.
        """
        roles, levels = self._roles(source), self._levels(source)
        forms = self._forms(source)
        numeric = _names(self.numeric, "numeric", source)
        trees = self._hierarchies(source, [name for name in roles if roles[name].is_used])
        kinds = _assigned([
            (list(dict.fromkeys([*numeric, *forms])), Kind.NUMERIC),
            (list(levels), Kind.ORDINAL),
            (_names(self.categorical, "categorical", source), Kind.CATEGORICAL),
        ])  # fmt: skip
        return {
            name: Wish(role=role, kind=kinds.get(name), levels=levels.get(name),
                       hierarchy=trees.get(name), form=forms.get(name),
                       missing_is_a_value=role in missing_is_a_value)
            for name, role in roles.items()
        }  # fmt: skip

    def _roles(self, source: Source) -> dict[str, Role]:
        if not isinstance(self.sensitive, str):
            raise must("sensitive", "be one column name", self.sensitive)
        quasi = _names(self.quasi, "quasi", source)
        if not quasi:
            raise InputError(
                "{option} is empty; name at least one quasi-identifier", option=Option("quasi")
            )
        roles = _assigned([
            (quasi, Role.QUASI),
            (_names([self.sensitive], "sensitive", source), Role.SENSITIVE),
            (_names(self.identifier, "identifier", source), Role.IDENTIFIER),
            (_names([self.count] if self.count else [], "count", source), Role.COUNT),
            (_names(self.person or [], "person", source), Role.PERSON),
        ])  # fmt: skip
        used = {name: role for name, role in roles.items() if role.is_used}
        return used | {n: roles.get(n, Role.OTHER) for n in source.columns if n not in used}

    def _forms(self, source: Source) -> Mapping[str, str]:
        """How the dates and numbers of columns are written."""
        if self.forms is None:
            return {}
        if not isinstance(self.forms, Mapping):
            raise must("forms", "map columns to forms, such as {'born': 'dd.mm.yyyy'}", self.forms)
        _names(list(self.forms), "forms", source)
        for name, form in self.forms.items():
            if not is_form(form):
                raise must(
                    "forms", f"say how column {name!r} is written, such as 'dd.mm.yyyy', "
                    "'mm/dd/yyyy', '1.234,56' or '1,234.56'", form,
                )  # fmt: skip
        return self.forms

    def _levels(self, source: Source) -> dict[str, tuple[str, ...]]:
        """The levels of the ordinal columns, as texts."""
        if self.ordinal is None:
            return {}
        if not isinstance(self.ordinal, Mapping):
            example = {"education": ["low", "high"]}
            raise must("ordinal", f"map a column to its levels in order, such as {example}",
                       self.ordinal)  # fmt: skip
        _names(list(self.ordinal), "ordinal", source)
        found = {}
        for name, levels in self.ordinal.items():
            texts = () if isinstance(levels, str) else tuple(value_text(v) for v in levels)
            if not texts:
                raise must("ordinal", f"list the levels of column {name!r}", levels)
            twice = [text for i, text in enumerate(texts) if text in texts[:i]]
            if twice:
                raise InputError(
                    "{option} lists the level {level} of column {column} twice",
                    option=Option("ordinal"), level=Cell(twice[0]), column=ColumnName(name),
                )  # fmt: skip
            found[name] = texts
        return found

    def markers(self, source: Source) -> dict[str, list[Any]]:
        """For each column, the values that mean missing."""
        given = self.missing_values
        if given is None:
            return {}
        if isinstance(given, Mapping):
            _names(list(given), "missing_values", source)
            return {name: _listed(values) for name, values in given.items()}
        return dict.fromkeys(source.columns, _listed(given))

    def _hierarchies(self, source: Source, used: Sequence[str]) -> dict[str, Hierarchy | Builder]:
        """For each column that has one, its hierarchy or the function that makes it."""
        given = self.hierarchies
        if given is None:
            return {}
        found: Mapping[str, Hierarchy | _PathLike | Builder]
        if isinstance(given, Mapping):
            _names(list(given), "hierarchies", source)
            found = given
        elif isinstance(given, str | os.PathLike):
            # All columns are matched, so that a file of an unused column goes to no other.
            files = match_files(given, source.columns)
            found = {name: files[name] for name in used if name in files}
            if not found:
                raise HierarchyError(
                    "the hierarchies in {folder} are for {files}, which are neither "
                    "quasi-identifiers nor sensitive (those are {used})", folder=File(given),
                    files=", ".join(files), used=", ".join(used),
                )  # fmt: skip
        else:
            what = "be a folder or a mapping from columns to hierarchies"
            raise must("hierarchies", what, type(given))
        return {name: _opened(name, one) for name, one in found.items()}


def check_original(option: str, original: Any, said: Mapping[str, Any]) -> None:
    """Refuse an original that is not microdata, and options that it already answers."""
    if original is None:
        return
    if not isinstance(original, Microdata):
        raise must(option, "be microdata, as read_csv or read_table returns it", type(original))
    given = [n for n, v in said.items() if v is not None and not (isinstance(v, tuple) and not v)]
    if given:
        raise InputError(
            "{option} and the original cannot be given together; columns and their values follow "
            "from the original", option=Option(given[0]),
        )  # fmt: skip


def _assigned(groups: Sequence[tuple[list[str], Any]]) -> dict[str, Any]:
    """What each column was declared to be; refused if that is two things."""
    found: dict[str, Any] = {}
    for names, what in groups:
        for name in names:
            if name in found:
                raise InputError(
                    "column {column} cannot be both {one} and {other}",
                    column=ColumnName(name), one=str(found[name]), other=str(what),
                )  # fmt: skip
            found[name] = what
    return found


def _opened(name: str, given: Hierarchy | _PathLike | Builder) -> Hierarchy | Builder:
    if isinstance(given, str | os.PathLike):
        return read_hierarchy(given)
    if isinstance(given, Hierarchy) or callable(given):
        return given
    what = f"have a Hierarchy, a file or a function of the values for column {name!r}"
    raise must("hierarchies", what, type(given))


def _listed(values: Any) -> list[Any]:
    return [values] if isinstance(values, str) else list(values)


def _names(given: Names, option: str, source: Source) -> list[str]:
    """One or several column names, each in the table and named once."""
    names = [given] if isinstance(given, str) else list(given)
    parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else []
    if len(parts) > 1 and all(part in source.arrays for part in parts):
        raise InputError(
            "column {name} is not in {source}; give several columns as a list: {option}",
            name=Cell(given), source=source.file, option=Option(option, parts),
        )  # fmt: skip
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise must(option, "be column names", name)
        source.check_has(name)
        if name in names[:i]:
            raise InputError(
                "column {column} is named twice in {option}",
                column=ColumnName(name), option=Option(option),
            )  # fmt: skip
    return names
