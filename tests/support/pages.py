"""The documentation's pages, taken apart into blocks that can be run."""

from __future__ import annotations

import doctest
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

_BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, and its text."""

    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command in a console block, what it should say (if shown), and its exit code."""

    words: tuple[str, ...]
    said: str
    exit_code: int


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands(block: Block) -> list[Command]:
    """The commands of a console block; ``echo $?`` shows the exit code of the one before."""
    found: list[Command] = []
    for words, said in _typed(block.text):
        if words == ["echo", "$?"]:
            before = found.pop()
            found.append(Command(before.words, before.said, int(said)))
        else:
            found.append(Command(tuple(words), said, 0))
    return found


def _typed(text: str) -> Iterator[tuple[list[str], str]]:
    lines = text.replace("\\\n", " ").splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield shlex.split(lines[start][2:], comments=True), "".join(lines[start + 1 : end])


def says(wanted: str, got: str) -> bool:
    """Whether a command said what its page shows, apart from blanks.

    ``...`` stands for anything, and for nothing: doctest's own would want a blank on either side.

    >>> says("a\\n...\\nb", "a\\n\\n  b\\n"), says("a ... b", "a c b"), says("a b", "a c b")
    (True, True, False)
    """
    told = " ".join(got.split())
    parts = [" ".join(part.split()) for part in wanted.split("...")]
    if len(parts) == 1:
        return not parts[0] or told == parts[0]
    if not told.startswith(parts[0]) or not told.endswith(parts[-1]):
        return False
    for part in parts:
        _, found, told = told.partition(part) if part else ("", " ", told)
        if not found:
            return False
    return True


def make_targets() -> set[str]:
    """What ``make`` can make."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][\w-]*):", text, re.MULTILINE))


def extras() -> set[str]:
    """What ``pip install '.[…]'`` can name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(project["project"]["optional-dependencies"])
