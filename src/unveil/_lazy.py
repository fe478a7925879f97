"""Names that are imported when first used: ``unveil --help`` does not wait for numba."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["from_modules"]


def from_modules(package: str, name: str, homes: Mapping[str, str]) -> Any:
    """A name of a package, for its ``__getattr__``.

    Parameters
    ----------
    package : str
    name : str
        The name that was asked for.
    homes : mapping of str to str
        Names with spaces between them, and the module of the package that they are in.
    """
    for names, module in homes.items():
        if name in names.split():
            value = getattr(importlib.import_module(f"{package}.{module}"), name)
            setattr(sys.modules[package], name, value)
            return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
