"""The attacker who has two releases between which one person left, and asks whether it was you."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks._beliefs import INTERRUPTED, said
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._differential_inference import differential_inference
from unveil.attacks.members._beliefs import TrueBeliefs, kind_of, true_beliefs
from unveil.attacks.members._people import People
from unveil.engine import Progress
from unveil.errors import Text
from unveil.sanitize import Sanitizer

__all__ = ["Removal"]

_NOT_THERE = "there is no release without them"


@dataclass(frozen=True, eq=False, kw_only=True)
class Removal:
    """Members and the release without them; others, and releases without a random member."""

    people: People
    sanitizer: Sanitizer
    """f, which must give the same f(D) each time."""
    adversary: Adversary
    removals: int
    """How many releases without a random member there are at most."""
    seed: int
    options: dict[str, Any]
    """What `differential_inference` is told besides."""

    def members(self) -> tuple[TrueBeliefs, TrueBeliefs, tuple[Text, ...]]:
        """Beliefs about members with and without their records, and what is to be noted.

        They are the pairs of the differential inference test, which has fast paths.
        """
        table, available = self.people.table, self.sanitizer.can_leave_out(self.people.table)
        if available is not None and not len(available):
            nothing = TrueBeliefs.none(len(table))
            nothing.lack(np.arange(len(table)), _NOT_THERE)
            return nothing, nothing, ()
        finding = differential_inference(
            table, self.sanitizer, adversary=self.adversary, targets=available, predictions=True,
            seed=self.seed, **self.options,
        )  # fmt: skip
        if INTERRUPTED in finding.not_tested:
            raise KeyboardInterrupt
        assert finding.present is not None
        assert finding.absent is not None
        notes = tuple(note for note in finding.notes if note not in table.notes)
        present, absent = (_of_members(finding, b) for b in (finding.present, finding.absent))
        return present, absent, notes

    def others(self) -> tuple[TrueBeliefs, NDArray[np.intp]]:
        """Beliefs about those held out from releases that lack a member drawn at random.

        Also which member: those who share a release were asked about together. Both go by the
        places of all who are asked about; members have nothing there.
        """
        people, rng = self.people, np.random.default_rng([self.seed, 2])
        places = rng.permutation(np.flatnonzero(~people.is_member))
        found = TrueBeliefs.none(len(people.asked))
        together = np.full(len(people.asked), -1, dtype=np.intp)
        available = self.sanitizer.can_leave_out(people.table)
        leavable = np.arange(len(people.members)) if available is None else available
        drawn = rng.permutation(leavable)[: min(self.removals, len(places))]
        if not len(drawn):
            found.lack(places, _NOT_THERE)
            return found, together
        label = f"{self.sanitizer.label}: those held out"
        with Progress(label, len(places), self.options.get("progress")) as shown:
            for removed, some in zip(drawn, np.array_split(places, len(drawn)), strict=True):
                together[some] = removed
                self._ask(found, int(removed), some)
                shown.advance(len(some))
        return found, together

    def _ask(self, found: TrueBeliefs, removed: int, places: NDArray[np.intp]) -> None:
        people = self.people
        try:
            release = self.sanitizer.sanitize_without(people.table, removed)
            some = true_beliefs(people.everybody, self.adversary, release, people.asked[places])
        except Exception as error:  # whatever goes wrong in somebody's sanitizer or model
            found.lack(places, kind_of(error), said(error))
        else:
            found.put(places, some)


def _of_members(finding: DifferentialInference, beliefs: NDArray[np.float64]) -> TrueBeliefs:
    """The beliefs in their true values, of all members."""
    table, targets = finding.microdata, finding.targets
    found = TrueBeliefs.none(len(table))
    tested = ~np.isnan(finding.distances)
    rows = np.flatnonzero(tested)
    found.true[targets[rows]] = beliefs[rows, table.sensitive.codes[targets[rows]]]
    found.lack(np.setdiff1d(np.arange(len(table)), targets), _NOT_THERE)
    # The test counts reasons and does not say whose they are; here too they are only counted.
    reasons = [why for why, count in finding.not_tested.items() for _ in range(count)]
    found.reasons.update(zip(targets[~tested].tolist(), reasons, strict=True))
    found.details.update(dict(finding.failures))
    return found
