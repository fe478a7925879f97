"""What attacks and measures there are, built in and from packages of others.

An attack or measure is declared once: a function with annotated keyword-only options, and a
`Declaration` that says the rest. Its command and help, its section of a project file, its part of
an audit, its thresholds, its section of the report and its page of the reference follow from that.

Built-in attacks are the subpackages of `unveil.attacks` and `unveil.measures` that have a
``DECLARATION``. Other packages name theirs in the entry points ``unveil.attacks`` and
``unveil.measures``. One that cannot be loaded is reported and does not affect the others.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, TypeAlias

from unveil.errors import InputError, Message, did_you_mean
from unveil.findings import Figure, Finding, Question
from unveil.options import options_of

__all__ = [
    "Declaration", "Kind", "Output", "declarations", "declared", "figures", "load_errors",
    "plugins",
]  # fmt: skip

Kind: TypeAlias = Literal["grouped", "permuted", "counts", "synthetic", "aggregate"]
"""The kinds of releases."""

SOURCES = ("release", "published", "sanitizer", "releases", "microdata", "external")
"""What a function may work on, by the name of the parameter.

``release`` is one release, ``sanitizer`` what makes releases, ``published`` either of them, and
``releases`` several at once, by their names. ``microdata`` is the original, and ``external`` a
table of people whom the attacker knows.
"""


@dataclass(frozen=True, kw_only=True)
class Output:
    """A file that a command can write besides JSON, CSV and a picture.

    Attributes
    ----------
    name : str
        The option: ``traces``.
    help : str
    suffixes : tuple of str
        How the file's name may end.
    method : str
        The method of the finding that writes it, given a path.
    """

    name: str
    help: str
    suffixes: tuple[str, ...]
    method: str


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Everything about an attack or measure that its function does not say.

    Attributes
    ----------
    name : str
        As it is typed: ``relative-risk``. The function has the same name with underscores.
    function : str or callable
        The function, or where it is: ``unveil.attacks.linkage._linkage:linkage``. Parameters that
        are not options are what it works on (`SOURCES`).
    title : str
        The method, and what it shows: ``Linkage: who can be found with a list of names``.
    help : str
        What it does, in one sentence, for ``unveil --help``.
    questions : tuple of Question
        Which of the questions of European guidance it answers.
    fits : tuple of str
        The kinds of releases that it works on.
    figures : tuple of Figure
        The named numbers that it gives; thresholds can be set on them.
    means, assumes : str
        What its numbers mean, and what it takes for granted, for people who do not know it.
    order : int
        Where it stands in a report.
    default : bool
        Whether an audit has it unless the user names others.
    budget : str, optional
        The option ``budget`` in an audit, for one release: ``3 s``.
    in_audit : mapping of str to any
        Options that an audit gives it unless the user does, where its own defaults are others.
    page : str, optional
        Its page of the documentation; by default its name.
    outputs : tuple of Output
        Files that its command can write besides JSON, CSV and a picture.
    first_look : bool
        Whether its command tries the table as it is, and Mondrian with several k, if the user names
        no release and no sanitizer.
    examples : str
        Examples for the help of its command.
    plugin : str, optional
        The package that it comes from, if it is not built in.
    """

    name: str
    function: str | Callable[..., Finding]
    title: str
    help: str
    questions: tuple[Question, ...]
    fits: tuple[Kind, ...]
    figures: tuple[Figure, ...]
    means: str
    assumes: str
    order: int = 1_000
    default: bool = False
    budget: str | None = None
    in_audit: Mapping[str, Any] = field(default_factory=dict)
    page: str | None = None
    outputs: tuple[Output, ...] = ()
    first_look: bool = False
    examples: str = ""
    plugin: str | None = None

    def call(self) -> Callable[..., Finding]:
        """The function itself; imports what it needs."""
        if not isinstance(self.function, str):
            return self.function
        module, _, name = self.function.partition(":")
        found: Callable[..., Finding] = getattr(importlib.import_module(module), name)
        return found

    def options(self) -> dict[str, inspect.Parameter]:
        """Its options, by name."""
        return {name: one for name, one in options_of(self.call()).items() if name not in SOURCES}

    def sources(self) -> dict[str, inspect.Parameter]:
        """What it works on, by the name of the parameter."""
        parameters = inspect.signature(self.call(), eval_str=True).parameters
        return {name: one for name, one in parameters.items() if name in SOURCES}

    def check_options(self, given: Mapping[str, Any]) -> None:
        """Refuse options that it does not have, and values that they cannot have."""
        from unveil.options import check

        known = self.options()
        for name, value in given.items():
            if name not in known:
                raise InputError(
                    "{attack} has no option {name}{near} (known: {known})",
                    attack=self.name, name=repr(name), near=did_you_mean(str(name), known),
                    known=", ".join(known),
                )  # fmt: skip
            check(name, known[name].annotation, value)


_ROOMS = ("attacks", "measures")
_failed: list[Message] = []


@functools.cache
def declarations() -> dict[str, Declaration]:
    """All attacks and measures by name, in the order in which a report tells them."""
    found = [*_built_in(), *_others()]
    return {one.name: one for one in sorted(found, key=lambda one: one.order)}


def declared(name: str) -> Declaration:
    """An attack or measure by name."""
    known = declarations()
    if name not in known:
        raise InputError(
            "no attack {name}{near} (known: {known})",
            name=repr(name), near=did_you_mean(str(name), known), known=", ".join(known),
        )  # fmt: skip
    return known[name]


def figures() -> dict[str, Figure]:
    """All figures by name, in the order in which they are shown: by question, then by attack."""
    every = [one for declaration in declarations().values() for one in declaration.figures]
    return {one.name: one for question in Question for one in every if one.question is question}


def load_errors() -> list[Message]:
    """What is wrong with plug-ins that could not be loaded."""
    declarations()
    return list(_failed)


def plugins(group: str) -> Iterator[tuple[str, Any, str]]:
    """What other packages bring under an entry point: name, object and package."""
    for one in entry_points(group=group):
        package = one.dist.name if one.dist is not None else "an unknown package"
        try:
            yield one.name, one.load(), package
        except Exception as error:  # a stranger's package may fail in any way
            _failed.append(_cannot_load(one, package, error))


def _cannot_load(one: EntryPoint, package: str, error: Exception) -> Message:
    return Message(
        "the plug-in {name} of {package} cannot be loaded ({error}); update or uninstall it",
        name=repr(one.name), package=package, error=f"{type(error).__name__}: {error}",
    )  # fmt: skip


def _built_in() -> Iterator[Declaration]:
    home = Path(__file__).parent
    for room in _ROOMS:
        for folder in sorted((home / room).iterdir()):
            name = f"unveil.{room}.{folder.stem}"
            module = folder / "__init__.py" if folder.is_dir() else folder
            if module.suffix == ".py" and module.exists() and "DECLARATION" in module.read_text():
                found = importlib.import_module(name).DECLARATION
                yield from found if isinstance(found, tuple) else (found,)


def _others() -> Iterator[Declaration]:
    for room in _ROOMS:
        for name, found, package in plugins(f"unveil.{room}"):
            if isinstance(found, Declaration):
                yield replace(found, plugin=package)
            else:
                _failed.append(
                    Message(
                        "the plug-in {name} of {package} is a {kind}, not a Declaration; see the "
                        "documentation on writing your own attack",
                        name=repr(name),
                        package=package,
                        kind=type(found).__name__,
                    )
                )
