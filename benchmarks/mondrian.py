"""How long does Mondrian take, with k alone and with k, ℓ and t, beside anonypy?

The same generated census for both, without hierarchies, which anonypy does not know; anonypy in a
virtual environment of its own. What is compared is CPU time: ours from microdata to a release (the
median of several), and also with the way there and back, from a data frame to a data frame; theirs
from a data frame to the rows of the release. anonypy is stopped after --limit seconds, and then the
ratio is only what it is at least.

The goals are not quite the same. Their ℓ counts distinct values, ours also bounds their shares.
Their t is overwritten by a share before it is looked at (anonypy 0.2.1), so it does the work but
decides something else. Classes tell how far both have cut.

    python benchmarks/mondrian.py [--rows 10000 100000] [--folder FOLDER] [--limit 900]
                                  [--anonypy PYTHON]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

GOALS: list[dict[str, Any]] = [{"k": 5}, {"k": 5, "l": 2, "t": 0.3}]

_ANONYPY = """
import json, resource, sys, time
import pandas as pd
from anonypy import anonypy, mondrian
file, columns, secret, goal, limit = (json.loads(given) for given in sys.argv[1:])
table = pd.read_csv(file, dtype=columns)
quasi = [name for name in columns if name != secret]
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
begun = time.process_time()
parts = mondrian.Mondrian(table, quasi, secret).partition(
    goal["k"], goal.get("l", 0), goal.get("t", 0.0))
rows = anonypy.anonymize(table, parts, quasi, secret)
print(json.dumps([time.process_time() - begun, len(parts)]))
"""


def main() -> None:
    import unveil as uv

    options = _options()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="unveil-bench-"))
    python = Path(options.anonypy) if options.anonypy else _installed(folder)
    print(f"{'goal':>16} {'rows':>8} {'unveil s':>9} {'classes':>8} {'to, fro s':>9} "
          f"{'anonypy s':>10} {'classes':>8} {'ratio':>7} {'to, fro':>7}")  # fmt: skip
    for rows in options.rows:
        census = uv.datasets.census(rows, seed=1)
        quasi = [column.name for column in census.quasi]
        frame = census.to_frame()[[*quasi, census.sensitive.name]]
        file = folder / f"census-{rows}.csv"
        frame.to_csv(file, index=False)
        for goal in GOALS:
            ours, both, classes = _unveil(frame, quasi, census.sensitive.name, goal)
            theirs, parts = _anonypy(python, file, census, goal, options.limit)
            over = "" if parts else ">"
            print(f"{', '.join(f'{n}={v}' for n, v in goal.items()):>16} {rows:>8,} {ours:>9.4f} "
                  f"{classes:>8,} {both:>9.3f} {over + format(theirs, ',.1f'):>10} "
                  f"{format(parts, ',') if parts else 'stopped':>8} "
                  f"{over + format(theirs / ours, ',.0f'):>7} "
                  f"{over + format(theirs / both, ',.0f'):>7}", flush=True)  # fmt: skip


def _unveil(
    frame: Any, quasi: list[str], sensitive: str, goal: dict[str, Any]
) -> tuple[float, float, int]:
    """Our time from microdata to release, from data frame to data frame, and the classes."""
    import unveil as uv

    sanitizer = uv.Mondrian(**goal)
    microdata = uv.read_table(frame, quasi=quasi, sensitive=sensitive)

    def to_and_fro() -> object:
        read = uv.read_table(frame, quasi=quasi, sensitive=sensitive)
        return sanitizer.sanitize(read).to_frame()

    classes = sanitizer.sanitize(microdata).n_classes
    return _cpu(lambda: sanitizer.sanitize(microdata)), _cpu(to_and_fro), classes


def _cpu(work: Callable[[], object]) -> float:
    """The median of several times that some work takes; the first is not counted."""
    work()
    seconds = []
    for _ in range(7):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return statistics.median(seconds)


def _installed(folder: Path) -> Path:
    python = folder / "anonypy" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "anonypy", with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "anonypy", "pandas"]
        subprocess.run(install, check=True)
    return python


def _anonypy(
    python: Path, file: Path, census: Any, goal: dict[str, Any], limit: int
) -> tuple[float, int]:
    """Its time and number of classes; 0 classes if it was stopped."""
    secret = census.sensitive.name
    columns = {
        column.name: "float" if column.is_ordered else "category"
        for column in (*census.quasi, census.sensitive)
    }
    given = [json.dumps(one) for one in (str(file), columns, secret, goal, limit)]
    done = subprocess.run([str(python), "-c", _ANONYPY, *given], text=True, capture_output=True)
    if done.returncode < 0:  # by the signal that its time is over
        return float(limit), 0
    if done.returncode:
        raise SystemExit(f"anonypy failed:\n{done.stderr}")
    seconds, parts = json.loads(done.stdout.splitlines()[-1])
    return seconds, parts


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--folder", help="where anonypy is, or is installed to")
    parser.add_argument("--limit", type=int, default=900, help="seconds of CPU for each anonypy")
    parser.add_argument("--anonypy", help="the Python of an environment that has anonypy")
    return parser.parse_args()


if __name__ == "__main__":
    main()
