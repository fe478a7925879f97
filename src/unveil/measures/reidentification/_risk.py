"""Re-identification by a prosecutor, a journalist and a marketer.

The three attackers of K. El Emam, *Guide to the De-Identification of Personal Health Information*
(CRC Press, 2013). All match somebody whose keys they know with a class, and name one of its
records at random. With f records of the table and F people of the population in a class, n records
and J classes in all:

*Prosecutor.* He knows that his target is in the table, and is right with probability 1/f. Highest
1 / min f, on average over the records J / n.

*Journalist.* He does not know, for him the F people are alike: 1/F. Highest 1 / min F, where min F
is the k of a k-map. On average the larger of two: over the records (1/n) Σ f/F, and over the
people J / Σ F, for he may also pick people and look for them in the table.

*Marketer.* He matches everybody, and expects to be right about the share (1/n) Σ f/F of the
records. Where the table is the population that is J / n.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from unveil.engine.counting import Contingency, Histograms
from unveil.errors import InputError, Text
from unveil.measures._deciding import Extreme
from unveil.measures._one_pass import ExactSum
from unveil.measures.reidentification._class_sizes import ClassSizes
from unveil.measures.reidentification._deciding_pairs import Fewest
from unveil.measures.reidentification._finding import (
    ESTIMATE,
    EXACT,
    UPPER_BOUND,
    AttackerRisk,
    PopulationEstimate,
    ReidentificationRisk,
)
from unveil.measures.reidentification._pairs import PairedSizes, check_pairs
from unveil.measures.reidentification._population_model import population_model
from unveil.measures.reidentification._population_uniques import population_uniques

__all__ = ["RiskLooking", "risk_in_population"]

_EVERYBODY = 2.0**53  # no class has as many, and beyond it floats do not tell numbers apart


class RiskLooking:
    """Re-identification risk at work, where the classes alone suffice."""

    def __init__(
        self,
        counts: Contingency,
        *,
        threshold: float = 0.2,
        population_size: int | None = None,
        estimator: str | None = None,
    ) -> None:
        _each_record_once(counts)
        self._counts, self._threshold = counts, threshold
        self._population, self._estimator = population_size, estimator
        self._sizes = ClassSizes()
        self._smallest = Extreme(counts, least=True)

    def look(self, block: Histograms) -> None:
        """Take some classes into account."""
        self._sizes.look(block.sizes, block.weights)
        self._smallest.look(block, block.sizes)

    def finding(self) -> ReidentificationRisk:
        """What was found, once all classes have been looked at."""
        found = self._sizes
        deciding = self._smallest.deciding()
        prosecutor = AttackerRisk(
            name="prosecutor",
            basis=EXACT,
            highest=1 / found.smallest,
            average=found.classes / found.records,
            over=found.in_classes_up_to(too_few(self._threshold)) / found.records,
            deciding=deciding,
        )
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
        """The journalist and the marketer: estimated, or at most what the prosecutor is."""
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
        over = model.at_most(too_few(self._threshold), sizes)
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
    """The risk where the population is at hand.

    Parameters
    ----------
    counts : Contingency
        The sample, for its keys and its name.
    pairs : iterable of PairedSizes
        All its classes, each once, with the people that are like their records.
    population_size : int
    threshold : float
    notes : tuple of str
        What else a reader has to know.
    """
    _each_record_once(counts)
    too_small = too_few(threshold)
    found, matched = ClassSizes(), ExactSum()
    smallest, fewest = Fewest(counts.keys), Fewest(counts.keys)
    over = alone = people = 0
    for block in pairs:
        check_pairs(block, counts)
        found.look(block.records, block.weights)
        smallest.look(block.records, block.records, block.people, block.weights, block.key_of)
        fewest.look(block.people, block.records, block.people, block.weights, block.key_of)
        # Whole numbers below 2⁵³ are exact as floats, and so is what ExactSum makes of shares.
        matched.add(block.weights * (block.records / block.people))
        held = block.weights * block.records
        over += int(held[block.people <= too_small].sum())
        alone += int(held[block.people == 1].sum())
        people += int((block.weights * block.people).sum())
    n = found.records
    prosecutor = AttackerRisk(
        name="prosecutor",
        basis=EXACT,
        highest=1 / found.smallest,
        average=found.classes / n,
        over=found.in_classes_up_to(too_small) / n,
        deciding=smallest.deciding(),
    )
    k_map = fewest.fewest
    assert k_map is not None
    of_records = matched.value / n
    journalist = AttackerRisk(
        name="journalist",
        basis=EXACT,
        highest=1 / k_map,
        average=max(of_records, found.classes / people),
        over=over / n,
        deciding=fewest.deciding(),
    )
    return ReidentificationRisk(
        prosecutor=prosecutor,
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


def _marketer(share: float, basis: str) -> AttackerRisk:
    return AttackerRisk(name="marketer", basis=basis, average=share)


def too_few(threshold: float) -> int:
    """The most people that are too few: 1 / m is above the threshold, and 1 / (m + 1) is not.

    >>> too_few(0.2), too_few(0.21), too_few(0.05), too_few(1.0)
    (4, 4, 19, 0)
    """
    people = int(min(1 / threshold, _EVERYBODY)) + 1
    while people > 0 and not 1 / people > threshold:
        people -= 1
    return people


def _each_record_once(counts: Contingency) -> None:
    if counts.overlapping:
        raise InputError(
            "re-identification risk is an average over records, each in one class: count without "
            "wildcard="
        )
