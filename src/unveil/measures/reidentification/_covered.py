"""How many people of a population the cells of a release cover.

The classes of a release publish regions (intervals, sets, hierarchy nodes), and people have
values: F of a class is the number of people with every value in the region. Classes and people are
sorted out column by column, the one that tells most first: those that share a region look at the
same people, and the next column only at those who are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Held, combined
from unveil.errors import InputError
from unveil.measures.reidentification._texts import written
from unveil.microdata import (
    Column,
    Hierarchy,
    Intervals,
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

__all__ = ["Said", "covered_counts", "covered_people", "people_in_cells"]

Said: TypeAlias = Mapping[str, Mapping[str, str | None]]
"""For each column, what values of the population are called in the sample."""

_READ, _GIVE = "read the population with hierarchies=", "give key_hierarchies="


def covered_people(
    sample: Held, release: Release, population: Microdata, mapping: Said
) -> NDArray[np.int64]:
    """How many people each class of a release covers.

    Parameters
    ----------
    sample : Held
        The release, counted over some of its quasi-identifiers.
    release : Release
    population : Microdata
        With all these columns, in any role.
    mapping : mapping of str to mapping
        What its values are called in the release.
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


def covered_counts(
    sample: Held, population: Held, mapping: Said, trees: Mapping[str, Hierarchy]
) -> NDArray[np.int64]:
    """How many people of a counted population the cells of each class cover.

    The cells are read among the population's values, and a value is a cell, too; with a tree,
    so are its nodes.
    """
    columns, regions, codes = [], [], []
    for name in sample.keys:
        theirs = population.columns[name]
        texts = [written(value) for value in theirs.values]
        said = mapping.get(name, {})
        texts = [said.get(text) or text for text in texts]
        listed = listed_values(name, texts, population.source)
        column = encode(listed, Wish(role=Role.QUASI, hierarchy=trees.get(name)))
        column = replace(column, codes=column.codes[theirs.codes])
        ours = [written(value) for value in sample.columns[name].values]
        regions.append(_read_there(sample, ours, column, population.source, _GIVE))
        columns.append(column)
        codes.append(column.codes)
    numbers = population.histograms.sizes
    return _counted(sample, regions, columns, np.stack(codes), numbers, population.source)


def _counted(
    sample: Held,
    regions: Sequence[Regions],
    columns: Sequence[Column],
    codes: NDArray[np.int32],
    numbers: NDArray[np.int64],
    source: str,
) -> NDArray[np.int64]:
    """The people whom all cells of a class cover; there must be some."""
    readings = [reading_of(r, c.size) for r, c in zip(regions, columns, strict=True)]
    cell_of = [sample.columns[name].codes for name in sample.keys]
    found = people_in_cells(cell_of, readings, codes, numbers)
    for g in np.flatnonzero(found == 0)[:1]:
        for name, cell, reading, column, theirs in zip(
            sample.keys, cell_of, readings, columns, codes, strict=True
        ):
            if reading.inside(int(cell[g]), np.unique(theirs)).any():
                continue
            text = written(sample.columns[name].values[cell[g]])
            raise InputError(
                f"nobody in {source}, the population, has a value of {name} that {text!r} of "
                f"{sample.source} covers ({values_of(column)}): everybody in the sample must be in "
                "the population, with the same codes in every column"
            )
    return found


def _same_domain(a: Column, b: Column) -> bool:
    return a.kind is b.kind and (a.values is b.values or a.texts == b.texts)


def _read_there(
    sample: Held, texts: list[str], column: Column, source: str, by_tree: str
) -> Regions:
    """What cells cover in the population; ``by_tree`` says how to give it a hierarchy."""
    try:
        return read_cells(texts, column)
    except InputError as error:
        strange = [text for text in texts if not _is_readable(text, column)]
        if not strange:  # each by itself can be read, and all together are not clear
            raise InputError(
                f"the cells of {column.name} cannot be read in {source}, the population: {error}"
            ) from error
        told = lacking_codes(
            column, strange, source=sample.source, there=f"{source}, the population,"
        )
        unclear = column.hierarchy is None and not likely_mapping(strange, column.texts)
        groups = f"; if they are groups of these, {by_tree}" if unclear else ""
        raise InputError(f"{told}{groups}") from error


def _is_readable(text: str, column: Column) -> bool:
    try:
        read_cells([text], column)
    except InputError:
        return False
    return True


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What the regions of one column cover.

    Attributes
    ----------
    first, last : arrays, one a region
        The codes between which it lies; it is empty where the last comes before the first.
    inside : function
        Says which of some codes a region covers.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    inside: Callable[[int, NDArray[np.int32]], NDArray[np.bool_]]

    def places(self, ascending: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each region, where codes that it may cover begin and end among ascending ones."""
        begin = np.searchsorted(ascending, self.first)
        return begin, np.maximum(begin, np.searchsorted(ascending, self.last, side="right"))


def reading_of(regions: Regions, domain: int) -> Reading:
    """Ask regions what they cover, without going through the whole domain for each of them."""
    if isinstance(regions, Intervals):
        return _of_intervals(regions, domain)
    if isinstance(regions, Sets):
        return _of_sets(regions, domain)
    table = np.stack([regions.covers(code) for code in range(domain)], axis=1)
    everything = np.zeros(len(regions), dtype=np.int64)
    return Reading(
        first=everything, last=everything + domain - 1, inside=lambda g, codes: table[g, codes]
    )


def _of_intervals(intervals: Intervals, domain: int) -> Reading:
    low, high, there = intervals.low, intervals.high, intervals.there
    whole = (low <= 0) & (high >= domain - 1)

    def inside(g: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        between = (codes >= low[g]) & (codes <= high[g])
        return between if there is None or whole[g] else between & there[codes]

    return Reading(first=low.astype(np.int64), last=high.astype(np.int64), inside=inside)


def _of_sets(sets: Sets, domain: int) -> Reading:
    some = np.diff(sets.start) > 0
    first, last = np.zeros(len(sets), dtype=np.int64), np.full(len(sets), -1, dtype=np.int64)
    first[some] = sets.members[sets.start[:-1][some]]
    last[some] = sets.members[sets.start[1:][some] - 1]
    covered = np.zeros(domain, dtype=bool)

    def inside(g: int, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        members = sets.members[sets.start[g] : sets.start[g + 1]]
        covered[members] = True
        found = covered[codes]
        covered[members] = False
        return found

    return Reading(first=first, last=last, inside=inside)


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
    # Sorted so, those whom a region of the narrowest column may cover stand side by side.
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
    """The columns, those first whose regions leave the fewest people to look at further."""
    left = []
    for regions, reading, column in zip(cell_of, readings, codes, strict=True):
        begin, end = reading.places(np.sort(column))
        left.append(float((end - begin)[regions].mean()))
    return sorted(range(len(left)), key=left.__getitem__)


def _by_region(
    cell_of: NDArray[np.int64], classes: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """The regions that some classes have in a column, each with its classes."""
    if len(classes) == 1:  # as most are after a column or two
        yield int(cell_of[classes[0]]), classes
        return
    regions = cell_of[classes]
    order = np.argsort(regions, kind="stable")
    starts = np.flatnonzero(np.diff(regions[order], prepend=-1))
    for alike in np.split(classes[order], starts[1:]):
        yield int(cell_of[alike[0]]), alike
