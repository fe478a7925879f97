"""What findings of linkage say alike, whether candidates are records or people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import of_all, percent, percents
from unveil.attacks.linkage import ONE_VALUE
from unveil.errors import Amount, Message, Text
from unveil.findings import Figure, Finding, Follows, Table, cell

if TYPE_CHECKING:
    from unveil.attacks.people import External

OF_SECRETS = replace(ONE_VALUE, follows_from=Follows.SECRETS)
"""Shares that depend on who has which value, and not on the release alone."""


class AboutPeople(Finding):
    """A finding about people on a list and their candidates in a release.

    Attributes
    ----------
    people : External
        Whom the attacker knows.
    release : Release or Permuted
    right : object or None
        What is true of it, with ``in_table``, if the original is known.
    """

    entry: ClassVar[str] = "linkage"
    unit: ClassVar[str]
    """The column of `candidates_of` that says how many have a value."""
    none: ClassVar[str]
    """Why somebody has no candidates."""
    looked_for: ClassVar[str] = ""
    """By what the candidates of somebody are looked for, at the end of a title."""

    people: External
    release: Any
    right: Any

    def __len__(self) -> int:
        return len(self.people)

    @property
    def candidates(self) -> NDArray[np.int64]:
        """How many candidates each person has."""
        raise NotImplementedError

    def candidates_of(self, person: int | str) -> pd.DataFrame:
        """What one person's candidates have: a row for each sensitive value."""
        raise NotImplementedError

    @property
    def found(self) -> int:
        """How many people have a candidate at all."""
        return int((self.candidates > 0).sum())

    @property
    def in_table(self) -> int | None:
        """How many people are in the original; None if that is not known."""
        return None if self.right is None else int(self.right.in_table.sum())

    def of_person(self, person: int | str) -> Table:
        number = self.people.number_of(person)
        frame, who = self.candidates_of(number), self.people.described(number)
        if not len(frame):
            return Table(
                title=Message("{who} has no candidates: {why}", who=who, why=self.none),
                columns=[], rows=[],
            )  # fmt: skip
        secret = self.release.sensitive.name
        ordered = frame.sort_values(self.unit, ascending=False, kind="stable").to_numpy().tolist()
        return Table(
            title=Message("{who}: {secret} of the candidates{by}", who=who, secret=secret,
                          by=self.looked_for),
            columns=[secret, self.unit, "share"],
            rows=[[str(value), cell(number, ",.6g"), cell(share, "%")]
                  for value, number, share in ordered],
        )  # fmt: skip

    def _under(self, release: Text | None) -> Message:
        """Which release a verdict is about, as the beginning of a sentence."""
        if release is None:
            return Message("In the release by {release}", release=self.release.maker)
        return Message("Under {release}", release=release)

    def _linked(self, figure: Figure, linked: int) -> Amount:
        """How many are linked, with the verb."""
        n = len(self)
        return Amount(
            figure, linked / n, lambda _: f"{of_all(linked, n)} {'is' if linked < 2 else 'are'}",
            people=n, ranged=lambda low, high: f"{percents(low, high)} are",
        )  # fmt: skip

    def _share(
        self, figure: Figure, share: float | None, form: Callable[[float], str] = percent
    ) -> Amount:
        return Amount(figure, share or 0.0, form, people=len(self), ranged=percents)


def rightly_so(linked: int, right: int | None, figure: Figure) -> Amount | str:
    """How many links are right, beside how many there are: one is nothing without the other."""
    if right is None or not linked:
        return ""
    return Amount(
        figure, right / linked, lambda _: f" ({right:,} rightly)", people=linked,
        ranged=lambda low, high: f" ({percents(low, high)} of them rightly)",
    )  # fmt: skip


def counts_and_shares(
    counts: Sequence[tuple[str, int | None, int | None]], shares: Mapping[str, float | None]
) -> Table:
    """Numbers of people, each with the whole that it is of, and shares; nothing unknown."""
    return Table(
        columns=["", "people", "share"],
        rows=[
            *([what, number, cell(number / whole if whole else None, "%")]
              for what, number, whole in counts if number is not None),
            *([what, "", cell(share, "%")]
              for what, share in shares.items() if share is not None),
        ],
    )  # fmt: skip
