"""All measures of one table, or of several side by side, from one grouped count each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from unveil.engine.counting import Contingency
from unveil.errors import Column, File, InputError, Listed, Message, Option, Text
from unveil.findings import Finding
from unveil.measures._alpha_k import AlphaK, AlphaKLooking
from unveil.measures._average_class_size import AverageClassSize, ClassSizeLooking
from unveil.measures._beta_likeness import BetaLikeness, BetaLikenessLooking
from unveil.measures._classes import Looking, one_pass, whole_number
from unveil.measures._counted import Counting, count, count_people
from unveil.measures._delta_disclosure import DeltaDisclosure, DeltaDisclosureLooking
from unveil.measures._discernibility import Discernibility, discernibility_looking
from unveil.measures._figures import Figure, figures_of
from unveil.measures._k_anonymity import KAnonymity, KAnonymityLooking
from unveil.measures._l_diversity import LDiversity, LDiversityLooking
from unveil.measures._t_closeness import TCloseness, TClosenessLooking, check_distance
from unveil.measures._texts import class_sizes
from unveil.measures.discrimination._ranking import DiscriminationRates, discrimination_rates
from unveil.measures.discrimination._rate import DiscriminationLooking, DiscriminationRate
from unveil.measures.reidentification._risk import (
    RiskLooking,
    check_mapping,
    check_threshold,
    reidentification_risk,
    size_of_population,
)
from unveil.measures.reidentification._risk_finding import ReidentificationRisk
from unveil.measures.reidentification._unique_subsets import UniqueSubsets, unique_subsets
from unveil.measures.reidentification._uniqueness import Uniqueness, UniquenessLooking
from unveil.microdata import Hierarchy, Mapped, Permuted, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Measures", "MeasuresComparison", "classical", "compare_measures", "measures"]

_LEFT_OUT = (
    "left out because they need classes that do not overlap: uniqueness, re-identification risk, "
    "discrimination rate, average class size, discernibility"
)
_LISTED = 10  # of the most telling combinations of values


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Measures(Finding):
    """All measures of a table.

    Measures that need a sensitive column are None without one. Where classes overlap, because a
    cell matches everything, measures that need each record in one class are None, too.
    """

    source: str
    keys: tuple[str, ...]
    sensitive: str | None
    notes: tuple[Text, ...]
    k_anonymity: KAnonymity
    uniqueness: Uniqueness | None = None
    alpha_k: AlphaK | None = None
    l_diversity: LDiversity | None = None
    t_closeness: TCloseness | None = None
    beta_likeness: BetaLikeness | None = None
    delta_disclosure: DeltaDisclosure | None = None
    reidentification_risk: ReidentificationRisk | None = None
    discrimination_rate: DiscriminationRate | None = None
    semantic_discrimination_rate: DiscriminationRate | None = None
    average_class_size: AverageClassSize | None = None
    discernibility: Discernibility | None = None
    unique_subsets: UniqueSubsets | None = None
    discrimination_rates: DiscriminationRates | None = None

    @cached_property
    def findings(self) -> dict[str, Finding]:
        """The findings, by the name of their measure."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: found for name, found in named.items() if isinstance(found, Finding)}

    @property
    def rankings(self) -> list[UniqueSubsets | DiscriminationRates]:
        """The ranked subsets of the keys, if they were asked for."""
        return [one for one in (self.unique_subsets, self.discrimination_rates) if one is not None]

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The numbers that matter, in one list."""
        return tuple(figure for found in self.findings.values() for figure in figures_of(found))

    def to_frame(self) -> pd.DataFrame:
        """One row per number."""
        import pandas as pd

        rows = [(one.group, one.name, one.value, one.text, one.says) for one in self.figures]
        return pd.DataFrame(rows, columns=["about", "measure", "value", "text", "says"])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of records in classes up to a size (needs matplotlib)."""
        return class_sizes({self.source: self.k_anonymity.sizes}, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "measures",
            "source": self.source,
            "keys": list(self.keys),
            "sensitive": self.sensitive,
            "notes": [str(note) for note in self.notes],
            "measures": {
                name: found.content(records=records) for name, found in self.findings.items()
            },
        }

    def summary(self) -> str:
        about = f", sensitive {self.sensitive}" if self.sensitive else ""
        lines = [f"Measures of {self.source} by {', '.join(self.keys)}{about}"]
        name = max(len(figure.name) for figure in self.figures)
        text = max(len(figure.text) for figure in self.figures)
        lines += [
            f"  {figure.name:{name}}  {figure.text:>{text}}  {figure.says}".rstrip()
            for figure in self.figures
        ]
        for ranking in self.rankings:
            lines += ranking.summary().splitlines()
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])


def measures(
    table: Any,
    *,
    partition: Any = None,
    distance: str | Hierarchy | None = None,
    l: int = 2,  # noqa: E741  (it is called l everywhere in this field)
    threshold: float = 0.2,
    population: Any = None,
    population_size: int | None = None,
    mapping: Mapped = None,
    key_hierarchies: Mapping[str, Hierarchy] | None = None,
    subsets: int = 0,
    **counting: Unpack[Counting],
) -> Measures:
    """All measures of a table, in one pass over its counts.

    Parameters
    ----------
    table : Release, Microdata, table in memory, path, Ibis table or counts
    partition : optional
        Categories of the sensitive column, for the semantic discrimination rate; see
        `discrimination_rate`.
    distance : {"equal", "ordered", "hierarchical"} or Hierarchy, optional
        Ground distance of t-closeness.
    l : int
        The ℓ for which the c of recursive (c, ℓ)-diversity is given.
    threshold : float
        Re-identification risk above which records are counted.
    population, population_size, mapping, key_hierarchies : optional
        See `reidentification_risk`.
    subsets : int
        Also rank all subsets of up to this many keys, by the people they single out and by what
        they say of the sensitive column. Each is counted by itself; 0: none.
    **counting
        See `count`.

    Examples
    --------
    >>> import unveil as uv
    >>> found = uv.measures({"age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    ...                      "salary": [4, 5, 6, 7, 7, 11]}, quasi="age", sensitive="salary")
    >>> found.k_anonymity.k, found.l_diversity.distinct, round(found.t_closeness.t, 3)
    (3, 2, 0.292)
    """
    check_threshold(threshold)
    check_distance(distance)
    if population is not None and population_size is not None:
        raise InputError(
            "give {people} or {size}, not both: each says what the population is",
            people=Option("population"),
            size=Option("population_size"),
        )
    check_mapping(mapping, population)
    whole_number(subsets, "subsets", 0)
    counts = count(table, **counting)
    # Who can be told apart in a permuted release does not depend on its groups.
    people = count_people(table, **counting) if isinstance(table, Permuted) else counts
    lookings, notes = _classical(counts, distance, l)
    of_people: dict[str, Looking[Finding]] = {"k_anonymity": lookings.pop("k_anonymity")}
    if people is not counts:
        of_people = {"k_anonymity": KAnonymityLooking(people)}
        by = Listed([Column(key) for key in people.keys])
        notes = (*notes, Message("who can be told apart is measured by {keys}", keys=by))
    if not counts.overlapping:
        size = size_of_population(people, population_size)
        of_people |= _of_people_apart(table, people, threshold, size)
        lookings |= _of_secrets_apart(counts, partition)
    elif partition is not None or population is not None or population_size is not None:
        raise InputError(
            "{partition} and a population need classes that do not overlap: leave out {wildcard}",
            partition=Option("partition"),
            wildcard=Option("wildcard"),
        )
    if people is counts:
        found = _found(counts, of_people | lookings)
    else:
        found = _found(people, of_people) | _found(counts, lookings)
    if population is not None:
        risk = reidentification_risk(
            # A release knows what its cells cover; counts do not.
            table if isinstance(table, Release) else people,
            population=population,
            threshold=threshold,
            mapping=mapping,
            key_hierarchies=key_hierarchies,
            **counting,
        )
        found["reidentification_risk"] = risk
        notes += tuple(note for note in risk.notes if note not in counts.notes)
    if subsets:
        found["unique_subsets"] = unique_subsets(people, at_most=subsets)
        if counts.secret is not None and not counts.overlapping:
            found["discrimination_rates"] = discrimination_rates(
                counts, at_most=subsets, partition=partition
            )
    return Measures(
        source=counts.source,
        keys=counts.keys,
        sensitive=None if counts.secret is None else counts.secret.name,
        notes=(*counts.notes, *notes, *([_LEFT_OUT] if counts.overlapping else [])),
        **found,
    )


def _classical(
    counts: Contingency,
    distance: str | Hierarchy | None,
    l: int,  # noqa: E741
) -> tuple[dict[str, Looking[Finding]], tuple[Text, ...]]:
    """The classical measures; t-closeness by equal distance if its default is not applicable."""
    try:
        return classical(counts, distance=distance, l=l), ()
    except InputError as error:
        if distance is not None or counts.secret is None:
            raise
        note = Message("t-closeness is by equal distance: {error}", error=error.message)
        return classical(counts, distance="equal", l=l), (note,)


def _found(counts: Contingency, lookings: dict[str, Looking[Finding]]) -> dict[str, Any]:
    """The findings of one pass, by name."""
    return dict(zip(lookings, one_pass(counts, list(lookings.values())), strict=True))


def _of_people_apart(
    table: Any, counts: Contingency, threshold: float, population_size: int | None
) -> dict[str, Looking[Finding]]:
    """The measures of class sizes that need each record in one class."""
    return {
        "uniqueness": UniquenessLooking(counts),
        "reidentification_risk": RiskLooking(
            counts, threshold=threshold, population_size=population_size
        ),
        "average_class_size": ClassSizeLooking(counts),
        "discernibility": discernibility_looking(table, counts, None),
    }


def _of_secrets_apart(counts: Contingency, partition: Any) -> dict[str, Looking[Finding]]:
    """The measures of sensitive values that need each record in one class."""
    lookings: dict[str, Looking[Finding]] = {}
    if counts.secret is not None:
        lookings["discrimination_rate"] = DiscriminationLooking(counts, listed=_LISTED)
        if partition is not None:
            lookings["semantic_discrimination_rate"] = DiscriminationLooking(
                counts, partition=partition, listed=_LISTED
            )
    elif partition is not None:
        raise InputError(
            "{partition} needs a sensitive column: name it with {sensitive}",
            partition=Option("partition"),
            sensitive=Option("sensitive"),
        )
    return lookings


def classical(
    counts: Contingency,
    *,
    distance: str | Hierarchy | None = None,
    l: int = 2,  # noqa: E741  (it is called l everywhere in this field)
) -> dict[str, Looking[Finding]]:
    """All classical measures that the counts allow, ready to look at the classes.

    Without a sensitive column that is only k-anonymity.

    >>> import unveil as uv
    >>> from unveil.measures._classes import one_pass
    >>> from unveil.measures._measures import classical
    >>> counts = uv.count(uv.read_table({"age": [1, 1, 2, 2], "vote": ["a", "b", "a", "b"]},
    ...                              quasi=["age"], sensitive="vote"))
    >>> lookings = classical(counts)
    >>> findings = dict(zip(lookings, one_pass(counts, list(lookings.values()))))
    >>> list(findings)
    ['k_anonymity', 'alpha_k', 'l_diversity', 't_closeness', 'beta_likeness', 'delta_disclosure']
    >>> findings["k_anonymity"].k, findings["t_closeness"].t
    (2, 0.0)
    """
    lookings: dict[str, Looking[Finding]] = {"k_anonymity": KAnonymityLooking(counts)}
    if counts.secret is not None:
        lookings["alpha_k"] = AlphaKLooking(counts)
        lookings["l_diversity"] = LDiversityLooking(counts, l=l)
        lookings["t_closeness"] = TClosenessLooking(counts, distance=distance)
        lookings["beta_likeness"] = BetaLikenessLooking(counts)
        lookings["delta_disclosure"] = DeltaDisclosureLooking(counts)
    return lookings


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasuresComparison(Finding):
    """The measures of several tables side by side.

    Attributes
    ----------
    tables : dict of str to Measures
        By name.
    """

    tables: dict[str, Measures]

    def to_frame(self) -> pd.DataFrame:
        """One row per number, one column per table."""
        import pandas as pd

        columns = {
            name: {(f.group, f.name): f.value for f in found.figures}
            for name, found in self.tables.items()
        }
        frame = pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(self._names))
        return frame.rename_axis(index=["about", "measure"]).reset_index()

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """The numbers that any table has, in their order."""
        each = (f for found in self.tables.values() for f in found.figures)
        return list(dict.fromkeys((figure.group, figure.name) for figure in each))

    def rows(self) -> list[tuple[str, dict[str, str], str]]:
        """For each number its name, its text for each table, and what it says."""
        shown = {
            name: {(f.group, f.name): f for f in found.figures}
            for name, found in self.tables.items()
        }
        rows = []
        for key in self._names:
            there = {name: figures[key] for name, figures in shown.items() if key in figures}
            texts = {name: there[name].text if name in there else "" for name in self.tables}
            rows.append((key[1], texts, next(iter(there.values())).says))
        return rows

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of records in classes up to a size (needs matplotlib)."""
        return class_sizes({name: one.k_anonymity.sizes for name, one in self.tables.items()}, ax)

    def content(self, *, records: bool) -> dict[str, Any]:
        return {
            "finding": "measures of several tables",
            "tables": {name: found.content(records=records) for name, found in self.tables.items()},
        }

    def summary(self) -> str:
        head = ["", *self.tables]
        rows = self.rows()
        body = [[name, *texts.values()] for name, texts, _ in rows]
        widths = [max(len(row[i]) for row in [head, *body]) for i in range(len(head))]
        one = next(iter(self.tables.values()))
        about = f", sensitive {one.sensitive}" if one.sensitive else ""
        lines = [f"Measures side by side, by {', '.join(one.keys)}{about}"]
        for (first, *rest), says in zip(
            [head, *body], ["", *(row[2] for row in rows)], strict=True
        ):
            cells = "  ".join(text.rjust(w) for text, w in zip(rest, widths[1:], strict=True))
            lines.append(f"  {first:{widths[0]}}  {cells}  {says}".rstrip())
        for name, found in self.tables.items():
            lines += [
                f"{name}: {line}" if place == 0 else line
                for ranking in found.rankings
                for place, line in enumerate(ranking.summary().splitlines())
            ]
        noted = [(name, note) for name, found in self.tables.items() for note in found.notes]
        return "\n".join([*lines, *(f"  Note on {name}: {note}" for name, note in noted)])


def compare_measures(tables: Mapping[str, Any], **options: Any) -> MeasuresComparison:
    """The measures of several releases side by side.

    Parameters
    ----------
    tables : mapping of str to what `measures` takes
        The releases by name.
    **options
        Those of `measures`, for all releases.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> found = uv.compare_measures({f"k={k}": uv.Mondrian(k=k).sanitize(survey) for k in (2, 8)})
    >>> [found.tables[name].k_anonymity.k for name in found.tables]
    [2, 8]
    """
    if not isinstance(tables, Mapping):
        raise InputError(
            "the tables to compare must be given by name, such as {example}, but got a {kind}",
            example="{'k=5': a, 'k=10': b}",
            kind=type(tables).__name__,
        )
    if not tables:
        raise InputError("there is nothing to compare: give at least one table")
    found = {}
    for name, table in tables.items():
        try:
            found[name] = measures(table, **options)
        except InputError as error:
            raise InputError(
                "{table}: {error}", table=File(name, bare=True), error=error.message
            ) from error
    return MeasuresComparison(tables=found)
