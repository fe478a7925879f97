"""A finding of relative risk, written out for people and for machines.

Sampled numbers are shown with the digits that they have, and not with more.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil._text import harmless
from unveil.attacks.relative_risk._chains import Chains, Stopped
from unveil.attacks.relative_risk._victim import LEVEL, Victim

if TYPE_CHECKING:
    from unveil.attacks.relative_risk._finding import RelativeRisk

__all__ = ["content_of", "digits", "records", "summary_of", "verdict_of", "victim_in_words"]

_MOST_DIGITS = 4
_SHOWN = 12  # sensitive values of a victim

_STOPPED: dict[Stopped, str] = {
    "converged": "",
    "sweeps": "the limit of sweeps was reached: give more (sweeps=)",
    "time": "the time was over: give more (budget=)",
    "interrupted": "it was interrupted",
}
_LEARNERS = {
    "joint": "his average over populations, then given the victim's values (eq. 4)",
    "conditional": "the average over populations of what he would believe in each (eq. 5)",
}
_TIES = {
    "full": "records whose value is one of several most likely ones count fully",
    "fraction": "records whose value is one of several most likely ones count by its share",
    "none": "records whose value is one of several most likely ones do not count",
}
_DOMAINS = {
    "observed": "those of the original table, which both are taken to know",
    "product": "all combinations of the columns' values",
    "covered": "those that the release covers",
}


def digits(error: float) -> int:
    """How many digits after the point a number with this standard error has.

    >>> [digits(error) for error in (0.0, 0.0004, 0.003, 0.03, 0.3)]
    [4, 3, 2, 1, 0]
    """
    if error <= 0:
        return _MOST_DIGITS
    if not math.isfinite(error):
        return 0
    return min(max(math.floor(-math.log10(2 * error)), 0), _MOST_DIGITS)


def verdict_of(finding: RelativeRisk, name: str | None = None) -> str:
    """What the attacker has over the learner, in a sentence or two."""
    under = name or finding.release
    if finding.microdata is None:
        return f"Without the original table nobody can be said to be at risk under {under}."
    few = _few(finding)
    secret = finding.sensitive.name
    begin = "Under" if finding.converged else "Roughly, for the chains have not converged: under"
    said = (
        f"{begin} {under}, somebody who knows that a person is in the table guesses that person's "
        f"{secret} right for {_percent(finding.accuracy, few)} of the records, and somebody who "
        f"learns from the release alone for {_percent(finding.learner_accuracy, few)}."
    )
    risks = finding.relative_risks
    if np.isnan(risks).all():
        return said
    worst = float(np.nanmax(risks))
    if worst <= 1:
        return f"{said} Nobody's own {secret} is believed more strongly for being in the table."
    return (
        f"{said} Being in the table makes one's own {secret} at most {worst:.{2 - few}f} times as "
        "credible."
    )


def _few(finding: RelativeRisk) -> int:
    """Digits to leave out of shares in percent and of ratios."""
    return 0 if finding.chains is None else 1


def _percent(share: float, few: int) -> str:
    return f"{share:.{max(2 - few, 0)}%}"


def summary_of(finding: RelativeRisk) -> str:
    """What a finding prints."""
    source = "" if finding.microdata is None else f" on {finding.microdata.source}"
    lines = [f"Relative risk: {finding.release}{source}"]
    if not finding.converged:
        lines += _not_converged(finding)
    lines.append(f"  {_what(finding)}")
    lines.append(f"  {_how(finding)}; {_seconds(finding.seconds)}")
    if finding.microdata is None:
        names = ", ".join(f"{column.name}=…" for column in finding.quasi)
        lines += ["", f"  Ask about anybody: finding.victim({names})"]
    else:
        lines += ["", *_table(finding), "", f"  {verdict_of(finding)}"]
        if finding.not_covered:
            lines.append(
                f"  Not covered: {finding.not_covered:,} records have values that no group of the "
                "release covers; the attacker believes nothing about them."
            )
    lines += _assumptions(finding)
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _not_converged(finding: RelativeRisk) -> list[str]:
    chains = finding.chains
    assert chains is not None
    found, goal = chains.diagnostics, chains.goal
    return [
        f"  NOT CONVERGED: worst R-hat {found.worst_rhat:.3f} (goal: {goal.rhat:g}), least "
        f"effective sample size {found.least_ess:,.0f} (goal: {goal.ess:,.0f})",
        f"  after {chains.sweeps:,} sweeps; {_STOPPED[chains.stopped]}. Take the numbers below as "
        "rough.",
    ]


def _what(finding: RelativeRisk) -> str:
    problem = finding.problem
    groups = "groups whose values are shuffled" if finding.kind == "vertical" else "groups"
    return (
        f"{problem.counts.sum():,} records in {len(problem.counts):,} {groups}; "
        f"{problem.values} values of {finding.sensitive.name}; {problem.domain.size:,} tuples "
        f"({finding.domain})"
    )


def _how(finding: RelativeRisk) -> str:
    chains = finding.chains
    if chains is None:
        why = {
            "closed form": "no two sets of the same sensitive value overlap",
            "enumeration": "everything that may be behind the release was written down",
        }
        return f"Exact ({finding.how}): {why[finding.how]}"
    found = chains.diagnostics
    return (
        f"Sampled ({chains.sampler.name}): {len(chains.infos)} chains of {chains.sweeps:,} sweeps, "
        f"{chains.warm_up:,} of them to warm up; worst R-hat {found.worst_rhat:.3f}, least "
        f"effective sample size {_size(found.least_ess)} on a panel of {len(found.rhat)}"
    )


def records(n: float) -> str:
    """A number of records, which has a fraction if ties count by their shares.

    >>> records(1391.0), records(286.8333)
    ('1,391', '286.8')
    """
    return f"{n:,.0f}" if n == round(n) else f"{n:,.1f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def _size(ess: float) -> str:
    return f"{ess:,.0f}" if math.isfinite(ess) else "unlimited (nothing moves)"


def _table(finding: RelativeRisk) -> list[str]:
    few, n = _few(finding), len(finding.tuple_of)
    levels = finding.levels.to_dict("index")
    rows = [["", "learner", "attacker"]]

    def both(label: str, learner: str, attacker: str) -> None:
        rows.append([label, learner, attacker])

    both("at risk: N_L, N_A", records(finding.n_learner), records(finding.n_attacker))
    both("guessed right", _percent(finding.learner_accuracy, few), _percent(finding.accuracy, few))
    for level in (0.5, 0.9):
        both(
            f"at risk, level from {level:g}",
            records(levels[level]["learner"]), records(levels[level]["attacker"]),
        )  # fmt: skip
    widths = [max(len(row[j]) for row in rows) for j in range(3)]
    lines = [
        f"  {label:<{widths[0]}}   {learner:>{widths[1]}}   {attacker:>{widths[2]}}"
        for label, learner, attacker in rows
    ]
    known = finding.chains is not None and math.isfinite(finding.gr_error)
    error = f" ± {2 * finding.gr_error:.1%}" if known else ""
    raw = f" (raw {_percent(finding.gr_raw, few)})" if finding.gr_raw < 0 else ""
    lines.append(f"  GR, the global relative risk: {_percent(finding.gr, few)}{error}{raw}")
    shown = {0.0: "least", 0.05: "5%", 0.5: "median", 0.95: "95%", 1.0: "most"}
    quantiles = finding.quantiles
    listed = ", ".join(f"{word} {quantiles[q]:.{2 - few}f}" for q, word in shown.items())
    lines.append(f"  relative risk p_A/p_L of {n - finding.not_covered:,} records: {listed}")
    return lines


def _tuples_of(finding: RelativeRisk) -> str:
    if finding.domain == "observed" and finding.microdata is None:
        return "those of the published records"
    return _DOMAINS[finding.domain]


def _assumptions(finding: RelativeRisk) -> list[str]:
    problem = finding.problem
    alpha = problem.alpha
    prior = f"{alpha[0]:g}" if (alpha == alpha[0]).all() else "one a value"
    model = {
        "saturated": "saturated (every tuple has a probability of its own)",
        "naive-bayes": "naive Bayes (columns independent given the sensitive value)",
    }
    lines = [
        "  Attacker: knows that the victim is in the table; learner: asks about anybody with the "
        "same values,",
        f"  {_LEARNERS[finding.learner_is]}.",
        f"  Model: {model[finding.likelihood]}, α = {prior}, β = {problem.beta:g}; tuples: "
        f"{_tuples_of(finding)}.",
    ]
    if finding.microdata is not None:
        lines.append(f"  Ties: {_TIES[finding.ties]}{_tied(finding)}.")
    return lines


def _tied(finding: RelativeRisk) -> str:
    tied = int(finding.under_attacker.tied.sum())
    within = f", within {finding.tied_within:.2g}" if finding.chains is not None else ""
    return f" (there are {tied:,} under the attacker{within})"


def victim_in_words(victim: Victim) -> str:
    """A table of what is believed, the likeliest values first."""
    who = ", ".join(f"{name} {value}" for name, value in victim.who.items())
    lines = [f"Victim: {harmless(who)}"]
    if not victim.converged:
        lines.append("  NOT CONVERGED: the chains have not come to an answer about this victim.")
    if not victim.is_covered:
        lines.append(
            "  No group of the release covers this victim: the attacker knows that no row is "
            "theirs, and p_A is not defined."
        )
    places = digits(victim.error)
    ranked = victim.attacker if victim.is_covered else victim.learner
    order = np.argsort(-ranked, kind="stable")
    rows = [[victim.sensitive, "attacker", f"{LEVEL:.0%}", "learner", f"{LEVEL:.0%}", "ratio"]]
    rows += [
        [
            harmless(victim.values[s]),
            _number(victim.attacker[s], places),
            _range(victim.attacker_interval[:, s]),
            _number(victim.learner[s], places),
            _range(victim.learner_interval[:, s]),
            _number(victim.relative_risk[s], min(places, 2)),
        ]
        for s in order[:_SHOWN]
    ]
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(order) > _SHOWN:
        lines.append(f"  … and {len(order) - _SHOWN} values less likely")
    return "\n".join(lines)


def _number(value: float, places: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{places}f}"


def _range(limits: Any) -> str:
    low, high = (float(one) for one in limits)
    return "–" if math.isnan(low) else f"{low:.2f} to {high:.2f}"


def content_of(finding: RelativeRisk, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    problem, table = finding.problem, finding.microdata
    content: dict[str, Any] = {
        "finding": "relative risk",
        "converged": finding.converged,
        "source": None if table is None else table.source,
        "release": finding.release,
        "kind": finding.kind,
        "quasi": [column.name for column in finding.quasi],
        "sensitive": finding.sensitive.name,
        "records": int(problem.counts.sum()),
        "groups": len(problem.counts),
        "how": finding.how,
        "likelihood": finding.likelihood,
        "domain": finding.domain,
        "tuples": problem.domain.size,
        "alpha": problem.alpha.tolist(),
        "beta": problem.beta,
        "learner": finding.learner_is,
        "ties": finding.ties,
        "sampling": None if finding.chains is None else _sampling(finding.chains),
        "seed": finding.seed,
        "seconds": finding.seconds,
        "notes": [str(note) for note in finding.notes],
    }
    if table is None:
        return content
    content["risk"] = {
        "records": len(table),
        "not_covered": finding.not_covered,
        "n_attacker": finding.n_attacker,
        "n_learner": finding.n_learner,
        "gr_raw": finding.gr_raw,
        "gr": finding.gr,
        "gr_error": _plain(finding.gr_error),
        "attacker_accuracy": finding.accuracy,
        "learner_accuracy": finding.learner_accuracy,
        "quantiles": {f"{q:g}": _plain(x) for q, x in finding.quantiles.items()},
        "levels": [
            {"level": level, **both} for level, both in finding.levels.to_dict("index").items()
        ],
    }
    if records:
        frame = finding.to_frame()
        content["record"] = {
            name: [_plain(x) for x in frame[name].tolist()] for name in frame.columns
        }
    return content


def _sampling(chains: Chains) -> dict[str, Any]:
    found = chains.diagnostics
    return {
        "sampler": chains.sampler.name,
        "chains": len(chains.infos),
        "sweeps": chains.sweeps,
        "warm_up": chains.warm_up,
        "thin": chains.goal.thin,
        "stopped": chains.stopped,
        "panel": len(found.rhat),
        "worst_rhat": _plain(found.worst_rhat),
        "least_ess": _plain(found.least_ess),
        "largest_error": _plain(found.largest_error),
        "seconds": chains.seconds,
    }


def _plain(number: Any) -> Any:
    """JSON has neither NaN nor infinity."""
    return None if isinstance(number, float) and not math.isfinite(number) else number
