"""Compare two files of `snapshot.py`, figure by figure.

    python compare.py old.json new.json [--all] [--examples 5]

A figure is a number, a truth value or a text, alone or in a list. For each case it says how many
are equal, equal but for their last bits (1e-12 of their size), texts in other words with the same
numbers, different, moved (the old one's path is gone, but the same is found elsewhere in the case),
weak (so, but only because it is one that is found anywhere, such as 0 or 1), gone, and new.
The exit code is 1 if anything is different or gone.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

KINDS = ("equal", "last bits", "words", "different", "moved", "weak", "gone", "new")
NUMBERS = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
Said = dict[str, Any]


def figures(leaf: Any) -> list[Any]:
    """The figures of a leaf. A long list, of which only a hash is known, is one."""
    return leaf if isinstance(leaf, list) else [leaf]


def judged(old: Any, new: Any) -> str:
    """How two figures differ."""
    if isinstance(old, dict) and isinstance(new, dict):  # long lists
        same = old["sha256"] == new["sha256"]
        sums = judged([old["length"], old["sum"]], [new["length"], new["sum"]])
        return "equal" if same else "last bits" if sums == "last bits" else "different"
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return max(map(judged, old, new), key=KINDS.index, default="equal")
    if isinstance(old, str) and isinstance(new, str):
        same = NUMBERS.findall(old) == NUMBERS.findall(new)
        return "equal" if old == new else "words" if same else "different"
    if isinstance(old, int | float) and isinstance(new, int | float):
        if old == new or (math.isnan(old) and math.isnan(new)):
            return "equal"
        return "last bits" if math.isclose(old, new, rel_tol=1e-12) else "different"
    return "equal" if old == new else "different"


def last(path: str) -> str:
    """The last name on a path: of ``dict.risk[3].worst[]``, worst."""
    return re.sub(r"\[\d*\]", "", path).rpartition(".")[2]


def starred(path: str) -> str:
    """A path without the numbers of rows."""
    return re.sub(r"\[\d+\]", "[*]", path)


def is_weak(figure: Any) -> bool:
    """Whether it is one that is found in any case, so that finding it says little."""
    return figure in (None, "") or (isinstance(figure, int | float) and figure in range(-1, 11))


def shown(figure: Any) -> str:
    text = json.dumps(figure, ensure_ascii=False)
    return text if len(text) <= 90 else f"{text[:87]}…"


def told(old: Any, new: Any) -> str:
    """What became of what; of long texts, only the numbers that differ."""
    if isinstance(old, str) and isinstance(new, str) and len(old) + len(new) > 150:
        before, after = Counter(NUMBERS.findall(old)), Counter(NUMBERS.findall(new))
        return f"numbers {shown([*(before - after)])} -> {shown([*(after - before)])}"
    return f"{shown(old)} -> {shown(new)}"


class Comparison:
    """For each case how many figures are of each kind; for each kind and path what happened."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.details: dict[tuple[str, str], list[tuple[str, str, int]]] = defaultdict(list)

    def note(self, kind: str, case: str, path: str, what: str, many: int = 1) -> None:
        self.counts[case][kind] += many
        if kind != "equal":
            self.details[kind, starred(path)].append((case, what, many))

    def compare(self, case: str, old: Said | None, new: Said | None) -> None:
        """Path by path; then look for what is on one side only."""
        if old is None or new is None:
            many = sum(len(figures(leaf)) for leaf in (old or new or {}).values())
            self.note("gone" if new is None else "new", case, "whole cases", "", many)
            return
        for path in old.keys() & new.keys():
            before, after = figures(old[path]), figures(new[path])
            if len(before) != len(after):
                what = f"{len(before)} -> {len(after)} figures, {told(before, after)}"
                self.note("different", case, path, what, max(len(before), len(after)))
                continue
            for a, b in zip(before, after, strict=True):
                kind = judged(a, b)
                self.note(kind, case, path, "" if kind == "equal" else told(a, b))
        found = self.search(case, old, new)
        for path in sorted(new.keys() - old.keys() - found):
            self.note("new", case, path, shown(new[path]), len(figures(new[path])))

    def search(self, case: str, old: Said, new: Said) -> set[str]:
        """Look for what has left its path, by its last name or its value; where it was found."""
        places: dict[str, list[str]] = defaultdict(list)
        left, came = sorted(old.keys() - new.keys()), new.keys() - old.keys()
        for path in sorted(new) if left else ():
            for key in {json.dumps(new[path]), *map(json.dumps, figures(new[path]))}:
                places[key].append(path)
        found: set[str] = set()
        for path in left:
            name, leaf = last(path), old[path]
            alike = sorted(p for p in came if last(p) == name)
            whole = [p for p in alike if judged(leaf, new[p]) in KINDS[:3]]
            whole = whole or places.get(json.dumps(leaf), [])
            for figure in figures(leaf):
                weak = is_weak(figure) and len(figures(leaf)) < 4
                where = sorted(
                    whole or places.get(json.dumps(figure), []),
                    key=lambda p, n=name, w=weak: (w and last(p) != n, p not in came, last(p) != n),
                )
                if where:
                    found.add(where[0])
                    kind = "weak" if weak and last(where[0]) != name else "moved"
                    self.note(kind, case, path, f"to {starred(where[0])}")
                else:
                    hints = [f"{p} has {shown(new[p])}" for p in alike[:1]]
                    self.note("gone", case, path, "; but ".join([shown(figure), *hints]))
        return found

    def table(self, everything: bool) -> None:
        """A line for each case, or for each that is not equal throughout; and the sum."""
        print("".join(f"{kind:>11}" for kind in KINDS), " case")
        equal = [case for case, counts in self.counts.items() if set(counts) == {"equal"}]
        for case, counts in self.counts.items():
            if everything or set(counts) != {"equal"}:
                print("".join(f"{counts[kind]:11,}" for kind in KINDS), f" {case}")
        whole: Counter[str] = sum(self.counts.values(), Counter())
        told_of = f" all {len(self.counts):,} cases, {len(equal):,} of them equal throughout"
        print("".join(f"{whole[kind]:11,}" for kind in KINDS), told_of)

    def say(self, examples: int) -> None:
        """What is not equal, by kind and path, with examples."""
        for kind, path in sorted(self.details, key=lambda key: (KINDS.index(key[0]), key[1])):
            rows = self.details[kind, path]
            cases = len({case for case, _, _ in rows})
            print(
                f"\n{kind.upper()} {path}: {sum(r[2] for r in rows):,} figures in {cases:,} cases"
            )
            if kind in ("moved", "weak"):  # where to counts, not in which case
                lines = [f"{what}, {n:,}" for what, n in Counter(r[1] for r in rows).most_common()]
            else:
                lines = [f"{case}: {what}" for case, what, _ in rows]
            shown_of = lines[: examples or None]
            print(*(f"    {line}" for line in shown_of), sep="\n")
            if len(lines) > len(shown_of):
                print(f"    … and {len(lines) - len(shown_of):,} more (--examples 0 shows all)")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare two files of snapshot.py.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--all", action="store_true", help="also list cases that are equal")
    parser.add_argument("--examples", type=int, default=5, help="how many of each path; 0: all")
    options = parser.parse_args()
    old, new = (json.loads(path.read_text("utf-8")) for path in (options.old, options.new))
    comparison = Comparison()
    for case in {**old, **new}:
        comparison.compare(case, old.get(case), new.get(case))
    comparison.table(options.all)
    comparison.say(options.examples)
    kinds = {kind for counts in comparison.counts.values() for kind in counts}
    sys.exit(1 if kinds & {"different", "gone"} else 0)


if __name__ == "__main__":
    main()
