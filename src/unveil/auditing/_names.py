"""Names and references: what a report calls releases, files, commands and people.

Folders tell who somebody is and how their machine is laid out, and commands and addresses may have
passwords in them, in more ways than can be listed. So a report has neither: of a path it shows the
last part, of an address the host, and of a command the program. The rest has a fingerprint under
the key, by which the owner can tell that it was the same.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from unveil.auditing._discretion import mark_of, marked, under_key
from unveil.errors import Cell, File, Foreign, InputError
from unveil.files import write_new
from unveil.microdata import Microdata

_ADDRESS = re.compile(r"[A-Za-z][\w+.:-]*://(?:[^/?#@\s]*@)*([\w.-]*)", re.ASCII)
_CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_FOLDER = "folder "  # how an oracle that is a folder begins its name
_LETTERS = 12  # of a fingerprint beside a name


def public_name(name: str) -> str:
    """What a release is called: without folders, and without what a program is told.

    >>> public_name("Mondrian(k=5)"), public_name("/home/jane/out/published.csv")
    ('Mondrian(k=5)', 'published.csv')
    >>> public_name("Oracle(/opt/anon/run --token=abc {input} {output})")
    'Oracle(run)'
    >>> public_name("Oracle(https://jane:pw@example.org/anonymize?key=1)")
    'Oracle(example.org)'
    """
    call = _CALL.fullmatch(name)
    if call is not None and call[1] == "Oracle":
        return name if _CALL.fullmatch(call[2]) else f"Oracle({_asked(call[2])})"
    return name if call is not None else _without_folders(name)


def _asked(oracle: str) -> str:
    """What an oracle asks: the host of an address, the program of a command, a folder, a file."""
    return _without_folders(oracle if "://" in oracle else _program(oracle.removeprefix(_FOLDER)))


def _without_folders(name: str) -> str:
    address = _ADDRESS.search(name)
    if address is not None:
        return address[1] or "an address"
    return _last_part(name)


def _program(command: str) -> str:
    """The program of a command; what is no command is left as it is."""
    if not re.search(r"\s", command):
        return command
    try:
        words = shlex.split(command)
    except ValueError:  # not as a shell would have it
        words = command.split()
    # Before it stand variables, which may be secret, and what sets them.
    return next((word for word in words if "=" not in word and word != "env"), "a command")


def _last_part(path: str) -> str:
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    return last or path


def public_command(command: str, key: str) -> str:
    """What was typed: the program, what it was to do, and a fingerprint of the rest.

    >>> public_command("unveil audit /data/jane/a.csv --oracle './run -p x {input}'", "00" * 32)
    'unveil audit [a8f005b0b01e]'
    """
    program, _, rest = command.partition(" ")
    what, _, rest = rest.partition(" ")
    return f"{program} {what} {fingerprint(rest, key)}"


def fingerprint(text: str, key: str) -> str:
    """What stands for a text that is not shown.

    >>> fingerprint("./run -p x", "00" * 32) == fingerprint("./run -p y", "00" * 32)
    False
    """
    return f"[{under_key(f'text:{text}', key)[:_LETTERS]}]"


_KEY = re.compile("[0-9a-f]{64}")
_LONGEST_KEY = 1000  # bytes of a file that could be one
_REFERENCE = re.compile("#?[0-9a-f]{16}")


def write_key(key: str, path: str | os.PathLike[str]) -> Path:
    """Write a key into a new file that only its owner may read.

    Raises
    ------
    InputError
        If the file cannot be written, or there is one already that has another key: people are
        called by it elsewhere.
    """
    file = Path(path)
    try:
        return write_new(file, f"{key}\n".encode("ascii"), private=True)
    except FileExistsError:
        if not file.exists():
            raise InputError("the key {file} is a link that leads nowhere; remove it",
                             file=File(str(file))) from None  # fmt: skip
    if key_from(file) != key:
        raise InputError("{file} has another key, by which people are called elsewhere; name "
                         "another file", file=File(str(file)))  # fmt: skip
    return file


def key_from(path: str | os.PathLike[str]) -> str:
    """Read a key from its file."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            text = file.read(_LONGEST_KEY).decode("ascii").strip()
    except FileNotFoundError as error:
        raise InputError("there is no key {file}; an audit writes it beside its report: report.key",
                         file=File(str(path))) from error  # fmt: skip
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot read the key {file}: {why}", file=File(str(path)),
                         why=Foreign(str(error))) from error  # fmt: skip
    if not _KEY.fullmatch(text):
        raise InputError(
            "{file} is not a key: a key is 64 hexadecimal digits, as an audit writes it beside its "
            "report", file=File(str(path)),
        )  # fmt: skip
    _check_privacy(path, status)
    return text


def _check_privacy(path: str | os.PathLike[str], status: os.stat_result) -> None:
    """Refuse a key that somebody else knows; a pipe comes from a vault."""
    if os.name != "posix" or not stat.S_ISREG(status.st_mode):
        return
    if status.st_uid not in (os.geteuid(), 0):
        raise InputError(
            "the key {file} belongs to another user, who can tell whom a report is about; name a "
            "file of your own", file=File(str(path)),
        )  # fmt: skip
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise InputError(
            "the key {file} is open to other users, who can tell whom a report is about; run "
            "chmod 600 on it or, if somebody may have read it, remove it: the next audit makes a "
            "new one", file=File(str(path)),
        )  # fmt: skip


def resolve(
    references: str | Iterable[str], microdata: Microdata, key: str
) -> dict[str, Sequence[int]]:
    """The records behind references: their numbers, counted from 0.

    Parameters
    ----------
    references : str or several
        As a report shows them, such as ``#0a1b2c3d4e5f6071``.
    microdata : Microdata
        The table that was audited.
    key : str
        Of that audit: `Audit.key`.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> found = uv.audit(survey, "mondrian:k=5", attacks=["differential-inference"])
    >>> worst = found.to_dict()["secrets"][0]["sections"][0]["tables"][0]["rows"][0][1]
    >>> from unveil.auditing import resolve
    >>> record = resolve(worst, survey, found.key)[worst][0]
    >>> finding = found.releases[0].looked["differential-inference"].finding
    >>> record in finding.targets[finding.worst_places(5)]
    True
    """
    records: dict[int, list[int]] = {}
    for record, row in enumerate(np.asarray(microdata.rows).tolist()):
        records.setdefault(row, []).append(record)
    found = rows_behind(references, records, key, microdata.source)
    return {reference: records[row] for reference, row in found.items()}


def is_reference(text: str) -> bool:
    """Whether a text is a reference, as far as one can see.

    >>> is_reference("#0a1b2c3d4e5f6071"), is_reference("0A1B2C3D4E5F6071"), is_reference("a.csv")
    (True, True, False)
    """
    return _REFERENCE.fullmatch(text.strip().lower()) is not None


def rows_behind(
    references: str | Iterable[str], rows: Iterable[int], key: str, source: str
) -> dict[str, int]:
    """The rows of a file behind references, counted from 0; ``rows`` are those it may be."""
    wanted = [references] if isinstance(references, str) else list(references)
    for reference in wanted:
        if not is_reference(reference):
            raise InputError("{text} is not a reference; a report writes them as #0a1b2c3d4e5f6071",
                             text=Cell(reference))  # fmt: skip
    marks, every = {mark_of(reference) for reference in wanted}, list(rows)
    named = {marked(row, mark, key): row for mark in marks for row in every}
    found = {}
    for reference in wanted:
        row = named.get(f"#{reference.strip().lower().removeprefix('#')}")
        if row is None:
            raise InputError(
                "nobody in {table} has the reference {reference} under this key; is it the table "
                "that was audited, and the key of that audit?",
                table=File(source, bare=True), reference=reference,
            )  # fmt: skip
        found[reference] = row
    return found
