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
deterministic sanitizer is run on worlds: all of them if they are few, otherwise some that are
drawn. That is the definition itself, and slow.

*Assumptions.* The attacker knows everybody in the table and the program that made the release. That
is a strong attacker; but the program is often public, and people of a class often know each other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, product
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil.attacks.minimality._finding import Minimality, cells_of
from unveil.attacks.minimality._solving import (
    Scope,
    Solved,
    Tries,
    by_looking,
    from_draws,
    put_together,
)
from unveil.attacks.tolerance import Near
from unveil.engine import Progress as ProgressBar
from unveil.errors import Call, Cell, File, GoalError, InputError, Listed, Message, Option
from unveil.errors import Column as ColumnName
from unveil.microdata import (
    AnyRelease,
    Column,
    Microdata,
    Release,
    refuse_perturbed,
    with_records,
)
from unveil.options import Help, Progress, Seed, Shell, Tolerance, by_row, checked
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

_Path = Annotated[
    Literal["fast", "general"] | None,
    Help(
        "Look into the sanitizer (fast), or run it on worlds (general). Default: fast for Mondrian "
        "and global Recoding, general for all others."
    ),
]
_Scope = Annotated[
    Scope | None,
    Help(
        "What the attacker uses: everything that was refused (all), or of each class only what was "
        "refused within it (class). Default: everything if that can be computed; for classes of "
        "which too many are tied together, or about which chains do not agree, their own."
    ),
]
_Steps = Annotated[
    int,
    Ge(1),
    Help(
        "Maximum number of steps to count all worlds of a few classes; then some are drawn instead."
    ),
    Shell(metavar="N"),
]
_Draws = Annotated[
    int | None,
    Ge(1),
    Help(
        "Number of worlds drawn. Default: 20,000, or fewer for large numbers of tied classes; "
        "1,000 if the sanitizer is run on each."
    ),
    Shell(metavar="N"),
]


@checked
@by_row(
    "its worlds give out the values of a class row by row, as if all were of different people",
    instead=["inference", "differential_inference"],
)
def minimality(
    sanitizer: Sanitizer,
    microdata: Microdata,
    *,
    release: Release | None = None,
    path: _Path = None,
    scope: _Scope = None,
    steps: _Steps = 200_000,
    draws: _Draws = None,
    tolerance: Tolerance = None,
    seed: Seed = 0,
    progress: Progress = None,
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
    4), although all parts are large enough: the values of one must miss the goal. So the belief
    that record 0 has HIV is 100% instead of 33%.
    """
    _check(sanitizer, path, scope)
    microdata = as_microdata(microdata, "minimality")
    near = Near.of(microdata.sensitive, microdata.sensitive_counts, tolerance)
    made = _checked_release(sanitizer.sanitize(microdata))
    if release is not None:
        _check_same(_checked_release(release), made, microdata, sanitizer)
    inside = _asks_inside(sanitizer)
    # A goal about sizes alone tells nothing, however it is met: there is nothing to run.
    fast = path == "fast" if path is not None else _is_known(sanitizer) or not inside
    started = time.perf_counter()
    tries = Tries(steps=steps, draws=draws or (20_000 if fast else 1_000), seed=seed)
    if fast and not inside:
        finding = put_together(made)
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
        near=near,
        notes=(*made.notes, *near.notes),
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
    """The distance of each value from the nearest other one, which is the one before or after."""
    gaps = np.ones(secret.size - 1)
    if distance == "ordered":
        gaps /= max(1, len(gaps))
    elif distance == "hierarchical":
        tree = secret.hierarchy
        assert tree is not None  # distance_between says so
        above = [tree.lowest_common_ancestor(s, s + 1) for s in range(len(gaps))]
        height = heights(tree)
        gaps = height[above] / height[tree.root]
    return np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))


def _checked_release(release: AnyRelease) -> Release:
    checked = with_records(release, "minimality")
    refuse_perturbed(checked, [*checked.quasi, checked.sensitive], "minimality")
    return checked


def _check(sanitizer: Any, path: str | None, scope: str | None) -> None:
    minimality = Call("minimality")
    if not isinstance(sanitizer, Sanitizer):
        raise InputError(
            "{minimality} needs a sanitizer, such as {mondrian}(k=5, l=3), got a {kind}",
            minimality=minimality, mondrian=Call("Mondrian"), kind=type(sanitizer).__name__,
        )  # fmt: skip
    label, known = File(sanitizer.label, bare=True), _is_known(sanitizer)
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
    is_random = sanitizer.is_random or isinstance(sanitizer, LaplaceCounts)
    if is_random or not sanitizer.deterministic:
        raise InputError(
            "{minimality} compares the releases of many worlds, but {label} {why}",
            minimality=minimality, label=label, why=Message(
                "is random; {differential} and {membership} test such releases",
                differential=Call("differential_inference"), membership=Call("membership"),
            ) if is_random
            else "may be random; if it is not, say so in its class: deterministic = True",
        )  # fmt: skip


def _by_running(
    sanitizer: Sanitizer,
    microdata: Microdata,
    release: Release,
    tries: Tries,
    progress: bool | None,
) -> dict[str, Any]:
    """Everybody's beliefs, one row per record."""
    n = len(microdata)
    people = [np.flatnonzero(release.class_of == c) for c in range(release.n_classes)]
    number = math.prod(math.prod(map(math.comb, accumulate(c), c)) for c in release.counts.tolist())
    exact = number <= tries.draws
    worlds = _all(microdata, people) if exact else _some(microdata, people, tries)
    kept, gone = np.zeros((2, n, microdata.sensitive.size))
    n_kept, total = 0, number if exact else tries.draws
    with ProgressBar("sanitizing worlds", total, progress, unit="worlds") as bar:
        for secrets in worlds:
            same = _gives(sanitizer, _world(microdata, secrets), release)
            (kept if same else gone)[np.arange(n), secrets] += 1
            n_kept += same
            bar.advance(1)
    share = (release.counts / release.sizes[:, None])[release.class_of]
    if exact:
        found = Solved(belief=kept / n_kept, error=np.zeros(n), how="exact", kept=n_kept / total)
    elif n_kept:
        found = from_draws(share, kept, gone, n_kept, total)
    else:  # only the true world is known to give this release: nothing is known about the others
        found = Solved(belief=share, error=np.ones(n), how="drawn", kept=0.0)
    return {
        "group_of": np.arange(n), "belief": found.belief, "error": found.error,
        "how": np.full(n, found.how, dtype=object), "kept": found.kept, "components": 1,
        "rhat": found.rhat, "alone": np.zeros(n, dtype=bool), "refused": {},
    }  # fmt: skip


def _gives(sanitizer: Sanitizer, world: Microdata, release: Release) -> bool:
    try:
        made = sanitizer.sanitize(world)
    except GoalError:
        return False
    return isinstance(made, Release) and _is_same(made, release)


def _world(microdata: Microdata, secrets: NDArray[np.int32]) -> Microdata:
    own = microdata.sensitive
    columns = (replace(own, codes=secrets.copy()) if c is own else c for c in microdata.columns)
    return replace(microdata, columns=tuple(columns))


def _all(microdata: Microdata, people: list[NDArray[np.intp]]) -> Iterator[NDArray[np.int32]]:
    """Every arrangement of the sensitive values within classes, once."""
    secrets = microdata.sensitive.codes.copy()
    ways = [list(_arranged(np.bincount(secrets[some]).tolist())) for some in people]
    for world in product(*ways):
        for some, values in zip(people, world, strict=True):
            secrets[some] = values
        yield secrets


def _arranged(counts: list[int]) -> Iterator[list[int]]:
    """All ways to put so many of each value in a row.

    >>> list(_arranged([2, 1]))
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    if not any(counts):
        yield []
    for value, number in enumerate(counts):
        if number:
            rest = [n - (other == value) for other, n in enumerate(counts)]
            yield from ([value, *more] for more in _arranged(rest))


def _some(
    microdata: Microdata, people: list[NDArray[np.intp]], tries: Tries
) -> Iterator[NDArray[np.int32]]:
    rng, secrets = np.random.default_rng(tries.seed), microdata.sensitive.codes.copy()
    for _ in range(tries.draws):
        for some in people:
            secrets[some] = rng.permutation(secrets[some])
        yield secrets


def _is_same(one: Release, other: Release) -> bool:
    """Whether two releases of the same people are the same, record by record.

    Their notes count, too: they tell the levels of a recoding.
    """
    if one.n_classes != other.n_classes or one.notes != other.notes:
        return False
    # Classes may be numbered differently.
    number = np.full(one.n_classes, -1)
    number[one.class_of] = other.class_of
    cells = zip(one.cells(), other.cells(), strict=True)
    return (
        bool((number[one.class_of] == other.class_of).all())
        and bool((one.counts == other.counts[number]).all())
        and all(mine == [theirs[g] for g in number] for mine, theirs in cells)
    )


def _check_same(given: Release, made: Release, microdata: Microdata, sanitizer: Sanitizer) -> None:
    """Refuse a release that is not what the sanitizer makes of the table."""
    source = File(microdata.source, bare=True)
    columns = zip(
        (*microdata.quasi, microdata.sensitive), (*given.quasi, given.sensitive), strict=False
    )
    for own, other in columns:
        if own.name != other.name or own.texts != other.texts:
            raise InputError(
                "the values of {column} in the release differ from those in {source}; read it "
                "together with its original: {read_release}(file, microdata)",
                column=ColumnName(own.name), source=source, read_release=Call("read_release"),
            )  # fmt: skip
    if given.dropped or len(given) != len(microdata):
        raise InputError(
            "the release has {given} of the {records} records of {source}; {minimality} needs all "
            "of them, suppressed ones with * in every column",
            given=len(given), records=len(microdata), source=source, minimality=Call("minimality"),
        )  # fmt: skip
    mine, theirs = _described(made), _described(given)
    if mine == theirs:
        return
    told = [
        Message("{who} {words}", who=who, words=_words(release, key, own[key]))
        for who, release, own, other in (
            ("the release has", given, theirs, mine),
            ("the sanitizer makes", made, mine, theirs),
        )
        for key in [key for key in own if own[key] != other.get(key)][:1]
    ]
    raise InputError(
        "this release is not what {sanitizer} makes of {source}: {told}; give the goal and options "
        "that it was made with, and the unchanged table",
        sanitizer=File(sanitizer.label, bare=True), source=source, told=Listed(told, "and"),
    )  # fmt: skip


def _described(release: Release) -> dict[str, list[int]]:
    """How many records of each sensitive value have each combination of cells."""
    counts = pd.DataFrame(release.counts).groupby(_cells(release), sort=False).sum()
    return dict(zip(counts.index, counts.to_numpy().tolist(), strict=True))


def _cells(release: Release) -> list[str]:
    """What the cells of each class cover, regardless of how they are written."""
    covered = [
        np.packbits(np.stack([r.covers(v) for v in range(c.size)], axis=1), axis=1)
        for c, r in zip(release.quasi, release.regions, strict=True)
    ]
    return [row.tobytes().hex() for row in np.hstack(covered)]


def _words(release: Release, key: str, counts: list[int]) -> Message:
    cells = ", ".join(cells_of(release, _cells(release).index(key)))
    values = zip(counts, release.sensitive.texts, strict=True)
    secrets = ", ".join(f"{number} {text}" for number, text in values if number)
    return Message("a class {cells} with {secrets}", cells=Cell(cells, bare=True),
                   secrets=Cell(secrets, bare=True))  # fmt: skip
