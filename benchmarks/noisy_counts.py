"""How long does the test of noisy counts take, by sampling as published and without sampling?

Measured side by side in one run on the Internet Usage survey (9,799 records, five
quasi-identifiers, ages in the parts up to 20, 40, 60 and above), for five values of ε:

(a) `LaplaceCounts` without sampling,
(b) the published method, N = 25,000 samples with and without each record, each case once,
(c) the published method record by record and sample by sample in a plain Python loop,
(d) the same with numpy, all samples of a record at once,

the last two on a few records, extrapolated to all. The last columns are δ by (a) and by (b), and
how many of the corrected distances of (b) lie outside their 95 % interval around (a).

    python benchmarks/noisy_counts.py [--samples 25000] [--loop 4] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import unveil as uv
from unveil.microdata import Microdata, Role

EPSILONS = (0.1, 0.5, 1.0, 2.0, float("inf"))


def main() -> None:
    options = _options()
    survey = internet_usage(options.data)
    print(f"{len(survey):,} records, {len(survey.distinct):,} distinct")
    _warm_up(survey)
    print(
        "    ε  (a) s  (b) s    (c) s  (d) s  (c)/(a)  (d)/(a)  (c)/(b)  (d)/(b)   δ (a)   δ (b)  "
        "outside"
    )
    sums = np.zeros(4)
    for epsilon in EPSILONS:
        sanitizer = uv.LaplaceCounts(epsilon=epsilon)
        started = time.perf_counter()
        direct = uv.differential_inference(survey, sanitizer)
        between = time.perf_counter()
        sampled = uv.differential_inference(survey, sanitizer, samples=options.samples)
        times = np.array(
            [
                between - started,
                time.perf_counter() - between,
                _loop(survey, epsilon, options.samples, options.loop, _sample_by_sample),
                _loop(survey, epsilon, options.samples, 4 * options.loop, _at_once),
            ]
        )
        off = np.abs(sampled.distances - direct.distances)
        # Without noise nothing is sampled.
        error = 0 if sampled.sampling is None else sampled.sampling.error
        outside = float((off > error + 1e-12).mean())
        sums += times
        print(
            f"{epsilon:5g}", _row(times), f"{direct.delta:.4f}  {sampled.delta:.4f}  {outside:.1%}"
        )
    print("  all", _row(sums))


def _row(times: NDArray[np.float64]) -> str:
    a, b, c, d = times
    ratios = "  ".join(f"{ratio:7,.0f}" for ratio in (c / a, d / a, c / b, d / b))
    return f" {a:5.3f}  {b:5.2f}  {c:7,.0f}  {d:5,.0f}  {ratios} "


def _warm_up(survey: Microdata) -> None:
    """Compile, and count the cells, which is done once for all."""
    uv.differential_inference(survey, uv.LaplaceCounts(epsilon=1), samples=2, targets=2)


def internet_usage(folder: Path) -> Microdata:
    """The survey as the 2019 report tests noisy counts: without country, ages in four parts."""
    survey = uv.datasets.internet_usage(folder)
    # Parts begin at their edge; up to 20 is below 21.
    survey = uv.quantize(survey, {"age": [-np.inf, 21, 41, 61, np.inf]})
    columns = (replace(c, role=Role.OTHER) if c.name == "country" else c for c in survey.columns)
    return replace(survey, columns=tuple(columns))


Method = Callable[[NDArray[np.float64], float, int, np.random.Generator], NDArray[np.float64]]


def _loop(survey: Microdata, epsilon: float, samples: int, sample: int, method: Method) -> float:
    """Seconds for all records, one after the other."""
    rng = np.random.default_rng(0)
    codes, secrets = survey.codes, survey.sensitive.codes
    chosen = rng.choice(len(survey), sample, replace=False)
    started = time.perf_counter()
    for record in chosen:
        alike = (codes == codes[:, [record]]).all(axis=0)
        counts = np.bincount(secrets[alike], minlength=survey.sensitive.size).astype(float)
        present = method(counts, epsilon, samples, rng)
        counts[secrets[record]] -= 1
        absent = method(counts, epsilon, samples, rng)
        np.abs(np.sort(present, axis=0) - np.sort(absent, axis=0)).mean(axis=0).sum()
    return (time.perf_counter() - started) / sample * len(survey)


def _sample_by_sample(
    counts: NDArray[np.float64], epsilon: float, samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Each sample as the definition has it."""
    beliefs = []
    for _ in range(samples):
        noise = rng.laplace(0, 1 / epsilon, len(counts)) if np.isfinite(epsilon) else 0
        noisy = 1 + np.maximum(0, counts + noise)
        beliefs.append(noisy / noisy.sum())
    return np.array(beliefs)


def _at_once(
    counts: NDArray[np.float64], epsilon: float, samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """All samples together."""
    shape = (samples, len(counts))
    noise = rng.laplace(0, 1 / epsilon, shape) if np.isfinite(epsilon) else np.zeros(shape)
    noisy = 1 + np.maximum(0, counts + noise)
    return noisy / noisy.sum(axis=1, keepdims=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=25_000)
    parser.add_argument("--loop", type=int, default=4, help="records of the plain loop")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("UNVEIL_DATA", beside)))
    return parser.parse_args()


if __name__ == "__main__":
    main()
