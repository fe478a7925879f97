"""Commands that read a table share the options for it, said once.

Only typer is imported here: `unveil --help` must not wait for numpy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from unveil.cli import _people_options as people
from unveil.cli import _reading_options as options
from unveil.cli._reading import NO_FILE, Reading

__all__ = ["may_take_a_table", "names_people", "takes_a_table"]

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
    return _taking(command, ("file", options.Table, _NOTHING))


def may_take_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that does something without a table, too (`Reading.is_given`)."""
    return _taking(command, ("file", options.OptionalTable, None))


def names_people(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that looks for people with names, so that the identifier is used."""
    return _taking(command, ("file", options.OptionalTable, None), identifier=people.Identifier)


def _taking(
    command: Callable[..., None],
    file: tuple[str, Any, Any],
    *,
    identifier: Any = options.Identifier,
) -> Callable[..., None]:
    _, *own = inspect.signature(command, eval_str=True).parameters.values()
    what = (file, *_WHAT, ("identifier", identifier, None))

    def run(**given: Any) -> None:
        read = {name: given.pop(name) for name, *_ in (*what, *_HOW)}
        if read["file"] is None:
            read["file"] = NO_FILE
        command(Reading(**read), **given)

    parameters = [*map(_parameter, what), *own, *map(_parameter, _HOW)]
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
