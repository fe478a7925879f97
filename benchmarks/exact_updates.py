"""Where does it pay to forget a record exactly, instead of training without it?

Measured side by side in one run, on 9,799 records of the synthetic census, once with the six codes
as features and once with their 29 bits:

(a) beliefs about every record by the model without it, learning included,
(b) scikit-learn trained anew without a record, on a sample, extrapolated to all records.

And for training alone, on a release of the same table (k = 20):

(c) learning from the classes and their counts,
(d) scikit-learn trained on one row a record.

The last column is the largest difference between beliefs of (a) and (b) in the sample. Nearest
neighbours have none: scikit-learn breaks ties by the order of rows, ours share them. Both sides
have one thread, as on a busy machine more of them mostly wait for each other.

    python benchmarks/exact_updates.py [--records 9799] [--sample 5]
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

import unveil as uv
from unveil.adversary import NearestNeighbours
from unveil.adversary.exact import exact_learner
from unveil.microdata import Microdata

# What is measured, and the scikit-learn estimator it stands for.
MODELS: list[tuple[Any, Any]] = [
    *(
        (estimator, estimator)
        for estimator in (
            GaussianNB(),
            BernoulliNB(),
            MultinomialNB(),
            ComplementNB(),
            CategoricalNB(min_categories=432),  # or it fails on a code that one record has
            LinearDiscriminantAnalysis(),
            LinearDiscriminantAnalysis(solver="lsqr"),
            LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
            QuadraticDiscriminantAnalysis(reg_param=0.01),
        )
    ),
    (NearestNeighbours(), KNeighborsClassifier()),
]


@dataclass(frozen=True)
class Table:
    features: NDArray[np.float64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]


def main() -> None:
    options = _options()
    census = uv.datasets.census(options.records, seed=0)
    codes, bits = one_row_a_record(census, binary=False), one_row_a_record(census, binary=True)
    released = classes(census, uv.Mondrian(k=20))
    values = codes.counts.shape[1]
    print(f"{len(codes.values):,} records, {values} sensitive values; release of", end=" ")
    print(f"{len(released.features):,} classes")
    heads = ("features", "(a) s", "(b) s", "(b)/(a)", "(c) ms", "(d) ms", "(d)/(c)", "differ by")
    print(" " * 62, *(head.rjust(9) for head in heads))
    for ours, theirs in MODELS:
        training, fitting = learning(ours, theirs, released)
        for table in (codes, bits):
            updated, anew, off = forgetting(ours, theirs, table, options.sample)
            row = [
                f"{ours!s:>62}",
                f"{table.features.shape[1]:>9}",
                f"{updated:>9.2f}",
                f"{anew:>9,.0f}",
                f"{anew / updated:>9,.0f}",
                f"{training * 1e3:>9.1f}",
                f"{fitting * 1e3:>9.1f}",
                f"{fitting / training:>9.1f}",
                f"{off:>9.0e}" if ours is theirs else f"{'–':>9}",
            ]
            print(*row, flush=True)


def learning(ours: Any, theirs: Any, table: Table) -> tuple[float, float]:
    """Seconds to learn from classes and counts, and from one row a record."""
    learn = exact_learner(ours)
    assert learn is not None
    rows = np.repeat(table.features, table.counts.sum(axis=1), axis=0)
    values = np.concatenate([np.repeat(np.arange(len(row)), row) for row in table.counts])
    training = (seconds(lambda: learn(table.features, table.counts)) for _ in range(5))
    fitting = (seconds(lambda: clone(theirs).fit(rows, values)) for _ in range(5))
    return statistics.median(training), statistics.median(fitting)


def forgetting(ours: Any, theirs: Any, table: Table, sample: int) -> tuple[float, float, float]:
    """Seconds for all records by updates, and by training anew; and how far the beliefs differ."""
    learn = exact_learner(ours)
    assert learn is not None
    started = time.perf_counter()
    model = learn(table.features, table.counts)
    beliefs = model.predict_without(table.features, table.features, table.values)
    updated = time.perf_counter() - started
    drawn = np.random.default_rng(0).choice(len(table.values), sample, replace=False)
    differences, taken = [], []
    for record in drawn:
        started = time.perf_counter()
        others = np.arange(len(table.values)) != record
        trained = clone(theirs).fit(table.features[others], table.values[others])
        belief = np.zeros(beliefs.shape[1])
        belief[trained.classes_] = trained.predict_proba(table.features[[record]])[0]
        taken.append(time.perf_counter() - started)
        differences.append(np.abs(belief - beliefs[record]).max())
    anew = statistics.median(taken) * len(table.values)
    return updated, anew, float(np.max(differences))


def one_row_a_record(census: Microdata, *, binary: bool) -> Table:
    """The codes of the quasi-identifiers as features, or their bits."""
    features = census.codes.T.astype(np.float64)
    if binary:
        widths = [max(1, int(column.size - 1).bit_length()) for column in census.quasi]
        features = np.stack(
            [(codes >> bit) & 1 for codes, width in zip(census.codes, widths, strict=True)
             for bit in range(width)], axis=1,
        ).astype(np.float64)  # fmt: skip
    values = census.sensitive.codes.astype(np.int64)
    return Table(features, values, np.eye(census.sensitive.size, dtype=np.int64)[values])


def classes(census: Microdata, sanitizer: uv.Mondrian) -> Table:
    """The released classes, with the means of their members' codes as features."""
    release = sanitizer.sanitize(census)
    counts = np.zeros((release.class_of.max() + 1, census.sensitive.size), dtype=np.int64)
    np.add.at(counts, (release.class_of, release.sensitive.codes), 1)
    sums = np.zeros((len(counts), len(census.quasi)))
    np.add.at(sums, release.class_of, census.codes.T)
    return Table(sums / counts.sum(axis=1, keepdims=True), np.empty(0, dtype=np.int64), counts)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=9799)
    parser.add_argument("--sample", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
