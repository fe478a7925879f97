"""The command ``unveil composition``."""

from __future__ import annotations

from unveil.cli import _options as options
from unveil.cli import _people_options as knowing
from unveil.cli import _release_options as published
from unveil.cli._app import app
from unveil.cli._guard import guarded
from unveil.cli._reading import Reading
from unveil.cli._taking_a_table import names_people

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
