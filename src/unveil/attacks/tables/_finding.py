"""The finding of an attack on tables of totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import counted, of_all
from unveil.attacks.shared import under
from unveil.attacks.tables import ALONE, DISCLOSED, TOLD
from unveil.attacks.tables._claims import Claims
from unveil.attacks.tables._consistent import Ends
from unveil.errors import Amount, Cell, File, Known, Message, Text
from unveil.findings import Axis, Chart, Figure, Finding, Follows, Story, Table, Value, distribution
from unveil.microdata import Totals


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TablesFinding(Finding):
    """What follows from tables of totals.

    Attributes
    ----------
    release : Totals
    hidden : array
        The hidden cells, by number through all tables.
    least, most : Ends
        How small and how large each of them can be.
    claims : Claims, optional
        What follows about people with the same quasi-identifiers.
    counts : array, optional
        How many people have each of these combinations.
    people : int, optional
        How many people there are, if the original is known.
    programs : int
        How many programs were solved.
    """

    entry: ClassVar[str] = "tables"
    follows_from: ClassVar[Follows] = Follows.RELEASE

    release: Totals
    hidden: NDArray[np.intp]
    least: Ends
    most: Ends
    claims: Claims | None
    counts: NDArray[np.int64] | None
    people: int | None
    programs: int
    notes: tuple[Text, ...] = ()

    @property
    def disclosed(self) -> NDArray[np.bool_]:
        """Which hidden cells are surely one number."""
        return self.least.outer == self.most.outer

    @property
    def open(self) -> NDArray[np.bool_]:
        """Of which hidden cells an end is not known exactly, so that they may be one number."""
        inexact = ~self.least.exact | ~self.most.exact
        return inexact & ~self.disclosed & (self.least.inner >= self.most.inner)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per hidden cell: its table, what it is of, and how small and large it can be.

        ``exact`` says whether some table of people reaches both ends; otherwise they are outer
        ends, and the cell may be known more closely.
        """
        frame = self.release.to_frame().rename(columns={"count": "shown"})
        frame = frame.iloc[self.hidden].reset_index(drop=True)
        frame["least"], frame["most"] = self.least.outer, self.most.outer
        frame["exact"] = self.least.exact & self.most.exact
        return frame

    def to_frame(self) -> pd.DataFrame:
        return self.cells

    def _share(self, which: NDArray[np.bool_], unknown: NDArray[np.bool_]) -> tuple[float, float]:
        """The share of the people of whom something follows, and with those not known, too."""
        assert self.counts is not None
        total = int(self.counts.sum())
        sure = float(self.counts[which].sum()) / total
        return sure, float(self.counts[which | unknown].sum()) / total

    @property
    def figures(self) -> tuple[Value, ...]:
        n = max(1, len(self.hidden))
        sure, perhaps = float(self.disclosed.sum()) / n, float((self.disclosed | self.open).sum())
        found = [_known(DISCLOSED, sure, perhaps / n)]
        if self.claims is not None:
            found.append(_known(ALONE, *self._share(self.claims.alone, self.claims.open_alone)))
            found.append(_known(TOLD, *self._share(self.claims.value >= 0, self.claims.open_value)))
        return tuple(found)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {
            "made_by": self.release.made_by,
            "tables": len(self.release.tables),
            "cells": len(self.release.low),
            "hidden": len(self.hidden),
            "disclosed": int(self.disclosed.sum()),
            "exact": int((self.least.exact & self.most.exact).sum()),
            "combinations": None if self.claims is None else len(self.claims.combinations),
            "programs": self.programs,
        }

    def story(self, release: Text | None = None) -> Story:
        return Story(
            title=Message("Tables of totals: {release}",
                          release=File(self.release.in_short, bare=True)),
            verdict=self._verdict(release),
            sentences=self._explained(),
            tables=[self._disclosed_cells()] if self.disclosed.any() else [],
            charts=[self._widths(release or self.release.made_by)] if len(self.hidden) else [],
        )  # fmt: skip

    def _verdict(self, release: Text | None) -> Message:
        if not len(self.hidden):
            return under(release, "No cell is hidden: the tables show every number.")
        said = under(
            release,
            "The numbers of {some} of {hidden} hidden cells follow from what is published",
            some=Amount(self.figures[0].figure, self.figures[0].value or 0.0,
                        lambda _: f"{int(self.disclosed.sum()):,}"),
            hidden=Known(f"{len(self.hidden):,}"),
        )  # fmt: skip
        if self.claims is None:
            return Message("{said}.", said=said)
        values = {one.figure.name: one for one in self.figures}
        return Message(
            "{said}. It follows of {alone} of the people that nobody else has their "
            "quasi-identifiers, and of {told} which {secret} they have.",
            said=said, secret=Known(self.release.sensitive.name),
            **{key: self._worded(values[figure.name])
               for key, figure in (("alone", ALONE), ("told", TOLD))},
        )  # fmt: skip

    def _worded(self, value: Value) -> Amount | Known:
        if value.value is None:
            return Known("an unknown share")
        return Amount(value.figure, value.value, value.figure.text)

    def _explained(self) -> list[Text]:
        exact = int((self.least.exact & self.most.exact).sum())
        said: list[Text] = [
            Message("Every table of people that has all the published counts was considered. Of "
                    "{exact} of {all} it is known exactly how small and how large they can be.",
                    exact=Known(f"{exact:,}"), all=Known(counted(len(self.hidden), "hidden cell")))
        ]  # fmt: skip
        if exact < len(self.hidden):
            said.append("The ends of the others lie outside: they may be known more closely.")
        return said

    def _widths(self, name: Text) -> Chart:
        numbers = self.most.outer - self.least.outer + 1
        return Chart(
            kind="distribution", title="How many numbers a hidden cell may stand for",
            says=Message("{name}: {one} stand for a single one", name=name,
                         one=of_all(int(self.disclosed.sum()), len(self.hidden))),
            x=Axis(label="numbers it may stand for", scale="log"),
            y=Axis(label="share of hidden cells", share=True),
            series=[distribution(name, numbers)],
        )  # fmt: skip

    def _disclosed_cells(self) -> Table:
        frame = self.cells[self.disclosed]
        return Table(
            title="Hidden cells whose number follows",
            columns=["table", "cell", "shown", "number"],
            rows=[
                [
                    one["table"],
                    Cell(", ".join(f"{column.name}={one[column.name]}"
                                   for column in self.release.columns if one[column.name]),
                         bare=True),
                    one["shown"], int(one["least"]),
                ]
                for one in frame.to_dict("records")
            ],
            private=True,
        )  # fmt: skip


def _known(figure: Figure, sure: float, perhaps: float) -> Value:
    """A share; not known where programs were not solved in time and more may follow."""
    if perhaps > sure:
        return figure.of(
            None, low=sure, high=perhaps,
            why_not="some programs were not solved in time, so more may follow; publish fewer "
            "tables at a time",
        )  # fmt: skip
    return figure.of(sure)
