"""Whether paths from leaf to top form one tree; and if not, which lines are at odds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from unveil.errors import HierarchyError

__all__ = ["checked_paths"]

Path = tuple[str, ...]


def checked_paths(
    paths: Iterable[Sequence[str]], *, source: str, lines: Sequence[int] | None
) -> list[Path]:
    """Return the paths cleaned and without repetitions, or say why they are not a tree."""
    check = _Check(source, lines)
    cleaned = [check.clean(i, path) for i, path in enumerate(paths)]
    if not cleaned:
        raise HierarchyError(f"hierarchy {source} is empty: it needs one path a value")
    check.leaves_apart(cleaned)
    for i, path in enumerate(cleaned):
        check.parents(i, path)
    check.one_top(cleaned)
    return list(dict.fromkeys(cleaned))


class _Check:
    """The checks share what was seen so far and how to name a line."""

    def __init__(self, source: str, lines: Sequence[int] | None) -> None:
        self.source = source
        self.lines = lines
        self.parent_of: dict[str, tuple[str, int]] = {}

    def line(self, i: int) -> str:
        return f"path {i + 1}" if self.lines is None else f"line {self.lines[i]}"

    def error(self, text: str) -> HierarchyError:
        return HierarchyError(f"hierarchy {self.source}, {text}")

    def clean(self, i: int, labels: Sequence[str]) -> Path:
        if isinstance(labels, str):
            raise self.error(f"{self.line(i)}: {labels!r} is a text, not a sequence of labels")
        path: list[str] = []
        for cell in labels:
            label = cell.strip()
            if label and (not path or label != path[-1]):
                path.append(label)
        if len(path) < 2:
            alone = f"only {path[0]!r}" if path else "no label"
            raise self.error(
                f"{self.line(i)} has {alone}: write a value and then what lies above it, up to a "
                "common top such as '*'"
            )
        for position, label in enumerate(path):
            if label in path[:position]:
                raise self.error(
                    f"{self.line(i)}: {label!r} comes back above itself ({' → '.join(path)})"
                )
        return tuple(path)

    def leaves_apart(self, paths: Sequence[Path]) -> None:
        """No leaf is also an inner node."""
        leaf_in = {path[0]: i for i, path in reversed(list(enumerate(paths)))}
        for i, path in enumerate(paths):
            for label in path[1:]:
                if label in leaf_in:
                    raise self.error(
                        f"{self.line(leaf_in[label])}: {label!r} is a value of its own, but in "
                        f"{self.line(i)} it is a node above {path[path.index(label) - 1]!r}; "
                        "give one of the two another name"
                    )

    def parents(self, i: int, path: Path) -> None:
        """Every node has one parent, and nobody is above their own ancestor."""
        for child, above in pairwise(path):
            known = self.parent_of.get(child)
            if known is not None and known[0] == above:
                continue
            self.no_cycle(i, child, above)
            if known is None:
                self.parent_of[child] = (above, i)
                continue
            word = "value" if child == path[0] else "node"
            raise self.error(
                f"{self.line(i)}: the {word} {child!r} lies beneath {above!r} here but beneath "
                f"{known[0]!r} in {self.line(known[1])}; it can have only one parent"
            )

    def no_cycle(self, i: int, child: str, above: str) -> None:
        node = above
        while node in self.parent_of:
            node, seen = self.parent_of[node]
            if node == child:
                raise self.error(
                    f"{self.line(i)}: {above!r} is above {child!r} here but beneath it in "
                    f"{self.line(seen)}"
                )

    def one_top(self, paths: Sequence[Path]) -> None:
        top = paths[0][-1]
        for i, path in enumerate(paths):
            if path[-1] != top:
                raise self.error(
                    f"{self.line(i)} ends in {path[-1]!r} but {self.line(0)} in {top!r}: "
                    "a tree has one top, so let all end in a common one such as '*'"
                )
