"""Linkage: an external table with names against a release.

The oldest attack of all. L. Sweeney (*k-Anonymity: a Model for Protecting Privacy*, 2002) bought
the voter list of Cambridge, Massachusetts, and found the governor's hospital record by his date of
birth, sex and ZIP code. The attacker has a table of people, with their names and quasi-identifiers,
and looks for each of them in the release.

*Candidates* of a person are the records whose cells cover the person's values in every column that
the attacker knows. If the person is in the release, and what is published is true, one of the
candidates is the person's own record. He can link

- *uniquely*, if there is one candidate;
- *to one sensitive value*, if all candidates have the same: he need not know which is the person's
  (homogeneity);
- else he picks one at random, and is right about the record with probability 1 / candidates, and
  about the value with the share of the candidates that have it.

He does not know whether he is right: whoever is not in the release may have candidates all the
same. With the original (``microdata=``) that is counted, too: how many have their own record among
their candidates, how many links are right, and how many of those that look certain are wrong.

From the other side, a journalist who wants anybody picks a record with a single person in his table
that its cells cover.

Of a *permuted* release (Anatomy), which publishes quasi-identifiers as they are, candidates are the
records that are like the person; what they tell of the sensitive value is what their groups have.

Nothing compares all people with all records. People with the same values are one point, classes
are boxes sorted into a tree, and a search looks only where boxes may cover the point.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linking._external import external_of
from unveil.attacks.linking._finding import Linkage
from unveil.attacks.linking._index import Index
from unveil.attacks.linking._links import Right, links_of
from unveil.attacks.linking._placing import (
    MissingPeople,
    Placing,
    Unknown,
    check_placing,
)
from unveil.attacks.linking._truth import Truth, truth_of
from unveil.errors import InputError, did_you_mean
from unveil.microdata import AnyRelease, Mapped, Microdata, Permuted, Release, refuse_perturbed

__all__ = ["known_columns", "linkage", "with_candidates"]


def linkage(
    release: AnyRelease,
    external: Any,
    *,
    microdata: Microdata | None = None,
    identifier: str | None = None,
    quasi: str | Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    mapping: Mapped = None,
    unknown: Unknown = "error",
    missing: MissingPeople = "error",
    record_of: Sequence[int] | NDArray[Any] | None = None,
    progress: bool | None = None,
) -> Linkage:
    """Look for the people of an external table in a release.

    Parameters
    ----------
    release : Release or Permuted
    external : Microdata, pandas, polars or Arrow table, mapping, or path
        The people whom the attacker knows, one row each. Needs the release's quasi-identifiers;
        nothing sensitive.
    microdata : Microdata, optional
        The original, to count which links are right.
    identifier : str, optional
        The column that names people, in both tables. By default that of microdata.
    quasi : str or sequence of str, optional
        The quasi-identifiers that the attacker knows; by default all of the release's.
    columns : mapping of str to str, optional
        What the external table calls columns that have another name in the release:
        ``{"zip": "postcode"}``.
    mapping : mapping of str to mapping, optional
        For each column, what values of the external table are called in the release:
        ``{"sex": {"M": "Male"}}``. None stands for a value that the release does not have.
    unknown : {"error", "apart"}
        What is done about words that the release does not know: refuse them, or take them for
        values that only ``*`` covers. Numbers need not be in the release.
    missing : {"error", "drop", "any", "category"}
        What is done about missing values of people: refuse them, leave these people out, let any
        cell cover them, or take them for the release's value ``(missing)``.
    record_of : sequence of int, optional
        Instead of names: everybody's record in the original, counted from 0, and -1 for people
        who are not in it. Not needed if the external table is the original itself.
    progress : bool, optional
        Show progress; default: if standard error is a terminal.

    Returns
    -------
    Linkage

    Examples
    --------
    >>> import unveil as uv
    >>> patients = uv.read_table(
    ...     {"name": ["Ann", "Bob", "Cat", "Dan"], "age": [28, 36, 47, 53],
    ...      "disease": ["Flu", "Flu", "Cancer", "Flu"]},
    ...     identifier="name", quasi="age", sensitive="disease")
    >>> release = uv.Mondrian(k=2).sanitize(patients)
    >>> register = {"name": ["Ann", "Dan", "Eve"], "age": [28, 53, 70]}
    >>> finding = uv.linkage(release, register, identifier="name", microdata=patients)
    >>> finding.candidates.tolist(), finding.values.tolist()
    ([2, 2, 0], [1, 2, 0])
    >>> print(finding.verdict())
    Of 3 people, none is linked to a single record of the release by Mondrian(k=2), and 1 (33%)
    to a single disease (1 rightly); of the 2 who are in the table, an attacker who picks one of
    the candidates at random names the right record for 50%, and the right disease for 75% (75%
    if he picks any record).
    """
    published = with_candidates(release, "linkage")
    names = known_columns([published], quasi)
    said = check_placing(mapping, unknown, missing, names)
    people = external_of(external, names, identifier, called=columns)
    truth = truth_of(
        published, people, external, microdata, identifier=identifier, record_of=record_of
    )
    started = time.perf_counter()
    tables = [people] if truth is None else [people, truth.original]
    placing = Placing.of(published, tables, mapping=said, unknown=unknown, missing=missing)
    kept = placing.kept(people)
    people, codes = people.take(kept), placing.codes[0][kept]
    index = Index.of(published, placing.regions, placing.sizes, placing.everything)
    notes = [*published.notes, *people.notes, *placing.notes, *_about_values(published)]
    if truth is None:
        links, _, persons = links_of(index, codes, progress=progress)
        right = None
    else:
        truth = truth.take(kept)
        links, right, persons = links_of(
            index, codes, truth, placing.codes[1], changed=_is_changed(published),
            progress=progress,
        )  # fmt: skip
        right, told = _exactly(published, index, codes, truth, placing.codes[1], right)
        notes += told
    return Linkage(
        release=published,
        people=people,
        known=tuple(names),
        links=links,
        right=right,
        persons=persons,
        index=index,
        codes=codes,
        seconds=time.perf_counter() - started,
        notes=tuple(dict.fromkeys(notes)),
    )


def _is_changed(release: Release | Permuted) -> bool:
    """Whether published sensitive values need not be true."""
    return isinstance(release, Release) and release.sensitive.name in release.perturbed


def _about_values(release: Release | Permuted) -> list[str]:
    if _is_changed(release):
        return [
            f"{release.made_by} publishes values of {release.sensitive.name} that need not be "
            "true: a link to a record may be right, and what it tells wrong"
        ]
    return []


def _exactly(
    release: Release | Permuted,
    index: Index,
    codes: NDArray[np.int32],
    truth: Truth,
    original: NDArray[np.int32],
    right: Right,
) -> tuple[Right, list[str]]:
    """Whose own record is among the candidates, by the record itself if its place is known."""
    if isinstance(release, Permuted):
        return right, [
            "no record of a permuted release has a value of its own: one counts as somebody's own "
            "if it is like the original's and its group has the value"
        ]
    if not _in_order(release, index, truth, original):
        return right, [
            "the release does not have the original's records in their order: one counts as "
            "somebody's own if it may be, for its cells cover what the original has"
            + ("" if _is_changed(release) else " and it has the same value")
        ]
    known = np.flatnonzero(right.in_table)
    among = right.among.copy()
    classes = release.class_of[truth.record_of[known]].astype(np.int64)
    among[known] = index.covered(classes, codes[known])
    return replace(right, among=among), []


def _in_order(release: Release, index: Index, truth: Truth, original: NDArray[np.int32]) -> bool:
    """Whether each record of the release can be that of the original in its place."""
    if len(release) != len(original):
        return False
    if not _is_changed(release) and (release.sensitive.codes != truth.secrets).any():
        return False
    return bool(index.covered(release.class_of.astype(np.int64), original).all())


def with_candidates(release: Any, what: str) -> Release | Permuted:
    """The release, if it has records, and cells that are true of them."""
    if not isinstance(release, AnyRelease):
        raise InputError(
            f"{what} needs a release, got a {type(release).__name__}; a sanitizer makes one, and "
            "unveil.read_release reads one"
        )
    if not isinstance(release, Release | Permuted):
        raise InputError(
            f"{what} looks for people among released records, and {release.made_by} publishes "
            f"none, {release.instead}: there is nobody to be found; differential_inference and "
            "membership test such releases"
        )
    if isinstance(release, Release):
        refuse_perturbed(release, release.quasi, what)
    return release


def known_columns(
    releases: Sequence[Release | Permuted], quasi: str | Sequence[str] | None
) -> list[str]:
    """The quasi-identifiers that the attacker knows."""
    there = list(dict.fromkeys(c.name for release in releases for c in release.quasi))
    if quasi is None:
        return there
    asked = [quasi] if isinstance(quasi, str) else list(quasi)
    for name in asked:
        if name not in there:
            raise InputError(
                f"quasi names {name!r}, which is no quasi-identifier of the release"
                f"{did_you_mean(str(name), there)} (those are {', '.join(there)})"
            )
    if not asked:
        raise InputError("quasi=[…] is empty: an attacker who knows nothing finds nobody")
    return list(dict.fromkeys(asked))
