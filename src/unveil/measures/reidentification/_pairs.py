"""Classes of a sample beside the people of a population that are like them.

A class and a person are matched by the texts of the keys, so that 20, 20.0 and "20" are one. A day
is one, too, whether a table has it as a date or as its midnight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import (
    Contingency,
    Held,
    InEngine,
    KeyColumn,
    combined,
    paired_in_engine,
)
from unveil.errors import InputError
from unveil.measures.reidentification._covered import Said, covered_counts
from unveil.measures.reidentification._texts import number_of, written
from unveil.microdata import Hierarchy

__all__ = ["PairedSizes", "check_pairs", "pair_of", "paired"]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedSizes:
    """Some classes of a sample, and how many people of the population each stands for.

    Attributes
    ----------
    records : array, one a class
        f, the records of the sample in it.
    people : array, one a class
        F, the people of the population that are like them; those of the sample are among them.
    weights : array, one a class
        How many classes have this f and F.
    key_of : function
        The values of the keys of class g, or of one of those that it stands for.
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
) -> tuple[Iterable[PairedSizes], tuple[str, ...]]:
    """Find each class of the sample in the population, which is counted over the same keys.

    Where a key of the sample is nobody's in the population, the sample's are cells, and
    everybody counts whom they cover. Returns also what to tell about that.
    """
    if isinstance(sample, Held) and isinstance(population, Held):
        cells = _cells(sample, population, mapping)
        people = (
            covered_counts(sample, population, mapping, trees or {})
            if cells
            else _people(sample, population, mapping)
        )
        return [pair_of(sample, people)], cells
    if mapping:
        raise InputError(
            f"mapping= needs counts that fit into memory, and those of {sample.source} and "
            f"{population.source} do not: write both tables alike"
        )
    return _elsewhere(sample, population), ()


def _elsewhere(sample: Contingency, population: Contingency) -> Iterator[PairedSizes]:
    if isinstance(sample, InEngine) or isinstance(population, InEngine):
        for records, people, weights, key_of in paired_in_engine(sample, population):
            yield PairedSizes(records=records, people=people, weights=weights, key_of=key_of)
        return
    raise InputError(
        f"{sample.source} cannot be matched with {population.source}: give both as tables"
    )


def _cells(sample: Held, population: Held, mapping: Said) -> tuple[str, ...]:
    """What to tell of keys that are read as cells; nothing if all of them are values."""
    generalized = []
    for name in sample.keys:
        there = {_mapped(v, mapping.get(name, {})) for v in population.columns[name].values}
        if any(written(value) not in there for value in sample.columns[name].values):
            generalized.append(name)
    if not generalized:
        return ()
    return (
        f"{', '.join(generalized)}: read as cells; everybody in {population.source} counts whom "
        "they cover",
    )


def pair_of(sample: Held, people: NDArray[np.int64]) -> PairedSizes:
    """The classes of a sample with the people that were found for each."""
    whole = sample.histograms
    return PairedSizes(
        records=whole.sizes, people=people, weights=whole.weights, key_of=whole.key_of
    )


def _people(sample: Held, population: Held, mapping: Said) -> NDArray[np.int64]:
    """How many people there are for each class of the sample."""
    theirs, ours = [], []
    for name in sample.keys:
        numbering: dict[str, int] = {}
        theirs.append(_by_text(population.columns[name], numbering, mapping.get(name, {})))
        ours.append(_by_text(sample.columns[name], numbering, {}))
    both = [np.concatenate(pair) for pair in zip(theirs, ours, strict=True)]
    distinct, of_class = combined(both)
    people = np.zeros(len(distinct), dtype=np.int64)
    n = len(population.histograms)
    np.add.at(people, of_class[:n], population.histograms.sizes)
    return people[of_class[n:]]


def _by_text(
    column: KeyColumn, numbering: dict[str, int], mapping: Mapping[str, str | None]
) -> NDArray[np.int64]:
    """Each class's value, numbered by its text in a numbering that both tables share."""
    places = [numbering.setdefault(_mapped(v, mapping), len(numbering)) for v in column.values]
    return np.array(places, dtype=np.int64)[column.codes]


def _mapped(value: object, mapping: Mapping[str, str | None]) -> str:
    text = written(value)
    return mapping.get(text) or text


def check_pairs(pairs: PairedSizes, sample: Contingency) -> None:
    """Refuse classes that are larger in the sample than in the population."""
    short = np.flatnonzero(pairs.people < pairs.records)
    if not len(short):
        return
    g = int(short[0])
    texts = [written(value) for value in pairs.key_of(g)]
    cells = ", ".join(f"{name}={text}" for name, text in zip(sample.keys, texts, strict=True))
    people = number_of(int(pairs.people[g]), "person", "people")
    more = number_of(int(pairs.weights[short].sum()) - 1, "more class", "more classes")
    others = "" if more.startswith("0 ") else f" (and so in {more})"
    raise InputError(
        f"the population has {people} with {cells}, and the sample "
        f"{int(pairs.records[g]):,}{others}: everybody in the sample must be in the population, "
        "with the same codes in every column; is it another population, or another coding of the "
        "same column?"
    )
