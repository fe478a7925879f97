"""Relative risk: the published experiment on 5,692 rows of Adult, by several ways to anonymize.

The paper (Boreale, Corradi and Viscardi) took 5,692 rows of Adult and anonymized them with ARX for
k = 4, 5 and 10. It says neither which rows, nor which hierarchies and which measure of loss ARX was
given, nor α, β and how long its chains were. So its figures are an order of magnitude and no
target: here are random rows, as many, of the table and with the hierarchies that come with ARX, and
next to full-domain recoding the other ways to make groups, whose sets overlap in part.

    python examples/reproductions/relative_risk.py
    python examples/reproductions/relative_risk.py --draws 1 --k 5 --beta 1 --schemes mondrian,local
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from published import RELATIVE_RISK
from reproduction import (
    data_folder,
    new_parser,
    one_number,
    percent,
    run,
    save_json,
    side_by_side,
    whole_numbers,
)

import unveil as uv
from unveil.errors import GoalError, InputError, did_you_mean
from unveil.microdata import AnyRelease, Microdata, Permuted

QUASI = ("sex", "race", "marital-status", "education", "native-country", "workclass",
         "salary-class")  # fmt: skip
SENSITIVE = "occupation"
FILE = "adult_arx/adult.csv"
RECORDS, DRAWS, KS = 5_692, 3, (4, 5, 10)
BUDGET = "2 min"

SCHEMES: dict[str, tuple[str, Callable[[int], uv.Sanitizer]]] = {
    "recoding": ("full-domain recoding", lambda k: uv.Recoding(k=k)),
    "suppressing": (
        "full-domain, 5 % suppressed", lambda k: uv.Recoding(k=k, suppression=0.05)
    ),
    "mondrian": ("strict Mondrian", lambda k: uv.Mondrian(k=k)),
    "local": ("local recoding", lambda k: uv.Recoding(k=k, scheme="local")),
    "anatomy": ("Anatomy, ℓ instead of k", lambda k: uv.Anatomy(l=k)),
}  # fmt: skip
REASONS = (
    "N_L, N_A: rows at risk. Learner, attacker: rows whose occupation they guess right. p_A/p_L: "
    "the largest of a row at risk under the attacker.",
    "Published: one table each for k = 4, 5 and 10, made by ARX; average group sizes from 38 to "
    "355.",
    "Why no more than the order of magnitude can agree: the paper does not say which 5,692 rows it "
    "took, ",
    "which hierarchies, limit of suppression and measure of loss ARX had (GR hangs on the size of "
    "groups ",
    "more than on k), how ties were counted, nor α, β and the length of its chains. The largest "
    "ratio hangs on β: ",
    "a large one draws the learner's beliefs about rare tuples together, and leaves the "
    "attacker's alone.",
    "Median over the draws, and the range of GR. Full-domain recoding and strict Mondrian need no "
    "sampling.",
)


@dataclass(frozen=True)
class Outcome:
    """One release of one draw."""

    scheme: str
    k: int
    draw: int
    beta: float
    groups: int
    how: str
    converged: bool
    n_learner: float
    n_attacker: float
    gr_raw: float
    accuracy: float
    learner_accuracy: float
    largest: float | None
    seconds: float


def main(words: Sequence[str] | None = None) -> None:
    """Draw, anonymize, attack, print."""
    options = _parser().parse_args(words)
    folder = data_folder(options.data, FILE)
    ks = whole_numbers(options.k, "--k", least=2) if options.k else KS
    draws = one_number(options.draws, "--draws") or (1 if options.quick else DRAWS)
    n = one_number(options.records, "--records", least=20) or (600 if options.quick else RECORDS)
    seed = one_number(options.seed, "--seed", least=0) or 0
    schemes = _schemes(options.schemes)
    table = adult(folder)
    if n > len(table):
        raise InputError(f"--records {n}: the table has {len(table):,} records to draw from")
    tables = [
        table.take(
            np.sort(np.random.default_rng([seed, draw]).choice(len(table), n, replace=False))
        )
        for draw in range(draws)
    ]
    model = {
        "alpha": _above_zero(options.alpha, "--alpha"), "ties": options.ties,
        "likelihood": options.likelihood, "domain": options.domain,
    }  # fmt: skip
    betas = [_above_zero(word, "--beta") for word in options.beta.split(",")]
    found = []
    for beta in betas:
        outcomes, failed = _all(tables, schemes, ks, {**model, "beta": beta})
        _print(outcomes, n, draws, {**model, "beta": beta}, failed)
        found += outcomes
    settings = {"k": ks, "records": n, "draws": draws, "seed": seed, "quasi": QUASI, **model}
    save_json(options.json, "relative_risk", settings, [asdict(one) for one in found])


def _all(
    tables: Sequence[Microdata], schemes: Sequence[str], ks: Sequence[int], model: dict[str, Any]
) -> tuple[list[Outcome], list[str]]:
    """What was found, and which goals a table could not meet."""
    found, failed = [], []
    for draw, table in enumerate(tables):
        for scheme in schemes:
            for k in ks:
                try:
                    found.append(measured(table, scheme, k, draw, model))
                except GoalError as error:
                    failed.append(f"{SCHEMES[scheme][0]}, k = {k}: {error}")
    return found, list(dict.fromkeys(failed))


def adult(folder: Path) -> Microdata:
    """ARX's Adult table with ARX's hierarchies."""
    trees = {
        name: folder / "adult_arx" / "hierarchies" / f"adult_hierarchy_{name}.csv" for name in QUASI
    }
    return uv.read_csv(
        folder / FILE, quasi=list(QUASI), sensitive=SENSITIVE, hierarchies=trees, delimiter=";"
    )


def measured(table: Microdata, scheme: str, k: int, draw: int, model: dict[str, Any]) -> Outcome:
    """Anonymize and attack."""
    begun = time.perf_counter()
    release = SCHEMES[scheme][1](k).sanitize(table)
    finding = uv.relative_risk(release, table, budget=BUDGET, **model)  # type: ignore[arg-type]
    return Outcome(
        scheme=scheme, k=k, draw=draw, beta=model["beta"], groups=_groups(release), how=finding.how,
        converged=finding.converged, n_learner=finding.n_learner, n_attacker=finding.n_attacker,
        gr_raw=finding.gr_raw, accuracy=finding.accuracy,
        learner_accuracy=finding.learner_accuracy,
        largest=finding.worst_relative_risk, seconds=time.perf_counter() - begun,
    )  # fmt: skip


def _groups(release: AnyRelease) -> int:
    if isinstance(release, Permuted):
        return release.n_groups
    assert isinstance(release, uv.Release)
    return release.n_classes


def _print(
    found: list[Outcome], n: int, draws: int, model: dict[str, Any], failed: list[str]
) -> None:
    heads = ("anonymized by", "k", "groups", "of rows", "how", "N_L", "N_A", "GR", "learner",
             "attacker", "p_A/p_L", "s")  # fmt: skip
    rows = [
        ["published (ARX)", str(k), "–", one.rows, "sampling", "–", "–", one.gr, "–",
         one.accuracy, one.largest, "–"]
        for k, one in RELATIVE_RISK.items()
    ]  # fmt: skip
    for scheme, k in dict.fromkeys((one.scheme, one.k) for one in found):
        rows.append(_row(scheme, k, [o for o in found if (o.scheme, o.k) == (scheme, k)], n))
    title = (
        f"Relative risk on {n:,} random rows of Adult, {draws} draw{'s' * (draws > 1)}; "
        + ", ".join(f"{name} {value}" for name, value in model.items())
    )
    side_by_side(title, heads, rows, (*REASONS, *failed), emphasis=("GR",))


def _row(scheme: str, k: int, some: list[Outcome], n: int) -> list[str]:
    def middle(of: str) -> float:
        return float(median(getattr(one, of) for one in some))

    largest = [one.largest for one in some if one.largest is not None]

    # What is below 0 is no global relative risk; see gr_raw in the numbers.
    risks = sorted(max(0.0, one.gr_raw) for one in some)
    spread = f" ({percent(risks[0])} to {percent(risks[-1])})" if len(risks) > 1 else ""
    how = "/".join(dict.fromkeys(one.how for one in some))
    return [
        SCHEMES[scheme][0], str(k), f"{middle('groups'):,.0f}", f"{n / middle('groups'):.1f}",
        how if all(one.converged for one in some) else f"{how}, NOT CONVERGED",
        f"{middle('n_learner'):,.0f}", f"{middle('n_attacker'):,.0f}",
        f"{percent(median(risks))}{spread}", percent(middle("learner_accuracy")),
        percent(middle("accuracy")), f"{median(largest):.2f}" if largest else "–",
        f"{middle('seconds'):.1f}",
    ]  # fmt: skip


def _above_zero(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(f"{option}: {text.strip()!r} is no number above 0; give one, such as 0.1")
    return number


def _schemes(text: str | None) -> tuple[str, ...]:
    if text is None:
        return tuple(SCHEMES)
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in SCHEMES:
            raise InputError(
                f"--schemes: there is no {name!r}{did_you_mean(name, SCHEMES)} "
                f"(known: {', '.join(SCHEMES)})"
            )
    return names


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    parser.add_argument("--k", metavar="K,K", help="of the groups (default: 4,5,10)")
    parser.add_argument("--schemes", metavar="NAME,…", help=f"of {', '.join(SCHEMES)}")
    parser.add_argument("--draws", metavar="N", help=f"how many (default: {DRAWS})")
    parser.add_argument("--records", metavar="N", help=f"of each draw (default: {RECORDS:,})")
    parser.add_argument("--seed", metavar="N", help="on which the draws hang (default: 0)")
    parser.add_argument("--alpha", default="1", help="prior of occupations (default: 1)")
    parser.add_argument("--beta", default="1,0.1", help="priors of tuples (default: 1,0.1)")
    parser.add_argument("--ties", default="full", help="full, fraction or none (default: full)")
    parser.add_argument(
        "--likelihood", default="saturated", help="saturated or naive-bayes (default: saturated)"
    )
    parser.add_argument(
        "--domain", default="observed", help="observed, product or covered (default: observed)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
