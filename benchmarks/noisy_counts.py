"""How long does the test of noisy counts take, by sampling as published and without sampling?

Measured side by side in one run on the Internet Usage survey (9,799 records, five
quasi-identifiers, ages in the parts up to 20, 40, 60 and above), for five values of ε:

(a) `LaplaceCounts` without sampling,
(b) the published method, N = 25,000 samples with and without each record, each case once,
(c) the published method record by record in a plain loop, on a sample, extrapolated to all.

The last columns are δ by (a) and by (b), and how many of the corrected distances of (b) lie
outside their 95 % interval around (a).

    python benchmarks/noisy_counts.py [--samples 25000] [--loop 12] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import unveil as uv
from unveil.microdata import Microdata, Role

EPSILONS = (0.1, 0.5, 1.0, 2.0, float("inf"))


def main() -> None:
    options = _options()
    survey = internet_usage(options.data)
    print(f"{len(survey):,} records, {len(survey.distinct):,} distinct")
    print("    ε   (a) s   (b) s  (c) s, extrapolated  (c)/(a)  (c)/(b)   δ (a)   δ (b)  outside")
    sums = np.zeros(3)
    for epsilon in EPSILONS:
        sanitizer = uv.LaplaceCounts(epsilon=epsilon)
        started = time.perf_counter()
        direct = uv.differential_inference(survey, sanitizer)
        direct_time = time.perf_counter() - started
        started = time.perf_counter()
        sampled = uv.differential_inference(survey, sanitizer, samples=options.samples)
        sampled_time = time.perf_counter() - started
        loop_time = _loop(survey, epsilon, options.samples, options.loop)
        off = np.abs(sampled.distances - direct.distances)
        assert sampled.sampling is not None
        outside = float((off > sampled.sampling.error + 1e-12).mean())
        sums += (direct_time, sampled_time, loop_time)
        print(
            f"{epsilon:5g}  {direct_time:6.3f}  {sampled_time:6.2f}  {loop_time:19,.0f}  "
            f"{loop_time / direct_time:7,.0f}  {loop_time / sampled_time:7,.0f}  "
            f"{direct.delta:.4f}  {sampled.delta:.4f}  {outside:7.1%}"
        )
    a, b, c = sums
    print(f"  all  {a:6.3f}  {b:6.2f}  {c:19,.0f}  {c / a:7,.0f}  {c / b:7,.0f}")


def internet_usage(folder: Path) -> Microdata:
    """The survey as the 2019 report tests noisy counts: without country, ages in four parts."""
    survey = uv.datasets.internet_usage(folder)
    # Parts begin at their edge; up to 20 is below 21.
    survey = uv.quantize(survey, {"age": [-np.inf, 21, 41, 61, np.inf]})
    columns = (replace(c, role=Role.OTHER) if c.name == "country" else c for c in survey.columns)
    return replace(survey, columns=tuple(columns))


def _loop(survey: Microdata, epsilon: float, samples: int, sample: int) -> float:
    """Seconds for all records, one after the other."""
    rng = np.random.default_rng(0)
    codes, secrets = survey.codes, survey.sensitive.codes
    chosen = rng.choice(len(survey), sample, replace=False)
    started = time.perf_counter()
    for record in chosen:
        alike = (codes == codes[:, [record]]).all(axis=0)
        counts = np.bincount(secrets[alike], minlength=survey.sensitive.size).astype(float)
        sides = []
        for left_out in (0, 1):
            counts[secrets[record]] -= left_out
            noise = np.zeros((samples, len(counts)))
            if np.isfinite(epsilon):
                noise = rng.laplace(0, 1 / epsilon, (samples, len(counts)))
            noisy = 1 + np.maximum(0, counts + noise)
            sides.append(np.sort(noisy / noisy.sum(axis=1, keepdims=True), axis=0))
        np.abs(sides[0] - sides[1]).mean(axis=0).sum()
    return (time.perf_counter() - started) / sample * len(survey)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--samples", type=int, default=25_000)
    parser.add_argument("--loop", type=int, default=12, help="records of the plain loop")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("UNVEIL_DATA", beside)))
    return parser.parse_args()


if __name__ == "__main__":
    main()
