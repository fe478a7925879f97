"""Differential inference testing: does a prediction about me change when I am left out?

After A. Kassem, G. Ács, C. Castelluccia (2018) and, with C. Palamidessi, 2019. For every
individual i, an adversary predicts i's sensitive value from the release of the whole table, and
again from the release of the table *without i*. What he would have learned anyway is a fact about
the population; what changes is what i's own record gives away:

    d_i = distance(A(f(D), q_i), A(f(D without i), q_i)),

and f(D) is δ-indifferentiable with respect to A for δ = max d_i. The sanitizer is run again
without i, which is not the same as deleting i's row from the release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from numpy.typing import NDArray

from unveil.adversary import Adversary, adversary_named, prior_for
from unveil.attacks._differential_finding import DifferentialInference
from unveil.attacks._distances import Distance, EarthMovers, distance_named
from unveil.attacks._general_beliefs import Workplace
from unveil.attacks._plan import Plan
from unveil.attacks._strongest import strongest
from unveil.attacks._targets import check_draw, seed_number
from unveil.attacks._ways import chance_of
from unveil.engine import chosen_backend, parse_duration, workers
from unveil.errors import InputError
from unveil.microdata import Microdata
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

__all__ = ["adversaries_named", "check_chance", "differential_inference"]


def differential_inference(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    adversary: Adversary | str | Any | Sequence[Adversary | str | Any] | None = None,
    distance: Distance | EarthMovers | str = "total-variation",
    prior: Any = None,
    samples: int | None = None,
    error: float | None = None,
    epsilons: Sequence[float] | None = None,
    targets: int | Sequence[int] | NDArray[Any] | str | None = None,
    draw: Literal["random", "stratified", "exposed"] = "random",
    budget: str | float | None = None,
    seed: int = 0,
    path: Literal["auto", "fast", "general"] = "auto",
    predictions: bool = False,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool | None = None,
) -> DifferentialInference:
    """Test how much each individual's own record gives them away.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is tested. It is run again without each target, exactly.
    adversary : Adversary, str, scikit-learn classifier, or a list of these
        Who attacks; default: naive Bayes, and smoothed frequencies against noisy counts. Several
        attack the same releases; the finding is then that of the strongest for each target, and
        has those of all in `DifferentialInference.against`.
    distance : str, EarthMovers or callable
        Between the beliefs with and without the target's record: ``"total-variation"``, ``"l1"``,
        ``"emd:path"``, ``"kl"``, ``"jensen-shannon"``, …, or a function of two tables of beliefs.
    prior : mapping or table, optional
        What the adversary knows of the sensitive values beforehand, in the place of their shares
        in the release: a probability for each value, or a table of them with a row a record.
    samples : int, optional
        For a sanitizer or an adversary that depends on chance: how often both are run with and
        without each record. Distances are then between the distributions of beliefs, value by
        value, corrected for the bias of sampling; see `DifferentialInference.sampling`. By
        default nothing is sampled if it can be worked out, as for `LaplaceCounts`; sanitizers
        that are known to be random, such as `Anatomy`, are sampled 1,000 times.
    error : float, optional
        Go on sampling until each distance is this exact (with 95 % confidence), at most
        ``samples`` times.
    epsilons : sequence of float, optional
        Where to count how often belief moves by ε or more; see `DifferentialInference.tail`.
    targets : int, sequence of int or "available", optional
        Which records to test: all (default), so many, these, or those whose release without them
        is at hand (an oracle that is a folder).
    draw : {"random", "stratified", "exposed"}
        How so many are drawn: at random, at random within each sensitive value, or those first
        whom the fewest released records cover.
    budget : str or float, optional
        How long to go on, such as ``"10 min"`` or a number of seconds: as many targets as fit are
        tested, in random order. `DifferentialInference.bound` says what follows for all.
    seed : int
        On which all random choices hang.
    path : {"auto", "fast", "general"}
        ``"general"`` runs the sanitizer anew for each target and has the adversary learn anew;
        ``"fast"`` needs neither, and a sanitizer and an adversary that allow it; ``"auto"`` takes
        the quickest one there is. All are exact.
    predictions : bool
        Keep the adversary's beliefs, for `DifferentialInference.to_frame`.
    n_jobs : int, optional
        Threads of the fast path, processes of the general one; default: all cores. The numbers
        do not depend on it.
    backend : str, optional
        A joblib backend for the general path, such as ``"dask"``; default: processes on this
        machine, or what ``joblib.parallel_config`` says.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    DifferentialInference
        The distances of all targets and what follows from them.

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
    wanted = f.attacked_by if adversary is None else adversary
    attackers = adversaries_named(wanted, seed_number(seed))
    threads = workers(n_jobs)
    seconds = None if budget is None else parse_duration(budget)
    plan = Plan(
        microdata=microdata,
        sanitizer=f,
        adversaries=attackers,
        distance=distance_named(distance, microdata.sensitive),
        prior=prior_for(attackers, prior, microdata),
        chance=chance_of(samples, error, epsilons),
        targets=targets,
        draw=check_draw(draw),
        seconds=seconds,
        seed=seed_number(seed),
        path=path,
        predictions=predictions,
        threads=threads,
        workplace=Workplace(
            chosen_backend(n_jobs, backend),
            asked_for=n_jobs is not None or backend is not None,
            budget=seconds,
        ),
        progress=progress,
    )
    findings = plan.run()
    return findings[0] if len(findings) == 1 else strongest(findings)


def check_chance(*, samples: Any = None, error: Any = None, epsilons: Any = None) -> None:
    """Tell what is wrong with what is asked of sampling before anything else is done."""
    chance_of(samples, error, epsilons)


def adversaries_named(adversary: Any, seed: int = 0) -> tuple[Adversary, ...]:
    """One adversary or a list of them; models that are made here draw by the seed."""
    listed = adversary if isinstance(adversary, list | tuple) else [adversary]
    if not listed:
        raise InputError("adversary is empty; name at least one, such as naive-bayes")
    named = tuple(adversary_named(one, seed=seed) for one in listed)
    labels = [one.label for one in named]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise InputError(f"the adversary {twice} is given twice")
    return named
