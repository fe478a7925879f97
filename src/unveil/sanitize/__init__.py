"""Sanitizers: from microdata to a release."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.sanitize._anatomy import Anatomy
    from unveil.sanitize._cross_tables import CrossTables
    from unveil.sanitize._goals import Distance, distance_between, heights
    from unveil.sanitize._identity import Identity
    from unveil.sanitize._microaggregation import Microaggregation
    from unveil.sanitize._named import (
        SANITIZERS,
        first_look,
        sanitizer_named,
        sanitizer_names,
        sanitizers_named,
    )
    from unveil.sanitize._noise import LaplaceCounts, RandomizedResponse
    from unveil.sanitize._sanitizer import (
        LeaveOneOut,
        LeavesOneOut,
        NeedsMicrodataError,
        Sanitizer,
        as_microdata,
    )
    from unveil.sanitize.mondrian import Crowds, Mondrian
    from unveil.sanitize.oracle import Oracle, OracleError, as_sanitizer
    from unveil.sanitize.recoding import Recoding

__all__, __getattr__ = lazily(__name__)
