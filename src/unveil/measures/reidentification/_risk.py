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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from annotated_types import Ge, Gt, Le

from unveil.engine.counting import (
    Contingency,
    Held,
    InEngine,
    PeopleHeld,
    PeopleOfClasses,
    opened,
)
from unveil.errors import File, InputError, Listed, Message, Option, Text
from unveil.measures._classes import (
    ClassSizes,
    Deciding,
    DecidingClass,
    Extreme,
    SizeLooking,
    check_apart,
    measured,
    notes_of,
)
from unveil.measures._counted import Counting, count
from unveil.measures._whose import people_by_class
from unveil.measures.reidentification._matched import (
    PairedSizes,
    Said,
    check_pairs,
    covered_people,
    pair_of,
    paired,
)
from unveil.measures.reidentification._population import population_model, population_uniques
from unveil.measures.reidentification._risk_finding import (
    ESTIMATE,
    EXACT,
    UPPER_BOUND,
    AttackerRisk,
    PopulationEstimate,
    ReidentificationRisk,
)
from unveil.microdata import (
    AnyRelease,
    Hierarchy,
    Microdata,
    Release,
    checked_mapping,
    refuse_perturbed,
)
from unveil.options import Help, Recode, Shell, by_person, checked

_EVERYBODY = 2.0**53  # no class is as large; beyond it floats skip whole numbers
_MOST_PEOPLE = 10**12  # beyond, logarithms of factorials are too coarse for the estimates

Threshold = Annotated[
    float, Gt(0), Le(1), Help("Re-identification risk above which records are counted."),
    Shell(metavar="RISK"),
]  # fmt: skip
PopulationSize = Annotated[
    int | None, Ge(1), Le(_MOST_PEOPLE),
    Help("Number of people that the records were drawn from, for an estimate."),
    Shell(metavar="N"),
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _ClassInPopulation(DecidingClass):
    """A class, and the number of people in the population who match it."""

    people: int

    @property
    def _size(self) -> str:
        return f"{super()._size}, {self.people:,} in the population"

    def to_dict(self) -> dict[str, Any]:
        found = super().to_dict()
        return {"population": found.pop("people"), **found}


class _Smallest(Extreme):
    """Looks for the classes with the fewest records, or people who match them."""

    def _described(self, block: PairedSizes, g: int) -> DecidingClass:
        return _ClassInPopulation(
            keys=self._keys(block, g), records=int(block.records[g]), counts={},
            people=int(block.people[g]),
        )  # fmt: skip


class RiskLooking(SizeLooking):
    """Re-identification risk from the classes alone, or with an estimated population."""

    apart = "re-identification risk"

    def __init__(
        self, counts: Contingency, *, threshold: float = 0.2, population_size: int | None = None,
        estimator: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(counts)
        self._threshold = threshold
        self._population, self._estimator = population_size, estimator

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self._sizes.classes

    def finding(self) -> ReidentificationRisk:
        smallest = self._extreme.deciding()
        most = _prosecutor(self._sizes, self._threshold, smallest)
        if self._population is None:  # the others' risk is at most the prosecutor's
            journalist = replace(most, name="journalist", basis=UPPER_BOUND)
            return _risk(self._counts, self._sizes, self._threshold, most, journalist, most.average)
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
            deciding=smallest,
        )
        estimate = PopulationEstimate(
            model=model,
            alone_in_both=found.alone * float(model.at_most(1, np.array([1]))[0]),
            uniques=population_uniques(found, self._population),
        )
        return _risk(
            self._counts, found, self._threshold, most, journalist, of_records,
            population_size=self._population, estimate=estimate,
        )  # fmt: skip


def _risk(
    counts: Contingency, found: ClassSizes, threshold: float, prosecutor: AttackerRisk,
    journalist: AttackerRisk, of_records: float, notes: tuple[Text, ...] = (), **population: Any,
) -> ReidentificationRisk:  # fmt: skip
    """The finding; the marketer is right about the share ``of_records`` of all records."""
    return ReidentificationRisk(
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=AttackerRisk(name="marketer", basis=journalist.basis, average=of_records),
        records=found.records,
        suppressed=counts.suppressed,
        classes=found.classes,
        keys=counts.keys,
        threshold=threshold,
        source=counts.source,
        notes=(*notes_of(counts), *notes),
        **population,
    )


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
    check_apart(counts, RiskLooking.apart)
    # Records by how many people match them: whole numbers, so that it does not matter how the
    # pairs are cut into blocks.
    found, matched = ClassSizes(), ClassSizes()
    smallest, fewest = _Smallest(counts, least=True), _Smallest(counts, least=True)
    people = 0
    for block in pairs:
        check_pairs(block, counts)
        found.look(block.records, block.weights)
        matched.look(block.people, block.weights * block.records)
        smallest.look(block, block.records)
        fewest.look(block, block.people)
        people += int((block.weights * block.people).sum())
    n, too_small = found.records, _too_few(threshold)
    of_records = math.fsum(held / people for people, held in matched.by_size.items()) / n
    journalist = AttackerRisk(
        name="journalist",
        basis=EXACT,
        highest=1 / matched.smallest,
        average=max(of_records, found.classes / people),
        over=sum(held for people, held in matched.by_size.items() if people <= too_small) / n,
        deciding=fewest.deciding(),
    )
    prosecutor = _prosecutor(found, threshold, smallest.deciding())
    return _risk(
        counts, found, threshold, prosecutor, journalist, of_records, notes,
        population_size=population_size, k_map=matched.smallest, alone_in_both=matched.alone,
    )  # fmt: skip


def _risk_of_people(counts: PeopleHeld | PeopleOfClasses, threshold: float) -> ReidentificationRisk:
    """The risk where a person may have several rows: 1 over the people found by the worst row."""
    found, looking = counts.one_row, RiskLooking(counts, threshold=threshold)
    smallest = measured(counts, looking).prosecutor.deciding
    people, few = sum(found.values()), _too_few(threshold)
    prosecutor = AttackerRisk(
        name="prosecutor", basis=EXACT, highest=1 / min(found),
        average=math.fsum(number / size for size, number in found.items()) / people,
        over=sum(number for size, number in found.items() if size <= few) / people,
        deciding=smallest,
    )  # fmt: skip
    bound = replace(prosecutor, name="journalist", basis=UPPER_BOUND)
    return ReidentificationRisk(
        prosecutor=prosecutor, journalist=bound,
        marketer=AttackerRisk(name="marketer", basis=UPPER_BOUND, average=prosecutor.average),
        records=people, unit=counts.unit, suppressed=counts.suppressed,
        classes=looking.classes, keys=counts.keys, threshold=threshold, source=counts.source,
        notes=notes_of(counts),
    )  # fmt: skip


def _prosecutor(found: ClassSizes, threshold: float, deciding: Deciding) -> AttackerRisk:
    return AttackerRisk(
        name="prosecutor",
        basis=EXACT,
        highest=1 / found.smallest,
        average=found.classes / found.records,
        over=found.in_classes_up_to(_too_few(threshold)) / found.records,
        deciding=deciding,
    )


def _too_few(threshold: float) -> int:
    """The largest m with 1 / m above the threshold.

    >>> _too_few(0.2), _too_few(0.21), _too_few(0.05), _too_few(1.0)
    (4, 4, 19, 0)
    """
    people = int(min(1 / threshold, _EVERYBODY)) + 1
    while people > 0 and not 1 / people > threshold:
        people -= 1
    return people


@checked
@by_person
def reidentification_risk(
    table: Any,
    *,
    population: Any = None,
    population_size: PopulationSize = None,
    sampling_fraction: Annotated[float | None, Gt(0), Le(1)] = None,
    threshold: Threshold = 0.2,
    estimator: Literal["pitman", "benedetti-franconi"] | None = None,
    recode: Recode = None,
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
        See `count`. Where a person may have several rows (``person="patient"``), the risk of a
        person is that of the row that tells most, and there is no population.

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
    check_population(population, population_size, sampling_fraction, recode)
    if estimator is not None and population_size is None and sampling_fraction is None:
        raise InputError(
            "{estimator} needs the size of a population: give {size} or {fraction}",
            estimator=Option("estimator", estimator),
            size=Option("population_size"),
            fraction=Option("sampling_fraction"),
        )
    own: Counting = {**counting}
    if isinstance(table, Contingency):  # it is the population's
        own.pop("count", None)
    counts = people_by_class(table, **own)
    if isinstance(counts, PeopleHeld | PeopleOfClasses):
        _refuse_population(population=population, population_size=population_size,
                           sampling_fraction=sampling_fraction)  # fmt: skip
        return _risk_of_people(counts, threshold)
    if population is not None:
        said = checked_mapping(recode, counts.keys)
        pairs, size, notes = _paired(
            table, counts, population, said, key_hierarchies or {}, counting
        )
        return risk_in_population(
            counts, pairs, threshold=threshold, population_size=size, notes=notes
        )
    people = size_of_population(counts, population_size, sampling_fraction)
    looking = RiskLooking(counts, threshold=threshold, population_size=people, estimator=estimator)
    return measured(counts, looking)


def _paired(
    table: Any,
    counts: Contingency,
    population: Any,
    mapping: Said,
    trees: Mapping[str, Hierarchy],
    counting: Counting,
) -> tuple[Iterable[PairedSizes], int, tuple[Text, ...]]:
    """The classes with the people who match them, the number of all people, and notes."""
    if isinstance(table, Release) and isinstance(population, Microdata):
        assert isinstance(counts, Held)
        refuse_perturbed(table, table.quasi, "re-identification risk with a population")
        _check_size(counts, len(population), population.source)
        shown = counts.shown
        people = covered_people(shown, table, population, mapping)
        return [pair_of(shown, people)], len(population), ()
    # Both tables must be in one place to be matched.
    engine = counts.connection if isinstance(counts, InEngine) else counting.get("engine", "duckdb")
    try:
        there = count(
            population,
            quasi=counts.keys,
            engine=engine,
            memory=counting.get("memory"),
            encoding=counting.get("encoding"),
            count=_count_of(population, counts.keys, counting),
            forms=_forms_of(population, counts.keys, counting),
        )
    except InputError as error:
        raise InputError("population: {error}", error=error.message) from error
    _check_size(counts, there.rows, there.source)
    pairs, notes = paired(counts.shown, there, mapping, trees)
    return pairs, there.rows, notes


def _forms_of(population: Any, keys: Sequence[str], counting: Counting) -> Mapping[str, str] | None:
    """The declared forms of keys, where the population is written alike; else they are detected."""
    forms = {name: form for name, form in (counting.get("forms") or {}).items() if name in keys}
    if not forms or isinstance(population, Contingency | Microdata | AnyRelease):
        return None
    try:
        count(population, quasi=keys, encoding=counting.get("encoding"), count=False, forms=forms)
    except InputError:
        return None
    return forms


def _count_of(
    population: Any, keys: Sequence[str], counting: Counting
) -> str | Literal[False] | None:
    """The column with numbers of people, if the population is a table that has it."""
    count = counting.get("count")
    if not count or isinstance(population, Contingency | Microdata | AnyRelease):
        return None
    encoding = counting.get("encoding")
    there = opened(population, keys, engine="duckdb", memory=None, encoding=encoding)
    return count if count in there.others else None


def check_population(population: Any, size: Any, fraction: Any, recode: Any) -> None:
    """Refuse several answers to what the population is, and other names for values of none."""
    options = {"population": population, "population_size": size, "sampling_fraction": fraction}
    said = [Option(name) for name, given in options.items() if given is not None]
    if len(said) > 1:
        raise InputError(
            "give {options}, not both: each says what the population is",
            options=Listed(said, "or"),
        )
    if recode is not None and population is None:
        raise InputError(
            "{recode} is for the values of a population: give {population}",
            recode=Option("recode"),
            population=Option("population"),
        )


def _refuse_population(**given: Any) -> None:
    """Refuse a population where a person may have several rows.

    All of its models take people who are in one class each.
    """
    for name, one in given.items():
        if one is not None:
            raise InputError(
                "{option} is for tables with one row per person: people with several rows are in "
                "several classes, and so are those of the population. Leave it out, and the risk "
                "is the prosecutor's, which is the highest; or give a table with one row per "
                "person, such as the latest of each",
                option=Option(name),
            )  # fmt: skip


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
    if size is not None:
        _check_size(counts, size)
    return None if size is None else int(size)


def _check_size(counts: Contingency, people: int, source: str = "") -> None:
    if people < counts.rows:
        raise InputError(
            "{table} has {records:record}, but the population{where} only {people:person}: the "
            "population must include everybody in the table",
            table=File(counts.source, bare=True),
            records=counts.rows,
            where=Message(" ({source})", source=File(source, bare=True)) if source else "",
            people=people,
        )
