"""The public face of all oracles: ask, ask again if need be, read the answer and check it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError, UnveilError
from unveil.microdata import (
    Microdata,
    Release,
    check_release,
    is_parquet,
    read_release,
    same_domains,
)
from unveil.sanitize._identity import Identity
from unveil.sanitize._sanitizer import Sanitizer, as_microdata
from unveil.sanitize.oracle._archive import Archive
from unveil.sanitize.oracle._command import Command, has_places
from unveil.sanitize.oracle._endpoint import Endpoint, is_address
from unveil.sanitize.oracle._errors import Fault, HiccupError, OracleError, UnreadableError
from unveil.sanitize.oracle._form import Form
from unveil.sanitize.oracle._function import Function
from unveil.sanitize.oracle._limits import make_limits
from unveil.sanitize.oracle._written import FORMATS, Format

__all__ = ["Oracle", "as_sanitizer"]

FORMS = (
    "a function from table to table, a command such as './anonymize {input} {output}', an address "
    "such as 'http://127.0.0.1:8000/', or a folder or .parquet file, which has to be there, of "
    "releases made beforehand"
)


@dataclass(frozen=True)
class Oracle(Sanitizer):
    """A sanitizer as a black box, which is asked for releases and not looked into.

    Parameters
    ----------
    source : callable, str or path
        What is asked, in one of four forms.

        *A function* gets the table and returns what is published: a table (pandas, polars,
        Arrow) with the quasi-identifiers' cells generalized and the sensitive column, or a
        `Release`.

        *A command*, ``"./anonymize {input} {output}"``: a program that reads the table from the
        file ``{input}`` and writes the release to the file ``{output}`` or, if that is not in
        the command, to standard output. It is run without a shell, in the current folder. With
        ``{without}`` in it the program gets the whole table and leaves out the record of that
        number by itself, counted from 0 (``none``: nobody); the table is then written only once.

        *An address*, ``"http://127.0.0.1:8000/"``: the table is posted there and the release
        comes back, as CSV, Parquet or a JSON list of records.

        *A folder* with ``full.csv`` and ``without_000017.csv`` and so on (or ``.parquet``), or
        one Parquet file with a column ``without`` that is empty for the release of the whole
        table: releases made beforehand, numbered from 0 by the rows of the source table.
    takes : {"table", "microdata"}, optional
        What a function is given: a pandas table without the identifiers, or `Microdata`. By
        default a table, and microdata if it turns out to hand that to one of unveil's sanitizers.
    timeout : float or str, optional
        How long one answer may take: seconds, or a text such as ``"30 s"`` or ``"2 min"``. By
        default as long as it likes, and five minutes for an address. A function with a limit
        runs in a process of its own. Releases made beforehand are only read, without limits.
    memory : int or str, optional
        How much memory the process of a command or a function may take, with all processes that
        it starts: bytes, or a text such as ``"2 GB"``. Of an address: how large its answer may
        be; 1 GB by default.
    retries : int, optional
        How often it is asked again if it fails, hangs or answers nonsense. By default once, but
        not at all if it is a function without limits, or a folder: those would say the same.
    may_drop : bool
        Whether the release may have fewer records than the table.
    may_change_sensitive : bool
        Whether the release may have other sensitive values than the table.
    format : {"csv", "parquet"}
        What a command or an address is given.
    notation : mapping of str to str, optional
        How columns of the release are written, where that is not clear; see `read_release`.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41, 47], "vote": ["a", "b", "a", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> def decades(table):
    ...     low = table["age"] // 10 * 10
    ...     return table.assign(age=[f"[{a}, {a + 9}]" for a in low])
    >>> uv.Oracle(decades).sanitize(survey)
    Release by Oracle(decades): 4 records in 2 classes of 2 to 2
      age       records
      [30, 39]  2
      [40, 49]  2

    A command; ``cat`` publishes the table as it is:

    >>> uv.Oracle("cat {input}").sanitize(survey).n_classes
    4
    """

    source: Callable[[Any], Any] | str | PathLike[str]
    _: KW_ONLY
    takes: Literal["table", "microdata"] | None = None
    timeout: float | str | None = None
    memory: int | str | None = None
    retries: int | None = None
    may_drop: bool = False
    may_change_sensitive: bool = False
    format: Format = "csv"
    notation: Mapping[str, str] | None = field(default=None, hash=False)
    _form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.takes not in (None, "table", "microdata"):
            raise InputError(f'Oracle\'s takes must be "table" or "microdata", got {self.takes!r}')
        if self.format not in FORMATS:
            raise InputError(f'Oracle\'s format must be "csv" or "parquet", got {self.format!r}')
        retries = 0 if self.retries is None else self.retries
        if isinstance(retries, bool) or not isinstance(retries, int | np.integer) or retries < 0:
            raise InputError(f"Oracle's retries must be a whole number from 0 up, got {retries!r}")
        object.__setattr__(self, "_form", _form_of(self))
        _check_options(self)

    @property
    def label(self) -> str:
        return self._form.label

    def sanitize(self, microdata: Microdata) -> Release:
        return self._answer(as_microdata(microdata, "Oracle"), None)

    def sanitize_without(self, microdata: Microdata, record: int) -> Release:
        return self._answer(as_microdata(microdata, "Oracle"), int(record))

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        return self._form.can_leave_out(microdata)

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> str | None:
        """What is not there of the releases without some records, and the remedy; None: nothing."""
        return self._form.missing_of(microdata, np.asarray(records, dtype=np.intp))

    def _answer(self, microdata: Microdata, record: int | None) -> Release:
        """Ask until there is a release, or nothing more to be tried."""
        table = microdata if record is None else microdata.without(record)
        retries = self._form.usual_retries if self.retries is None else self.retries
        for tried in range(1, retries + 2):
            try:
                return self._asked(microdata, record, table)
            except HiccupError as error:
                if tried > retries:
                    often = f" (tried {tried} times)" if retries else ""
                    raise OracleError(f"{error}{often}", error.fault) from error.__cause__
        raise AssertionError("the last try has returned or raised")

    def _asked(self, microdata: Microdata, record: int | None, table: Microdata) -> Release:
        unreadable = f"the answer of {self.label} cannot be read"
        try:
            answer = self._form.ask(microdata, record)
        except UnreadableError as error:
            raise HiccupError(f"{unreadable}: {error}", error.fault) from error
        except HiccupError as error:
            failed = f"{self.label} failed on {len(table):,} records"
            raise HiccupError(f"{failed}: {error}", error.fault) from error.__cause__
        try:
            release = self._read(answer, table)
            check_release(
                release, table, may_drop=self.may_drop, may_change=self.may_change_sensitive
            )
        except UnveilError as error:
            # The option that a check speaks of is called otherwise here, and it says whose answer
            # it is by itself.
            said = str(error).replace("may_change=True", "may_change_sensitive=True")
            about_us = said.startswith(self.label)
            said = said if about_us else f"{unreadable}: {said}"
            raise HiccupError(said, Fault.NO_RELEASE) from error
        return release

    def _read(self, answer: Any, table: Microdata) -> Release:
        if isinstance(answer, Microdata):
            answer = Identity().sanitize(answer)
        if isinstance(answer, Release):
            if same_domains(answer, table):
                return answer
            # The function has read the table by itself, so its codes mean something else.
            return read_release(answer.to_frame(), table, made_by=answer.made_by, may_change=True)
        # What may not be is looked at for all kinds of answers together.
        return read_release(
            answer, table, made_by=self.label, notation=self.notation, may_change=True
        )


def _form_of(oracle: Oracle) -> Form:
    """What the source is taken for."""
    source, limits = oracle.source, make_limits(oracle.timeout, oracle.memory)
    if callable(source):
        return Function(source, oracle.takes, limits)
    if isinstance(source, str):
        if is_address(source):
            return Endpoint(source, limits, oracle.format)
        if has_places(source):
            return Command(source, limits, oracle.format)
    if isinstance(source, str | PathLike):
        path = Path(source)
        if path.is_dir() or (is_parquet(path) and path.is_file()):
            return Archive(path)
    shown = str(source) if isinstance(source, PathLike) else source
    raise InputError(f"{shown!r} is no oracle: give {FORMS}")


def _check_options(oracle: Oracle) -> None:
    """An option that has no meaning here was meant for something else."""
    form = oracle._form
    if oracle.takes is not None and not isinstance(form, Function):
        raise InputError(f"takes is for functions; {oracle.label} gets its table as format= says")
    if oracle.format != "csv" and not isinstance(form, Command | Endpoint):
        raise InputError(f"format is for commands and addresses, not for {oracle.label}")


def as_sanitizer(sanitizer: Any) -> Sanitizer:
    """A sanitizer, or a callable taken as an oracle."""
    if isinstance(sanitizer, Sanitizer):
        return sanitizer
    if isinstance(sanitizer, type) and issubclass(sanitizer, Sanitizer):
        raise InputError(
            f"{sanitizer.__name__} is a kind of sanitizer; make one: {sanitizer.__name__}(…)"
        )
    if callable(sanitizer):
        return Oracle(sanitizer)
    raise InputError(
        f"{_shown(sanitizer)} is no sanitizer; give one such as unveil.Mondrian(k=5), "
        "or a function that turns a table into a release"
    )


def _shown(given: object) -> str:
    """What was given: a short text as it is, of anything else only what it is.

    A table must not find its way into a message.
    """
    return (
        repr(given) if isinstance(given, str | int | float | None) else f"a {type(given).__name__}"
    )
