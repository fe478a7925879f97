"""Membership: can an attacker tell whose records are in a release?

The 2019 report on differential inference testing (A. Kassem, G. Ács, C. Castelluccia,
C. Palamidessi) remarks that the pair of predictions, with and without a person's record, is also
a test of membership. Here it is played as a game: some people's records are published, others are
held out, and an attacker who knows everything else about a person has to say which.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, adversary_named
from unveil.attacks.membership._attackers import Removal, published, scores_of, true_beliefs
from unveil.attacks.membership._finding import Membership
from unveil.attacks.membership._people import People, split_people
from unveil.attacks.membership._texts import ATTACKERS
from unveil.attacks.shared import INTERRUPTED, seed_number, understood
from unveil.engine import chosen_backend
from unveil.errors import File, Foreign, InputError, Listed, Option, UnveilError, did_you_mean
from unveil.microdata import Mapped, Microdata
from unveil.sanitize import Sanitizer, as_microdata, as_sanitizer

__all__ = ["attackers_named", "membership"]


def membership(
    microdata: Microdata,
    sanitizer: Sanitizer | Callable[[Any], Any],
    *,
    held_out: float | Sequence[int] | NDArray[Any] | Microdata = 0.5,
    attackers: str | Sequence[str] = tuple(ATTACKERS),
    own: float = 0.2,
    adversary: Adversary | str | Any = None,
    mapping: Mapped = None,
    removals: int = 500,
    seed: int = 0,
    n_jobs: int | None = None,
    backend: str | None = None,
    progress: bool | None = None,
) -> Membership:
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
    attackers : str or sequence of str
        Who attacks. ``"release"`` sees the release alone. ``"population"`` has a sample of other
        people and sanitizes it the same way. ``"removal"`` has two releases between which one
        person left, and asks who. Default: all three.
    own : float
        For ``"population"``: share of the people who are the attacker's own sample, and neither
        members nor held out. If a share is held out, this is a share of the table, drawn first:
        with the defaults, 20 % of all people are the sample, 40 % members and 40 % held out.
        If record numbers or a mask say who is held out, it is a share of all others; if another
        table does, of that table. Not used without ``"population"``.
    adversary : Adversary, str or scikit-learn classifier, optional
        How beliefs follow from a release; see `differential_inference`. Default: naive Bayes, or
        an adversary that suits what the sanitizer publishes.
    mapping : mapping of str to mapping, optional
        Names of values in the table of people held out, where they differ: for each column, its
        values and ours, such as ``{"sex": {"M": "Male"}}``.
    removals : int
        For ``"removal"``: maximum number of releases without a random member, shared out among
        people held out. In intervals, people who share a release count as one.
    seed : int
        Random seed.
    n_jobs, backend : optional
        As for `differential_inference`, which tests the members.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

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
    f, number, names = as_sanitizer(sanitizer), seed_number(seed), attackers_named(attackers)
    attacker = adversary_named(f.attacked_by if adversary is None else adversary, seed=number)
    if isinstance(removals, bool) or not isinstance(removals, int | np.integer) or removals < 1:
        raise InputError(
            "{removals} must be a whole number of at least 1, got {given}",
            removals=Option("removals"), given=repr(removals),
        )  # fmt: skip
    chosen_backend(n_jobs, backend)  # refuses wrong ones before the work begins
    people = _people(microdata, held_out, own, mapping, names, number)
    if attacker.prepared(people.table) is not people.table:
        raise InputError(
            "{adversary} needs the table cut into quantiles before it is sanitized, which leaves "
            "out people held out; choose another encoding, such as quantiles-after",
            adversary=attacker.label,
        )
    started = time.perf_counter()
    # The noise of what is published depends on the seed, too.
    release = f.with_seed(number).sanitize(people.table)
    understood(attacker, release)
    game = Removal(
        people=people, sanitizer=published(f, people.table, release, number), adversary=attacker,
        removals=int(removals), seed=number,
        options={"n_jobs": n_jobs, "backend": backend, "progress": progress},
    )  # fmt: skip
    present = true_beliefs(people.everybody, attacker, release, people.asked)
    played = {name: scores_of(name, game, present) for name in names}
    theirs = (note for scored in played.values() for note in scored.notes)
    finding = Membership(
        people=people,
        played=played,
        sanitizer=f.label,
        adversary=attacker,
        n_classes=len(release.sizes) or None,
        smallest_class=int(release.sizes.min()) if len(release.sizes) else None,
        seed=number,
        seconds=time.perf_counter() - started,
        notes=tuple(dict.fromkeys((*release.notes, *attacker.notes, *theirs))),
    )
    _check(finding)
    return finding


def attackers_named(attackers: Any) -> tuple[str, ...]:
    """The names of attackers, from the weakest to the strongest."""
    option, known = Option("attackers"), Listed(list(ATTACKERS))
    if not isinstance(attackers, Iterable):
        raise InputError(
            "{attackers} must be one or several of {known}, got {given}",
            attackers=option, known=known, given=repr(attackers),
        )  # fmt: skip
    listed = [attackers] if isinstance(attackers, str) else list(attackers)
    for name in listed:
        if not isinstance(name, str) or name not in ATTACKERS:
            near = did_you_mean(name, ATTACKERS) if isinstance(name, str) else ""
            raise InputError(
                "there is no attacker {name}{near} (known: {known})",
                name=repr(name), near=near, known=known,
            )  # fmt: skip
    if not listed:
        raise InputError(
            "{attackers} is empty; name at least one of {known}", attackers=option, known=known
        )
    return tuple(name for name in ATTACKERS if name in listed)


def _people(
    microdata: Microdata,
    held_out: Any,
    own: float,
    mapping: Mapped,
    names: tuple[str, ...],
    seed: int,
) -> People:
    needs_own = "population" in names
    people = split_people(
        microdata, held_out, own=own if needs_own else 0.0, mapping=mapping, seed=seed
    )
    if needs_own and not len(people.own):
        raise InputError(
            '{none} leaves the attacker "population" without a sample; give them a share of the '
            "people, such as {some}, or choose other attackers: {others}",
            none=Option("own", 0), some=Option("own", 0.2),
            others=Option("attackers", ["release", "removal"]),
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
