"""All tables of people that have the published counts, and how far a count can go among them.

A table of people is a whole number for each combination of values. Those that have all published
counts are what an attacker cannot tell apart. How small and how large a count can be among them is
an integer program (HiGHS, as scipy brings it). Without whole numbers it is a linear one, whose ends
lie outside: a count that it holds fast is fast. Whole tables that reach the same ends show that
these are exact. Such a table is looked for among the combinations that the linear solution uses,
which are few; and each table that is found says something about every count, so that a few programs
settle most of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from unveil.microdata import Totals

_EXACT = 1e-6  # how far solvers may be from a whole number
_SECONDS = 20.0  # for one integer program; what is not settled then is said to be open

Counts = NDArray[np.float64]


class ContradictionError(InputError):
    """No table of people has all the published counts."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Ends:
    """How small or how large some counts can be.

    Attributes
    ----------
    outer : array
        No consistent table goes beyond.
    inner : array
        Some consistent table goes as far. If none was found, ∞ for the least, and −∞ for the most.
    """

    outer: Counts
    inner: Counts

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Of which counts the end is known."""
        return self.outer == self.inner


@dataclass(eq=False)
class Consistent:
    """The tables of people that have all published counts.

    Attributes
    ----------
    release : Totals
    witnesses : list of arrays
        Whole tables found so far, by combination.
    programs : int
        How many programs were solved.
    """

    release: Totals
    witnesses: list[Counts] = field(default_factory=list)
    programs: int = 0

    def __post_init__(self) -> None:
        incidence, low, high = self.release.incidence, self.release.low, self.release.high
        nobody = np.asarray(incidence[high <= 0].sum(axis=0)).ravel() > 0
        self.possible = np.flatnonzero(~nobody)
        """Combinations that nobody is known not to have."""
        said = np.flatnonzero((high > 0) & ((low > 0) | np.isfinite(high)))
        self._sums, self._low, self._high = incidence[said][:, self.possible], low[said], high[said]
        self.unlimited = np.asarray(self._sums[np.isfinite(self._high)].sum(axis=0)).ravel() == 0
        """Which of them no published count keeps from any size."""

    def ends(
        self, counts: csr_array, side: Literal["least", "most"], *, enough: float | None = None
    ) -> Ends:
        """How small, or how large, each count can be.

        Parameters
        ----------
        counts : sparse array
            Which combinations each of them counts: counts × combinations.
        enough : float, optional
            Nobody wants to know how far beyond this a count can go.
        """
        sign = 1.0 if side == "least" else -1.0
        rows = counts[:, self.possible]
        outer = sign * self._surely(rows, side)
        inner = np.full(rows.shape[0], np.inf)  # in the direction of the sign
        for one in self.witnesses:
            inner = np.minimum(inner, sign * (rows @ one[self.possible]))
        if side == "most":  # nothing keeps them from any size
            inner[(rows @ self.unlimited) > 0] = -np.inf

        def take(cost: Counts, *, prove: bool = False) -> _Solved:
            found = self._solved(cost, prove=prove)
            if found.table is not None:
                np.minimum(inner, sign * (rows @ found.table), out=inner)
            return found

        far = -np.inf if enough is None else sign * enough

        def unsettled() -> NDArray[np.intp]:
            return np.flatnonzero((inner > outer) & (inner > far))

        left = unsettled()
        while len(left):
            # All at once: whatever reaches its outer end is settled.
            take(sign * np.asarray(rows[left].sum(axis=0)).ravel())
            still = unsettled()
            if len(still) == len(left):
                break
            left = still
        for one in left.tolist():
            if inner[one] > max(outer[one], far):  # no other one's program has settled it
                found = take(sign * rows[[one]].toarray().ravel(), prove=True)
                outer[one] = max(outer[one], np.ceil(found.bound - _EXACT))
        return Ends(outer=sign * outer + 0.0, inner=sign * inner + 0.0)

    def _surely(self, rows: csr_array, side: Literal["least", "most"]) -> Counts:
        """An end that follows from single published counts: of sums that hold, or are held."""
        found = np.zeros(rows.shape[0]) if side == "least" else np.full(rows.shape[0], np.inf)
        sizes = np.asarray(self._sums.sum(axis=1)).ravel()
        asked = np.asarray(rows.sum(axis=1)).ravel()
        common = (rows @ self._sums.T).tocoo()
        for count, cell, shared in zip(common.row, common.col, common.data, strict=True):
            if side == "most" and shared == asked[count]:
                found[count] = min(found[count], self._high[cell])
            if side == "least" and shared == sizes[cell]:
                found[count] = max(found[count], self._low[cell])
        if side == "most":
            found[asked == 0] = 0
        return found

    def _solved(self, cost: Counts, *, prove: bool) -> _Solved:
        """A whole table of little cost, and what no table costs less than.

        Without ``prove`` some table will do; with it, one of the least cost, if time allows.
        """
        everywhere = np.arange(len(self.possible))
        linear = self._program(cost, everywhere, whole=False)
        if linear is None or linear.table is None:
            raise ContradictionError(
                "the tables by {maker} contradict each other: no table of people has all of their "
                "counts; check that all of them are about the same people, and how they were "
                "rounded", maker=self.release.maker,
            )  # fmt: skip
        bound = linear.bound
        for among in (np.flatnonzero(linear.table > _EXACT), everywhere):
            whole = self._program(cost, among, whole=True)
            if whole is None or whole.table is None:
                continue
            table = np.zeros(len(self.possible))
            table[among] = np.rint(whole.table)
            self.witnesses.append(self._everywhere(table))
            if not prove or table @ cost < bound + 1 - _EXACT:
                return _Solved(table=table, bound=bound)
            if among is everywhere:
                return _Solved(table=table, bound=max(bound, whole.bound))
        return _Solved(table=None, bound=bound)

    def _everywhere(self, table: Counts) -> Counts:
        every = np.zeros(self.release.incidence.shape[1])
        every[self.possible] = table
        return every

    def _program(self, cost: Counts, among: NDArray[np.intp], *, whole: bool) -> _Solved | None:
        """The least cost among tables of some combinations; None if there is none in time."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        if not len(among):  # nobody
            nobody = bool((self._low <= 0).all())
            return _Solved(table=np.zeros(0), bound=0.0) if nobody else None
        self.programs += 1
        done = milp(
            cost[among],
            constraints=LinearConstraint(self._sums[:, among], self._low, self._high),
            bounds=Bounds(0, np.inf), integrality=np.full(len(among), int(whole)),
            options={"time_limit": _SECONDS} if whole else None,
        )  # fmt: skip
        if done.x is None:
            return None
        bound = done.mip_dual_bound if whole else done.fun
        return _Solved(table=np.asarray(done.x), bound=float(bound))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Solved:
    table: Counts | None
    """None: none was found in time."""
    bound: float
