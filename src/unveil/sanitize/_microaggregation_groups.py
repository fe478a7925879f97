"""Who is similar to whom: distinct records as points, cut into blocks, and grouped in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.engine import Task, run_tasks
from unveil.microdata import Column, Kind, Microdata
from unveil.sanitize._mdav_kernels import mdav

__all__ = ["Similar", "similar_groups"]


@dataclass(frozen=True, eq=False)
class Similar:
    """The distinct combinations of quasi-identifiers, sorted, and how far they are apart.

    Attributes
    ----------
    codes : array of shape (columns, combinations)
    weights : array
        How many records have each of them.
    of_record : array
        Which one each record has.
    points : array of shape (numeric and ordinal columns, combinations)
        Their standardized values.
    named : array
        The places of the categorical columns among all of them.
    """

    codes: NDArray[np.int32]
    weights: NDArray[np.int64]
    of_record: NDArray[np.intp]
    points: NDArray[np.float64]
    named: NDArray[np.intp]

    @classmethod
    def of(cls, microdata: Microdata) -> Similar:
        """Those of a table."""
        codes = microdata.codes[:, microdata.distinct]  # sorted, but some differ in secrets alone
        new = np.ones(codes.shape[1], dtype=bool)
        new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
        of_record = (np.cumsum(new) - 1)[microdata.distinct_of]
        weights = np.bincount(of_record)
        codes = codes[:, new]
        lines = [
            _standardized(column, row, weights)
            for column, row in zip(microdata.quasi, codes, strict=True)
            if column.is_ordered
        ]
        named = [j for j, c in enumerate(microdata.quasi) if c.kind is Kind.CATEGORICAL]
        points = np.array(lines, dtype=np.float64).reshape(len(lines), len(weights))
        return cls(codes, weights, of_record, points, np.array(named, dtype=np.intp))

    def differing(self, some: NDArray[np.intp]) -> NDArray[np.float64]:
        """How much some differ in each column: half the mean squared distance of any two.

        That is the variance of a line, and the chance that two categories are not the same, halved.
        """
        weights = self.weights[some] / self.weights[some].sum()
        differ = np.empty(len(self.codes))
        lines = np.setdiff1d(np.arange(len(self.codes)), self.named)
        for j, line in zip(lines, self.points, strict=True):
            x = line[some]
            differ[j] = weights @ (x - weights @ x) ** 2
        for j in self.named:
            differ[j] = (1 - (np.bincount(self.codes[j, some], weights=weights) ** 2).sum()) / 2
        return differ


def _standardized(
    column: Column, codes: NDArray[np.int32], weights: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Values on a line whose records have the variance 1; all nought if they are all the same."""
    x = (column.positions - column.positions[0])[codes]
    shares = weights / weights.sum()
    x = x - shares @ x
    if codes.min() == codes.max():
        return np.zeros(len(x))
    x /= np.abs(x).max()  # whose squares are neither too large nor too small
    return x / np.sqrt(shares @ x**2)


def similar_groups(similar: Similar, k: int, block: int) -> tuple[NDArray[np.int32], int]:
    """The group of each combination, and how many groups there are."""
    blocks = list(_blocks(similar, np.arange(len(similar.weights)), k, block))
    found: list[tuple[NDArray[np.int32], int]] = [(np.empty(0, np.int32), 0)] * len(blocks)

    def task(number: int) -> Task:
        def run() -> Iterable[Task]:
            some = blocks[number]
            codes = [np.unique(similar.codes[j, some], return_inverse=True)[1].ravel()
                     for j in similar.named]  # fmt: skip
            found[number] = mdav(
                similar.points.take(some, axis=1),  # row after row, as the kernel is compiled for
                np.array(codes, dtype=np.int32).reshape(len(codes), len(some)),
                similar.weights[some],
                k,
            )
            return ()

        return run

    run_tasks([task(number) for number in range(len(blocks))])
    group_of, groups = np.empty(len(similar.weights), dtype=np.int32), 0
    for some, (group_in_block, more) in zip(blocks, found, strict=True):
        group_of[some] = groups + group_in_block
        groups += more
    return group_of, groups


def _blocks(
    similar: Similar, some: NDArray[np.intp], k: int, block: int
) -> Iterator[NDArray[np.intp]]:
    """Cut at the median of the column in which they differ most, until blocks are small enough."""
    parts = _halves(similar, some, k) if len(some) > block else None
    if parts is None:
        yield some
    else:
        for part in parts:
            yield from _blocks(similar, part, k, block)


def _halves(
    similar: Similar, some: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Two halves, as even as the values of a column allow; None if each has one too small."""
    weights = similar.weights[some]
    for j in np.argsort(-similar.differing(some), kind="stable"):
        codes = similar.codes[j, some]
        upto = np.cumsum(np.bincount(codes, weights=weights)).astype(np.int64)
        fits = (upto >= k) & (upto[-1] - upto >= k)
        if fits.any():
            cut = int(np.argmin(np.where(fits, np.abs(2 * upto - upto[-1]), 2 * upto[-1])))
            return some[codes <= cut], some[codes > cut]
    return None
