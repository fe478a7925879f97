"""Hardening: change the table or its anonymization until the test is passed.

After A. Kassem, G. Ács, C. Castelluccia, C. Palamidessi (2019): remove the outliers, the few
records with a large distance, from the original table, sanitize and test again, as often as
needed. Nothing guarantees that one round is enough, or that any is: without the outliers others
stand out.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt
from numpy.typing import NDArray

from unveil.adversary import Adversary, as_prior
from unveil.attacks.differential import (
    Error,
    HowFar,
    Samples,
    differential_inference,
    distance_named,
)
from unveil.attacks.shared import adversaries_named
from unveil.engine import checkpointed
from unveil.errors import File, InputError, Listed, Message, Option, Text, UnveilError, did_you_mean
from unveil.hardening._finding import (
    CONFIDENCE,
    INTERRUPTED,
    Attempt,
    Course,
    Hardening,
    Limits,
    Round,
)
from unveil.hardening._merged import (
    classes_covering,
    crowds_of,
    people_in,
    refuse_unmergeable,
    with_crowds,
)
from unveil.measures import information_loss
from unveil.microdata import AnyRelease, Microdata, Release, has_true_cells, with_records
from unveil.options import Adversaries, Help, Jobs, Progress, Run, Seed, Shell, by_person, checked
from unveil.sanitize import Mondrian, Sanitizer, as_microdata, as_sanitizer

_Part = Annotated[float, Gt(0), Lt(1), Shell(metavar="SHARE")]
_ASKED_AGAIN = 3  # times: two draws of a random sanitizer may be the same
_CHUNK = 2**24  # (record, class) pairs compared together


@checked
@by_person
def harden(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    delta: Annotated[float, Gt(0), Lt(math.inf), Shell(metavar="DISTANCE")] = 0.05,
    strategy: Annotated[
        Literal["remove", "merge", "both"] | Sequence[str],
        Help(
            "What to do about people over the goal: remove their records, keep them in larger "
            "classes (merge), or compare both."
        ),
    ] = "remove",
    rounds: Annotated[int, Ge(1), Shell(metavar="N")] = 20,
    at_most: _Part = 0.1,
    at_a_time: _Part = 0.01,
    adversary: Adversaries = None,
    distance: HowFar = "total-variation",
    prior: Any = None,
    samples: Samples = None,
    error: Error = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    backend: str | None = None,
    progress: Progress = None,
    watch: Callable[[str, Round], None] = lambda strategy, one: None,
    run: Run = None,
) -> Hardening:
    """Change the worst records or their classes until no distance is over ``delta``.

    Every round tests every record with `unveil.differential_inference`. A goal that is not
    reached is not an error: the finding says how far it got, and offers the best round.

    Where a person may have several records, people are removed with all of their records, classes
    are as large as they have people, and shares are of people.

    Parameters
    ----------
    microdata : Microdata
        The original table.
    sanitizer : Sanitizer or callable
        What is hardened. It must run on a changed table, so releases made beforehand are not
        enough.
    delta : float
        The goal: no distance over this.
    strategy : {"remove", "merge", "both"}, or a list
        ``"remove"`` removes the records that are over the goal from the table. ``"merge"`` keeps
        all records and merges their classes with neighbouring ones: `Mondrian` does so itself, the
        classes of other sanitizers are merged afterwards, without a fast path. It needs classes
        whose cells cover their people, so it is not available for `Anatomy`, `LaplaceCounts` and
        `Microaggregation`. ``"both"`` runs one after the other, each from the beginning, and
        compares them.
    rounds : int
        Largest number of rounds of each strategy.
    at_most : float
        Largest share of the records that may be removed in all, or, when merging, that a class may
        be asked to have.
    at_a_time : float
        Largest share of the records that are changed in one round, the worst first: removing some
        changes the distances of all, so that others can stay. At least one record is changed.
    adversary, distance, prior, seed, jobs, backend, progress
        As in `unveil.differential_inference`.
    samples, error
        As there, for a random sanitizer or adversary. The goal then holds only if the upper bound
        of δ is not over it, with 95% confidence for all rounds together. Without them a random
        sanitizer is tested in one draw, and a goal may hold by luck; the finding says so.
    watch : callable, optional
        Called after every round, with the name of the strategy and the round.

    Returns
    -------
    Hardening

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> hardening = uv.harden(survey, uv.Mondrian(k=20, regions="cut"), delta=0.2)
    >>> hardening.holds, hardening.finding.delta <= 0.2
    (True, True)
    >>> len(hardening.microdata) + len(hardening.removed) == len(survey)
    True
    """
    microdata = as_microdata(microdata, "harden")
    f = as_sanitizer(sanitizer)
    strategies = _strategies(strategy)
    # Named here, so that merged classes are attacked by the same adversary.
    attacker = f.adversaries if adversary is None else adversary
    _check(microdata, f, adversaries_named(attacker))
    distance_named(distance, microdata.sensitive)
    limits = Limits(
        goal=float(delta),
        rounds=int(rounds),
        at_a_time=max(1, _part(at_a_time, len(microdata.people))),
        at_most=_part(at_most, len(microdata.people)),
        noun="record" if microdata.several is None else "person",
    )
    test = _Test(
        microdata=microdata,
        prior=None if prior is None else as_prior(prior, microdata.sensitive, len(microdata)),
        options={
            "adversary": attacker, "distance": distance, "samples": samples, "error": error,
            "seed": seed, "jobs": jobs, "backend": backend, "progress": progress,
        },
        merges="merge" in strategies,
        goal=limits.goal,
        # One of many rounds could hold by luck, so they share the error probability.
        confidence=1 - (1 - CONFIDENCE) / (1 + limits.rounds * len(strategies)),
    )  # fmt: skip
    # All strategies start from the same test.
    first = test.run(0, Change(np.arange(len(microdata)), f, 0))
    courses: dict[str, Course] = {}
    for name in strategies:
        courses[name] = _course(test, name, first, limits, watch)
        if courses[name].interrupted:  # an interrupt ends them all, and loses no round
            break
    return Hardening(
        goal=limits.goal, limits=limits, courses=courses, original=microdata, asked=f.label
    )


def _part(share: float, n: int) -> int:
    """A share of n records; 0.29 of 100 is 29, not 28 because of binary fractions."""
    return math.floor(share * n + 1e-9)


def _check(microdata: Microdata, f: Sanitizer, adversaries: Sequence[Adversary]) -> None:
    if f.can_leave_out(microdata) is not None:
        raise InputError(
            "{sanitizer} has only releases made beforehand, and a hardened table needs new ones; "
            "give the sanitizer that made them",
            sanitizer=File(f.label, bare=True),
        )
    for adversary in adversaries:
        if adversary.prepared(microdata) is not microdata:
            raise InputError(
                "{adversary} changes the table before it is sanitized, so what is tested is not "
                "what would be published; choose another encoding",
                adversary=adversary.label,
            )


class Change(NamedTuple):
    """How the next attempt differs."""

    kept: NDArray[np.intp]
    sanitizer: Sanitizer
    people: int
    """Number of people it is about."""


@dataclass(frozen=True, kw_only=True)
class _Test:
    """The original table, and how its changed versions are tested."""

    microdata: Microdata
    prior: NDArray[np.float64] | None
    options: dict[str, Any]
    """Further options of `differential_inference`."""
    merges: bool
    """Whether classes will be merged."""
    goal: float
    confidence: float
    """Of the bound of one sampled round, so that all together hold with `CONFIDENCE`."""

    def run(self, number: int, change: Change) -> tuple[Round, Attempt]:
        """Sanitize some of the records and test each of them.

        An interrupted test says nothing about the worst record, so it is not an attempt.
        """
        started = time.perf_counter()
        kept, sanitizer, people = change
        everybody = len(kept) == len(self.microdata)
        table = self.microdata if everybody else self.microdata.take(kept)
        prior = self.prior
        if prior is not None and prior.ndim == 2:
            prior = prior[kept]
        # It may be published, so its chance is secret, and what an interrupted run had made counts.
        release = checkpointed("release", sanitizer.label, table, shared=[table],
                               compute=lambda: sanitizer.sanitize(table))  # fmt: skip
        if self.merges:
            refuse_unmergeable(release)
        finding = differential_inference(table, sanitizer, prior=prior, **self.options)
        if finding.interrupted:
            raise KeyboardInterrupt
        attempt = Attempt(
            kept=kept, removed=np.delete(np.arange(len(self.microdata)), kept), microdata=table,
            without=len(self.microdata.people) - len(table.people), sanitizer=sanitizer,
            release=release, finding=finding,
        )  # fmt: skip
        not_tested = sum(finding.not_tested.values())
        sampled = finding.sampling is not None
        at_most = finding.delta_within(self.confidence)[1] if sampled else finding.delta
        loss = math.nan  # not known where the cells need not be true of the records
        if has_true_cells(release):
            loss = information_loss(release, self.microdata).loss
        return Round(
            number=number,
            changed=people,
            removed=attempt.without,
            enlarged=len(crowds_of(sanitizer)),
            delta=finding.delta,
            delta_at_most=at_most,
            mean=finding.mean,
            share_over=finding.share_over(self.goal),
            loss=loss,
            classes=len(release.class_sizes),
            smallest_class=int(release.class_sizes.min(initial=len(kept))),
            not_tested=not_tested,
            sampled=sampled,
            one_draw=not sampled
            and finding.certain
            and _answers_otherwise(sanitizer, table, release),
            holds=at_most <= self.goal and not not_tested,
            seconds=time.perf_counter() - started,
        ), attempt


def _answers_otherwise(sanitizer: Sanitizer, table: Microdata, release: AnyRelease) -> bool:
    """Whether the same table, sanitized again, gives another release."""
    if sanitizer.deterministic:
        return False
    before = _rows(release)
    try:
        return any(_rows(sanitizer.sanitize(table)) != before for _ in range(_ASKED_AGAIN))
    except UnveilError:  # later failures are reported where records are left out
        return False


def _rows(release: AnyRelease) -> Counter[tuple[str, ...]]:
    """The rows of a release, in any order."""
    return Counter(release.to_frame(by_class=True).astype(str).itertuples(index=False, name=None))


def _strategies(strategy: Any) -> list[str]:
    """A strategy, several, or both, by name."""
    several = isinstance(strategy, Sequence) and not isinstance(strategy, str | bytes)
    names, known = list(strategy) if several else [strategy], (*_CHANGES, "both")
    for given in names or [strategy]:
        if not isinstance(given, str) or given not in known:
            near = did_you_mean(given, known) if isinstance(given, str) else ""
            raise InputError(
                "{option} must be {known}, got {given}{near}",
                option=Option("strategy"), known=Listed(known, "or"), given=repr(given), near=near,
            )  # fmt: skip
    wanted = [one for name in names for one in (_CHANGES if name == "both" else [name])]
    return list(dict.fromkeys(wanted))


def _course(
    test: _Test,
    strategy: str,
    first: tuple[Round, Attempt],
    limits: Limits,
    watch: Callable[[str, Round], None],
) -> Course:
    """Rounds from the first attempt on, until there is a reason to end."""
    one, attempt = best = first
    rounds: list[Round] = []
    ended: Text | None = None
    try:
        while ended is None:
            rounds.append(one)
            best = min(best, (one, attempt), key=lambda pair: pair[0].rank)
            watch(strategy, one)
            if one.holds:
                ended = "the goal holds"
            elif one.number == limits.rounds:
                ended = f"all {limits.rounds} rounds are used"
            elif isinstance(change := _next(strategy, attempt, limits), Change):
                try:
                    one, attempt = test.run(len(rounds), change)
                except UnveilError as error:  # such as a goal that the changed table cannot meet
                    ended = error.message
            else:
                ended = change
    except KeyboardInterrupt:
        ended = INTERRUPTED
    return Course(strategy=strategy, rounds=tuple(rounds), ended=ended, attempt=best[1])


def _next(strategy: str, attempt: Attempt, limits: Limits) -> Change | Text:
    """How the next attempt differs, or why there is none."""
    finding = attempt.finding
    over = int((finding.tested > limits.goal).sum())
    if over:
        return _CHANGES[strategy](attempt, finding.shown[finding.worst_places(over)], limits)
    # The bound may be that of an adversary that is not the strongest in the samples.
    sampled = [one.sampling for one in (finding, *finding.against.values())]
    most = max((sampling.most for sampling in sampled if sampling is not None), default=0)
    if not most or finding.not_tested:
        one, many = limits.noun, limits.nouns
        return f"no tested {one} is over the goal, but some {many} could not be tested"
    return Message(
        "no sampled distance is over the goal, but they are not exact enough to rule it out; "
        "sample more, such as {option}, or ask for a smaller error",
        option=Option("samples", 4 * most),
    )


def _remove(attempt: Attempt, worst: NDArray[np.intp], limits: Limits) -> Change | Text:
    """Remove the worst people from the table, as in Kassem et al. (2019)."""
    left = limits.at_most - attempt.without
    if left <= 0:
        return Message(
            "{worst} {who} are over the goal, but no more than {most} may be removed in all "
            "({option})",
            worst=len(worst), most=limits.at_most, option=Option("at_most"),
            who=limits.nouns,
        )  # fmt: skip
    gone = worst[: min(limits.at_a_time, left)]
    several = attempt.microdata.several
    rows = gone if several is None else several.beside(gone)[1]
    return Change(np.delete(attempt.kept, rows), attempt.sanitizer, len(gone))


def _merge(attempt: Attempt, worst: NDArray[np.intp], limits: Limits) -> Change | Text:
    """Keep all records, and merge the classes of the worst with their neighbours.

    The sanitizer is asked for a crowd of half as many again around the people of such a class. So
    Mondrian refuses the cut between them and their neighbours, which leaves about twice as many
    together; the classes of other sanitizers are merged afterwards. The crowd is asked for around
    all people of the class: a person who is left out asks for nothing, and if nobody else did, the
    class would be split again without them.
    """
    f, release = attempt.sanitizer, with_records(attempt.release, "merging classes")
    class_of = _class_of(attempt, release)
    people = len(attempt.microdata.people)
    sizes = np.append(people_in(release), people)[class_of]
    # Without one person the table must still be large enough for the crowds of the others.
    most = min(limits.at_most, people - 1)
    worst = worst[sizes[worst] < most][: limits.at_a_time]
    if not len(worst):
        return Message(
            "all who are over the goal are in classes of at least {most} ({option})",
            most=most, option=Option("at_most"),
        )  # fmt: skip
    who = np.flatnonzero(np.isin(class_of, class_of[worst]))
    asked = np.minimum((3 * sizes[who] + 1) // 2, most).tolist()
    texts = ([c.texts[code] for code in c.codes[who]] for c in attempt.microdata.quasi)
    wanted = dict(zip(zip(*texts, strict=True), asked, strict=True))
    return Change(attempt.kept, with_crowds(f, crowds_of(f).merged(wanted)), len(worst))


_CHANGES = {"remove": _remove, "merge": _merge}


def _class_of(attempt: Attempt, release: Release) -> NDArray[np.integer]:
    """The class of each record: the largest that covers it, or -1 if none does."""
    codes = attempt.microdata.codes
    if isinstance(attempt.sanitizer, Mondrian):
        return release.class_of
    found = np.empty(codes.shape[1], dtype=np.intp)
    step = max(1, _CHUNK // max(1, release.n_classes))
    for first in range(0, len(found), step):
        covered = classes_covering(release, codes[:, first : first + step])
        largest = np.where(covered, release.sizes, 0).argmax(axis=1)
        found[first : first + step] = np.where(covered.any(axis=1), largest, -1)
    return found
