"""What does the general path cost beyond the sanitizer and the model, and what do workers bring?

On Internet Usage, 500 targets, with the compiled Mondrian as a sanitizer that is run anew for each
of them; all in one run:

(a) unveil's own overhead: all the time but that spent within the sanitizer and the adversary, over
    that time,
(b) one process against two, once they have started (and what starting them takes),
(c) several adversaries on the same releases: what is spent on the releases, on each model, and on
    the rest,
(d) a command as an oracle: how long a target takes if the table is written anew for each of them,
    and if it is written once because the command leaves the record out by itself ({without}),
(e) models that can forget a record, on the table as it is: all records that way, against training
    anew for each, on a sample, extrapolated to all distinct records.

    python benchmarks/general_path.py [--data FOLDER] [--targets 500]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import unveil as uv
from unveil.adversary import Adversary, adversary_named
from unveil.microdata import Microdata, Release
from unveil.sanitize import Sanitizer

REPEATS = 3

COPY = """
import sys
from pathlib import Path

source, target, without = sys.argv[1], sys.argv[2], sys.argv[3:]
lines = Path(source).read_bytes().splitlines(keepends=True)
if without and without[0].isdigit():
    del lines[1 + int(without[0])]
Path(target).write_bytes(b"".join(lines))
"""


@dataclass(frozen=True)
class Timed(Sanitizer):
    """A sanitizer whose time is taken, and which has no fast path."""

    inner: Sanitizer
    spent: list[float] = field(default_factory=list, compare=False)
    treats_equals_alike = True

    @property
    def label(self) -> str:
        return self.inner.label

    def sanitize(self, microdata: Microdata) -> Release:
        started = time.perf_counter()
        release = self.inner.sanitize(microdata)
        self.spent.append(time.perf_counter() - started)
        return release


class TimedAdversary(Adversary):
    """An adversary whose time is taken."""

    def __init__(self, inner: Adversary) -> None:
        self.inner, self.spent = inner, 0.0

    @property
    def label(self) -> str:
        return self.inner.label

    def predict(self, release: Release, codes: np.ndarray) -> np.ndarray:
        started = time.perf_counter()
        beliefs = self.inner.predict(release, codes)
        self.spent += time.perf_counter() - started
        return beliefs


def main() -> None:
    options = _options()
    table = uv.datasets.internet_usage(options.data)
    uv.differential_inference(table, uv.Mondrian(k=5), path="general", targets=2)  # compiles
    for model in ("naive-bayes", DecisionTreeClassifier()):
        overhead(table, model, options.targets)
    workers(table, options.targets)
    further_adversaries(table, options.targets)
    commands(table)
    forgetting(table)


def overhead(table: Microdata, model: object, targets: int) -> None:
    shares = []
    for _ in range(REPEATS):
        sanitizer, adversary = Timed(uv.Mondrian(k=5)), TimedAdversary(adversary_named(model))
        finding = uv.differential_inference(
            table, sanitizer, adversary=adversary, targets=targets, jobs=1
        )
        within = sum(sanitizer.spent) + adversary.spent
        shares.append((finding.seconds - within) / within)
    print(
        f"(a) {adversary.label}: {finding.seconds:.2f} s, of which sanitizer "
        f"{sum(sanitizer.spent):.2f} s, model {adversary.spent:.2f} s; "
        f"overhead {statistics.median(shares):.1%}"
    )


def workers(table: Microdata, targets: int) -> None:
    def seconds(jobs: int) -> float:
        return uv.differential_inference(
            table, uv.Mondrian(k=5), path="general", targets=targets, jobs=jobs
        ).seconds

    cold = seconds(2)
    pairs = [(seconds(1), seconds(2)) for _ in range(REPEATS)]
    one, two = (statistics.median(each) for each in zip(*pairs, strict=True))
    print(
        f"(b) one process {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast; "
        f"two that have to be started first {cold:.2f} s"
    )


def further_adversaries(table: Microdata, targets: int) -> None:
    adversaries: list[TimedAdversary] = []
    for model in ("naive-bayes", "conditional-frequency", DecisionTreeClassifier()):
        adversaries = [*adversaries, TimedAdversary(adversary_named(model))]
        for adversary in adversaries:
            adversary.spent = 0.0
        sanitizer = Timed(uv.Mondrian(k=5))
        finding = uv.differential_inference(
            table, sanitizer, adversary=adversaries, targets=targets, jobs=1
        )
        releases, models = sum(sanitizer.spent), [adversary.spent for adversary in adversaries]
        each = " + ".join(f"{seconds:.2f}" for seconds in models)
        print(
            f"(c) {len(adversaries)} adversaries: {finding.seconds:.2f} s = "
            f"{len(sanitizer.spent)} releases {releases:.2f} + models {each} + "
            f"the rest {finding.seconds - releases - sum(models):.2f}"
        )


def commands(table: Microdata, targets: int = 20) -> None:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "copy.py"
        script.write_text(COPY)
        for arguments in ("{input} {output}", "{input} {output} {without}"):
            oracle = uv.Oracle(f"{sys.executable} {script} {arguments}")
            finding = uv.differential_inference(table, oracle, targets=targets, jobs=1)
            print(f"(d) {arguments}: {finding.seconds / targets * 1000:.0f} ms a target")


def forgetting(table: Microdata, sample: int = 20) -> None:
    for model in (GaussianNB(), LinearDiscriminantAnalysis(), uv.NearestNeighbours(k=5)):
        adversary = uv.Classifier(model, "bounds-hot")
        quick = uv.differential_inference(table, uv.Identity(), adversary=adversary)
        slow = uv.differential_inference(
            table, uv.Identity(), adversary=adversary, path="general", targets=sample, jobs=1
        )
        anew = slow.seconds / sample * len(table.distinct)
        differ = np.nanmax(np.abs(quick.distances[slow.targets] - slow.distances))
        print(
            f"(e) {adversary.label}: {quick.seconds:.1f} s, anew {anew:,.0f} s, "
            f"{anew / quick.seconds:,.0f} times; largest difference {differ:.0e}"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("UNVEIL_DATA"))
    parser.add_argument("--targets", type=int, default=500)
    options = parser.parse_args()
    if options.data is None:
        options.data = Path(__file__).resolve().parents[2] / "shared" / "data"
    return options


if __name__ == "__main__":
    main()
