"""Sanitizers we cannot look into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from unveil.errors import InputError, UnveilError
from unveil.microdata import Microdata, Release, read_release
from unveil.sanitize._identity import Identity
from unveil.sanitize._sanitizer import NeedsMicrodataError, Sanitizer, as_microdata

__all__ = ["Oracle", "OracleError", "as_sanitizer"]


class OracleError(UnveilError):
    """A sanitizer of the user's that failed, or whose answer is no release of the table."""


@dataclass(frozen=True)
class Oracle(Sanitizer):
    """A sanitizer as a black box: any callable that turns a table into a release.

    Parameters
    ----------
    function : callable
        Gets the table and returns what is published: a table (pandas, polars, Arrow) with the
        quasi-identifiers' cells generalized and the sensitive column, or a `Release`.
    takes : {"table", "microdata"}, optional
        What the function is given: a pandas table without the identifiers, or `Microdata`. By
        default a table, and microdata if it turns out to hand that to one of unveil's sanitizers.

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
    """

    function: Callable[[Any], Any]
    takes: Literal["table", "microdata"] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"Oracle needs a callable, got {self.function!r}")
        if self.takes not in (None, "table", "microdata"):
            raise InputError(f'Oracle\'s takes must be "table" or "microdata", got {self.takes!r}')

    @property
    def label(self) -> str:
        if isinstance(self.function, Sanitizer):
            return f"Oracle({self.function.label})"
        name = getattr(self.function, "__qualname__", None) or type(self.function).__name__
        return f"Oracle({name.split('<locals>.')[-1]})"

    def sanitize(self, microdata: Microdata) -> Release:
        microdata = as_microdata(microdata, "Oracle")
        answer = self._ask(microdata)
        try:
            if isinstance(answer, Microdata):
                answer = Identity().sanitize(answer)
            if isinstance(answer, Release):
                if _same_codes(answer, microdata):
                    return answer
                # The function has read the table by itself, so its codes mean something else.
                return read_release(answer.to_frame(), microdata, made_by=answer.made_by)
            return read_release(answer, microdata, made_by=self.label)
        except UnveilError as error:
            raise OracleError(f"the answer of {self.label} cannot be read: {error}") from error

    def _ask(self, microdata: Microdata) -> Any:
        try:
            if self.takes == "microdata" or isinstance(self.function, Sanitizer):
                return self.function(microdata)
            try:
                return self.function(microdata.to_frame())
            except NeedsMicrodataError:
                if self.takes == "table":
                    raise
                return self.function(microdata)
        except UnveilError:
            raise
        except Exception as error:
            raise OracleError(
                f"{self.label} failed on {len(microdata):,} records: "
                f"{type(error).__name__}: {error}"
            ) from error


def _same_codes(release: Release, microdata: Microdata) -> bool:
    """Whether the codes of a release mean what they mean in the microdata."""
    ours = (*microdata.quasi, microdata.sensitive)
    theirs = (*release.quasi, release.sensitive)
    return len(ours) == len(theirs) and all(
        a.name == b.name and a.kind is b.kind and (a.values is b.values or a.texts == b.texts)
        for a, b in zip(ours, theirs, strict=True)
    )


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
        f"{sanitizer!r} is no sanitizer; give one such as unveil.Mondrian(k=5), "
        "or a function that turns a table into a release"
    )
