"""People in an engine: who has rows in which classes, where a person may have several.

Classes and people are numbered, and tables of these numbers are kept in the engine, which writes to
disk what does not fit in memory. Keys have no gaps there, so that classes are joined by plain
equality in every engine. Numbers of classes and of people are fetched, and the names of people only
to draw some of them.

People with the same *signature* have as many rows in the same classes. A signature is compared by
three sums over the person's rows, of scrambled numbers of their classes below 2³¹. Two different
signatures have the same sums with a probability of about 2⁻⁹³. So it is less than one in a billion
that any two of a hundred million people are taken to be alike who are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting._contingency import (
    Contingency,
    Counts,
    Histograms,
    sparse,
    text_of,
)
from unveil.engine.counting._engines import numbers
from unveil.engine.counting._expressions import OURS, PEOPLE, look_alikes
from unveil.engine.counting._in_engine import (
    EncodedSecret,
    InEngine,
    Question,
    as_before,
    counted,
    with_meanings,
)
from unveil.engine.counting._tables import registered
from unveil.engine.counting._weights import Weighed, parts_of, scale_of
from unveil.errors import Column, File, InputError, Listed, Message, Text

if TYPE_CHECKING:
    import ibis

_CLASS, _PERSON, _SECRET = f"{OURS}class", f"{OURS}person", f"{OURS}secret"
_ROWS, _VALUES, _AMONG = f"{OURS}rows", f"{OURS}values", f"{OURS}among"
_ALIKE, _OF = f"{OURS}alike", f"{OURS}of"
_PRIMES = (2147483579, 2147483549, 2147483543)  # one less than a multiple of 3: cubes differ
_ADDED = (1103515245, 69069, 1566083941)
_NAMED = 100_000  # classes that are fetched, with their keys
_FETCHED = 1_000_000  # names of people at a time
_SLICE = 20_000_000  # rows of people in the classes of those who were drawn, at a time


class PeopleOfClasses(Contingency):
    """The people of each class, counted in an engine; a person may be in several classes."""

    unit = "person"

    def __init__(self, blocks: Callable[[], Iterator[Histograms]], there: PeopleInEngine) -> None:
        self.keys, self.secret, self.source = there.keys, None, there.source
        self.notes, self._blocks, self._there = there.notes, blocks, there

    @property
    def totals(self) -> Counts:
        return np.array([self._there.people])

    @property
    def records(self) -> int:
        return self._there.records

    @property
    def suppressed(self) -> int:
        return self._there.suppressed

    @property
    def one_row(self) -> dict[int, int]:
        """Among how many people how many are found by the row that tells most."""
        return self._there.one_row

    def blocks(self) -> Iterator[Histograms]:
        return self._blocks()

    def over(self, keys: Sequence[str]) -> Contingency:
        raise NotImplementedError  # the table is to be counted by these keys

    def where(self, values: Mapping[str, object]) -> Counts:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A person who was drawn.

    Attributes
    ----------
    person : int
    key : int
        A number that follows from the person's name and the seed.
    classes, rows : array
        The classes of the person's rows, in an order that all engines have, and the rows in each.
    """

    person: int
    key: int
    classes: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Members:
    """The people of some classes: one line for each class and person, in this order."""

    classes: NDArray[np.int64]
    people: NDArray[np.int64]
    rows: NDArray[np.int64]

    def of(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The people of a class, and how many rows each has there."""
        first, last = np.searchsorted(self.classes, [number, number + 1])
        return self.people[first:last], self.rows[first:last]


class PeopleInEngine:
    """The people of a table, whose rows have a key, a secret, and columns that say whose they are.

    Attributes
    ----------
    records, people, suppressed : int
        Rows, the people whose they are, and rows among them that form no class.
    """

    def __init__(
        self, question: Question, person: Sequence[str],
        notes: Callable[[], tuple[Text, ...]] = tuple,
    ) -> None:  # fmt: skip
        """``notes`` says how the table was read, once it was."""
        self._fetching, self._asked, self._person = question.fetching, question, tuple(person)
        self._notes = notes
        self.source, self.keys = question.source, question.keys
        self.records, self.people = self._counted()

    def _counted(self) -> tuple[int, int]:
        """Rows and people; refused if it is unknown whose a row is."""
        import ibis

        table = self._asked.table
        gone = ibis.or_(*(table[name].isnull() for name in self._person))
        asked = table.aggregate(rows=table.count(), gone=gone.sum())
        found = self._fetching.table(asked).to_pylist()[0]
        source = File(self.source, bare=True)
        if not found["rows"]:
            raise InputError("{source} has no records: there is nothing to measure", source=source)
        if found["gone"]:
            raise InputError(
                "{columns} of {source} says whose a row is, and is empty in {n:row}; fill it in, "
                "or leave these rows out",
                columns=Listed([Column(name) for name in self._person], "and"), source=source,
                n=int(found["gone"]),
            )  # fmt: skip
        people = table.select(*self._person).distinct()
        there = self._fetching.table(people.aggregate(n=people.count()))["n"]
        return int(found["rows"]), int(numbers(there)[0])

    @cached_property
    def _whole(self) -> InEngine:
        return InEngine(with_meanings(self._asked))

    @property
    def notes(self) -> tuple[Text, ...]:
        """What has to be known about how the table was read."""
        counted = self._whole.notes
        whose = Message(
            "{columns} says whose a row is: {records:record} of {people:person}",
            columns=Listed([Column(name) for name in self._person], "and"), records=self.records,
            people=self.people,
        )  # fmt: skip
        return (*self._notes(), whose, *counted)

    @property
    def secret(self) -> EncodedSecret:
        """The secret, and the codes of its values."""
        known = self._whole.question.totals[0]
        assert known is not None
        return known

    @property
    def suppressed(self) -> int:
        return self._whole.suppressed

    # Tables that the engine keeps ------------------------------------------------------------

    @cached_property
    def _raw(self) -> ibis.Table:
        """The rows that are in a class: keys without gaps, names of people, and the secret."""
        shown = self._whole.shown
        assert isinstance(shown, InEngine)
        table, gaps = shown.question.table, self._whole.question.gaps
        columns = {}
        for place, name in enumerate(self._asked.keys):
            column = table[name]
            if gaps[name]:
                columns[f"{OURS}gap {place}"] = column.isnull().ifelse(1, 0)
                column = _without_gaps(column)
            columns[f"{OURS}key {place}"] = column
        self._cell_keys = tuple(columns)
        return table.select(**columns, **self._names_in(table), **self._secret_in(table))

    def _names_in(self, table: ibis.Table) -> dict[str, Any]:
        return {f"{OURS}name {place}": table[one] for place, one in enumerate(self._person)}

    def _secret_in(self, table: ibis.Table) -> dict[str, Any]:
        if self._asked.secret is None:
            return {}
        column = table[self._asked.secret]
        # Not every engine has a least truth value.
        return {_SECRET: column.cast("int32") if column.type().is_boolean() else column}

    @cached_property
    def _keys_of(self) -> ibis.Table:
        """The classes: number, and keys."""
        raw = self._raw
        return self._kept(_numbered(raw.select(*self._cell_keys).distinct(), _CLASS))

    @cached_property
    def _people(self) -> ibis.Table:
        """The people who have a row in a class: number, names, and rows."""
        raw, self._names = self._raw, tuple(self._names_in(self._asked.table))
        found = raw.group_by(list(self._names)).aggregate(**{_OF: raw.count()})
        return self._kept(_numbered(found, _PERSON))

    @cached_property
    def _cells(self) -> ibis.Table:
        """Rows of each person in each class with each value of the secret."""
        raw, classes, people = self._raw, self._keys_of, self._people
        found = raw.join(classes, list(self._cell_keys))
        found = found.join(people.select(*self._names, _PERSON), list(self._names))
        there = [name for name in (_CLASS, _PERSON, _SECRET) if name in found.columns]
        return self._kept(found.group_by(there).aggregate(**{_ROWS: found.count()}))

    @cached_property
    def _pairs(self) -> ibis.Table:
        """Rows of each person in each class, how many values they have there, and one of these."""
        cells = self._cells
        if _SECRET not in cells.columns:
            return cells
        return self._kept(cells.group_by([_CLASS, _PERSON]).aggregate(**{
            _ROWS: cells[_ROWS].sum().cast("int64"), _VALUES: cells.count(),
            _SECRET: cells[_SECRET].min(),
        }))  # fmt: skip

    @cached_property
    def _classes(self) -> ibis.Table:
        """The classes: number, and people."""
        pairs = self._pairs
        return self._kept(pairs.group_by([_CLASS]).aggregate(**{_AMONG: pairs.count()}))

    def _kept(self, table: ibis.Table) -> ibis.Table:
        return self._fetching.kept(table)

    # What is asked of them -------------------------------------------------------------------

    @cached_property
    def sizes(self) -> dict[int, int]:
        """How many classes have each number of people."""
        found = self._classes
        return self._histogram(found.group_by([_AMONG]).aggregate(n=found.count()), _AMONG)

    @cached_property
    def _found(self) -> tuple[Counts, Counts, Counts]:
        """People by all rows, by the row that tells most, and how many there are of each."""
        sums = {f"{OURS}sum {place}": prime for place, prime in enumerate(_PRIMES)}
        classes = self._classes.mutate(
            **{name: _scrambled(self._classes[_CLASS], prime) for name, prime in sums.items()}
        )
        inside = self._pairs.join(self._kept(classes), _CLASS)
        each = inside.group_by([_PERSON]).aggregate(
            **{_AMONG: inside[_AMONG].min()},
            **{name: (inside[name] * inside[_ROWS]).sum().cast("int64") for name in sums},
        )
        alike = each.group_by(list(sums)).aggregate(
            **{_ALIKE: each.count(), _AMONG: each[_AMONG].min()}
        )
        found = self._fetching.table(alike.group_by([_ALIKE, _AMONG]).aggregate(n=alike.count()))
        all_rows, one_row = numbers(found[_ALIKE]), numbers(found[_AMONG])
        return all_rows, one_row, numbers(found["n"]) * all_rows

    @property
    def one_row(self) -> dict[int, int]:
        """Among how many people how many are found by the row that tells most."""
        _, among, people = self._found
        return _added(among, people)

    @property
    def all_rows(self) -> dict[int, int]:
        """Among how many people how many are found by all their rows."""
        among, _, people = self._found
        return _added(among, people)

    def of_classes(self) -> PeopleOfClasses:
        """The people of each class: one grouped count of distinct people."""
        shown = self._whole.shown
        assert isinstance(shown, InEngine)
        table, keys = shown.question.table, list(self.keys)
        if len(self._person) == 1:
            found = table.group_by(keys).aggregate(**{PEOPLE: table[self._person[0]].nunique()})
        else:
            pairs = table.select(*keys, *self._person).distinct()
            found = pairs.group_by(keys).aggregate(**{PEOPLE: pairs.count()})
        table = self._kept(found)
        classes = int(numbers(self._fetching.table(table.aggregate(n=table.count()))["n"])[0])
        asked = replace(self._asked, table=table, notes=(), beginning=None, key_values=None,
                        secret=None)  # fmt: skip
        if classes <= _NAMED:
            return PeopleOfClasses(counted(asked).blocks, self)
        return PeopleOfClasses(partial(self._alike_in_size, table), self)

    def _alike_in_size(self, classes: ibis.Table) -> Iterator[Histograms]:
        """Classes of as many people at once; one of them has a name."""
        for people, weights, key_of in look_alikes(classes, self.keys, self._fetching, _FETCHED):
            which = np.arange(len(weights))
            yield sparse(which, np.zeros_like(which), people[:, 0], weights, key_of)

    def weighed(self) -> Weighed:
        """The sensitive values, where people weigh the same in a class and in the table."""
        secret = self.secret
        in_class = self._in_class()
        whole = self._whole_table()
        in_table = self._fetching.table(whole.group_by([_SECRET, _OF]).aggregate(
            **{_ROWS: whole[_ROWS].sum().cast("int64")}))  # fmt: skip
        each = numbers(self._fetching.table(in_class.select(_OF).distinct())[_OF])
        rows = np.union1d(each, numbers(in_table[_OF]))
        scale = scale_of(rows, self.people * (len(secret.secret.values) + 1))
        parts = numbers(in_table[_ROWS]) * parts_of(scale, numbers(in_table[_OF]))
        totals = secret.by_value(in_table[_SECRET].to_pylist(), parts)
        return Weighed(counted(self._question(in_class, each, parts_of(scale, each))), totals)

    def _in_class(self) -> ibis.Table:
        """Rows of the people who have as many in a class, by class and value."""
        pairs, cells = self._pairs, self._cells
        # Most have one value in a class, and need not be looked up.
        same = pairs.filter(pairs[_VALUES] == 1).mutate(**{_OF: pairs[_ROWS]})
        more = pairs.filter(pairs[_VALUES] > 1).select(_CLASS, _PERSON, **{_OF: pairs[_ROWS]})
        several = cells.join(more, [_CLASS, _PERSON])
        by = [_CLASS, _SECRET, _OF]
        one, other = (
            some.group_by(by).aggregate(**{_ROWS: some[_ROWS].sum().cast("int64")})
            for some in (same, several)
        )
        return self._kept(one.union(other.select(one.columns)))

    def _whole_table(self) -> ibis.Table:
        """Rows of each person with each value of the secret, and all rows; suppressed ones, too."""
        if not self.suppressed:
            return self._cells.join(self._people.select(_PERSON, _OF), _PERSON)
        table = self._whole.question.table
        names = self._names_in(table)
        rows = table.select(**names, **self._secret_in(table))
        cells = self._kept(rows.group_by([*names, _SECRET]).aggregate(**{_ROWS: rows.count()}))
        every = cells.group_by(list(names)).aggregate(**{_OF: cells[_ROWS].sum().cast("int64")})
        return cells.join(every, list(names))

    def _question(self, in_class: ibis.Table, rows: Counts, parts: Counts) -> Question:
        """The weights of the values in each class, as a table of counts."""
        import pyarrow as pa

        each = registered(in_class.get_backend(), pa.table({_OF: rows, PEOPLE: parts}))
        joined = in_class.join(each, _OF)
        found = joined.group_by([_CLASS, _SECRET]).aggregate(
            **{PEOPLE: (joined[_ROWS] * joined[PEOPLE]).sum().cast("int64")}
        )
        return replace(
            self._asked, table=self._kept(found), keys=(_CLASS,), secret=_SECRET,
            encoder=partial(as_before, self.secret), notes=(), beginning=None, key_values=None,
        )  # fmt: skip

    def drawn(self, most: int, seed: int) -> list[Drawn]:
        """Some people, drawn by their names and the seed: the same in every engine."""
        import pyarrow as pa

        number, key = self._named(most, seed)
        backend = self._pairs.get_backend()
        some = registered(backend, pa.table({_PERSON: number}))
        rows = self._fetching.table(self._pairs.join(some, _PERSON).select(_CLASS, _PERSON, _ROWS))
        classes, place = np.unique(numbers(rows[_CLASS]), return_inverse=True)
        wanted = registered(backend, pa.table({_CLASS: classes}))
        found = self._fetching.table(self._keys_of.join(self._classes, _CLASS).join(wanted, _CLASS))
        at = np.argsort(numbers(found[_CLASS]))
        texts = [
            [text_of(one) for one in found[name].take(at).to_pylist()] for name in self._cell_keys
        ]
        order = sorted(range(len(classes)), key=lambda g: [column[g] for column in texts])
        rank = np.empty(len(classes), dtype=np.int64)
        rank[order] = np.arange(len(classes))
        of, there = numbers(rows[_PERSON]), numbers(rows[_ROWS])
        by_person = np.lexsort((rank[place], of))
        ends = (
            np.searchsorted(of[by_person], number, side="left"),
            np.searchsorted(of[by_person], number, side="right"),
        )
        self._among = dict(zip(numbers(found[_CLASS]).tolist(), numbers(found[_AMONG]).tolist(),
                               strict=True))  # fmt: skip
        return [
            Drawn(person=person, key=own, classes=classes[place[by_person[first:last]]],
                  rows=there[by_person[first:last]])
            for person, own, first, last in zip(number.tolist(), key.tolist(), *ends, strict=True)
        ]  # fmt: skip

    def _named(self, most: int, seed: int) -> tuple[Counts, NDArray[np.uint64]]:
        """Numbers of the people with the least keys, and these keys, which follow from names."""
        from pandas.util import hash_array

        number, key = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        people = self._people.select(_PERSON, *self._names)
        for batch in self._fetching.batches(people, _FETCHED):
            names = zip(*(_texts(batch[name]) for name in self._names), strict=True)
            texts = np.array(["\x1f".join(one) for one in names], dtype=object)
            number = np.concatenate([number, numbers(batch[_PERSON])])
            key = np.concatenate([key, hash_array(texts, hash_key=f"{seed % 10**16:016}",
                                                  categorize=False)])  # fmt: skip
            least = np.argsort(key, kind="stable")[:most]
            number, key = number[least], key[least]
        return number, key

    def members(self, classes: Sequence[int]) -> Iterator[Members]:
        """The people of some classes, a part of all people at a time."""
        import pyarrow as pa

        wanted = np.unique(np.array(classes, dtype=np.int64))
        some = registered(self._pairs.get_backend(), pa.table({_CLASS: wanted}))
        inside = self._pairs.join(some, _CLASS).select(_CLASS, _PERSON, _ROWS)
        slices = 1 + sum(self._among[one] for one in wanted.tolist()) // _SLICE
        for part in range(slices):
            here = inside if slices == 1 else inside.filter(inside[_PERSON] % slices == part)
            found = self._fetching.table(here)
            of_class, people = numbers(found[_CLASS]), numbers(found[_PERSON])
            order = np.lexsort((people, of_class))
            yield Members(of_class[order], people[order], numbers(found[_ROWS])[order])

    def _histogram(self, table: ibis.Table, by: str) -> dict[int, int]:
        found = self._fetching.table(table)
        return _added(numbers(found[by]), numbers(found["n"]))


def _added(sizes: Counts, number: Counts) -> dict[int, int]:
    """The numbers of equal sizes, added up; sizes ascend."""
    found: Counter[int] = Counter()
    for size, n in zip(sizes.tolist(), number.tolist(), strict=True):
        found[size] += n
    return dict(sorted(found.items()))


def _texts(column: Any) -> list[str]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_string(kind):
        return column.cast(pa.string()).to_pylist()
    return [text_of(one) for one in column.to_pylist()]


def _numbered(table: ibis.Table, name: str) -> ibis.Table:
    import ibis

    # Ibis takes it for a large number anyway, and leaves a plain cast out; for Spark it is small.
    return table.mutate(**{name: ibis.row_number().cast("float64").cast("int64")})


def _without_gaps(column: Any) -> Any:
    """A column with something in place of missing values; which they are is in another column."""
    kind = column.type()
    if kind.is_integer() or kind.is_floating():
        return column.fill_null(0)
    return column.cast("string").fill_null("")


def _scrambled(number: Any, prime: int) -> Any:
    """Numbers below the prime that look as if they were drawn; different ones stay different."""
    found = number % prime
    for added in _ADDED:
        found = (found + added) % prime
        found = found * found % prime * found % prime
    return found
