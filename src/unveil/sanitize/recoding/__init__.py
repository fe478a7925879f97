"""Recoding: coarser values for whole columns, or for each class by itself."""

from unveil.sanitize.recoding._recoding import Recoding

__all__ = ["Recoding"]
