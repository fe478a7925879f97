"""Computing times: the 2019 report's minutes for one value of k, ℓ or ε, and what they are here.

In one run, for the tables of that report (10,000 records of Adult; Internet Usage without country):
sanitizing and learning anew without each record, as the report did, extrapolated from some of them
and on one core; the same test, exact for every record, by the way down that alone changes; and
unveil's own Mondrian. For noisy counts: sampling anew for each record, again extrapolated;
unveil's sampling, each case once; and no sampling at all. The report's machine is not ours: only
the columns measured here can be compared with one another; against the published minutes they say
no more than the order of magnitude.

    python examples/reproductions/computing_times.py
    python examples/reproductions/computing_times.py --k 5 --l 3 --epsilon 1 --sample 200
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from experiment import (
    ADVERSARY,
    Asked,
    Outcome,
    Setting,
    Values,
    asked,
    experiment_parser,
    measure,
)
from noisy_experiment import CUTS, cuts_for, in_parts
from published import ADULT, INTERNET, MINUTES, SAMPLES
from published_sampling import apart, sample
from reproduction import one_number, run, save_json, side_by_side
from two_tables import TwoTables

import unveil as uv
from unveil.engine import Progress
from unveil.errors import InputError
from unveil.microdata import Microdata

_SAMPLE, _QUICK_SAMPLE = 60, 10
_GOALS = {"k": "k-anonymity", "l": "ℓ-diversity", "epsilon": "noisy counts"}
_VALUES = Values((2, 5, 7, 20, 64, 80), (2, 3, 4, 5, 6, 7), (0.1, 0.5, 1.0))
_QUICK = Values((2, 20), (4,), (1.0,))
_MACHINES = "Machines differ: ratios to the published minutes are orders of magnitude, no more."


@dataclass(frozen=True)
class Times:
    """Seconds for one value of k or ℓ: the mean over the values."""

    data: str
    goal: str
    anew: float
    fast: float
    own: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "data": self.data,
            "goal": self.goal,
            "published_minutes": MINUTES[self.data][self.goal],
            "anew_minutes": self.anew / 60,
            "fast_seconds": self.fast,
            "unveil_seconds": None if self.own != self.own else self.own,
        }


@dataclass(frozen=True)
class NoisyTimes:
    """Seconds for one value of ε: the mean over the values."""

    data: str
    anew: float
    sampled: float
    direct: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "data": self.data,
            "goal": "epsilon",
            "published_minutes": MINUTES[self.data]["epsilon"],
            "anew_minutes": self.anew / 60,
            "sampled_seconds": self.sampled,
            "direct_seconds": self.direct,
        }


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _parser().parse_args(words)
    wanted = asked(options, _VALUES, _QUICK)
    if wanted.columns is not None:
        raise InputError("--columns: times were published for the report's own columns alone")
    sample_size = one_number(options.sample, "--sample")
    sample_size = sample_size or (_QUICK_SAMPLE if wanted.quick else _SAMPLE)
    two = TwoTables.asked(None, None, options.data, 0)
    tables = {ADULT: two.read("adult"), INTERNET: two.read("internet_usage")}
    _compile(wanted, tables[INTERNET])
    found = list(_times(wanted, tables, sample_size))
    if found:
        _print(found, sample_size)
    noisy = list(_noisy_times(wanted, tables, sample_size))
    if noisy:
        _print_noisy(noisy, sample_size)
    settings = wanted.to_dict() | {"sample": sample_size}
    save_json(wanted.json, "computing_times", settings, [t.to_dict() for t in (*found, *noisy)])


def _print(found: Sequence[Times], sample_size: int) -> None:
    side_by_side(
        "Computing time for one value of k or ℓ",
        ["", "published", "anew", "fast", "unveil's own", "published / anew", "published / fast",
         "anew / fast", "fast / unveil's own"],
        [_row(times) for times in found],
        [
            "published: for all records, on the authors' machine.",
            f"anew: basic Mondrian and adversary run again without each record, on one core, "
            f"extrapolated from {sample_size} records.",
            "fast: the same test of every record, exact; unveil's own: with the Mondrian that "
            "keeps k.",
            _MACHINES,
        ],
    )  # fmt: skip


def _print_noisy(found: Sequence[NoisyTimes], sample_size: int) -> None:
    rows = []
    for times in found:
        minutes = MINUTES[times.data]["epsilon"]
        rows.append([
            f"{times.data}, {_GOALS['epsilon']}", f"{minutes} min", f"{times.anew / 60:.1f} min",
            f"{times.sampled:.1f} s", f"{times.direct:.3f} s", _ratio(minutes * 60, times.anew),
            _ratio(minutes * 60, times.direct), _ratio(times.anew, times.sampled),
            _ratio(times.anew, times.direct),
        ])  # fmt: skip
    side_by_side(
        "Computing time for one value of ε",
        ["", "published", "anew", "sampled", "direct", "published / anew", "published / direct",
         "anew / sampled", "anew / direct"],
        rows,
        [
            "published: for all records, on the authors' machine.",
            f"anew: {SAMPLES:,} samples with and without each distinct record, on one core, "
            f"extrapolated from {sample_size} records.",
            "sampled: unveil's, as many samples, records with the same counts once; direct: "
            "without sampling.",
            _MACHINES,
        ],
    )  # fmt: skip


def _times(wanted: Asked, tables: dict[str, Microdata], sample: int) -> Iterator[Times]:
    variants = (wanted.variants[0], "unveil")
    settings = [setting for setting in wanted.settings if setting.value > 1]
    total = sum(len(settings) * len(table.distinct) for table in tables.values())
    with Progress("measuring", total) as progress:
        for data, table in tables.items():
            for goal in ("k", "l"):
                some = [setting for setting in settings if setting.goal == goal]
                if not some:
                    continue
                outcomes: list[Outcome] = []
                anew = []
                for setting in some:
                    outcomes += measure(table, [setting], variants, wanted.jobs)
                    anew.append(_anew(table, setting, variants[0], sample))
                    progress.advance(len(table.distinct))
                yield Times(data, goal, fmean(anew), *(_mean(outcomes, v) for v in variants))


def _anew(table: Microdata, setting: Setting, variant: str, sample: int) -> float:
    """Seconds to run everything again without each distinct record, from some of them."""
    rng = np.random.default_rng(0)
    some = rng.choice(table.distinct, min(sample, len(table.distinct)), replace=False)
    finding = uv.differential_inference(
        table,
        setting.sanitizer(variant),
        adversary=ADVERSARY,
        targets=some,
        path="general",
        jobs=1,
        progress=False,
    )
    return finding.seconds / len(some) * len(table.distinct)


def _noisy_times(
    wanted: Asked, tables: dict[str, Microdata], sample_size: int
) -> Iterator[NoisyTimes]:
    if not wanted.epsilons:
        return
    total = sum(len(wanted.epsilons) * len(table) for table in tables.values())
    with Progress("measuring", total) as progress:
        for data, table in tables.items():
            parts = in_parts(table, cuts_for(table, {}, CUTS))
            times: list[tuple[float, float, float]] = []
            for epsilon in wanted.epsilons:
                sampled, direct = (
                    _seconds(parts, epsilon, samples, wanted.jobs) for samples in (SAMPLES, None)
                )
                times.append((_sampled_anew(parts, epsilon, sample_size), sampled, direct))
                progress.advance(len(table))
            yield NoisyTimes(data, *(fmean(some) for some in zip(*times, strict=True)))


def _seconds(table: Microdata, epsilon: float, samples: int | None, jobs: int | None) -> float:
    """How long unveil's own test of noisy counts takes."""
    sanitizer = uv.LaplaceCounts(epsilon=epsilon)
    finding = uv.differential_inference(
        table, sanitizer, samples=samples, jobs=jobs, progress=False
    )
    return finding.seconds


def _sampled_anew(table: Microdata, epsilon: float, sample_size: int) -> float:
    """Seconds to count and sample for each distinct record on its own, from some of them."""
    rng = np.random.default_rng(0)
    some = rng.choice(table.distinct, min(sample_size, len(table.distinct)), replace=False)
    codes, secrets = table.codes, table.sensitive.codes
    started = time.perf_counter()
    for record in some.tolist():
        alike = (codes == codes[:, [record]]).all(axis=0)
        counts = np.bincount(secrets[alike], minlength=table.sensitive.size)
        apart(*sample(counts, int(secrets[record]), epsilon, SAMPLES, rng))
    return (time.perf_counter() - started) / len(some) * len(table.distinct)


def _mean(outcomes: Sequence[Outcome], variant: str) -> float:
    done = [o.seconds for o in outcomes if o.variant == variant and o.seconds == o.seconds]
    return fmean(done) if done else float("nan")


def _row(times: Times) -> list[str]:
    published = MINUTES[times.data][times.goal]
    own = "–" if times.own != times.own else f"{times.own:.2f} s"
    return [
        f"{times.data}, {_GOALS[times.goal]}", f"{published} min", f"{times.anew / 60:.1f} min",
        f"{times.fast:.2f} s", own, _ratio(published * 60, times.anew),
        _ratio(published * 60, times.fast), _ratio(times.anew, times.fast),
        _ratio(times.fast, times.own),
    ]  # fmt: skip


def _ratio(seconds: float, other: float) -> str:
    """How many times as long, with two digits: clocks are not better than that."""
    return "–" if other != other else f"{float(f'{seconds / other:.1e}'):,g} ×"


def _compile(wanted: Asked, table: Microdata) -> None:
    """Have everything compiled before the clock runs."""
    few = table.take(range(200))
    list(measure(few, [Setting("k", 2), Setting("l", 2)], wanted.variants, wanted.jobs))
    if wanted.epsilons:
        parts = in_parts(few, cuts_for(few, {}, CUTS))
        for samples in (2, None):
            uv.differential_inference(parts, uv.LaplaceCounts(epsilon=1), samples=samples)


def _parser() -> argparse.ArgumentParser:
    parser = experiment_parser(__doc__)
    parser.add_argument("--epsilon", metavar="0.1,1", help="values of ε (alone: only these)")
    parser.add_argument(
        "--sample", metavar="N", help=f"records to extrapolate from (default: {_SAMPLE})"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
