"""What releases, files and commands are called in a report.

Folders tell who somebody is and how their machine is laid out, and commands and addresses may have
passwords in them. A report has neither: of a path it shows the last part, of an address what is
before its question mark, and in place of what looks like a secret three dots.
"""

from __future__ import annotations

import re
import shlex
from urllib.parse import urlsplit

__all__ = ["public_command", "public_name"]

_SECRET = r"(?:[\w-]*(?:token|secret|passw(?:or)?d|passwd|pwd|api[-_]?key|apikey|auth\w*|bearer|credentials?)[\w-]*)"  # noqa: E501
_GIVEN = re.compile(rf"(?i)^(-{{0,2}}{_SECRET})([=:])(.+)$", re.DOTALL)
_TO_COME = re.compile(rf"(?i)^-{{1,2}}{_SECRET}$|^bearer$|^(?:basic|digest)$")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://\S+")
_HIDDEN = "…"
_CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)


def public_name(name: str) -> str:
    """What a release is called, without folders and secrets.

    >>> public_name("Mondrian(k=5)"), public_name("/home/jane/out/published.csv")
    ('Mondrian(k=5)', 'published.csv')
    >>> public_name("Oracle(/opt/anon/run --token=abc {input} {output})")
    'Oracle(run --token=… {input} {output})'
    >>> public_name("Oracle(https://jane:pw@example.org/anonymize?key=1)")
    'Oracle(https://example.org/anonymize)'
    """
    call = _CALL.fullmatch(name)
    if call is not None and call[1] == "Oracle":
        return f"Oracle({public_name(call[2])})"
    if call is not None:
        return name
    if not re.search(r"\s", name):
        return _public_word(name)
    return " ".join(_public_words(name.split()))


def public_command(command: str) -> str:
    """What was typed, without folders and secrets.

    >>> public_command("unveil audit /data/jane/a.csv --oracle './run --password x {input}'")
    "unveil audit a.csv --oracle 'run --password … {input}'"
    >>> public_command("unveil audit a.csv --release theirs=out/b.csv --fail-on 'k < 5'")
    "unveil audit a.csv --release theirs=b.csv --fail-on 'k < 5'"
    """
    try:
        words = shlex.split(command)
    except ValueError:  # not as a shell would have it
        return " ".join(_public_words(command.split()))
    return " ".join(
        word if re.fullmatch(r"[\w@%+=:,./{}…-]+", word) else shlex.quote(word)
        for word in _public_words(words)
    )


def _public_words(words: list[str]) -> list[str]:
    shown = []
    hide = False
    for word in words:
        scheme = word.lower() in ("bearer", "basic", "digest")
        shown.append(_HIDDEN if hide and not scheme else _public_word(word))
        hide = bool(_TO_COME.match(word)) or scheme or (
            word.lower().rstrip(":").endswith("authorization") and word.endswith(":")
        )  # fmt: skip
    return shown


def _public_word(word: str) -> str:
    given = _GIVEN.match(word)
    if given is not None:
        return f"{given[1]}{given[2]}{_HIDDEN}"
    if re.search(r"\s", word):  # a command within a command
        return " ".join(_public_words(word.split()))
    if _ADDRESS.search(word):
        return _ADDRESS.sub(lambda found: _public_address(found[0]), word)
    head, sign, tail = word.rpartition("=")
    return f"{head}{sign}{_last_part(tail)}"


def _public_address(address: str) -> str:
    """An address without who asks, and without what is asked."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _last_part(path: str) -> str:
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    return last or path
