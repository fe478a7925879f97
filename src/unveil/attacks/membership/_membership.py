"""Membership: can an attacker tell whose records are in a release?

The 2019 report on differential inference testing (A. Kassem, G. Ács, C. Castelluccia,
C. Palamidessi) remarks that the pair of predictions, with and without a person's record, is also
a test of membership. Here it is played as a game: some people's records are published, others are
held out, and an attacker who knows everything else about a person has to say which. The simplest
attackers only look whether published cells cover the person (`_covering`). Where a person may have
several rows, a member is a person: all of their rows are published or held out (`_pooling`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from annotated_types import Ge, Lt

from unveil.attacks.held_out import People, split_people
from unveil.attacks.membership import ATTACKERS
from unveil.attacks.membership._attackers import Game, Scores
from unveil.attacks.membership._finding import Membership
from unveil.attacks.membership._published import published
from unveil.attacks.shared import (
    INTERRUPTED,
    adversaries_named,
    named,
    refuse_prepared,
    several,
    understood,
)
from unveil.engine import chosen_backend
from unveil.errors import File, Foreign, InputError, Listed, Option, UnveilError
from unveil.microdata import Microdata
from unveil.options import (
    Adversaries,
    HeldOut,
    Help,
    Jobs,
    Progress,
    Recode,
    Run,
    Seed,
    Shell,
    by_person,
    checked,
    names,
)
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

_TOO = "smoothed-frequency"
"""A model that is used besides the usual ones: it shows where no cell covers a person."""


_BY_PERSON = (
    "a member is a person with all their rows; each attacker scores every row, and takes the sum, "
    "the mean or the largest score of a person's rows: the strongest counts"
)


def _attackers(given: Any) -> tuple[str, ...]:
    """The names of attackers, those who need least first."""
    listed = several(given, "attackers", f"of {', '.join(ATTACKERS)}")
    for name in listed:
        named(ATTACKERS, name, "attacker")
    return tuple(name for name in ATTACKERS if name in listed)


@checked
@by_person
def membership(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    held_out: HeldOut = 0.5,
    attackers: Annotated[
        str | Sequence[str],
        Help("Attackers: covered looks whether published cells cover a person, covered-value "
             "whether they come with the person's sensitive value; release lets a model predict "
             "that value; population also has a sample of other people; removal has a second "
             "release that one person has left. Default: all."),
        Shell(parse=lambda texts: _attackers(names(texts)), metavar="NAMES"),
    ] = tuple(ATTACKERS),
    own: Annotated[
        float, Ge(0), Lt(1),
        Help("For the attacker population: share of the table, or of the table of other people, "
             "that is their own sample."),
        Shell(metavar="SHARE"),
    ] = 0.2,
    adversary: Adversaries = None,
    recode: Recode = None,
    removals: Annotated[
        int, Ge(1),
        Help("For the attacker removal: largest number of releases without a random member. In "
             "intervals, people held out who share one count as one. Where a person may have "
             "several rows, only so many members are removed, too."),
        Shell(metavar="N"),
    ] = 500,
    seed: Seed = 0,
    jobs: Jobs = None,
    backend: Annotated[str | None, Shell(hidden=True)] = None,
    progress: Progress = None,
    run: Run = None,
) -> Membership:  # fmt: skip
    """Test how well attackers can tell whose records are in a release.

    Parameters
    ----------
    microdata : Microdata
        The original table; or the members alone, if people held out have a table of their own. It
        is then published whole.
    sanitizer : Sanitizer or callable
        What publishes the members' records.
    held_out : float, sequence of int, mask or Microdata
        Who is not in the published table: a share of the people (drawn at random from those who
        are not in the attacker's own sample), record numbers counted from 0, a mask of all
        records, or another table with the same columns.
    own : float
        For ``"population"``: share of the people who are the attacker's own sample, and neither
        members nor held out. If a share is held out, this is a share of the table, drawn first:
        with the defaults, 20 % of all people are the sample, 40 % members and 40 % held out.
        If record numbers or a mask say who is held out, it is a share of all others; if another
        table does, of that table. Not used without ``"population"``.
    adversary : Adversary, str, scikit-learn classifier, or a list of these, optional
        The models of the attackers ``"release"``, ``"population"`` and ``"removal"``. Of several,
        the strongest counts for each attacker. Default: those of the sanitizer, for most
        naive Bayes and conditional frequency, and conditional and smoothed frequencies.
    backend : str, optional
        As for `differential_inference`, which tests the members.

    Returns
    -------
    Membership
        The scores of all people and what follows from them.

    Examples
    --------
    Unique records that are published as they are give themselves away to an attacker who sees the
    table before and after they left:

    >>> import unveil as uv
    >>> people = uv.read_table({"id": range(400), "vote": ["a", "b", "a", "c"] * 100},
    ...                        quasi="id", sensitive="vote")
    >>> finding = uv.membership(people, uv.Identity(), adversary="conditional-frequency")
    >>> finding.against["removal"].auc.value
    1.0
    """
    microdata = as_microdata(microdata, "membership")
    f, number, chosen = as_sanitizer(sanitizer), int(seed), _attackers(attackers)
    usual = dict.fromkeys([*f.adversaries, *Sanitizer.attacked_by[1:], _TOO])
    models = adversaries_named(list(usual) if adversary is None else adversary, number)
    chosen_backend(jobs, backend)  # refuses wrong ones before the work begins
    people = _people(microdata, held_out, own, recode, chosen, number)
    refuse_prepared(models, people.table)
    started = time.perf_counter()
    # The noise of what is published depends on the seed, too.
    release = f.with_seed(number).sanitize(people.table)
    for one in models:
        understood(one, release)
    game = Game(
        people=people, release=release, sanitizer=published(f, people.table, release, number),
        adversaries=models, removals=int(removals), seed=number,
        options={"jobs": jobs, "backend": backend, "progress": progress},
    )  # fmt: skip
    played: dict[str, Scores] = {}
    for name in chosen:  # an interrupt ends the work of all that come after
        over = any(INTERRUPTED in one.reasons for one in played.values())
        played[name] = Scores.nobody(people, INTERRUPTED) if over else game.scores(name)
    every = [one for scored in played.values() for one in (scored, *scored.others)]
    theirs = [*(note for one in models for note in one.notes),
              *(note for scored in every for note in scored.notes)]  # fmt: skip
    finding = Membership(
        people=people,
        played=played,
        sanitizer=f.label,
        adversaries=models,
        n_classes=len(release.sizes) or None,
        smallest_class=int(release.class_sizes.min()) if len(release.sizes) else None,
        seed=number,
        seconds=time.perf_counter() - started,
        notes=tuple(
            dict.fromkeys(
                (
                    *release.notes,
                    *theirs,
                    *([] if people.everybody.several is None else [_BY_PERSON]),
                )
            )
        ),
    )
    _check(finding)
    return finding


def _people(
    microdata: Microdata,
    held_out: Any,
    own: float,
    recode: Mapping[str, Mapping[Any, Any]] | None,
    attackers: tuple[str, ...],
    seed: int,
) -> People:
    needs_own = "population" in attackers
    people = split_people(
        microdata, held_out, own=own if needs_own else 0.0, recode=recode, seed=seed
    )
    if needs_own and not len(people.own):
        raise InputError(
            '{none} leaves the attacker "population" without a sample; give them a share of the '
            "people, such as {some}, or choose other attackers: {others}",
            none=Option("own", 0), some=Option("own", 0.2),
            others=Option("attackers", ["covered", "covered-value", "release", "removal"]),
        )  # fmt: skip
    return people


def _check(finding: Membership) -> None:
    """Refuse a finding without any scores to compare."""
    if any(one is not None for one in finding.against.values()):
        return
    reasons = [why for reasons in finding.not_scored.values() for why in reasons]
    if INTERRUPTED in reasons:
        raise KeyboardInterrupt
    said = [Foreign(text) for scored in finding.played.values() for _, text in scored.failures]
    why = list(dict.fromkeys([*reasons, *finding.notes]))
    raise UnveilError(
        "no attacker could score both members and people held out of {sanitizer}: {why}",
        sanitizer=File(finding.sanitizer, bare=True), why=Listed([*why, *said[:1]]),
    )  # fmt: skip
