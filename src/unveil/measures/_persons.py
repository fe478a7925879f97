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

from unveil.engine.counting import Held, KeyColumn
from unveil.errors import Amount, Cell, InputError, Known, Message, Option, Text, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.findings import Axis, Chart, Finding, Follows, Series, Story, Table, Value
from unveil.measures._classes import Looking, one_pass
from unveil.measures._counted import secret_of
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
from unveil.microdata import AnyRelease, Microdata, Persons, Release, distinct_rows

POINTS = (1, 2, 3, 4)
"""Numbers of rows that the attacker of the unicity curve knows."""

_DRAWN = 2_000  # people whose rows are drawn for the curve
_LARGEST = 2**61
_TAIL = 0.025


@dataclass(frozen=True, kw_only=True)
class Unicity:
    """How many people only they fit, of those whose rows were drawn.

    Attributes
    ----------
    rows : int
        How many of a person's rows the attacker knows, drawn at random; all, if there are fewer.
    alone, drawn : int
    """

    rows: int
    alone: int
    drawn: int

    @property
    def share(self) -> float:
        """The share of people who are alone."""
        return self.alone / self.drawn

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval of Clopper and Pearson (1934), with 95 % confidence.

        >>> [round(end, 3) for end in Unicity(rows=4, alone=5, drawn=10).interval]
        [0.187, 0.813]
        """
        from scipy.special import betaincinv

        n, yes = self.drawn, self.alone
        low = float(betaincinv(yes, n - yes + 1, _TAIL)) if yes else 0.0
        return low, float(betaincinv(yes + 1, n - yes, 1 - _TAIL)) if yes < n else 1.0


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
    one_row : array
        For each person who has a row in a class, the people among whom they are found by the row
        that tells most.
    all_rows : array
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
    one_row: NDArray[np.int64]
    all_rows: NDArray[np.int64]
    unicity: tuple[Unicity, ...]
    sizes: Mapping[int, int]
    secrets: Mapping[str, Value]
    notes: tuple[Text, ...] = ()

    @property
    def k(self) -> int:
        """The fewest people among whom somebody is found by one of their rows."""
        return int(self.one_row.min())

    @property
    def k_all_rows(self) -> int:
        """The same by all rows."""
        return int(self.all_rows.min())

    @property
    def figures(self) -> tuple[Value, ...]:
        low, high = self.unicity[-1].interval
        own = {
            K: K.of(self.k),
            UNIQUE: UNIQUE.of(float((self.one_row == 1).mean())),
            PROSECUTOR: PROSECUTOR.of(1 / self.k),
            PROSECUTOR_MEAN: PROSECUTOR_MEAN.of(float((1 / self.one_row).mean())),
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
        """One row per person, in the order of their first rows."""
        return pd.DataFrame({"one_row": self.one_row, "all_rows": self.all_rows})

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
        alone = float((self.one_row == 1).mean())
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
                [name, what, Amount(k, int(among.min()), "{:,.0f}".format),
                 Amount(UNIQUE, float((among == 1).mean()), UNIQUE.text)]
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
    >>> found.k, found.k_all_rows, found.one_row.tolist(), found.all_rows.tolist()
    (2, 1, [2, 2, 2], [1, 1, 1])
    """
    if persons.of is None:
        raise InputError(
            "a person may have several rows ({columns} says whose a row is), and nobody knows "
            "whose the published rows are; audit the program that makes the release, or a file "
            "that still has that column",
            columns=ColumnName(", ".join(persons.columns)),
        )  # fmt: skip
    if not isinstance(table, Release | Microdata):
        raise InputError("{release} publishes {instead}: no measure of it counts people where a "
                         "person has several rows", release=table.maker, instead=table.instead,
                         )  # fmt: skip
    known = _keys(table, knows)
    made_by = table.source if isinstance(table, Microdata) else f"the release by {table.made_by}"
    class_of, whose, secret, suppressed = _rows_of(table, persons, known)
    people = int(whose.max()) + 1
    pairs, rows_there = np.unique(class_of * people + whose, return_counts=True)
    size = np.bincount(pairs // people)
    one_row = np.full(people, np.iinfo(np.int64).max)
    np.minimum.at(one_row, whose, size[class_of])
    alike, number = np.unique(size[size > 0], return_counts=True)
    return PersonMeasures(
        source=made_by, keys=tuple(known),
        sensitive=table.sensitive.name, records=len(table), people=persons.count,
        suppressed=suppressed, one_row=one_row, all_rows=_alike(class_of, whose),
        unicity=_unicity(class_of, whose, pairs, rows_there, seed),
        sizes=dict(zip(alike.tolist(), number.tolist(), strict=True)),
        secrets=_by_secret(table, class_of, whose, secret, size), notes=table.notes,
    )  # fmt: skip


def _keys(table: Release | Microdata, knows: str | Sequence[str] | None) -> list[str]:
    """The columns that the attacker knows; refused if one is no quasi-identifier."""
    there = [column.name for column in table.quasi]
    asked = there if knows is None else [knows] if isinstance(knows, str) else list(knows)
    for name in asked:
        if name not in there:
            raise InputError(
                "{option} names {name}, which is not a quasi-identifier{near} (those are {names})",
                option=Option("knows"), name=Cell(name), near=did_you_mean(str(name), there),
                names=", ".join(there),
            )  # fmt: skip
    return asked


def _rows_of(
    table: Release | Microdata, persons: Persons, known: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], int]:
    """The class, the person and the sensitive value of each row that is in a class."""
    assert persons.of is not None
    # Classes that publish the same cells are one to whoever reads them.
    columns = table.quasi if isinstance(table, Microdata) else table.published()
    cell_of = distinct_rows([one.codes for one in columns if one.name in known])[1]
    if isinstance(table, Microdata):
        return cell_of.astype(np.int64), persons.of, table.sensitive.codes, 0
    shown = np.flatnonzero(~table.suppressed_classes[table.class_of])
    if not len(shown):
        raise InputError("all rows of {release} are suppressed: there is nothing to measure",
                         release=table.maker)  # fmt: skip
    whose = np.unique(persons.of[shown], return_inverse=True)[1].astype(np.int64)
    return (cell_of[shown].astype(np.int64), whose, table.sensitive.codes[shown],
            len(table) - len(shown))  # fmt: skip


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


def _unicity(
    class_of: NDArray[np.int64],
    whose: NDArray[np.int64],
    pairs: NDArray[np.int64],
    rows_there: NDArray[np.int64],
    seed: int,
) -> tuple[Unicity, ...]:
    """The share of people whom some of their rows, drawn at random, single out."""
    rng = np.random.default_rng(seed)
    people = int(whose.max()) + 1
    order = np.argsort(whose, kind="stable")
    rows = np.bincount(whose)
    first = np.cumsum(rows) - rows
    drawn = np.arange(people)
    if people > _DRAWN:
        drawn = np.sort(rng.choice(people, _DRAWN, replace=False))
    begin = np.searchsorted(pairs, np.arange(int(class_of.max()) + 2) * people)
    alone = dict.fromkeys(POINTS, 0)
    for person in drawn.tolist():
        own = class_of[order[first[person] : first[person] + rows[person]]]
        own = rng.permutation(own)
        for m in POINTS:
            there, needed = np.unique(own[:m], return_counts=True)
            there_first = np.argsort(begin[there + 1] - begin[there], kind="stable")
            fits: NDArray[np.int64] | None = None
            for at in there_first.tolist():
                low, high = begin[there[at]], begin[there[at] + 1]
                some = pairs[low:high][rows_there[low:high] >= needed[at]] % people
                fits = some if fits is None else fits[np.isin(fits, some, assume_unique=True)]
                if len(fits) == 1:
                    break
            alone[m] += fits is not None and len(fits) == 1
    return tuple(Unicity(rows=m, alone=n, drawn=len(drawn)) for m, n in alone.items())


def _by_secret(
    table: Release | Microdata,
    class_of: NDArray[np.int64],
    whose: NDArray[np.int64],
    secret: NDArray[np.int32],
    size: NDArray[np.int64],
) -> dict[str, Value]:
    """The figures of sensitive values, where people weigh the same in a class and in the table."""
    people = int(whose.max()) + 1
    _, pair_of, of_pair = np.unique(
        class_of * people + whose, return_inverse=True, return_counts=True
    )
    in_class, in_table = of_pair[pair_of], np.bincount(whose)[whose]
    scale = _scale(np.union1d(in_class, in_table), people * (table.sensitive.size + 1))
    counts = _Weighed(
        keys={"class": KeyColumn(np.arange(len(size)), tuple(range(len(size))))},
        secret=secret_of(table.sensitive), class_of=class_of, codes=secret.astype(np.int64),
        numbers=_shares(scale, in_class), source="the release",
    )  # fmt: skip
    counts.weigh(secret, _shares(scale, in_table))
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
    values = np.unique(class_of * table.sensitive.size + secret) // table.sensitive.size
    several = np.bincount(values, minlength=len(size))
    # Whatever values a single person has, they are that person's.
    least = int(np.where(size == 1, 1, several)[size > 0].min())
    return {
        **{one.name: one.of(found[one.name].value) for one in (ALPHA, T, BETA)},
        L.name: L.of(least),
        L_ENTROPY.name: L_ENTROPY.of(min(least, found[L_ENTROPY.name].value or least)),
    }  # fmt: skip


class _Weighed(Held):
    """Counts of weights; those in the whole table are not the sums of those in the classes."""

    def weigh(self, codes: NDArray[np.int32], numbers: NDArray[np.int64]) -> None:
        """Set the weights of the sensitive values in the whole table."""
        self._totals = np.zeros_like(self._totals)
        np.add.at(self._totals, codes, numbers)

    @property
    def shown(self) -> Held:
        return self


def _scale(rows: NDArray[np.int64], most: int) -> int:
    """A number that all numbers of rows divide, so that 1/c is a whole number of parts.

    Where that would be too large, one so large that rounding does not matter.
    """
    scale = math.lcm(*(int(one) for one in rows))
    return scale if scale * most < _LARGEST else min(2**40, _LARGEST // most)


def _shares(scale: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """One over the number of rows, in parts."""
    return np.maximum(1, (scale + rows // 2) // rows)
