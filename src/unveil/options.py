"""The vocabulary of options: what several functions share is declared here, once.

An option is an annotated type: its Python type, its bounds, its help, and how it is typed in a
shell. From the annotation come the check of its value (the same in Python, shell and project file),
the text of ``--help`` and the reference. Nothing heavy is imported here: ``unveil --help`` reads
this module.

>>> def attack(*, seed: Seed = 0): ...
>>> check("seed", Seed, -1)
Traceback (most recent call last):
unveil.errors.InputError: seed=-1 is not possible: it must be a whole number from 0 up
"""

from __future__ import annotations

import csv
import functools
import inspect
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Gt, Le, Lt

from unveil.errors import Call, InputError, Listed, Option, did_you_mean

__all__ = [
    "Adversaries",
    "Budget",
    "ExternalPerson",
    "HeldOut",
    "Help",
    "Jobs",
    "Knows",
    "MissingPeople",
    "Must",
    "Progress",
    "Recode",
    "Rename",
    "Run",
    "Seed",
    "Share",
    "Shell",
    "StrictColumns",
    "Tolerance",
    "Units",
    "Unknown",
    "by_column",
    "check",
    "check_fields",
    "checked",
    "choices_of",
    "help_of",
    "in_words",
    "names",
    "options_of",
    "read",
    "shell_of",
    "tolerance_of",
    "units_of",
]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Help:
    """What an option is, in a sentence or two; in a shell perhaps with an example of its own."""

    text: str
    shell: str = ""


@dataclass(frozen=True)
class Shell:
    """How an option is typed in a shell.

    Attributes
    ----------
    parse : callable, optional
        From the texts that were typed (an option may be repeated) to the value.
    metavar : str
        What stands for the value in ``--help``.
    hidden : bool
        The shell has no such option.
    table : bool
        A path is a table with the same columns as the original, and is read as that is.
    column_of_releases : bool
        In a shell it is a column that all releases have; the function gets the cells of each.
    plugins : str
        Its values are names that plug-ins may add: ``adversaries``.
    letter : str
        The short form of the option: ``q`` for ``-q``.
    path : bool
        Its value is a file or a folder.
    """

    parse: Callable[[Sequence[str]], Any] | None = None
    metavar: str = ""
    hidden: bool = False
    table: bool = False
    column_of_releases: bool = False
    plugins: str = ""
    letter: str = ""
    path: bool = False


@dataclass(frozen=True)
class Must:
    """What a value must be besides its type: a test, and the same in words."""

    test: Callable[[Any], bool]
    words: str


@dataclass(frozen=True, init=False)
class Units:
    """The units of work in which a budget may be given, besides a time."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


def names(texts: Sequence[str]) -> list[str]:
    """Names with commas between them; a name with a comma in it is quoted.

    >>> names(["age, education", "country"]), names(['"income, yearly",age'])
    (['age', 'education', 'country'], ['income, yearly', 'age'])
    """
    return [
        cell.strip()
        for text in texts
        for cells in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
        for cell in cells
        if cell.strip()
    ]


def by_column(
    option: str, example: str, value: Callable[[str], Any], *, last: bool = False
) -> Callable[[Sequence[str]], dict[str, Any]]:
    """A parser of texts such as ``zip=postcode``; None from ``value`` means that it cannot be.

    With ``last`` the last equals sign counts, so that a column may have one in its name.
    """

    def parse(texts: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for text in texts:
            parts = text.rpartition("=") if last else text.partition("=")
            column, equals, rest = (part.strip() for part in parts)
            read = value(rest) if equals and column and rest else None
            if read is None:
                raise InputError("cannot read {option}; write it like {example}",
                                 option=Option(option, text), example=example)  # fmt: skip
            if column in found:
                raise InputError("{option} names the column {column} twice",
                                 option=Option(option), column=repr(column))  # fmt: skip
            found[column] = read
        return found

    return parse


def _recoded(text: str) -> dict[str, str | None] | None:
    pairs = [pair.partition("->") for pair in text.split("|")]
    olds = [old.strip() for old, _, _ in pairs]
    if not all(arrow and old.strip() for old, arrow, _ in pairs) or len(set(olds)) < len(olds):
        return None
    return {old.strip(): new.strip() or None for old, _, new in pairs}


def _share_or_file(texts: Sequence[str | Path]) -> float | Path:
    """A share of the people, or a file of other people.

    >>> _share_or_file(["0.3"]), _share_or_file(["others.csv"]).name
    (0.3, 'others.csv')
    """
    if len(texts) > 1:
        raise InputError("{option} is given twice; give one share or one file",
                         option=Option("held_out"))  # fmt: skip
    try:
        share = float(str(texts[0]))
    except ValueError:
        return Path(texts[0])
    check("held_out", Annotated[float, Gt(0), Lt(1)], share)
    return share


def tolerance_of(given: str | float) -> tuple[float, bool] | None:
    """How far a guess may be off, and whether that is a share of the true value.

    None if it cannot be read.

    >>> tolerance_of("5%"), tolerance_of("0.5"), tolerance_of(1000)
    ((0.05, True), (0.5, False), (1000.0, False))
    >>> tolerance_of("-1"), tolerance_of("120%"), tolerance_of("near")
    (None, None, None)
    """
    text = str(given).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    if text.endswith("%"):
        return (number / 100, True) if 0 <= number < 100 else None
    return (number, False) if 0 <= number < inf else None


Seed = Annotated[int, Ge(0), Help("Random seed."), Shell(metavar="N")]
Jobs = Annotated[
    int | None, Help("Number of worker processes. Default: all cores."), Shell(metavar="N")
]
Budget = Annotated[
    str | float | None,
    Help(
        "How much to do: a number of runs of the sanitizer ('200 runs'), of people ('500 "
        "people'), or a time such as '5 min', with which the result depends on the machine; "
        "'auto': an amount that follows from the size of the table."
    ),
    Units("runs", "people"),
    Shell(metavar="RUNS|PEOPLE|TIME"),
]
Progress = Annotated[
    bool | None,
    Help("Show progress. Default: if standard error is a terminal."),
    Shell(hidden=True),
]
Run = Annotated[
    Any,
    Help(
        "Folder in which to keep what was found so far: the same call goes on from there after an "
        "interruption. It has private data."
    ),
    Shell(hidden=True),
]
Share = Annotated[float, Ge(0), Le(1)]
Adversaries = Annotated[
    Any,
    Help(
        "The attacker's model: a name such as naive-bayes, or several.",
        shell="The attacker's model: a name such as naive-bayes. May be repeated.",
    ),
    Shell(parse=list, metavar="NAME", plugins="adversaries"),
]
Knows = Annotated[
    str | Sequence[str] | None,
    Help("Quasi-identifiers that the attacker knows. Default: all."),
    Shell(parse=names, metavar="COLUMNS"),
]
Tolerance = Annotated[
    str | float | None,
    Must(lambda given: given is None or tolerance_of(given) is not None,
         "a number from 0 up, or a share of the true value from 0% to below 100%"),
    Help(
        "For a numeric sensitive column: how far a guess may be off and still be right, as a "
        "number (for dates: of days) or a share of the true value, such as '5%'. 0: it must be "
        "exact. Default: 5% of the interquartile range; exact for up to 20 different values, and "
        "for up to 100 whole numbers."
    ),
    Shell(metavar="NUMBER|SHARE"),
]  # fmt: skip
StrictColumns = Annotated[
    bool,
    Help("Let a release fail that publishes a column without a role. Otherwise such columns are "
         "listed, and assumed unknown to the attacker."),
]  # fmt: skip
HeldOut = Annotated[
    Any,
    Help(
        "People who are not in the release: a share of them, drawn at random, or a table of other "
        "people with the same columns."
    ),
    Shell(parse=_share_or_file, metavar="SHARE|FILE", table=True),
]
Rename = Annotated[
    Mapping[str, str] | None,
    Help(
        "Columns that have another name in the table of people, such as {'zip': 'postcode'}.",
        shell="Column that has another name in the table of people: 'zip=postcode'. May be "
        "repeated.",
    ),
    Shell(parse=by_column("rename", "'zip=postcode'", str), metavar="COLUMN=THEIRS"),
]
Recode = Annotated[
    Mapping[str, Mapping[Any, Any]] | None,
    Help(
        "Values that have another name in the table of people, such as {'sex': {'F': 'Female'}}. "
        "None stands for a value that the release does not have.",
        shell="Values that have another name in the table of people: 'sex=F->Female|M->Male'. "
        "Nothing behind the arrow stands for a value that the release does not have. May be "
        "repeated.",
    ),
    Shell(parse=by_column("recode", "'sex=F->Female|M->Male'", _recoded),
          metavar="COLUMN=THEIRS->OURS|…"),
]  # fmt: skip
Unknown = Annotated[
    Literal["error", "apart"],
    Help(
        "Words of the table of people that the release does not have: refuse them, or treat them "
        "as values that only '*' covers. Numbers need not be in the release."
    ),
]
ExternalPerson = Annotated[
    str | Sequence[str] | Literal[False] | None,
    Help(
        "Column of the table of people that says whose a row is, if the attacker knows several "
        "rows of a person; or none: each row is another person's. Default: that of the releases or "
        "the original, if the table has it."
    ),
    Shell(parse=lambda texts: False if texts == ["none"] else names(texts), metavar="COLUMNS"),
]
MissingPeople = Annotated[
    Literal["error", "drop", "any", "category"],
    Help(
        "Missing values in the table of people: refuse them, leave these people out, let any cell "
        "cover them, or treat them as the release's own value for missing."
    ),
]


def _metadata(annotation: Any, kind: type[R]) -> R | None:
    given = getattr(annotation, "__metadata__", ())
    return next((one for one in given if isinstance(one, kind)), None)


def help_of(annotation: Any, *, shell: bool = False) -> str:
    """The help of an annotated option; empty if it has none."""
    found = _metadata(annotation, Help)
    return "" if found is None else (shell and found.shell) or found.text


def units_of(annotation: Any) -> tuple[str, ...]:
    """The units of work in which an annotated budget may be given.

    >>> units_of(Budget), units_of(Seed)
    (('runs', 'people'), ())
    """
    found = _metadata(annotation, Units)
    return () if found is None else found.names


def shell_of(annotation: Any) -> Shell:
    """How an annotated option is typed in a shell."""
    return _metadata(annotation, Shell) or Shell()


def options_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The keyword-only options of a function, with their annotations as types."""
    parameters = inspect.signature(function, eval_str=True).parameters
    return {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}


def check(name: str, annotation: Any, value: Any) -> None:
    """Refuse a value that an option cannot have.

    Options of plain types are checked: numbers and their bounds, words, flags and choices. What is
    more, such as a table or a model, is checked by the function itself.

    >>> check("unknown", Unknown, "appart")
    Traceback (most recent call last):
    unveil.errors.InputError: unknown='appart' is not possible: it must be 'error' or 'apart'; ...
    """
    plain = value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value
    _validated(Option(name, plain), annotation, plain, strict=True)


def read(typed: Any, annotation: Any, text: str) -> Any:
    """A text that was typed, as the option's value; where the type is not plain, the text.

    ``typed`` is the option as a message shows it.

    >>> read("seed=7", Seed, "7"), read("seed=none", Seed | None, "none"), read("", bool, "yes")
    (7, None, True)
    """
    optional = NoneType in get_args(_bare(annotation))
    return (
        None
        if optional and text.lower() == "none"
        else _validated(typed, annotation, text, strict=False)
    )


def _validated(option: Any, annotation: Any, value: Any, *, strict: bool) -> Any:
    adapter, must = _adapter(annotation), _metadata(annotation, Must)
    if adapter is None:
        return value
    from pydantic import ValidationError

    try:
        found = adapter.validate_python(value, strict=strict)
        if must is None or must.test(found):
            return found
        raise InputError("{option} is not possible: it must be {allowed}",
                         option=option, allowed=in_words(annotation))  # fmt: skip
    except ValidationError:
        choices = [str(one) for one in choices_of(annotation)]
        near = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise InputError(
            "{option} is not possible: it must be {allowed}{near}",
            option=option, allowed=in_words(annotation), near=near,
        ) from None  # fmt: skip


def check_fields(thing: Any) -> None:
    """Check the fields of a dataclass by their annotations; its ``__post_init__`` calls it."""
    for name, annotation in _annotated_fields(thing.__class__).items():
        check(name, annotation, getattr(thing, name))


@functools.cache
def _annotated_fields(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {one.name: hints[one.name] for one in fields(kind) if one.init}


@functools.cache
def _adapter(annotation: Any) -> Any:
    """Pydantic's validator; None for types that are not plain."""
    if not all(one in _PLAIN or get_origin(one) is Literal for one in _members(annotation)):
        return None
    from pydantic import TypeAdapter

    return TypeAdapter(annotation)


_PLAIN = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _members(annotation: Any) -> list[Any]:
    """The types of a union, without None."""
    bare = _bare(annotation)
    several = get_args(bare) if get_origin(bare) in (Union, UnionType) else (bare,)
    return [_bare(one) for one in several if one is not NoneType]


def choices_of(annotation: Any) -> list[Any]:
    """The words that an option may be."""
    return [
        value
        for one in _members(annotation)
        if get_origin(one) is Literal
        for value in get_args(one)
    ]


def in_words(annotation: Any) -> str:
    """What an option may be.

    >>> in_words(Seed), in_words(Share), in_words(Unknown)
    ('a whole number from 0 up', 'a number from 0 to 1', "'error' or 'apart'")
    """
    if (must := _metadata(annotation, Must)) is not None:
        return must.words
    kinds = [_PLAIN[one] for one in _members(annotation) if one in _PLAIN]
    kinds += [repr(choice) for choice in choices_of(annotation)]
    given = getattr(annotation, "__metadata__", ())
    least = next((f" from {m.ge}" for m in given if isinstance(m, Ge)), "") or next(
        (f" above {m.gt}" for m in given if isinstance(m, Gt)), ""
    )
    most = next((f" to {m.le}" for m in given if isinstance(m, Le)), "") or next(
        (f" below {m.lt}" for m in given if isinstance(m, Lt) and m.lt != inf), ""
    )
    open_end = " up" if least.startswith(" from") and not most else ""
    listed = f"{', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    return f"{listed}{least}{most}{open_end}"


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the options of a function by their annotations, whoever calls it.

    Shared options need not be described in its docstring: their help is added.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        refuse_several(function.__name__, [*args, *kwargs.values()], function)
        for name, parameter in options().items():
            if name in kwargs:
                check(name, parameter.annotation, kwargs[name])
        if kwargs.get("run") is None:
            return function(*args, **kwargs)
        return going_on(function, *args, **kwargs)

    @functools.cache
    def options() -> dict[str, inspect.Parameter]:
        return options_of(function)

    call.__doc__ = _described(function)
    return call


@dataclass(frozen=True)
class ByRow:
    """Why a function does not count people where a person may have several rows.

    Attributes
    ----------
    why : str
        Continues "counts rows: …".
    instead : tuple of str
        Functions that count people and answer a similar question.
    """

    why: str
    instead: tuple[str, ...]


def by_person(function: Callable[P, R]) -> Callable[P, R]:
    """Declare that a function counts people where a person has several rows, or counts neither."""
    function.by_person = True  # type: ignore[attr-defined]
    return function


def by_row(why: str, *, instead: str | Sequence[str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare why a function counts rows, and what to use where a person has several.

    >>> @by_row("its model draws rows independently", instead="inference")
    ... def relative_risk(release): ...
    >>> counted_by(relative_risk).why
    'its model draws rows independently'
    """

    def declared(function: Callable[P, R]) -> Callable[P, R]:
        names = (instead,) if isinstance(instead, str) else tuple(instead)
        function.by_row = ByRow(why, names)  # type: ignore[attr-defined]
        return function

    return declared


def counted_by(function: Callable[..., Any]) -> ByRow | None:
    """Why it counts rows; None if it counts people."""
    if getattr(function, "by_person", False):
        return None
    found: ByRow = getattr(function, "by_row", ByRow("", ("measures",)))
    return found


def refuse_several(
    name: str, given: Iterable[Any], function: Callable[..., Any] | None = None
) -> None:
    """Refuse tables and releases in which a person has several rows, for what counts rows."""
    by = ByRow("", ("measures",)) if function is None else counted_by(function)
    if by is not None and _has_several(given):
        raise InputError(
            "{name} counts rows, and here a person may have several, so it would not be about "
            "people{why}; {instead} {count} people, and {name} needs a table with one row per "
            "person",
            name=name, why=f": {by.why}" if by.why else "",
            instead=Listed([Call(one) for one in by.instead], "and"),
            count="counts" if len(by.instead) == 1 else "count",
        )  # fmt: skip


def _has_several(given: Iterable[Any]) -> bool:
    """Whether a person may have several rows in one of these tables and releases."""
    for one in given:
        if isinstance(one, list | tuple):
            found = _has_several(one)
        elif isinstance(one, Mapping):
            found = _has_several(one.values())
        else:
            found = getattr(one, "several", None) is not None
        if found:
            return True
    return False


def going_on(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function with an option ``run``: it goes on with what an earlier call has kept."""
    from unveil.engine import run_of_call

    given = inspect.signature(function).bind(*args, **kwargs)
    given.apply_defaults()
    path: Any = given.arguments["run"]
    with run_of_call(path, function.__name__, given.arguments) as run:
        found = function(*args, **kwargs)
        if not getattr(found, "interrupted", False):
            run.complete()
    return found


def _described(function: Callable[..., Any]) -> str | None:
    """The docstring, with the shared options that it does not describe."""
    doc = inspect.getdoc(function)
    if doc is None or "\nReturns\n" not in doc:
        return doc
    head, returns, tail = doc.partition("\nReturns\n")
    added = [
        f"{name} : {_type_name(one.annotation)}\n    {help_of(one.annotation)}\n"
        for name, one in options_of(function).items()
        if help_of(one.annotation) and f"\n{name} :" not in head and f"\n{name}\n" not in head
    ]
    return f"{head.rstrip()}\n{''.join(added)}{returns}{tail}"


def _type_name(annotation: Any) -> str:
    bare = _members(annotation)
    texts = [
        f"{{{', '.join(map(repr, get_args(one)))}}}" if get_origin(one) is Literal
        else getattr(one, "__name__", str(one)).lower()
        for one in bare
    ]  # fmt: skip
    optional = ", optional" if NoneType in get_args(_bare(annotation)) else ""
    return " or ".join(texts) + optional
