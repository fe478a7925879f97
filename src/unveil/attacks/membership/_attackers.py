"""The attackers: what each makes of what they see, as a score for everybody.

A larger score means a likelier member. Two attackers look whether cells cover a person
(`_covering`). The scores of the others are logarithms of the belief in a person's true sensitive
value, or differences of two. A value that is ruled out gives -∞, the lowest score there
is, or +∞ if only the second belief rules it out; if both do, they do not differ, and the score is
0. All are about rows; where a person may have several, `_pooling` makes scores of people of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary
from unveil.attacks.differential import DifferentialInference, differential_inference
from unveil.attacks.held_out import People
from unveil.attacks.membership._covering import covering, why_not_covered
from unveil.attacks.membership._pooling import pooled
from unveil.attacks.membership._published import removed_from
from unveil.attacks.membership._roc import area_under_curve
from unveil.attacks.shared import (
    ADVERSARY_FAILED,
    INTERRUPTED,
    NO_BELIEF,
    AdversaryError,
    Knowledge,
    each_if_not_all,
    reason_of,
    said,
)
from unveil.engine import Kept, Progress, kept
from unveil.errors import Foreign, GoalError, Message, Text, UnveilError
from unveil.microdata import AnyRelease, Microdata, Permuted, Release, numbered_people
from unveil.sanitize import Sanitizer

_STEP = 4096  # people asked about at a time
_DECIMALS = 9  # smaller differences are rounding errors, and must be ties
_NO_SAMPLE = "the attacker's own sample cannot be sanitized this way"
_NOT_THERE = "there is no release without them"
_NOT_DRAWN = "not among the members who were drawn at random to be removed"

Beliefs: TypeAlias = NDArray[np.void]
"""Of each person the belief in their true value (``true``), or NaN, why it is (``reason``), and
which error it was (``detail``)."""

_NOBODY = np.array((np.nan, "", ""), [("true", float), ("reason", object), ("detail", object)])


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """The scores of one attacker for everybody whom they ask about.

    Attributes
    ----------
    scores : array
        In the order of `People.first`; NaN for those who could not be scored. Before a person's
        rows are pooled: of rows, in the order of `People.asked`.
    reasons : dict
        Kinds of reasons why some could not be scored, and how many people each concerns.
    failures : tuple of (record, message)
        The errors behind them.
    together : array of int, or None
        For each person, the number of their group: people held out who were asked about together.
        None: each was asked about alone.
    notes : tuple of str or Message
    model : str, optional
        Whose beliefs the scores are.
    others : tuple of Scores
        Those by other models, if this is the strongest of several.
    why : array of str, or None
        Of rows: why each has no score; empty if it has one. None: they are scores of people.
    """

    scores: NDArray[np.float64]
    reasons: dict[str, int] = field(default_factory=dict)
    failures: tuple[tuple[int, str], ...] = ()
    together: NDArray[np.intp] | None = None
    notes: tuple[Text, ...] = ()
    model: str | None = None
    others: tuple[Scores, ...] = ()
    why: NDArray[np.object_] | None = None

    @classmethod
    def of(
        cls, people: People, scores: NDArray[np.float64], *beliefs: Beliefs, **more: Any
    ) -> Scores:
        """Scores of rows, from beliefs; those without one are counted by what went wrong first."""
        first = beliefs[0].copy()
        for one in beliefs[1:]:
            for what in ("reason", "detail"):
                first[what] = np.where(first[what] == "", one[what], first[what])
        with_error = np.flatnonzero(first["detail"] != "")
        return cls(
            scores=scores,
            reasons=dict(Counter(first["reason"][first["reason"] != ""])),
            failures=tuple((int(people.asked[i]), first["detail"][i]) for i in with_error),
            why=first["reason"],
            **more,
        )

    @classmethod
    def nobody(cls, people: People, reason: str, *notes: Text) -> Scores:
        """An attacker who could not score anybody."""
        n = len(people.first)
        return cls(scores=np.full(n, np.nan), reasons={reason: n}, notes=notes)


def _beliefs(
    everybody: Microdata, adversary: Adversary, release: AnyRelease, records: NDArray[np.intp]
) -> Beliefs:
    """An adversary's beliefs from a release in the true values of some records."""
    known, secret = Knowledge(microdata=everybody), everybody.sensitive
    found = np.repeat(_NOBODY, len(records))
    for first in range(0, len(records), _STEP):
        some, part = records[first : first + _STEP], found[first : first + _STEP]
        beliefs, failed = each_if_not_all(
            lambda rows, some=some: known.believed(adversary, release, some[rows]),  # type: ignore[misc]
            len(some),
            secret.size,
        )
        if len(failed) == len(some) > 1:  # it would fail on the others as well
            raise AdversaryError("{error}", error=Foreign(next(iter(failed.values()))))
        none = np.isnan(beliefs).any(axis=1)
        true = beliefs[np.arange(len(some)), secret.codes[some]]
        part["true"], part["reason"] = np.where(none, np.nan, true), np.where(none, NO_BELIEF, "")
        for row, error in failed.items():
            part[row] = np.nan, ADVERSARY_FAILED, error
    return found


def _logarithm(beliefs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm, -∞ for a value that is ruled out.

    >>> _logarithm(np.array([1.0, 0.5, 0.0])).tolist()
    [0.0, -0.693147181, -inf]
    """
    with np.errstate(divide="ignore"):
        logarithms: NDArray[np.float64] = np.log(beliefs)
    return logarithms.round(_DECIMALS)


def _log_ratio(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The difference of the logarithms; 0 where both beliefs are 0.

    >>> _log_ratio(np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.5, 0.0, 0.5, 0.0])).tolist()
    [0.0, inf, -inf, 0.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float64] = np.log(first) - np.log(second)
    ratio[(first == 0) & (second == 0)] = 0
    return ratio.round(_DECIMALS)


def _kind_of(error: Exception) -> str:
    """The kind of error, which says nothing about anybody."""
    return ADVERSARY_FAILED if isinstance(error, AdversaryError) else reason_of(error)


class Removals(NamedTuple):
    """What was seen in releases without a member, by the member, and where more is kept."""

    kept: Kept
    seen: dict[int, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """What the attackers have, and how they score everybody.

    Attributes
    ----------
    people : People
    release : AnyRelease
        f(D).
    sanitizer : Sanitizer
        f, which must give the same f(D) each time.
    adversaries : tuple of Adversary
        The models of those who predict.
    removals : int
        Number of releases without a random member, at most.
    seed : int
    options : dict
        Further options of `differential_inference`.
    """

    people: People
    release: AnyRelease
    sanitizer: Sanitizer
    adversaries: tuple[Adversary, ...]
    removals: int
    seed: int
    options: dict[str, Any]

    @cached_property
    def present(self) -> list[Beliefs]:
        """Beliefs about everybody from f(D), by model."""
        return self._believed(self.release, self.people.asked)

    def scores(self, attacker: str) -> Scores:
        """The scores of an attacker by name; of several models, those of the strongest.

        Each way to pool the scores of a person's rows is a model, too.
        """
        each = [one for rows in self._of_rows(attacker) for one in pooled(self.people, rows)]
        best = max(each, key=self._area)
        return replace(best, others=tuple(one for one in each if one is not best))

    def _of_rows(self, attacker: str) -> list[Scores]:
        """The scores of rows by an attacker, for each model."""
        if attacker in ("covered", "covered-value"):
            return [self._covered(with_value=attacker == "covered-value")]
        present = self.present  # if the adversary fails on f(D), there is nothing to compare
        if attacker == "release":
            each = [Scores.of(self.people, _logarithm(one["true"]), one) for one in present]
        else:
            each = self._population() if attacker == "population" else self._removal()
        labels = (one.label for one in self.adversaries)
        return [replace(one, model=label) for one, label in zip(each, labels, strict=True)]

    def _area(self, scored: Scores) -> float:
        """The area under the curve; below all others if there is none."""
        known, is_member = ~np.isnan(scored.scores), self.people.is_member
        members, others = scored.scores[known & is_member], scored.scores[known & ~is_member]
        if not len(members) or not len(others):
            return -1.0
        return area_under_curve(members, others, None).value

    @cached_property
    def _likelihoods(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        everybody, asked = self.people.everybody, self.people.asked
        assert isinstance(self.release, Release | Permuted)
        return covering(self.release, everybody.codes[:, asked], everybody.sensitive.codes[asked])

    def _covered(self, *, with_value: bool) -> Scores:
        """How much likelier it is to be covered, or covered with one's value, as a member."""
        why_not = why_not_covered(self.release, with_value=with_value)
        if why_not is not None:
            return Scores.nobody(self.people, why_not)
        scores = _logarithm(self._likelihoods[with_value])
        return Scores(scores=scores, why=np.full(len(scores), "", dtype=object))

    def _believed(self, release: AnyRelease, records: NDArray[np.intp]) -> list[Beliefs]:
        everybody = self.people.everybody
        return [_beliefs(everybody, one, release, records) for one in self.adversaries]

    def _all(self, scored: Scores) -> list[Scores]:
        return [scored] * len(self.adversaries)

    def _compared(self, first: Beliefs, second: Beliefs, **more: Any) -> Scores:
        scores = _log_ratio(first["true"], second["true"])
        return Scores.of(self.people, scores, first, second, **more)

    def _population(self) -> list[Scores]:
        """How much better the release explains a value than a release of other people does."""
        people = self.people
        try:
            usual = self._believed(self.sanitizer.sanitize(people.own_table), people.asked)
        except GoalError as error:
            note = Message('the attacker "population" is missing: {error}', error=error)
            return self._all(Scores.nobody(people, _NO_SAMPLE, note))
        except UnveilError as error:
            why = f"{_kind_of(error)} (the attacker's own sample)"
            return self._all(Scores.nobody(people, why))
        return [self._compared(*both) for both in zip(self.present, usual, strict=True)]

    def _removal(self) -> list[Scores]:
        """How much worse the release without one member explains a value.

        The attacker sees two releases between which one person left. Members are compared with the
        release without them, people held out with releases without a random member.
        """
        people = self.people
        try:
            absent, together = self.others()
            members = self.members()
        except KeyboardInterrupt:  # ends the work, but what the other attackers found stays
            return self._all(Scores.nobody(people, INTERRUPTED))
        scored = []
        for one, second, found in zip(self.present, absent, members, strict=True):
            first = one.copy()
            first[people.of_members], second[people.of_members], notes = found
            scored.append(self._compared(first, second, together=together, notes=notes))
        return scored

    def members(self) -> list[tuple[Beliefs, Beliefs, tuple[Text, ...]]]:
        """By model, beliefs about members with and without their records, and notes.

        These are the pairs of the differential inference test, which has fast paths. Members with
        several rows are drawn, and the sanitizer is run without all rows of each.
        """
        table, available = self.people.table, self.sanitizer.can_leave_out(self.people.table)
        if available is not None and (not len(available) or self._by_person):
            nothing = np.repeat(_NOBODY, len(table))
            nothing["reason"] = _NOT_THERE
            return [(nothing, nothing, ())] * len(self.adversaries)
        if self._by_person:
            return self._members_removed()
        finding = differential_inference(
            table, self.sanitizer, adversary=self.adversaries, targets=available, predictions=True,
            seed=self.seed, **self.options,
        )  # fmt: skip
        if INTERRUPTED in finding.not_tested:
            raise KeyboardInterrupt
        found = []
        for one in finding.against.values() or [finding]:
            assert one.present is not None
            assert one.absent is not None
            notes = tuple(note for note in one.notes if note not in table.notes)
            found.append((_of_members(one, one.present), _of_members(one, one.absent), notes))
        return found

    @property
    def _by_person(self) -> bool:
        """Whether a person may have several rows."""
        return self.people.everybody.several is not None

    def _members_removed(self) -> list[tuple[Beliefs, Beliefs, tuple[Text, ...]]]:
        """Beliefs about the rows of members with them, and without all rows of their person."""
        people, table = self.people, self.people.table
        number, (_, first) = numbered_people(table), self._leavable()
        drawn = np.random.default_rng([self.seed, 7]).permutation(first)[: self.removals]
        absent = [np.repeat(_NOBODY, len(table)) for _ in self.adversaries]
        for beliefs in absent:
            beliefs["reason"] = _NOT_DRAWN
        label, removals = f"{self.sanitizer.label}: members", self._removals("members")
        with Progress(label, len(drawn), self.options.get("progress")) as shown:
            for removed in drawn.tolist():
                rows = np.flatnonzero(number == number[removed])
                self._believed_without(removed, rows, people.members[rows], absent, removals)
                shown.advance(1)
        present = (one[people.of_members] for one in self.present)
        return [(one, other, ()) for one, other in zip(present, absent, strict=True)]

    def _leavable(self) -> tuple[NDArray[np.intp] | None, NDArray[np.intp]]:
        """Which records the sanitizer can leave out (None: all), one of each person of them."""
        available = self.sanitizer.can_leave_out(self.people.table)
        if available is not None:
            return available, available[:0] if self._by_person else available
        return None, np.unique(numbered_people(self.people.table), return_index=True)[1]

    def _removals(self, whose: str) -> Removals:
        """The releases without somebody that an interrupted run has looked at, and what it saw."""
        names = [one.label for one in self.adversaries]
        earlier = kept("removals", whose, self.sanitizer.label, self.seed, self.people.table,
                       self.people.asked, *names)  # fmt: skip
        return Removals(earlier, dict(earlier.all()))

    def _believed_without(
        self, removed: int, rows: NDArray[np.intp], records: NDArray[np.intp],
        found: list[Beliefs], removals: Removals,
    ) -> None:  # fmt: skip
        """Write beliefs about records from the release without a member, by model."""
        seen = removals.seen.get(removed)
        if seen is None:
            self._ask_without(removed, rows, records, found)
            removals.kept.add((removed, [
                [part[name].tolist() for name in _NOBODY.dtype.names or ()]
                for part in (beliefs[rows] for beliefs in found)
            ]))  # fmt: skip
            return
        for beliefs, columns in zip(found, seen, strict=True):
            for name, column in zip(_NOBODY.dtype.names or (), columns, strict=True):
                beliefs[name][rows] = column

    def _ask_without(
        self, removed: int, rows: NDArray[np.intp], records: NDArray[np.intp],
        found: list[Beliefs],
    ) -> None:  # fmt: skip
        people = self.people
        try:
            release = removed_from(self.sanitizer, people.table, removed)
        except Exception as error:  # anything may go wrong in a user's sanitizer
            for beliefs in found:
                beliefs[rows] = np.nan, _kind_of(error), said(error)
            return
        for adversary, beliefs in zip(self.adversaries, found, strict=True):
            try:
                beliefs[rows] = _beliefs(people.everybody, adversary, release, records)
            except Exception as error:  # and in a user's model
                beliefs[rows] = np.nan, _kind_of(error), said(error)

    def others(self) -> tuple[list[Beliefs], NDArray[np.intp]]:
        """By model, beliefs about people held out from releases without a random member.

        The second result says which member that is. People who share a release were asked about
        together. Both are in the order of everybody who is asked about; members have no entries.
        """
        people, rng = self.people, np.random.default_rng([self.seed, 2])
        places = rng.permutation(np.flatnonzero(~people.is_member))
        found = [np.repeat(_NOBODY, len(people.asked)) for _ in self.adversaries]
        together = np.full(len(people.asked), -1, dtype=np.intp)
        leavable = self._leavable()[1]
        drawn = rng.permutation(leavable)[: min(self.removals, len(places))]
        if not len(drawn):
            for beliefs in found:
                beliefs["reason"][~people.of_members] = _NOT_THERE
            return found, together
        label, removals = f"{self.sanitizer.label}: those held out", self._removals("held out")
        with Progress(label, len(places), self.options.get("progress")) as shown:
            for removed, some in zip(drawn, np.array_split(places, len(drawn)), strict=True):
                rows = np.flatnonzero(np.isin(people.whose, some)) if self._by_person else some
                together[rows] = removed
                self._believed_without(int(removed), rows, people.asked[rows], found, removals)
                shown.advance(len(some))
        return found, together


def _of_members(finding: DifferentialInference, beliefs: NDArray[np.float64]) -> Beliefs:
    """The beliefs in the true values of all members."""
    table, targets = finding.microdata, finding.targets
    tested = ~np.isnan(finding.distances)
    found = np.repeat(_NOBODY, len(table))
    found["reason"] = _NOT_THERE
    found["reason"][targets[tested]] = ""
    # The test counts reasons and does not say whose they are; here too they are only counted.
    found["reason"][targets[~tested]] = list(Counter(finding.not_tested).elements())
    true = beliefs[np.arange(len(targets)), table.sensitive.codes[targets]]
    found["true"][targets] = np.where(tested, true, np.nan)
    for record, error in finding.failures:
        found["detail"][record] = error
    return found
