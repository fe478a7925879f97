"""An attacker who has a report: what they find out about people's sensitive values by it.

They know everybody's quasi-identifiers, what was published, and the program that is audited, but
not the key. Within each published class they know which sensitive values there are, and not whose.
So they permute the values within the classes, run the same attacks themselves, and compare what
comes out with what the report says.

`by_fingerprints` looks for numbers of single people: a number with many digits that comes out when
somebody has a certain value, and stands in the report, gives that value away. `by_search` looks for
a permutation under which all figures and curves together are those of the report.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unveil as uv
from unveil.findings import Value

Codes = NDArray[np.int64]

_DECIMAL = re.compile(r"(?<![\w.#-])\d*\.(\d+)(?:[eE]([-+]?\d+))?(?![\w.])")
_FEWEST = 3  # significant digits of a number that is worth comparing


@dataclass(frozen=True, kw_only=True)
class Attacker:
    """What they know: the table but for who has which value, and the classes of a release."""

    table: uv.Microdata
    class_of: NDArray[np.int64]

    @property
    def truth(self) -> Codes:
        """What they do not know; for the score alone."""
        return self.table.sensitive.codes.astype(np.int64)

    def shuffled(self, rng: np.random.Generator) -> Codes:
        """Who might have which value, as far as the release tells."""
        return shuffled(self.truth, self.class_of, rng)

    def with_values(self, codes: Codes) -> uv.Microdata:
        """The table as it would be."""
        columns = tuple(
            replace(one, codes=codes.astype(one.codes.dtype)) if one.name == self.secret else one
            for one in self.table.columns
        )
        return replace(self.table, columns=columns)

    @property
    def secret(self) -> str:
        """The name of the sensitive column."""
        return self.table.sensitive.name


def shuffled(codes: Codes, class_of: NDArray[np.int64], rng: np.random.Generator) -> Codes:
    """Values permuted within classes."""
    order = np.lexsort((rng.random(len(codes)), class_of))
    by_class = np.argsort(class_of, kind="stable")
    found = np.empty_like(codes)
    found[by_class] = codes[order]
    return found


# Numbers of single people -------------------------------------------------------------------


def numbers_of(report: Any) -> Iterator[tuple[float, float]]:
    """The numbers of a report with how exact they are: of JSON, or of any text."""
    if isinstance(report, Mapping):
        for value in report.values():
            yield from numbers_of(value)
    elif isinstance(report, str):
        for found in _DECIMAL.finditer(report):
            digits = found[0].partition("e")[0].replace(".", "").lstrip("0")
            if len(digits) >= _FEWEST:
                yield float(found[0]), 0.5 * 10.0 ** (int(found[2] or 0) - len(found[1]))
    elif isinstance(report, list | tuple):
        for value in report:
            yield from numbers_of(value)
    elif isinstance(report, float) and len(f"{report:.15g}".strip("0.").replace(".", "")) >= 3:
        yield report, 1e-12 + abs(report) * 1e-13


Tried = Sequence[tuple[Codes, NDArray[np.float64]]]
"""Who might have which value, and everybody's number then."""


def numbers_tried(
    attacker: Attacker, sanitizer: Any, *, tries: int, adversary: Any = None, seed: int = 0
) -> Tried:
    """What everybody's number would be, in many permutations of the values.

    ``adversary`` is the attacker of the audit, of which the report says the name.
    """
    rng = np.random.default_rng(seed)
    permuted = [attacker.shuffled(rng) for _ in range(tries)]
    return [
        (codes, uv.differential_inference(
            attacker.with_values(codes), sanitizer, adversary=adversary, progress=False
        ).distances)
        for codes in permuted
    ]  # fmt: skip


def by_fingerprints(attacker: Attacker, report: Any, tried: Tried) -> Codes:
    """What everybody's value is, by numbers of people that stand in the report; −1: not known.

    A person's number follows from their own value: with whom they share a class, and with whom
    they would without their record, follows from the quasi-identifiers, and what values these have
    from the release. So it comes out in nearly all permutations of the others' values, and seldom
    with another value of their own. If just one value ever gives a number that the report has, it
    is taken for theirs.
    """
    known = np.array(sorted(set(numbers_of(report))) or [(math.inf, 0.0)])
    if (known[:, 1] < 1e-9).sum() > 9:  # numbers with many digits are as good as names
        known = known[known[:, 1] < 1e-9]
    people = np.arange(len(attacker.table))
    matched = np.zeros((len(people), attacker.table.sensitive.size))
    for codes, numbers in tried:
        matched[people, codes] += _there(numbers, known)
    return np.where((matched > 0).sum(axis=1) == 1, matched.argmax(axis=1), -1)


def _there(values: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values stand among numbers, as exactly as those are given."""
    place = np.searchsorted(known[:, 0], values)
    found = np.zeros(len(values), dtype=bool)
    for near in (place - 1, place):
        inside = np.clip(near, 0, len(known) - 1)
        with np.errstate(invalid="ignore"):
            found |= np.abs(known[inside, 0] - values) <= known[inside, 1]
    return found


# All figures together -----------------------------------------------------------------------

Found = Mapping[str, tuple[float, float]]

_SHARE, _SOMEBODY = "share up to ", "somebody at "


def figures_of(report: Mapping[str, Any]) -> dict[str, dict[str, tuple[float, float]]]:
    """The figures of each release, the baseline included, and their curves, as ranges."""
    secret = report["secrets"][0]
    releases = [*([secret["baseline"]] if secret["baseline"] else []), *secret["releases"]]
    told: dict[str, dict[str, tuple[float, float]]] = {}
    for one in releases:
        told[one["shown"]] = {
            name: (value[0], value[1]) if isinstance(value, list) else (value, value)
            for name, value in one["figures"].items()
            if isinstance(value, list | float | int)
        }
    for section in secret["sections"]:
        for chart in section["charts"]:
            if section["part"] == "differential-inference" and chart["kind"] == "distribution":
                for curve in chart["series"]:
                    half = _half_step(curve["y"], coarse=chart["coarse"])
                    for x, y in zip(curve["x"], curve["y"], strict=True):
                        told[curve["name"]][f"{_SHARE}{x!r}"] = (y - half, y + half)
                        if not chart["coarse"]:
                            told[curve["name"]][f"{_SOMEBODY}{x!r}"] = (1.0, 1.0)
    return told


def _half_step(shares: Sequence[float], *, coarse: bool) -> float:
    """How far a share of a coarse curve may be from what it was before it was rounded."""
    return 0.5 * max(0.05, float(np.gcd.reduce([round(1e6 * y) for y in shares]) / 1e6)) * coarse


def found_in(table: uv.Microdata, sanitizer: Any, wanted: Found) -> dict[str, float]:
    """The same figures of a table as it might be."""
    finding = uv.differential_inference(table, sanitizer, progress=False)
    values: list[Value] = [*finding.figures]
    if "k" in wanted or "gr" in wanted or "one_value" in wanted:
        release = sanitizer.sanitize(table)
    if "k" in wanted:
        values += uv.measures(release).figures
    if "gr" in wanted:
        values += uv.relative_risk(release, table, progress=False).figures
    if "one_value" in wanted:
        values += uv.linkage(release, table, microdata=table).figures
    if "accuracy" in wanted:
        values += uv.inference(sanitizer, table, progress=False).figures
    found = {one.figure.name: one.value for one in values if one.value is not None}
    d = np.sort(finding.tested)
    for name in wanted:
        if name.startswith(_SHARE):
            edge = float(name.removeprefix(_SHARE))
            found[name] = float(np.searchsorted(d, edge * (1 + 1e-9), side="right") / len(d))
        elif name.startswith(_SOMEBODY):
            found[name] = float(np.abs(d - float(name.removeprefix(_SOMEBODY))).min() < 1e-12)
    return found


def _misses(found: Mapping[str, float], wanted: Found) -> float:
    """How far figures are outside of what the report says."""
    total = 0.0
    for name, (low, high) in wanted.items():
        value = found.get(name)
        if value is not None and math.isfinite(value):
            off = max(low - value, value - high, 0.0)
            total += min(1.0, off / max(0.02, 0.1 * abs(high)))
    return total


def by_search(
    attacker: Attacker, reports: Sequence[Mapping[str, Any]], sanitizers: Mapping[str, Any], *,
    steps: int, starts: int, seed: int = 0,
) -> Codes:  # fmt: skip
    """What everybody's value is in most of the permutations that come near to the report."""
    wanted = [
        (sanitizers[name], figures)
        for report in reports
        for name, figures in figures_of(report).items()
        if name in sanitizers
    ]

    def misses(codes: Codes) -> float:
        table = attacker.with_values(codes)
        return sum(_misses(found_in(table, how, told), told) for how, told in wanted)

    votes = np.zeros((len(attacker.table), attacker.table.sensitive.size))
    people = np.arange(len(attacker.table))
    for start in range(starts):
        rng = np.random.default_rng([seed, start])
        codes, off = _annealed(attacker, misses, steps, rng)
        votes[people, codes] += 1 / (0.1 + off)
    # Where nothing was found out the frequencies of the class decide.
    shares = np.zeros_like(votes)
    np.add.at(shares, (attacker.class_of, attacker.truth), 1e-9)
    return (votes + shares[attacker.class_of]).argmax(axis=1)


def _annealed(
    attacker: Attacker, misses: Callable[[Codes], float], steps: int, rng: np.random.Generator
) -> tuple[Codes, float]:
    """Values swapped within classes, as long as that comes nearer to the report."""
    codes = attacker.shuffled(rng)
    off = misses(codes)
    best, least = codes, off
    members = [np.flatnonzero(attacker.class_of == c) for c in np.unique(attacker.class_of)]
    members = [some for some in members if len(set(codes[some])) > 1]
    for step in range(steps):
        if not members or least == 0:
            break
        some = members[rng.integers(len(members))]
        one, other = rng.choice(some, 2, replace=False)
        if codes[one] == codes[other]:
            continue
        tried = codes.copy()
        tried[[one, other]] = codes[[other, one]]
        new = misses(tried)
        heat = 0.3 * (1 - step / steps) + 1e-6
        if new <= off or rng.random() < math.exp((off - new) / heat):
            codes, off = tried, new
            if off < least:
                best, least = codes, off
    return best, least


# How good that is ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Score:
    """How many guesses are right, and how many would be for somebody who has the release alone.

    Attributes
    ----------
    guessed, right : int
    by_class : float
        How many would be right if the most frequent value of each class were guessed.
    chance : array
        How many of the same guesses are right in each of many tables that fit the release.
    """

    guessed: int
    right: int
    by_class: float
    chance: NDArray[np.int64]

    @property
    def p(self) -> float:
        """How likely so many right guesses are, if the report told nothing beyond the release.

        Given the release, all permutations within its classes are then alike.
        """
        return float((1 + (self.chance >= self.right).sum()) / (1 + len(self.chance)))

    def __add__(self, other: Score) -> Score:
        return Score(
            guessed=self.guessed + other.guessed, right=self.right + other.right,
            by_class=self.by_class + other.by_class, chance=self.chance + other.chance,
        )  # fmt: skip


def score_of(attacker: Attacker, guesses: Codes, *, repeats: int = 2000, seed: int = 0) -> Score:
    """The score of guesses, where −1 is none."""
    told, truth = guesses >= 0, attacker.truth
    rng = np.random.default_rng([seed, 99])
    chance = [
        int((shuffled(truth, attacker.class_of, rng) == guesses)[told].sum())
        for _ in range(repeats)
    ]
    most = {c: np.bincount(truth[attacker.class_of == c]).argmax()
            for c in np.unique(attacker.class_of).tolist()}  # fmt: skip
    frequent = np.array([most[c] for c in attacker.class_of.tolist()])
    return Score(
        guessed=int(told.sum()), right=int((truth == guesses)[told].sum()),
        by_class=float((truth == frequent)[told].sum()), chance=np.array(chance, dtype=np.int64),
    )  # fmt: skip
