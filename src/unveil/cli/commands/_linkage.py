"""The command ``unveil linkage``."""

from __future__ import annotations

from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli import _release_options as published
from unveil.cli._app import app
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import names_people

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
