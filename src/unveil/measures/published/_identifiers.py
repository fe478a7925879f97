"""Identifiers that were published, under their own name or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from unveil.errors import Call, File, InputError, Listed, Message, Text
from unveil.errors import Column as ColumnName
from unveil.findings import Axis, Chart, Finding, Follows, Series, Story, Table, Value
from unveil.measures.published import EXTRA_ROWS, IDENTIFIERS, REPEATED, UNROLED, UNTRUE
from unveil.measures.published._forms import form_of
from unveil.measures.published._matching import Original, Shown
from unveil.measures.published._repeated import Model
from unveil.microdata import (
    AnyRelease,
    Kind,
    Microdata,
    Permuted,
    Release,
    at_published_level,
    untruth,
)
from unveil.options import Help, Shell, by_person, checked, names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Identifiers(Finding):
    """Published columns that name people, and published columns without a role.

    Attributes
    ----------
    found : dict of str to str
        Columns that name people, and how that is known.
    unroled : tuple of str
        Columns that are neither quasi-identifiers nor sensitive; attacks assume that the attacker
        does not know them. Those that name people are among them if they have no other role.
    columns : tuple of str
        All published columns.
    unread : tuple of str
        Columns whose cells could not be read, so that nobody knows.
    made_by : str
    repeated : dict of str to str
        Columns without a role that have the values of a column of the model, and which one.
    records, people : int, optional
        Of the original; people if some have several rows.
    whose_is_known : bool
        Whether it is known whose the published rows are.
    doubt : Message, optional
        What speaks against each record of the original being another person's.
    untrue : str or Message, optional
        What shows that a release that was read cannot be one of the original.
    """

    entry: ClassVar[str] = "identifiers"
    follows_from: ClassVar[Follows] = Follows.QUASI

    found: dict[str, str]
    unroled: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    made_by: str = "somebody"
    repeated: Mapping[str, str] = field(default_factory=dict)
    records: int | None = None
    people: int | None = None
    whose_is_known: bool = True
    doubt: Text | None = None
    untrue: Text | None = None

    @property
    def assumed(self) -> tuple[str, ...]:
        """Columns without a role that do not name people, nor repeat a column that has one."""
        known = {*self.found, *self.repeated}
        return tuple(name for name in self.unroled if name not in known)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "found": dict(self.found), "repeated": dict(self.repeated),
            "unroled": list(self.unroled), "unread": [*self.unread],
            "records": self.records, "people": self.people,
        }  # fmt: skip

    def _sign(self, name: str) -> Text:
        if name in self.repeated and name not in self.found:
            return Message("has the values of {own}", own=ColumnName(self.repeated[name]))
        return self.found.get(name, "no sign of an identifier")

    @property
    def figures(self) -> tuple[Value, ...]:
        unread = Message("the cells of {columns} cannot be read; publish them as texts or "
                         "numbers, or leave them out", columns=_listed(self.unread))  # fmt: skip
        most = len(self.found) + len(self.unread)
        compared = (
            REPEATED.of(len(self.repeated), because=self._repeats()),
            self._extra_rows(),
            self._untrue(),
        )
        return (
            IDENTIFIERS.of(
                len(self.found), because=self._because(), high=most if self.unread else None,
                remedy=unread if self.unread else None,
            ),
            *(() if self.records is None else compared),  # without the original nobody knows
            UNROLED.of(
                len(self.unroled),
                because=Message("{columns}", columns=_listed(self.unroled))
                if self.unroled else None,
            ),
        )  # fmt: skip

    def _repeats(self) -> Text | None:
        if not self.repeated:
            return None
        said = [
            Message("the column {name} has the values of {own}", name=ColumnName(name),
                    own=ColumnName(own))
            for name, own in self.repeated.items()
        ]  # fmt: skip
        return Message("{columns}", columns=Listed(said, "and"))

    def _extra_rows(self) -> Value:
        """0, or not known what figures say about people whose rows nobody can find."""
        if self.doubt is not None:
            return EXTRA_ROWS.of(None, why_not=self.doubt)
        if self.people is None or self.whose_is_known:
            return EXTRA_ROWS.of(0)
        return EXTRA_ROWS.of(None, why_not=Message(
            "the original has {records:record} of {people:person}, and nobody knows whose the "
            "published rows are; audit a file that still has the column that says it, the program "
            "that makes the release, or a table with one row per person",
            records=self.records, people=self.people,
        ))  # fmt: skip

    def _untrue(self) -> Value:
        """0, or not known what attacks would find that do not take the cells to be true."""
        if self.untrue is None:
            return UNTRUE.of(0)
        return UNTRUE.of(None, why_not=Message(
            "it has {untrue}; attacks take published values to be true, so their figures may be "
            "too small; check that it is a release of this table. If values were changed on "
            "purpose, audit the program that did it, as an oracle that may change them",
            untrue=self.untrue,
        ))  # fmt: skip

    def _because(self) -> Text | None:
        if not self.found:
            return None
        return Message("{columns}", columns=Listed([_told(*one) for one in self.found.items()],
                                                   "and"))  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """One row per column."""
        return pd.DataFrame({
            "column": self.columns,
            "names_people": [name in self.found for name in self.columns],
            "why": [self.found.get(name) for name in self.columns],
            "has_role": [name not in self.unroled for name in self.columns],
        })  # fmt: skip

    def story(self, release: Text | None = None) -> Story:
        whose: Any = release if release is not None else File(self.made_by, bare=True)
        verdict = Message("Under {whose}, no published column is known to name people.",
                          whose=whose)  # fmt: skip
        if self.found:
            verdict = Message("Under {whose}, identifiers are published: {columns}.", whose=whose,
                              columns=self._because())  # fmt: skip
        said = [] if not self.assumed else [published_besides(whose, self.assumed)]
        if self.repeated:
            said.insert(
                0,
                Message(
                    "Under {whose}, {columns}, which is published less exactly under its own name.",
                    whose=whose,
                    columns=self._repeats(),
                ),
            )
        rows = [
            [ColumnName(name), self._sign(name),
             "none" if name in self.unroled else "has one"]
            for name in dict.fromkeys([*self.found, *self.unroled])
        ]  # fmt: skip
        return Story(
            title=Message("Published identifiers of {whose}", whose=whose), verdict=verdict,
            sentences=said,
            tables=[Table(columns=["column", "what was found", "role"], rows=rows)] if rows else [],
            charts=[
                Chart(
                    kind="bars", title="Published columns", says="how many columns name people",
                    x=Axis(label="", scale="names"), y=Axis(label="columns"),
                    series=[Series(name=whose, x=["with a role", "without a role", "name people"],
                                   y=[len(self.columns) - len(self.unroled), len(self.unroled),
                                      len(self.found)])],
                )
            ],
        )  # fmt: skip


def _told(name: str, why: str) -> Message:
    return Message("the column {name} {why}", name=ColumnName(name), why=why)


def _listed(columns: Sequence[str]) -> Listed:
    return Listed([ColumnName(name) for name in columns], "and")


def published_besides(release: Any, columns: Sequence[str]) -> Message:
    """What is said of columns without a role."""
    have, are = ("which has", "it is") if len(columns) == 1 else ("which have", "they are")
    return Message(
        "{release} also publishes {columns}, {have} no role: {are} assumed to be unknown to the "
        "attacker.",
        release=release, columns=_listed(columns), have=have, are=are,
    )  # fmt: skip


@checked
@by_person
def identifiers(
    release: AnyRelease,
    microdata: Microdata | None = None,
    *,
    roled: Annotated[
        Sequence[str],
        Help("Further columns that have a role, such as other sensitive ones."),
        Shell(parse=names, metavar="COLUMNS"),
    ] = (),
    named: Annotated[
        Sequence[str],
        Help("Columns that name people, whatever their values look like."),
        Shell(parse=names, metavar="COLUMNS"),
    ] = (),
) -> Identifiers:
    """Published columns that name people: identifiers of the original, or what looks like such.

    All columns of what was published are looked at, also those that are not in the original.
    Values of columns without a role are compared with the original's identifiers, and with other
    columns of it that nearly tell everybody apart, and with unsalted hashes of them. All columns
    are looked at for e-mail addresses, telephone, account and official numbers, and full names.
    Hidden cells do not count.

    Parameters
    ----------
    release : AnyRelease
    microdata : Microdata, optional
        The original, with its identifiers. Default: only forms are looked for.
    roled : sequence of str
        Further columns that have a role, such as sensitive ones that are tested in turn.
    named : sequence of str
        Columns that name people, whatever their values look like: where there is no original, only
        the user knows.

    Examples
    --------
    >>> import unveil as uv
    >>> people = {"name": ["Ann Lee", "Bo Ek", "Cy Fox"], "age": [30, 34, 41],
    ...           "vote": ["a", "b", "a"]}
    >>> survey = uv.read_table(people, quasi="age", sensitive="vote", identifier="name")
    >>> published = {"who": people["name"], "age": ["30-41"] * 3, "vote": people["vote"]}
    >>> found = uv.identifiers(uv.read_release(published, survey), survey)
    >>> found.found, found.unroled
    ({'who': 'is equal to the original\\'s column "name"'}, ('who',))
    """
    if not isinstance(release, AnyRelease):
        raise InputError(
            "identifiers needs a release, but got a {kind}; {call} reads one",
            kind=type(release).__name__, call=Call("read_release"),
        )  # fmt: skip
    if microdata is not None:
        microdata = at_published_level(microdata, release)  # it has no figure about the level
    original = None if microdata is None else Original(microdata, roled)
    several = None if microdata is None else microdata.several
    model = None if microdata is None else Model(release, microdata)
    found: dict[str, str] = {}
    repeated: dict[str, str] = {}
    unread = []
    for name in release.extras.names:
        for source, cells in release.extras.cells(name):
            if cells is None:
                unread.append(name)
                continue
            shown = Shown.of_cells(cells)
            why = None
            if original is not None and name not in roled:
                why = original.equal_to(name, shown, source)
            if why is None:
                why = _looks_like(form_of(name, shown.texts, shown.counts))
            if why is None and name in named and shown.filled:
                why = "is said to name people"
            if why is not None:
                found.setdefault(name, why)
            own = None if model is None or name in roled else model.repeated_by(shown)
            if own is not None:
                repeated.setdefault(name, own)
    found |= _among_roled(release)
    roles = [column.name for column in (*release.quasi, release.sensitive)]
    return Identifiers(
        found=found, columns=(*roles, *release.extras.names),
        unroled=tuple(name for name in release.extras.names if name not in roled),
        unread=tuple(dict.fromkeys(unread)), made_by=release.made_by, repeated=repeated,
        records=None if microdata is None else len(microdata),
        people=None if several is None else several.count,
        whose_is_known=release.several is None or release.several.of is not None,
        doubt=None if microdata is None else microdata.doubt,
        untrue=None if microdata is None else _untruth(release, microdata),
    )  # fmt: skip


def _untruth(release: AnyRelease, microdata: Microdata) -> Text | None:
    """What shows that a release that was read is not of this table; our own are true."""
    if not isinstance(release, Release) or not release.notations:
        return None
    return untruth(release, microdata)


def _looks_like(form: str | None) -> str | None:
    return None if form is None else f"looks like {form}"


def _among_roled(release: AnyRelease) -> dict[str, str]:
    """Columns with a role that look like identifiers all the same."""
    found = {}
    for place, column in enumerate((*release.quasi, release.sensitive)):
        once = np.ones(column.size, dtype=np.int64)
        # Cells name values of the domain, which is looked at first: it is smaller.
        if column.kind is Kind.NUMERIC or form_of(column.name, column.texts, once) is None:
            continue
        if place == len(release.quasi):
            shown = Shown(list(column.texts), _published(release), np.zeros(0, dtype=np.int64))
        elif isinstance(release, Release | Permuted):
            shown = Shown.of_column(release.published()[place])
        else:
            continue  # of counts, every value of the domain is published
        why = _looks_like(form_of(column.name, shown.texts, shown.counts))
        if why is not None:
            found[column.name] = why
    return found


def _published(release: AnyRelease) -> Any:
    return np.asarray(release.totals, dtype=np.int64)
