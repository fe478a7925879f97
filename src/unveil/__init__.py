"""unveil: penetration testing for anonymized data.

>>> import unveil as uv
>>> survey = uv.datasets.election_survey()
>>> finding = uv.differential_inference(survey, uv.Mondrian(k=5))
>>> len(finding.distances)
944
"""

from __future__ import annotations

import ast
import functools
import importlib
from pathlib import Path
from typing import Any

_ROOMS = ("datasets", "measures")  # that users call by name


@functools.cache
def _homes() -> dict[str, str]:
    """Where each public name lives, from the stub beside this file.

    Names are imported when first used: ``unveil --help`` does not wait for numba.
    """
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    return {
        name.name: node.module or ""
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [one for one, home in _homes().items() if home != "unveil" or one in _ROOMS]
    home = _homes().get(name)
    if home is None:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    if home == "unveil":
        return importlib.import_module(f"unveil.{name}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_homes())
