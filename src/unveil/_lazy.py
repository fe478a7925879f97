"""Names that are imported when first used: ``unveil --help`` does not wait for numba."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def lazily(package: str) -> tuple[list[str], Callable[[str], Any]]:
    """The ``__all__`` and the ``__getattr__`` of a room, from its imports below ``TYPE_CHECKING``.

    What is imported there is the room's public names, together with the constants that it has
    itself. So each name is written down once.

    >>> import unveil.attacks.definetti
    >>> unveil.attacks.definetti.__all__
    ['REWEIGHTED', 'DECLARATION', 'definetti', 'DeFinetti']
    """
    module = sys.modules[package]
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    homes: dict[str, str] = {}
    own: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    homes |= {one.name: line.module for one in line.names}
        elif isinstance(node, ast.Assign):
            own += [one.id for one in node.targets if isinstance(one, ast.Name)]

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return [*(one for one in own if one[0] != "_"), *homes], find
