"""Count the lines and modules of the package, room by room, and the longest modules.

    python tools/count_lines.py [--longest N] [REVISION]

With a revision (a tag, a branch, a commit) the package is counted as it was then.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

SOURCE = "src/unveil"


def lines_of(revision: str | None) -> dict[PurePosixPath, int]:
    """The number of lines of every module."""
    top = Path(__file__).parents[1]
    if revision is None:
        files = (path.relative_to(top) for path in (top / SOURCE).rglob("*.py"))
        return {PurePosixPath(f.as_posix()): (top / f).read_bytes().count(b"\n") for f in files}
    counted = subprocess.run(
        ["git", "grep", "-c", "", revision, "--", f"{SOURCE}/*.py"],
        capture_output=True, text=True, check=True, cwd=top,
    )  # fmt: skip
    pairs = (line.split(":", 1)[1].rsplit(":", 1) for line in counted.stdout.splitlines())
    return {PurePosixPath(path): int(number) for path, number in pairs}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("revision", nargs="?")
    parser.add_argument("--longest", type=int, default=5, metavar="N")
    asked = parser.parse_args()
    lines = lines_of(asked.revision)
    rooms: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path, number in lines.items():
        inner = path.relative_to(SOURCE).parts
        room = inner[0] if len(inner) > 1 else "(top)"
        rooms[room] += number
        modules[room] += 1
    print(f"{'room':<14}{'modules':>9}{'lines':>9}")
    for room in sorted(rooms):
        print(f"{room:<14}{modules[room]:>9}{rooms[room]:>9,}")
    print(f"{'all':<14}{len(lines):>9}{sum(lines.values()):>9,}")
    for path, number in sorted(lines.items(), key=lambda pair: -pair[1])[: asked.longest]:
        print(f"{number:>6,} {path}")


if __name__ == "__main__":
    main()
