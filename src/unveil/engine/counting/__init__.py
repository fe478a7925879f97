"""Counting: how many records of each class have each sensitive value, wherever the table is."""

from unveil.engine.counting._contingency import MISSING, Contingency, Secret, text_of
from unveil.engine.counting._held import Held, KeyColumn
from unveil.engine.counting._histograms import Histograms

__all__ = ["MISSING", "Contingency", "Held", "Histograms", "KeyColumn", "Secret", "text_of"]
