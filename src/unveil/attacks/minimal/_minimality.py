"""Minimality: a sanitizer's way of working tells more than its output.

After R. C. Wong, A. W. Fu, K. Wang, J. Pei, *Minimality Attack in Privacy Preserving Data
Publishing*, VLDB 2007 (and *Anonymization-Based Attacks in Privacy-Preserving Data Publishing*,
TODS 2009); G. Cormode, N. Srivastava, N. Li, T. Li, *Minimizing Minimality and Maximizing Utility*,
VLDB 2010, say which algorithms leak how much.

A sanitizer generalizes no more than its goal demands. So where it did not cut further, although
the halves would have been large enough, a half must have failed for the secrets in it. Whoever
knows everybody's quasi-identifiers, the sanitizer and its goal can tell which cuts these were.

*Worlds* are all ways to give the published secrets of each class to the people in it. From the
release alone they are all equally likely: belief in a value is its share in the class. The
attacker keeps the worlds of which **the sanitizer makes exactly this release**:

    belief(person, value) = worlds kept in which the person has the value / worlds kept.

A goal that is about sizes alone (k) is met or missed in all worlds alike and tells nothing. For
ℓ and t, built-in Mondrian and global Recoding are looked into: a world is kept just if everything
that was refused is refused in it (see `_mondrian`, `_recoding`). Classes that no refused cut ties
together are independent. All worlds are counted where that is possible, else drawn. Where a great
many classes hang together, the attacker is taken to look at each of them alone (see `_looking`).
Any other deterministic sanitizer is run on worlds (see `_general`).

Assumed is an attacker who knows everybody in the table and the program that made the release. That
is a strong one; the program is often public, and people of a class often know each other.
"""

from __future__ import annotations

import time
from typing import Any, Literal, TypeAlias

import numpy as np

from unveil.attacks.minimal._finding import Minimality
from unveil.attacks.minimal._general import by_running
from unveil.attacks.minimal._looking import Scope, by_looking, nothing_told
from unveil.attacks.minimal._promise import promised
from unveil.attacks.minimal._same import check_same
from unveil.attacks.minimal._solving import Tries
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease, Microdata, Permuted, Release
from unveil.sanitize import (
    Identity,
    LaplaceCounts,
    Mondrian,
    Recoding,
    Sanitizer,
    as_microdata,
)

__all__ = ["Path", "minimality"]

Path: TypeAlias = Literal["fast", "general"]


def minimality(
    sanitizer: Sanitizer,
    microdata: Microdata,
    *,
    release: Release | None = None,
    path: Path | None = None,
    scope: Scope | None = None,
    steps: int = 200_000,
    draws: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Minimality:
    """Count what is believed of people by those who know how a release was made.

    Parameters
    ----------
    sanitizer : Sanitizer
        What made the release, with its goal. It must be deterministic.
    microdata : Microdata
        The original.
    release : Release, optional
        What was published, as it was read back; it must be what the sanitizer makes of the
        table. By default the sanitizer makes it.
    path : {"fast", "general"}, optional
        Look into the sanitizer, or run it on worlds. By default ``"fast"`` for Mondrian and global
        Recoding, ``"general"`` for all others.
    scope : {"all", "class"}, optional
        What the attacker takes into account: everything that was refused, or of each class only
        what was refused within it. By default everything where that can be found out, and of
        classes of which too many hang together, or about which chains do not agree, what is their
        own (`Minimality.alone`).
    steps : int
        How long all worlds of a few classes are counted, before some are drawn instead.
    draws : int, optional
        How many worlds are drawn; by default 20,000, of which classes that hang together in large
        numbers walk through fewer, and 1,000 if the sanitizer is run on each.
    seed : int
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    Minimality

    Examples
    --------
    Four people, of whom two have HIV. Each half would have had two people, enough for ℓ = 2; but
    they were not cut. So one half, and then the other too, has one disease only.

    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"age": [20, 30, 60, 70], "disease": ["HIV", "HIV", "Flu", "Flu"]},
    ...     quasi="age", sensitive="disease")
    >>> finding = uv.minimality(uv.Mondrian(l=2), patients)
    >>> finding.kept
    0.3333333333333333
    >>> finding.beliefs_of(0)
      value  released  believed
    0   Flu       0.5       0.5
    1   HIV       0.5       0.5

    Two of the six worlds are left, which tells that 20 and 30 have the same disease, and not which.
    Where only HIV is there twice, and four others are too many for it, it is known who has it:

    >>> patients = uv.read_table(
    ...     {"age": [20, 30, 60, 60, 60, 60],
    ...      "disease": ["HIV", "HIV", "Flu", "Cold", "Gout", "Mumps"]},
    ...     quasi="age", sensitive="disease")
    >>> finding = uv.minimality(uv.Mondrian(l=2), patients)
    >>> finding.determined.tolist()
    [True, True, False, False, False, False]
    >>> print(finding.why(0))
    The class age [20, 60] (6 people): the sanitizer did not cut it by age (age ≤ 30: 2, age > 30:
    4), though all parts are large enough: the secrets of one must miss the goal. So HIV is
    believed of record 0 with 100% instead of 33%.
    """
    _check(sanitizer, path, scope, steps, draws, seed)
    microdata = as_microdata(microdata, "minimality")
    made = _made(sanitizer, microdata)
    if release is not None:
        _check_release(release)
        check_same(release, made, microdata, sanitizer)
    inside = _asks_inside(sanitizer)
    # A goal about sizes alone tells nothing, however it is met: there is nothing to run.
    fast = path == "fast" if path is not None else _is_known(sanitizer) or not inside
    started = time.perf_counter()
    tries = Tries(steps=steps, draws=draws or (20_000 if fast else 1_000), seed=seed)
    if fast and not inside:
        finding = nothing_told(made)
    elif fast:
        assert isinstance(sanitizer, Mondrian | Recoding)  # checked
        finding = by_looking(sanitizer, microdata, made, tries, scope, progress)
    else:
        finding = _by_running(sanitizer, microdata, made, tries, progress)
    bound, words = promised(sanitizer, microdata, made)
    return Minimality(
        **finding,
        microdata=microdata,
        release=made,
        asks_inside=inside,
        path="fast" if fast else "general",
        bound=bound,
        bound_in_words=words,
        seconds=time.perf_counter() - started,
        notes=made.notes,
    )


def _is_known(sanitizer: Sanitizer) -> bool:
    """Whether it is a sanitizer that can be looked into."""
    if isinstance(sanitizer, Recoding):
        return sanitizer.scheme == "global"
    return isinstance(sanitizer, Mondrian)


def _asks_inside(sanitizer: Sanitizer) -> bool:
    """Whether its goal is about secrets; of one that is not known, it may be."""
    if isinstance(sanitizer, Identity):
        return False
    if not isinstance(sanitizer, Mondrian | Recoding):
        return True
    return int(sanitizer.l or 1) > 1 or sanitizer.t is not None


def _by_running(
    sanitizer: Sanitizer,
    microdata: Microdata,
    made: Release,
    tries: Tries,
    progress: bool | None,
) -> dict[str, Any]:
    answer = by_running(sanitizer, microdata, made, tries, progress=progress)
    return {
        "group_of": np.arange(len(microdata)),
        "belief": answer.belief,
        "error": answer.error,
        "how": np.full(len(microdata), answer.how, dtype=object),
        "kept": answer.kept,
        "components": 1,
        "rhat": 1.0,
        "alone": np.zeros(len(microdata), dtype=bool),
        "refused": {},
    }


def _made(sanitizer: Sanitizer, microdata: Microdata) -> Release:
    release = sanitizer.sanitize(microdata)
    _check_release(release)
    assert isinstance(release, Release)  # checked
    return release


def _check_release(release: AnyRelease) -> None:
    if isinstance(release, Permuted):
        raise InputError(
            f"minimality gives the secrets of a class to its people, and {release.made_by} "
            "publishes groups that it draws: which groups it made does not follow from who has "
            "which secret"
        )
    if not isinstance(release, Release):
        raise InputError(
            f"minimality gives the secrets of a class to its people, and {release.made_by} "
            f"publishes none, {release.instead}"
        )
    if release.perturbed:
        raise InputError(
            f"minimality takes what is published for true, and {release.made_by} publishes values "
            f"of {', '.join(release.perturbed)} that need not be; differential_inference and "
            "membership test such releases"
        )


def _check(sanitizer: Any, path: Any, scope: Any, steps: Any, draws: Any, seed: Any) -> None:
    if not isinstance(sanitizer, Sanitizer):
        raise InputError(
            f"minimality needs a sanitizer, such as unveil.Mondrian(k=5, l=3), got a "
            f"{type(sanitizer).__name__}"
        )
    if path not in (None, "fast", "general"):
        near = did_you_mean(str(path), ["fast", "general"])
        raise InputError(f'path must be "fast" or "general", got {path!r}{near}')
    if path == "fast" and not _is_known(sanitizer):
        raise InputError(
            f'path="fast" looks into Mondrian and global Recoding, and {sanitizer.label} is '
            'neither; path="general" runs it on worlds'
        )
    if scope not in (None, "all", "class"):
        near = did_you_mean(str(scope), ["all", "class"])
        raise InputError(f'scope must be "all" or "class", got {scope!r}{near}')
    if scope is not None and (path == "general" or not _is_known(sanitizer)):
        raise InputError(
            f"scope={scope!r} is about what was refused, and {sanitizer.label} is run on worlds; "
            "leave it out"
        )
    if sanitizer.is_random or isinstance(sanitizer, LaplaceCounts):
        raise InputError(
            "minimality asks of which worlds a sanitizer makes the same release, and "
            f"{sanitizer.label} depends on chance; differential_inference and membership "
            "test such releases"
        )
    if not sanitizer.deterministic:
        raise InputError(
            "minimality asks of which worlds a sanitizer makes the same release, and "
            f"{sanitizer.label} may depend on chance; if it does not, say so in its class: "
            "deterministic = True"
        )
    for name, number in (("steps", steps), ("draws", draws), ("seed", seed)):
        least = 0 if name == "seed" else 1
        if number is None and name == "draws":
            continue
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < least:
            raise InputError(f"{name} must be a whole number from {least} up, got {number!r}")
