"""Re-identification risk for a prosecutor, a journalist and a marketer.

The three attackers of K. El Emam, *Guide to the De-Identification of Personal Health Information*
(CRC Press, 2013). All match somebody whose keys they know with a class, and name one of its
records at random. With f records of the table and F people of the population in a class, n records
and J classes in all:

*Prosecutor.* They know that their target is in the table, and are right with probability 1/f.
Highest 1 / min f, on average over the records J / n.

*Journalist.* They do not know, so all F people are alike to them: 1/F. Highest 1 / min F, where
min F is the k of a k-map. The average is the larger of two: over the records (1/n) Σ f/F, and over
the people J / Σ F, because they may also pick people and look for them in the table.

*Marketer.* They match everybody, and expect to be right about the share (1/n) Σ f/F of the
records. Where the table is the population, that is J / n.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Held, InEngine, text_of
from unveil.errors import File, InputError, Listed, Message, Option, Text, did_you_mean
from unveil.measures._classes import (
    SHOWN,
    ClassSizes,
    Deciding,
    DecidingClass,
    SizeLooking,
    check_apart,
    measured,
)
from unveil.measures._counted import Counting, count, count_people
from unveil.measures._texts import number_of
from unveil.measures.reidentification._matched import (
    PairedSizes,
    Said,
    check_pairs,
    covered_people,
    pair_of,
    paired,
)
from unveil.measures.reidentification._population import (
    ESTIMATORS,
    population_model,
    population_uniques,
)
from unveil.measures.reidentification._risk_finding import (
    ESTIMATE,
    EXACT,
    UPPER_BOUND,
    AttackerRisk,
    PopulationEstimate,
    ReidentificationRisk,
)
from unveil.microdata import (
    Hierarchy,
    Mapped,
    Microdata,
    Release,
    checked_mapping,
    refuse_perturbed,
)

_EVERYBODY = 2.0**53  # no class is as large; beyond it floats skip whole numbers
_MEASURE = "re-identification risk"
_MOST_PEOPLE = 10**12  # beyond, logarithms of factorials are too coarse for the estimates


@dataclass(frozen=True, kw_only=True)
class _ClassInPopulation(DecidingClass):
    """A class, and the number of people in the population who match it."""

    people: int

    def __str__(self) -> str:
        cells = ", ".join(f"{name}={text}" for name, text in self.keys.items())
        records = number_of(self.records, "record", "records")
        return f"{cells} ({records}, {self.people:,} in the population)"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "population": self.people}


class _Fewest:
    """Looks for the smallest score, and the classes that have it."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self.fewest: int | None = None
        self._number = 0
        self._found: list[_ClassInPopulation] = []

    def look(
        self,
        scores: NDArray[np.int64],
        sizes: NDArray[np.int64],
        people: NDArray[np.int64],
        weights: NDArray[np.int64],
        key_of: Callable[[int], tuple[object, ...]],
    ) -> None:
        if not len(scores):
            return
        least = int(scores.min())
        if self.fewest is None or least < self.fewest:
            self.fewest, self._number, self._found = least, 0, []
        same = np.flatnonzero(scores == self.fewest)
        self._number += int(weights[same].sum())
        for g in same[: SHOWN - len(self._found)].tolist():
            texts = [text_of(value) for value in key_of(g)]
            self._found.append(
                _ClassInPopulation(
                    keys=dict(zip(self._keys, texts, strict=True)),
                    records=int(sizes[g]),
                    counts={},
                    people=int(people[g]),
                )
            )

    def deciding(self) -> Deciding:
        """The classes that have it."""
        return Deciding(number=self._number, classes=tuple(self._found))


class RiskLooking(SizeLooking):
    """Re-identification risk from the classes alone, or with an estimated population."""

    def __init__(
        self,
        counts: Contingency,
        *,
        threshold: float = 0.2,
        population_size: int | None = None,
        estimator: str | None = None,
    ) -> None:
        check_apart(counts, _MEASURE)
        super().__init__(counts)
        self._threshold = threshold
        self._population, self._estimator = population_size, estimator

    def finding(self) -> ReidentificationRisk:
        found = self._sizes
        prosecutor = _prosecutor(found, self._threshold, self._extreme.deciding())
        journalist, marketer, estimate = self._others(prosecutor)
        return ReidentificationRisk(
            prosecutor=prosecutor,
            journalist=journalist,
            marketer=marketer,
            records=found.records,
            classes=found.classes,
            keys=self._counts.keys,
            threshold=self._threshold,
            source=self._counts.source,
            population_size=self._population,
            estimate=estimate,
            notes=self._counts.notes,
        )

    def _others(
        self, most: AttackerRisk
    ) -> tuple[AttackerRisk, AttackerRisk, PopulationEstimate | None]:
        """The journalist and the marketer: estimated, or at most the prosecutor's risk."""
        if self._population is None:
            journalist = AttackerRisk(
                name="journalist", basis=UPPER_BOUND, highest=most.highest, average=most.average,
                over=most.over, deciding=most.deciding,
            )  # fmt: skip
            return journalist, _marketer(most.average, UPPER_BOUND), None
        found = self._sizes
        sizes, numbers, n = found.sizes, found.numbers, found.records
        model = population_model(found, self._population, self._estimator)
        risks = model.risk(sizes)
        of_records = math.fsum((numbers * sizes * risks).tolist()) / n
        of_people = found.classes / math.fsum((numbers * model.people(sizes)).tolist())
        over = model.at_most(_too_few(self._threshold), sizes)
        journalist = AttackerRisk(
            name="journalist",
            basis=ESTIMATE,
            highest=float(risks[0]),
            average=max(of_records, of_people),
            over=math.fsum((numbers * sizes * over).tolist()) / n,
            deciding=most.deciding,
        )
        estimate = PopulationEstimate(
            model=model,
            alone_in_both=found.alone * float(model.at_most(1, np.array([1]))[0]),
            uniques=population_uniques(found, self._population),
        )
        return journalist, _marketer(of_records, ESTIMATE), estimate


def risk_in_population(
    counts: Contingency,
    pairs: Iterable[PairedSizes],
    *,
    population_size: int,
    threshold: float = 0.2,
    notes: tuple[Text, ...] = (),
) -> ReidentificationRisk:
    """The exact risk, given a population.

    ``pairs`` has each class of the sample once, with the people who match it.
    """
    check_apart(counts, _MEASURE)
    too_small = _too_few(threshold)
    # Records by how many people match them: whole numbers, so that it does not matter how the
    # pairs are cut into blocks.
    found, matched = ClassSizes(), Counter[int]()
    smallest, fewest = _Fewest(counts.keys), _Fewest(counts.keys)
    over = alone = people = 0
    for block in pairs:
        check_pairs(block, counts)
        found.look(block.records, block.weights)
        smallest.look(block.records, block.records, block.people, block.weights, block.key_of)
        fewest.look(block.people, block.records, block.people, block.weights, block.key_of)
        held = block.weights * block.records
        sizes, place = np.unique(block.people, return_inverse=True)
        totals = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(totals, place, held.astype(np.int64))
        matched.update(dict(zip(sizes.tolist(), totals.tolist(), strict=True)))
        over += int(held[block.people <= too_small].sum())
        alone += int(held[block.people == 1].sum())
        people += int((block.weights * block.people).sum())
    n = found.records
    k_map = fewest.fewest
    assert k_map is not None
    of_records = math.fsum(held / people for people, held in matched.items()) / n
    journalist = AttackerRisk(
        name="journalist",
        basis=EXACT,
        highest=1 / k_map,
        average=max(of_records, found.classes / people),
        over=over / n,
        deciding=fewest.deciding(),
    )
    return ReidentificationRisk(
        prosecutor=_prosecutor(found, threshold, smallest.deciding()),
        journalist=journalist,
        marketer=_marketer(of_records, EXACT),
        records=n,
        classes=found.classes,
        keys=counts.keys,
        threshold=threshold,
        source=counts.source,
        population_size=population_size,
        k_map=k_map,
        alone_in_both=alone,
        notes=(*counts.notes, *notes),
    )


def _prosecutor(found: ClassSizes, threshold: float, deciding: Deciding) -> AttackerRisk:
    return AttackerRisk(
        name="prosecutor",
        basis=EXACT,
        highest=1 / found.smallest,
        average=found.classes / found.records,
        over=found.in_classes_up_to(_too_few(threshold)) / found.records,
        deciding=deciding,
    )


def _marketer(share: float, basis: str) -> AttackerRisk:
    return AttackerRisk(name="marketer", basis=basis, average=share)


def _too_few(threshold: float) -> int:
    """The largest m with 1 / m above the threshold.

    >>> _too_few(0.2), _too_few(0.21), _too_few(0.05), _too_few(1.0)
    (4, 4, 19, 0)
    """
    people = int(min(1 / threshold, _EVERYBODY)) + 1
    while people > 0 and not 1 / people > threshold:
        people -= 1
    return people


def reidentification_risk(
    table: Any,
    *,
    population: Any = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    threshold: float = 0.2,
    estimator: str | None = None,
    recode: Mapped = None,
    key_hierarchies: Mapping[str, Hierarchy] | None = None,
    **counting: Unpack[Counting],
) -> ReidentificationRisk:
    """Re-identification risk for a prosecutor, a journalist and a marketer.

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    population : the same, optional
        A table of the population, which includes everybody in the table, with the same keys: for
        an exact answer. People and records are matched by the texts of the keys. If the table has
        a text that the population does not have, or if it is a release and the population
        microdata, its keys are cells, and a class matches everybody whom its cells cover.
    population_size : int, optional
        Number of people in the population, without their table: for an estimate.
    sampling_fraction : float, optional
        The share of the population that is in the table, instead.
    threshold : float
        The highest acceptable risk, above 0 and at most 1.
    estimator : {"pitman", "benedetti-franconi"}, optional
        Estimator of the number of people who match a class. Default: Pitman's sampling formula.
    recode : mapping of str to mapping, optional
        For each key, the table's words for values of the population:
        ``{"sex": {"M": "Male"}}``.
    key_hierarchies : mapping of str to Hierarchy, optional
        The hierarchies of keys, if the table has nodes of them in place of the population's
        values. Microdata and releases have their own.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [28, 28, 28, 36, 36, 47, 53, 53], "gender": list("MMMFFFMM"),
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu", "Flu", "Cancer", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> uv.reidentification_risk(people.take([0, 3, 4]), population=people)
    Re-identification risk of table: 3 records in 2 classes of age, gender
      smallest: age=28, gender=M (1 record, 3 in the population)
      k-map: 2 of 8 people, for age=36, gender=F (2 records, 2 in the population)
      alone in the population: 0 records
    <BLANKLINE>
      attacker     highest   average   records over 20%
      prosecutor      100%     66.7%               100%
      journalist       50%     44.4%               100%
      marketer           –     44.4%                  –
    """
    _check_options(population, population_size, sampling_fraction, threshold, estimator)
    check_recode(recode, population)
    counts = count_people(table, **counting)
    if population is not None:
        said = checked_mapping(recode, counts.keys, option="recode")
        trees = key_hierarchies or {}
        return _in_population(table, counts, population, said, trees, threshold, counting)
    size = size_of_population(counts, population_size, sampling_fraction)
    looking = RiskLooking(counts, threshold=threshold, population_size=size, estimator=estimator)
    return measured(counts, looking)


def _in_population(
    table: Any,
    counts: Contingency,
    population: Any,
    mapping: Said,
    trees: Mapping[str, Hierarchy],
    threshold: float,
    counting: Counting,
) -> ReidentificationRisk:
    if isinstance(table, Release) and isinstance(population, Microdata):
        assert isinstance(counts, Held)
        refuse_perturbed(table, table.quasi, "re-identification risk with a population")
        _check_size(counts, len(population), population.source)
        people = covered_people(counts, table, population, mapping)
        return risk_in_population(
            counts, [pair_of(counts, people)], threshold=threshold, population_size=len(population)
        )
    try:
        there = count(
            population,
            quasi=counts.keys,
            # Both tables must be in one place to be matched.
            engine=counts.connection
            if isinstance(counts, InEngine)
            else counting.get("engine", "duckdb"),
            memory=counting.get("memory"),
            encoding=counting.get("encoding", "utf-8"),
        )
    except InputError as error:
        raise InputError("population: {error}", error=error.message) from error
    _check_size(counts, there.rows, there.source)
    pairs, notes = paired(counts, there, mapping, trees)
    return risk_in_population(
        counts, pairs, threshold=threshold, population_size=there.rows, notes=notes
    )


def _check_options(
    population: Any, size: int | None, fraction: float | None, threshold: float,
    estimator: str | None,
) -> None:  # fmt: skip
    check_threshold(threshold)
    given = {
        "population": population is not None,
        "population_size": size is not None,
        "sampling_fraction": fraction is not None,
    }
    said = [name for name, is_given in given.items() if is_given]
    if len(said) > 1:
        raise InputError(
            "give {options}, not both: each says what the population is",
            options=Listed([Option(name) for name in said], "or"),
        )
    if estimator is not None and estimator not in ESTIMATORS:
        raise InputError(
            "{option} must be one of {known}, but got {given}{near}",
            option=Option("estimator"), known=Listed(ESTIMATORS), given=repr(estimator),
            near=did_you_mean(str(estimator), ESTIMATORS),
        )  # fmt: skip
    if estimator is not None and said not in (["population_size"], ["sampling_fraction"]):
        raise InputError(
            "{estimator} needs the size of a population: give {size} or {fraction}",
            estimator=Option("estimator", estimator),
            size=Option("population_size"),
            fraction=Option("sampling_fraction"),
        )
    if fraction is not None and not _is_share(fraction):
        raise InputError(
            "{option} must be above 0 and at most 1, but got {given}: it is the share of the "
            "population that is in the table",
            option=Option("sampling_fraction"),
            given=repr(fraction),
        )


def _is_share(given: Any) -> bool:
    """Whether something is a number above 0 and at most 1."""
    return isinstance(given, numbers.Real) and 0 < float(given) <= 1


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that is not a probability."""
    if not _is_share(threshold):
        raise InputError(
            "{option} must be above 0 and at most 1, but got {given}: it is a probability, such "
            "as 0.2 for one in five",
            option=Option("threshold"),
            given=repr(threshold),
        )


def check_recode(recode: Mapped, population: Any) -> None:
    """Refuse other names for the values of a population without a population."""
    if recode is not None and population is None:
        raise InputError(
            "{recode} is for the values of a population: give {population}",
            recode=Option("recode"),
            population=Option("population"),
        )


def size_of_population(
    counts: Contingency, size: int | None, fraction: float | None = None
) -> int | None:
    """The size of the population as it was given; None if it was not."""
    if fraction is not None:
        if counts.rows / fraction > _MOST_PEOPLE:
            raise InputError(
                "{option} makes {source} a sample of more than {most} people: it is the share of "
                "the population that is in the table",
                option=Option("sampling_fraction", fraction),
                source=File(counts.source, bare=True),
                most=_MOST_PEOPLE,
            )
        return max(counts.rows, round(counts.rows / fraction))
    if size is None:
        return None
    try:
        whole = operator.index(size)
    except TypeError:
        raise InputError(
            "{option} must be a whole number, but got {given}",
            option=Option("population_size"),
            given=repr(size),
        ) from None
    _check_size(counts, whole)
    if whole > _MOST_PEOPLE:
        raise InputError(
            "{option} must be at most {most}, but got {given}",
            option=Option("population_size"), most=_MOST_PEOPLE, given=whole,
        )  # fmt: skip
    return whole


def _check_size(counts: Contingency, people: int, source: str = "") -> None:
    if people < counts.rows:
        raise InputError(
            "{table} has {records}, but the population{where} only {people}: the population must "
            "include everybody in the table",
            table=File(counts.source, bare=True),
            records=number_of(counts.rows, "record", "records"),
            where=Message(" ({source})", source=File(source, bare=True)) if source else "",
            people=number_of(people, "person", "people"),
        )
