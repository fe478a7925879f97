"""The experiment of v1, on any table: k-anonymity and ℓ-diversity in three variants.

Each distinct record is tested once, as the report did, by Bernoulli naive Bayes on the relative
encoding; the distance is ½ Σ |p − p'|.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from basic_mondrian import BasicMondrian
from numpy.typing import NDArray
from published import THRESHOLD
from reproduction import (
    check_outputs,
    column_names,
    epsilons,
    new_parser,
    one_number,
    whole_numbers,
)

import unveil as uv
from unveil.engine import workers
from unveil.errors import GoalError, InputError, did_you_mean
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

__all__ = [
    "HEADS",
    "OWN",
    "VARIANTS",
    "Asked",
    "Outcome",
    "Setting",
    "Values",
    "asked",
    "experiment_parser",
    "measure",
    "summary_of",
]

VARIANTS = {
    "text": "basic Mondrian, read as text",
    "number": "basic Mondrian, read as numbers",
    "unveil": "unveil's Mondrian",
    "unveil-cut": "unveil's Mondrian, nodes and cuts",
}
"""What was run, what it would have shown without the slip, and what keeps its promise: publishing
what the members of a class have, or the regions of the cuts, which are hierarchy nodes."""

HEADS = {
    "text": "as text",
    "number": "as numbers",
    "unveil": "unveil",
    "unveil-cut": "unveil, cuts",
}
"""The same, for tables."""

OWN = ("unveil", "unveil-cut")

ADVERSARY = "naive-bayes"
"""The attacker of the reports; by default unveil has others, too."""


_GIVEN = ("over_of_all", "modes_changed", "too_few")


@dataclass(frozen=True)
class Values:
    """Those of k, ℓ and ε that an experiment is about."""

    k: tuple[int, ...]
    l: tuple[int, ...]  # noqa: E741  (it is called l everywhere in this field)
    epsilon: tuple[float, ...] = ()


_PUBLISHED = Values((1, 2, 5, 7, 20, 64, 80), (1, 2, 3, 4, 5, 6, 7))
_QUICK = Values((2, 20), (4,))


@dataclass(frozen=True)
class Setting:
    """One value of k or ℓ; 1 is no sanitization."""

    goal: str
    value: int

    @property
    def label(self) -> str:
        return f"{'k' if self.goal == 'k' else 'ℓ'} = {self.value}"

    def sanitizer(self, variant: str) -> Sanitizer:
        """What is run for it."""
        if self.value == 1:
            return uv.Identity()
        goal: dict[str, Any] = {self.goal: self.value}
        if variant == "unveil":
            return uv.Mondrian(**goal)
        if variant == "unveil-cut":
            return uv.Mondrian(**goal, regions="cut")
        return BasicMondrian(**goal, compare="text" if variant == "text" else "number")


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """What came out of one setting in one variant."""

    setting: Setting
    variant: str
    distances: NDArray[np.float64]
    """Of the distinct records; empty if the table cannot be sanitized this way."""
    refused: str = ""
    """Why not."""
    over_of_all: float = float("nan")
    """The share of *all* records, equal ones counted each, with a distance over the threshold."""
    modes_changed: float = float("nan")
    n_classes: int = 0
    smallest_class: int = 0
    too_few: float = float("nan")
    """The share of the records in classes smaller than k."""
    seconds: float = float("nan")

    def of(self, summary: str) -> float:
        """``delta``, ``mean``, ``std``, ``over`` (the threshold), or another number by its name."""
        if summary in _GIVEN or not len(self.distances):
            return float(getattr(self, summary, float("nan")))
        return summary_of(self.distances, summary)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        numbers = {name: self.of(name) for name in ("delta", "mean", "std", "over")}
        numbers |= {
            "over_of_all": self.over_of_all, "modes_changed": self.modes_changed,
            "in_classes_below_k": self.too_few, "seconds": self.seconds,
        }  # fmt: skip
        return {
            self.setting.goal: self.setting.value,
            "variant": self.variant,
            "tested": len(self.distances),
            "classes": self.n_classes,
            "smallest_class": self.smallest_class,
            **{name: None if value != value else value for name, value in numbers.items()},
        }


def summary_of(distances: NDArray[np.float64], summary: str) -> float:
    """``delta``, ``mean``, ``std`` or ``over`` (the threshold) of some distances.

    >>> summary_of(np.array([0.001, 0.2]), "over")
    0.5
    """
    return {
        "delta": lambda d: float(d.max()),
        "mean": lambda d: float(d.mean()),
        "std": lambda d: float(d.std()),
        "over": lambda d: float((d > THRESHOLD).mean()),
    }[summary](distances)


def measure(
    table: Microdata, settings: Sequence[Setting], variants: Sequence[str], jobs: int | None
) -> Iterator[Outcome]:
    """Every setting in every variant; what is the same in several is computed once."""
    for setting in settings:
        first = None
        for variant in variants:
            if setting.value == 1 and first is not None:
                yield Outcome(**{**vars(first), "variant": variant})
                continue
            first = _measured(table, setting, variant, jobs)
            yield first


def _measured(table: Microdata, setting: Setting, variant: str, jobs: int | None) -> Outcome:
    sanitizer = setting.sanitizer(variant)
    try:
        sizes = cast(Release, sanitizer.sanitize(table)).sizes
    except GoalError as error:
        nobody = np.empty(0)
        return Outcome(setting=setting, variant=variant, distances=nobody, refused=str(error))
    finding = uv.differential_inference(
        table, sanitizer, adversary=ADVERSARY, jobs=jobs, progress=False
    )
    least = setting.value if setting.goal == "k" else 1
    return Outcome(
        setting=setting,
        variant=variant,
        distances=finding.distances[table.distinct],
        over_of_all=finding.share_over(THRESHOLD),
        modes_changed=float(finding.mode_changed[table.distinct].mean()),
        n_classes=len(sizes),
        smallest_class=int(sizes.min()),
        too_few=float(sizes[sizes < least].sum() / len(table)),
        seconds=finding.seconds,
    )


# Options ----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What somebody wants to see, checked."""

    settings: tuple[Setting, ...]
    variants: tuple[str, ...]
    columns: tuple[str, ...] | None
    jobs: int | None
    out: str
    json: str | None
    quick: bool
    epsilons: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        values = {goal: [s.value for s in self.settings if s.goal == goal] for goal in ("k", "l")}
        noise = {"epsilon": [str(epsilon) for epsilon in self.epsilons]} if self.epsilons else {}
        return {**values, **noise, "variants": list(self.variants)}


def experiment_parser(description: str) -> argparse.ArgumentParser:
    """The options of an experiment with k and ℓ."""
    parser = new_parser(description)
    parser.add_argument(
        "--k", metavar="2,5,…", help="values of k; 1 is no sanitization (without --l: only these)"
    )
    parser.add_argument("--l", metavar="2,3,…", help="values of ℓ (without --k: only these)")
    parser.add_argument(
        "--compare", metavar="text|number", help="how ranges are read (default: both, side by side)"
    )
    parser.add_argument("--columns", metavar="age,race,…", help="other quasi-identifiers")
    return parser


def asked(
    options: argparse.Namespace, values: Values = _PUBLISHED, quick: Values = _QUICK
) -> Asked:
    """The options, if they make sense; the values where none of k, ℓ and ε is given."""
    chosen = quick if options.quick else values
    noise = getattr(options, "epsilon", None)  # which not every experiment is about
    if any(given is not None for given in (options.k, options.l, noise)):
        chosen = Values(
            whole_numbers(options.k or "", "--k"),
            whole_numbers(options.l or "", "--l"),
            epsilons(noise or ""),
        )
    settings = (
        *(Setting("k", value) for value in chosen.k),
        *(Setting("l", value) for value in chosen.l),
    )
    if not settings and not chosen.epsilon:
        raise InputError("nothing to do: give values of k or ℓ, such as --k 2,5")
    known = ("text", "number")
    if options.compare is not None and options.compare not in known:
        near = did_you_mean(options.compare, known)
        raise InputError(f"--compare must be text or number, got {options.compare!r}{near}")
    columns = column_names(options.columns)
    jobs = one_number(options.jobs, "--jobs")
    check_outputs(options.out, options.json)
    return Asked(
        settings=settings,
        variants=(*(known if options.compare is None else (options.compare,)), *OWN),
        columns=columns,
        jobs=None if jobs is None else workers(jobs),
        out=options.out,
        json=options.json,
        quick=options.quick,
        epsilons=chosen.epsilon,
    )
