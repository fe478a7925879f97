"""Empirical inference: how well does an adversary guess, and is that a breach?

After G. Cormode, *Personal Privacy vs Population Privacy: Learning to Attack Anonymization*, KDD
2011, and G. Cormode, C. M. Procopiuc, E. Shen, D. Srivastava and T. Yu, *Empirical Privacy and
Empirical Utility of Anonymized Data*, ICDE Workshops 2013. Whatever was done to a table, somebody
can train a classifier on what was published and guess everybody's sensitive value from their
quasi-identifiers. How often he is right is a measure of privacy that all kinds of releases have in
common, generalized ones and noisy counts alike.

But not every right guess is a breach. That smokers fall ill is true whoever is in the table. So
the same adversary is compared with two others:

- with the *prior*: somebody who has seen no release and only knows how frequent the values are. He
  names the most frequent one, and is right for max p(s) of the people.
- with *himself, about people who are not in the release*. Whatever he knows about them is
  knowledge about the population, for their own records were never there.

With r_i for the chance that the guess about the person i is right (1 or 0; of m values that are
believed equally he picks one at random, so 1/m if the true one is among them),

    accuracy inside    mean of r_i over people in the release
    accuracy outside   mean of r_i over people who are not
    gap                inside - outside: what their own records give away
    the rest           outside - prior: what he learned about the population.

Guesses throw away how sure he was. So the same is done with beliefs: b_i is how much of the belief
about i is on the true value; and it is counted about how many people he is *sure*, that is,
believes in one value with at least a given confidence, and how often rightly so.

*Where the others come from.* With the sanitizer itself, people are dealt into folds; each fold is
held out once, while the others' records are sanitized. So everybody is once outside and otherwise
inside, the releases and the people are the same on both sides, and the gap is a mean of pairs,

    d_i = mean of r_i over the releases with i - r_i of the release without i.

With a single release, people who are not in it must be given. They should be of the same
population: if they differ in other ways, the gap has that in it, too.

*Limits.* It tests these adversaries, and is no proof against all. A gap is an average: it may be
small while a few people are given away, which the differential inference test shows record by
record. An adversary takes what is published for true, also where values were changed by chance; he
is measured by the true values all the same. Folds are sanitized without a share of 1/folds of the
people, so they are a little smaller than the table. If one person has several records, holding out
one of them holds out nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, prior_for
from unveil.attacks.differential import chosen_targets
from unveil.attacks.guessing._finding import Inference
from unveil.attacks.guessing._game import Game
from unveil.attacks.guessing._splits import Splits, in_folds, made_once, published_by
from unveil.attacks.shared import Knowledge, adversaries_named, seed_number, understood
from unveil.errors import InputError
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
    """How well an adversary guesses sensitive values, of people in a release and of others.

    Parameters
    ----------
    published : release, Sanitizer or callable
        What was published, such as `read_release` returns, or what publishes.
    microdata : Microdata
        The original table.
    adversary : Adversary, str, scikit-learn classifier, or a list of these
        Who guesses; default: naive Bayes, and smoothed frequencies from noisy counts.
    prior : mapping or table, optional
        What he knows of the sensitive values beforehand, in the place of their shares in the
        release; see `differential_inference`.
    held_out : float, sequence of int, mask or Microdata, optional
        Who is not in the release. For a sanitizer: a share of the people, which is drawn, record
        numbers counted from 0, a mask, or another table with the same columns; default: folds. For
        a release: another table, or records of ``microdata`` that are not in it; default: nobody,
        and then a breach cannot be told from what is known about the population.
    mapping : mapping of str to mapping, optional
        Where a table of those held out has other names for values: for each such column, its
        values and ours, ``{"sex": {"F": "Female", "M": "Male"}}``.
    folds : int, optional
        For a sanitizer, unless ``held_out`` is given: into how many parts the people are dealt,
        each of which is held out once. Default: 5.
    confidence : float
        How much belief in one value makes him sure of it, for `Guesses.sure`.
    targets : int or sequence of int, optional
        Ask about so many people, drawn at random, or about these, as record numbers; default: all.
        For models that are trained for each person.
    seed : int
        On which all random choices hang: folds, those held out, the noise of each release.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

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

    Of a release alone:

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
    game = Game(
        known=Knowledge(
            microdata=splits.everybody, prior=prior_for(attackers, prior, splits.everybody)
        ),
        splits=splits,
        confidence=sure,
        targets=chosen_targets(
            targets, splits.everybody, Identity(), None, how="random", seed=number, shuffled=False
        ).records,
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
        # Of several releases the first speaks for all: they would say the same in other numbers.
        notes=tuple(dict.fromkeys((*_noted(seen, splits), *_too_many(release, splits), *heard))),
    )


def _told_apart(published: Any) -> tuple[Sanitizer, AnyRelease | None]:
    """What publishes, and what is published already; of a release, nobody knows what made it."""
    if isinstance(published, AnyRelease):
        return Identity(), published
    if isinstance(published, Microdata):
        raise InputError(
            "inference needs a release or a sanitizer first, and then the original table: got "
            "microdata in the first place"
        )
    return as_sanitizer(published), None


def _check_release(release: AnyRelease, microdata: Microdata, folds: Any) -> None:
    if not same_domains(release, microdata):
        raise InputError(
            f"the release by {release.made_by} is none of {microdata.source}: their columns, or "
            "the values in them, differ; read it with unveil.read_release(table, microdata)"
        )
    if folds is not None:
        raise InputError(
            f"folds={folds!r} is for a sanitizer, which can publish parts of the table; the "
            f"release by {release.made_by} is there: say who is not in it with held_out="
        )


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


def _noted(seen: Sequence[AnyRelease], splits: Splits) -> list[str]:
    """What is to be said of the releases; of several, the first speaks for all."""
    if len(seen) == 1:
        return list(seen[0].notes)
    of = f"of {len(seen)} releases without a fold each, the first"
    own = set(splits.everybody.notes)
    return [note if note in own else f"{of}: {note}" for note in seen[0].notes]


def _splits(
    microdata: Microdata,
    release: AnyRelease | None,
    held_out: Any,
    mapping: Mapped,
    folds: Any,
    seed: int,
) -> Splits:
    if mapping is not None and not isinstance(held_out, Microdata):
        raise InputError("mapping= is about the values of a table of those held out: give one")
    if release is None and held_out is None:
        return in_folds(microdata, folds, seed)
    if folds is not None:
        raise InputError(
            f"folds={folds!r} and held_out both say who is held out; leave one of them out"
        )
    return made_once(microdata, held_out, release, seed, mapping=mapping)


def _too_many(release: AnyRelease | None, splits: Splits) -> list[str]:
    """Whether more records were published than people are said to be in the release."""
    members, held_out = splits.each[0].members, splits.each[0].held_out
    if not isinstance(release, Release | Permuted) or not len(held_out):
        return []
    if len(release) <= len(members):
        return []
    return [
        f"the release by {release.made_by} has {len(release):,} records, and {len(members):,} "
        "people are said to be in it: if people held out are, the difference is too small"
    ]


def _check_prepared(attackers: Sequence[Adversary], everybody: Microdata) -> None:
    for attacker in attackers:
        if attacker.prepared(everybody) is not everybody:
            raise InputError(
                f"{attacker.label} needs the table cut into quantiles before it is sanitized, "
                "which is too late for a release that is there, and those held out are in no such "
                "table; choose another encoding, such as quantiles-after"
            )


def _share(confidence: Any) -> float:
    number = isinstance(confidence, int | float | np.number) and not isinstance(confidence, bool)
    if number and 0 < confidence <= 1:
        return float(confidence)
    raise InputError(f"confidence must be a share above 0 and at most 1, got {confidence!r}")
