"""Two files beside each other: which column is which, how it was coarsened, whose row is whose."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.aligning._align import align
    from unveil.aligning._result import AlignedColumn, Alignment, Question, Rows

__all__, __getattr__ = lazily(__name__)
