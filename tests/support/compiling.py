"""Kernels compiled once among all workers of a run, instead of once by each of them.

On a machine that has not run unveil before, compiling takes longer than most of the tests. Workers
that begin at the same time would all compile the same kernels at the same time. So before they look
for tests they go through a few small jobs that need most kernels, each worker beginning with
another job; whoever comes to a job that somebody is busy with waits for it. Then numba finds in its
cache what others have compiled. Nothing else hangs on this: a kernel that no job has called is
compiled by the test that does.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from calibration import in_boxes, in_sets, ranks, shuffled, truth
from random_tables import random_microdata

import unveil as uv
from unveil.attacks.relative_risk.samplers import sampler_for, sampler_of
from unveil.attacks.relative_risk.samplers.horizontal import InBoxes
from unveil.microdata import Statistic


def mondrian() -> None:
    """Partitions, with and without each record."""
    table = random_microdata(0, 60, ("fine", "tree", "flat"))
    for adversary in ("naive-bayes", "conditional-frequency"):
        uv.differential_inference(table, uv.Mondrian(k=2), adversary=adversary)
    stays = uv.datasets.visits(20)
    uv.Mondrian(k=2).leave_one_out(stays, np.arange(5), Statistic.COVER)


def samplers() -> None:
    """Every sampler of tables behind a release."""
    rng = np.random.default_rng(0)
    for likelihood in ("saturated", "naive-bayes"):
        real = truth(rng, likelihood)
        for publish in (in_boxes, in_sets, shuffled):
            problem = publish(real)
            for algorithm in ("collapsed", "gibbs"):
                used = sampler_for(problem, likelihood, algorithm)
                ranks(real, problem, used, rng, thin=1)
    real = truth(rng, "saturated")
    ranks(real, in_boxes(real), sampler_of(InBoxes), rng, thin=1)


def others() -> None:
    """Noisy counts, linkage, and the other sanitizers."""
    table = random_microdata(0, 60, ("fine", "tree", "numeric"))
    uv.differential_inference(table, uv.LaplaceCounts(epsilon=1.0), samples=10)
    names = table.to_frame().drop(columns="secret").assign(name=[f"p{i}" for i in range(60)])
    uv.Microaggregation(k=3).sanitize(table)
    uv.differential_inference(table, uv.Recoding(k=3, l=2, suppression=0.1))
    for sanitizer in (uv.Recoding(k=3, scheme="local"), uv.Anatomy(l=2)):
        uv.linkage(sanitizer.sanitize(table), names, identifier="name")


JOBS: tuple[Callable[[], None], ...] = (mondrian, others, samplers)


def compile_together(worker: int, folder: Path) -> None:
    """Go through all jobs, of which each is done by one worker at a time.

    Parameters
    ----------
    worker : int
        The worker's number: where among the jobs it begins.
    folder : Path
        Where all workers of the run meet.
    """
    for place in range(len(JOBS)):
        job = JOBS[(worker + place) % len(JOBS)]
        # The lock is held until the file is closed. What goes wrong is for the tests to tell.
        with (folder / f"{job.__name__}.lock").open("w") as lock, suppress(Exception):
            fcntl.flock(lock, fcntl.LOCK_EX)
            job()
