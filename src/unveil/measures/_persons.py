"""Who can be told apart where a person may have several rows: visits, claims, waves of a panel.

What an attacker knows of a person decides among how many people they are looked for:

- *one row*: the people in the class of one of the person's rows; the worst row counts. This is k.
- *m rows*: the people who have rows in the classes of m of the person's rows, as many in each. The
  share of people for whom that is nobody else, over m, is the unicity curve: Y.-A. de Montjoye,
  C. A. Hidalgo, M. Verleysen and V. D. Blondel, *Unique in the Crowd: The privacy bounds of human
  mobility*, Scientific Reports 3, 2013.
- *all rows*: the people whose rows are in the same classes, as many in each.

In a class all people weigh the same: one of c rows there adds 1/c for each. With one row per person
all of these are the ordinary measures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil.engine.counting import Members, PeopleHeld, PeopleInEngine, Weighed
from unveil.errors import Amount, File, InputError, Known, Message, Text
from unveil.findings import Axis, Chart, Finding, Follows, Series, Story, Table, Value
from unveil.measures._classes import Looking, one_pass
from unveil.measures._declared import (
    ALPHA,
    BETA,
    CLASSICAL,
    K_ALL_ROWS,
    L_ENTROPY,
    MEAN_CLASS,
    PROSECUTOR,
    PROSECUTOR_MEAN,
    UNICITY,
    UNIQUE,
    K,
    L,
    T,
)
from unveil.measures._diversity import AlphaKLooking, LDiversityLooking
from unveil.measures._likeness import BetaLikenessLooking
from unveil.measures._t_closeness import TClosenessLooking
from unveil.measures._texts import sizes_chart
from unveil.measures._unicity import DRAWN, POINTS, Unicity, some_rows, unicity
from unveil.measures._whose import people_held
from unveil.microdata import AnyRelease, Microdata, Persons


@dataclass(frozen=True, eq=False)
class Among:
    """Among how many people somebody is found.

    Attributes
    ----------
    people : dict of int to int
        How many people are found among each number of people; these ascend.
    each : array, optional
        The number for each person who has a row in a class, where they are in memory.

    Examples
    --------
    >>> among = Among.of(np.array([1, 4, 4, 4, 4]))
    >>> among.people, among.fewest, among.alone, among.risk
    ({1: 1, 4: 4}, 1, 0.2, 0.4)
    """

    people: Mapping[int, int]
    each: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, each: NDArray[np.int64]) -> Among:
        """From the number for each person."""
        sizes, people = np.unique(each, return_counts=True)
        return cls(dict(zip(sizes.tolist(), people.tolist(), strict=True)), each)

    @property
    def fewest(self) -> int:
        """The fewest people among whom somebody is found."""
        return min(self.people)

    @property
    def alone(self) -> float:
        """The share of people who are found among nobody else."""
        return self.people.get(1, 0) / sum(self.people.values())

    @property
    def risk(self) -> float:
        """The probability that an attacker picks the right person, on average over all people."""
        right = math.fsum(n / size for size, n in self.people.items())
        return right / sum(self.people.values())


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PersonMeasures(Finding):
    """Among how many people somebody is hidden, where a person may have several rows.

    Attributes
    ----------
    source : str
    keys : tuple of str
    sensitive : str
    records, people : int
        Published rows, and the people whose they are.
    suppressed : int
        Rows among them that form no class.
    one_row : Among
        Among how many people those who have a row in a class are found by the row that tells most.
    all_rows : Among
        The same by all rows.
    unicity : tuple of Unicity
        The curve.
    sizes : dict of int to int
        Number of classes of each number of people.
    secrets : dict of str to Value
        The figures of classes by sensitive value.
    """

    entry: ClassVar[str] = "measures"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    source: str
    keys: tuple[str, ...]
    sensitive: str
    records: int
    people: int
    suppressed: int
    one_row: Among
    all_rows: Among
    unicity: tuple[Unicity, ...]
    sizes: Mapping[int, int]
    secrets: Mapping[str, Value]
    notes: tuple[Text, ...] = ()

    @property
    def k(self) -> int:
        """The fewest people among whom somebody is found by one of their rows."""
        return self.one_row.fewest

    @property
    def k_all_rows(self) -> int:
        """The same by all rows."""
        return self.all_rows.fewest

    @property
    def figures(self) -> tuple[Value, ...]:
        low, high = self.unicity[-1].interval
        own = {
            K: K.of(self.k),
            UNIQUE: UNIQUE.of(self.one_row.alone),
            PROSECUTOR: PROSECUTOR.of(1 / self.k),
            PROSECUTOR_MEAN: PROSECUTOR_MEAN.of(self.one_row.risk),
            MEAN_CLASS: MEAN_CLASS.of(self._mean_class),
        }
        return (
            *(own.get(one) or self.secrets[one.name] for one in CLASSICAL),
            K_ALL_ROWS.of(self.k_all_rows),
            UNICITY.of(self.unicity[-1].share, low=low, high=high),
        )

    @cached_property
    def _mean_class(self) -> float:
        classes = sum(self.sizes.values())
        return sum(size * number for size, number in self.sizes.items()) / classes

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.attributes("source keys sensitive records people suppressed k k_all_rows"),
            "unicity": [
                {"rows": one.rows, "share": one.share, "low": one.interval[0],
                 "high": one.interval[1], "drawn": one.drawn}
                for one in self.unicity
            ],
            "sizes": [{"people": size, "classes": n} for size, n in self.sizes.items()],
        }  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """How many people are found among each number of people, by one row and by all rows."""
        return pd.DataFrame(
            [{"knows": knows, "among": size, "people": people}
             for knows, among in (("one row", self.one_row), ("all rows", self.all_rows))
             for size, people in among.people.items()]
        )  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        name = release or self.source
        return Story(
            title=f"Measures of {self.source} by {', '.join(self.keys)}, by person",
            verdict=self._verdict(release),
            sentences=[self._curve_in_words(release)],
            tables=[self._attackers(name)],
            charts=[self._curve(name), sizes_chart(name, self.sizes, "people")],
        )

    def _verdict(self, release: Text | None) -> Message:
        alone = self.one_row.alone
        said = "nobody can be told from fewer than {others} by one row"
        if alone:
            said = "{share} of the people are alone in the class of one of their rows: an attacker "
            said += "who knows the quasi-identifiers of that row finds them"
        if release is not None:
            said = "Under {release}, " + said
        return Message(
            said[0].upper() + said[1:] + ". There are {records:row} of {people:person}.",
            release=release, share=Amount(UNIQUE, alone, UNIQUE.text), records=self.records,
            people=self.people,
            others=Amount(K, self.k, _others, ranged=lambda low, _: _others(low)),
        )  # fmt: skip

    def _curve_in_words(self, release: Text | None) -> Message:
        last = self.unicity[-1]
        said = "an attacker who knows {m} random rows of a person singles out {share} of the people"
        if release is not None:
            said = "Under {release}, " + said
        return Message(
            said[0].upper() + said[1:] + ".", release=release, m=Known(str(last.rows)),
            share=Amount(UNICITY, last.share, UNICITY.text),
        )  # fmt: skip

    def _attackers(self, name: Text) -> Table:
        """What three attackers find."""
        found = {"one row": (K, self.one_row), "all rows": (K_ALL_ROWS, self.all_rows)}
        return Table(
            title="What the attacker knows of a person",
            says="The fewest people among whom somebody is found, and the share who are alone.",
            columns=["release", "the attacker knows", "fewest people", "alone"],
            rows=[
                [name, what, Amount(k, among.fewest, "{:,.0f}".format),
                 Amount(UNIQUE, among.alone, UNIQUE.text)]
                for what, (k, among) in found.items()
            ],
        )  # fmt: skip

    def _curve(self, name: Text) -> Chart:
        ends = [one.interval for one in self.unicity]
        return Chart(
            kind="curves", title="Who is alone with some of their rows",
            says=Message("{name}: rows drawn at random, of {n:person}", name=name,
                         n=self.unicity[0].drawn),
            x=Axis(label="rows that the attacker knows"),
            y=Axis(label="share of people who are alone", share=True),
            follows_from=Follows.QUASI,
            series=[Series(name=name, x=[float(one.rows) for one in self.unicity],
                           y=[one.share for one in self.unicity],
                           low=[low for low, _ in ends], high=[high for _, high in ends])],
        )  # fmt: skip


def _others(k: float) -> str:
    return "1 other" if k == 2 else f"{k - 1:,.0f} others"


def person_measures(
    table: AnyRelease | Microdata,
    persons: Persons,
    knows: str | Sequence[str] | None = None,
    seed: int = 0,
) -> PersonMeasures:
    """The measures of a release in which a person may have several rows.

    Examples
    --------
    >>> import unveil as uv
    >>> stays = uv.read_table(
    ...     {"patient": list("AAABCC"), "age": ["30s", "30s", "30s", "40s", "40s", "30s"],
    ...      "disease": ["flu", "flu", "asthma", "flu", "flu", "asthma"]},
    ...     quasi="age", sensitive="disease", person="patient")
    >>> found = person_measures(stays, stays.persons)
    >>> found.k, found.k_all_rows, found.one_row.people, found.all_rows.people
    (2, 1, {2: 3}, {1: 3})
    """
    return people_in_memory(people_held(table, persons, knows), seed)


def people_in_memory(there: PeopleHeld, seed: int = 0) -> PersonMeasures:
    """The measures of a table in memory."""
    assert there.secret is not None
    shown = there.class_of >= 0
    if not shown.any():
        raise InputError("all rows of {release} are suppressed: there is nothing to measure",
                         release=File(there.source, bare=True))  # fmt: skip
    class_of = there.class_of[shown]
    whose = np.unique(there.whose[shown], return_inverse=True)[1].astype(np.int64)
    people = int(whose.max()) + 1
    pairs, rows_there = np.unique(class_of * people + whose, return_counts=True)
    alike, number = np.unique(there.histograms.sizes, return_counts=True)
    members = Members(*np.divmod(pairs, people), rows_there)
    return PersonMeasures(
        source=there.source, keys=there.keys, sensitive=there.secret.name,
        records=len(there.whose), people=there.rows, suppressed=there.suppressed,
        one_row=Among.of(there.each_one_row), all_rows=Among.of(_alike(class_of, whose)),
        unicity=unicity(_drawn(class_of, whose, seed), [members]),
        sizes=dict(zip(alike.tolist(), number.tolist(), strict=True)),
        secrets=_by_secret(there.weighed(), int(alike[0])), notes=there.notes,
    )  # fmt: skip


def people_in_engine(there: PeopleInEngine, seed: int = 0) -> PersonMeasures:
    """The same of a table that an engine counts."""
    drawn = [(one.person, some_rows(one)) for one in there.drawn(DRAWN, seed)]
    classes = sorted({one for _, own in drawn for one in own})
    return PersonMeasures(
        source=there.source, keys=there.keys, sensitive=there.secret.secret.name,
        records=there.records,
        people=there.people, suppressed=there.suppressed, one_row=Among(there.one_row),
        all_rows=Among(there.all_rows), unicity=unicity(drawn, there.members(classes)),
        sizes=there.sizes, secrets=_by_secret(there.weighed(), min(there.one_row)),
        notes=there.notes,
    )  # fmt: skip


def _alike(class_of: NDArray[np.int64], whose: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many people have the same number of rows in the same classes, for each person.

    People's rows are put in order by class, and compared first by first, second by second: who is
    alike so far has the same number.
    """
    order = np.lexsort((class_of, whose))
    classes, rows = class_of[order], np.bincount(whose)
    first = np.cumsum(rows) - rows
    number = rows.astype(np.int64)
    left = np.arange(len(rows))
    for place in range(int(rows.max())):
        left = left[rows[left] > place]
        both = number[left] * (int(classes.max()) + 1) + classes[first[left] + place]
        fresh = int(number.max()) + 1
        number[left] = fresh + np.unique(both, return_inverse=True)[1]
    _, same, how_many = np.unique(number, return_inverse=True, return_counts=True)
    return how_many[same]


def _drawn(
    class_of: NDArray[np.int64], whose: NDArray[np.int64], seed: int
) -> list[tuple[int, list[int]]]:
    """Some people, and the classes of some of their rows, drawn at random."""
    rng = np.random.default_rng(seed)
    people = int(whose.max()) + 1
    order = np.argsort(whose, kind="stable")
    rows = np.bincount(whose)
    first = np.cumsum(rows) - rows
    drawn = np.arange(people)
    if people > DRAWN:
        drawn = np.sort(rng.choice(people, DRAWN, replace=False))
    own = (class_of[order[first[one] : first[one] + rows[one]]] for one in drawn.tolist())
    some = [rng.permutation(one)[: POINTS[-1]].tolist() for one in own]
    return list(zip(drawn.tolist(), some, strict=True))


def _by_secret(counts: Weighed, k: int) -> dict[str, Value]:
    """The figures of sensitive values, where the smallest class has k people."""
    looking: list[Looking[Finding]] = [
        AlphaKLooking(counts),
        LDiversityLooking(counts, l=2),
        BetaLikenessLooking(counts),
    ]
    try:
        looking.append(TClosenessLooking(counts))
    except InputError:
        looking.append(TClosenessLooking(counts, distance="equal"))
    found = {one.figure.name: one for finding in one_pass(counts, looking)
             for one in finding.figures}  # fmt: skip
    # Whatever values a single person has, they are that person's.
    least = 1 if k == 1 else int(found[L.name].value or 0)
    return {
        **{one.name: one.of(found[one.name].value) for one in (ALPHA, T, BETA)},
        L.name: L.of(least),
        L_ENTROPY.name: L_ENTROPY.of(min(least, found[L_ENTROPY.name].value or least)),
    }  # fmt: skip
