"""Oracles: sanitizers as black boxes, which are asked for releases and not looked into.

`Oracle` takes what it is given as one of four *forms*: a function, a command, the address of a
service, or releases made beforehand. A form is asked for f(D) or f(D without i) and returns a
table. Retrying, reading and checking are the same for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.errors import Cell, Column, File, InputError, Message, Option, Text, UnveilError
from unveil.microdata import (
    Microdata,
    Release,
    check_release,
    check_truth,
    is_parquet,
    read_release,
    same_domains,
    suspicions,
)
from unveil.sanitize._identity import Identity
from unveil.sanitize._sanitizer import Sanitizer, as_microdata
from unveil.sanitize.oracle._archive import Archive
from unveil.sanitize.oracle._command import Command, has_places
from unveil.sanitize.oracle._endpoint import Endpoint, is_address
from unveil.sanitize.oracle._form import (
    Fault,
    Form,
    Format,
    HiccupError,
    OracleError,
    Remarked,
    UnreadableError,
    make_limits,
)
from unveil.sanitize.oracle._function import Function
from unveil.sanitize.oracle._handed_over import handed_over, whose

__all__ = ["Oracle", "OracleError", "as_sanitizer"]

_FORMS = (
    "a function from table to table, a command such as './anonymize {input} {output}', an address "
    "such as 'http://127.0.0.1:8000/', or a folder or .parquet file, which has to be there, of "
    "releases made beforehand"
)


@dataclass(frozen=True)
class Oracle(Sanitizer):
    """Any sanitizer as a black box: a function, a command, a service, or releases in files.

    Parameters
    ----------
    source : callable, str or path
        What to ask, in one of four forms.

        *A function* gets the table and returns what is published: a table (pandas, polars,
        Arrow) with generalized cells and the sensitive column, or a `Release`.

        *A command*, ``"./anonymize {input} {output}"``: a program that reads the table from the
        file ``{input}`` and writes the release to the file ``{output}`` or, without that place,
        to standard output. It runs without a shell, in the current folder. With ``{without}`` the
        program gets the whole table and leaves out the record of that number itself, counted from
        0 (``none``: no one); the table is then written only once.

        *An address*, ``"http://127.0.0.1:8000/"``: the table is posted there and the release
        comes back, as CSV, Parquet or a JSON list of records.

        *A folder* with ``full.csv``, ``without_000017.csv`` and so on (or ``.parquet``), or one
        Parquet file with a column ``without`` that is empty for the release of the whole table:
        releases made beforehand, numbered from 0 by the rows of the source table.
    takes : {"table", "microdata"}, optional
        The argument of a function: a pandas table without the identifiers, or `Microdata`.
        Default: a table, and microdata if the function passes it to one of unveil's sanitizers.
    timeout : float or str, optional
        Time limit for one answer: seconds, or a text such as ``"30 s"`` or ``"2 min"``. Default:
        none, and five minutes for an address. A function with a limit runs in a process of its
        own. There are no limits for releases made beforehand.
    memory : int or str, optional
        Memory limit for a command or a function, with all processes that it starts: bytes, or a
        text such as ``"2 GB"``. For an address, the largest answer; 1 GB by default.
    retries : int, optional
        Number of retries after a failed run or an unusable answer. Default: 1; 0 for a function
        without limits and for a folder, which would give the same again.
    may_drop : bool
        Whether the release may have fewer records than the table.
    may_change_sensitive : bool
        Whether the release may have other sensitive values than the table.
    may_change_quasi : bool
        Whether the release may have other quasi-identifiers than the table, such as means, or
        values with noise. Otherwise its cells must cover the people of the table, and an answer
        whose cells do not is refused. If they may, methods that need true values are not
        available.
    gives_person : bool
        Whether the oracle gets the column that says whose a row is, where a person may have several
        rows. It has a number for each person, not the names. By default the column is not handed
        over, because it is not published.
    format : {"csv", "parquet"}
        Format of the table for a command or an address.
    notation : mapping of str to str, optional
        How columns of the release are written, where that is ambiguous; see `read_release`.

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41, 47], "vote": ["a", "b", "a", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> def decades(table):
    ...     low = table["age"] // 10 * 10
    ...     return table.assign(age=[f"[{a}, {a + 9}]" for a in low])
    >>> uv.Oracle(decades).sanitize(survey)
    Release by Oracle(decades): 4 records in 2 classes of 2
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
    memory: float | str | None = None
    retries: Annotated[int | None, Ge(0)] = None
    may_drop: bool = False
    may_change_sensitive: bool = False
    may_change_quasi: bool = False
    gives_person: bool = False
    format: Format = "csv"
    notation: Mapping[str, str] | None = field(default=None, hash=False)
    _form: Form = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "_form", _form_of(self))
        _check_options(self)

    @property
    def label(self) -> str:
        return self._form.label

    def sanitize(self, microdata: Microdata) -> Release:
        return self._answer(as_microdata(microdata, "Oracle"), None)

    def sanitize_without(self, microdata: Microdata, record: int) -> Release:
        microdata = as_microdata(microdata, "Oracle")
        if microdata.several is None:
            return self._answer(microdata, int(record))
        self.refuse_made_beforehand(microdata)
        return self._answer(microdata.without(record), None)

    def ending_at(self, ends: float) -> Oracle:
        made = replace(self)
        object.__setattr__(made, "_form", self._form.ending_at(ends))
        return made

    @property
    def may_not_end(self) -> bool:
        return self._form.may_not_end

    def can_leave_out(self, microdata: Microdata) -> NDArray[np.intp] | None:
        return self._form.can_leave_out(microdata)

    def missing_of(self, microdata: Microdata, records: NDArray[np.intp]) -> Text | None:
        """What is missing of the releases without some records, and what to do; None: nothing."""
        return self._form.missing_of(microdata, np.asarray(records, dtype=np.intp))

    def _answer(self, microdata: Microdata, record: int | None) -> Release:
        """Ask until there is a release, or no retry is left."""
        table = microdata if record is None else microdata.without(record)
        retries = self._form.usual_retries if self.retries is None else self.retries
        for tried in range(1, retries + 2):
            try:
                return self._asked(microdata, record, table)
            except HiccupError as error:
                if tried > retries:
                    message = error.message
                    if retries:
                        message = Message("{why} (tried {n} times)", why=message, n=tried)
                    raise OracleError(message, error.fault) from error.__cause__
        raise AssertionError("the last try has returned or raised")

    def _asked(self, microdata: Microdata, record: int | None, table: Microdata) -> Release:
        label, unreadable = self._form.file, "the answer of {label} cannot be read: {why}"
        try:
            given = handed_over(microdata, gives_person=self.gives_person)
            answer = self._form.ask(given, record)
            late: list[Message] = []
            if isinstance(answer, Remarked):
                answer, *late = answer
        except UnreadableError as error:
            raise HiccupError(unreadable, error.fault, label=label, why=error.message) from error
        except HiccupError as error:
            raise HiccupError(
                "{label} failed on {n} records: {why}", error.fault,
                label=label, n=len(table), why=error.message,
            ) from error.__cause__  # fmt: skip
        try:
            release = self._read(answer, table)
            if release.level is not None:
                raise InputError(
                    "it publishes values of {column} that the table does not have, such as bands "
                    "or other numbers; audit its output as a file, or have it publish the values",
                    column=Column(release.sensitive.name),
                )  # fmt: skip
            check_release(
                release, table, may_drop=self.may_drop, may_change=self.may_change_sensitive
            )
            release = self._as_declared(release)
            check_truth(release, table, label, record=_known(microdata, record))
            if record is None:
                odd = suspicions(release, table)
                notes = tuple(dict.fromkeys((*release.notes, *late, *odd)))
                release = replace(release, notes=notes)
            release = replace(release, persons=whose(release, table))
        except UnveilError as error:
            why = _in_our_terms(error.message)
            if not str(why).startswith(self.label):  # some checks name the oracle themselves
                why = Message(unreadable, label=label, why=why)
            raise HiccupError(why, Fault.NO_RELEASE) from error
        return release

    def _read(self, answer: Any, table: Microdata) -> Release:
        if isinstance(answer, Microdata):
            answer = Identity().sanitize(answer)
        if isinstance(answer, Release):
            if same_domains(answer, table):
                return answer
            # The function has read the table itself, so its codes have other meanings.
            again = read_release(answer.to_frame(), table, made_by=answer.made_by, may_change=True)
            return replace(again, extras=answer.extras, perturbed=answer.perturbed)
        # What may change is checked for all kinds of answers together.
        read = read_release(
            answer, table, made_by=self.label, notation=self.notation, may_change=True
        )
        return replace(read, perturbed=())

    def _as_declared(self, release: Release) -> Release:
        """The release, with the columns marked that need not be true."""
        changed = dict.fromkeys(release.perturbed)
        if self.may_change_quasi:
            changed |= dict.fromkeys(column.name for column in release.quasi)
        if self.may_change_sensitive:
            changed[release.sensitive.name] = None
        return replace(release, perturbed=tuple(changed))


def _known(microdata: Microdata, record: int | None) -> tuple[Any, int] | None:
    """The codes of a record."""
    if record is None:
        return None
    return microdata.codes[:, record], int(microdata.sensitive.codes[record])


def _in_our_terms(message: Message) -> Message:
    """The message of a check, with an option of the check under its name here."""
    parts = {
        name: Option("may_change_sensitive", part.value)
        if isinstance(part, Option) and part.name == "may_change"
        else part
        for name, part in message.parts.items()
    }
    text = message.text.replace("may_change=True", "may_change_sensitive=True")
    return Message(text, **parts)


def _form_of(oracle: Oracle) -> Form:
    """The form of the source."""
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
        # Not methods of the path: they fail where a text is too long to be one.
        if os.path.isdir(path) or (is_parquet(path) and os.path.isfile(path)):
            return Archive(path)
    known = File(source) if isinstance(source, str | PathLike) else _shown(source)
    raise InputError("{source} is no oracle: give {forms}", source=known, forms=_FORMS)


def _check_options(oracle: Oracle) -> None:
    """Refuse options that have no meaning for this form."""
    form = oracle._form
    if oracle.takes is not None and not isinstance(form, Function):
        raise InputError(
            "{option} is for functions; {label} gets its table as {format} says",
            option=Option("takes"), label=form.file, format=Option("format"),
        )  # fmt: skip
    if oracle.format != "csv" and not isinstance(form, Command | Endpoint):
        raise InputError(
            "{option} is for commands and addresses, not for {label}",
            option=Option("format"), label=form.file,
        )  # fmt: skip


def as_sanitizer(sanitizer: Any) -> Sanitizer:
    """A sanitizer, or a callable taken as an oracle."""
    if isinstance(sanitizer, Sanitizer):
        return sanitizer
    if isinstance(sanitizer, type) and issubclass(sanitizer, Sanitizer):
        raise InputError(
            "{kind} is a kind of sanitizer; make one: {kind}(…)", kind=sanitizer.__name__
        )
    if callable(sanitizer):
        return Oracle(sanitizer)
    raise InputError(
        "{given} is no sanitizer; give one such as unveil.Mondrian(k=5), or a function that turns "
        "a table into a release",
        given=_shown(sanitizer),
    )


def _shown(given: object) -> Any:
    """A short value as it is; of anything else, such as a table, only the type."""
    return (
        Cell(given) if isinstance(given, str | int | float | None) else f"a {type(given).__name__}"
    )
