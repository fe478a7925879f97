"""Empirical inference: how well does an adversary guess, and is that a breach?

After G. Cormode, *Personal Privacy vs Population Privacy: Learning to Attack Anonymization*, KDD
2011, and G. Cormode, C. M. Procopiuc, E. Shen, D. Srivastava and T. Yu, *Empirical Privacy and
Empirical Utility of Anonymized Data*, ICDE Workshops 2013. Anyone can train a classifier on what
was published and guess everybody's sensitive value from their quasi-identifiers. The accuracy is a
measure of privacy that applies to every kind of release, generalized tables and noisy counts alike.

Not every right guess is a breach. That smokers fall ill is true whoever is in the table. So the
adversary is compared with two others:

- the *prior*: somebody who has seen no release and knows only how frequent the values are. They
  name the most frequent one, and are right about max p(s) of the people.
- the *same adversary about people who are not in the release*. What they know about these people
  is knowledge about the population.

Let r_i be the probability that the guess about person i is right (1 or 0; if m values are believed
equally, one is picked at random, so 1/m if the true one is among them). Then

    accuracy inside    mean of r_i over people in the release
    accuracy outside   mean of r_i over people who are not
    gap                inside - outside: what their own records give away
    the rest           outside - prior: what was learned about the population.

Guesses ignore how sure the adversary was. So beliefs are compared as well: b_i is the belief in the
true value of i. The finding also counts the people about whom the adversary is *sure* (believes in
one value with at least a given confidence), and how often rightly so.

*People who are not in the release.* With the sanitizer itself, people are dealt into folds; each
fold is held out once, while the others' records are sanitized. Everybody is outside once and inside
otherwise, the releases and the people are the same on both sides, and the gap is a mean of pairs,

    d_i = mean of r_i over the releases with i - r_i of the release without i.

With a single release, people who are not in it must be given. They should be of the same
population: if they differ in other ways, that difference is part of the gap.

*Limits.* The attack tests these adversaries and proves nothing about others. A gap is an average:
it may be small while a few people are given away, which differential inference shows record by
record. An adversary assumes that published values are true, also where they were changed at random;
accuracy is measured by the true values. Each fold is sanitized without a share of 1/folds of the
people, so releases are a little smaller than the table. If a person has several records, holding
out one of them does not hold out the person.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, prior_for
from unveil.attacks.differential import chosen_targets
from unveil.attacks.inference._finding import Inference
from unveil.attacks.inference._guesses import Game
from unveil.attacks.inference._splits import Splits, in_folds, made_once, published_by
from unveil.attacks.shared import Knowledge, adversaries_named, seed_number, understood
from unveil.errors import Call, File, InputError, Message, Option, Text
from unveil.microdata import (
    AnyRelease,
    Mapped,
    Microdata,
    NoisyCounts,
    Permuted,
    Release,
    same_domains,
)
from unveil.sanitize import Identity, Sanitizer, as_microdata, as_sanitizer

__all__ = ["inference"]


def inference(
    published: AnyRelease | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    adversary: Adversary | str | Any | Sequence[Adversary | str | Any] | None = None,
    prior: Any = None,
    held_out: float | Sequence[int] | NDArray[Any] | Microdata | None = None,
    mapping: Mapped = None,
    folds: int | None = None,
    confidence: float = 0.9,
    targets: int | Sequence[int] | NDArray[Any] | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Inference:
    """Measure how well an adversary guesses sensitive values, in a release and outside of it.

    Parameters
    ----------
    published : release, Sanitizer or callable
        A release, such as `read_release` returns, or what makes one.
    microdata : Microdata
        The original table.
    adversary : Adversary, str, scikit-learn classifier, or a list of these
        Who guesses. Default: naive Bayes; smoothed frequencies for noisy counts.
    prior : mapping or table, optional
        What the adversary knows about sensitive values beforehand, instead of their shares in the
        release; see `differential_inference`.
    held_out : float, sequence of int, mask or Microdata, optional
        Who is not in the release. For a sanitizer: a share of the people, drawn at random; record
        numbers counted from 0; a mask; or another table with the same columns. Default: folds. For
        a release: another table, or records of ``microdata`` that are not in it. Default: nobody;
        then a breach cannot be distinguished from knowledge about the population.
    mapping : mapping of str to mapping, optional
        Names of values in the table of people held out, where they differ: for each column, its
        values and ours, ``{"sex": {"F": "Female", "M": "Male"}}``.
    folds : int, optional
        For a sanitizer, unless ``held_out`` is given: number of parts into which people are dealt,
        each of which is held out once. Default: 5.
    confidence : float
        Belief in one value from which an adversary is sure, for `Guesses.sure`.
    targets : int or sequence of int, optional
        Number of people to ask about, drawn at random, or record numbers. Default: everybody.
        Useful for models that are trained for each person.
    seed : int
        Random seed, for folds, people held out and the noise of each release.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

    Returns
    -------
    Inference

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> finding = uv.inference(uv.Mondrian(k=5), survey)
    >>> print(finding.inside.accuracy.in_percent())
    30% (27% to 33%)
    >>> print(finding.outside.accuracy.in_percent())
    24% (21% to 28%)
    >>> print(finding.prior.accuracy.in_percent())
    21% (19% to 24%)
    >>> print(finding.gap)                              # what people's own records add
    0.052 (0.024 to 0.079)

    A release alone:

    >>> finding = uv.inference(uv.Mondrian(k=5).sanitize(survey), survey)
    >>> round(finding.accuracy, 3), round(finding.baseline, 3), finding.gap
    (0.282, 0.212, None)
    """
    f, release = _told_apart(published)
    microdata = as_microdata(microdata, "inference")
    number, sure = seed_number(seed), _share(confidence)
    if release is not None:
        _check_release(release, microdata, folds)
    attackers = _attackers(adversary, f, release, number)
    splits = _splits(microdata, release, held_out, mapping, folds, number)
    _check_prepared(attackers, splits.everybody)
    chosen = chosen_targets(
        targets, splits.everybody, Identity(), None, how="random", seed=number, shuffled=False
    )
    game = Game(
        known=Knowledge(
            microdata=splits.everybody, prior=prior_for(attackers, prior, splits.everybody)
        ),
        splits=splits,
        confidence=sure,
        targets=np.sort(chosen.records),
    )
    started = time.perf_counter()
    releases = [release] if release is not None else published_by(f, splits, number)
    played, seen = game.play(attackers, releases, progress)
    inside, outside = game.by_prior(played)
    heard = (note for attacker in attackers for note in attacker.notes)
    return Inference(
        microdata=splits.everybody,
        made_by=f.label if release is None else release.made_by,
        releases=tuple(seen),
        folds=None if splits.fold_of is None else len(splits.each),
        against={one.adversary.label: one for one in played},
        prior=inside,
        prior_outside=outside,
        confidence=sure,
        seed=number,
        seconds=time.perf_counter() - started,
        notes=tuple(dict.fromkeys((*_noted(seen, splits), *_too_many(release, splits), *heard))),
    )


def _told_apart(published: Any) -> tuple[Sanitizer, AnyRelease | None]:
    """The sanitizer, and the release if there is one; nobody knows what made a given release."""
    if isinstance(published, AnyRelease):
        return Identity(), published
    if isinstance(published, Microdata):
        raise InputError(
            "the first argument is microdata; give a release or a sanitizer first, and then the "
            "original table"
        )
    return as_sanitizer(published), None


def _check_release(release: AnyRelease, microdata: Microdata, folds: Any) -> None:
    made_by = File(release.made_by, bare=True)
    if not same_domains(release, microdata):
        raise InputError(
            "the release by {made_by} does not belong to {source}: their columns or values differ; "
            "read it with {read_release}(table, microdata)",
            made_by=made_by, source=File(microdata.source, bare=True),
            read_release=Call("read_release"),
        )  # fmt: skip
    if folds is not None:
        raise InputError(
            "{folds} needs a sanitizer, which can publish parts of the table, but got the release "
            "by {made_by}; say who is not in it with {held_out}",
            folds=Option("folds", folds), made_by=made_by, held_out=Option("held_out"),
        )  # fmt: skip


def _attackers(
    adversary: Any, sanitizer: Sanitizer, release: AnyRelease | None, seed: int
) -> tuple[Adversary, ...]:
    usual = sanitizer.attacked_by
    if isinstance(release, NoisyCounts):
        usual = "smoothed-frequency"
    attackers = adversaries_named(usual if adversary is None else adversary, seed)
    if release is not None:
        for attacker in attackers:
            understood(attacker, release)
    return attackers


def _noted(seen: Sequence[AnyRelease], splits: Splits) -> list[Text]:
    """Notes about the releases; of several, only those of the first, which are typical."""
    if len(seen) == 1:
        return list(seen[0].notes)
    own = set(splits.everybody.notes)
    return [
        note
        if note in own
        else Message(
            "{several} releases without one fold each; about the first: {note}",
            several=len(seen),
            note=note,
        )
        for note in seen[0].notes
    ]


def _splits(
    microdata: Microdata,
    release: AnyRelease | None,
    held_out: Any,
    mapping: Mapped,
    folds: Any,
    seed: int,
) -> Splits:
    if mapping is not None and not isinstance(held_out, Microdata):
        raise InputError(
            "{mapping} is about the values of a table of people held out; give one as {held_out}",
            mapping=Option("mapping"), held_out=Option("held_out"),
        )  # fmt: skip
    if release is None and held_out is None:
        return in_folds(microdata, folds, seed)
    if folds is not None:
        raise InputError(
            "{folds} and {held_out} both say who is held out; leave out one of them",
            folds=Option("folds", folds), held_out=Option("held_out"),
        )  # fmt: skip
    return made_once(microdata, held_out, release, seed, mapping=mapping)


def _too_many(release: AnyRelease | None, splits: Splits) -> list[Message]:
    """A note if more records were published than people are said to be in the release."""
    members, held_out = splits.each[0].members, splits.each[0].held_out
    if not isinstance(release, Release | Permuted) or not len(held_out):
        return []
    if len(release) <= len(members):
        return []
    return [
        Message(
            "the release by {made_by} has {records} records, but only {members} people are said to "
            "be in it; if people held out are in it, the difference is too small",
            made_by=File(release.made_by, bare=True),
            records=len(release),
            members=len(members),
        )
    ]


def _check_prepared(attackers: Sequence[Adversary], everybody: Microdata) -> None:
    for attacker in attackers:
        if attacker.prepared(everybody) is not everybody:
            raise InputError(
                "{adversary} needs the table cut into quantiles before it is sanitized, which "
                "leaves out people held out, and is too late for an existing release; choose "
                "another encoding, such as quantiles-after",
                adversary=attacker.label,
            )


def _share(confidence: Any) -> float:
    number = isinstance(confidence, int | float | np.number) and not isinstance(confidence, bool)
    if number and 0 < confidence <= 1:
        return float(confidence)
    raise InputError(
        "{confidence} must be a share above 0 and at most 1, got {given}",
        confidence=Option("confidence"), given=repr(confidence),
    )  # fmt: skip
