"""Computing times: the 2019 report's minutes for one value of k or ℓ, and what they are here.

In one run, for the tables of that report (10,000 records of Adult; Internet Usage without country):
sanitizing and learning anew without each record, as the report did, extrapolated from some of them
and on one core; the same test, exact for every record, by the way down that alone changes; and
unveil's own Mondrian. The report's machine is not ours: only the columns measured here can be
compared with one another; against the published minutes they say no more than the order of
magnitude.

    python examples/reproductions/computing_times.py
    python examples/reproductions/computing_times.py --k 5 --l 3 --sample 200
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from adult import FILES, RECORDS, drawn
from experiment import Asked, Outcome, Setting, asked, experiment_parser, measure
from internet_usage import FILE, FIVE
from published import ADULT, INTERNET, MINUTES
from reproduction import data_folder, one_number, run, save_json, side_by_side

import unveil as uv
from unveil.engine import Progress
from unveil.errors import InputError
from unveil.microdata import Microdata

_SAMPLE, _QUICK_SAMPLE = 60, 10
_GOALS = {"k": "k-anonymity", "l": "ℓ-diversity"}


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


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = _parser().parse_args(words)
    wanted, folder = asked(options), data_folder(options.data, FILE, *FILES)
    if wanted.columns is not None:
        raise InputError("--columns: times were published for the report's own columns alone")
    sample = one_number(options.sample, "--sample") or (_QUICK_SAMPLE if wanted.quick else _SAMPLE)
    tables = {
        ADULT: drawn(uv.datasets.adult(folder), RECORDS, 0, 0),
        INTERNET: uv.datasets.internet_usage(folder, quasi=FIVE),
    }
    _compile(wanted, folder)
    found = list(_times(wanted, tables, sample))
    side_by_side(
        "Computing time for one value of k or ℓ",
        ["", "published", "anew", "fast", "unveil's own", "published / anew", "published / fast",
         "anew / fast", "fast / unveil's own"],
        [_row(times) for times in found],
        [
            "published: for all records, on the authors' machine.",
            f"anew: basic Mondrian and adversary run again without each record, on one core, "
            f"extrapolated from {sample} records.",
            "fast: the same test of every record, exact; unveil's own: with the Mondrian that "
            "keeps k.",
            "Machines differ: ratios to the published minutes are orders of magnitude, no more.",
        ],
    )  # fmt: skip
    settings = wanted.to_dict() | {"sample": sample}
    save_json(wanted.json, "computing_times", settings, [times.to_dict() for times in found])


def _times(wanted: Asked, tables: dict[str, Microdata], sample: int) -> Iterator[Times]:
    variants = (wanted.variants[0], "unveil")
    settings = [setting for setting in wanted.settings if setting.value > 1]
    total = sum(len(settings) * len(table.distinct) for table in tables.values())
    with Progress("measuring", total) as progress:
        for data, table in tables.items():
            for goal in _GOALS:
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
        table, setting.sanitizer(variant), targets=some, path="general", n_jobs=1, progress=False
    )
    return finding.seconds / len(some) * len(table.distinct)


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


def _compile(wanted: Asked, folder: Path) -> None:
    """Have everything compiled before the clock runs."""
    few = uv.datasets.internet_usage(folder, quasi=FIVE).take(range(200))
    list(measure(few, [Setting("k", 2), Setting("l", 2)], wanted.variants, wanted.jobs))


def _parser() -> argparse.ArgumentParser:
    parser = experiment_parser(__doc__)
    parser.add_argument(
        "--sample", metavar="N", help=f"records to extrapolate from (default: {_SAMPLE})"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
