"""Re-identification risk of a table, with a population, its size, or neither."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Mapping
from typing import Any, Unpack, cast

from unveil.engine.counting import Contingency, Held, InEngine
from unveil.errors import InputError, did_you_mean
from unveil.measures._counted import Counting, count, count_people
from unveil.measures._one_pass import one_pass
from unveil.measures.reidentification._covered import Said, covered_people
from unveil.measures.reidentification._finding import ReidentificationRisk
from unveil.measures.reidentification._pairs import pair_of, paired
from unveil.measures.reidentification._population_model import ESTIMATORS
from unveil.measures.reidentification._risk import RiskLooking, risk_in_population
from unveil.measures.reidentification._texts import number_of
from unveil.microdata import (
    Hierarchy,
    Mapped,
    Microdata,
    Release,
    checked_mapping,
    refuse_perturbed,
)

__all__ = ["check_threshold", "reidentification_risk", "size_of_population"]

_MOST_PEOPLE = 10**12
"""Beyond, logarithms of factorials are too large to tell the estimates apart."""


def reidentification_risk(
    table: Any,
    *,
    population: Any = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    threshold: float = 0.2,
    estimator: str | None = None,
    mapping: Mapped = None,
    key_hierarchies: Mapping[str, Hierarchy] | None = None,
    **counting: Unpack[Counting],
) -> ReidentificationRisk:
    """How well a prosecutor, a journalist and a marketer re-identify records.

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    population : the same, optional
        The people among whom those of the table are, with the same keys: for an exact answer.
        People and records are matched by what is written in the keys. Where the table has
        something that is nobody's in the population, or is a release and the population
        microdata, its keys are cells, and everybody counts whom a class's cells cover.
    population_size : int, optional
        How many people there are, if nobody has their table: for an estimate.
    sampling_fraction : float, optional
        The share of them that the table has, instead.
    threshold : float
        The highest risk that is acceptable, above 0 and at most 1.
    estimator : {"pitman", "benedetti-franconi"}, optional
        How the people behind a class are estimated; by default by Pitman's sampling formula.
    mapping : mapping of str to mapping, optional
        For each key, what values of the population are called in the table:
        ``{"sex": {"M": "Male"}}``.
    key_hierarchies : mapping of str to Hierarchy, optional
        The hierarchies of keys, if the table has nodes of them for the population's values.
        Microdata and releases have their own.
    **counting
        How the table is counted: quasi, engine, …

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.measures.reidentification import reidentification_risk
    >>> people = uv.read_table(
    ...     {"age": [28, 28, 28, 36, 36, 47, 53, 53], "gender": list("MMMFFFMM"),
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu", "Flu", "Cancer", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> reidentification_risk(people.take([0, 3, 4]), population=people)
    Re-identification risk of table: 3 records in 2 classes of age, gender
      attacker    highest  average  records over 20%
      prosecutor     100%    66.7%              100%
      journalist      50%    44.4%              100%
      marketer          –    44.4%                 –
      smallest: age=28, gender=M (1 record, 3 in the population)
      k-map: 2 of 8 people, for age=36, gender=F (2 records, 2 in the population)
      alone in the population: 0 records
    """
    _check_options(population, population_size, sampling_fraction, threshold, estimator)
    if mapping is not None and population is None:
        raise InputError("mapping= says what the values of a population are called: give one")
    counts = count_people(table, **counting)
    if population is not None:
        said = checked_mapping(mapping, counts.keys)
        trees = key_hierarchies or {}
        return _in_population(table, counts, population, said, trees, threshold, counting)
    size = size_of_population(counts, population_size, sampling_fraction)
    looking = RiskLooking(counts, threshold=threshold, population_size=size, estimator=estimator)
    return cast(ReidentificationRisk, one_pass(counts, [looking])[0])


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
            # What is to be matched has to be in one place.
            engine=counts.connection
            if isinstance(counts, InEngine)
            else counting.get("engine", "duckdb"),
            memory=counting.get("memory"),
            encoding=counting.get("encoding", "utf-8"),
        )
    except InputError as error:
        raise InputError(f"population: {error}") from error
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
        raise InputError(f"give {' or '.join(said)}, not both: each says what the population is")
    if estimator is not None and estimator not in ESTIMATORS:
        raise InputError(
            f"estimator must be one of {', '.join(ESTIMATORS)}, but got {estimator!r}"
            f"{did_you_mean(str(estimator), ESTIMATORS)}"
        )
    if estimator is not None and said not in (["population_size"], ["sampling_fraction"]):
        raise InputError(
            f"estimator={estimator!r} estimates from the size of a population: give "
            "population_size= or sampling_fraction="
        )
    if fraction is not None and not _is_share(fraction):
        raise InputError(
            f"sampling_fraction must be above 0 and at most 1, but got {fraction!r}: it is the "
            "share of the population that the table has"
        )


def _is_share(given: Any) -> bool:
    """Whether it is a number above 0 and at most 1."""
    return isinstance(given, numbers.Real) and 0 < float(given) <= 1


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that is no risk."""
    if not _is_share(threshold):
        raise InputError(
            f"threshold must be above 0 and at most 1, but got {threshold!r}: it is a probability, "
            "such as 0.2 for one in five"
        )


def size_of_population(
    counts: Contingency, size: int | None, fraction: float | None = None
) -> int | None:
    """The size of the population as it was said; None if it was not."""
    if fraction is not None:
        if counts.rows / fraction > _MOST_PEOPLE:
            raise InputError(
                f"sampling_fraction={fraction!r} makes {counts.source} a part of more than "
                f"{_MOST_PEOPLE:,} people: it is the share of the population that the table has"
            )
        return max(counts.rows, round(counts.rows / fraction))
    if size is None:
        return None
    try:
        whole = operator.index(size)
    except TypeError:
        raise InputError(f"population_size must be a whole number, but got {size!r}") from None
    _check_size(counts, whole)
    if whole > _MOST_PEOPLE:
        raise InputError(f"population_size must be at most {_MOST_PEOPLE:,}, but got {size!r}")
    return whole


def _check_size(counts: Contingency, people: int, source: str = "") -> None:
    if people < counts.rows:
        where = f" ({source})" if source else ""
        raise InputError(
            f"{counts.source} has {number_of(counts.rows, 'record', 'records')} and the "
            f"population{where} only {number_of(people, 'person', 'people')}: the population has "
            "everybody in the table, and more"
        )
