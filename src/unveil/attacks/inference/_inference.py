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

A numeric value need not be guessed to the cent: a guess is right within a tolerance, and the
adversary guesses the number that is most likely to be near enough (`unveil.attacks.tolerance`).

*People who are not in the release.* With the sanitizer itself, people are dealt into folds; each
fold is held out once, while the others' records are sanitized. Everybody is outside once and inside
otherwise, the releases and the people are the same on both sides, and the gap is a mean of pairs,

    d_i = mean of r_i over the releases with i - r_i of the release without i.

With a single release, people who are not in it must be given. They should be of the same
population: if they differ in other ways, that difference is part of the gap.

*Several adversaries.* One may be blind where another sees: naive Bayes pools all records, so that
one record hardly matters, and conditional frequency looks at the few that cover a target. The
figures are the largest of all adversaries: the accuracy of the one who is right most often, and the
gap of the one whose gap is largest. Each is what one adversary attains. Their intervals allow for
the choice. If somebody knew for each person whose guess to take, they would be right wherever any
adversary is; nobody knows that without the truth, so this share is an upper bound for whoever
chooses among these guesses, and not a figure.

*Limits.* The attack tests these adversaries and proves nothing about others. A gap is an average:
it may be small while a few people are given away, which differential inference shows record by
record. An adversary assumes that published values are true, also where they were changed at random;
accuracy is measured by the true values. Each fold is sanitized without a share of 1/folds of the
people, so releases are a little smaller than the table.

*Several records of a person.* People are held out with all their records, and all people weigh the
same: the adversary guesses the value of each record, and r_i and b_i are means over the records of
i. The prior is that of people, too: a person with c records adds 1/c for each. Intervals are over
people. So a person of whom one record of five is given away counts as a fifth of a person.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from unveil._text import counted
from unveil.adversary import prior_for
from unveil.attacks.differential import chosen_targets
from unveil.attacks.held_out import (
    People,
    check_recode,
    split_in_folds,
    split_people,
    unknown_values,
)
from unveil.attacks.inference._finding import Inference
from unveil.attacks.inference._guesses import Game
from unveil.attacks.shared import Knowledge, adversaries_named, refuse_prepared, reseeded
from unveil.attacks.tolerance import Near
from unveil.errors import Call, File, InputError, Message, Option, Text
from unveil.microdata import (
    AnyRelease,
    Mapped,
    Microdata,
    NoisyCounts,
    Permuted,
    Release,
    has_true_cells,
    numbered_people,
    refuse_other_level,
    same_domains,
)
from unveil.options import (
    Adversaries,
    HeldOut,
    Help,
    Progress,
    Recode,
    Seed,
    Shell,
    Tolerance,
    by_person,
    check,
    checked,
)
from unveil.sanitize import (
    Identity,
    LaplaceCounts,
    Microaggregation,
    Sanitizer,
    as_microdata,
    as_sanitizer,
)

_FOLDS = 5
_BY_PERSON = (
    "every record of a person is guessed, and a person's numbers are the means over their records, "
    "so that all people weigh the same"
)


def _number(texts: Sequence[str]) -> Any:
    number = int(texts[-1]) if texts[-1].isascii() and texts[-1].isdigit() else texts[-1]
    check("targets", Annotated[int, Ge(1)], number)
    return number


@checked
@by_person
def inference(
    published: AnyRelease | Sanitizer | Callable[[Any], Any],
    microdata: Microdata,
    *,
    adversary: Adversaries = None,
    prior: Annotated[Any, Shell(hidden=True)] = None,
    held_out: HeldOut = None,
    recode: Recode = None,
    folds: Annotated[
        int | None,
        Ge(2),
        Help("For a sanitizer, unless people held out are given: number of parts into which people "
             "are dealt; each part is held out of one release and in all others. Default: 5."),
        Shell(metavar="N"),
    ] = None,
    confidence: Annotated[
        float, Gt(0), Le(1), Help("Belief in one value from which an attacker is sure."),
        Shell(metavar="SHARE"),
    ] = 0.9,
    targets: Annotated[
        Any,
        Help("Number of people to ask about, drawn at random, for models that take long. Default: "
             "all."),
        Shell(parse=_number, metavar="N"),
    ] = None,
    tolerance: Tolerance = None,
    seed: Seed = 0,
    progress: Progress = None,
) -> Inference:  # fmt: skip
    """Measure how well an adversary guesses sensitive values, in a release and outside of it.

    Parameters
    ----------
    published : release, Sanitizer or callable
        A release, such as `read_release` returns, or what makes one.
    microdata : Microdata
        The original table.
    adversary : Adversary, str, scikit-learn classifier, or a list of these
        Who guesses. Default: naive Bayes and conditional frequency; smoothed and conditional
        frequencies for noisy counts, nearest neighbours for averages. The figures are those of the
        strongest; the numbers of all are in `Inference.against`.
    prior : mapping or table, optional
        What the adversary knows about sensitive values beforehand, instead of their shares in the
        release; see `differential_inference`.
    held_out : float, sequence of int, mask or Microdata, optional
        Who is not in the release. For a sanitizer: a share of the people, drawn at random; record
        numbers counted from 0; a mask; or another table with the same columns. Default: folds. For
        a release: another table, or records of ``microdata`` that are not in it. Default: nobody;
        then a breach cannot be distinguished from knowledge about the population.
    targets : int or sequence of int, optional
        Number of people to ask about, drawn at random, or record numbers. Default: everybody.
        Useful for models that are trained for each person. Of people who are drawn all records are
        asked about.

    Returns
    -------
    Inference

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> finding = uv.inference(uv.Mondrian(k=5), survey)
    >>> finding.strongest
    'conditional frequency'
    >>> print(finding.inside.accuracy.in_percent())
    41% (38% to 45%)
    >>> print(finding.outside.accuracy.in_percent())
    18% (15% to 22%)
    >>> print(finding.prior.accuracy.in_percent())
    21% (19% to 24%)
    >>> print(finding.gap)                              # what people's own records add
    0.232 (0.193 to 0.272)
    >>> print(finding.against["Bernoulli naive Bayes"].gap)      # who pools everybody's records
    0.052 (0.024 to 0.079)

    A release alone:

    >>> finding = uv.inference(uv.Mondrian(k=5).sanitize(survey), survey)
    >>> round(finding.accuracy, 3), round(finding.baseline, 3), finding.gap
    (0.405, 0.212, None)
    """
    sanitizer, release = _told_apart(published)
    microdata = as_microdata(microdata, "inference")
    number = int(seed)
    if release is not None:
        refuse_other_level(release, microdata)
    if release is not None and not same_domains(release, microdata):
        raise InputError(
            "the release by {made_by} does not belong to {source}: their columns or values differ; "
            "read it with {read_release}(table, microdata)",
            made_by=File(release.made_by, bare=True), source=File(microdata.source, bare=True),
            read_release=Call("read_release"),
        )  # fmt: skip
    near = Near.of(microdata.sensitive, microdata.sensitive_counts, tolerance)
    usual = _usual(sanitizer, release) if adversary is None else adversary
    attackers = adversaries_named(usual, number)
    splits = _splits(microdata, release, held_out, recode, folds, number)
    everybody = splits[0].everybody
    refuse_prepared(attackers, everybody)
    chosen = _targets(targets, everybody, number)
    game = Game(
        known=Knowledge(microdata=everybody, prior=prior_for(attackers, prior, everybody)),
        splits=splits, confidence=float(confidence), targets=chosen,
        near=near.on(everybody.sensitive),
    )  # fmt: skip
    started = time.perf_counter()
    releases = [release] if release is not None else published_by(sanitizer, splits, number)
    played, by_any, seen = game.play(attackers, releases, progress)
    inside, outside = game.by_prior()
    assert inside is not None  # some target is in a release
    heard = (note for attacker in attackers for note in attacker.notes)
    return Inference(
        microdata=everybody,
        made_by=sanitizer.label if release is None else release.made_by,
        releases=tuple(seen),
        folds=len(splits) if len(splits) > 1 else None,
        against={one.adversary.label: one for one in played},
        by_any=by_any,
        prior=inside,
        prior_outside=outside,
        confidence=float(confidence),
        near=near,
        seed=number,
        seconds=time.perf_counter() - started,
        notes=tuple(
            dict.fromkeys(
                (
                    *_noted(seen, everybody),
                    *_too_many(release, splits),
                    *near.notes,
                    *heard,
                    *([] if everybody.several is None else [_BY_PERSON]),
                )
            )
        ),
    )


def _targets(targets: Any, everybody: Microdata, seed: int) -> NDArray[np.intp]:
    """The records to ask about, in ascending order: all of whoever is drawn, or those named."""
    person, drawn = numbered_people(everybody), everybody
    numbers = targets is None or isinstance(targets, int | np.integer)
    if numbers:  # people are drawn, and not their records
        drawn = everybody.take(np.unique(person, return_index=True)[1])
    chosen = chosen_targets(
        targets, drawn, Identity(), None, how="random", seed=seed, shuffled=False
    )
    if numbers:
        return np.flatnonzero(np.isin(person, chosen.records))
    return np.sort(chosen.records)


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


def _usual(sanitizer: Sanitizer, release: AnyRelease | None) -> tuple[str, ...]:
    """Who guesses by default: whoever can make something of what is published."""
    if isinstance(release, NoisyCounts) or isinstance(sanitizer, LaplaceCounts):
        return "smoothed-frequency", "conditional-frequency"
    if isinstance(release, Release) and not has_true_cells(release):
        return Microaggregation(k=1).adversaries
    return sanitizer.adversaries


def _noted(seen: Sequence[AnyRelease], everybody: Microdata) -> list[Text]:
    """Notes about the releases; of several, only those of the first, which are typical."""
    if len(seen) == 1:
        return list(seen[0].notes)
    about = "{several} releases without one fold each; about the first: {note}"
    return [
        note if note in everybody.notes else Message(about, several=len(seen), note=note)
        for note in seen[0].notes
    ]


def _splits(
    microdata: Microdata,
    release: AnyRelease | None,
    held_out: Any,
    recode: Mapped,
    folds: int | None,
    seed: int,
) -> tuple[People, ...]:
    """Who is in each release and who is not: folds, or one release of all but those held out.

    If there is a release, people held out must be named, and have values that it knows.
    """
    check_recode(recode, held_out)
    if release is None and held_out is None:
        return split_in_folds(microdata, _FOLDS if folds is None else int(folds), seed)
    if folds is not None:
        raise InputError(
            "{folds} and {held_out} both say who is held out; leave out one of them"
            if release is None else
            "{folds} needs a sanitizer, which can publish parts of the table, but got a release; "
            "say who is not in it with {held_out}",
            folds=Option("folds", folds), held_out=Option("held_out"),
        )  # fmt: skip
    if release is not None and isinstance(held_out, int | float | np.number):
        raise InputError(
            "{held_out} would draw people, but the release by {made_by} already exists; name the "
            "people who are not in it by a table of other people or by record numbers, or give the "
            "sanitizer instead of its release",
            held_out=Option("held_out", held_out), made_by=File(release.made_by, bare=True),
        )  # fmt: skip
    people = split_people(microdata, held_out, own=0, recode=recode, seed=seed)
    if release is not None:
        _check_domains(people.everybody, release, getattr(held_out, "source", microdata.source))
    return (people,)


def _too_many(release: AnyRelease | None, splits: Sequence[People]) -> list[Message]:
    """A note if more records were published than people are said to be in the release."""
    people = splits[0]
    if not isinstance(release, Release | Permuted) or not len(people.held_out):
        return []
    if len(release) <= len(people.members):
        return []
    return [
        Message(
            "the release by {made_by} has {records} records, but only {members} are said to "
            "be in it; if people held out are in it, the difference is too small",
            made_by=File(release.made_by, bare=True), records=len(release),
            members=counted(
                len(people.members), "person" if people.everybody.several is None else "record"
            ),
        )
    ]  # fmt: skip


def published_by(sanitizer: Sanitizer, splits: Sequence[People], seed: int) -> Iterator[AnyRelease]:
    """The release of each split's members, each with random numbers of its own."""
    for number, people in enumerate(splits):
        yield reseeded(sanitizer, seed, 6, number).sanitize(people.table)


def _check_domains(everybody: Microdata, release: AnyRelease, source: str) -> None:
    """Refuse people held out whose values the release's columns do not have."""
    ours = (*everybody.quasi, everybody.sensitive)
    for column, other in zip((*release.quasi, release.sensitive), ours, strict=True):
        unknown = [text for text in other.texts if text not in column.places]
        if unknown:
            raise InputError(
                "{unknown}; otherwise read all people as one table, take members and people held "
                "out from it (everybody.take(…)), and read or make the release with these members",
                unknown=unknown_values(column, other, unknown, source),
            )
