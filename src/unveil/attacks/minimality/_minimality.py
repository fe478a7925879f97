"""Minimality: a sanitizer's way of working tells more than its output.

After R. C. Wong, A. W. Fu, K. Wang, J. Pei, *Minimality Attack in Privacy Preserving Data
Publishing*, VLDB 2007 (and *Anonymization-Based Attacks in Privacy-Preserving Data Publishing*,
TODS 2009). G. Cormode, N. Srivastava, N. Li, T. Li, *Minimizing Minimality and Maximizing Utility*,
VLDB 2010, say which algorithms leak how much.

A sanitizer generalizes no more than its goal demands. So if it did not cut further, although the
halves would have been large enough, the sensitive values of a half must have missed the goal. An
attacker who knows everybody's quasi-identifiers, the sanitizer and its goal can tell which cuts
these were.

*Worlds* are all ways to give the published sensitive values of each class to its people. From the
release alone all are equally likely: the belief in a value is its share in the class. The attacker
keeps the worlds of which **the sanitizer makes exactly this release**:

    belief(person, value) = worlds kept in which the person has the value / worlds kept.

A goal about sizes alone (k) is met or missed in all worlds alike and tells nothing. For ℓ and t,
the built-in Mondrian and global Recoding are looked into: a world is kept exactly if everything
that was refused is refused in it (see `_attempts`). Classes that no refused attempt ties together
are independent. All worlds are counted if possible, otherwise some are drawn; if a great many
classes are tied, the attacker is assumed to look at each of them alone (see `_solving`). Any other
deterministic sanitizer is run on worlds (see `_running`).

*Assumptions.* The attacker knows everybody in the table and the program that made the release. That
is a strong attacker; but the program is often public, and people of a class often know each other.
"""

from __future__ import annotations

import time
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.minimality._finding import Minimality
from unveil.attacks.minimality._running import by_running, check_same
from unveil.attacks.minimality._solving import Scope, Tries, by_looking, nothing_told
from unveil.errors import Call, File, InputError, Listed, Option, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.microdata import AnyRelease, Column, Microdata, Permuted, Release
from unveil.sanitize import (
    Distance,
    Identity,
    LaplaceCounts,
    Mondrian,
    Recoding,
    Sanitizer,
    as_microdata,
    distance_between,
    heights,
)

__all__ = ["minimality"]

_Path: TypeAlias = Literal["fast", "general"]


def minimality(
    sanitizer: Sanitizer,
    microdata: Microdata,
    *,
    release: Release | None = None,
    path: _Path | None = None,
    scope: Scope | None = None,
    steps: int = 200_000,
    draws: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Minimality:
    """Compute what is believed about people by those who know how a release was made.

    Parameters
    ----------
    sanitizer : Sanitizer
        What made the release, with its goal. It must be deterministic.
    microdata : Microdata
        The original.
    release : Release, optional
        What was published, as it was read back. It must be what the sanitizer makes of the table.
        Default: the sanitizer makes it.
    path : {"fast", "general"}, optional
        Look into the sanitizer, or run it on worlds. Default: ``"fast"`` for Mondrian and global
        Recoding, ``"general"`` for all others.
    scope : {"all", "class"}, optional
        What the attacker uses: everything that was refused, or of each class only what was refused
        within it. Default: everything if that can be computed; for classes of which too many are
        tied together, or about which chains do not agree, their own (`Minimality.alone`).
    steps : int
        Maximum number of steps to count all worlds of a few classes; then some are drawn instead.
    draws : int, optional
        Number of worlds drawn. Default: 20,000, or fewer for large numbers of tied classes; 1,000
        if the sanitizer is run on each.
    seed : int
        Random seed.
    progress : bool, optional
        Show progress. Default: if standard error is a terminal.

    Returns
    -------
    Minimality

    Examples
    --------
    Four people, of whom two have HIV. Each half would have had two people, enough for ℓ = 2, but
    they were not cut. So one half has one disease only, and then so has the other.

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

    Two of the six worlds are left. They tell that 20 and 30 have the same disease, but not which.
    If only HIV occurs twice, and the other half has four people, it is known who has it:

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
    made = _checked_release(sanitizer.sanitize(microdata))
    if release is not None:
        check_same(_checked_release(release), made, microdata, sanitizer)
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
    bound, words = _promised(sanitizer, microdata, made)
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
    """Whether the sanitizer can be looked into."""
    if isinstance(sanitizer, Recoding):
        return sanitizer.scheme == "global"
    return isinstance(sanitizer, Mondrian)


def _asks_inside(sanitizer: Sanitizer) -> bool:
    """Whether its goal is about sensitive values; an unknown one may be."""
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


def _promised(
    sanitizer: Sanitizer, microdata: Microdata, release: Release
) -> tuple[NDArray[np.float64], str]:
    """For each sensitive value, the largest belief that the goal promises; and that in words.

    ℓ promises 1/ℓ. t promises a class that is near the whole table: with q the share of the table
    that has a value, and d the smallest distance from it to another one, at most q + t/d of a
    class can have it, because any excess has to be moved at least d. A sanitizer whose goal is not
    known promises no more than its release has: the largest share of the value in any class.
    """
    secret = microdata.sensitive
    if not isinstance(sanitizer, Mondrian | Recoding) or (
        sanitizer.l is None and sanitizer.t is None
    ):
        shares = release.counts / release.sizes[:, None]
        return shares.max(axis=0), "the largest share of any class"
    most, words = np.ones(secret.size), []
    if sanitizer.l is not None:
        most = np.minimum(most, 1 / sanitizer.l)
        words.append(f"1/{sanitizer.l}")
    if sanitizer.t is not None:
        distance = distance_between(secret, sanitizer.t_distance)
        nearest = _nearest(secret, distance)
        share = microdata.sensitive_counts / len(microdata)
        most = np.minimum(most, share + sanitizer.t / nearest)
        words.append(
            "the table's share + t" if distance == "equal" else "what t allows, by its distance"
        )
    return most.clip(max=1.0), " and ".join(words)


def _nearest(secret: Column, distance: Distance) -> NDArray[np.float64]:
    """The distance of each value from the nearest other one."""
    if distance == "ordered":
        return np.full(secret.size, 1 / max(1, secret.size - 1))
    if distance == "equal":
        return np.ones(secret.size)
    tree = secret.hierarchy
    assert tree is not None  # distance_between says so
    height = heights(tree)
    found = np.ones(secret.size)
    for leaf in range(secret.size):
        above = [node for node in tree.ancestors(leaf) if tree.last[node] > tree.first[node]]
        if above:
            found[leaf] = height[above[0]] / height[tree.root]
    return found


def _checked_release(release: AnyRelease) -> Release:
    parts = {
        "minimality": Call("minimality"),
        "made_by": File(release.made_by, bare=True),
        "differential": Call("differential_inference"),
        "membership": Call("membership"),
    }
    if isinstance(release, Permuted):
        raise InputError(
            "{minimality} gives the sensitive values of a class to its people, but {made_by} draws "
            "its groups at random: which groups it made does not depend on who has which value",
            **parts,
        )
    if not isinstance(release, Release):
        raise InputError(
            "{minimality} gives the sensitive values of a class to its people, but {made_by} "
            "publishes no classes, {instead}",
            instead=release.instead, **parts,
        )  # fmt: skip
    if release.perturbed:
        raise InputError(
            "{minimality} assumes that published values are true, but {made_by} publishes values "
            "of {columns} that may not be; {differential} and {membership} test such releases",
            columns=Listed([ColumnName(name) for name in release.perturbed], "and"), **parts,
        )  # fmt: skip
    return release


def _check(sanitizer: Any, path: Any, scope: Any, steps: Any, draws: Any, seed: Any) -> None:
    minimality = Call("minimality")
    if not isinstance(sanitizer, Sanitizer):
        raise InputError(
            "{minimality} needs a sanitizer, such as {mondrian}(k=5, l=3), got a {kind}",
            minimality=minimality, mondrian=Call("Mondrian"), kind=type(sanitizer).__name__,
        )  # fmt: skip
    label, known = File(sanitizer.label, bare=True), _is_known(sanitizer)
    for name, given, choices in (
        ("path", path, ("fast", "general")),
        ("scope", scope, ("all", "class")),
    ):
        if given is not None and given not in choices:
            raise InputError(
                "{option} must be {choices}, got {given}{near}",
                option=Option(name), choices=Listed([f'"{choice}"' for choice in choices], "or"),
                given=repr(given), near=did_you_mean(str(given), choices),
            )  # fmt: skip
    if path == "fast" and not known:
        raise InputError(
            "{fast} looks into Mondrian and global Recoding, but {label} is neither; {general} "
            "runs it on worlds",
            fast=Option("path", "fast"), label=label, general=Option("path", "general"),
        )  # fmt: skip
    if scope is not None and (path == "general" or not known):
        raise InputError(
            "{scope} is about what was refused, but {label} is run on worlds; leave it out",
            scope=Option("scope", scope), label=label,
        )  # fmt: skip
    if sanitizer.is_random or isinstance(sanitizer, LaplaceCounts):
        raise InputError(
            "{minimality} compares the releases of many worlds, but {label} is random; "
            "{differential} and {membership} test such releases",
            minimality=minimality, label=label, differential=Call("differential_inference"),
            membership=Call("membership"),
        )  # fmt: skip
    if not sanitizer.deterministic:
        raise InputError(
            "{minimality} compares the releases of many worlds, but {label} may be random; if it "
            "is not, say so in its class: deterministic = True",
            minimality=minimality, label=label,
        )  # fmt: skip
    for name, number, least in (("steps", steps, 1), ("draws", draws, 1), ("seed", seed, 0)):
        if number is None and name == "draws":
            continue
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < least:
            raise InputError(
                "{option} must be a whole number of at least {least}, got {given}",
                option=Option(name), least=least, given=repr(number),
            )  # fmt: skip
