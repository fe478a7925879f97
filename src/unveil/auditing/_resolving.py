"""From references back to people: for the owner of the data, who has the key."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from unveil.auditing._discretion import reference_to
from unveil.errors import InputError
from unveil.microdata import Microdata

__all__ = ["is_reference", "key_from", "resolve", "rows_behind", "write_key"]

_KEY = re.compile("[0-9a-f]{64}")
_REFERENCE = re.compile("#?[0-9a-f]{12}")


def write_key(key: str, path: str | os.PathLike[str]) -> Path:
    """Write a key into a file that only its owner may read."""
    file = Path(path)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            file.chmod(0o600)  # it may have been there before, open to others
            out.write(f"{key}\n")
    except OSError as error:
        raise InputError(
            f"cannot write the key {str(file)!r}: {error.strerror or error}"
        ) from error
    return file


def key_from(path: str | os.PathLike[str]) -> str:
    """Read a key from its file."""
    try:
        text = Path(path).read_text("ascii").strip()
    except FileNotFoundError as error:
        raise InputError(
            f"there is no key {str(path)!r}; an audit writes it beside its report: report.key"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the key {str(path)!r}: {error}") from error
    if not _KEY.fullmatch(text):
        raise InputError(
            f"{str(path)!r} is no key: a key is 64 hexadecimal digits, as an audit writes it "
            "beside its report"
        )
    return text


def resolve(
    references: str | Iterable[str], microdata: Microdata, key: str
) -> dict[str, Sequence[int]]:
    """The records behind references: their numbers, counted from 0.

    Parameters
    ----------
    references : str or several
        As a report shows them, such as ``#0a1b2c3d4e5f``.
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
    >>> float(finding.distances[record]) == finding.delta
    True
    """
    records: dict[int, list[int]] = {}
    for record, row in enumerate(np.asarray(microdata.rows).tolist()):
        records.setdefault(row, []).append(record)
    found = rows_behind(references, records, key, microdata.source)
    return {reference: records[row] for reference, row in found.items()}


def is_reference(text: str) -> bool:
    """Whether a text is a reference, as far as one can see.

    >>> is_reference("#0a1b2c3d4e5f"), is_reference("0A1B2C3D4E5F"), is_reference("survey.csv")
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
            raise InputError(
                f"{reference!r} is no reference; a report writes them as #0a1b2c3d4e5f"
            )
    named = {reference_to(row, key): row for row in rows}
    found = {}
    for reference in wanted:
        row = named.get(f"#{reference.strip().lower().removeprefix('#')}")
        if row is None:
            raise InputError(
                f"nobody in {source} has the reference {reference} under this key; is it the table "
                "that was audited, and the key of that audit?"
            )
        found[reference] = row
    return found
