"""The command ``unveil linkage``."""

from __future__ import annotations

from typing import Any

from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli import _release_options as published
from unveil.cli._app import app
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import looks_for_people, names_people, takes_releases

__all__ = ["linkage"]


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
@takes_releases(look=False)
@looks_for_people
def linkage(
    reading: Reading,
    given: Any,
    whom: Any,
    may_change: published.MayChange = False,
    person: knowing.Persons = None,
    json: options.Json = None,
    records: knowing.Rows = False,
    csv: knowing.Csv = None,
    plot: options.Plot = None,
) -> None:
    """Look for people in releases."""
    from dataclasses import replace

    from unveil.cli._linkage import LinkageTest

    LinkageTest(
        reading=reading, given=replace(given, may_change=may_change), whom=whom,
        persons=person or (), json=json, records=records, csv=csv, plot=plot,
    ).run()  # fmt: skip
