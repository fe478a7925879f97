"""Count what can be measured: a release, microdata, a table in memory, a file, a database.

Anatomy publishes no class that has both quasi-identifiers and sensitive values. What its groups
reveal of the sensitive values is measured by group; who can be told apart, by the
quasi-identifiers, which are published unchanged.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np

from unveil.engine.counting import (
    Contingency,
    EncodedSecret,
    Held,
    KeyColumn,
    Opened,
    PeopleInEngine,
    Question,
    Secret,
    check_rows,
    check_whose,
    counted,
    matching_everything,
    opened,
    standing_for,
)
from unveil.errors import (
    Call,
    Cell,
    File,
    HierarchyError,
    InputError,
    Listed,
    Message,
    Option,
    Text,
    did_you_mean,
)
from unveil.errors import Column as ColumnName
from unveil.measures._kinds import Kinds, without_rows
from unveil.microdata import (
    MISSING,
    AnyRelease,
    Column,
    Hierarchy,
    Kind,
    Microdata,
    Permuted,
    Regions,
    Release,
    Role,
    Wish,
    check_count,
    distinct_values,
    encode,
    hidden_cells,
    read_hierarchies,
    read_hierarchy,
    read_in_form,
    value_text,
)
from unveil.options import Help, Shell, refuse_several

Wildcard = Annotated[
    str | None,
    Help("A cell that matches every value, such as '*'. Default: it is a value like any other."),
    Shell(metavar="TEXT"),
]


class Reading(TypedDict, total=False):
    """How a table that is not yet counted is read. See `count`."""

    quasi: str | Sequence[str] | None
    sensitive: str | None
    count: str | Literal[False] | None
    numeric: str | Sequence[str] | None
    categorical: str | Sequence[str] | None
    person: str | Sequence[str] | Literal[False] | None
    ordinal: _Ordinal
    forms: Mapping[str, str] | None
    missing_values: Any
    hierarchies: _Hierarchies
    engine: Any
    memory: str | int | None
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    header: Sequence[str] | Mapping[int, str] | None


class Counting(Reading, total=False):
    """How a table is counted: the options that all measures share. See `count`."""

    wildcard: str | None


def count(
    table: Any,
    *,
    quasi: str | Sequence[str] | None = None,
    sensitive: str | None = None,
    count: str | Literal[False] | None = None,
    numeric: str | Sequence[str] | None = None,
    categorical: str | Sequence[str] | None = None,
    person: str | Sequence[str] | Literal[False] | None = None,
    ordinal: _Ordinal = None,
    forms: Mapping[str, str] | None = None,
    missing_values: Any = None,
    hierarchies: _Hierarchies = None,
    wildcard: str | None = None,
    engine: Any = "duckdb",
    memory: str | int | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header: Sequence[str] | Mapping[int, str] | None = None,
) -> Contingency:
    """Count a table once, for any number of measures.

    Every measure takes the same options and counts by itself. To count only once, give it what
    this function returns in place of the table.

    Parameters
    ----------
    table : Release, Permuted, Microdata, table in memory, path, Ibis table
        Files are CSV or Parquet (also a folder or a pattern of Parquet files) of any size; the
        engine reads them. A table of an Ibis connection is counted where it is.
    quasi : str or sequence of str, optional
        The keys, whose combinations are the classes. Default: the quasi-identifiers of a release
        or microdata. A missing value is a value like any other, and so is ``*``. The classes of a
        permuted release are its groups; measures of who can be told apart use its
        quasi-identifiers, which are published unchanged.
    sensitive : str, optional
        The sensitive column. Default: that of the release or the microdata. Measures that look
        only at the classes do not need one.
    count : str or False, optional
        The column with the number of people that a row stands for, in a table of counts. Default:
        a row is one person, and a table that looks like one of counts is refused until this is
        said; ``False`` says that each row is one person.
    numeric, categorical : str or sequence of str, optional
        Columns to read as numbers, and as words. Default: as in `read_csv`.
    person : False, optional
        Each row is another person's. Default: a table with a column that names people, such as
        ``patient``, whose values repeat, is refused until this is said. `measures`, `k_anonymity`
        and `reidentification_risk` also take the name of that column, and count people.
    ordinal : mapping of str to sequence, optional
        The levels of the sensitive column, from low to high. Numbers and dates are ordered.
    forms : mapping of str to str, optional
        How the dates or numbers of a column are written: ``{"born": "dd.mm.yyyy"}``. Default:
        detected; a sensitive column that can be read in several ways is asked about. Cells of a
        key that are the same number or date are one value, however they are written.
    missing_values : any or sequence, or mapping of str to these, optional
        What means missing, besides empty cells.
    hierarchies : mapping of str to Hierarchy or path, or path, optional
        The hierarchy of the sensitive column, or a folder that has it.
    wildcard : str, optional
        A cell that matches every value, such as ``"*"``: its record then counts in every class
        that it may belong to.
    engine : {'duckdb', 'spark'} or an Ibis connection
        What counts tables in memory and files.
    memory : str or int, optional
        Memory limit of the engine, such as ``"4GB"``; the rest goes to disk.
    delimiter : str, optional
        CSV delimiter. Default: detected.
    encoding : str, optional
        CSV encoding. Default: detected.
    sheet : str, optional
        Sheet of a workbook. Default: the first.
    header : sequence of str or mapping of int to str, optional
        Column names of a CSV file without a header: all of them, or those at some positions,
        counted from 0.

    Examples
    --------
    >>> import unveil as uv
    >>> counts = uv.count({"age": ["2*", "2*", "3*"], "disease": ["flu", "aids", "flu"]},
    ...                   quasi="age", sensitive="disease")
    >>> counts.rows, counts.totals.tolist()
    (3, [1, 2])
    """
    if isinstance(table, Contingency):
        _refuse_with_counts(
            table, sensitive, count=count, person=person or None, numeric=numeric,
            categorical=categorical, ordinal=ordinal, forms=forms, missing_values=missing_values,
            hierarchies=hierarchies, memory=memory, delimiter=delimiter, sheet=sheet,
        )  # fmt: skip
        counts = table if quasi is None else table.over(_listed(quasi))
    elif isinstance(table, Release | Microdata | Permuted):
        if ordinal is not None or hierarchies is not None:
            raise InputError(
                "microdata and releases already have the order and the hierarchy of their "
                "columns: give {ordinal} and {hierarchies} when reading them",
                ordinal=Option("ordinal"),
                hierarchies=Option("hierarchies"),
            )
        if count is not None:
            raise InputError(
                "microdata and releases have one record per person already: give {count} when "
                "reading them", count=Option("count"),
            )  # fmt: skip
        kinds = {"numeric": numeric, "categorical": categorical, "forms": forms,
                 "missing_values": missing_values, "person": person or None}  # fmt: skip
        for option, given in kinds.items():
            if given is not None:
                raise InputError(
                    "microdata and releases are read already: give {option} when reading them",
                    option=Option(option),
                )  # fmt: skip
        refuse_several("this measure", [table])
        counts = count_records(table, quasi, sensitive)
    elif isinstance(table, AnyRelease):
        raise InputError(
            "{release} cannot be measured by its classes: it publishes no records, {instead}; "
            "use {inference} or {membership}",
            release=File(table.in_short, bare=True), instead=table.instead,
            inference=Call("differential_inference"), membership=Call("membership"),
        )  # fmt: skip
    else:
        counts = _asked(
            table, quasi, sensitive, count, person, ordinal, hierarchies,
            kinds=Kinds.of(numeric, categorical, forms, missing_values), engine=engine,
            memory=memory, delimiter=delimiter, encoding=encoding, sheet=sheet, header=header,
        )  # fmt: skip
    return counts if wildcard is None else matching_everything(counts, wildcard)


def count_people(table: Any, **counting: Unpack[Counting]) -> Contingency:
    """Count a table for measures of who can be told apart, which need no sensitive value.

    This differs from `count` only for a permuted release, whose people are told apart by their
    quasi-identifiers and not by their groups.
    """
    if isinstance(table, Permuted) and counting.get("quasi") is None:
        counting["quasi"] = [column.name for column in table.quasi]
    return count(table, **counting)


def count_records(
    table: Release | Permuted | Microdata,
    quasi: str | Sequence[str] | None = None,
    sensitive: str | None = None,
) -> Contingency:
    """Counts of the records that unveil has read or made itself, whosever they are."""
    names = None if quasi is None else _listed(quasi)
    if isinstance(table, Microdata):
        return _of_microdata(table, names, sensitive)
    if sensitive not in (None, table.sensitive.name):
        raise InputError(
            "the sensitive column of {release} is {column}, not {given}",
            release=File(table.in_short, bare=True),
            column=ColumnName(table.sensitive.name),
            given=Cell(sensitive),
        )
    if isinstance(table, Release):
        held = _of_release(table)
        return held if names is None else held.over(names)
    if names is None or names == [table.group_name]:
        return _of_groups(table)
    if sensitive is not None:
        raise InputError(
            "{release} does not publish which {secret} belongs to which {keys}: measure it by "
            "group, without keys or with {group} alone",
            release=File(table.made_by, bare=True), secret=ColumnName(table.sensitive.name),
            keys=Listed([ColumnName(name) for name in names]), group=ColumnName(table.group_name),
        )  # fmt: skip
    return _as_they_are(table.quasi, None, **_about(table)).over(names)


def _asked(
    table: Any,
    quasi: str | Sequence[str] | None,
    sensitive: str | None,
    count: str | Literal[False] | None,
    person: str | Sequence[str] | Literal[False] | None,
    ordinal: _Ordinal,
    hierarchies: _Hierarchies,
    kinds: Kinds,
    **reading: Any,
) -> Contingency:
    if person:
        raise InputError(
            "{person}: of a file only {functions} count people; leave it out, or read the table "
            "with {read}", person=Option("person"), read=Call("read_csv"),
            functions=Listed([Call("measures"), Call("k_anonymity"),
                              Call("reidentification_risk")], "and"),
        )  # fmt: skip
    asking = _Asking.of(table, quasi, sensitive, ordinal, hierarchies, kinds, reading)
    columns = asking.columns
    check_count(count, columns)
    there = asking.opening([*columns, *([count] if count else [])])
    there = standing_for(there, count) if count else there
    question, known = asking.question(there)
    found = counted(question)
    found.notes = (*there.notes, *known.notes, *found.notes)
    if count:
        note = Message("each row counts as many people as {column} says: {people:person}",
                       column=ColumnName(count), people=found.rows)  # fmt: skip
        found.notes = (note, *found.notes)
    elif count is None:
        check_rows(asking.opening, there, columns, found)
    if person is None and not count:
        check_whose(asking.opening, there, columns)
    return found


def people_of(table: Any, reading: Reading) -> PeopleInEngine:
    """The people of a table that an engine counts, where a person may have several rows."""
    if reading.get("count"):
        raise InputError(
            "{person} and {count} exclude each other: a row of a table of counts stands for "
            "several people, and none of them has a name", person=Option("person"),
            count=Option("count"),
        )  # fmt: skip
    person = _listed(reading.get("person") or ())
    opening = ("engine", "memory", "delimiter", "encoding", "sheet", "header")
    asking = _Asking.of(
        table, reading.get("quasi"), reading.get("sensitive"), reading.get("ordinal"),
        reading.get("hierarchies"),
        Kinds.of(reading.get("numeric"), reading.get("categorical"), reading.get("forms"),
                 reading.get("missing_values")),
        {"engine": "duckdb", "memory": None,
         **{name: one for name, one in reading.items() if name in opening}},
    )  # fmt: skip
    for name in person:
        if name in asking.columns:
            raise InputError("column {column} says whose a row is: it cannot be a key or sensitive",
                             column=ColumnName(name))  # fmt: skip
    there = asking.opening([*asking.columns, *person])
    question, known = asking.question(there)
    return PeopleInEngine(question, person, lambda: (*there.notes, *known.notes))


@dataclass(frozen=True, kw_only=True)
class _Asking:
    """What is asked of a table that is not yet read."""

    table: Any
    keys: tuple[str, ...]
    secret: str | None
    ordinal: _Ordinal
    hierarchies: _Hierarchies
    kinds: Kinds
    reading: Mapping[str, Any]

    @classmethod
    def of(
        cls, table: Any, quasi: str | Sequence[str] | None, sensitive: str | None,
        ordinal: _Ordinal, hierarchies: _Hierarchies, kinds: Kinds, reading: Mapping[str, Any],
    ) -> _Asking:  # fmt: skip
        """Refuse what cannot be asked."""
        keys = () if quasi is None else tuple(_listed(quasi))
        if not keys:
            raise InputError(
                "no keys are given: name the columns whose combinations are the classes, {example}",
                example=Option("quasi", ["age", "zip"]),
            )
        if sensitive is not None and not isinstance(sensitive, str):
            raise InputError("{option} must be one column name, but got {given}",
                             option=Option("sensitive"), given=repr(sensitive))  # fmt: skip
        if sensitive is not None and sensitive in keys:
            raise _both(sensitive)
        found = cls(table=table, keys=keys, secret=sensitive, ordinal=ordinal,
                    hierarchies=hierarchies, kinds=kinds, reading=reading)  # fmt: skip
        kinds.check(found.columns)
        return found

    @property
    def columns(self) -> list[str]:
        """The keys and the secret."""
        return [*self.keys, *([] if self.secret is None else [self.secret])]

    def opening(self, names: Sequence[str]) -> Opened:
        """The table with some columns."""
        return self.kinds.without_missing(
            opened(self.table, names, secret=self.secret, **self.reading)
        )

    def question(self, there: Opened) -> tuple[Question, _Encoding]:
        """What is asked of the opened table, and what is known of the sensitive column."""
        name = self.secret or ""
        own = there.levels.get(name)
        levels, tree = _known_of(name, own, self.ordinal, self.hierarchies)
        known = _Encoding(
            name=name, source=there.name, is_text_file=there.is_text_file, levels=levels,
            hierarchy=tree, kind=self.kinds.kinds.get(name), form=self.kinds.forms.get(name),
        )  # fmt: skip
        question = Question(
            table=there.table, keys=self.keys, secret=self.secret, encoder=known.encoded,
            source=there.name, fault=there.fault, beginning=there.beginning,
            key_values=self.kinds.reader(there),
        )  # fmt: skip
        return question, known


def _both(name: str) -> InputError:
    return InputError("column {column} cannot be both a key and sensitive", column=ColumnName(name))


def _refuse_with_counts(counts: Contingency, sensitive: str | None, **options: Any) -> None:
    """Refuse what can no longer be chosen once a table is counted."""
    there = None if counts.secret is None else counts.secret.name
    source = File(counts.source, bare=True)
    if sensitive is not None and sensitive != there:
        raise InputError(
            "the counts of {source} are "
            + ("by value of {there}" if there else "of classes alone")
            + ", not of {column}; count the table again with {option}",
            source=source, there=ColumnName(there or ""), column=ColumnName(sensitive),
            option=Option("sensitive", sensitive),
        )  # fmt: skip
    for option, given in options.items():
        if given is not None:
            raise InputError(
                "{option} must be given when counting; {source} is already counted",
                option=Option(option),
                source=source,
            )


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _about(release: Release | Permuted) -> dict[str, Any]:
    """What the counts of a release say about it."""
    source = f"the release by {release.made_by}"
    return {"source": source, "notes": release.notes, "made_from": release}


def published_key(column: Column, regions: Regions) -> KeyColumn:
    """What each class publishes in one column, by its texts."""
    texts = np.array(regions.texts(column), dtype=object)
    cells, first, codes = np.unique(texts, return_index=True, return_inverse=True)
    hidden = hidden_cells(column, regions)[first]
    return KeyColumn(codes.astype(np.int64), tuple(cells.tolist()), hidden)


def _of_release(release: Release) -> Held:
    return Held(
        keys={
            column.name: published_key(column, regions)
            for column, regions in zip(release.quasi, release.regions, strict=True)
        },
        secret=secret_of(release.sensitive),
        class_of=release.class_of.astype(np.int64),
        codes=release.sensitive.codes.astype(np.int64),
        numbers=np.ones(len(release), dtype=np.int64),
        **_about(release),
    )


def _of_groups(release: Permuted) -> Held:
    """How many records of each group have each sensitive value."""
    group, secret = np.nonzero(release.counts)
    note = "a class is a group; the quasi-identifiers of its people are published unchanged"
    return Held(
        keys={release.group_name: KeyColumn(np.arange(release.n_groups), release.groups)},
        secret=secret_of(release.sensitive),
        class_of=group,
        codes=secret,
        numbers=release.counts[group, secret],
        **{**_about(release), "notes": (*release.notes, note)},
    )


def _of_microdata(
    microdata: Microdata, names: Sequence[str] | None, sensitive: str | None
) -> Contingency:
    columns: Sequence[Column] = microdata.quasi
    secret: Column | None = microdata.sensitive if sensitive is None else microdata[sensitive]
    if names is not None:
        columns = [microdata[name] for name in names]
        twice = [name for i, name in enumerate(names) if name in names[:i]]
        if twice:
            raise InputError("column {column} is named twice", column=ColumnName(twice[0]))
    if not columns:
        raise InputError("{option} is empty: name at least one key", option=Option("quasi"))
    if secret is not None and secret.name in {column.name for column in columns}:
        if sensitive is not None:
            raise _both(secret.name)
        secret = None
    return _as_they_are(columns, secret, source=microdata.source, notes=microdata.notes)


def _as_they_are(columns: Sequence[Column], secret: Column | None, **about: Any) -> Held:
    """Counts of records whose values are those of some columns."""
    records = len(columns[0].codes)
    nothing = np.zeros(records, dtype=np.int64)
    return Held(
        keys={
            column.name: KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
            for column in columns
        },
        secret=None if secret is None else secret_of(secret),
        class_of=np.arange(records),
        codes=nothing if secret is None else secret.codes.astype(np.int64),
        numbers=np.ones(records, dtype=np.int64),
        **about,
    )


_Ordinal = Mapping[str, Sequence[Any]] | None
_Hierarchies = Mapping[str, Hierarchy | str | os.PathLike[str]] | str | os.PathLike[str] | None


def secret_of(column: Column) -> Secret:
    """A column of microdata or of a release, as a secret."""
    return Secret(
        name=column.name,
        values=tuple(column.values.tolist()),
        ordered=column.is_ordered,
        hierarchy=column.hierarchy,
    )


def _known_of(
    name: str, own_levels: tuple[str, ...] | None, ordinal: _Ordinal, hierarchies: _Hierarchies
) -> tuple[tuple[str, ...] | None, Hierarchy | None]:
    """Levels and hierarchy of a column: what the user said goes before what the table says."""
    if isinstance(hierarchies, str | os.PathLike):
        hierarchies = read_hierarchies(hierarchies, [name])
    for option, given in (("ordinal", ordinal), ("hierarchies", hierarchies)):
        for column in given or ():
            if column != name:
                raise InputError(
                    "{option} names {given}, but measures use the order and the hierarchy of the "
                    "sensitive column only, which is {column}",
                    option=Option(option), given=Cell(column),
                    column=ColumnName(name) if name else "not given",
                )  # fmt: skip
    levels = tuple(value_text(value) for value in ordinal[name]) if ordinal else own_levels
    tree = hierarchies[name] if hierarchies else None
    if tree is not None and not isinstance(tree, Hierarchy):
        tree = read_hierarchy(tree)
    return levels, tree


@dataclass(frozen=True, kw_only=True)
class _Encoding:
    """What is known of the sensitive column before its values are counted."""

    name: str
    source: str
    is_text_file: bool
    levels: tuple[str, ...] | None
    hierarchy: Hierarchy | None
    kind: Kind | None = None
    form: str | None = None
    notes: list[Text] = field(default_factory=list)
    """How it was read, once it was."""

    def encoded(self, raw: Sequence[Any]) -> EncodedSecret:
        """The secret with these distinct values; None stands for a missing one."""
        # Engines take fewer texts for missing than unveil does.
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
            if MISSING not in values:  # else the user gave it a place among the levels
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

        distinct = without_rows(distinct_values(
            pa.array(present), name=self.name, source=self.source, is_text_file=self.is_text_file
        ))  # fmt: skip
        self._check(distinct.texts())
        column = encode(
            distinct,
            Wish(
                role=Role.SENSITIVE, kind=self.kind if self.levels is None else Kind.ORDINAL,
                levels=self.levels, hierarchy=self.hierarchy, form=self.form,
            ),
        )  # fmt: skip
        if column.form is not None and self.form is None:
            self.notes[:] = [read_in_form(column)]
        return column

    def _check(self, texts: Sequence[str]) -> None:
        """Refuse values that have no place. Engines cannot say in which row they are."""
        at = {"column": ColumnName(self.name), "source": File(self.source, bare=True)}
        if self.levels is not None:
            for text in sorted(set(texts) - set(self.levels)):
                raise InputError(
                    "column {column} of {source} has {text}, which is not among its levels{near} "
                    "(levels: {levels})",
                    **at, text=Cell(text), near=did_you_mean(text, self.levels),
                    levels=Listed(self.levels),
                )  # fmt: skip
        elif not self.is_text_file and {"inf", "-inf"} & set(texts):
            raise InputError(
                "column {column} of {source} has infinite values: numeric columns need finite "
                "numbers",
                **at,
            )
        if self.hierarchy is not None:
            leaves = set(self.hierarchy.leaves)
            strange = sorted(t for t in texts if t not in leaves and _as_number(t) not in leaves)
            for text in strange:
                raise HierarchyError(
                    "the hierarchy {tree} does not have {text}{others}, from column {column} of "
                    "{source}{near}",
                    **at, tree=File(self.hierarchy.source, bare=True), text=Cell(text),
                    others=f" and {len(strange) - 1:,} more" if len(strange) > 1 else "",
                    near=did_you_mean(text, self.hierarchy.leaves),
                )  # fmt: skip


def _as_number(text: str) -> str:
    """The number that a text of a file may stand for, as a text: 1 for 1.0."""
    try:
        return value_text(float(text))
    except ValueError:
        return text
