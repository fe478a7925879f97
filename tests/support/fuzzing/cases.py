"""One input of the fuzzer, as plain data, and how one of a number is made."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes
    ----------
    reader : str
        What reads it: a name in `fuzzing.readers.READERS`.
    files : dict of str to bytes
    given : any
        Other arguments, as plain values.
    """

    reader: str
    files: dict[str, bytes] = field(default_factory=dict)
    given: Any = None

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, content in self.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def dump(self) -> str:
        """The case as JSON; files as text where they are in UTF-8."""
        files = {}
        for name, content in self.files.items():
            try:
                files[name] = {"text": content.decode()}
            except UnicodeDecodeError:
                files[name] = {"base64": base64.b64encode(content).decode()}
        return json.dumps({"reader": self.reader, "files": files, "given": self.given}, indent=1)

    @classmethod
    def load(cls, text: str) -> Case:
        """The case that `dump` wrote."""
        found = json.loads(text)
        files = {
            name: one["text"].encode() if "text" in one else base64.b64decode(one["base64"])
            for name, one in found["files"].items()
        }
        return cls(found["reader"], files, found["given"])


def made(seed: int, number: int, *, only: str | None = None) -> Case:
    """The case of a number: the same for the same seed."""
    from fuzzing import commands, documents, tables

    kinds = {**tables.MAKERS, **documents.MAKERS, **commands.MAKERS}
    rng = random.Random(f"{seed} {number}")
    names = list(kinds) if only is None else [only]
    weights = [1 if only else kinds[name][0] for name in names]
    return kinds[rng.choices(names, weights)[0]][1](rng)
