"""Make the reports of three tables: the demo's survey, Adult, and Internet Usage.

They show what a report of five releases of different kinds looks like, and the tests that look at
reports in a browser look at these. The demo's is made twice: for others, and as its owner sees it,
with curves over people and tables of them. Adult and Internet Usage are made where the public
microdata is: in the folder that UNVEIL_DATA names, or in ../shared/data.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import unveil as uv

RELEASES = ("identity", "mondrian:k=5", "mondrian:k=5,l=3", "anatomy:l=3", "recoding:k=5")
ATTACKS = {
    "differential-inference": {"budget": "10 s"},
    "inference": {},
    "relative-risk": {"budget": "10 s"},
    "linkage": {},
    "measures": {},
    "discrimination-rate": {},
    "utility": {},
}
"""The default ones, with less time for what is sampled."""

FAIL_ON = {"demo": ("delta > 0.3", "k < 5")}
NEARBY = Path(__file__).resolve().parents[2] / "shared" / "data"


def tables() -> dict[str, Callable[[], uv.Microdata]]:
    """What can be read here, by the names of the reports."""
    found: dict[str, Callable[[], uv.Microdata]] = {"demo": uv.datasets.election_survey}
    folder = Path(os.environ.get("UNVEIL_DATA", NEARBY))
    if folder.is_dir():
        found["adult"] = lambda: uv.datasets.adult(folder)
        found["internet_usage"] = lambda: uv.datasets.internet_usage(folder)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--into", type=Path, default=Path("reports-out"))
    into = options.parse_args().into
    into.mkdir(parents=True, exist_ok=True)
    found = tables()
    wanted = [*((name, name, False) for name in found), ("demo-private", "demo", True)]
    for called, name, private in wanted:
        begun = time.perf_counter()
        # A key that is known, as the tables are public: the references are the same in every run.
        audit = uv.audit(
            found[name](), RELEASES, attacks=ATTACKS, fail_on=FAIL_ON.get(name), key="00" * 32,
            private=private,
        )  # fmt: skip
        file = audit.save(into / f"{called}.html")
        seconds = time.perf_counter() - begun
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB, made in {seconds:.0f} s")


if __name__ == "__main__":
    main()
