"""How many people of a population the cells of a release cover.

The classes of a release publish regions (intervals, sets, hierarchy nodes), and people have
values: F of a class is the number of people with every value in the region. Classes and people are
sorted out column by column: those that share a region look at the same people, and the next column
only at those who are left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Held
from unveil.errors import InputError
from unveil.microdata import (
    Column,
    Intervals,
    Kind,
    Microdata,
    Regions,
    Release,
    Role,
    Sets,
    read_release,
)

__all__ = ["covered_people", "people_in_cells"]


def covered_people(sample: Held, release: Release, population: Microdata) -> NDArray[np.int64]:
    """How many people each class of the sample covers.

    Parameters
    ----------
    sample : Held
        The release, counted over some of its quasi-identifiers.
    release : Release
    population : Microdata
        With all these columns, in any role.
    """
    published = {
        column.name: (column, regions)
        for column, regions in zip(release.quasi, release.regions, strict=True)
    }
    columns = [population[name] for name in sample.keys]
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
            regions.append(_read_again(texts, theirs, population))
    cell_of = [sample.columns[name].codes for name in sample.keys]
    codes = np.stack([column.codes for column in columns])
    cells, numbers = np.unique(codes, axis=1, return_counts=True)
    return people_in_cells(
        cell_of, [_inside(r, c.size) for r, c in zip(regions, columns, strict=True)], cells, numbers
    )


def _same_domain(a: Column, b: Column) -> bool:
    return a.kind is b.kind and (a.values is b.values or a.texts == b.texts)


def _read_again(texts: list[str], column: Column, population: Microdata) -> Regions:
    """What cells cover in the population, which may have values that the original has not."""
    secret = Column(
        name=f"{column.name} of nobody", role=Role.SENSITIVE, kind=Kind.CATEGORICAL,
        codes=np.zeros(len(population), dtype=np.int32), values=np.array(["-"], dtype=object),
    )  # fmt: skip
    people = Microdata(
        columns=(replace(column, role=Role.QUASI), secret),
        rows=population.rows,
        source=population.source,
    )
    table = {column.name: texts, secret.name: ["-"] * len(texts)}
    try:
        release = read_release(table, people)
    except InputError as error:
        raise InputError(
            f"the cells of {column.name} cannot be read in {population.source}, the population: "
            f"{error}"
        ) from error
    return release.regions[0].take(release.class_of)


Inside = Callable[[int], NDArray[np.bool_]]


def _inside(regions: Regions, domain: int) -> Inside:
    """A function that says for one region which values of the domain it covers."""
    if isinstance(regions, Intervals):
        return lambda g: _in_interval(regions, g, domain)
    if isinstance(regions, Sets):
        return lambda g: _in_set(regions, g, domain)
    table = np.stack([regions.covers(code) for code in range(domain)], axis=1)
    return lambda g: table[g]


def _in_interval(intervals: Intervals, g: int, domain: int) -> NDArray[np.bool_]:
    low, high = max(0, int(intervals.low[g])), min(domain - 1, int(intervals.high[g]))
    inside = np.zeros(domain, dtype=bool)
    inside[low : high + 1] = True
    if intervals.there is not None and not inside.all():
        inside &= intervals.there
    return inside


def _in_set(sets: Sets, g: int, domain: int) -> NDArray[np.bool_]:
    inside = np.zeros(domain, dtype=bool)
    inside[sets.members[sets.start[g] : sets.start[g + 1]]] = True
    return inside


def people_in_cells(
    cell_of: list[NDArray[np.int64]],
    inside: list[Inside],
    codes: NDArray[np.int32],
    numbers: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many people lie in each class's region of every column.

    Parameters
    ----------
    cell_of : for each column, the number of each class's region
    inside : for each column, which values a region covers
    codes : columns × combinations of values
    numbers : how many people have each combination
    """
    found = np.zeros(len(cell_of[0]), dtype=np.int64)

    def sort_out(j: int, classes: NDArray[np.intp], people: NDArray[np.intp]) -> None:
        if j == len(cell_of):
            found[classes] = numbers[people].sum()
            return
        regions = cell_of[j][classes]
        order = np.argsort(regions, kind="stable")
        starts = np.flatnonzero(np.diff(regions[order], prepend=-1))
        for alike in np.split(classes[order], starts[1:]):
            left = people[inside[j](int(cell_of[j][alike[0]]))[codes[j][people]]]
            if len(left):
                sort_out(j + 1, alike, left)

    sort_out(0, np.arange(len(found)), np.arange(len(numbers)))
    return found
