"""Generalized cells as numbers: 24 encodings, and what models are trained on."""

from unveil.adversary.encoding._encoding import ENCODINGS, Categorical, Continuous, Encoding
from unveil.adversary.encoding._features import Features, chunks
from unveil.adversary.encoding._lessons import Lesson, Lessons

__all__ = [
    "ENCODINGS",
    "Categorical",
    "Continuous",
    "Encoding",
    "Features",
    "Lesson",
    "Lessons",
    "chunks",
]
