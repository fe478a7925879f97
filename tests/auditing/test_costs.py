"""The time left that an audit tells is about right: by runs that were recorded step by step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from unveil.auditing._audit import MAKING, step_of_release, steps_of
from unveil.auditing.parts import DEFAULT, PARTS
from unveil.engine import Forecast
from unveil.sanitize import sanitizers_named

K_AND_L = ["identity", "mondrian:k=5", "mondrian:k=5,l=3", "anatomy:l=3", "recoding:k=5"]
FIRST_LOOK = ["identity", "mondrian:k=2", "mondrian:k=5", "mondrian:k=10", "mondrian:k=20"]
SWEEP = [f"mondrian:k={k}" for k in (2, 4, 8, 16, 32, 64)]

# How long each release took to be made, and each of the default parts to look at it, on a machine
# of two cores that others used, too (the least of two runs; what to change, the last, by processor
# time): the Adult records, the demo's survey, and Adult over a series of k.
RUNS = {
    "adult": (45_222, K_AND_L, [
        (0.075, 0.344, 1.441, 0.693, 0.306, 0.244, 0.379, 0.279, 0.236),
        (0.141, 3.214, 0.834, 0.124, 0.242, 0.120, 0.204, 0.066, 0.112),
        (0.061, 2.112, 0.693, 0.058, 0.183, 0.027, 0.046, 0.040, 0.008),
        (0.039, 2.495, 0.835, 7.557, 0.158, 0.029, 0.005, 0.000, 0.000),
        (0.032, 0.457, 0.393, 0.868, 0.097, 0.009, 0.020, 0.006, 0.017),
    ]),
    "demo": (944, FIRST_LOOK, [
        (0.001, 0.057, 0.019, 0.459, 0.058, 0.018, 0.011, 0.008, 0.030),
        (0.049, 0.098, 0.023, 0.008, 0.004, 0.008, 0.009, 0.008, 0.023),
        (0.001, 0.042, 0.038, 0.010, 0.008, 0.014, 0.011, 0.009, 0.002),
        (0.001, 0.024, 0.014, 0.004, 0.004, 0.005, 0.005, 0.004, 0.001),
        (0.001, 0.028, 0.031, 0.008, 0.009, 0.009, 0.009, 0.008, 0.001),
    ]),
    "sweep": (45_222, SWEEP, [
        (0.544, 3.001, 0.812, 0.197, 0.183, 0.099, 0.186, 0.081, 0.205),
        (0.041, 2.896, 1.032, 0.188, 0.185, 0.090, 0.236, 0.077, 0.141),
        (0.072, 2.548, 0.868, 0.141, 0.218, 0.065, 0.143, 0.055, 0.075),
        (0.056, 1.817, 0.859, 0.130, 0.226, 0.055, 0.110, 0.056, 0.051),
        (0.045, 1.427, 0.550, 0.052, 0.178, 0.039, 0.085, 0.036, 0.044),
        (0.033, 0.843, 0.554, 0.051, 0.135, 0.033, 0.051, 0.024, 0.006),
    ]),
}  # fmt: skip


def subject(name: str, records: int, several: object = None) -> Any:
    table = SimpleNamespace(several=several)
    return SimpleNamespace(sanitizer=sanitizers_named(name)[0], records=records, microdata=table)


def forecast_of(records: int, names: list[str]) -> Forecast:
    asked: Any = SimpleNamespace(options={})
    subjects = [subject(name, records) for name in names]
    return Forecast(steps_of(subjects, [PARTS[name] for name in DEFAULT], asked))


@pytest.mark.parametrize("run", RUNS)
def test_after_a_third_the_time_left_is_about_right(run: str) -> None:
    records, names, took = RUNS[run]
    seconds = np.ravel(took)
    forecast = forecast_of(records, names)
    assert len(forecast) == len(seconds)
    looked_at = 0
    for step, took_now in enumerate(seconds):
        left, told = seconds[step:].sum(), forecast.left()
        if 0.25 < left / seconds.sum() < 2 / 3:
            looked_at += 1
            # Or as good as whole seconds can tell.
            assert 1 / 1.5 < told / left < 1.5 or abs(told - left) < 0.5
            assert forecast.left(took_now / 2) < told
        forecast.done(took_now)
    assert looked_at > 5
    assert forecast.left() == 0.0
    assert forecast.share() == 1.0


def test_what_is_sampled_or_run_again_and_again_takes_its_budget() -> None:
    steps = {
        name: step_of_release(subject(name, 10_000), "differential-inference", {})
        for name in ("mondrian:k=5", "anatomy:l=3", "microaggregation:k=5")
    }
    assert steps["mondrian:k=5"].at_most is None
    assert steps["anatomy:l=3"].seconds == steps["anatomy:l=3"].at_most == 4.0
    assert steps["microaggregation:k=5"].at_most == 4.0
    # Some know themselves without a record, and not without a person who has several.
    for kind, at_most in (("mondrian:k=5", None), ("mondrian:k=5,t=0.3", 4.0), ("identity", None)):
        people = subject(kind, 10_000, several=object())
        assert step_of_release(people, "differential-inference", {}).at_most == at_most
    given = {"budget": "1 min"}
    long = step_of_release(subject("anatomy:l=3", 9), "relative-risk", given)
    assert long.seconds == long.at_most == 60.0
    assert step_of_release(subject("anatomy:l=3", 9), "relative-risk", {"budget": None}).seconds < 1


def test_a_finer_release_takes_longer() -> None:
    fine, coarse = (
        step_of_release(subject(f"mondrian:k={k}", 45_222), MAKING, {}).seconds for k in (2, 64)
    )
    assert fine > coarse > 0
