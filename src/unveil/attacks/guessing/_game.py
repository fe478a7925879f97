"""Adversaries are asked about people with every release, whether they are in it or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.guessing._asking import asked, by_prior
from unveil.attacks.guessing._sides import Guesses, Tally, TwoSides
from unveil.attacks.guessing._splits import Splits
from unveil.attacks.shared import Knowledge, understood
from unveil.engine import Progress
from unveil.errors import InputError
from unveil.microdata import AnyRelease

__all__ = ["Game"]


class Game:
    """Releases, of whom each is, and about whom adversaries are asked."""

    def __init__(
        self, *, known: Knowledge, splits: Splits, confidence: float, targets: NDArray[np.intp]
    ) -> None:
        self._known, self._splits, self._confidence = known, splits, confidence
        self._targets = np.sort(targets)
        if not np.isin(self._targets, splits.ever_in).any():
            raise InputError(
                "nobody of the targets is in the release, so there is nobody to compare others "
                "with; leave targets out, or choose people who are in it too"
            )

    def play(
        self,
        attackers: Sequence[Adversary],
        releases: Iterable[AnyRelease],
        progress: bool | None,
    ) -> tuple[list[TwoSides], list[AnyRelease]]:
        """Ask everybody about everybody, release by release."""
        targets, each, seen = self._targets, self._splits.each, []
        sides = [(Tally(len(targets)), Tally(len(targets))) for _ in attackers]
        total = len(targets) * len(each) * len(attackers)
        with Progress("guessing", total, progress) as shown:
            for split, release in zip(each, releases, strict=True):
                seen.append(release)
                for attacker, (inside, outside) in zip(attackers, sides, strict=True):
                    understood(attacker, release)
                    found = asked(self._known, attacker, release, targets, self._confidence)
                    is_in = np.isin(targets, split.members)
                    inside.add(np.flatnonzero(is_in), found[:, is_in])
                    out = np.isin(targets, split.held_out)
                    outside.add(np.flatnonzero(out), found[:, out])
                    shown.advance(len(targets))
        fold_of = self._splits.fold_of
        folds = None if fold_of is None else fold_of[targets]
        played = []
        for attacker, (inside, outside) in zip(attackers, sides, strict=True):
            within = inside.guesses(targets, folds)
            assert within is not None  # checked above
            played.append(
                TwoSides(adversary=attacker, inside=within, outside=outside.guesses(targets, folds))
            )
        return played, seen

    def by_prior(self, played: Sequence[TwoSides]) -> tuple[Guesses, Guesses | None]:
        """What somebody without any release guesses about the same people."""
        secret = self._splits.everybody.sensitive
        counts = np.bincount(secret.codes[self._splits.ever_in], minlength=secret.size)

        def guessed(about: Guesses) -> Guesses:
            answers = by_prior(self._known, counts / counts.sum(), about.records, self._confidence)
            return Guesses(records=about.records, answers=answers, folds=about.folds)

        first = played[0]
        outside = None if first.outside is None else guessed(first.outside)
        return guessed(first.inside), outside
