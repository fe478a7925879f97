"""The command line.

Commands import what they need when they are called: `unveil --help` does not wait for numba.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from unveil._version import __version__
from unveil.cli import _definetti_options as learning
from unveil.cli import _inference_options as guessing
from unveil.cli import _measure_options as counting
from unveil.cli import _membership_options as in_or_out
from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli import _reading_options as reading_options
from unveil.cli import _release_options as published
from unveil.cli import _risk_options as asking
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import may_take_a_table, names_people, takes_a_table

__all__ = ["app", "main"]

# A traceback with local variables would print microdata.
app = typer.Typer(
    name="unveil",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""[bold]Examples[/bold]

  unveil demo
  unveil audit survey.csv --quasi age,zip,sex --sensitive income
  unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 -o released.csv""",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unveil {__version__}")
        raise typer.Exit


@app.callback()
def _unveil(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """Penetration testing for anonymized data: how much does each person's own record give them
    away?
    """


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil demo
  unveil demo --plot distances.png"""
)
@guarded
def demo(plot: options.Plot = None, json: options.Json = None) -> None:
    """Try it on a real survey of 944 people that comes with unveil."""
    from unveil.cli._demo import demo as run

    run(plot, json)


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Test how much each person's own record gives them away, under several anonymizations.\n\n"
    "For every person: what does an attacker believe about their secret, and what would he "
    "believe had their record not been in the table? The anonymization is run again without "
    "them, exactly.\n\n"
    "Exit codes: 0 done, 2 wrong input or an anonymization that could not be done, "
    "130 interrupted.",
    epilog="""[bold]Examples[/bold]

A first look, with nothing to configure:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income

What somebody else anonymized, by their own program, and three attackers:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --oracle './anonymize {input} {output}' --budget '10 min' \\
         --adversary naive-bayes --adversary forest --adversary logistic

What they published, where there is no program to run again:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income --release published.csv

Two candidates, and the ten people each of them serves worst:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=5,l=2 --worst 10

Missing values marked by a question mark, left out; everything for a machine to read:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --missing drop --missing-value '?' --json - --records""",
)
@guarded
@takes_a_table
def audit(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    oracle: options.Oracle = None,
    release: options.Release = None,
    notation: options.Notation = None,
    adversary: options.Adversary = None,
    distance: options.Distance = "total-variation",
    prior: options.Prior = None,
    samples: options.Samples = None,
    error: options.Error = None,
    targets: options.Targets = None,
    draw: options.Draw = options.HowDrawn.RANDOM,
    budget: options.Budget = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    scheduler: options.Scheduler = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    risk: options.Risk = True,
    worst: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="List the N records of each anonymization that give themselves away most. "
            "Shows microdata.",
            min=0,
            rich_help_panel=options.OUTPUT,
        ),
    ] = 0,
    json: options.Json = None,
    records: options.Records = False,
    plot: options.Plot = None,
) -> None:
    """Test anonymizations of a table."""
    from unveil.cli._asked import Oracles, Test, notations
    from unveil.cli._audit import Audit

    written = notations(notation)
    oracles = Oracles(
        given=oracle or (), notation=written, time_limit=time_limit, memory_limit=memory_limit,
        retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    test = Test(
        adversaries=adversary or (), distance=distance, prior=prior, samples=samples, error=error,
        targets=targets, draw=draw, budget=budget, seed=seed, jobs=jobs, scheduler=scheduler,
    )  # fmt: skip
    Audit(
        reading=reading, sanitizers=sanitizer or (), oracles=oracles, releases=release or (),
        notation=written, test=test, json=json, plot=plot, records=records, worst=worst, risk=risk,
    ).run()  # fmt: skip


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 -o released.csv

  unveil anonymize survey.parquet --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2 --hierarchies trees/ -o released.parquet"""
)
@guarded
@takes_a_table
def anonymize(
    reading: Reading,
    sanitizer: Annotated[
        list[str],
        typer.Option(
            metavar="NAME:OPTIONS",
            help="How: mondrian:k=5, mondrian:k=5,l=2, recoding:k=5,suppression=0.05, anatomy:l=3, "
            "microaggregation:k=5, randomized-response:epsilon=1.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Where the released table goes: .csv or .parquet. A dash (-) means standard "
            "output, as CSV. For the two tables of anatomy, a folder.",
            show_default=False,
        ),
    ],
) -> None:
    """Anonymize a table and write what would be published.

    Only the quasi-identifiers, generalized, and the sensitive column are written.
    """
    from unveil.cli._anonymize import anonymize as run

    run(reading, sanitizer, out)


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil encodings survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --plot encodings.png"""
)
@guarded
@takes_a_table
def encodings(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    adversary: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who guesses: naive-bayes, tree, forest, logistic, boosting, neighbours, "
            "gaussian-nb.",
            rich_help_panel=options.TEST,
        ),
    ] = "naive-bayes",
    seed: options.Seed = 0,
    json: options.Json = None,
    plot: options.Plot = None,
) -> None:
    """Compare 24 ways to write generalized cells as numbers for a classifier.

    How well does an attacker guess with each of them, how many features does it take, and how
    long?
    """
    from unveil.cli._encodings import encodings as run

    run(reading, sanitizer or (), adversary=adversary, seed=seed, json=json, plot=plot)


@app.command(
    help="Test whether an attacker can tell whose records are in the data.\n\n"
    "Some people's records are anonymized and published, others' are held out. Attackers who know "
    "everything about a person have to say which of the two it is: from the release alone, with a "
    "sample of other people, and with a second release that one person has left.\n\n"
    "Exit codes: 0 done, 2 wrong input or an anonymization that could not be done, "
    "130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --plot roc.png

Somebody else's program, and attackers for whom it is run twice and not once a person:
  unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
         --oracle './anonymize {input} {output}' --attacker release --attacker population""",
)
@guarded
@takes_a_table
def membership(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    oracle: options.Oracle = None,
    notation: options.Notation = None,
    attacker: in_or_out.Attackers = None,
    adversary: in_or_out.OneAdversary = None,
    held_out: in_or_out.HeldOut = None,
    held_out_file: in_or_out.HeldOutFile = None,
    recode: in_or_out.Recode = None,
    own: in_or_out.Own = 0.2,
    removals: in_or_out.Removals = 500,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    json: options.Json = None,
    records: in_or_out.Scores = False,
    plot: options.Plot = None,
) -> None:
    """Test whether attackers can tell who is in the data."""
    from unveil.cli._asked import Oracles, notations
    from unveil.cli._membership import MembershipTest

    oracles = Oracles(
        given=oracle or (), notation=notations(notation), time_limit=time_limit,
        memory_limit=memory_limit, retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    MembershipTest(
        reading=reading, sanitizers=sanitizer or (), oracles=oracles,
        attackers=attacker or ("release", "population", "removal"), adversaries=adversary or (),
        held_out=held_out, held_out_file=held_out_file, recode=recode or (), own=own,
        removals=removals, seed=seed, jobs=jobs, json=json, plot=plot, records=records,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Test how well attackers guess people's secrets, and how much of that is a breach.\n\n"
    "An attacker learns from what is published and guesses the secret of people in it, and of "
    "people who are not: what he knows about those is knowledge about the population, and only "
    "what he knows better about the others comes from their own records.\n\n"
    "Exit codes: 0 done, 2 wrong input or an anonymization that could not be done, "
    "130 interrupted.",
    epilog="""[bold]Examples[/bold]

Everybody is held out once, by folds:
  unveil inference survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --adversary naive-bayes --adversary tree --plot guesses.png

A published file, and people who are not in it:
  unveil inference survey.csv --quasi age,zip,sex --sensitive income \\
         --release published.csv --held-out-file others.csv""",
)
@guarded
@takes_a_table
def inference(
    reading: Reading,
    sanitizer: options.Sanitizers = None,
    oracle: options.Oracle = None,
    release: options.Release = None,
    anatomy: published.Anatomies = None,
    sensitive_table: published.SensitiveTables = None,
    notation: options.Notation = None,
    group: published.Group = None,
    count: published.Count = None,
    adversary: options.Adversary = None,
    held_out: guessing.HeldOut = None,
    held_out_file: in_or_out.HeldOutFile = None,
    recode: in_or_out.Recode = None,
    folds: guessing.Folds = None,
    confidence: guessing.Confidence = 0.9,
    targets: guessing.People = None,
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = None,
    memory_limit: options.MemoryLimit = None,
    retries: options.Retries = None,
    may_drop: options.MayDrop = False,
    may_change: options.MayChange = False,
    json: options.Json = None,
    records: guessing.Each = False,
    plot: options.Plot = None,
) -> None:
    """Test how well attackers guess, about people in the release and about others."""
    from unveil.cli._asked import Oracles, notations
    from unveil.cli._inference import InferenceTest
    from unveil.cli._releases import Given

    written = notations(notation)
    oracles = Oracles(
        given=oracle or (), notation=written, time_limit=time_limit,
        memory_limit=memory_limit, retries=retries, may_drop=may_drop, may_change=may_change,
    )  # fmt: skip
    given = Given(
        releases=release or (), anatomies=anatomy or (), sensitive_tables=sensitive_table or (),
        sanitizers=(), notation=written if release else {}, group=group, count=count, values=(),
        may_change=may_change,
    )  # fmt: skip
    InferenceTest(
        reading=reading, given=given, sanitizers=sanitizer or (), oracles=oracles,
        held_out=held_out, held_out_file=held_out_file, recode=recode or (), folds=folds,
        options={
            "adversary": adversary or None, "confidence": confidence, "targets": targets,
            "seed": seed,
        },
        json=json, plot=plot, records=records,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Change what is worst and test again, until nobody's own record gives them away by more "
    "than --delta.\n\n"
    "People over it are left out of the table (remove), or kept and hidden in larger classes "
    "(merge). There is no promise that it can be done: the report says how far it got and the "
    "best round is what is written.\n\n"
    "Exit codes: 0 the goal holds, 1 it does not, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --delta 0.05 -o released.csv

Which costs less, leaving people out or larger classes?
  unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --strategy both --plot rounds.png""",
)
@guarded
@takes_a_table
def harden(
    reading: Reading,
    sanitizer: options.OneSanitizer,
    delta: options.Delta = 0.05,
    strategy: options.Strategy = options.HowHardened.REMOVE,
    rounds: options.Rounds = 20,
    at_most: options.AtMost = 0.1,
    adversary: options.Adversary = None,
    distance: options.Distance = "total-variation",
    samples: options.Samples = None,
    error: options.Error = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    out: options.Out = None,
    json: options.Json = None,
    records: options.Records = False,
    plot: options.Plot = None,
) -> None:
    """Harden an anonymization."""
    from unveil.cli._harden import Harden

    Harden(
        reading=reading, sanitizers=sanitizer, delta=delta, strategy=strategy, rounds=rounds,
        at_most=at_most, adversaries=adversary or (), distance=distance, samples=samples,
        error=error, seed=seed, jobs=jobs, out=out, json=json, plot=plot, records=records,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Measure a table by its classes: k, ℓ, t, re-identification risk, discrimination rate and "
    "what else follows from counts.\n\n"
    "All of it comes from one grouped count, which an engine makes, whatever the size of the "
    "file. Missing values are values like any other.\n\n"
    "Exit codes: 0 done, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil measure published.csv --quasi age,zip,sex --sensitive income

Two releases side by side, and an attacker who only wants to know whether the income is low:
  unveil measure a.csv b.csv --quasi age,zip --sensitive income \\
         --partition 'income=low:0-20,high:20-'

Which columns single people out? A file larger than memory, within 4 GB:
  unveil measure survey.parquet --quasi age,zip,sex,job,car --subsets 3 --memory 4GB

What it has lost against the original; everything for a machine to read:
  unveil measure published.csv --quasi age,zip,sex --sensitive income \\
         --original survey.csv --json -""",
)
@guarded
def measure(
    files: counting.Tables,
    quasi: counting.Quasi = None,
    sensitive: counting.Sensitive = None,
    partition: counting.Partition = None,
    distance: counting.Distance = None,
    l: counting.Ell = 2,  # noqa: E741  (it is called l everywhere in this field)
    threshold: counting.Threshold = 0.2,
    subsets: counting.Subsets = 0,
    population: counting.Population = None,
    population_size: counting.PopulationSize = None,
    recode: counting.Recode = None,
    original: counting.Original = None,
    hierarchies: counting.Hierarchies = None,
    ordinal: reading_options.Ordinal = None,
    wildcard: counting.Wildcard = None,
    engine: counting.Engine = counting.Named.DUCKDB,
    memory: counting.Memory = None,
    delimiter: reading_options.Delimiter = None,
    encoding: reading_options.Encoding = None,
    columns: reading_options.Columns = None,
    classes: counting.Classes = False,
    json: options.Json = None,
    records: counting.Records = False,
    plot: options.Plot = None,
) -> None:
    """Measure tables by their classes."""
    from unveil.cli._measure import Measure

    Measure(
        files=files, quasi=quasi or (), sensitive=sensitive, partition=partition or (),
        distance=distance, l=l, threshold=threshold, subsets=subsets, population=population,
        population_size=population_size, recode=recode or (), original=original,
        hierarchies=hierarchies, ordinal=ordinal, wildcard=wildcard, engine=engine, memory=memory,
        delimiter=delimiter, encoding=encoding, columns=columns, classes=classes, json=json,
        records=records, plot=plot,
    ).run()  # fmt: skip


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
def risk(
    reading: Reading,
    release: published.Releases = None,
    anatomy: published.Anatomies = None,
    sensitive_table: published.SensitiveTables = None,
    sanitizer: published.Sanitizers = None,
    notation: options.Notation = None,
    group: published.Group = None,
    count: published.Count = None,
    values: published.Values = None,
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
    limit: asking.Limit = "10 min",
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
    from unveil.cli._asked import notations
    from unveil.cli._releases import Given
    from unveil.cli._risk import RiskTest

    given = Given(
        releases=release or (), anatomies=anatomy or (), sensitive_tables=sensitive_table or (),
        sanitizers=sanitizer or (), notation=notations(notation), group=group, count=count,
        values=values or (),
    )  # fmt: skip
    model = {
        "alpha": alpha, "beta": beta, "likelihood": str(likelihood), "learner": str(learner),
        "domain": None if domain is None else str(domain), "ties": str(ties),
        "sampler": str(sampler), "exact": exact, "chains": chains, "panel": panel, "rhat": rhat,
        "ess": ess, "sweeps": sweeps, "limit": limit, "seed": seed, "n_jobs": jobs,
    }  # fmt: skip
    RiskTest(
        reading=reading, given=given, victims=victim or (), model=model, json=json,
        records=records, plot=plot, picture=picture, worst=worst, traces=traces,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Look for people with names in what was published: who is linked to one record, or to one "
    "sensitive value?\n\n"
    "Somebody's candidates are the records whose cells cover all that the attacker knows of them. "
    "With the original table as FILE it is counted, too, how many of the links are right.\n\n"
    "Exit codes: 0 done, 2 wrong input or a release that could not be used, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

A register of voters against a published file; nothing else is known:
  unveil linkage --release published.csv --quasi age,zip,sex --sensitive disease \\
         --external voters.csv --identifier name

The same, with the original at hand, to count which links are right:
  unveil linkage patients.csv --quasi age,zip,sex --sensitive disease \\
         --release published.csv --external voters.csv --identifier name

The worst case, an attacker who knows everybody in the table, and two candidates:
  unveil linkage patients.csv --quasi age,zip,sex --sensitive disease \\
         --sanitizer mondrian:k=5 --sanitizer anatomy:l=3 --plot candidates.png

A register with other names for columns and values, and one person of it:
  unveil linkage --release published.csv --quasi age,zip,sex --sensitive disease \\
         --external voters.csv --identifier name --map zip=postcode \\
         --recode 'sex=F->Female|M->Male' --person 'Ann Smith'""",
)
@guarded
@names_people
def linkage(
    reading: Reading,
    release: published.Releases = None,
    anatomy: published.Anatomies = None,
    sensitive_table: published.SensitiveTables = None,
    sanitizer: published.OnlySanitizers = None,
    notation: options.Notation = None,
    group: published.Group = None,
    count: published.Count = None,
    values: published.Values = None,
    may_change: published.MayChange = False,
    external: knowing.External = None,
    known: knowing.Known = None,
    map_: knowing.Map = None,
    recode: knowing.Recode = None,
    unknown: knowing.UnknownValues = knowing.HowUnknown.ERROR,
    missing_people: knowing.Gaps = knowing.HowGaps.ERROR,
    record_of: knowing.RecordOf = None,
    person: knowing.Persons = None,
    json: options.Json = None,
    records: knowing.Rows = False,
    csv: knowing.Csv = None,
    plot: options.Plot = None,
) -> None:
    """Look for people in releases."""
    from unveil.cli._asked import notations
    from unveil.cli._linkage import LinkageTest
    from unveil.cli._people import Whom
    from unveil.cli._releases import Given

    given = Given(
        releases=release or (), anatomies=anatomy or (), sensitive_tables=sensitive_table or (),
        sanitizers=sanitizer or (), notation=notations(notation), group=group, count=count,
        values=values or (), may_change=may_change,
    )  # fmt: skip
    whom = Whom(
        file=external, known=known or (), columns=map_ or (), recode=recode or (),
        unknown=unknown, missing=missing_people, record_of=record_of,
    )  # fmt: skip
    LinkageTest(
        reading=reading, given=given, whom=whom, persons=person or (), json=json, records=records,
        csv=csv, plot=plot,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Put two or more releases about the same people together: whose candidates are fewer than "
    "k, and whose sensitive value is determined?\n\n"
    "An attacker who knows that somebody is in all the tables keeps what fits all releases. Each "
    "may keep its promise, and all together none. FILE are people who are in all the tables; a "
    "release may be of FILE, or of a larger table.\n\n"
    "Exit codes: 0 done, 2 wrong input or a release that could not be used, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

Two hospitals, and a table of people who were in both:
  unveil composition --release city=city.csv --release county=county.csv \\
         --quasi age,zip,sex --sensitive disease --external people.csv --identifier name

The same table published twice:
  unveil composition patients.csv --quasi age,zip,sex --sensitive disease \\
         --sanitizer mondrian:k=5 --sanitizer recoding:k=5,suppression=0.05 --plot left.png

If a column tells which records are the same person's, the numbers are exact:
  unveil composition both.csv --quasi age,zip,sex --sensitive disease \\
         --release city.csv --release county.csv --pseudonym id --k 5""",
)
@guarded
@names_people
def composition(
    reading: Reading,
    release: published.Releases = None,
    anatomy: published.Anatomies = None,
    sensitive_table: published.SensitiveTables = None,
    sanitizer: published.OnlySanitizers = None,
    notation: options.Notation = None,
    group: published.Group = None,
    count: published.Count = None,
    values: published.Values = None,
    external: knowing.External = None,
    known: knowing.Known = None,
    map_: knowing.Map = None,
    recode: knowing.Recode = None,
    unknown: knowing.UnknownValues = knowing.HowUnknown.ERROR,
    missing_people: knowing.Gaps = knowing.HowGaps.ERROR,
    record_of: knowing.RecordOf = None,
    k: knowing.Least = None,
    pseudonym: knowing.Pseudonym = None,
    person: knowing.Persons = None,
    json: options.Json = None,
    records: knowing.Rows = False,
    csv: knowing.Csv = None,
    plot: options.Plot = None,
) -> None:
    """Put several releases together."""
    from unveil.cli._asked import notations
    from unveil.cli._composition import CompositionTest
    from unveil.cli._people import Whom
    from unveil.cli._releases import Given

    given = Given(
        releases=release or (), anatomies=anatomy or (), sensitive_tables=sensitive_table or (),
        sanitizers=sanitizer or (), notation=notations(notation), group=group, count=count,
        values=values or (), of_others=True,
    )  # fmt: skip
    whom = Whom(
        file=external, known=known or (), columns=map_ or (), recode=recode or (),
        unknown=unknown, missing=missing_people, record_of=record_of,
    )  # fmt: skip
    CompositionTest(
        reading=reading, given=given, whom=whom, k=k, pseudonym=pseudonym, persons=person or (),
        json=json, records=records, csv=csv, plot=plot,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Learn across the groups of a release who of a group has which of its values (Kifer's "
    "deFinetti attack; foreground knowledge).\n\n"
    "The attacker knows everybody's quasi-identifiers. What he believes is compared with the "
    "shares of each group, which is all that ℓ-diversity allows him, and with the model that he "
    "has learnt.\n\n"
    "Exit codes: 0 done, 2 wrong input or a release that could not be used, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer anatomy:l=3

The two tables of Anatomy alone, and the five records it serves worst:
  unveil definetti --quasi age,zip,sex --sensitive income \\
         --anatomy records.csv --sensitive-table secrets.csv --worst 5

What was published, by what ages alone tell:
  unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
         --release published.csv --method foreground --by age""",
)
@guarded
@may_take_a_table
def definetti(
    reading: Reading,
    release: published.Releases = None,
    anatomy: published.Anatomies = None,
    sensitive_table: published.SensitiveTables = None,
    sanitizer: published.Sanitizers = None,
    notation: options.Notation = None,
    group: published.Group = None,
    count: published.Count = None,
    values: published.Values = None,
    people: learning.People = None,
    map_: knowing.Map = None,
    recode: knowing.Recode = None,
    method: learning.Method = learning.How.DEFINETTI,
    by: learning.By = None,
    smoothing: learning.Smoothing = None,
    rounds: learning.Rounds = None,
    steps: learning.Steps = 4096,
    worst: learning.Worst = 0,
    json: options.Json = None,
    records: asking.Risks = False,
    plot: options.Plot = None,
) -> None:
    """Learn across the groups of a release."""
    from unveil.cli._asked import notations
    from unveil.cli._definetti import DeFinettiTest
    from unveil.cli._people import renamed
    from unveil.cli._reading import names
    from unveil.cli._recoding import recodings
    from unveil.cli._releases import Given

    given = Given(
        releases=release or (), anatomies=anatomy or (), sensitive_tables=sensitive_table or (),
        sanitizers=sanitizer or (), notation=notations(notation), group=group, count=count,
        values=values or (),
    )  # fmt: skip
    model = {
        "method": str(method), "by": names(by or ()) or None, "smoothing": smoothing,
        "rounds": rounds, "steps": steps, "columns": renamed(map_ or ()) or None,
        "mapping": recodings(recode or ()) or None,
    }  # fmt: skip
    DeFinettiTest(
        reading=reading, given=given, people=people, model=model, json=json, records=records,
        plot=plot, worst=worst,
    ).run()  # fmt: skip


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Count what is believed of people by those who also know how the release was made.\n\n"
    "A sanitizer generalizes no more than its goal demands: where it did not cut further, the "
    "secrets of a part must have missed the goal. Of all ways to give the published secrets to "
    "the people of each class, those are kept of which the sanitizer makes the same release.\n\n"
    "Exit codes: 0 done, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2

What was published, and what is believed of the person in row 17:
  unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2 --release published.csv --person 17""",
)
@guarded
@takes_a_table
def minimality(
    reading: Reading,
    sanitizer: Annotated[
        list[str],
        typer.Option(
            metavar="NAME:OPTIONS",
            help="What made the release: mondrian:k=5,l=3, recoding:k=5,t=0.2,suppression=0.05 …",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ],
    release: Annotated[
        Path | None,
        typer.Option(
            metavar="RELEASE",
            help="What was published, all records of it; it must be what the sanitizer makes.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    notation: options.Notation = None,
    person: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ROW",
            help="Also say what is believed of the person in this row, counted from 1. It shows "
            "microdata.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    scope: Annotated[
        options.HowScoped | None,
        typer.Option(
            help="Take everything into account that was refused, or of each class only what was "
            "refused within it. Default: everything where that can be found out.",
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    steps: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="How long to count all worlds of a few classes, before some are drawn instead.",
            min=1,
            rich_help_panel=options.TEST,
        ),
    ] = 200_000,
    draws: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How many worlds are drawn.",
            min=1,
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = 0,
    json: options.Json = None,
    records: Annotated[
        bool,
        typer.Option(
            "--records",
            help="Put what is believed of every record into the JSON as well.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    plot: options.Plot = None,
) -> None:
    """Count what the way of working tells."""
    from unveil.cli._asked import notations
    from unveil.cli._minimality import MinimalityTest

    MinimalityTest(
        reading=reading, sanitizers=sanitizer, release=release, notation=notations(notation),
        person=person or (), scope=None if scope is None else str(scope), steps=steps,
        draws=draws, seed=seed, json=json, records=records, plot=plot,
    ).run()  # fmt: skip


def main() -> None:
    """Entry point of the ``unveil`` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ℓ or █ gets question marks, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Whoever ends us politely gets everything cleaned up: temporary tables, workers, programs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    app(prog_name="unveil")
