"""The command ``unveil risk``."""

from __future__ import annotations

from typing import Any

from unveil.cli import _options as options
from unveil.cli import _risk_options as asking
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import may_take_a_table, takes_releases
from unveil.cli._typed import app

__all__ = ["risk"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Compare what an attacker, who knows that somebody is in the table, believes about them "
    "with what anybody learns from the release.\n\n"
    "By a Bayesian model of the population: exactly where that is possible, else by chains that "
    "run until they have come to an answer. Without the original table it still answers about "
    "anybody who is described to it (--victim).\n\n"
    "Exit codes: 0 done (also if the chains have not converged, which is said first), 2 wrong "
    "input or a release that could not be used, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil risk survey.csv --quasi age,zip,sex --sensitive income --release published.csv

Two candidates side by side, and the five people each of them serves worst:
  unveil risk survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --worst 5

The two tables of Anatomy; the model shares strength between the columns' values:
  unveil risk survey.csv --quasi age,zip,sex --sensitive income \\
         --anatomy records.csv --sensitive-table secrets.csv --likelihood naive-bayes

Somebody whom you know, from what was published alone:
  unveil risk --release published.csv --quasi age,sex --sensitive income \\
         --victim 'age=34,sex=female' --plot beliefs.png""",
)
@guarded
@may_take_a_table
@takes_releases()
def risk(
    reading: Reading,
    given: Any,
    victim: asking.Victims = None,
    alpha: asking.Alpha = 1.0,
    beta: asking.Beta = 1.0,
    likelihood: asking.Likelihood = asking.HowLikely.SATURATED,
    domain: asking.Domain = None,
    learner: asking.Learner = asking.Whose.JOINT,
    ties: asking.Ties = asking.Tied.FULL,
    sampler: asking.Sampler = asking.Samplers.COLLAPSED,
    exact: asking.Exact = None,
    chains: asking.Chains = 4,
    panel: asking.Panel = 16,
    rhat: asking.Rhat = 1.01,
    ess: asking.Ess = 400.0,
    sweeps: asking.Sweeps = 20_000,
    budget: asking.Budget = "10 min",
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    worst: asking.Worst = 0,
    json: options.Json = None,
    records: asking.Risks = False,
    plot: options.Plot = None,
    picture: asking.Picture = None,
    traces: asking.Traces = None,
) -> None:
    """Compare an attacker with anybody who learns from a release."""
    from unveil.cli._risk import RiskTest

    model = {
        "alpha": alpha, "beta": beta, "likelihood": str(likelihood), "learner": str(learner),
        "domain": None if domain is None else str(domain), "ties": str(ties),
        "sampler": str(sampler), "exact": exact, "chains": chains, "panel": panel, "rhat": rhat,
        "ess": ess, "sweeps": sweeps, "budget": budget, "seed": seed, "n_jobs": jobs,
    }  # fmt: skip
    RiskTest(
        reading=reading, given=given, victims=victim or (), model=model, json=json,
        records=records, plot=plot, picture=picture, worst=worst, traces=traces,
    ).run()  # fmt: skip
