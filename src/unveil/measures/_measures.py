"""All measures of one table, or of several side by side, from one grouped count each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Unpack

import pandas as pd
from annotated_types import Ge

from unveil.engine.counting import Contingency, PeopleInEngine
from unveil.errors import Amount, File, InputError, Known, Listed, Message, Option, Region, Text
from unveil.errors import Column as ColumnName
from unveil.findings import Finding, Follows, Story, Table, Value
from unveil.measures._classes import Looking, notes_of, one_pass
from unveil.measures._counted import Counting, Reading, Wildcard, count, count_people, people_of
from unveil.measures._declared import BY_PERSON, CLASSICAL, K_ALL_ROWS, UNICITY, UNIQUE, K, L
from unveil.measures._discernibility import Discernibility, discernibility_looking
from unveil.measures._diversity import AlphaK, AlphaKLooking, LDiversity, LDiversityLooking
from unveil.measures._likeness import (
    BetaLikeness,
    BetaLikenessLooking,
    DeltaDisclosure,
    DeltaDisclosureLooking,
)
from unveil.measures._partitions import Categories
from unveil.measures._persons import PersonMeasures, people_in_engine, person_measures
from unveil.measures._sizes import (
    AverageClassSize,
    ClassSizeLooking,
    KAnonymity,
    KAnonymityLooking,
    Uniqueness,
    UniquenessLooking,
)
from unveil.measures._t_closeness import TCloseness, TClosenessLooking, check_distance
from unveil.measures._table import Measured, numbers_of, table_of
from unveil.measures._texts import sizes_chart
from unveil.measures._whose import not_by_person
from unveil.measures.discrimination._ranking import DiscriminationRates, discrimination_rates
from unveil.measures.discrimination._rate import DiscriminationLooking, DiscriminationRate
from unveil.measures.reidentification._risk import (
    PopulationSize,
    RiskLooking,
    Threshold,
    check_population,
    reidentification_risk,
    size_of_population,
)
from unveil.measures.reidentification._risk_finding import ReidentificationRisk
from unveil.measures.reidentification._unique_subsets import UniqueSubsets, unique_subsets
from unveil.microdata import (
    AnyRelease,
    Hierarchy,
    Microdata,
    Permuted,
    Persons,
    Release,
    check_person,
)
from unveil.options import Help, Knows, Recode, Shell, by_person, checked, refuse_several

_LEFT_OUT = (
    "left out because they need classes that do not overlap: uniqueness, re-identification risk, "
    "discrimination rate, average class size, discernibility"
)
_LISTED = 10  # of the most telling combinations of values
_WORST = 3  # classes that are listed of each kind


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Measures(Finding):
    """All measures of a table.

    Measures that need a sensitive column are None without one. Where classes overlap, because a
    cell matches everything, measures that need each record in one class are None, too.
    """

    entry: ClassVar[str] = "measures"
    follows_from: ClassVar[Follows] = Follows.RELEASE

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
    def numbers(self) -> tuple[Measured, ...]:
        """The numbers of all measures, in one list."""
        return tuple(numbers_of(self))

    @property
    def figures(self) -> tuple[Value, ...]:
        found = {one.figure: one for found in self.findings.values() for one in found.figures}
        # With one row of each person whoever knows all rows knows that one.
        same = {K_ALL_ROWS: found.get(K), UNICITY: found.get(UNIQUE)}
        found |= {figure: replace(one, figure=figure) for figure, one in same.items() if one}
        return tuple(found.get(figure) or figure.of(None) for figure in (*CLASSICAL, *BY_PERSON))

    def to_frame(self) -> pd.DataFrame:
        """One row per number."""
        columns = ["about", "measure", "value", "text", "says"]
        return pd.DataFrame([one[:5] for one in self.numbers], columns=columns)

    @property
    def facts(self) -> Mapping[str, Any]:
        facts = {name: found.facts for name, found in self.findings.items()}
        return {**self.attributes("source keys sensitive"), "measures": facts}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {
            "measures": {
                name: {**found.facts, **found.private_facts}
                for name, found in self.findings.items()
            }
        }

    def story(self, release: Text | None = None) -> Story:
        about = f", sensitive {self.sensitive}" if self.sensitive else ""
        rankings = [one.story(release) for one in self.rankings]
        name = release or self.source
        return Story(
            title=f"Measures of {self.source} by {', '.join(self.keys)}{about}",
            verdict=self._verdict(release),
            sentences=[sentence for one in rankings for sentence in one.about],
            tables=[
                table_of(self.numbers, "" if release is None else release),
                self._worst(),
                *(
                    table if table.title else replace(table, title=one.title)
                    for one in rankings
                    for table in one.tables
                ),
            ],
            charts=[sizes_chart(name, self.k_anonymity.sizes)],
        )

    def _verdict(self, release: Text | None) -> Message:
        k, alone = self.k_anonymity.k, self.k_anonymity.share_below(2)
        values = None if self.l_diversity is None else self.l_diversity.distinct
        said = "{alone} of the records are alone in their class: an attacker who knows the "
        said += "quasi-identifiers finds them."
        if not alone:
            said = "nobody can be told from fewer than {others}"
            if values is None:
                said += "."
            elif values == 1:
                said += ", but in some class all have the same {secret}."
            else:
                said += ", and every class has {values} or more values of {secret}."
            said = said if release is not None else said[0].upper() + said[1:]
        gone = self.k_anonymity.suppressed
        if gone:  # who are in no class
            said += " This is of the records in classes: {gone} of {records:record} "
            said += "is suppressed." if gone == 1 else "are suppressed."
        return Message(
            said if release is None else "Under {release}, " + said,
            release=release, secret=Known(str(self.sensitive)),
            gone=gone, records=self.k_anonymity.records,
            alone=Amount(UNIQUE, alone, UNIQUE.text),
            others=Amount(K, k, _others, ranged=lambda least, _: _others(least)),
            values=Amount(
                L, 0 if values is None else values, "{:,}".format,
                ranged=lambda least, _: f"{least:,.0f}",
            ),
        )  # fmt: skip

    def _worst(self) -> Table:
        """The classes that decide k and ℓ."""
        least = () if self.l_diversity is None else self.l_diversity.deciding.classes
        deciding = {"smallest": self.k_anonymity.deciding.classes, "fewest values": least}
        return Table(
            title="The worst classes",
            says="Those that decide k and ℓ.",
            columns=["why", "records", "published cells"],
            rows=[
                [
                    why,
                    one.records,
                    Region([f"{key}: {text}" for key, text in one.keys.items()], one.records),
                ]
                for why, classes in deciding.items() for one in classes[:_WORST]
            ],
            private=True,
        )  # fmt: skip


def _others(k: float) -> str:
    return "1 other" if k == 2 else f"{k - 1:,.0f} others"


@checked
@by_person
def measures(
    release: Any,
    *,
    knows: Knows = None,
    partition: Categories = None,
    distance: Annotated[
        Any,
        Help(
            "Distance between sensitive values, for t-closeness: 'equal', 'ordered' or "
            "'hierarchical', or a hierarchy. Default: hierarchical if there is a hierarchy, "
            "ordered for numbers and levels, otherwise equal."
        ),
    ] = None,
    l: Annotated[  # noqa: E741  (it is called l everywhere in this field)
        int, Ge(1), Help("The ℓ for which the c of recursive (c, ℓ)-diversity is given."),
        Shell(metavar="L"),
    ] = 2,
    threshold: Threshold = 0.2,
    population: Annotated[
        Any,
        Help(
            "Table of everybody that the records were drawn from, with the same keys. Where the "
            "release is generalized, everybody counts whom its cells cover."
        ),
        Shell(metavar="FILE", path=True),
    ] = None,
    population_size: PopulationSize = None,
    recode: Recode = None,
    key_hierarchies: Mapping[str, Hierarchy] | None = None,
    subsets: Annotated[
        int, Ge(0),
        Help(
            "Also rank all subsets of up to this many keys: which single people out, and which "
            "tell most. Each is counted by itself; 0: none."
        ),
        Shell(metavar="N"),
    ] = 0,
    wildcard: Wildcard = None,
    **counting: Unpack[Reading],
) -> Measures | PersonMeasures:  # fmt: skip
    """All measures of a table, in one pass over its counts.

    Where a person may have several rows, people are counted, and fewer measures are known.

    Parameters
    ----------
    release : Release, Microdata, table in memory, path, Ibis table or counts
        What is measured.
    distance : {"equal", "ordered", "hierarchical"} or Hierarchy, optional
        Ground distance of t-closeness; see `t_closeness`.
    population, population_size, recode, key_hierarchies : optional
        See `reidentification_risk`.
    **counting
        See `count`.

    Returns
    -------
    Measures

    Examples
    --------
    >>> import unveil as uv
    >>> found = uv.measures({"age": ["2*", "2*", "2*", "3*", "3*", "3*"],
    ...                      "salary": [4, 5, 6, 7, 7, 11]}, quasi="age", sensitive="salary")
    >>> found.k_anonymity.k, found.l_diversity.distinct, round(found.t_closeness.t, 3)
    (3, 2, 0.292)
    """
    check_distance(distance)
    check_population(population, population_size, None, recode)
    several: Persons | PeopleInEngine | None = getattr(release, "several", None)
    if counting.get("person") and not isinstance(release, AnyRelease | Microdata | Contingency):
        several = _people_of(release, knows, counting)
        counting = {**counting, "person": False}
        if several.people == several.records:  # one row of each
            several = None
    if several is not None:
        given: dict[str, Any] = {
            "partition": partition, "distance": distance, "population": population,
            "population_size": population_size, "recode": recode, "subsets": subsets,
            "wildcard": wildcard,
        }  # fmt: skip
        if not isinstance(several, PeopleInEngine):
            given |= counting
        for name, one in given.items():
            if one:
                raise not_by_person(name)
        if isinstance(several, PeopleInEngine):
            return people_in_engine(several)
        return person_measures(release, several, knows)
    options: Counting = {**counting, "wildcard": wildcard}
    if knows is not None:
        options["quasi"] = knows
    counts = count(release, **options)
    # Who can be told apart in a permuted release does not depend on its groups.
    people = count_people(release, **options) if isinstance(release, Permuted) else counts
    notes: tuple[Text, ...] = ()
    try:
        lookings = classical(counts, distance=distance, l=l)
    except InputError as error:
        if distance is not None or counts.secret is None:
            raise
        notes = (Message("t-closeness is by equal distance: {error}", error=error.message),)
        lookings = classical(counts, distance="equal", l=l)
    of_people: dict[str, Looking[Finding]] = {"k_anonymity": lookings.pop("k_anonymity")}
    if people is not counts:
        of_people = {"k_anonymity": KAnonymityLooking(people)}
        by = Listed([ColumnName(key) for key in people.keys])
        notes += (Message("who can be told apart is measured by {keys}", keys=by),)
    if not counts.overlapping:
        size = size_of_population(people, population_size)
        of_people |= {
            "uniqueness": UniquenessLooking(people),
            "reidentification_risk": RiskLooking(people, threshold=threshold, population_size=size),
            "average_class_size": ClassSizeLooking(people),
            "discernibility": discernibility_looking(release, people, None),
        }
        if counts.secret is not None:
            lookings["discrimination_rate"] = DiscriminationLooking(counts, listed=_LISTED)
        if partition is not None:
            counts.need_secret("a partition")
            lookings["semantic_discrimination_rate"] = DiscriminationLooking(
                counts, partition=partition, listed=_LISTED
            )
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
            release if isinstance(release, Release) else people,
            population=population,
            threshold=threshold,
            recode=recode,
            key_hierarchies=key_hierarchies,
            **options,
        )
        found["reidentification_risk"] = risk
        notes += tuple(note for note in risk.notes if note not in notes_of(counts))
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
        notes=(*notes_of(counts), *notes, *([_LEFT_OUT] if counts.overlapping else [])),
        **found,
    )


def _people_of(table: Any, knows: str | Sequence[str] | None, reading: Reading) -> PeopleInEngine:
    """The people of a table that is not yet read."""
    quasi = knows or reading.get("quasi")
    if not quasi or not reading.get("sensitive"):
        raise InputError("{person} needs {quasi} and {sensitive}", person=Option("person"),
                         quasi=Option("quasi"), sensitive=Option("sensitive"))  # fmt: skip
    check_person(reading.get("person"))
    own: Reading = {**reading, "quasi": quasi}
    return people_of(table, own)


def _found(counts: Contingency, lookings: dict[str, Looking[Finding]]) -> dict[str, Any]:
    """The findings of one pass, by name."""
    return dict(zip(lookings, one_pass(counts, list(lookings.values())), strict=True))


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

    entry: ClassVar[str] = "measures of several tables"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    tables: dict[str, Measures]

    @property
    def notes(self) -> tuple[Text, ...]:  # type: ignore[override]
        return tuple(
            Message("{name}: {note}", name=File(name, bare=True), note=note)
            for name, found in self.tables.items() for note in found.notes
        )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per number, one column per table."""
        columns = {
            name: {(one.about, one.name): one.value for one in found.numbers}
            for name, found in self.tables.items()
        }
        names = dict.fromkeys(key for numbers in columns.values() for key in numbers)
        frame = pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(list(names)))
        return frame.rename_axis(index=["about", "measure"]).reset_index()

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"tables": {name: found.facts for name, found in self.tables.items()}}

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {
            "tables": {
                name: {**found.facts, **found.private_facts} for name, found in self.tables.items()
            }
        }

    def story(self, release: Text | None = None) -> Story:
        from unveil.render import told_together

        one = next(iter(self.tables.values()))
        about = f", sensitive {one.sensitive}" if one.sensitive else ""
        told = told_together(
            {
                name: found.story(Message("{it}", it=File(name, bare=True)))
                for name, found in self.tables.items()
            }
        )
        title = f"Measures side by side, by {', '.join(one.keys)}{about}"
        return replace(told, title=title)


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
            one = measures(table, **options)
        except InputError as error:
            raise InputError(
                "{table}: {error}", table=File(name, bare=True), error=error.message
            ) from error
        if isinstance(one, PersonMeasures):
            refuse_several("compare_measures", [table])
        else:
            found[name] = one
    return MeasuresComparison(tables=found)
