"""What attacks and measures there are, and what other packages add.

An attack or measure is declared once: a function with annotated keyword-only options, and a
`Declaration` that says the rest. Its command and help, its section of a project file, its part of
an audit, its thresholds, its section of the report and its page of the reference follow from that.

Built-in attacks are the subpackages of `unveil.attacks` and `unveil.measures` that have a
``DECLARATION``. Other packages name theirs in the entry points ``unveil.attacks`` and
``unveil.measures``, and add sanitizers and adversaries with ``unveil.sanitizers`` and
``unveil.adversaries``. A plug-in that cannot be used is reported and does not affect the others.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from unveil.errors import Foreign, InputError, Message, Text, did_you_mean
from unveil.findings import Figure, Finding, Question
from unveil.options import options_of

__all__ = [
    "KINDS", "Declaration", "Kind", "Output", "Plugin", "audited", "declarations", "declared",
    "figures", "load_errors", "plugin_names", "plugins",
]  # fmt: skip

T = TypeVar("T")

Kind: TypeAlias = Literal["cells", "groups", "averages", "answers", "counts", "tables"]
"""The kinds of releases."""

KINDS: dict[Kind, str] = {
    "cells": "generalized records",
    "groups": "Anatomy's two tables",
    "averages": "averages of groups (microaggregation)",
    "answers": "randomized answers",
    "counts": "noisy counts",
    "tables": "tables of totals",
}
"""What each kind of release publishes."""

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
    needs : tuple of str
        Modules that it needs besides.
    extra : str
        The extra of unveil that brings them.
    """

    name: str
    help: str
    suffixes: tuple[str, ...]
    method: str
    needs: tuple[str, ...] = ()
    extra: str = ""


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
        The kinds of releases that it works on (`KINDS`); its help and the reference list them.
    figures : tuple of Figure
        The named numbers that it gives; thresholds can be set on them.
    means, assumes : str
        What its numbers mean, and what it takes for granted, for people who do not know it.
    order : int
        Where it stands in a report.
    default : bool
        Whether an audit has it unless the user names others.
    always : bool
        Whether an audit has its figures even if the user names others. It has a section of the
        report only if it is named.
    budget : str, optional
        The option ``budget`` in an audit, for one release: ``3 s``.
    page : str, optional
        Its page of the documentation; by default its name.
    outputs : tuple of Output
        Files that its command can write besides JSON, CSV and a picture.
    first_look : bool
        Whether its command tries the table as it is, and Mondrian with several k, if the user names
        no release and no sanitizer.
    compare : str or callable, optional
        What the findings of several releases, by their names, say beside each other: a function
        (or where it is) that returns sentences.
    in_audit : mapping, str or callable, optional
        Options that an audit gives it unless the user does, by name; or, where they depend on what
        is audited, a function (or where it is) of ``microdata`` and ``sanitizer`` that returns
        them. With a function a sanitizer may also be a folder of releases made beforehand.
    original_adds : str
        What the original table tells that a release alone cannot, as the end of a sentence: ``which
        links are right``. For functions that take one.
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
    always: bool = False
    budget: str | None = None
    page: str | None = None
    outputs: tuple[Output, ...] = ()
    first_look: bool = False
    compare: str | Callable[[Mapping[str, Any]], list[Text]] | None = None
    in_audit: str | Callable[..., dict[str, Any]] | Mapping[str, Any] | None = None
    original_adds: str = ""
    examples: str = ""
    plugin: str | None = None

    def call(self) -> Callable[..., Finding]:
        """The function itself; imports what it needs."""
        return self._read(lambda function: function)

    def tells(self, method: str) -> bool:
        """Whether its findings have a method that findings need not have, such as of_person."""
        found = inspect.signature(self.call(), eval_str=True).return_annotation
        return getattr(found, method, None) not in (None, getattr(Finding, method))

    def compared(self, found: Mapping[str, Finding]) -> list[Text]:
        """What the findings of several releases say beside each other."""
        return [] if self.compare is None else list(_loaded(self.compare)(found))

    def audit_options(self, microdata: Any, sanitizer: Any) -> dict[str, Any]:
        """Options in an audit that depend on what is audited."""
        if isinstance(self.in_audit, Mapping):
            return dict(self.in_audit)
        if self.in_audit is None or sanitizer is None:
            return {}
        return dict(_loaded(self.in_audit)(microdata, sanitizer))

    def options(self) -> dict[str, inspect.Parameter]:
        """Its options, by name."""
        found = self._read(options_of)
        return {name: one for name, one in found.items() if name not in SOURCES}

    def sources(self) -> dict[str, inspect.Parameter]:
        """What it works on, by the name of the parameter."""
        found = self._read(lambda function: inspect.signature(function, eval_str=True).parameters)
        return {name: one for name, one in found.items() if name in SOURCES}

    def needs(self, source: str) -> bool:
        """Whether its function cannot do without something to work on (`SOURCES`)."""
        one = self.sources().get(source)
        return one is not None and one.default is inspect.Parameter.empty

    def _read(self, what: Callable[[Callable[..., Finding]], T]) -> T:
        """Something of the function; an error of a plug-in says whose it is."""
        try:
            if not isinstance(self.function, str):
                return what(self.function)
            module, _, name = self.function.partition(":")
            return what(getattr(importlib.import_module(module), name))
        except (Exception, SystemExit) as error:
            if self.plugin is None:
                raise
            raise InputError(_cannot_load(self.name, self.plugin, error)) from error

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


class Plugin(NamedTuple):
    """What another package adds, by the name of its entry point."""

    name: str
    value: Any
    package: str

    def refuse(self, why: str) -> None:
        """Remember that it is left out, and why."""
        _remember(
            Message(
                "the plug-in {name} of {package} is left out: {why}",
                name=repr(self.name), package=self.package, why=why,
            )
        )  # fmt: skip


def _loaded(function: str | Callable[..., Any]) -> Callable[..., Any]:
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


_ROOMS = ("attacks", "measures")
_declaration = ("a Declaration", lambda found: isinstance(found, Declaration))
_WANTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "attacks": _declaration,
    "measures": _declaration,
    "sanitizers": (
        "a dataclass that is a Sanitizer",
        lambda found: (
            isinstance(found, type) and is_dataclass(found) and hasattr(found, "sanitize")
        ),
    ),
    "adversaries": ("a class or function that makes an adversary", callable),
}
_failed: dict[str, Message] = {}


@functools.cache
def declarations() -> dict[str, Declaration]:
    """All attacks and measures by name, in the order in which a report tells them."""
    found = {one.name: one for one in _built_in()}
    known = {figure.name: figure for one in found.values() for figure in one.figures}
    for plugin in (one for room in _ROOMS for one in plugins(room)):
        declaration: Declaration = plugin.value
        taken = [one.name for one in declaration.figures if known.get(one.name, one) != one]
        if declaration.name != plugin.name:
            plugin.refuse(f"it declares {declaration.name!r}; give its entry point that name")
        elif declaration.name in found:
            plugin.refuse(f"there is another attack or measure {declaration.name!r}")
        elif taken:
            plugin.refuse(f"there is another figure {taken[0]!r}")
        else:
            found[declaration.name] = replace(declaration, plugin=plugin.package)
            known |= {figure.name: figure for figure in declaration.figures}
    return {one.name: one for one in sorted(found.values(), key=lambda one: one.order)}


def declared(name: str) -> Declaration:
    """An attack or measure by name."""
    known = declarations()
    if name not in known:
        raise InputError(
            "no attack {name}{near} (known: {known})",
            name=repr(name), near=did_you_mean(str(name), known), known=", ".join(known),
        )  # fmt: skip
    return known[name]


@functools.cache
def audited() -> dict[str, Declaration]:
    """Those that an audit can have: they work on one release at a time."""
    found = {}
    for name, one in declarations().items():
        try:
            several = "releases" in one.sources()
        except InputError as error:  # of a plug-in
            _remember(error.message)
            continue
        if not several:
            found[name] = one
    return found


def figures() -> dict[str, Figure]:
    """All figures by name, in the order in which they are shown: by question, then by attack."""
    every = [one for declaration in declarations().values() for one in declaration.figures]
    return {one.name: one for question in Question for one in every if one.question is question}


def load_errors(*, load: bool = True) -> list[Message]:
    """What is wrong with plug-ins that cannot be used.

    Parameters
    ----------
    load : bool
        Load all plug-ins to find out; otherwise, tell only what has been noticed so far.
    """
    if load:
        from unveil.adversary import adversary_names
        from unveil.sanitize import sanitizer_names

        audited()
        adversary_names()
        sanitizer_names()
    return list(_failed.values())


def plugin_names(*groups: str) -> list[str]:
    """The names that other packages add to ``sanitizers``, for example; nothing is loaded."""
    return sorted({one.name for group in groups for one in entry_points(group=f"unveil.{group}")})


@functools.cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """What other packages add.

    Parameters
    ----------
    group : {"attacks", "measures", "sanitizers", "adversaries"}
    """
    found: dict[str, Plugin] = {}
    kind, fits = _WANTED[group]
    for one in entry_points(group=f"unveil.{group}"):
        package = one.dist.name if one.dist is not None else "an unknown package"
        try:
            plugin = Plugin(one.name, one.load(), package)
        except (Exception, SystemExit) as error:  # a package of others may fail in any way
            _remember(_cannot_load(one.name, package, error))
            continue
        if not fits(plugin.value):
            plugin.refuse(f"it is {plugin.value!r:.80}, and {kind} is needed")
        elif one.name in found:
            plugin.refuse(f"{found[one.name].package} has one of the same name")
        else:
            found[one.name] = plugin
    return tuple(found.values())


def _remember(problem: Message) -> None:
    _failed.setdefault(str(problem), problem)


def _cannot_load(name: str, package: str, error: BaseException) -> Message:
    return Message(
        "the plug-in {name} of {package} cannot be loaded ({error}); update or uninstall it",
        name=repr(name), package=package, error=Foreign(f"{type(error).__name__}: {error}"),
    )  # fmt: skip


def _built_in() -> Iterator[Declaration]:
    home = Path(__file__).parent
    for room in _ROOMS:
        for folder in sorted((home / room).iterdir()):
            name = f"unveil.{room}.{folder.stem}"
            module = folder / "__init__.py" if folder.is_dir() else folder
            if module.suffix != ".py" or not module.exists():
                continue
            if "DECLARATION" in module.read_text("utf-8"):
                found = importlib.import_module(name).DECLARATION
                yield from found if isinstance(found, tuple) else (found,)
