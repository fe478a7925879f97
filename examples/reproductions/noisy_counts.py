"""Noisy counts (differential privacy) as in the 2019 report: sampled as it did, and directly.

Laplace noise of scale 1/ε on the counts of every combination of quasi-identifiers, for Internet
Usage without country and for random draws of Adult. The report samples 25,000 times with and
without each record. Side by side: its method, whose distances are too large on average; unveil's
sampling, which is corrected for that; and the same distances worked out without any sampling.

Ages and hours are put into parts that *end* with the cuts: 20,40,60 is up to 20, 21 to 40, 41 to
60, and above, by which the survey has 2,926 distinct records in 927 cases. (unveil's own option
--cuts says where parts begin.)

    python examples/reproductions/noisy_counts.py
    python examples/reproductions/noisy_counts.py --table adult --epsilon 0.2,2 --samples 5000
    python examples/reproductions/noisy_counts.py --table internet_usage --cuts age=30,50
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

import numpy as np
from noisy_experiment import HOW, Noise, Noisy, cuts_for, cuts_named, in_parts, measure_noise
from noisy_pictures import draw_distributions, draw_summaries, draw_tails
from published import ADULT, SAMPLES, THRESHOLD_TEXT
from published_sampling import cases_of
from reproduction import (
    check_outputs,
    column_names,
    epsilons,
    new_parser,
    one_number,
    percent,
    run,
    save_json,
    shown,
    side_by_side,
)
from two_tables import COLUMNS, TwoTables, table_options

from unveil.engine import Progress, workers
from unveil.errors import InputError
from unveil.microdata import Microdata

EPSILONS, DRAWS = "0.1,0.5,1,inf", 20
_QUICK_SAMPLES, _QUICK_DRAWS = 1000, 3


def main(words: Sequence[str] | None = None) -> None:
    """Test, print, draw."""
    options = _parser().parse_args(words)
    noise, draws, jobs = _asked(options)
    cuts, columns = cuts_named(options.cuts), column_names(options.columns)
    known = columns or {name for some in COLUMNS.values() for name in some}
    asked = TwoTables.asked(options.table, columns, options.data, noise[0].seed)
    tables = {}
    for name in asked.names:
        some = list(asked.draws(name, draws))
        mine = cuts_for(some[0], cuts, known)
        tables[name] = [in_parts(table, mine) for table in some]
    found = _measured({name: some[0] for name, some in tables.items()}, noise, jobs)
    by_title = {asked.title(name): some for name, some in found.items()}
    for name, some in found.items():
        _print(asked.title(name), tables[name][0], some)
    if len(tables.get("adult", [])) > 1:
        _print_draws(tables["adult"], noise, jobs)
    draw_distributions(by_title, options.out, "noisy_counts")
    draw_summaries(by_title, options.out, "noisy_counts")
    first, outcomes = next(iter(by_title.items()))
    finite = [o for o in outcomes if np.isfinite(o.noise.epsilon)]
    if finite:  # without noise nothing depends on chance
        most = max(finite, key=lambda o: o.noise.epsilon)
        draw_tails(most, first, options.out, "noisy_counts")
    settings = {
        "samples": noise[0].samples, "seed": noise[0].seed, "draws": draws,
        "columns": columns, "cuts": cuts,
    }  # fmt: skip
    results = [{"table": name, **o.to_dict()} for name, some in found.items() for o in some]
    save_json(options.json, "noisy_counts", settings, results)


def _measured(
    tables: Mapping[str, Microdata], noise: Sequence[Noise], jobs: int | None
) -> dict[str, list[Noisy]]:
    found: dict[str, list[Noisy]] = {name: [] for name in tables}
    total = sum(len(table.distinct) for table in tables.values()) * len(noise)
    with Progress("testing", total) as progress:
        for name, table in tables.items():
            # Compiled, and the cells counted, before any clock runs.
            measure_noise(table.take(range(min(50, len(table)))), Noise(1.0, 2), jobs)
            for one in noise:
                found[name].append(measure_noise(table, one, jobs))
                progress.advance(len(table.distinct))
    return found


def _print(title: str, table: Microdata, outcomes: Sequence[Noisy]) -> None:
    records = table.distinct
    n_cases = len(cases_of(table, records).counts)
    samples = outcomes[0].noise.samples
    rows = [
        [
            o.noise.label,
            *(shown(o.of(what, how), 4) for what in ("delta", "mean") for how in HOW),
            *(percent(o.of("over", how)) for how in ("published", "direct")),
            shown(float(o.floor.mean()), 4), shown(float(o.error.max()), 4), percent(o.outside),
        ]
        for o in outcomes
    ]  # fmt: skip
    over = f"> {THRESHOLD_TEXT}"
    side_by_side(
        f"{title}, noisy counts: {len(records):,} distinct records in {n_cases:,} cases",
        ["", "δ published", "corrected", "direct", "mean published", "corrected", "direct",
         f"{over} published", "direct", "floor", "error", "outside"],
        rows,
        [
            f"published: {samples:,} samples with and without each case, by order statistics; "
            "corrected: unveil's sampling; direct: worked out.",
            "floor: the mean of what is published for two samples of the same beliefs. error: of "
            "the corrected, at most, with 95 % confidence;",
            "outside: the share of the corrected that are farther from the direct ones than that.",
        ],
        emphasis=["direct"],
    )  # fmt: skip
    rows = [
        [
            o.noise.label, *(shown(o.of("std", how), 4) for how in HOW), percent(o.modes_changed),
            *(f"{o.seconds[how]:.3g} s" for how in HOW),
        ]
        for o in outcomes
    ]  # fmt: skip
    side_by_side(
        f"{title}, noisy counts: spread, modes and times",
        ["", "std published", "corrected", "direct", "modes change", "time published", "corrected",
         "direct"],
        rows,
        [
            "modes change: whether another value is the most likely one, of the expected beliefs.",
            "times: of all records; published with its floor, each case sampled once.",
        ],
    )  # fmt: skip


def _print_draws(tables: Sequence[Microdata], noise: Sequence[Noise], jobs: int | None) -> None:
    """What another draw of Adult would have said, without sampling."""
    rows = []
    for one in noise:
        found = [measure_noise(t, Noise(one.epsilon, 0), jobs) for t in tables]
        cells = []
        for what in ("delta", "mean", "over"):
            write = percent if what == "over" else lambda value: shown(value, 4)
            values = [o.of(what) for o in found]
            low, middle, high = min(values), float(np.median(values)), max(values)
            cells.append(f"{write(middle)} ({write(low)} to {write(high)})")
        rows.append([one.label, *cells])
    sizes = [len(t.distinct) for t in tables]
    side_by_side(
        f"{ADULT}, noisy counts without sampling: median and range over {len(tables)} draws",
        ["", "δ", "mean", f"> {THRESHOLD_TEXT}"],
        rows,
        [f"From {min(sizes):,} to {max(sizes):,} distinct records of {len(tables[0]):,}."],
    )


# Options ----------------------------------------------------------------------------------------


def _asked(options: argparse.Namespace) -> tuple[list[Noise], int, int | None]:
    """For which ε, over how many draws, and on how many threads."""
    samples = one_number(options.samples, "--samples", least=2)
    samples = samples or (_QUICK_SAMPLES if options.quick else SAMPLES)
    seed = one_number(options.seed, "--seed", least=0) or 0
    noise = [Noise(epsilon, samples, seed) for epsilon in epsilons(options.epsilon)]
    if not noise:
        raise InputError("nothing to do: give values of ε, such as --epsilon 0.1,inf")
    draws = one_number(options.draws, "--draws") or (_QUICK_DRAWS if options.quick else DRAWS)
    jobs = one_number(options.jobs, "--jobs")
    check_outputs(options.out, options.json)
    return noise, draws, None if jobs is None else workers(jobs)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument(
        "--epsilon", metavar="0.1,inf", default=EPSILONS,
        help=f"values of ε; inf is no noise (default: {EPSILONS})",
    )  # fmt: skip
    parser.add_argument("--samples", metavar="N", help=f"with and without (default: {SAMPLES:,})")
    parser.add_argument(
        "--cuts", metavar="age=20,40,60", action="append", default=[],
        help="the whole numbers that parts of a column end with (default: 20, 40, 60 for ages and "
        "for hours); may be given again for another column",
    )  # fmt: skip
    parser.add_argument("--columns", metavar="age,race,…", help="other quasi-identifiers")
    parser.add_argument(
        "--draws", metavar="N",
        help=f"of Adult; the first is sampled, all are worked out (default: {DRAWS})",
    )  # fmt: skip
    table_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
