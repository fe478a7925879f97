"""Differential inference testing: does a prediction about a person change without their record?

After A. Kassem, G. Ács, C. Castelluccia (2018) and, with C. Palamidessi, 2019. For every
individual i, an adversary predicts i's sensitive value from the release of the whole table, and
again from the release of the table *without i*. What the adversary would have learned anyway is a
fact about the population; what changes is what i's own record gives away:

    d_i = distance(A(f(D), q_i), A(f(D without i), q_i)),

and f(D) is δ-indifferentiable with respect to A for δ = max d_i. The sanitizer is run again
without i, which is not the same as deleting i's row from the release.

Where a person has several records, D without i is the table without all of them, and d_i is the
largest distance between the beliefs about any of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

from unveil.adversary import prior_for
from unveil.attacks.differential._beliefs import Workplace
from unveil.attacks.differential._distances import distance_named
from unveil.attacks.differential._finding import DifferentialInference, SeveralAdversaries
from unveil.attacks.differential._plan import Plan
from unveil.attacks.differential._sampling import EPSILONS, Chance, Sampling, checked_epsilons
from unveil.attacks.differential._targets import How
from unveil.attacks.shared import INTERRUPTED, adversaries_named, seed_number
from unveil.engine import chosen_backend, parse_budget, workers
from unveil.errors import File, Foreign, InputError, MissingExtraError, Option
from unveil.microdata import Microdata
from unveil.options import (
    Adversaries,
    Budget,
    Help,
    Jobs,
    Progress,
    Run,
    Seed,
    Shell,
    by_person,
    checked,
)
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer


def _distance(texts: Sequence[str]) -> str:
    distance_named(texts[-1])
    return texts[-1]


def _prior(texts: Sequence[str]) -> Any:
    """A file with one line for everybody, or one per record."""
    try:
        table = pd.read_csv(texts[-1])
    except (OSError, ValueError) as error:
        raise InputError("cannot read {option}, {file}: {error}", option=Option("prior"),
                         file=File(texts[-1]), error=Foreign(str(error))) from error  # fmt: skip
    if len(table) == 1:
        return {str(value): share for value, share in table.iloc[0].items()}
    return table


def _targets(texts: Sequence[str]) -> int | str:
    text = texts[-1]
    if text == "available":
        return text
    # Python refuses to read thousands of digits.
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) > 0:
        return int(text)
    raise InputError(
        "{option} must be a number of records from 1 up, or 'available', got {text}",
        option=Option("targets"), text=repr(text),
    )  # fmt: skip


HowFar = Annotated[
    Any,
    Help(
        "Distance between two beliefs: total-variation, l1, emd:path, emd:ordered, emd:numeric, "
        "kl, jensen-shannon, hellinger, bhattacharyya or max-ratio. Default: total-variation."
    ),
    Shell(parse=_distance, metavar="NAME"),
]
Prior = Annotated[
    Any,
    Help(
        "What the attacker knows about the sensitive values beforehand; in a shell a CSV file with "
        "a column for each value, and one line for everybody or one per record."
    ),
    Shell(parse=_prior, metavar="FILE"),
]
Samples = Annotated[
    int | None,
    Ge(2),
    Help(
        "If the sanitizer or the attacker is random: number of runs with and without each record."
    ),
    Shell(metavar="N"),
]
Error = Annotated[
    float | None,
    Gt(0),
    Lt(1),
    Help(
        "Continue sampling until every distance is exact to this (with 95% confidence), such as "
        "0.01, or the samples are taken."
    ),
    Shell(metavar="E"),
]
WhichTargets = Annotated[
    Any,
    Help(
        "Number of people to test, or 'available': those without whom an oracle has a release. "
        "Default: everybody."
    ),
    Shell(parse=_targets, metavar="N"),
]


_PATIENCE = "10s"  # with a cluster that does not answer


@contextmanager
def on_cluster(scheduler: str | None) -> Iterator[None]:
    """A connection to a Dask cluster, if one is named."""
    if scheduler is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError(
            "{option} needs Dask; install it with: pip install 'unveil[dask]'",
            option=Option("scheduler"),
        ) from error
    try:
        client = Client(scheduler, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise InputError("nothing answers at {option}: {error}",
                         option=Option("scheduler", scheduler),
                         error=Foreign(str(error))) from error  # fmt: skip
    with client:
        yield


@checked
@by_person
def differential_inference(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    adversary: Adversaries = None,
    distance: HowFar = "total-variation",
    prior: Prior = None,
    samples: Samples = None,
    error: Error = None,
    epsilons: Annotated[Sequence[float] | None, Shell(hidden=True)] = None,
    targets: WhichTargets = None,
    draw: Annotated[How | None, Help(
        "If not everybody is tested, whom to test: people who are probably worst off in turn with "
        "others at random (worst-first), at random, at random within each sensitive value "
        "(stratified), or the most exposed first. Default: worst-first with a budget, else random."
    )] = None,
    budget: Budget = None,
    seed: Seed = 0,
    path: Annotated[Literal["auto", "fast", "general"], Shell(hidden=True)] = "auto",
    predictions: Annotated[bool, Shell(hidden=True)] = False,
    worst: Annotated[int, Ge(0), Help(
        "List this many of the worst-placed people, with their values and the beliefs about them. "
        "Shows microdata."
    ), Shell(metavar="N")] = 0,
    jobs: Jobs = None,
    backend: Annotated[str | None, Shell(hidden=True)] = None,
    scheduler: Annotated[str | None, Help(
        "Address of a Dask cluster to work on, such as tcp://scheduler:8786."
    ), Shell(metavar="ADDRESS")] = None,
    progress: Progress = None,
    run: Run = None,
) -> DifferentialInference:  # fmt: skip
    """Test how much each individual's own record gives them away.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is tested. It is run again without each target, exactly.
    adversary : Adversary, str, scikit-learn classifier, or a list of these
        Who attacks. Default: naive Bayes and conditional frequency; smoothed frequencies against
        noisy counts, nearest neighbours against averages. Several adversaries attack the same
        releases. The finding then has, for each target, the result of the strongest; those of all
        are in `DifferentialInference.against`.
    distance : str, EarthMovers or callable
        Between the beliefs with and without the target's record: ``"total-variation"``, ``"l1"``,
        ``"emd:path"``, ``"kl"``, ``"jensen-shannon"``, …, or a function of two tables of beliefs.
    prior : mapping or table, optional
        What the adversary knows about the sensitive values beforehand, in place of their shares
        in the release: a probability for each value, or a table with one row per record.
    samples : int, optional
        For a random sanitizer or adversary: the number of runs with and without each record.
        Distances are then between the distributions of beliefs, value by value, corrected for the
        bias of sampling; see `DifferentialInference.sampling`. By default nothing is sampled where
        the distance can be computed, as for `LaplaceCounts`; sanitizers that are known to be
        random, such as `Anatomy`, are sampled 1,000 times.
    epsilons : sequence of float, optional
        The ε for which to count how often belief moves by ε or more; see
        `DifferentialInference.tail`.
    targets : int, sequence of int or "available", optional
        Which records to test: all (default), this many, these, or those whose release without them
        is available (an oracle that is a folder). Where a person may have several records, people:
        all, this many, or those of these records.
    draw : {"worst-first", "random", "stratified", "exposed"}, optional
        Whom to test, and in which order, if not everybody is tested. Default: with a budget, people
        who are probably worst off, in turn with others at random; without one, at random.
    budget : str or float, optional
        How much to do: runs of the sanitizer (``"200 runs"``), people (``"500 people"``), or a time
        such as ``"10 min"`` or a number of seconds, with which the finding depends on the machine.
        ``"auto"`` is what an audit does: an amount that follows from the size of the table.
        `DifferentialInference.bound` says what follows for all records, and
        `DifferentialInference.forecast` what more certainty would cost.
    path : {"auto", "fast", "general"}
        ``"general"`` runs the sanitizer again for each target and lets the adversary learn again.
        ``"fast"`` does neither, and needs a sanitizer and an adversary that allow it. ``"auto"``
        takes the quickest one. All are exact.
    predictions : bool
        Keep the adversary's beliefs, for `DifferentialInference.to_frame`.
    jobs : int, optional
        Number of threads on the fast path, of processes on the general one. Default: all cores.
        The numbers do not depend on it.
    backend : str, optional
        A joblib backend for the general path, such as ``"dask"``. Default: processes on this
        machine, or the one of ``joblib.parallel_config``.

    Returns
    -------
    DifferentialInference
        The distances of all targets, and statistics of them.

    Examples
    --------
    The worked example of the 2019 report, whose adversary counts and whose distance is Σ:

    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [28, 36, 47, 53, 72], "gender": ["M", "M", "F", "M", "F"],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"]},
    ...     quasi=["age", "gender"], sensitive="disease")
    >>> finding = uv.differential_inference(
    ...     patients, uv.Mondrian(k=2, regions="cut"),
    ...     adversary="conditional-frequency", distance="l1")
    >>> finding.distances.round(3)
    array([1.   , 1.   , 0.667, 0.333, 0.333])
    """
    microdata = as_microdata(microdata, "differential_inference")
    f = as_sanitizer(sanitizer)
    if draw not in (None, "random") and targets is None and budget is None:
        raise InputError("{draw} needs {targets} or {budget}: everybody is tested",
                         draw=Option("draw", draw), targets=Option("targets"),
                         budget=Option("budget"))  # fmt: skip
    wanted = f.adversaries if adversary is None else adversary
    number, far = seed_number(seed), distance_named(distance, microdata.sensitive)
    attackers = adversaries_named(wanted, number)
    most = parse_budget(budget, ("runs", "people"))
    backend = "dask" if scheduler is not None else backend
    # Another run of what is random would say something else about the worst.
    kept = predictions or (worst > 0 and not f.deterministic)
    if most is not None and most.seconds is not None:
        f = f.ending_at(time.time() + most.seconds)
    with on_cluster(scheduler):
        f.refuse_made_beforehand(microdata)
        plan = Plan(
            microdata=microdata,
            sanitizer=f,
            adversaries=attackers,
            prior=prior_for(attackers, prior, microdata),
            chance=Chance(
                samples=samples, error=error, distance=far, seed=number,
                epsilons=EPSILONS if epsilons is None else checked_epsilons(epsilons),
            ),
            targets=targets,
            draw=draw,
            budget=most,
            path=path,
            predictions=kept,
            threads=workers(jobs),
            workplace=Workplace(
                chosen_backend(jobs, backend),
                asked_for=jobs is not None or backend is not None,
                budget=None if most is None else most.seconds,
            ),
            progress=progress,
        )  # fmt: skip
        finding = _of_all(plan.run())
        if worst and not kept and len(finding.tested):
            # Keeping everybody's beliefs would cost memory by the record.
            some = finding.targets[finding.worst_places(worst)]
            closer = _of_all(replace(plan, targets=some, predictions=True).run())
            finding = replace(finding, closer=closer)
    return replace(finding, listed=int(worst))


def audit_options(microdata: Microdata, sanitizer: Sanitizer) -> dict[str, Any]:
    """In an audit: an amount of work that does not need the clock, and who can be left out."""
    sanitizer.refuse_made_beforehand(microdata)
    available = sanitizer.can_leave_out(microdata)
    if available is not None and not len(available):
        raise InputError(
            "there is a release of the whole table and none without somebody; have some made, "
            "such as without_000017.csv, numbered by the rows of the table from 0"
        )
    return {"targets": None if available is None else "available"}


def _of_all(findings: Sequence[DifferentialInference]) -> DifferentialInference:
    """One finding from those of several adversaries against the same sanitizer.

    If some adversaries could not be tested on a target, the others count, and a note says so. A
    target counts as not tested if no adversary could be, or if the user interrupted before it.
    """
    first = findings[0]
    if len(findings) == 1:
        return first
    records = first.targets
    for one in findings[1:]:
        records = records[np.isin(records, one.targets)]
    parts = [one.about(records) for one in findings]
    distances = np.stack([one.distances for one in parts])
    missing = np.isnan(distances)
    cut_short = np.array([INTERRUPTED in one.not_tested for one in findings])
    untested = missing.all(axis=0) | missing[cut_short].any(axis=0)
    best = np.argmax(np.where(missing, -np.inf, distances), axis=0)

    def of_best(name: str) -> Any:
        return np.stack([getattr(one, name) for one in parts])[best, np.arange(len(records))]

    kept = first.present is not None
    lost = set(records[untested].tolist())
    failures = {r: text for one in findings for r, text in one.failures if r in lost}
    # The adversary that reached the fewest targets determines how they are a sample of all.
    fewest = min(findings, key=lambda one: len(one.targets))
    # Adversaries that share their releases share their time.
    shared = [one.seconds for one in findings if not one.fast]
    gaps = [
        f"{one.adversary.label} could not be tested on {n:,} of {len(one.targets):,} targets "
        f"({reason}), so their distances may be larger than reported"
        for one in findings
        for reason, n in one.not_tested.items()
        if reason != INTERRUPTED
    ]
    return replace(
        first,
        distances=np.where(untested, np.nan, of_best("distances")),
        targets=records,
        mode_changed=of_best("mode_changed"),
        present=of_best("present") if kept else None,
        absent=of_best("absent") if kept else None,
        farthest=None if first.farthest is None else of_best("farthest"),
        means=None if first.means is None else of_best("means"),
        not_tested=_not_tested(findings, int(untested.sum())),
        failures=tuple(failures.items()),
        adversary=SeveralAdversaries(tuple(one.adversary.label for one in findings)),
        n_classes=fewest.n_classes,
        smallest_class=min(
            (one.smallest_class for one in findings if one.smallest_class is not None), default=None
        ),
        way=next((one.way for one in findings if not one.fast), first.way),
        how=fewest.how,
        wanted=fewest.wanted,
        seconds=sum(one.seconds for one in findings if one.fast) + max(shared, default=0.0),
        each=sum(one.each for one in findings if one.fast)
        + max((one.each for one in findings if not one.fast), default=0.0),
        notes=(*dict.fromkeys(note for one in findings for note in one.notes), *gaps),
        against={one.adversary.label: one for one in findings},
        strongest=np.where(untested, -1, best),
        sampling=_sampling(parts, best),
        certain=all(one.certain for one in findings),
        interrupted=any(one.interrupted for one in findings),
    )


def _sampling(parts: Sequence[DifferentialInference], best: NDArray[np.intp]) -> Sampling | None:
    """How the distances of the strongest were sampled; some may be exact."""
    sampled = next((one.sampling for one in parts if one.sampling is not None), None)
    if sampled is None:
        return None
    merged = sampled.empty(len(best))
    for number, one in enumerate(parts):
        its = np.flatnonzero(best == number)
        merged.put(its, (one.sampling or sampled.exact(one.distances)).take(its))
    return merged


def _not_tested(findings: Sequence[DifferentialInference], count: int) -> dict[str, int]:
    """How many were not tested, and why: as an adversary says who could test no one else.

    Otherwise because of an interrupt, or for the most frequent reason.
    """
    if not count:
        return {}
    for finding in findings:  # the same people, if it is the sanitizer that fails
        if sum(finding.not_tested.values()) == count:
            return finding.not_tested
    reasons: Counter[str] = Counter()
    for finding in findings:
        reasons.update(finding.not_tested)
    return {INTERRUPTED if INTERRUPTED in reasons else reasons.most_common(1)[0][0]: count}
