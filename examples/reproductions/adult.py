"""Adult: Tables 1 and 2 and Figures 3 to 7 of the 2018 report, over many random draws.

The report tested 10,000 records drawn at random from the 45,222 complete ones, and does not say
which. So here are many such draws, and for everything it prints the median and the range over them,
with the same *basic* Mondrian, ages and hours compared as text and as numbers, and with unveil's
own Mondrian, which keeps k.

    python examples/reproductions/adult.py
    python examples/reproductions/adult.py --draws 5 --records 2000 --k 3,10 --l 2
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from experiment import Asked, Outcome, asked, experiment_parser, measure
from experiment_pictures import draw_all
from experiment_tables import print_tables
from published import ADULT
from reproduction import data_folder, one_number, run, save_json

import unveil as uv
from unveil.engine import Progress
from unveil.errors import InputError
from unveil.microdata import Kind, Microdata

QUASI = ("age", "education", "marital_status", "hours_per_week", "native_country")
FILES = ("adult/adult.data", "adult/adult.test")
RECORDS, DRAWS, QUICK_DRAWS = 10_000, 20, 2


def main(words: Sequence[str] | None = None) -> None:
    """Draw, test, print, and draw pictures."""
    options = _parser().parse_args(words)
    wanted, folder = asked(options), data_folder(options.data, *FILES)
    draws = one_number(options.draws, "--draws") or (QUICK_DRAWS if wanted.quick else DRAWS)
    seed = one_number(options.seed, "--seed", least=0) or 0
    table = uv.datasets.adult(folder, quasi=wanted.columns or QUASI)
    n = one_number(options.records, "--records", least=2) or RECORDS
    if n > len(table):
        raise InputError(f"--records {n}: the table has {len(table):,} records to draw from")
    outcomes = _measured(wanted, table, n, draws, seed)
    same = n == RECORDS and wanted.columns in (None, QUASI)
    title = f"{ADULT}, {n:,} of {len(table):,} records"
    remark = (
        f"Median and range over {draws} random draws, each distinct record tested once. "
        "1 is no sanitization."
    )
    data = ADULT if same else None
    print_tables([o for some in outcomes for o in some], wanted, title, data, remark)
    draw_all([o for some in outcomes for o in some], wanted.out, "adult", title, data)
    settings = wanted.to_dict() | {
        "columns": wanted.columns or QUASI, "records": n, "draws": draws, "seed": seed,
    }  # fmt: skip
    results = [{"draw": d, **o.to_dict()} for d, some in enumerate(outcomes) for o in some]
    save_json(wanted.json, "adult", settings, results)


def drawn(table: Microdata, n: int, seed: int, draw: int) -> Microdata:
    """So many records at random, as if nobody had ever seen the others.

    The whole domain of a numeric column is where the basic Mondrian begins, so it must not keep
    values that only others have.
    """
    rng = np.random.default_rng([seed, draw])
    some = table.take(np.sort(rng.choice(len(table), n, replace=False)))
    columns = []
    for column in some.columns:
        if column.kind is Kind.NUMERIC:
            values, codes = np.unique(column.decode(), return_inverse=True)
            column = replace(column, values=values, codes=codes.astype(np.int32))
        columns.append(column)
    return replace(some, columns=tuple(columns))


def _measured(
    wanted: Asked, table: Microdata, n: int, draws: int, seed: int
) -> list[list[Outcome]]:
    outcomes: list[list[Outcome]] = [[] for _ in range(draws)]
    with Progress("testing", n * draws * len(wanted.settings) * len(wanted.variants)) as progress:
        for draw, found in enumerate(outcomes):
            some = drawn(table, n, seed, draw)
            for outcome in measure(some, wanted.settings, wanted.variants, wanted.jobs):
                found.append(outcome)
                progress.advance(n)
    return outcomes


def _parser() -> argparse.ArgumentParser:
    parser = experiment_parser(__doc__)
    parser.add_argument("--draws", metavar="N", help=f"how many (default: {DRAWS})")
    parser.add_argument("--records", metavar="N", help=f"of each draw (default: {RECORDS:,})")
    parser.add_argument("--seed", metavar="N", help="on which the draws hang (default: 0)")
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
