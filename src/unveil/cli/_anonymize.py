"""``unveil anonymize``: write the released table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from unveil.cli._console import say
from unveil.cli._guard import guarded, in_command_line_words
from unveil.cli._outputs import Files, check_output, is_stdout
from unveil.cli._reading import Reading
from unveil.cli._sources import OPTIONS, OUTPUT, Table, and_plugins, typed
from unveil.cli._testing import warm_up
from unveil.errors import InputError, Option
from unveil.microdata import PARQUET, Microdata, Permuted, Role
from unveil.sanitize import Anatomy, Sanitizer, sanitizer_named

TABLES = (".csv", *PARQUET)
"""How the name of a released table may end."""


@guarded
def anonymize(
    file: Annotated[Path, Parameter(help="The original table.")],
    /,
    *,
    table: Table,
    sanitizer: Annotated[
        list[str], typed(OPTIONS, and_plugins(
            "How to anonymize: mondrian:k=5, mondrian:k=5,l=2, recoding:k=5,suppression=0.05, "
            "anatomy:l=3, microaggregation:k=5, randomized-response:epsilon=1.", "sanitizers",
        ), "NAME:OPTIONS"),
    ],
    out: Annotated[
        Path, typed(OUTPUT, "Where the release goes: .csv or .parquet. A dash (-) means standard "
                     "output, as CSV. For the two tables of anatomy, a folder.", "FILE", "--out",
                     "-o"),
    ],
) -> None:  # fmt: skip
    """Anonymize a table and write the release."""
    reading = table.reading(file)
    if len(sanitizer) != 1:
        raise InputError("give one {option}; got {given}",
                         option=Option("sanitizer"), given=", ".join(sanitizer))  # fmt: skip
    f = sanitizer_named(sanitizer[0])
    check_place(out, f, reading)
    microdata = reading.read()
    warm_up([f], adversary=None, several=microdata.several is not None)
    release = f.sanitize(microdata)
    with Files() as files:
        files.release(out, release)
        files.write()
    where = "standard output" if is_stdout(out) else str(out)
    say(f"{where}: {release.in_short}")
    left_out = _left_out(microdata)
    if left_out:
        say(f"columns left out, neither quasi-identifiers nor sensitive: {left_out}")
    for note in release.notes:
        say(f"note: {in_command_line_words(note)}")


def check_place(out: Path, f: Sanitizer, reading: Reading) -> None:
    """Refuse a place where what this sanitizer publishes cannot be written."""
    if isinstance(f, Anatomy):
        _check_folder(out, f, reading)
    else:
        check_output(out, "-o", suffixes=TABLES, source=reading.file)


def _check_folder(out: Path, f: Sanitizer, reading: Reading) -> None:
    """Two tables need a folder: in one they would be taken for records with their own secrets."""
    if is_stdout(out) or out.suffix.lower() in TABLES or out.is_file():
        raise InputError(
            f"{f.label} publishes two tables, quasi_table.csv and sensitive_table.csv; name a "
            "folder for them, such as -o released"
        )
    if not out.is_dir():
        check_output(out, "-o")
        return
    for table in Permuted.files_in(out):
        check_output(table, "-o", source=reading.file)


def _left_out(microdata: Microdata) -> str:
    used = (Role.QUASI, Role.SENSITIVE)
    return ", ".join(c.name for c in microdata.columns if c.role not in used)
