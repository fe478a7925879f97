"""What can be measured, counted: a release, microdata, a table in memory, a file, a database."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from unveil.engine.counting import (
    Contingency,
    EncodedSecret,
    Held,
    KeyColumn,
    Question,
    Secret,
    counted,
    matching_everything,
    opened,
)
from unveil.errors import HierarchyError, InputError, did_you_mean
from unveil.microdata import (
    MISSING,
    AnyRelease,
    Column,
    Hierarchy,
    Kind,
    Microdata,
    Permuted,
    Release,
    Role,
    Wish,
    distinct_values,
    encode,
    read_hierarchies,
    read_hierarchy,
    value_text,
)

__all__ = ["Counting", "count", "count_people", "secret_of"]


class Counting(TypedDict, total=False):
    """How a table is counted: the options that all measures share. See `count`."""

    quasi: str | Sequence[str] | None
    sensitive: str | None
    ordinal: Ordinal
    hierarchies: Hierarchies
    wildcard: str | None
    engine: Any
    memory: str | int | None
    delimiter: str | None
    encoding: str
    header: Sequence[str] | Mapping[int, str] | None


def count(
    table: Any,
    *,
    quasi: str | Sequence[str] | None = None,
    sensitive: str | None = None,
    ordinal: Ordinal = None,
    hierarchies: Hierarchies = None,
    wildcard: str | None = None,
    engine: Any = "duckdb",
    memory: str | int | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    header: Sequence[str] | Mapping[int, str] | None = None,
) -> Contingency:
    """Count a table once, for any number of measures.

    Every measure takes the same options and counts by itself; give it what this function returns
    in place of the table to count only once.

    Parameters
    ----------
    table : Release, Permuted, Microdata, table in memory, path, Ibis table
        Files are CSV or Parquet (also a folder or a pattern of Parquet files), and are read by
        the engine, whatever their size. A table of an Ibis connection is counted where it is.
    quasi : str or sequence of str, optional
        The keys, whose combinations are the classes. By default the quasi-identifiers that a
        release or microdata has. A missing value is a value like any other, and so is ``*``. Of
        a permuted release the classes are its groups; measures that only ask who can be told
        apart take its quasi-identifiers, which are published as they are.
    sensitive : str, optional
        The sensitive column; by default that of the release or the microdata. Measures that only
        look at the classes do without.
    ordinal : mapping of str to sequence, optional
        The levels of the sensitive column, from low to high. Numbers and dates have an order of
        their own.
    hierarchies : mapping of str to Hierarchy or path, or path, optional
        The hierarchy of the sensitive column, or a folder that has it.
    wildcard : str, optional
        A cell that is to match every value, such as ``"*"``: a record then counts in every class
        that it may belong to.
    engine : {'duckdb', 'spark'} or an Ibis connection
        What counts tables in memory and files.
    memory : str or int, optional
        How much of it the engine may use, such as ``"4GB"``; the rest goes to disk.
    delimiter : str, optional
        What parts the cells of a CSV file; found out from its first lines by default.
    encoding : str
        Of a CSV file.
    header : sequence of str or mapping of int to str, optional
        The names of all columns of a CSV file without a header, or of those at some positions,
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
            table, sensitive, ordinal=ordinal, hierarchies=hierarchies, memory=memory,
            delimiter=delimiter,
        )  # fmt: skip
        counts = table if quasi is None else table.over(_listed(quasi))
    elif isinstance(table, Release | Microdata | Permuted):
        if ordinal is not None or hierarchies is not None:
            raise InputError(
                "microdata and releases know the order and the hierarchy of their columns: say "
                "ordinal= and hierarchies= when reading them"
            )
        counts = _of_coded(table, quasi, sensitive)
    elif isinstance(table, AnyRelease):
        raise InputError(
            f"{table.in_short} cannot be measured by its classes: it publishes no records, "
            f"{table.instead}; differential_inference and membership test such releases"
        )
    else:
        question = _asked(
            table, quasi, sensitive, ordinal, hierarchies, engine, memory, delimiter, encoding,
            header,
        )  # fmt: skip
        counts = counted(question)
    return counts if wildcard is None else matching_everything(counts, wildcard)


def count_people(table: Any, **counting: Unpack[Counting]) -> Contingency:
    """The same for measures of who can be told apart, which need no sensitive value.

    Only for a permuted release it is not: whom its groups hide is seen by their quasi-identifiers.
    """
    if isinstance(table, Permuted) and counting.get("quasi") is None:
        counting["quasi"] = [column.name for column in table.quasi]
    return count(table, **counting)


def _of_coded(
    table: Release | Permuted | Microdata,
    quasi: str | Sequence[str] | None,
    sensitive: str | None,
) -> Contingency:
    """Counts of what unveil has read or made itself."""
    if isinstance(table, Release):
        return _of_release(table, quasi, sensitive)
    if isinstance(table, Permuted):
        return _of_permuted(table, quasi, sensitive)
    return _of_microdata(table, quasi, sensitive)


def _of_permuted(
    release: Permuted, quasi: str | Sequence[str] | None, sensitive: str | None
) -> Contingency:
    if sensitive not in (None, release.sensitive.name):
        raise InputError(
            f"the sensitive column of {release.in_short} is {release.sensitive.name!r}, not "
            f"{sensitive!r}"
        )
    names = [release.group_name] if quasi is None else _listed(quasi)
    if names == [release.group_name]:
        return counts_of_groups(release)
    return counts_of_people(release, names, sensitive)


def _asked(
    table: Any,
    quasi: str | Sequence[str] | None,
    sensitive: str | None,
    ordinal: Ordinal,
    hierarchies: Hierarchies,
    engine: Any,
    memory: str | int | None,
    delimiter: str | None,
    encoding: str,
    header: Sequence[str] | Mapping[int, str] | None,
) -> Question:
    keys = () if quasi is None else tuple(_listed(quasi))
    if not keys:
        raise InputError(
            "name the keys whose combinations are the classes: quasi=['age', 'zip', …]"
        )
    if sensitive is not None and not isinstance(sensitive, str):
        raise InputError(f"sensitive must be one column name, but got {sensitive!r}")
    if sensitive in keys:
        raise InputError(f"column {sensitive!r} cannot be both a key and sensitive")
    there = opened(
        table,
        [*keys, *([] if sensitive is None else [sensitive])],
        engine=engine,
        memory=memory,
        secret=sensitive,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
    )
    known = Encoding.chosen(
        sensitive or "",
        source=there.name,
        is_text_file=there.is_text_file,
        own_levels=there.levels.get(sensitive or ""),
        ordinal=ordinal,
        hierarchies=hierarchies,
    )
    return Question(
        table=there.table, keys=keys, secret=sensitive, encoder=known.encoded,
        source=there.name, fault=there.fault, beginning=there.beginning,
    )  # fmt: skip


def _refuse_with_counts(counts: Contingency, sensitive: str | None, **options: Any) -> None:
    """What can no longer be chosen once a table is counted."""
    there = None if counts.secret is None else counts.secret.name
    if sensitive is not None and sensitive != there:
        by = f"by value of {there!r}" if there else "of classes alone"
        raise InputError(
            f"the counts of {counts.source} are {by}, not of {sensitive!r}; count the table again "
            f"with sensitive={sensitive!r}"
        )
    for option, given in options.items():
        if given is not None:
            raise InputError(
                f"{option}= is said when a table is counted, and {counts.source} has been"
            )


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _of_release(
    release: Release, quasi: str | Sequence[str] | None, sensitive: str | None
) -> Contingency:
    if sensitive not in (None, release.sensitive.name):
        raise InputError(
            f"the sensitive column of {release.in_short} is {release.sensitive.name!r}, not "
            f"{sensitive!r}"
        )
    keys = {}
    for column, texts in zip(release.quasi, release.cells(), strict=True):
        cells, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
        keys[column.name] = KeyColumn(codes.astype(np.int64), tuple(cells.tolist()))
    held = Held(
        keys=keys,
        secret=secret_of(release.sensitive),
        class_of=release.class_of.astype(np.int64),
        codes=release.sensitive.codes.astype(np.int64),
        numbers=np.ones(len(release), dtype=np.int64),
        source=f"the release by {release.made_by}",
        notes=release.notes,
        made_from=release,
    )
    return held if quasi is None else held.over(_listed(quasi))


def _of_microdata(
    microdata: Microdata, quasi: str | Sequence[str] | None, sensitive: str | None
) -> Contingency:
    columns: Sequence[Column] = microdata.quasi
    secret: Column | None = microdata.sensitive if sensitive is None else microdata[sensitive]
    assert secret is not None
    if quasi is not None:
        asked = _listed(quasi)
        columns = [microdata[name] for name in asked]
        twice = [name for i, name in enumerate(asked) if name in asked[:i]]
        if twice:
            raise InputError(f"column {twice[0]!r} is named twice")
    if not columns:
        raise InputError("name at least one key: quasi=[…] is empty")
    if secret.name in {column.name for column in columns}:
        if sensitive is not None:
            raise InputError(f"column {secret.name!r} cannot be both a key and sensitive")
        secret = None
    return Held(
        keys={
            column.name: KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
            for column in columns
        },
        secret=None if secret is None else secret_of(secret),
        class_of=np.arange(len(microdata)),
        codes=np.zeros(len(microdata), dtype=np.int64)
        if secret is None
        else secret.codes.astype(np.int64),
        numbers=np.ones(len(microdata), dtype=np.int64),
        source=microdata.source,
        notes=microdata.notes,
    )


def counts_of_groups(release: Permuted) -> Held:
    """How many records of each group have each sensitive value."""
    group, secret = np.nonzero(release.counts)
    return Held(
        keys={release.group_name: KeyColumn(np.arange(release.n_groups), release.groups)},
        secret=secret_of(release.sensitive),
        class_of=group,
        codes=secret,
        numbers=release.counts[group, secret],
        source=f"the release by {release.made_by}",
        notes=(
            *release.notes,
            "a class is a group, whose people's quasi-identifiers are published as they are",
        ),
        made_from=release,
    )


def counts_of_people(release: Permuted, names: Sequence[str], sensitive: str | None) -> Held:
    """How many records have each combination of quasi-identifiers; their secrets are elsewhere."""
    if sensitive is not None:
        raise InputError(
            f"{release.made_by} does not tell which {release.sensitive.name} belongs to which "
            f"{', '.join(names)}; measure its {release.sensitive.name} by group: leave out the "
            f"keys, or name {release.group_name!r} alone"
        )
    keys = {
        column.name: KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))
        for column in release.quasi
    }
    people = Held(
        keys=keys,
        secret=None,
        class_of=np.arange(len(release)),
        codes=np.zeros(len(release), dtype=np.int64),
        numbers=np.ones(len(release), dtype=np.int64),
        source=f"the release by {release.made_by}",
        notes=release.notes,
        made_from=release,
    )
    return people.over(names)


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
