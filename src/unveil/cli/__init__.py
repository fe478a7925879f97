"""The command line.

Commands import what they need when they are called: `unveil --help` does not wait for numba.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unveil._version import __version__
from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading

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

Two candidates, and the ten people each of them serves worst:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 --sanitizer mondrian:k=5,l=2 --worst 10

Missing values marked by a question mark, left out; everything for a machine to read:
  unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
         --missing drop --missing-value '?' --json - --records""",
)
@guarded
def audit(
    file: options.Table,
    quasi: options.Quasi,
    sensitive: options.Sensitive,
    identifier: options.Identifier = None,
    sanitizer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:OPTIONS",
            rich_help_panel=options.TEST,
            help="What to test: identity, mondrian:k=5, mondrian:k=5,l=2. May be repeated. "
            "Default: identity, and mondrian with k = 2, 5, 10 and 20.",
            show_default=False,
        ),
    ] = None,
    adversary: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Who attacks: naive-bayes or conditional-frequency.",
            rich_help_panel=options.TEST,
        ),
    ] = "naive-bayes",
    distance: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Between two beliefs: total-variation or l1.",
            rich_help_panel=options.TEST,
        ),
    ] = "total-variation",
    targets: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Test so many records, chosen at random. Default: all.",
            min=1,
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", help="Of the random choice.", min=0, rich_help_panel=options.TEST
        ),
    ] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Threads. Default: all cores.",
            min=1,
            rich_help_panel=options.TEST,
            show_default=False,
        ),
    ] = None,
    hierarchies: options.Hierarchies = None,
    missing: options.Missing = options.WhatIsMissing.ERROR,
    missing_value: options.MissingValue = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    ordinal: options.Ordinal = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    columns: options.Columns = None,
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
    from unveil.cli._audit import Audit

    reading = Reading(
        file=file, quasi=quasi, sensitive=sensitive, identifier=identifier,
        hierarchies=hierarchies, missing=missing, missing_value=missing_value, numeric=numeric,
        categorical=categorical, ordinal=ordinal, delimiter=delimiter, encoding=encoding,
        columns=columns,
    )  # fmt: skip
    Audit(
        reading=reading, sanitizers=sanitizer or (), adversary=adversary, distance=distance,
        targets=targets, seed=seed, jobs=jobs, json=json, plot=plot, records=records, worst=worst,
    ).run()  # fmt: skip


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 -o released.csv

  unveil anonymize survey.parquet --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5,l=2 --hierarchies trees/ -o released.parquet"""
)
@guarded
def anonymize(
    file: options.Table,
    quasi: options.Quasi,
    sensitive: options.Sensitive,
    sanitizer: Annotated[
        list[str],
        typer.Option(
            metavar="NAME:OPTIONS",
            help="How: mondrian:k=5, mondrian:k=5,l=2 …",
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
            "output, as CSV.",
            show_default=False,
        ),
    ],
    identifier: options.Identifier = None,
    hierarchies: options.Hierarchies = None,
    missing: options.Missing = options.WhatIsMissing.ERROR,
    missing_value: options.MissingValue = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    ordinal: options.Ordinal = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    columns: options.Columns = None,
) -> None:
    """Anonymize a table and write what would be published.

    Only the quasi-identifiers, generalized, and the sensitive column are written.
    """
    from unveil.cli._anonymize import anonymize as run

    reading = Reading(
        file=file, quasi=quasi, sensitive=sensitive, identifier=identifier,
        hierarchies=hierarchies, missing=missing, missing_value=missing_value, numeric=numeric,
        categorical=categorical, ordinal=ordinal, delimiter=delimiter, encoding=encoding,
        columns=columns,
    )  # fmt: skip
    run(reading, sanitizer, out)


def main() -> None:
    """Entry point of the ``unveil`` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ℓ or █ gets question marks, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="unveil")
