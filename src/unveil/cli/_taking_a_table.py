"""Commands that read a table share the options for it, said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from unveil.cli import _options as common
from unveil.cli import _reading_options as options
from unveil.cli import _release_options as releases
from unveil.cli._reading import NO_FILE, Reading

__all__ = [
    "may_take_a_table",
    "takes_a_table",
    "takes_releases",
]

_NOTHING = inspect.Parameter.empty

# What every such command is told: first who and what, then, after its own options, how to read.
_WHAT: tuple[tuple[str, Any, Any], ...] = (
    ("quasi", options.Quasi, _NOTHING),
    ("sensitive", options.Sensitive, _NOTHING),
)
_HOW: tuple[tuple[str, Any, Any], ...] = (
    ("hierarchies", options.Hierarchies, None),
    ("missing", options.Missing, options.WhatIsMissing.ERROR),
    ("missing_value", options.MissingValue, None),
    ("numeric", options.Numeric, None),
    ("categorical", options.Categorical, None),
    ("ordinal", options.Ordinal, None),
    ("cuts", options.Cuts, None),
    ("parts", options.Parts, None),
    ("quantiles", options.Quantiles, None),
    ("delimiter", options.Delimiter, None),
    ("encoding", options.Encoding, None),
    ("columns", options.Columns, None),
)


def takes_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which table to read and how.

    The command itself gets them as a `Reading`, its first parameter.
    """
    return _taking(command, _roles_of("file", options.Table, _NOTHING), _read)


def may_take_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that does something without a table, too (`Reading.is_given`)."""
    return _taking(command, _roles_of("file", options.OptionalTable, None), _read)


def takes_releases(*, look: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that say what was published, or what is to be.

    The command gets them as a `Given`, its parameter ``given``. With ``look``, a first look is
    taken where nothing is named.
    """
    sanitizers = releases.Sanitizers if look else releases.OnlySanitizers
    packed = (
        ("release", releases.Releases, None), ("anatomy", releases.Anatomies, None),
        ("sensitive_table", releases.SensitiveTables, None), ("sanitizer", sanitizers, None),
        ("notation", common.Notation, None), ("group", releases.Group, None),
        ("count", releases.Count, None), ("values", releases.Values, None),
    )  # fmt: skip

    def made(typed: dict[str, Any]) -> Any:
        from unveil.cli._asked import notations
        from unveil.cli._releases import Given

        return Given(
            releases=typed["release"] or (), anatomies=typed["anatomy"] or (),
            sensitive_tables=typed["sensitive_table"] or (), sanitizers=typed["sanitizer"] or (),
            notation=notations(typed["notation"]), group=typed["group"], count=typed["count"],
            values=typed["values"] or (),
        )  # fmt: skip

    return lambda command: _packing(command, "given", packed, made)


def _packing(
    command: Callable[..., None],
    name: str,
    packed: tuple[tuple[str, Any, Any], ...],
    made: Callable[[dict[str, Any]], Any],
) -> Callable[..., None]:
    """Put options in the place of one parameter, which is made of them."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    place = [parameter.name for parameter in parameters].index(name)

    def run(*given: Any, **typed: Any) -> None:
        own = {option: typed.pop(option) for option, *_ in packed}
        command(*given, **{name: made(own)}, **typed)

    parameters[place : place + 1] = map(_parameter, packed)
    after = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters[1:]]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature([parameters[0], *after])  # type: ignore[attr-defined]
    return run


def _roles_of(file: str, annotation: Any, default: Any) -> tuple[tuple[str, Any, Any], ...]:
    return ((file, annotation, default), *_WHAT, ("identifier", options.Identifier, None))


def _read(read: dict[str, Any], own: dict[str, Any]) -> Reading:
    return Reading(**read)


def _taking(
    command: Callable[..., None],
    what: tuple[tuple[str, Any, Any], ...],
    made: Callable[[dict[str, Any], dict[str, Any]], Any],
    *,
    more: tuple[tuple[str, Any, Any], ...] = (),
) -> Callable[..., None]:
    """Put options in the place of a command's first parameter, which is ``made`` of those that
    say how a table is read, and ``more``, which it takes from the others.
    """
    _, *own = inspect.signature(command, eval_str=True).parameters.values()

    def run(**given: Any) -> None:
        read = {name: given.pop(name) for name, *_ in (*what, *_HOW)}
        if read["file"] is None:
            read["file"] = NO_FILE
        command(made(read, given), **given)

    parameters = [*map(_parameter, (*what, *more)), *own, *map(_parameter, _HOW)]
    # Typer asks functions for their signature and for their annotations.
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _parameter(option: tuple[str, Any, Any]) -> inspect.Parameter:
    name, annotation, default = option
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)
