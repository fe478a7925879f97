"""The audit: several attacks and measures on several releases, and what comes of it."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.auditing._audit import audit
    from unveil.auditing._comparing import AuditComparison, Change, compare_audits
    from unveil.auditing._content import junit_of, read_audit
    from unveil.auditing._discretion import PRIVATE, Masking
    from unveil.auditing._figures import FIGURES, Figure, Question
    from unveil.auditing._finding import Audit, Audited, Looked, OneSecret
    from unveil.auditing._form import schema
    from unveil.auditing._grounds import Ground, ToRead, unanswered
    from unveil.auditing._names import (
        is_reference,
        key_from,
        public_name,
        resolve,
        rows_behind,
        write_key,
    )
    from unveil.auditing._thresholds import Check, State, Threshold, in_short

__all__, __getattr__ = lazily(__name__)
