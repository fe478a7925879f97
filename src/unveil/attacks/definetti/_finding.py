"""The finding of a deFinetti attack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.definetti._groups import Groups
from unveil.attacks.definetti._learning import Judged, Learned, Views
from unveil.attacks.people import External
from unveil.attacks.relative_risk import ROUNDING
from unveil.errors import InputError, Text
from unveil.findings import Finding
from unveil.microdata import Permuted, Release

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["DeFinetti"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DeFinetti(Finding):
    """What is believed about the people of a release by what its groups tell about each other.

    Attributes
    ----------
    release : Release or Permuted
    people : External
        Whom the attacker knows.
    method : str
        ``definetti`` or ``foreground``.
    groups : Groups
        Who is in which group.
    learned : Learned
        The model, how it was come by, and how groups were worked out.
    views : Views
        What is believed about every tuple of quasi-identifiers.
    tuple_of : array, one a person
        Their tuple; -1: nothing is believed about them.
    secret, in_table : arrays, one a person
        Their own sensitive value (-1: not one of the release's), and whose is known.
    random_worlds, reweighted, population : Judged
        The three beliefs, for each person.
    nowhere, undecided, doubted : int
        About how many people nothing is believed: no record can be theirs; several classes may
        have them, or, where a value of theirs is not known, several records of a permuted release;
        their class has more people than records.
    """

    release: Release | Permuted
    people: External
    method: str
    groups: Groups
    learned: Learned
    views: Views
    tuple_of: NDArray[np.int64]
    secret: NDArray[np.int64]
    in_table: NDArray[np.bool_]
    random_worlds: Judged
    reweighted: Judged
    population: Judged
    nowhere: int
    undecided: int
    doubted: int
    seconds: float
    notes: tuple[Text, ...] = ()

    def __len__(self) -> int:
        return len(self.people)

    @property
    def placed(self) -> NDArray[np.bool_]:
        """About whom something is believed."""
        return self.tuple_of >= 0

    @property
    def columns(self) -> tuple[str, ...]:
        """What was learnt from: each column, or the attribute of foreground knowledge."""
        return self.learned.model.knowledge.names

    @property
    def knows_truth(self) -> bool:
        """Whether somebody's own secret is known, so that guesses can be called right."""
        return bool((self.in_table & self.placed).any())

    @cached_property
    def promise(self) -> NDArray[np.float64]:
        """The largest share of a secret in everybody's group: 1/ℓ in a group of ℓ different ones.

        That is how strongly anybody in it is to be believed at most. nan if nothing is believed.
        """
        return np.append(self.views.promise, np.nan)[self.tuple_of]

    @property
    def exceeding(self) -> NDArray[np.bool_]:
        """About whom more is believed than their group promises."""
        with np.errstate(invalid="ignore"):
            return self.reweighted.belief > self.promise + ROUNDING

    @property
    def exceeding_right(self) -> float | None:
        """How many of them are guessed right; None if that is not known."""
        if not self.knows_truth:
            return None
        return float(np.nansum(self.reweighted.right[self.exceeding]))

    def belief_about(self, person: int | str) -> pd.DataFrame:
        """What is believed about one person: a row for each sensitive value.

        Parameters
        ----------
        person : int or str
            Their number, counted from 0 as in `to_frame`, or their name.

        Returns
        -------
        pandas.DataFrame
            ``value``, and how likely it is by ``random_worlds``, ``reweighted`` and by the
            ``population``'s model.
        """
        import pandas as pd

        one = int(self.tuple_of[self.people.number_of(person)])
        if one < 0:
            raise InputError(
                f"nothing is believed about {person!r}: no group is known to have that person"
            )
        some = slice(one, one + 1)
        return pd.DataFrame(
            {
                "value": self.release.sensitive.values,
                "random_worlds": self.views.random_worlds(some)[0],
                "reweighted": self.views.reweighted(some)[0],
                "population": self.views.population(some)[0],
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """One row a person: who it is, what is believed, and what is true of it.

        ``name``, ``row`` (of the table of people, from 0), ``promise``, then for each of
        ``random_worlds``, ``reweighted`` and ``population`` the most likely value (under that
        name) and how strongly it is believed (``…_belief``), and ``exceeds``; with the original
        also ``…_own``, how strongly the person's own is believed, and ``…_right``.
        """
        import pandas as pd

        texts = np.array([*self.release.sensitive.texts, None], dtype=object)
        table: dict[str, object] = {
            "name": pd.Series(self.people.names, dtype=object),
            "row": self.people.rows,
            "promise": self.promise,
            "exceeds": self.exceeding,
        }
        for name, view in self._three.items():
            table[name] = pd.Series(texts[view.likeliest], dtype=object)
            table[f"{name}_belief"] = view.belief
            if self.knows_truth:
                table[f"{name}_own"] = view.own
                table[f"{name}_right"] = view.right
        return pd.DataFrame(table)

    @property
    def _three(self) -> dict[str, Judged]:
        return {
            "random_worlds": self.random_worlds,
            "reweighted": self.reweighted,
            "population": self.population,
        }

    def worst(self, n: int = 10) -> pd.DataFrame:
        """The people about whom most is believed beyond what their group promises."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise InputError(f"n must be a whole number from 0 up, got {n!r}")
        beyond = np.nan_to_num(self.reweighted.belief / self.promise, nan=-1.0)
        first = np.argsort(-beyond, kind="stable")[:n]
        first = first[beyond[first] > 0]
        return self.to_frame().iloc[first].rename_axis("person").reset_index()

    def by_group(self) -> pd.DataFrame:
        """One row a group: what it promises, and whom it hurts most.

        ``group`` (its name, or the number of a class), ``records``, ``strangers`` (records that
        nobody was found for), ``promise``, ``exceeding`` (people about whom more is believed),
        ``worst`` (the strongest belief), ``value``, ``person`` (the first whom it is about) and
        ``exact``.
        """
        import pandas as pd

        groups, beliefs = self.groups, self.learned.beliefs
        known = groups.tuple_of >= 0
        row, group = groups.entry_row, groups.group_of
        # Strangers are nobody whom it could hurt.
        mine = np.where(known[row], beliefs, -1.0)
        order = np.lexsort((np.arange(len(mine)), -mine, group[row]))
        top = order[groups.entry[:-1]]
        of_row = np.full(len(known), -1.0)
        np.maximum.at(of_row, row, mine)
        above = known & (of_row > groups.promise[group] + ROUNDING)
        someone = np.full(len(groups.tuples) + 1, -1)
        everybody = np.flatnonzero(self.placed)[::-1]
        someone[self.tuple_of[everybody]] = everybody
        return pd.DataFrame(
            {
                "group": np.array(self.release.groups, dtype=object)[groups.place]
                if isinstance(self.release, Permuted) else groups.place,
                "records": groups.sizes,
                "strangers": np.bincount(
                    group[~known], groups.people[~known], minlength=len(groups)
                ).astype(np.int64),
                "promise": groups.promise,
                "exceeding": np.bincount(
                    group[above], groups.people[above], minlength=len(groups)
                ).astype(np.int64),
                "worst": mine[top],
                "value": self.release.sensitive.values[groups.values[groups.entry_value[top]]],
                "person": someone[groups.tuple_of[row[top]]],
                "exact": ~self.learned.approximate,
            }
        )  # fmt: skip

    def content(self, *, records: bool) -> dict[str, Any]:
        from unveil.attacks.definetti._texts import content_of

        return content_of(self, records=records)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how strongly people's most likely value is believed, by each; returns the axes.

        Needs matplotlib: ``pip install 'unveil[plot]'``.
        """
        from unveil.attacks.definetti._picture import belief_curves

        return belief_curves(self, ax)

    def verdict(self, name: str | None = None) -> str:
        """What the attacker achieves, in a sentence or two; ``name`` is the release's."""
        from unveil.attacks.definetti._texts import verdict_of

        return verdict_of(self, name)

    def summary(self) -> str:
        from unveil.attacks.definetti._texts import summary_of

        return summary_of(self)
