"""Classes of a sample beside the people of a population who match them.

A class and a person are matched by the texts of the keys: 20, 20.0 and "20" are the same, and so
are a date and its midnight. Where the classes publish regions (intervals, sets, hierarchy nodes),
F of a class is the number of people with every value in the region. Classes and people are sorted
column by column, the most selective column first: classes that share a region look at the same
people, and the next column only at those who are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import (
    Contingency,
    Held,
    InEngine,
    KeyColumn,
    combined,
    paired_in_engine,
    text_of,
)
from unveil.errors import (
    Cell,
    File,
    InputError,
    Listed,
    Message,
    Option,
    Text,
)
from unveil.errors import Column as ColumnName
from unveil.measures._released import plain, reach_of
from unveil.microdata import (
    Column,
    Hierarchy,
    Microdata,
    Regions,
    Release,
    Role,
    Sets,
    Wish,
    encode,
    lacking_codes,
    likely_mapping,
    listed_values,
    read_cells,
    recoded,
    values_of,
)


def _written(value: object) -> str:
    """The text by which people and records are matched; midnight is its date.

    >>> _written("2020-01-01 00:00:00"), _written(20.0)
    ('2020-01-01', '20')
    """
    return text_of(value).removesuffix(" 00:00:00")


Said: TypeAlias = Mapping[str, Mapping[str, str | None]]
"""For each column, the sample's words for values of the population."""


_READ = Message("read the population with {option}", option=Option("hierarchies"))
_GIVE = Message("give {option}", option=Option("key_hierarchies"))


def covered_people(
    sample: Held, release: Release, population: Microdata, mapping: Said
) -> NDArray[np.int64]:
    """How many people each class of a release covers.

    ``sample`` is the release, counted over some of its quasi-identifiers. The population has all
    these columns, in any role.
    """
    published = {
        column.name: (column, regions)
        for column, regions in zip(release.quasi, release.regions, strict=True)
    }
    columns = [recoded(population[name], mapping.get(name, {})) for name in sample.keys]
    regions = []
    for name, theirs in zip(sample.keys, columns, strict=True):
        texts = [str(value) for value in sample.columns[name].values]
        column, all_regions = published[name]
        if _same_domain(column, theirs):
            first: dict[str, int] = {}
            for g, text in enumerate(all_regions.texts(column)):
                first.setdefault(text, g)
            regions.append(all_regions.take(np.array([first[text] for text in texts])))
        else:
            regions.append(_read_there(sample, texts, theirs, population.source, _READ))
    distinct, of_person = combined([column.codes.astype(np.int64) for column in columns])
    codes = np.stack([column.codes[distinct] for column in columns])
    return _counted(sample, regions, columns, codes, np.bincount(of_person), population.source)


def _covered_counts(
    sample: Held, population: Held, mapping: Said, trees: Mapping[str, Hierarchy]
) -> NDArray[np.int64]:
    """How many people of a counted population the cells of each class cover.

    A cell is a value of the population, a region of its values, or a node of a tree.
    """
    columns, regions = [], []
    for name in sample.keys:
        theirs = population.columns[name]
        texts = [_mapped(value, mapping.get(name, {})) for value in theirs.values]
        listed = listed_values(name, texts, population.source)
        column = encode(listed, Wish(role=Role.QUASI, hierarchy=trees.get(name)))
        column = replace(column, codes=column.codes[theirs.codes])
        ours = [_written(value) for value in sample.columns[name].values]
        regions.append(_read_there(sample, ours, column, population.source, _GIVE))
        columns.append(column)
    codes, numbers = np.stack([column.codes for column in columns]), population.histograms.sizes
    return _counted(sample, regions, columns, codes, numbers, population.source)


def _counted(
    sample: Held,
    regions: Sequence[Regions],
    columns: Sequence[Column],
    codes: NDArray[np.int32],
    numbers: NDArray[np.int64],
    source: str,
) -> NDArray[np.int64]:
    """The number of people whom all cells of a class cover; there must be some."""
    readings = [Reading(r, c.size) for r, c in zip(regions, columns, strict=True)]
    cell_of = [sample.columns[name].codes for name in sample.keys]
    found = people_in_cells(cell_of, readings, codes, numbers)
    for g in np.flatnonzero(found == 0)[:1]:
        for name, cell, reading, column, theirs in zip(
            sample.keys, cell_of, readings, columns, codes, strict=True
        ):
            if reading.inside(int(cell[g]), np.unique(theirs)).any():
                continue
            raise InputError(
                "nobody in {population}, the population, has a value of {column} that {cell} of "
                "{sample} covers ({values}): everybody in the sample must be in the population, "
                "with the same codes in every column",
                population=File(source, bare=True), column=ColumnName(name),
                cell=Cell(_written(sample.columns[name].values[cell[g]])),
                sample=File(sample.source, bare=True), values=values_of(column),
            )  # fmt: skip
    return found


def _same_domain(a: Column, b: Column) -> bool:
    return a.kind is b.kind and (a.values is b.values or a.texts == b.texts)


def _read_there(
    sample: Held, texts: list[str], column: Column, source: str, by_tree: Message
) -> Regions:
    """What cells cover in the population; ``by_tree`` says how to give it a hierarchy."""
    try:
        return read_cells(texts, column)
    except InputError as error:
        strange = [text for text in texts if not _is_readable(text, column)]
        if not strange:  # each cell can be read by itself, but together they are ambiguous
            raise InputError(
                "the cells of {column} cannot be read in {source}, the population: {error}",
                column=ColumnName(column.name), source=File(source, bare=True), error=error.message,
            ) from error  # fmt: skip
        told = lacking_codes(
            column, strange, source=sample.source, there=f"{source}, the population,"
        )
        unclear = column.hierarchy is None and not likely_mapping(strange, column.texts)
        raise InputError(
            "{told}; if they are groups of these, {remedy}" if unclear else "{told}",
            told=told,
            remedy=by_tree,
        ) from error


def _is_readable(text: str, column: Column) -> bool:
    try:
        read_cells([text], column)
    except InputError:
        return False
    return True


class Reading:
    """What the regions of one column cover, without a search of the whole domain for each."""

    def __init__(self, regions: Regions, domain: int) -> None:
        self._regions = plain(regions, domain)
        self._first, self._last, number = reach_of(regions, domain)
        self._last[number == 0] = -1
        self._all = number == domain
        self._covered = np.zeros(domain, dtype=bool)  # by one region at a time

    def places(self, ascending: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each region, where the codes that it may cover begin and end in a sorted array."""
        begin = np.searchsorted(ascending, self._first)
        return begin, np.maximum(begin, np.searchsorted(ascending, self._last, side="right"))

    def inside(self, g: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which codes region g covers."""
        regions = self._regions
        if isinstance(regions, Sets):
            members = regions.members[regions.start[g] : regions.start[g + 1]]
            self._covered[members] = True
            found = self._covered[codes]
            self._covered[members] = False
            return found
        between = (codes >= self._first[g]) & (codes <= self._last[g])
        if regions.there is not None and not self._all[g]:
            between &= regions.there[codes]
        return between


def people_in_cells(
    cell_of: Sequence[NDArray[np.int64]],
    readings: Sequence[Reading],
    codes: NDArray[np.int32],
    numbers: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many people lie in each class's region of every column.

    Parameters
    ----------
    cell_of : for each column, the number of each class's region
    readings : for each column, what a region covers
    codes : columns × combinations of values
    numbers : how many people have each combination
    """
    found = np.zeros(len(cell_of[0]), dtype=np.int64)
    order = _narrowest_first(cell_of, readings, codes)
    narrowest = order[0]
    by_code = np.argsort(codes[narrowest], kind="stable")
    codes, numbers = codes[:, by_code], numbers[by_code]
    # Sorted like this, the people whom a region of the narrowest column may cover are adjacent.
    begin, end = readings[narrowest].places(codes[narrowest])

    def sort_out(depth: int, classes: NDArray[np.intp], people: NDArray[np.intp]) -> None:
        if depth == len(order):
            found[classes] = numbers[people].sum()
            return
        j = order[depth]
        for region, alike in _by_region(cell_of[j], classes):
            near = people if depth else np.arange(begin[region], end[region])
            left = near[readings[j].inside(region, codes[j][near])]
            if len(left):
                sort_out(depth + 1, alike, left)

    sort_out(0, np.arange(len(found)), np.arange(len(numbers)))
    return found


def _narrowest_first(
    cell_of: Sequence[NDArray[np.int64]], readings: Sequence[Reading], codes: NDArray[np.int32]
) -> list[int]:
    """The columns, those whose regions leave the fewest people first."""
    left = []
    for regions, reading, column in zip(cell_of, readings, codes, strict=True):
        begin, end = reading.places(np.sort(column))
        left.append(float((end - begin)[regions].mean()))
    return sorted(range(len(left)), key=left.__getitem__)


def _by_region(
    cell_of: NDArray[np.int64], classes: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """The regions that some classes have in a column, each with its classes."""
    if len(classes) == 1:  # the usual case after a column or two
        yield int(cell_of[classes[0]]), classes
        return
    regions = cell_of[classes]
    order = np.argsort(regions, kind="stable")
    starts = np.flatnonzero(np.diff(regions[order], prepend=-1))
    for alike in np.split(classes[order], starts[1:]):
        yield int(cell_of[alike[0]]), alike


class PairedSizes(NamedTuple):
    """Some classes of a sample, and the people of the population who match them.

    Attributes
    ----------
    records, people, weights : array, one entry per class
        f, its records in the sample; F, the people of the population who match it, those of the
        sample included; and the number of classes with this f and F.
    key_of : function
        The keys of class g, or of one of the classes that it stands for.
    """

    records: NDArray[np.int64]
    people: NDArray[np.int64]
    weights: NDArray[np.int64]
    key_of: Callable[[int], tuple[object, ...]]


def paired(
    sample: Contingency,
    population: Contingency,
    mapping: Said,
    trees: Mapping[str, Hierarchy] | None = None,
) -> tuple[Iterable[PairedSizes], tuple[Text, ...]]:
    """Find each class of the sample in the population, which is counted over the same keys.

    If nobody in the population has a key of the sample, the sample's keys are cells, and match
    everybody whom they cover. Also returns notes about that.
    """
    if isinstance(sample, Held) and isinstance(population, Held):
        cells = _cells(sample, population, mapping)
        if cells:
            people = _covered_counts(sample, population, mapping, trees or {})
        else:
            people = _people(sample, population, mapping)
        return [pair_of(sample, people)], cells
    both = {"sample": File(sample.source, bare=True),
            "population": File(population.source, bare=True)}  # fmt: skip
    if mapping:
        raise InputError(
            "{option} needs counts that fit into memory, and those of {sample} and {population} do "
            "not: use the same codes in both tables",
            option=Option("recode"), **both,
        )  # fmt: skip
    if not isinstance(sample, InEngine) and not isinstance(population, InEngine):
        raise InputError(
            "{sample} cannot be matched with {population}: give both as tables", **both
        )
    return (PairedSizes(*block) for block in paired_in_engine(sample, population)), ()


def _cells(sample: Held, population: Held, mapping: Said) -> tuple[Text, ...]:
    """A note on the keys that are read as cells; none if all of them are values."""
    generalized = []
    for name in sample.keys:
        there = {_mapped(v, mapping.get(name, {})) for v in population.columns[name].values}
        if any(_written(value) not in there for value in sample.columns[name].values):
            generalized.append(name)
    note = Message(
        "{keys}: read as cells, which match everybody in {population} whom they cover",
        keys=Listed([ColumnName(name) for name in generalized]),
        population=File(population.source, bare=True),
    )
    return (note,) if generalized else ()


def pair_of(sample: Held, people: NDArray[np.int64]) -> PairedSizes:
    """The classes of a sample with the number of people who match each."""
    whole = sample.histograms
    return PairedSizes(whole.sizes, people, whole.weights, whole.key_of)


def _people(sample: Held, population: Held, mapping: Said) -> NDArray[np.int64]:
    """How many people match each class of the sample by its values."""
    both = []
    for name in sample.keys:
        numbering: dict[str, int] = {}
        theirs = _by_text(population.columns[name], numbering, mapping.get(name, {}))
        both.append(np.concatenate([theirs, _by_text(sample.columns[name], numbering, {})]))
    distinct, of_class = combined(both)
    people = np.zeros(len(distinct), dtype=np.int64)
    n = len(population.histograms)
    np.add.at(people, of_class[:n], population.histograms.sizes)
    return people[of_class[n:]]


def _by_text(
    column: KeyColumn, numbering: dict[str, int], mapping: Mapping[str, str | None]
) -> NDArray[np.int64]:
    """Each class's value as a number; both tables share the numbering of texts."""
    places = [numbering.setdefault(_mapped(v, mapping), len(numbering)) for v in column.values]
    return np.array(places, dtype=np.int64)[column.codes]


def _mapped(value: object, mapping: Mapping[str, str | None]) -> str:
    text = _written(value)
    return mapping.get(text) or text


def check_pairs(pairs: PairedSizes, sample: Contingency) -> None:
    """Refuse classes that are larger in the sample than in the population."""
    short = np.flatnonzero(pairs.people < pairs.records)
    if not len(short):
        return
    g = int(short[0])
    texts = [_written(value) for value in pairs.key_of(g)]
    cells = ", ".join(f"{name}={text}" for name, text in zip(sample.keys, texts, strict=True))
    people = int(pairs.people[g])
    more = int(pairs.weights[short].sum()) - 1
    others = Message(" (and so in {more:class} more)", more=more) if more else ""
    raise InputError(
        "the population has {people:person} with {cells}, but the sample {records}{others}: "
        "everybody in the sample must be in the population, with the same codes in every column; "
        "check that it is the right population, and that both tables use the same codes",
        people=people, cells=Cell(cells, people=people, bare=True),
        records=int(pairs.records[g]), others=others,
    )  # fmt: skip
