"""Counts that an engine makes and keeps; only aggregates are fetched.

If there are few combinations of keys and secret, they are fetched (`Held`). If there are many,
most classes have the same few histograms, because they have one record or two; then the engine
counts how many classes have each histogram (`InEngine`). A secret of very many values has too many
histograms for that: its counts are fetched in the order of the classes, a block at a time.

Classes of a sample are matched with those of a population in the engine, too
(`paired_in_engine`). Both tables are concatenated and counted once, so that missing keys are
equal, as in every grouped count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.engine.counting._contingency import (
    Contingency,
    Counts,
    Histograms,
    Secret,
    gaps_note,
    sparse,
    text_of,
)
from unveil.engine.counting._engines import Fault, Fetching, encoded, numbers
from unveil.engine.counting._expressions import (
    NUMBER,
    PEOPLE,
    KeyOf,
    cells,
    classes,
    having,
    having_no_star,
    look_alikes,
    probe,
    stars_among,
    streamed_classes,
    totals,
)
from unveil.engine.counting._held import Held, KeyColumn
from unveil.engine.counting._tables import registered
from unveil.errors import Cell, Column, File, InputError, Listed, Message, Option, Text, UnveilError
from unveil.microdata import MISSING

if TYPE_CHECKING:
    import ibis

PROBED = 20_000
"""Rows that are probed to tell few combinations from many."""
FEW = 0.25
"""Combinations per probed row, above which the classes are too many to fetch."""
FETCHED = 4_000_000
"""Maximum number of combinations that are fetched."""
VALUES = 4_000_000
"""Maximum number of values of a key that are read, to tell which are the same."""
WIDE = 32
"""Maximum number of values of a secret that are counted in columns."""
KEPT = 2_000_000
"""Maximum number of cells that are kept for another pass."""
_BLOCK = 2_000_000
_PAIRS = 1_000_000


@dataclass(frozen=True, eq=False)
class EncodedSecret:
    """A secret, and the code of each of its values as an engine has them."""

    secret: Secret
    codes: dict[Any, int]

    def codes_of(self, raw: Sequence[Any]) -> Counts:
        """The codes of values as the engine has them."""
        return np.array([self.codes[value] for value in raw], dtype=np.int64)

    def by_value(self, raw: Sequence[Any], number: Counts) -> Counts:
        """Number of records with each value, from values as the engine has them."""
        counts = np.zeros(len(self.secret.values), dtype=np.int64)
        np.add.at(counts, self.codes_of(raw), number)
        return counts


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """A table of an engine, and what is to be counted in it."""

    table: ibis.Table
    keys: tuple[str, ...]
    secret: str | None
    encoder: Callable[[Sequence[Any]], EncodedSecret]
    """Makes a secret of the distinct values that an engine found."""
    source: str
    notes: tuple[Text, ...] = ()
    fault: Fault | None = None
    beginning: Callable[[int], Any] | None = None
    key_values: Callable[[str, Sequence[Any]], Sequence[Any] | None] | None = None
    """What the values of a key mean, one for each; None: what they are."""

    @property
    def columns(self) -> list[str]:
        """The keys and the secret."""
        return [*self.keys, *([] if self.secret is None else [self.secret])]

    @property
    def fetching(self) -> Fetching:
        """What asks the engine."""
        return Fetching(source=self.source, fault=self.fault)

    @cached_property
    def totals(self) -> tuple[EncodedSecret | None, Counts]:
        """The secret, and the number of records with each of its values."""
        found = self._counted
        if self.secret is None:
            return None, numbers(found[NUMBER])
        raw = found[self.secret].to_pylist()
        coded = self.encoder(raw)
        return coded, coded.by_value(raw, numbers(found[NUMBER]))

    @cached_property
    def _counted(self) -> Any:
        return self.fetching.table(totals(self.table, self.secret, self.keys))

    @property
    def gaps(self) -> dict[str, int]:
        """Number of records that lack each key."""
        everybody = int(numbers(self._counted[NUMBER]).sum())
        return {
            key: everybody - int(numbers(self._counted[having(place)]).sum())
            for place, key in enumerate(self.keys)
        }


def counted(question: Question) -> Contingency:
    """Count, in the form that suits the number of combinations."""
    combinations, rows = _probed(question)
    if rows == 0:
        raise InputError(
            "{source} has no records: there is nothing to measure",
            source=File(question.source, bare=True),
        )
    if rows < PROBED or combinations <= FEW * rows:
        held = _held(question)
        if held is not None:
            return held
    return InEngine(with_meanings(question))


def with_meanings(question: Question) -> Question:
    """The same where cells of a key that mean the same are the same."""
    import pyarrow as pa

    table, notes = question.table, [*question.notes]
    for key in question.keys if question.key_values is not None else ():
        if not table[key].type().is_string() or not _may_mean_another(question, key):
            continue
        distinct = table.select(key).distinct().limit(VALUES + 1)
        there = question.fetching.table(distinct)[key].to_pylist()
        if len(there) > VALUES:
            notes.append(Message("{column} has more than {most} values: they are compared as they "
                                 "are written", column=Column(key), most=VALUES))  # fmt: skip
            continue
        meant = _meant(question, key, there)
        if meant is None:
            continue
        names = pa.table({_RAW: pa.array(there, pa.string()), _MEANT: pa.array(meant, pa.string())})
        known = registered(table.get_backend(), names.filter(names[_RAW].is_valid()))
        joined = table.left_join(known, table[key] == known[_RAW])
        table = joined.mutate(**{key: joined[_MEANT].fill_null(joined[key])}).select(table.columns)
    return replace(question, table=table, key_values=None, notes=tuple(notes))


def _may_mean_another(question: Question, key: str) -> bool:
    """Whether some value of a key is none of the whole numbers that are written in one way only."""
    column = question.table[key]
    plain = column.re_search("^(0|-?[1-9][0-9]*)$")
    other = question.table.filter(column.notnull() & ~plain).limit(1)
    return bool(question.fetching.table(other).num_rows)


_RAW, _MEANT = "unveil: raw", "unveil: meant"


def _meant(question: Question, key: str, values: Sequence[Any]) -> Sequence[Any] | None:
    return None if question.key_values is None else question.key_values(key, values)


def _key_column(question: Question, key: str, column: Any) -> KeyColumn:
    """A key as the engine has it; values that mean the same are one."""
    codes, values = encoded(column)
    meant = _meant(question, key, values)
    if meant is None:
        return KeyColumn(codes, values)
    known = sorted({one for one in meant if one is not None})
    place = {one: at for at, one in enumerate([*known, None])}
    gap = (None,) if None in meant else ()
    return KeyColumn(np.array([place[one] for one in meant])[codes], (*known, *gap))


def _probed(question: Question) -> tuple[int, int]:
    """Number of combinations among the first rows, and number of these rows."""
    if question.beginning is None:
        seen = question.fetching.table(probe(question.table, question.columns, PROBED))
        combinations, rows = (int(number or 0) for number in seen.to_pylist()[0].values())
        return combinations, rows
    first = question.beginning(PROBED).select(question.columns)
    return first.group_by(question.columns).aggregate([]).num_rows, first.num_rows


def _held(question: Question) -> Held | None:
    found = question.fetching.table(cells(question.table, question.columns).limit(FETCHED + 1))
    if found.num_rows > FETCHED:
        return None
    secret, codes = None, np.zeros(found.num_rows, dtype=np.int64)
    if question.secret is not None:
        place, raw = encoded(found[question.secret])
        coded = question.encoder(raw)
        secret, codes = coded.secret, coded.codes_of(raw)[place]
    columns = {key: _key_column(question, key, found[key]) for key in question.keys}
    sizes = numbers(found[NUMBER])
    gaps = {
        key: int(sizes[column.codes == len(column.values) - 1].sum())
        for key, column in columns.items()
        if column.values[-1] is None
    }
    held = Held(
        keys=columns, secret=secret, class_of=np.arange(found.num_rows), codes=codes,
        numbers=sizes, source=question.source,
    )  # fmt: skip
    held.notes = (*question.notes, *gaps_note(gaps, secret, held.totals))
    return held


def as_before(known: EncodedSecret, raw: Sequence[Any]) -> EncodedSecret:
    """The encoder of a part of a table that is encoded already."""
    return known


class InEngine(Contingency):
    """Counts of a table with too many classes to fetch."""

    def __init__(self, question: Question) -> None:
        self.keys, self.source = question.keys, question.source
        self.question = question
        self._encoded, self._totals = question.totals
        self.secret = None if self._encoded is None else self._encoded.secret
        self.notes = (*question.notes, *gaps_note(question.gaps, self.secret, self._totals))
        self._kept: list[Histograms] | None = None

    @property
    def totals(self) -> Counts:
        return self._totals

    @property
    def connection(self) -> Any:
        """The Ibis connection that counts."""
        return self.question.table.get_backend()

    @cached_property
    def _told(self) -> tuple[int, int, Any]:
        """Suppressed records, hidden ones, and which rows are not suppressed (None: all).

        The rule is that of `unveil.microdata.silence`, asked of the engine.
        """
        asked = self.question
        if not any(asked.table[key].type().is_string() for key in self.keys):
            return 0, 0, None
        stars, same = stars_among(asked.table, self.keys, asked.gaps, asked.fetching, self.rows)
        telling = [key for key in self.keys if not same[key]]
        if not telling:  # all records are one class
            return 0, self.rows if all(stars.values()) else 0, None
        if not all(stars[key] for key in telling):  # a key that always says something
            return 0, 0, None
        shown = having_no_star(asked.table, telling)
        gone = self.rows - int(numbers(asked.fetching.table(totals(shown, None))[NUMBER]).sum())
        return gone, gone, shown if gone else None

    @property
    def suppressed(self) -> int:
        return self._told[0]

    @property
    def hidden(self) -> int:
        return self._told[1]

    @cached_property
    def shown(self) -> Contingency:
        table = self._told[2]
        if table is None:
            return self
        asked = replace(self.question, table=table)
        if self._encoded is not None:  # values that only suppressed records have keep their codes
            asked = replace(asked, encoder=partial(as_before, self._encoded))
        return InEngine(asked)

    @cached_property
    def _fetched(self) -> Held | None:
        return _held(self.question) if self.rows <= FETCHED else None

    def in_memory(self) -> Contingency:
        return self if self._fetched is None else self._fetched

    def over(self, keys: Sequence[str]) -> Contingency:
        asked = self.check_keys(keys)
        return self if asked == self.keys else counted(replace(self.question, keys=asked))

    def where(self, values: Mapping[str, object]) -> Counts:
        self.check_keys(tuple(values))
        asked, table = self.question, self.question.table
        for name, value in values.items():
            table = table.filter(self._has(name, value))
        counts = asked.fetching.table(totals(table, asked.secret))
        found = numbers(counts[NUMBER])
        if self._encoded is not None:
            found = self._encoded.by_value(counts[asked.secret].to_pylist(), found)
        if not found.any():
            listed = [
                Message("{name}={value}", name=name, value=Cell(text_of(value), bare=True))
                for name, value in values.items()
            ]
            raise InputError(
                "no record of {source} has {values}",
                source=File(self.source, bare=True), values=Listed(listed),
            )  # fmt: skip
        return found

    def _has(self, name: str, value: object) -> Any:
        """Whether a record has a value, which may be given as it is or as a text."""
        import pyarrow as pa

        column = self.question.table[name]
        text = text_of(value)
        if text == MISSING:
            return column.isnull()
        kind = column.type().to_pyarrow()
        try:
            return column == pa.scalar(text, pa.string()).cast(kind).as_py()
        except pa.ArrowException:
            raise InputError(
                "column {column} has no value {value} in {source}: its values are of type {kind}",
                column=Column(name), value=Cell(text), source=File(self.source, bare=True),
                kind=kind,
            ) from None  # fmt: skip

    def blocks(self) -> Iterator[Histograms]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[Histograms] | None = []
        size = arrived = 0
        for block in self._asked():
            size += len(block.codes)
            arrived += int(block.weights @ block.sizes)
            if size > KEPT:
                kept = None
            elif kept is not None:
                kept.append(block)
            yield block
        if arrived != self.rows:
            raise UnveilError(
                "{source} changed while it was counted: it had {before} records, and now {now}; "
                "count it again",
                source=File(self.source, bare=True), before=self.rows, now=arrived,
            )  # fmt: skip
        self._kept = kept

    def _asked(self) -> Iterator[Histograms]:
        asked, keys = self.question, self.keys
        values: list[Any] = [0]
        codes = np.zeros(1, dtype=np.int64)
        if self._encoded is not None and asked.secret is not None:
            places = self._encoded.codes  # sorted, so as not to depend on the engine
            values = sorted(places, key=lambda value: (places[value], repr(value)))
            codes = self._encoded.codes_of(values)
            if len(values) > WIDE:
                yield from streamed_classes(
                    asked.table, keys, asked.secret, asked.fetching, self._encoded.codes_of
                )
                return
        found = classes(asked.table, keys, asked.secret, values)
        rows = max(1, _BLOCK // len(values))
        for counts, weights, key_of in look_alikes(found, keys, asked.fetching, rows):
            which, value = np.nonzero(counts)
            yield sparse(which, codes[value], counts[which, value], weights, key_of)


_OURS, _THEIRS = "unveil: ours", "unveil: theirs"


def paired_in_engine(
    sample: Contingency, population: Contingency
) -> Iterator[tuple[Counts, Counts, Counts, KeyOf]]:
    """Find each class of a sample in a population, if an engine keeps one of them or both.

    Yields
    ------
    records, people : arrays
        Size of a class of the sample, and of the population's class with the same keys.
    weights : array
        Number of classes with these two numbers.
    key_of : function
        The keys of the first of these classes.
    """
    keys = sample.keys
    engine = next(one for one in (sample, population) if isinstance(one, InEngine))
    _check_connections(sample, population)
    kinds = _kinds(sample, population)
    connection = engine.connection
    ours = _part(sample, kinds, connection, _OURS, _THEIRS)
    theirs = _part(population, kinds, connection, _THEIRS, _OURS)
    both = ours.union(theirs.select(ours.columns))
    found = both.group_by(list(keys)).aggregate(
        **{name: both[name].sum().cast("int64") for name in (_OURS, _THEIRS)}
    )
    found = found.filter(found[_OURS] > 0)
    for sizes, weights, key_of in look_alikes(found, keys, engine.question.fetching, _PAIRS):
        yield sizes[:, 0], sizes[:, 1], weights, key_of


def _check_connections(sample: Contingency, population: Contingency) -> None:
    for one in (sample, population):
        if not isinstance(one, Held | InEngine):
            raise InputError(
                "the classes of {source} overlap and cannot be matched; leave {option} out",
                source=File(one.source, bare=True), option=Option("wildcard"),
            )  # fmt: skip
    if (
        isinstance(sample, InEngine)
        and isinstance(population, InEngine)
        and sample.connection is not population.connection
    ):
        raise InputError(
            "{sample} and {population} have too many classes to be matched in memory, and are on "
            "different connections; open both with the same connection, such as "
            "engine=ibis.duckdb.connect()",
            sample=File(sample.source, bare=True), population=File(population.source, bare=True),
        )  # fmt: skip


def _kinds(sample: Contingency, population: Contingency) -> dict[str, Any]:
    """The type in which each key is matched: one that holds the values of both tables."""
    from ibis.expr import datatypes

    kinds = {}
    for key in sample.keys:
        there = [
            (what, one.source, one.question.table[key].type())
            for what, one in (("sample", sample), ("population", population))
            if isinstance(one, InEngine)
        ]
        types = [kind for *_, kind in there]
        try:
            if len({kind.is_string() for kind in types}) > 1:
                raise TypeError
            kinds[key] = datatypes.highest_precedence(types)(nullable=True)
        except Exception:  # such as dates and numbers
            listed = [
                Message(
                    "{kind} in the {what} ({source})",
                    kind=str(kind).lstrip("!"), what=what, source=File(source, bare=True),
                )
                for what, source, kind in there
            ]  # fmt: skip
            raise InputError(
                "the key {key} is of type {listed}: values of different types never match; write "
                "both tables alike",
                key=Column(key), listed=Listed(listed, "and"),
            ) from None  # fmt: skip
    return kinds


def _part(
    counts: Contingency, kinds: Mapping[str, Any], connection: Any, counting: str, other: str
) -> ibis.Table:
    """One of the tables: its keys, its number of records in one column, and 0 in the other."""
    import ibis

    if isinstance(counts, InEngine):
        table, number = counts.question.table, ibis.literal(1, "int64")
        number = table[PEOPLE] if PEOPLE in table.columns else number
    else:
        assert isinstance(counts, Held)
        table = registered(connection, _arrow(counts, kinds, counting))
        number = table[counting]
    columns = {key: table[key].cast(kind) for key, kind in kinds.items()}
    return table.select(**columns, **{counting: number, other: ibis.literal(0, "int64")})


def _arrow(held: Held, kinds: Mapping[str, Any], counting: str) -> Any:
    """Classes in memory as an Arrow table, their keys in the types of the engine's table."""
    import pyarrow as pa

    arrays = {}
    for key, column in held.columns.items():
        kind = kinds[key].to_pyarrow()
        texts = [None if text_of(v) == MISSING else text_of(v) for v in column.values]
        try:
            values = pa.array(texts, pa.string()).cast(kind)
        except pa.ArrowException:
            raise InputError(
                "the key {key} is of type {kind} in one table, but {source} has values such as "
                "{value} there; write both tables alike",
                key=Column(key), kind=kind, source=File(held.source, bare=True),
                value=Cell(_other(texts, kind)),
            ) from None  # fmt: skip
        arrays[key] = values.take(pa.array(column.codes))
    arrays[counting] = pa.array(held.histograms.sizes)
    return pa.table(arrays)


def _other(texts: Sequence[str | None], kind: Any) -> str | None:
    """The first text that is not a value of a type."""
    import pyarrow as pa

    for text in texts:
        try:
            pa.scalar(text, pa.string()).cast(kind)
        except pa.ArrowException:
            return text
    return None
