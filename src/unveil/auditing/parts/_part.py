"""What a part of an audit is: one attack or measure, and how what it found is told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, ClassVar, Generic, TypeVar

from unveil.auditing._discretion import Discretion, Masking
from unveil.auditing._figures import Question
from unveil.auditing._subjects import Subject
from unveil.auditing._telling import Telling
from unveil.errors import InputError, did_you_mean
from unveil.findings import Finding
from unveil.measures import Counting

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
    knows : tuple of str, optional
        The quasi-identifiers that the attacker knows, if not all that are published.
    partitions : mapping of str to any
        Categories of sensitive columns, for the discrimination rate.
    masking : Masking, optional
        What is taken out of texts, where something is told about a table.
    """

    adversary: Any = None
    seed: int = 0
    n_jobs: int | None = None
    progress: bool | None = None
    discretion: Discretion
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    knows: tuple[str, ...] | None = None
    partitions: Mapping[str, Any] = field(default_factory=dict)
    masking: Masking | None = None

    def cells(self, texts: Iterable[str], size: int) -> str:
        """The cells of a class of so many people, as far as they may be shown."""
        assert self.masking is not None, "nothing is told of a table that is not known"
        return self.discretion.group(texts, size, self.masking)

    def needs_all_known(self, attack: str) -> None:
        """Refuse an attack that has no form for an attacker who knows fewer columns."""
        if self.knows is not None:
            raise InputError(
                f"{attack} is about an attacker who knows every quasi-identifier, and this one "
                f"knows {' and '.join(self.knows)} alone; a number for the other would not be "
                "comparable. For a release that has only these columns, give the others another "
                "role"
            )

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
    function: ClassVar[Callable[..., Any]]
    """What is called, whose options can be given."""
    figures: ClassVar[tuple[str, ...]]
    """The numbers it gives, by their names."""
    budget: ClassVar[tuple[str, str] | None] = None
    """Which option bounds its time for one release, and what that is in an audit."""

    def check_options(self, given: Iterable[str]) -> None:
        """Refuse options that the attack does not have."""
        parameters = signature(self.function).parameters.values()
        known = [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]
        if any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
            known += Counting.__annotations__
        for name in given:
            if name not in known:
                raise InputError(
                    f"{self.name} has no option {name!r}{did_you_mean(str(name), known)} "
                    f"(known: {', '.join(known)})"
                )

    @abstractmethod
    def look(self, subject: Subject, asked: Asked) -> F:
        """Attack or measure; an `UnveilError` says why it makes no sense here."""

    @abstractmethod
    def numbers(self, finding: F) -> dict[str, float | None]:
        """A value for each of `figures`; None where there is none."""

    @abstractmethod
    def tell(self, found: Mapping[str, F], asked: Asked) -> Telling:
        """What was found in the releases, which have names."""

    def in_short(self, found: Mapping[str, F], asked: Asked) -> list[str]:
        """The same in a sentence or two, for the head of a report; nothing if there is nothing."""
        return list(self.tell(found, asked).sentences[: len(found)])

    def among(self, finding: F) -> str | None:
        """Of whom its numbers are, if not of everybody, such as 'among 3 of 200 people'."""
        return None

    def diagnose(self, finding: F) -> list[str]:
        """What to know about how exact the numbers of a release are."""
        return []
