"""Who is at risk: groups of people, described by coarse cells, in which more are than elsewhere.

Few words say more than a list. Groups are those of one or two columns in bands of a fixed grid, in
levels of the hierarchy, or in the cells as they are. The first is the one with most people at risk
beyond what its size makes expect, the next the same among everybody else, and so on. No group has
fewer people than may be shown, nor fewer at risk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SMALLEST, Region
from unveil.measures._released import reach_of
from unveil.measures.trials._classes import Classes, Grouped
from unveil.measures.trials._coarser import Cells, Codes, Form, coarser_forms, grid_of

_BANDS, _CELLS = 12, 50  # of a column that describes groups
_COLUMNS = 8  # that describe groups in pairs
_GROUPS = 4
_MORE = 1.1  # times as many as among everybody


@dataclass(frozen=True, kw_only=True)
class Group:
    """People with the same coarse cells.

    Attributes
    ----------
    cells : dict of str to str
        What is true of them; empty for everybody.
    fixed : frozenset of str
        Columns whose cell is a band of a fixed grid, which tells nobody's value.
    people, alone, below, one_value : int
        People with a record in the group; and how many of them are alone in the class of such a
        record, in a class of fewer than is asked for, and in one with a single sensitive value.
    """

    cells: dict[str, str]
    fixed: frozenset[str] = frozenset()
    people: int
    alone: int
    below: int
    one_value: int

    @property
    def who(self) -> Region | str:
        """In words, masked as cells of classes are."""
        if not self.cells:
            return "everybody"
        named = {name: f"{name}: {text}" for name, text in self.cells.items()}
        return Region(
            [text for name, text in named.items() if name not in self.fixed], self.people,
            fixed=[text for name, text in named.items() if name in self.fixed],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Describing:
    """Groups by some columns: the group of each class, -1 for those in none."""

    cells: tuple[tuple[Cells, Form | None], ...]
    group_of: Codes

    def described(self, group: int) -> tuple[dict[str, str], frozenset[str]]:
        member = int(np.flatnonzero(self.group_of == group)[0])
        found, fixed = {}, set()
        for cells, form in self.cells:
            code, name = int(cells.code_of[member]), cells.column.name
            found[name] = cells.texts[code]
            if form is not None and form.names:
                found[name] = _on_grid(cells, form, code)
                fixed.add(name)
        return found, frozenset(fixed)


def _on_grid(cells: Cells, form: Form, code: int) -> str:
    """A cell by the names of the first and the last block that it covers."""
    reach = reach_of(cells.regions, cells.column.size)
    ends = form.block_of[[reach.first[code], reach.last[code]]].tolist()
    first, last = (form.names[end] for end in ends)
    return first if first == last else f"{first.split(' to ')[0]} to {last.split(' to ')[-1]}"


def groups_at_risk(classes: Classes, by: str) -> list[Group]:
    """Everybody, and the groups that have most of those at risk, each counted by itself."""
    found = classes.grouped({})
    risky = found.small(classes.least) if by == "below" else found.of_one_value
    at_risk = risky[found.class_of]
    everybody = _counted(classes, found, np.ones(len(classes.rows), dtype=bool), {}, frozenset())
    groups = [everybody]
    left = ~found.suppressed[found.class_of]
    share = classes.people_in(at_risk) / max(1, classes.people_in(left))
    candidates = list(_describing(classes))
    while len(groups) <= _GROUPS and (best := _best(candidates, classes, at_risk, left, share)):
        describing, group = best
        inside = describing.group_of == group
        groups.append(_counted(classes, found, inside, *describing.described(group)))
        left &= ~inside
    return groups


def _best(
    candidates: list[_Describing], classes: Classes, at_risk: NDArray[np.bool_],
    left: NDArray[np.bool_], share: float,
) -> tuple[_Describing, int] | None:  # fmt: skip
    """The group with most people at risk beyond those expected, among the classes that are left."""
    best, most = None, 0.0
    for one in candidates:
        number = int(one.group_of.max(initial=-1)) + 1
        people, risky, new, others = (
            classes.people_of(one.group_of, number, some)
            for some in (np.ones_like(left), at_risk, at_risk & left, left)
        )
        beyond = new - share * others
        shown = (people >= SMALLEST) & (risky >= SMALLEST) & (risky > _MORE * share * people)
        beyond = np.where(shown & (new >= SMALLEST), beyond, 0.0)
        group = int(beyond.argmax()) if len(beyond) else 0
        if len(beyond) and beyond[group] > most + 1e-9:
            best, most = (one, group), float(beyond[group])
    return best


def _describing(classes: Classes) -> Iterator[_Describing]:
    """By one column, and by two."""
    single = [one for name in classes.known if (one := _by_column(classes, name)) is not None]
    yield from single
    for first, other in combinations(single[:_COLUMNS], 2):
        both = first.group_of * (int(other.group_of.max()) + 1) + other.group_of
        both[(first.group_of < 0) | (other.group_of < 0)] = -1
        yield _Describing((*first.cells, *other.cells), both)


def _by_column(classes: Classes, name: str) -> _Describing | None:
    cells = classes.cells[name]
    form = grid_of(cells, _BANDS)
    if form is not None:
        cells = cells.coarsened(form).cells
    elif len(cells) > _CELLS:
        coarse = [one for one in coarser_forms(cells, classes.crowd_of(name), classes.least)
                  if 1 < len(one.cells) <= _CELLS]  # fmt: skip
        if not coarse:
            return None
        cells = max(coarse, key=lambda one: len(one.cells)).cells
    told = ~cells.hidden[cells.code_of]
    if not told.any():
        return None
    return _Describing(((cells, form),), np.where(told, cells.code_of, -1))


def _counted(
    classes: Classes, found: Grouped, inside: NDArray[np.bool_], cells: dict[str, str],
    fixed: frozenset[str],
) -> Group:  # fmt: skip
    def people(merged: NDArray[np.bool_]) -> int:
        return classes.people_in(inside & merged[found.class_of])

    return Group(
        cells=cells, fixed=fixed, people=classes.people_in(inside),
        alone=people(found.small(2)), below=people(found.small(classes.least)),
        one_value=people(found.of_one_value),
    )  # fmt: skip
