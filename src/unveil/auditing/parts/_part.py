"""What a part of an audit is: one attack or measure, and how what it found is told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from unveil.auditing._discretion import Discretion
from unveil.auditing._figures import Question
from unveil.auditing._masking import Masking
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Telling
from unveil.findings import Finding

__all__ = ["Asked", "Part"]

F = TypeVar("F", bound=Finding)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is the same for all releases, so that their numbers can be compared.

    Attributes
    ----------
    adversary : str, or whatever `differential_inference` takes
        Who guesses, wherever somebody guesses.
    seed : int
    n_jobs : int, optional
    progress : bool, optional
    discretion : Discretion
        What may be said of individuals.
    options : mapping of the name of a part to mapping
        What its attack or measure is told besides.
    masking : Masking, optional
        What is taken out of texts, where something is told about a table.
    """

    adversary: Any = None
    seed: int = 0
    n_jobs: int | None = None
    progress: bool | None = None
    discretion: Discretion
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    masking: Masking | None = None

    def cells(self, texts: Iterable[str], size: int) -> str:
        """The cells of a class of so many people, as far as they may be shown."""
        assert self.masking is not None, "nothing is told of a table that is not known"
        return self.discretion.group(texts, size, self.masking)

    def told(self, part: str, **common: Any) -> dict[str, Any]:
        """The options of a part: the common ones, and those of its own, which go before."""
        return {**common, **self.options.get(part, {})}


class Part(ABC, Generic[F]):
    """One attack or measure as a part of an audit."""

    name: ClassVar[str]
    """As it is typed: ``differential-inference``."""
    title: ClassVar[str]
    questions: ClassVar[tuple[Question, ...]]
    """Which of the three questions of European guidance it answers."""
    means: ClassVar[str]
    """What its numbers mean, for people who do not know it."""
    assumes: ClassVar[str]
    """What is taken for granted."""
    page: ClassVar[str]
    """Its page of the documentation."""
    figures: ClassVar[tuple[str, ...]]
    """The numbers it gives, by their names."""

    @abstractmethod
    def look(self, subject: Subject, asked: Asked) -> F:
        """Attack or measure; an `UnveilError` says why it makes no sense here."""

    @abstractmethod
    def numbers(self, finding: F) -> dict[str, float | None]:
        """A value for each of `figures`; None where there is none."""

    @abstractmethod
    def tell(self, found: Mapping[str, F], asked: Asked) -> Telling:
        """What was found in the releases, which have names."""

    def diagnose(self, finding: F) -> list[str]:
        """What to know about how exact the numbers of a release are."""
        return []
