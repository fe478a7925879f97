"""Internet Usage: Tables 3 and 4 of the 2018 report, to the printed digit, and what is behind them.

The report tested the 9,506 distinct records of 9,799, with a *basic* Mondrian, and compared ages as
text. Side by side: what it prints; the same, recomputed; the same with ages compared as numbers;
and unveil's own Mondrian, which keeps k. Then all of it without country, as in the 2019 report.

    python examples/reproductions/internet_usage.py
    python examples/reproductions/internet_usage.py --k 3,10,30 --compare number --columns age,race
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from experiment import Asked, Outcome, asked, experiment_parser, measure
from experiment_pictures import draw_all
from experiment_tables import print_tables
from published import INTERNET
from reproduction import data_folder, run, save_json

import unveil as uv
from unveil.engine import Progress
from unveil.microdata import Microdata

SIX = ("age", "country", "education_attainment", "major_occupation", "marital_status", "race")
FILE = "internet_usage/internet.data"
FIVE = tuple(name for name in SIX if name != "country")

_TITLES = {SIX: INTERNET, FIVE: f"{INTERNET} without country"}


def main(words: Sequence[str] | None = None) -> None:
    """Test, print, draw."""
    options = experiment_parser(__doc__).parse_args(words)
    wanted, folder = asked(options), data_folder(options.data, FILE)
    if wanted.columns is not None:
        columns = {"internet_usage": wanted.columns}
    else:
        columns = {"internet_usage": SIX} | ({} if wanted.quick else {"without_country": FIVE})
    tables = {name: _read(folder, quasi) for name, quasi in columns.items()}
    results = []
    for name, table in tables.items():
        outcomes = _measured(wanted, table)
        data = INTERNET if columns[name] == SIX else None
        title = _TITLES.get(columns[name], f"{INTERNET} by {', '.join(columns[name])}")
        n = len(table.distinct)
        remark = f"Each of the {n:,} distinct records tested once. 1 is no sanitization."
        print_tables(outcomes, wanted, title, data, remark)
        draw_all(outcomes, wanted.out, name, title, data)
        results += [{"columns": columns[name], **outcome.to_dict()} for outcome in outcomes]
    save_json(wanted.json, "internet_usage", wanted.to_dict(), results)


def _read(folder: Path, columns: Sequence[str]) -> Microdata:
    return uv.datasets.internet_usage(folder, quasi=columns)


def _measured(wanted: Asked, table: Microdata) -> list[Outcome]:
    n, outcomes = len(table.distinct), []
    with Progress("testing", n * len(wanted.settings) * len(wanted.variants)) as progress:
        for outcome in measure(table, wanted.settings, wanted.variants, wanted.jobs):
            outcomes.append(outcome)
            progress.advance(n)
    return outcomes


if __name__ == "__main__":
    sys.exit(run(main))
