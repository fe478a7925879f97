"""Membership: can an attacker tell whose records are in a release?

The 2019 report on differential inference testing (A. Kassem, G. Ács, C. Castelluccia,
C. Palamidessi) remarks that the pair of predictions, with and without a person's record, is also
a test of membership. Here it is played as a game: some people's records are published, others'
are held out, and an attacker who knows everything about a person but this has to say which.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import Adversary, adversary_named
from unveil.attacks._beliefs import INTERRUPTED
from unveil.attacks._targets import seed_number
from unveil.attacks._ways import understood
from unveil.attacks.members._beliefs import true_beliefs
from unveil.attacks.members._finding import Membership
from unveil.attacks.members._people import People, split_people
from unveil.attacks.members._published import published
from unveil.attacks.members._removal import Removal
from unveil.attacks.members._scores import Scores, scores_of
from unveil.attacks.members._texts import ATTACKERS
from unveil.engine import chosen_backend
from unveil.errors import InputError, Text, UnveilError, did_you_mean
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
        The original table, or the members alone if those held out have a table of their own:
        it is then published whole.
    sanitizer : Sanitizer or callable
        What publishes the members' records.
    held_out : float, sequence of int, mask or Microdata
        Who is not in the published table: a share of the people (drawn at random from those who
        are not the attacker's own), record numbers counted from 0, a mask of all records, or
        another table with the same columns.
    attackers : str or sequence of str
        Who attacks. ``"release"`` sees the release alone, ``"population"`` has a sample of other
        people and sanitizes it the same way, ``"removal"`` has two releases between which one
        person left, and asks who. Default: all three.
    own : float
        For ``"population"``: the share of the people who are the attacker's own sample and neither
        members nor held out. If a share is held out, they are a share of the table, and drawn
        first: with the defaults, 20 % of all people are his own, 40 % members and 40 % held out.
        If record numbers or a mask say who is held out, they are a share of all others; if
        another table does, of that table. Without ``"population"`` nobody is taken.
    adversary : Adversary, str or scikit-learn classifier, optional
        How beliefs follow from a release; see `differential_inference`. Default: naive Bayes, or
        whoever learns from what the sanitizer publishes.
    mapping : mapping of str to mapping, optional
        If another table says who is held out: for each column, what its values are called in the
        members' table, such as ``{"sex": {"M": "Male"}}``.
    removals : int
        For ``"removal"``: at most so many releases without a random member, shared out among
        those held out. In intervals, people who share one count as one.
    seed : int
        On which all random choices hang.
    n_jobs, backend : optional
        As for `differential_inference`, which tests the members.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    Membership
        The scores of all people and what follows from them.

    Examples
    --------
    Published as they are, records of people who are one of a kind give themselves away to
    somebody who sees the table before and after they left:

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
        raise InputError(f"removals must be a whole number from 1 up, got {removals!r}")
    chosen_backend(n_jobs, backend)  # what is wrong with them is told now
    people = _people(microdata, held_out, own, mapping, names, number)
    if attacker.prepared(people.table) is not people.table:
        raise InputError(
            f"{attacker.label} needs the table cut into quantiles before it is sanitized, and "
            "those held out are in no such table; choose another encoding, such as "
            "quantiles-after"
        )
    started = time.perf_counter()
    # All that is random hangs on the seed, the noise of what is published as well.
    release = f.with_seed(number).sanitize(people.table)
    understood(attacker, release)
    game = Removal(
        people=people, sanitizer=published(f, people.table, release, number), adversary=attacker,
        removals=int(removals), seed=number,
        options={"n_jobs": n_jobs, "backend": backend, "progress": progress},
    )  # fmt: skip
    present = true_beliefs(people.everybody, attacker, release, people.asked)
    played = {name: scores_of(name, game, present) for name in names}
    finding = Membership(
        people=people,
        played=played,
        sanitizer=f.label,
        adversary=attacker,
        n_classes=len(release.sizes) or None,
        smallest_class=int(release.sizes.min()) if len(release.sizes) else None,
        seed=number,
        seconds=time.perf_counter() - started,
        notes=_notes(release.notes, attacker.notes, played),
    )
    _check(finding)
    return finding


def attackers_named(attackers: Any) -> tuple[str, ...]:
    """The names of attackers, from the weakest to the strongest."""
    if not isinstance(attackers, Iterable):
        raise InputError(
            f"attackers must be one or several of {', '.join(ATTACKERS)}, got {attackers!r}"
        )
    listed = [attackers] if isinstance(attackers, str) else list(attackers)
    for name in listed:
        if not isinstance(name, str) or name not in ATTACKERS:
            near = did_you_mean(name, ATTACKERS) if isinstance(name, str) else ""
            raise InputError(f"no attacker {name!r}{near} (known: {', '.join(ATTACKERS)})")
    if not listed:
        raise InputError(f"attackers is empty; name at least one of {', '.join(ATTACKERS)}")
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
            'own=0 leaves the attacker "population" without a sample; give him a share of the '
            'people, such as own=0.2, or choose others: attackers=["release", "removal"]'
        )
    return people


def _notes(
    release: tuple[Text, ...], adversary: tuple[Text, ...], played: dict[str, Scores]
) -> tuple[Text, ...]:
    theirs = (note for scored in played.values() for note in scored.notes)
    return tuple(dict.fromkeys((*release, *adversary, *theirs)))


def _check(finding: Membership) -> None:
    """Refuse a finding that says nothing."""
    if any(one is not None for one in finding.against.values()):
        return
    reasons = [why for reasons in finding.not_scored.values() for why in reasons]
    if INTERRUPTED in reasons:
        raise KeyboardInterrupt
    said = [text for scored in finding.played.values() for _, text in scored.failures]
    why = "; ".join(dict.fromkeys([*reasons, *map(str, finding.notes), *said[:1]]))
    raise UnveilError(
        f"no attacker could score both members and people held out of {finding.sanitizer}: {why}"
    )
