"""Sampling any sanitizer and any adversary: run both again and again, with and without a record.

The releases of the whole table are shared by all targets; without a record there are as many
again for each target. Sampling starts with a few for every target and continues for those whose
distances are not exact enough yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.differential._beliefs import (
    Beliefs,
    Part,
    Question,
    Without,
    Work,
    asked_everywhere,
    beliefs_without,
    kept_of,
)
from unveil.attacks.differential._by_person import rows_of
from unveil.attacks.differential._sampling import Chance, Sampling, at_least, estimate
from unveil.attacks.shared import ADVERSARY_FAILED, AdversaryError, each_if_not_all
from unveil.errors import Foreign, GoalError, InputError, Option
from unveil.microdata import AnyRelease

_BEGIN = 32  # samples before the first look at how exact it is
_MOST_BYTES = 4 * 2**30  # of beliefs held in memory
_TRIES = 3  # per release, with other random numbers
_OTHER_NUMBERS = 2**40  # far from the numbers of samples
_PEOPLE = 20  # sampled with a budget, if each of them can have enough samples
_FEWEST = 32  # samples that tell chance from the effect of a record
_WITH, _WITHOUT = 0, 1

Result = TypeVar("Result")


def _seed(question: Question, number: int, record: int | None, role: int) -> int:
    side = (_WITH, 0) if record is None else (_WITHOUT, record)
    entropy = np.random.SeedSequence([question.seed, *side, number, role])
    return int(entropy.generate_state(1, np.uint64)[0])


def _released(question: Question, number: int, record: int | None) -> AnyRelease:
    """The number-th release of the whole table, or of the table without a record."""
    if question.sanitizer.deterministic and record is None:
        return question.release

    def ask(other: int) -> AnyRelease:
        sanitizer = question.sanitizer.with_seed(_seed(question, other, record, 0))
        if record is None:
            return sanitizer.sanitize(question.microdata)
        return question.without(sanitizer, record)

    return _in_some_tries(ask, number, once=question.sanitizer.deterministic)


def _belief(
    question: Question, place: int, release: AnyRelease, number: int, records: NDArray[np.intp],
    left_out: int | None,
) -> NDArray[np.float64]:  # fmt: skip
    """What the adversary at this place believes from the number-th release."""
    adversary = question.adversaries[place]
    adversary = adversary.with_seed(_seed(question, number, left_out, 1 + place))
    return question.believed(adversary, release, records)


def _belief_without(
    question: Question, place: int, release: AnyRelease, number: int, about: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The same about the records that a release lacks, in several tries."""
    adversary, record = question.adversaries[place], int(about[0])
    return _in_some_tries(
        lambda other: _belief(question, place, release, other, about, record),
        number,
        once=adversary.with_seed(1) is adversary,
    )


def _draw_without(question: Question, part: Part) -> list[Without]:
    """Samples without each of some records, for every adversary."""
    return beliefs_without(question, part, _released, _belief_without)


def _in_some_tries(ask: Callable[[int], Result], number: int, *, once: bool) -> Result:
    """The answer; what is random may fail once and succeed with other random numbers."""
    for again in range(0 if once else _TRIES - 1):
        try:
            return ask(number + again * _OTHER_NUMBERS)
        except GoalError:  # does not depend on chance
            raise
        except Exception:  # anything can go wrong in a user's sanitizer or model
            continue
    return ask(number if once else number + (_TRIES - 1) * _OTHER_NUMBERS)


def sampled_beliefs(work: Work) -> Iterator[tuple[Beliefs, ...]]:
    """Distances of all targets, some of them several times, each time more exact.

    With a budget, and neither samples nor an error asked for, only the first targets are tested,
    as many as there are runs or time for.
    """
    chance, asked = work.chance, work.chance.samples is not None
    if work.deadline is not None and not chance.asked_for:
        work, chance = _in_time(work, chance, work.deadline)
    elif work.runs is not None and not chance.asked_for:
        samples, people = affordable(work.runs, chance.most, len(work.records))
        work = work._replace(records=work.records[:people])
        chance = replace(chance, samples=samples)
    fits = _fitting(work.question, work.records, chance)
    if fits < chance.most and asked:
        raise InputError(
            "{option} of beliefs about {targets} targets do not fit into memory; take at most "
            "{fits} samples, or fewer targets",
            option=Option("samples", chance.most), targets=len(work.records), fits=fits,
        )  # fmt: skip
    if fits < chance.most:
        work.workplace.notes.append(f"only {fits:,} samples fit into memory")
        chance = replace(chance, samples=fits)
    yield from _Sampler(work, chance).run()


def _in_time(work: Work, chance: Chance, deadline: float) -> tuple[Work, Chance]:
    """The targets that there is time for, and the number of samples of each."""
    begun = time.perf_counter()
    _draw_without(work.question, Part(np.arange(1), work.records[:1], range(1)))
    now = time.perf_counter()
    left = max(deadline - now, 0.0)
    runs = int(left * work.workplace.suited(left).jobs / max(now - begun, 1e-9))
    samples, people = affordable(runs, chance.most, len(work.records))
    return work._replace(records=work.records[:people]), replace(chance, samples=samples)


def affordable(runs: int, samples: int, people: int) -> tuple[int, int]:
    """The number of samples per person, and of people, that so many runs are enough for.

    ``samples`` and ``people`` are upper limits. A thousand samples of each person may use up all
    runs before the second person is reached. Samples of the whole table are shared by all people.

    >>> affordable(6000, samples=1000, people=45_000)
    (285, 20)
    >>> affordable(250, samples=1000, people=45_000)
    (32, 6)
    """
    fewest = min(_FEWEST, samples)
    often = min(max(runs // (1 + min(_PEOPLE, people)), fewest), samples)
    return often, min(max(runs // often - 1, 1), people)


def _fitting(question: Question, records: NDArray[np.intp], chance: Chance) -> int:
    """How many samples fit into memory: of the whole table, and of those who need more."""
    sides = 1 if chance.error is None else 2
    rows = len(rows_of(question.microdata, records).records)
    beliefs = rows * question.release.sensitive.size * len(question.adversaries)
    return max(2, _MOST_BYTES // (8 * sides * beliefs))


class _Sampler:
    """Adds samples of all targets that need more."""

    def __init__(self, work: Work, chance: Chance) -> None:
        self.work, self.question, self.records = work, work.question, work.records
        self.chance, self.values = chance, work.question.release.sensitive.size
        self.rows = rows_of(self.question.microdata, self.records)
        self.places = self.rows.each
        nothing = np.empty((len(self.rows.records), 0, self.values))
        self.whole = [nothing for _ in self.question.adversaries]  # records × samples × values
        self.failed: list[dict[int, str]] = [{} for _ in self.question.adversaries]
        self.without: dict[int, list[NDArray[np.float64]]] = {}
        self.runs = 0  # that a budget of runs has paid for

    def run(self) -> Iterator[tuple[Beliefs, ...]]:
        """Stage by stage, with twice as many samples each time."""
        waiting = np.arange(len(self.records))
        most = self.chance.most
        done, upto = 0, most if self.chance.error is None else min(_BEGIN, most)
        while len(waiting) and self._reach(done, upto):
            upto = self._draw_whole(upto)
            if upto == done:  # the time was up before there were more to compare with
                return
            waiting = self._affordable(waiting, done, upto)
            last, coarse = upto >= most, []
            for answers in self._stage(waiting, done, upto):
                some = answers[0].places
                still = np.zeros(len(some), dtype=bool)
                for one in answers:
                    if one.sampling is not None and not last:
                        still |= one.sampling.error > (self.chance.error or 0)
                coarse.append(some[still])
                for place in some[~still].tolist():
                    self.without.pop(place, None)
                self.work.progress.advance(int((~still).sum()))
                yield answers
            if self.work.enough():
                return
            waiting = np.sort(np.concatenate([*coarse, np.zeros(0, dtype=np.intp)]))
            done, upto = upto, min(2 * upto, most)

    def _affordable(self, waiting: NDArray[np.intp], done: int, upto: int) -> NDArray[np.intp]:
        """The first of them, for whom there are runs left: with and without each record."""
        if self.work.runs is None:
            return waiting
        some = waiting[: self._reach(done, upto)]
        self.runs += (1 + len(some)) * (upto - done)
        return some

    def _reach(self, done: int, upto: int) -> int:
        """For how many people there are runs left, beside those of the whole table."""
        if self.work.runs is None:
            return len(self.records)
        return max((self.work.runs - self.runs) // (upto - done) - 1, 0 if done else 1)

    def _stage(
        self, waiting: NDArray[np.intp], done: int, upto: int
    ) -> Iterator[tuple[Beliefs, ...]]:
        """Samples ``done`` to ``upto`` of the targets that still need them."""
        samples = range(done, upto)
        return asked_everywhere(self.work, waiting, _draw_without, self._answers, samples)

    def _draw_whole(self, upto: int) -> int:
        """Sample beliefs about all targets from the whole table; returns how many there are.

        Fewer than asked for if the time is up, but at least two.
        """
        done = self.whole[0].shape[1]
        more: list[list[NDArray[np.float64]]] = [[] for _ in self.whole]
        earlier = kept_of(self.work, "draw whole", range(done, upto))
        known = dict(earlier.all())
        for number in range(done, upto):
            if number >= 2 and self.work.enough():
                break
            if number in known:
                beliefs, failed = known[number]
            else:
                release = _released(self.question, number, None)
                each = [self._believed(place, release, number) for place in range(len(more))]
                beliefs, failed = [one for one, _ in each], [one for _, one in each]
                earlier.add((number, (beliefs, failed)))
            for place, drawn in enumerate(more):
                drawn.append(beliefs[place])
                self.failed[place].update(failed[place])
        if more[0]:
            self.whole = [
                np.concatenate([old, np.stack(new, axis=1)], axis=1)
                for old, new in zip(self.whole, more, strict=True)
            ]
        return self.whole[0].shape[1]

    def _believed(
        self, place: int, release: AnyRelease, number: int
    ) -> tuple[NDArray[np.float64], dict[int, str]]:
        """Beliefs about all targets; NaN for those an adversary fails on, and why."""

        def ask(other: int) -> tuple[NDArray[np.float64], dict[int, str]]:
            beliefs, failed = each_if_not_all(
                lambda rows: _belief(
                    self.question, place, release, other, self.rows.records[rows], None
                ),
                len(self.rows.records),
                self.values,
            )
            if len(failed) == len(self.rows.records):  # say so now, and not of each of them
                raise AdversaryError("{error}", error=Foreign(next(iter(failed.values()))))
            return beliefs, self.rows.of_people(failed)

        return _in_some_tries(ask, number, once=False)

    def _answers(self, part: Part, draws: list[Without]) -> tuple[Beliefs, ...]:
        """The results from all samples of some targets so far."""
        each = rows_of(self.question.microdata, part.records).each
        for its, place in zip(each, part.places.tolist(), strict=True):
            new = [one.beliefs[its] for one in draws]
            old = self.without.get(place, [beliefs[:, :0] for beliefs in new])
            self.without[place] = [
                np.concatenate(pair, axis=1) for pair in zip(old, new, strict=True)
            ]
        return tuple(self._answer(number, part, one) for number, one in enumerate(draws))

    def _answer(self, adversary: int, part: Part, drawn: Without) -> Beliefs:
        """Distances between the samples of some targets, as far as there are any."""
        n, chance, measure = len(part.places), self.chance, self.chance.distance.measure
        found = Sampling.none(n, chance.epsilons, chance.error)
        distances, present = np.full(n, np.nan), np.full((n, self.values), np.nan)
        absent, means, records = present.copy(), np.full(n, np.nan), part.records.copy()
        for row, place in enumerate(part.places.tolist()):
            if place in self.failed[adversary]:
                drawn.reasons[row] = ADVERSARY_FAILED
                drawn.details[row] = self.failed[adversary][place]
            its, ys = self.places[place], self.without[place][adversary]
            xs = self.whole[adversary][its, : ys.shape[1]]
            if row in drawn.reasons or np.isnan(xs).any() or np.isnan(ys).any():
                continue
            pairs = list(zip(xs, ys, strict=True))  # one of each record of the person
            guesses = [estimate(x, y) for x, y in pairs]
            worst = max(range(len(pairs)), key=lambda at: guesses[at].distance)
            distances[row] = chance.factor * guesses[worst].distance
            means[row] = chance.factor * sum(one.distance for one in guesses) / len(guesses)
            records[row] = self.rows.records[its][worst]
            found.samples[row], found.records[row] = ys.shape[1], len(pairs)
            # The largest of them is no further off than the one that is off most.
            found.as_published[row] = chance.factor * max(one.as_published for one in guesses)
            found.bias[row] = chance.factor * max(one.bias for one in guesses)
            found.standard_error[row] = chance.factor * max(one.standard_error for one in guesses)
            found.unseen[row] = 2 * chance.factor / ys.shape[1]  # belief can move by 2 in all
            found.floor[row] = chance.factor * guesses[worst].floor
            # By how much the belief that moves most does, between two releases.
            apart = np.max([measure(x, y) for x, y in pairs], axis=0)
            alone = np.max([measure(x, np.roll(x, 1, axis=0)) for x, _ in pairs], axis=0)
            found.over[row] = at_least(apart, found.epsilons)
            found.by_chance[row] = at_least(alone, found.epsilons)
            present[row], absent[row] = (of[worst].mean(axis=0) for of in (xs, ys))
        several = self.question.microdata.several is not None
        return Beliefs(
            part.places, present, absent, drawn.reasons, drawn.details, drawn.notes,
            distances=distances, sampling=found, farthest=records if several else None,
            means=means if several else None,
        )  # fmt: skip
