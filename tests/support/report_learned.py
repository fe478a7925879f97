"""An attacker who learns what reports tell, from reports of tables that they make up.

They know all that `report_attack.Attacker` knows. So they can permute the values within the
published classes as often as they like, have each of these tables audited in the same way, and
learn how the report follows from who has which value. Whatever stands in a report is a feature,
wherever it stands: nobody has to think of it beforehand. Many weak hints add up (ridge regression
on all features), and one strong hint about one person is found among thousands of features (the one
that goes with that person's value best).

Given the release, all these tables are as likely as the true one. So each of their reports can be
attacked by what was learned from the others, and what a report tells can be measured much more
exactly than by the one report of the true table.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from report_attack import Attacker, Codes

import unveil as uv
from unveil.render import Coarseness

Told = Mapping[str, str]
"""What stands at each place of a report."""

_REFERENCE = re.compile("#[0-9a-f]{16}")
_PENALTIES = (3.0, 30.0, 300.0, 3000.0)
_STRONG = (0.6, 0.75, 0.9, 2.0)
"""From which correlation on a single feature is believed; the last one never is."""
_FOLDS = 5


def told_by(*artefacts: Any) -> Told:
    """All that artefacts say, place by place; references, which are random, as one word."""
    return {place: said for n, one in enumerate(artefacts) for place, said in _places(one, f"{n}")}


def _places(one: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(one, Mapping):
        for name, value in one.items():
            if name not in ("key", "fingerprints"):  # random, and keyed
                yield from _places(value, f"{place}/{name}")
    elif isinstance(one, list | tuple):
        yield f"{place}/length", str(len(one))
        for n, value in enumerate(one):
            yield from _places(value, f"{place}/{n}")
    elif isinstance(one, str) and "\n" in one:
        yield from _places(one.splitlines(), place)
    else:
        yield place, _REFERENCE.sub("#", str(one))


def features_of(reports: Sequence[Told]) -> NDArray[np.float64]:
    """A row for each report: what it says where others say something else, and its numbers."""
    columns: list[NDArray[np.float64]] = []
    for place in sorted({place for one in reports for place in one}):
        said = [one.get(place, "") for one in reports]
        values, which, often = np.unique(said, return_inverse=True, return_counts=True)
        columns += [(which == n).astype(float) for n in np.flatnonzero(often > 1)]
        columns += _number(values, which.ravel())
    varying = [one for one in columns if one.min() < one.max()]
    if not varying:
        return np.zeros((len(reports), 1))
    found = np.stack(varying, axis=1)
    return np.asarray((found - found.mean(axis=0)) / found.std(axis=0))


def _number(values: NDArray[Any], which: NDArray[np.intp]) -> list[NDArray[np.float64]]:
    try:
        numbers = values.astype(float)
    except ValueError:
        return []
    return [numbers[which]] if np.isfinite(numbers).all() else []


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What was guessed of each of many tables from its report and the reports of the others.

    Attributes
    ----------
    codes, guesses : array
        Who has which value, and what was guessed; a row for each table.
    base : array
        The most frequent value of everybody's class.
    """

    codes: Codes
    guesses: Codes
    base: Codes

    @property
    def excess(self) -> NDArray[np.float64]:
        """For each table, how many more people are guessed right than by their classes alone."""
        right = (self.guesses == self.codes).sum(axis=1)
        return np.asarray(right - (self.base == self.codes).sum(axis=1), dtype=np.float64)


def learned(attacker: Attacker, codes: Codes, reports: Sequence[Told]) -> Learned:
    """Guess everybody's value from each report, by what was learned from the others."""
    tables, people = codes.shape
    values = attacker.table.sensitive.size
    known = np.zeros((people, values))
    np.add.at(known, (attacker.class_of, attacker.truth), 1.0)
    belief = known[attacker.class_of] / known[attacker.class_of].sum(axis=1, keepdims=True)
    x = features_of(reports)
    alike = x @ x.T / x.shape[1]
    y = np.zeros((tables, people, values))
    y[np.arange(tables)[:, None], np.arange(people)[None, :], codes] = 1
    y -= belief
    fold = np.arange(tables) % _FOLDS
    guesses = np.empty_like(codes)
    for one in range(_FOLDS):
        rest, held = np.flatnonzero(fold != one), np.flatnonzero(fold == one)
        inner = np.arange(len(rest)) % 4 == 0
        tried = _guessed(x, alike, y, belief, rest[~inner], rest[inner])
        best = max(tried, key=lambda how: int((tried[how] == codes[rest[inner]]).sum()))
        guesses[held] = _guessed(x, alike, y, belief, rest, held, [best])[best]
    return Learned(
        codes=codes, guesses=guesses, base=np.broadcast_to(belief.argmax(axis=1), codes.shape)
    )


How = tuple[float, float]
"""A penalty, and from which correlation on a single feature is believed instead."""


def _guessed(
    x: NDArray[np.float64], alike: NDArray[np.float64], y: NDArray[np.float64],
    belief: NDArray[np.float64], rest: NDArray[np.intp], held: NDArray[np.intp],
    hows: Sequence[How] = tuple(itertools.product(_PENALTIES, _STRONG)),
) -> dict[How, Codes]:  # fmt: skip
    """Everybody's value in the tables that are held out, learned from the rest in several ways."""
    single, strength = _by_one_feature(x, y, rest, held)
    found = {}
    for penalty, strong in hows:
        inverse = alike[np.ix_(rest, rest)] + penalty / 10 * np.eye(len(rest))
        weights = np.linalg.solve(inverse, y[rest].reshape(len(rest), -1))
        by_all = (alike[np.ix_(held, rest)] @ weights).reshape(len(held), *y.shape[1:])
        moved = np.where((strength >= strong)[None, :, None], single, by_all)
        found[penalty, strong] = np.asarray((belief + moved).argmax(axis=2), dtype=np.int64)
    return found


def _by_one_feature(
    x: NDArray[np.float64], y: NDArray[np.float64], rest: NDArray[np.intp], held: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the best feature for each person and value says, and how well that goes with it."""
    known, wanted = x[rest] - x[rest].mean(axis=0), y[rest].reshape(len(rest), -1)
    wanted = wanted - wanted.mean(axis=0)
    product = known.T @ wanted
    squares, spread = (known**2).sum(axis=0), (wanted**2).sum(axis=0)
    together = np.abs(product) / np.sqrt(np.outer(squares, spread) + 1e-12)
    best, each = together.argmax(axis=0), np.arange(together.shape[1])
    slopes = product[best, each] / (squares[best] + 1e-12)
    said = (x[np.ix_(held, best)] - x[rest].mean(axis=0)[best]) * slopes
    strength = together[best, each].reshape(y.shape[1:]).max(axis=1)
    return said.reshape(len(held), *y.shape[1:]), strength


def private_of(audit: uv.Audit) -> uv.Audit:
    """The same audit as its owner sees it."""

    def exact(one: Any) -> Any:
        return None if one is None else replace(one, coarse=Coarseness())

    asked = replace(audit.asked, discretion=replace(audit.asked.discretion, private=True))
    return replace(audit, asked=asked, secrets=tuple(
        replace(one, baseline=exact(one.baseline), audited=[exact(a) for a in one.audited])
        for one in audit.secrets
    ))  # fmt: skip


def made_up(
    attacker: Attacker, audits: Callable[[uv.Microdata], Sequence[Told]], tables: int, seed: int = 0
) -> tuple[Codes, list[Sequence[Told]]]:
    """The true table and others that fit the release, each with what its reports say."""
    rng = np.random.default_rng([seed, 7])
    codes = np.stack([attacker.truth, *(attacker.shuffled(rng) for _ in range(tables - 1))])
    order = rng.permutation(tables)  # the true one is in any fold
    codes = codes[order]
    return codes, [audits(attacker.with_values(one)) for one in codes]
