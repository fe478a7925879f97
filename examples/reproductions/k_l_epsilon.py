"""k, ℓ and ε side by side, as the 2019 report compares them: worst case, average and mode.

k in 2, 4, …, 128, ℓ in 2, …, 7 and ε in 0.1, 0.5, 1 and ∞ (no noise), for Internet Usage without
country and for one draw of Adult. k-anonymity and ℓ-diversity by the *basic* Mondrian, read as
text and as numbers, and by unveil's own, against naive Bayes; noisy counts against smoothed
frequencies, worked out without sampling. These are different adversaries, and the noisy counts
have ages and hours in parts: compare the shapes of the curves, and levels with care.

    python examples/reproductions/k_l_epsilon.py
    python examples/reproductions/k_l_epsilon.py --table adult --k 3,30 --epsilon 0.2,5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiment import Asked, Outcome, Values, asked, experiment_parser, measure
from experiment_pictures import draw_all
from experiment_tables import print_tables
from families_picture import draw_families
from noisy_experiment import CUTS, Noise, Noisy, cuts_for, in_parts, measure_noise
from noisy_pictures import draw_distributions
from published import THRESHOLD_TEXT
from reproduction import one_number, percent, run, save_json, shown, side_by_side
from two_tables import TwoTables, table_options

from unveil.engine import Progress
from unveil.microdata import Microdata

_VALUES = Values((2, 4, 8, 16, 32, 64, 128), (2, 3, 4, 5, 6, 7), (0.1, 0.5, 1.0, float("inf")))
_QUICK = Values((2, 128), (4,), (0.1, float("inf")))


def main(words: Sequence[str] | None = None) -> None:
    """Test, print, draw."""
    options = _parser().parse_args(words)
    wanted = asked(options, _VALUES, _QUICK)
    seed = one_number(options.seed, "--seed", least=0) or 0
    two = TwoTables.asked(options.table, wanted.columns, options.data, seed)
    tables = {name: two.read(name) for name in two.names}
    results = []
    for name, table in tables.items():
        outcomes, noisy = _measured(wanted, table)
        title, picture = two.title(name), f"k_l_epsilon-{name}"
        if outcomes:
            remark = f"Each of the {len(table.distinct):,} distinct records tested once."
            print_tables(outcomes, wanted, title, None, remark)
            draw_all(outcomes, wanted.out, picture, title, None)
        if noisy:
            _print_noisy(title, noisy)
            draw_distributions({title: noisy}, wanted.out, f"{picture}-noisy")
        draw_families(outcomes, noisy, wanted.out, f"{picture}-families", title)
        results += [{"table": name, **o.to_dict()} for o in (*outcomes, *noisy)]
    settings = wanted.to_dict() | {"columns": wanted.columns, "seed": seed}
    save_json(wanted.json, "k_l_epsilon", settings, results)


def _measured(wanted: Asked, table: Microdata) -> tuple[list[Outcome], list[Noisy]]:
    n, outcomes = len(table.distinct), []
    parts = in_parts(table, cuts_for(table, {}, CUTS)) if wanted.epsilons else table
    with Progress("testing", n * len(wanted.settings) * len(wanted.variants)) as progress:
        for outcome in measure(table, wanted.settings, wanted.variants, wanted.jobs):
            outcomes.append(outcome)
            progress.advance(n)
    noisy = [measure_noise(parts, Noise(e, 0), wanted.jobs) for e in wanted.epsilons]
    return outcomes, noisy


def _print_noisy(title: str, noisy: Sequence[Noisy]) -> None:
    rows = [
        [
            o.noise.label, *(shown(o.of(what), 4) for what in ("delta", "mean", "std")),
            percent(o.of("over")), percent(o.modes_changed),
        ]
        for o in noisy
    ]  # fmt: skip
    n = len(noisy[0].distances["direct"])
    side_by_side(
        f"{title}: noisy counts, without sampling",
        ["", "δ", "mean", "std", f"> {THRESHOLD_TEXT}", "modes change"],
        rows,
        [
            f"{n:,} distinct records, ages and hours in the parts up to 20, 40, 60 and above.",
            "One record less leaves the largest count the largest, or as large as the next: no "
            "mode changes.",
        ],
    )


def _parser() -> argparse.ArgumentParser:
    parser = experiment_parser(__doc__)
    parser.add_argument("--epsilon", metavar="0.1,inf", help="values of ε; inf is no noise")
    table_options(parser)
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
