"""Tables of totals, as statistics offices and research environments publish them.

Counts are broken down by a few columns at a time. Small ones are hidden (primary suppression), and
so are others from which they would follow by subtraction (secondary suppression). What is shown may
be rounded, to the nearest multiple of a base, or at random to one of the two nearest, so that the
mean stays the same (A. Hundepool et al., *Statistical Disclosure Control*, 2012).

The secondary suppression here looks along single rows and columns: no hidden cell is alone in one.
That is what hands do, and more may follow from several tables together: `unveil.tables` says what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.errors import Call, File, InputError, Option
from unveil.microdata import CrossTable, Microdata, Totals, unknown_persons
from unveil.sanitize._sanitizer import Sanitizer, Seed, as_microdata, seed_or_secret

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class CrossTables(Sanitizer):
    """Publish tables of counts, with small cells hidden and others rounded.

    Parameters
    ----------
    tables : sequence of sequences of str, or str
        The columns that each table is broken down by; as a text ``"sex*disease|age*zip"``.
    suppress : int, optional
        Counts below it are hidden, and so is 0. By default nothing is hidden.
    zeros : {"hidden", "shown"}
        ``"shown"``: a count of 0 is shown although it is small.
    secondary : bool
        Hide further cells, until no hidden cell is alone in a row or column whose total is shown.
        All hidden cells then look alike.
    round : int, optional
        Round shown counts to multiples of it.
    rounding : {"nearest", "random"}
        To the nearest multiple, or to one of the two nearest at random: the nearer, the likelier.
    totals : bool
        Publish the totals of all rows and columns as well, and the number of people.
    seed : int, optional
        Of random rounding. Default: a secret one from the operating system for every release.

    Examples
    --------
    >>> import unveil as uv
    >>> village = uv.read_table(
    ...     {"sex": list("FFFMMMM"), "disease": ["flu"] * 6 + ["HIV"]},
    ...     quasi="sex", sensitive="disease")
    >>> f = uv.CrossTables(tables=[["sex", "disease"]], suppress=3, zeros="shown")
    >>> f.sanitize(village).to_frame()
               table sex disease count
    0  sex × disease   F     HIV     0
    1  sex × disease   F     flu     3
    2  sex × disease   M     HIV    <3
    3  sex × disease   M     flu     3
    4            sex   F             3
    5            sex   M             4
    6        disease         HIV    <3
    7        disease         flu     6
    8     all people                 7
    """

    attacked_by: ClassVar[str | tuple[str, ...]] = "conditional-frequency"
    treats_equals_alike: ClassVar[bool] = True
    publishes: ClassVar[str | None] = "tables"

    tables: str | Sequence[Sequence[str]]
    suppress: Annotated[int, Ge(1)] | None = None
    zeros: Literal["hidden", "shown"] = "hidden"
    secondary: bool = False
    round: Annotated[int, Ge(2)] | None = None
    rounding: Literal["nearest", "random"] = "nearest"
    totals: bool = True
    seed: Seed = None

    def __post_init__(self) -> None:
        if not isinstance(self.tables, str):
            named = ["*".join([one] if isinstance(one, str) else one) for one in self.tables]
            object.__setattr__(self, "tables", "|".join(named))
        super().__post_init__()
        if not all(all(by) for by in self._tables()):
            raise InputError(
                "{option} must list the columns of each table, such as sex*disease|age*zip",
                option=Option("tables", self.tables),
            )  # fmt: skip
        if self.secondary and self.suppress is None:
            raise InputError(
                "{secondary} needs {suppress}: nothing is hidden otherwise",
                secondary=Option("secondary"), suppress=Option("suppress"),
            )  # fmt: skip

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        return not self.is_random

    @property
    def is_random(self) -> bool:  # type: ignore[override]
        return self.round is not None and self.rounding == "random"

    @property
    def looks_at_secrets(self) -> bool:
        return True

    def _tables(self) -> list[tuple[str, ...]]:
        """The columns of each table."""
        assert isinstance(self.tables, str)
        return [tuple(name.strip() for name in one.split("*")) for one in self.tables.split("|")]

    def sanitize(self, microdata: Microdata) -> Totals:
        microdata = as_microdata(microdata, "CrossTables")
        if microdata.several is not None:
            raise InputError(
                "{label} counts rows, and a person of {source} may have several: then a cell of "
                "many rows may be one person; {mondrian} counts people, and so does a table with "
                "one row per person",
                label=File(self.label, bare=True), source=File(microdata.source, bare=True),
                mondrian=Call("Mondrian"),
            )  # fmt: skip
        known = [column.name for column in (*microdata.quasi, microdata.sensitive)]
        for name in {name for by in self._tables() for name in by}:
            if name not in known:
                raise InputError(
                    "{option} names {name}, which is neither a quasi-identifier nor the sensitive "
                    "column (known: {known})", option=Option("tables"), name=repr(name),
                    known=", ".join(known),
                )  # fmt: skip
        counts = {by: _counts(microdata, by) for by in self._published()}
        hidden = {by: self._is_small(one) for by, one in counts.items()}
        if self.secondary:
            _hide_more(counts, hidden)
        rng = np.random.default_rng(seed_or_secret(self.seed) if self.is_random else 0)
        return Totals(
            quasi=microdata.quasi, sensitive=microdata.sensitive,
            tables=tuple(
                self._shown(microdata, by, one, hidden[by], rng) for by, one in counts.items()
            ),
            made_by=self.public_label, notes=microdata.notes,
            persons=unknown_persons(microdata),
        )  # fmt: skip

    def _published(self) -> list[tuple[str, ...]]:
        """The tables, with those of their totals after them."""
        found = list(dict.fromkeys(self._tables()))
        if not self.totals:
            return found
        for size in range(max(map(len, found)) - 1, -1, -1):
            for by in list(found):
                found += [part for part in combinations(by, size) if len(by) > size]
        unique: dict[frozenset[str], tuple[str, ...]] = {}
        for by in found:
            unique.setdefault(frozenset(by), by)
        return list(unique.values())

    def _is_small(self, counts: Counts) -> NDArray[np.bool_]:
        if self.suppress is None:
            return np.zeros(counts.shape, dtype=bool)
        return (counts < self.suppress) & ((counts > 0) | (self.zeros == "hidden"))

    def _shown(
        self, microdata: Microdata, by: tuple[str, ...], counts: Counts,
        hidden: NDArray[np.bool_], rng: np.random.Generator,
    ) -> CrossTable:  # fmt: skip
        """The table as it is published, and what each cell may stand for."""
        columns = [microdata[name] for name in by]
        shown, low, high = self._rounded(counts, rng)
        least = 1 if self.zeros == "shown" else 0
        low = np.where(hidden, least, low)
        most = np.inf if self.secondary or self.suppress is None else self.suppress - 1
        high = np.where(hidden, most, high)
        mark = "*" if self.secondary else f"<{self.suppress}"
        return CrossTable(
            by=by,
            groups=tuple(np.arange(column.size, dtype=np.int32) for column in columns),
            labels=tuple(tuple(column.texts) for column in columns),
            low=low, high=high, hidden=hidden,
            shown=np.where(hidden, mark, shown.astype(str).astype(object)),
        )  # fmt: skip

    def _rounded(
        self, counts: Counts, rng: np.random.Generator
    ) -> tuple[Counts, NDArray[np.float64], NDArray[np.float64]]:
        """What is shown, and the least and the largest count that is shown so."""
        base = self.round or 1
        if self.rounding == "random":
            down, rest = np.divmod(counts, base)
            shown = base * (down + (rng.random(counts.shape) * base < rest))
            low, high = shown - (base - 1), shown + (base - 1)
        else:
            half = base // 2
            shown = base * ((counts + half) // base)
            low, high = shown - half, shown + (base - 1 - half)
        if self.suppress is None:
            return shown, np.maximum(low, 0).astype(float), high.astype(float)
        # What is small is hidden, except 0.
        if self.zeros == "shown":
            zero = low <= 0
            low = np.where(zero, 0, np.maximum(low, self.suppress))
            high = np.where(zero & (high < self.suppress), 0, high)
        else:
            low = np.maximum(low, self.suppress)
        return shown, low.astype(float), high.astype(float)


def _counts(microdata: Microdata, by: tuple[str, ...]) -> Counts:
    """The number of people of each combination of the columns' values."""
    columns = [microdata[name] for name in by]
    sizes = tuple(column.size for column in columns)
    if not by:
        return np.array(len(microdata), dtype=np.int64)
    place = np.ravel_multi_index(tuple(column.codes for column in columns), sizes)
    return np.bincount(place, minlength=int(np.prod(sizes))).reshape(sizes).astype(np.int64)


def _hide_more(
    counts: dict[tuple[str, ...], Counts], hidden: dict[tuple[str, ...], NDArray[np.bool_]]
) -> None:
    """Hide the smallest other cell of a row or column in which one cell alone is hidden.

    So long as its total is shown; where a total is hidden, too, nothing can be subtracted.
    """
    changed = True
    while changed:
        changed = False
        for by, cells in counts.items():
            for axis in range(len(by)):
                total = _of_columns(hidden, by[:axis] + by[axis + 1 :])
                if total is None:
                    continue
                lines = np.moveaxis(hidden[by], axis, -1)
                for line in np.argwhere((lines.sum(axis=-1) == 1) & ~total):
                    own, here = lines[tuple(line)], np.moveaxis(cells, axis, -1)[tuple(line)]
                    others = np.flatnonzero(~own)
                    if len(others):
                        counted = np.where(here[others] > 0, here[others], np.iinfo(np.int64).max)
                        own[others[np.argmin(counted)]] = True
                        changed = True


def _of_columns(
    hidden: dict[tuple[str, ...], NDArray[np.bool_]], by: tuple[str, ...]
) -> NDArray[np.bool_] | None:
    """The table of these columns, whatever their order there; None: it is not published."""
    for one, cells in hidden.items():
        if set(one) == set(by):
            return cells.transpose([one.index(name) for name in by])
    return None
