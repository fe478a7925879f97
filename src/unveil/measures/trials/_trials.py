"""Trials of coarser columns: one at a time, promising ones two by two, and step by step."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from unveil.measures.trials._classes import Classes, Numbers
from unveil.measures.trials._coarser import LEFT_OUT, Coarser, coarser_forms

_PAIRS = 40  # that are tried
_STEPS = 8  # one after the other
_WORTH = 0.1  # of the people at risk: what protects fewer is not the best, however cheap


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What the classes would be with some coarser columns.

    Attributes
    ----------
    changes : dict of str to str
        How each of these columns is published: ``in bands of 10``, or ``left out``.
    numbers : Numbers
        What the classes would say.
    cost : float
        How much more information is lost, as a share of all.
    protected : int
        How many people would no longer be at risk, by what the trials are ranked by.
    """

    changes: Mapping[str, str]
    numbers: Numbers
    cost: float
    protected: int

    @property
    def change(self) -> str:
        """What is changed, in short."""
        return ", ".join(f"{name} {how}" for name, how in self.changes.items())

    @property
    def action(self) -> str:
        """The same as something to do, which continues "… would"."""
        out = [name for name, how in self.changes.items() if how == LEFT_OUT]
        kept = [f"{name} {how}" for name, how in self.changes.items() if how != LEFT_OUT]
        done = [f"publishing {', '.join(kept)}"] if kept else []
        done += [f"leaving out {', '.join(out)}"] if out else []
        return " and ".join(done)

    @property
    def worth(self) -> float:
        """People protected for each share of information that it costs."""
        if self.cost > 0 or not self.protected:
            return self.protected / max(self.cost, 1e-12)
        return math.inf if self.protected > 0 else -math.inf


def risk_of(numbers: Numbers, by: str) -> int:
    """How many people are at risk: ``below`` in small classes, or with ``one_value`` in theirs."""
    found: int = getattr(numbers, by)
    return found


def trials(classes: Classes, by: str, together: int) -> tuple[list[Trial], list[Trial]]:
    """Those of single columns, and of several; those worth most first."""
    tried = _Tried(classes, by)
    single = [
        (name, form, tried.trial({name: form}))
        for name, some in tried.forms.items()
        for form in some
    ]
    several: dict[str, Trial] = {}
    if together > 1:
        chosen = [tried.trial(forms) for forms in _promising(single, tried)]
        several = {one.change: one for one in (*chosen, *tried.step_by_step(together))}
    return _ranked([trial for *_, trial in single]), _ranked(list(several.values()))


class _Tried:
    """Trials of one release."""

    def __init__(self, classes: Classes, by: str) -> None:
        self._classes, self._by = classes, by
        self.forms = {
            name: coarser_forms(classes.cells[name], classes.crowd_of(name), classes.least)
            for name in classes.known
        }

    def left(self, numbers: Numbers) -> float:
        """What is left to do: also somebody who is less alone than before is better off."""
        return numbers.short if self._by == "below" else float(numbers.one_value)

    @property
    def now(self) -> float:
        """The same of the release as it is."""
        return self.left(self._classes.now)

    def trial(self, forms: Mapping[str, Coarser]) -> Trial:
        """Count the classes with some coarser columns."""
        now, by = self._classes.now, self._by
        numbers = self._classes.numbers({name: form.cells for name, form in forms.items()})
        return Trial(
            changes={name: forms[name].form.how for name in self.forms if name in forms},
            numbers=numbers,
            # Sums in another order differ in the last bits.
            cost=max(0.0, round(numbers.loss - now.loss, 12)),
            protected=risk_of(now, by) - risk_of(numbers, by),
        )  # fmt: skip

    def step_by_step(self, together: int) -> list[Trial]:
        """One change after the other, each the one that then does most for what it costs."""
        state: dict[str, Coarser] = {}
        done: list[Trial] = []
        left, cost = self.now, 0.0
        while left > 0 and len(done) < _STEPS:
            best, found = 0.0, None
            for name, form in self._next(state, together):
                trial = self.trial({**state, name: form})
                more, paid = left - self.left(trial.numbers), trial.cost - cost
                worth = more / paid if paid > 0 else math.inf * (more > 0)
                if more > 0 and worth > best:
                    best, found = worth, (name, form, trial)
            if found is None:
                break
            name, form, trial = found
            state[name] = form
            left, cost = self.left(trial.numbers), trial.cost
            done.append(trial)
        return [one for one in done if len(one.changes) > 1]

    def _next(self, state: Mapping[str, Coarser], together: int) -> Iterator[tuple[str, Coarser]]:
        """Coarser forms than a column has so far."""
        for name, some in self.forms.items():
            if name in state or len(state) < together:
                most = len(state[name].cells) if name in state else math.inf
                yield from ((name, form) for form in some if len(form.cells) < most)


def _promising(
    single: Sequence[tuple[str, Coarser, Trial]], tried: _Tried
) -> list[dict[str, Coarser]]:
    """Pairs: half of them of those that do most for what they cost, half of those that do most."""
    done = {trial.change: tried.now - tried.left(trial.numbers) for *_, trial in single}
    both = [
        (first, other)
        for first, other in combinations([one for one in single if done[one[2].change] > 0], 2)
        if first[0] != other[0]
    ]

    def does(pair: tuple[tuple[str, Coarser, Trial], ...]) -> float:
        return sum(done[trial.change] for *_, trial in pair)

    def costs(pair: tuple[tuple[str, Coarser, Trial], ...]) -> float:
        return sum(trial.cost for *_, trial in pair)

    cheap = sorted(both, key=lambda pair: -does(pair) / max(costs(pair), 1e-12))[: _PAIRS // 2]
    strong = sorted(both, key=lambda pair: (-does(pair), costs(pair)))[: _PAIRS // 2]
    chosen = {id(pair): pair for pair in (*cheap, *strong)}
    return [{name: form for name, form, _ in pair} for pair in chosen.values()]


def _rank(trial: Trial) -> tuple[float, float, str]:
    return -trial.worth, trial.cost, trial.change


def _ranked(found: Sequence[Trial]) -> list[Trial]:
    """Those worth most first; those that protect nobody last."""
    return sorted(found, key=lambda one: (one.protected <= 0, *_rank(one)))


def best_of(found: Sequence[Trial], at_risk: int) -> Trial | None:
    """The one worth most, of those that protect enough people if there are any."""
    helping = [one for one in found if one.protected > 0]
    enough = [one for one in helping if one.protected >= _WORTH * at_risk]
    return min(enough or helping, key=_rank, default=None)


def enough_of(found: Sequence[Trial], by: str) -> Trial | None:
    """The cheapest that leaves nobody at risk."""
    done = [one for one in found if risk_of(one.numbers, by) == 0]
    return min(done, key=lambda one: (one.cost, len(one.changes), one.change), default=None)


def efficient(found: Sequence[Trial]) -> list[Trial]:
    """Those that protect more than all that cost less, the cheapest first."""
    kept: list[Trial] = []
    for one in sorted(found, key=lambda one: (one.cost, -one.protected, *_rank(one))):
        if one.protected > max((earlier.protected for earlier in kept), default=0):
            kept.append(one)
    return kept


def best_of_each(found: Sequence[Trial], at_risk: int) -> list[Trial]:
    """Of single columns, the best of each; of a column that does not help, leaving it out."""
    columns: dict[str, list[Trial]] = {}
    for one in found:
        columns.setdefault(next(iter(one.changes)), []).append(one)
    return _ranked([
        best_of(some, at_risk) or max(some, key=lambda one: one.cost) for some in columns.values()
    ])  # fmt: skip


def most_of(found: Sequence[Trial]) -> Trial | None:
    """The one that protects most people; None if none protects anybody."""
    helping = [one for one in found if one.protected > 0]
    return min(helping, key=lambda one: (-one.protected, one.cost, one.change), default=None)
