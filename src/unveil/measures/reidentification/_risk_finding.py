"""The finding of `reidentification_risk`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import pandas as pd

from unveil._text import counted
from unveil.errors import Message, Option, Text
from unveil.findings import Finding, Follows, Story, Table, Value, cell
from unveil.measures._classes import Deciding
from unveil.measures._declared import PROSECUTOR, PROSECUTOR_MEAN
from unveil.measures._texts import bar_chart, percent
from unveil.measures.reidentification._population import PopulationModel, PopulationUniques

EXACT, ESTIMATE, UPPER_BOUND = "exact", "estimate", "upper bound"


@dataclass(frozen=True, kw_only=True)
class AttackerRisk:
    """How well one attacker re-identifies records.

    Attributes
    ----------
    name : {"prosecutor", "journalist", "marketer"}
    basis : {"exact", "estimate", "upper bound"}
    average : float
        The probability that a match is right, on average; for the marketer, the share of all
        records that they expect to re-identify.
    highest : float or None
        For the worst class. None for the marketer, who matches all records at once.
    over : float or None
        The share of records whose risk is above the threshold.
    deciding : Deciding or None
        The classes with the highest risk.
    """

    name: str
    basis: str
    average: float
    highest: float | None = None
    over: float | None = None
    deciding: Deciding | None = None

    def content(self, *, records: bool) -> dict[str, Any]:
        """As plain values for JSON; the classes only if records are asked for."""
        deciding = None if self.deciding is None else self.deciding.content(records=records)
        return {**self.numbers, "basis": self.basis, "deciding": deciding}

    @property
    def numbers(self) -> dict[str, float | None]:
        """The risks by name."""
        return {"highest": self.highest, "average": self.average, "over_threshold": self.over}

    @property
    def called(self) -> str:
        """The attacker, and the basis of the risk if it is not exact."""
        return self.name if self.basis == EXACT else f"{self.name} ({self.basis})"


@dataclass(frozen=True, kw_only=True)
class PopulationEstimate:
    """Estimates of a population whose table is not given.

    Attributes
    ----------
    model : PopulationModel
    alone_in_both : float
        Expected number of records that are alone in the sample and in the population.
    uniques : PopulationUniques
        Expected number of people who are alone in the population.
    """

    model: PopulationModel
    alone_in_both: float
    uniques: PopulationUniques

    @property
    def assumes(self) -> str:
        """The assumptions of the estimate."""
        what = "the negative binomial model of Benedetti and Franconi, often far too low,"
        if self.model.name == "pitman":
            fitted = f"α = {self.model.discount:.3f}, θ = {self.model.spread:,.1f}"
            if self.model.discount == 1.0:
                fitted = "all records are alone, so everybody is assumed to be"
            what = f"Pitman's sampling formula ({fitted})"
        return f"the records are a simple random sample of the population, and {what} holds"

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values, for JSON."""
        return {
            "model": self.model.name,
            "alpha": self.model.discount,
            "theta": self.model.spread,
            "alone_in_both": self.alone_in_both,
            "population_uniques": asdict(self.uniques),
            "assumes": self.assumes,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReidentificationRisk(Finding):
    """How well a prosecutor, a journalist and a marketer re-identify records.

    Attributes
    ----------
    prosecutor, journalist, marketer : AttackerRisk
        The prosecutor knows that their target is in the table. The journalist does not, and
        targets anybody; without a population, their risk is at most the prosecutor's. The
        marketer targets as many people as possible.
    records, classes : int
        Records in classes, and number of these.
    unit : {"record", "person"}
        What ``records`` are: people, where a person may have several rows.
    suppressed : int
        Number of records that are suppressed, and form no class.
    keys : tuple of str
    threshold : float
        The highest acceptable risk.
    population_size : int or None
    k_map : int or None
        With a population: the fewest of its people who match a class.
    alone_in_both : int or None
        With a population: the number of records that are alone in it.
    estimate : PopulationEstimate or None
        With the size of a population.
    source : str
    notes : tuple of str or Message
    """

    entry: ClassVar[str] = "re-identification risk"
    follows_from: ClassVar[Follows] = Follows.QUASI

    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk
    records: int
    unit: str = "record"
    suppressed: int = 0
    classes: int
    keys: tuple[str, ...]
    threshold: float
    source: str
    population_size: int | None = None
    k_map: int | None = None
    alone_in_both: int | None = None
    estimate: PopulationEstimate | None = None
    notes: tuple[Text, ...] = ()

    @property
    def attackers(self) -> tuple[AttackerRisk, AttackerRisk, AttackerRisk]:
        """All three."""
        return self.prosecutor, self.journalist, self.marketer

    def to_frame(self) -> pd.DataFrame:
        """One row per attacker."""
        rows = [{"attacker": one.name, **one.numbers, "basis": one.basis} for one in self.attackers]
        return pd.DataFrame(rows).astype({"highest": float, "over_threshold": float})

    @property
    def figures(self) -> tuple[Value, ...]:
        attacker = self.prosecutor
        return PROSECUTOR.of(attacker.highest), PROSECUTOR_MEAN.of(attacker.average)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            **self.attributes("source keys classes threshold population_size k_map alone_in_both"),
            f"{self.unit}_count": self.records,
            "suppressed": self.suppressed,
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
            **{one.name: one.content(records=False) for one in self.attackers},
        }

    @property
    def private_facts(self) -> Mapping[str, Any]:
        return {one.name: one.content(records=True) for one in self.attackers}

    def story(self, release: Text | None = None) -> Story:
        what = "people" if self.unit == "person" else "records"
        over = f"{what} over {percent(self.threshold)}"
        return Story(
            title=f"Re-identification risk of {self.source}: {self.records:,} {what} in "
            f"{self.classes:,} classes of {', '.join(self.keys)}",
            about=self._about(),
            tables=[
                Table(
                    columns=["attacker", "highest", "average", over, ""],
                    rows=[
                        [
                            one.name,
                            *(cell(number, percent) for number in one.numbers.values()),
                            "" if one.basis == EXACT else one.basis,
                        ]
                        for one in self.attackers
                    ],
                )
            ],
            charts=[
                bar_chart(
                    f"Re-identification risk of {self.source}",
                    [one.called for one in self.attackers],
                    {
                        "highest risk": [one.highest for one in self.attackers],
                        "mean risk": [one.average for one in self.attackers],
                        over: [one.over for one in self.attackers],
                    },
                    label=f"risk, or share of the {what}",
                    share=True,
                )
            ],
        )

    def _about(self) -> list[Text]:
        about: list[Text] = [f"smallest: {self.prosecutor.deciding}"]
        if self.k_map is not None:
            about += [
                f"k-map: {self.k_map:,} of {self.population_size:,} people, for "
                f"{self.journalist.deciding}",
                f"alone in the population: {counted(self.alone_in_both or 0, 'record')}",
            ]
        elif self.estimate is not None:
            uniques = self.estimate.uniques
            about += [
                f"alone in the population of {self.population_size:,}: about "
                f"{self.estimate.alone_in_both:,.0f} of the records, and about "
                f"{uniques.number:,.0f} of all people ({uniques.estimator})",
                f"estimates assume that {self.estimate.assumes}",
            ]
        elif self.unit == "person":
            about.append("journalist and marketer: at most this")
        else:
            about.append(
                Message(
                    "journalist and marketer: at most this; give {people} or {size}",
                    people=Option("population"), size=Option("population_size"),
                )
            )  # fmt: skip
        return about
