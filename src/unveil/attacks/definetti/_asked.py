"""How groups are to be learnt from: the options of the attack, checked and carried out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._learning import Learned, learned
from unveil.attacks.definetti._model import Knowledge
from unveil.attacks.definetti._telling import told
from unveil.engine.counting import combined
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Permuted, Release

__all__ = ["TOLERANCE", "Asked", "Method"]

Method: TypeAlias = Literal["definetti", "foreground"]

TOLERANCE = 1e-3
_ROUNDS = 100
_ALL_STEPS = 2**32  # more than any group takes that fits into memory


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How it is to be learnt, as it was asked for.

    Attributes
    ----------
    by : tuple of str or None
        The columns that were named.
    smoothing : float or None
        None: as many people as have a secret on average.
    """

    method: Method
    by: tuple[str, ...] | None
    smoothing: float | None
    rounds: int
    tolerance: float
    steps: int

    @classmethod
    def checked(
        cls, method: Any, by: Any, smoothing: Any, rounds: Any, tolerance: Any, steps: Any
    ) -> Asked:
        """Refuse what cannot be meant."""
        if method not in get_args(Method):
            near = did_you_mean(method, get_args(Method)) if isinstance(method, str) else ""
            raise InputError(
                f"method must be 'definetti' or 'foreground', but got {method!r}{near}"
            )
        some = 1.0 if smoothing is None else smoothing
        for name, number in (("smoothing", some), ("tolerance", tolerance)):
            fine = isinstance(number, int | float | np.number) and not isinstance(number, bool)
            if not fine or not 0 <= number < np.inf:
                raise InputError(f"{name} must be a number from 0 up, but got {number!r}")
        if smoothing == 0:
            raise InputError(
                "smoothing must be above 0: without any, a value that nobody with a secret was "
                "believed to have would rule the secret out; take a small one, such as 0.01"
            )
        most = _ROUNDS if rounds is None else rounds
        for name, count, least in (("rounds", most, 1), ("steps", steps, 0)):
            whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
            if not whole or count < least:
                raise InputError(f"{name} must be a whole number from {least} up, got {count!r}")
        if method == "foreground" and rounds not in (None, 1):
            raise InputError(
                f"rounds must be 1 for foreground knowledge, which is learnt once, got {rounds}; "
                "the method definetti goes on"
            )
        once = method == "foreground"
        return cls(
            method=method, by=_names(by), steps=min(int(steps), _ALL_STEPS),
            smoothing=None if smoothing is None else float(smoothing),
            rounds=1 if once else int(most),
            tolerance=np.inf if once else float(tolerance),
        )  # fmt: skip

    def columns(self, there: Sequence[str]) -> list[str]:
        """The columns that are learnt from, of those that there are."""
        for name in self.by or ():
            if name not in there:
                raise InputError(
                    f"by names {name!r}, which is no quasi-identifier of the release"
                    f"{did_you_mean(name, there)} (those are {', '.join(there)})"
                )
        return list(there if self.by is None else self.by)

    def learn(
        self, groups: Groups, release: Release | Permuted, sizes: Sequence[int],
        progress: bool | None,
    ) -> Learned:  # fmt: skip
        """Learn from the columns named, by the method; ``sizes`` are those of the domains."""
        # A value beyond the domain is one that the release does not know.
        codes = np.where(groups.tuples < np.array(sizes), groups.tuples, -1).astype(np.int32)
        there = [column.name for column in release.quasi]
        names = self.columns(there)
        which = [there.index(name) for name in names]
        if self.method == "definetti":
            knowledge = self._knowledge(groups, release, tuple(names), codes[:, which])
        elif self.by is not None:
            together = _together(codes[:, which])
            knowledge = self._knowledge(groups, release, (" × ".join(names),), together)
        else:
            each = [
                self._knowledge(groups, release, (name,), codes[:, [j]])
                for name, j in zip(names, which, strict=True)
            ]
            sheets = [groups.sheet(one.codes, 0) for one in each]
            models = [
                one.learnt(sheet, groups.shares) for one, sheet in zip(each, sheets, strict=True)
            ]
            knowledge = max(models, key=lambda model: told(groups, model)).knowledge
        return learned(groups, knowledge, rounds=self.rounds, tolerance=self.tolerance,
                       steps=self.steps, progress=progress)  # fmt: skip

    def _knowledge(
        self, groups: Groups, release: Release | Permuted, names: tuple[str, ...],
        codes: NDArray[np.int32],
    ) -> Knowledge:  # fmt: skip
        occurring = int((release.totals > 0).sum())
        smoothing = float(release.totals.sum() / occurring)
        if self.smoothing is not None:
            smoothing = self.smoothing
        return Knowledge.of(groups, names, codes, release.totals, smoothing)


def _together(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Several columns as one; what is not known in one of them is not known."""
    known = (codes >= 0).all(axis=1)
    found = np.full((len(codes), 1), -1, dtype=np.int32)
    if known.any():
        found[known, 0] = combined(list(codes[known].T.astype(np.int64)))[1]
    return found


def _names(by: Any) -> tuple[str, ...] | None:
    if by is None:
        return None
    if not isinstance(by, Iterable):
        raise InputError(f"by must be the name of a quasi-identifier, or several, but got {by!r}")
    named = (by,) if isinstance(by, str) else tuple(str(name) for name in by)
    if not named:
        raise InputError("by=[…] is empty: whoever learns from no column learns nothing")
    return tuple(dict.fromkeys(named))
