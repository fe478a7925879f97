"""unveil: penetration testing for anonymized data.

>>> import unveil as uv
>>> survey = uv.datasets.election_survey()
>>> finding = uv.differential_inference(survey, uv.Mondrian(k=5))
>>> len(finding.distances)
944
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from unveil._version import __version__
from unveil.errors import UnveilError

if TYPE_CHECKING:
    from unveil import datasets
    from unveil.adversary import (
        Classifier,
        Encoding,
        NearestNeighbours,
    )
    from unveil.attacks import (
        DifferentialInference,
        EarthMovers,
        EncodingComparison,
        Inference,
        Membership,
        ShareBound,
        compare_encodings,
        differential_inference,
        inference,
        membership,
    )
    from unveil.hardening import Hardening, harden
    from unveil.measures import InformationLoss, information_loss
    from unveil.microdata import (
        Hierarchy,
        Microdata,
        Release,
        flat_hierarchy,
        interval_hierarchy,
        prefix_hierarchy,
        quantize,
        read_csv,
        read_hierarchy,
        read_parquet,
        read_release,
        read_table,
    )
    from unveil.sanitize import (
        Identity,
        LaplaceCounts,
        Mondrian,
        Oracle,
    )

# Where each public name lives. They are imported when first used: the command line answers
# `--help` without waiting for numba.
_HOMES = {
    "Classifier": "unveil.adversary",
    "DifferentialInference": "unveil.attacks",
    "EarthMovers": "unveil.attacks",
    "Encoding": "unveil.adversary",
    "EncodingComparison": "unveil.attacks",
    "Hardening": "unveil.hardening",
    "Hierarchy": "unveil.microdata",
    "Identity": "unveil.sanitize",
    "Inference": "unveil.attacks",
    "LaplaceCounts": "unveil.sanitize",
    "Membership": "unveil.attacks",
    "InformationLoss": "unveil.measures",
    "Microdata": "unveil.microdata",
    "Mondrian": "unveil.sanitize",
    "NearestNeighbours": "unveil.adversary",
    "Oracle": "unveil.sanitize",
    "Release": "unveil.microdata",
    "ShareBound": "unveil.attacks",
    "compare_encodings": "unveil.attacks",
    "differential_inference": "unveil.attacks",
    "flat_hierarchy": "unveil.microdata",
    "harden": "unveil.hardening",
    "inference": "unveil.attacks",
    "information_loss": "unveil.measures",
    "interval_hierarchy": "unveil.microdata",
    "membership": "unveil.attacks",
    "prefix_hierarchy": "unveil.microdata",
    "quantize": "unveil.microdata",
    "read_csv": "unveil.microdata",
    "read_hierarchy": "unveil.microdata",
    "read_parquet": "unveil.microdata",
    "read_release": "unveil.microdata",
    "read_table": "unveil.microdata",
}

_ROOMS = (
    "adversary", "attacks", "datasets", "errors", "hardening", "measures", "microdata", "report",
    "sanitize",
)  # fmt: skip

__all__ = [
    "Classifier",
    "DifferentialInference",
    "EarthMovers",
    "Encoding",
    "EncodingComparison",
    "Hardening",
    "Hierarchy",
    "Identity",
    "Inference",
    "InformationLoss",
    "LaplaceCounts",
    "Membership",
    "Microdata",
    "Mondrian",
    "NearestNeighbours",
    "Oracle",
    "Release",
    "ShareBound",
    "UnveilError",
    "__version__",
    "compare_encodings",
    "datasets",
    "differential_inference",
    "flat_hierarchy",
    "harden",
    "inference",
    "information_loss",
    "interval_hierarchy",
    "membership",
    "prefix_hierarchy",
    "quantize",
    "read_csv",
    "read_hierarchy",
    "read_parquet",
    "read_release",
    "read_table",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"unveil.{name}")
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'unveil' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
