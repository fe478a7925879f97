"""The audit: several attacks and measures on several releases, and what comes of it."""

from unveil.auditing._audit import audit
from unveil.auditing._audited import Audited, Looked, OneSecret
from unveil.auditing._content import schema
from unveil.auditing._figures import FIGURES, Figure, Question
from unveil.auditing._finding import Audit
from unveil.auditing._thresholds import Check, Threshold

__all__ = [
    "FIGURES",
    "Audit",
    "Audited",
    "Check",
    "Figure",
    "Looked",
    "OneSecret",
    "Question",
    "Threshold",
    "audit",
    "schema",
]
