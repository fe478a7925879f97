"""Counts that come the way an engine sends them: in blocks, classes that look alike put together.

Nothing that a measure finds may depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from unveil.engine.counting import Contingency, Histograms

__all__ = ["SplitCounts", "classes_of"]

Class = tuple[dict[int, int], int, tuple[object, ...]]


def classes_of(counts: Contingency) -> list[Class]:
    """All classes one by one: histogram (code to number), how many look so, and their keys."""
    found = []
    for block in counts.blocks():
        for g in range(len(block)):
            part = slice(block.start[g], block.start[g + 1])
            histogram = dict(
                zip(block.codes[part].tolist(), block.numbers[part].tolist(), strict=True)
            )
            found.append((histogram, int(block.weights[g]), block.key_of(g)))
    return found


class SplitCounts(Contingency):
    """The same counts with their classes shuffled, dealt into blocks, and merged within each.

    Some blocks may be empty. Classes with the same histogram may stand in several blocks.
    """

    def __init__(self, counts: Contingency, seed: int, *, most_blocks: int = 5) -> None:
        self.keys, self.secret = counts.keys, counts.secret
        self.source, self.notes = counts.source, counts.notes
        self.overlapping = counts.overlapping
        self._inner, self._seed, self._most = counts, seed, most_blocks

    @property
    def totals(self) -> np.ndarray:
        return self._inner.totals

    def blocks(self) -> Iterator[Histograms]:
        rng = np.random.default_rng(self._seed)
        classes = classes_of(self._inner)
        block_of = rng.integers(int(rng.integers(1, self._most + 1)), size=len(classes))
        for number in range(int(block_of.max(initial=-1)) + 1):
            inside = rng.permutation(np.flatnonzero(block_of == number))
            yield _block([classes[i] for i in inside])

    @property
    def suppressed(self) -> int:
        return self._inner.suppressed

    @property
    def hidden(self) -> int:
        return self._inner.hidden

    @property
    def shown(self) -> SplitCounts:
        if not self.suppressed:
            return self
        return SplitCounts(self._inner.shown, self._seed, most_blocks=self._most)

    def over(self, keys: Sequence[str]) -> SplitCounts:
        return SplitCounts(self._inner.over(keys), self._seed, most_blocks=self._most)

    def where(self, values: Mapping[str, object]) -> np.ndarray:
        return self._inner.where(values)


def _block(classes: Sequence[Class]) -> Histograms:
    """A block of these classes; those that look alike become one."""
    alike: dict[tuple[tuple[int, int], ...], list[Class]] = {}
    for one in classes:
        alike.setdefault(tuple(sorted(one[0].items())), []).append(one)
    cells = [cell for histogram in alike for cell in histogram]
    named = [together[0][2] for together in alike.values()]
    return Histograms(
        start=np.cumsum([0, *(len(histogram) for histogram in alike)], dtype=np.int64),
        codes=np.array([code for code, _ in cells], dtype=np.int64),
        numbers=np.array([number for _, number in cells], dtype=np.int64),
        weights=np.array(
            [sum(weight for _, weight, _ in together) for together in alike.values()],
            dtype=np.int64,
        ),
        key_of=named.__getitem__,
    )
