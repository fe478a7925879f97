"""The command ``unveil composition``."""

from __future__ import annotations

from typing import Any

from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import looks_for_people, names_people, takes_releases
from unveil.cli._typed import app

__all__ = ["composition"]


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
@takes_releases(look=False)
@looks_for_people
def composition(
    reading: Reading,
    given: Any,
    whom: Any,
    k: knowing.Least = None,
    pseudonym: knowing.Pseudonym = None,
    person: knowing.Persons = None,
    json: options.Json = None,
    records: knowing.Rows = False,
    csv: knowing.Csv = None,
    plot: options.Plot = None,
) -> None:
    """Put several releases together."""
    from dataclasses import replace

    from unveil.cli._composition import CompositionTest

    CompositionTest(
        reading=reading, given=replace(given, of_others=True), whom=whom, k=k,
        pseudonym=pseudonym, persons=person or (), json=json, records=records, csv=csv, plot=plot,
    ).run()  # fmt: skip
