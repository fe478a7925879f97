"""Sanitizers: from microdata to a release."""

from unveil.sanitize._anatomy import Anatomy
from unveil.sanitize._crowds import Crowds
from unveil.sanitize._first_look import first_look
from unveil.sanitize._identity import Identity
from unveil.sanitize._laplace_counts import LaplaceCounts
from unveil.sanitize._microaggregation import Microaggregation
from unveil.sanitize._mondrian import Mondrian
from unveil.sanitize._named import SANITIZERS, sanitizer_named
from unveil.sanitize._randomized_response import RandomizedResponse
from unveil.sanitize._sanitizer import (
    LeaveOneOut,
    LeavesOneOut,
    NeedsMicrodataError,
    Sanitizer,
    as_microdata,
)
from unveil.sanitize._series import sanitizers_named
from unveil.sanitize.oracle import Oracle, OracleError, as_sanitizer
from unveil.sanitize.recoding import Recoding

__all__ = [
    "SANITIZERS",
    "Anatomy",
    "Crowds",
    "Identity",
    "LaplaceCounts",
    "LeaveOneOut",
    "LeavesOneOut",
    "Microaggregation",
    "Mondrian",
    "NeedsMicrodataError",
    "Oracle",
    "OracleError",
    "RandomizedResponse",
    "Recoding",
    "Sanitizer",
    "as_microdata",
    "as_sanitizer",
    "first_look",
    "sanitizer_named",
    "sanitizers_named",
]
