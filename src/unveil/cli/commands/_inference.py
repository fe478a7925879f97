"""The command ``unveil inference``."""

from __future__ import annotations

from unveil.cli import _inference_options as guessing
from unveil.cli import _membership_options as in_or_out
from unveil.cli import _options as options
from unveil.cli import _release_options as published
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import takes_a_table
from unveil.cli._typed import app

__all__ = ["inference"]


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
