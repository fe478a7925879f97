"""Composition: several releases about the same people, put together.

After S. R. Ganta, S. P. Kasiviswanathan and A. Smith, *Composition Attacks and Auxiliary
Information in Data Privacy*, KDD 2008: the *intersection attack*. Two hospitals publish their
patients, each with k-anonymity. An attacker who knows that a person was in both looks for that
person in each release, and keeps only what fits both. Each release may meet its goal while both
together do not.

*What is known.* The person is in all published tables, and has the same sensitive value in each.
The attacker knows the quasi-identifiers that the releases have.

*One release.* The *candidates* of person p are the published sensitive values that may be p's:
those of the records whose cells cover p or, in a permuted release, those of the groups that have a
record like p. c(s) is the number of candidates with value s.

*Together.* A value s may be p's only if each release has it among p's candidates, so the sets of
values are intersected. How many people may still be p? They are in all tables, too, and their
records are among p's candidates in each release. The attacker cannot tell which records of two
releases are the same person's. But at most min over the releases of c(s) people have the value s,
so at most Σ min c(s) people are left, summed over the values. If that is less than k, it is
certain, although nobody knows which records they are.

*Pseudonyms.* If the releases tell which records are the same person's (a pseudonym, a key, the
same order), records are intersected instead, and the number is exact: the people whose records
cover p in every release.

*Contradictions.* If p is in all tables and everything published is true, p's own record is a
candidate in each release, so p's own value is always left. Releases with changed values
(microaggregation, randomized response) are refused: there, an empty intersection means nothing. If
a person's own value is lost anyway, the person is not in one of the tables, or was published
differently. That is an error if the release has as many records as the original; otherwise these
people are counted.

*Suppressed* records (``*`` in every quasi-identifier) cover everybody. As in linkage, they are
candidates only of people whom no other record of the release covers. Anybody else is suppressed
with a chance of at most (suppressed records) / (records), on average; then their candidates are the
wrong ones, and their own value may be lost. With pseudonyms, a record that is suppressed in any of
the releases is a candidate only of people whom no other covers.

Where a person may have several rows, candidates are people: see `_by_person`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pandas as pd
from annotated_types import Ge
from numpy.typing import NDArray

from unveil._text import counted
from unveil.attacks.composition._by_person import (
    PersonComposition,
    Rows,
    fewest_people,
    of_people,
    pseudonyms,
)
from unveil.attacks.composition._finding import Composition
from unveil.attacks.composition._intersection import (
    Left,
    Problem,
    intersected,
    joint_index,
    matched_records,
)
from unveil.attacks.people import (
    Covers,
    External,
    Index,
    Placing,
    external_of,
    has_repeated,
    in_order,
    known_columns,
    known_records,
    named_people,
    opened_list,
    people_of_list,
    person_columns,
    refuse_same_names,
    released_people,
    suppressed_in,
    truth_of,
    with_candidates,
)
from unveil.attacks.tolerance import Near, near_of
from unveil.errors import Call, Column, File, InputError, Option, Row
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Permuted,
    Release,
    checked_mapping,
    refuse_perturbed,
)
from unveil.options import (
    ExternalPerson,
    Help,
    Knows,
    MissingPeople,
    Progress,
    Recode,
    Rename,
    Shell,
    Tolerance,
    Unknown,
    by_person,
    checked,
)


@checked
@by_person
def composition(
    releases: Sequence[AnyRelease] | Mapping[str, AnyRelease],
    microdata: Microdata | None = None,
    *,
    external: Any = None,
    k: Annotated[
        int | None,
        Ge(1),
        Help(
            "Number of candidates that a person should have at least. Default: the number of "
            "records in the smallest class (or group) of all releases."
        ),
        Shell(metavar="K"),
    ] = None,
    pseudonym: Annotated[
        Sequence[Sequence[Any] | NDArray[Any]] | None,
        Help(
            "What tells which records are the same person's, so that numbers are exact: for each "
            "release, the names of its records, in their order; in a shell, a column of all "
            "releases (for --sanitizer: of FILE)."
        ),
        Shell(metavar="COLUMN", column_of_releases=True),
    ] = None,
    identifier: str | None = None,
    knows: Knows = None,
    rename: Rename = None,
    recode: Recode = None,
    unknown: Unknown = "error",
    missing_people: MissingPeople = "error",
    record_of: Sequence[int] | NDArray[Any] | None = None,
    external_person: ExternalPerson = None,
    tolerance: Tolerance = None,
    progress: Progress = None,
) -> Composition:
    """Combine two or more releases, and count the candidates that are left for each person.

    Parameters
    ----------
    releases : sequence of releases, or mapping of names to releases
        Generalized or permuted releases with the same sensitive column. Their quasi-identifiers
        and domains may differ.
    microdata : Microdata, optional
        The people who are in all of the tables, with their own values. Required unless
        ``external`` is given.
    external : table, optional
        The people to look for, if they are others, as for `linkage`. Their own values are known if
        they are found in the microdata.
    identifier : str, optional
        The column that names people, in both tables. By default that of microdata.
    record_of : sequence of int, optional
        Instead of names: everybody's record in the microdata, counted from 0, and -1 for people
        who are not in it.

    Returns
    -------
    Composition

    Examples
    --------
    Two hospitals, both with k = 2. Bob, 36, was in both:

    >>> import unveil as uv
    >>> city = uv.read_release(
    ...     {"age": ["30-39", "30-39", "40-49", "40-49"],
    ...      "disease": ["Flu", "HIV", "Flu", "Cold"]}, quasi="age", sensitive="disease")
    >>> county = uv.read_release(
    ...     {"age": ["20-36", "20-36", "37-60", "37-60"],
    ...      "disease": ["HIV", "Cold", "Flu", "Flu"]}, quasi="age", sensitive="disease")
    >>> bob = {"name": ["Bob"], "age": [36]}
    >>> finding = uv.composition({"city": city, "county": county}, external=bob,
    ...                          identifier="name")
    >>> [alone.values.tolist() for alone in finding.alone], finding.left.values.tolist()
    ([[2], [2]], [1])
    >>> finding.to_frame()["disease"].tolist()
    ['HIV']
    """
    labels, published = _released(releases)
    names = known_columns(published, knows)
    said = checked_mapping(recode, names)
    if microdata is None and external is None:
        raise InputError(
            "{composition} needs people to look for; give {microdata}, the people who are in all "
            "the tables, or {external}, a table of people with the quasi-identifiers",
            composition=Call("composition"), microdata=Option("microdata"),
            external=Option("external"),
        )  # fmt: skip
    table: Any = microdata if external is None else opened_list(external)
    if table is microdata and rename is not None:
        raise InputError(
            "{rename} says what the external table calls columns; give {external}, too",
            rename=Option("rename"), external=Option("external"),
        )  # fmt: skip
    own = [*(one.persons for one in published), getattr(microdata, "persons", None)]
    columns = person_columns(table, external_person, own)
    several = any(getattr(one, "several", None) for one in (*published, microdata, table))
    if several or has_repeated(table, columns):
        return _by_person(
            published, labels, table, microdata, names=names, k=k, pseudonym=pseudonym,
            identifier=identifier, rename=rename, recode=said, unknown=unknown,
            missing_people=missing_people, record_of=record_of, columns=columns,
            said=external_person, tolerance=tolerance, progress=progress,
        )  # fmt: skip
    least = min(int(release.class_sizes.min()) for release in published) if k is None else int(k)
    people = external_of(table, names, identifier, rename=rename)
    truth = truth_of(
        published[0], people, table, microdata, identifier=identifier, record_of=record_of
    )
    near = _near(published, microdata, tolerance)
    records = None if pseudonym is None else matched_records(published, labels, pseudonym)
    started = time.perf_counter()
    placings = [
        Placing.of(release, [people], recode=said, unknown=unknown, missing=missing_people)
        for release in published
    ]
    gone = np.any([placing.gone[0] for placing in placings], axis=0)  # from any release
    kept = replace(placings[0], gone=[gone]).kept(people)
    people = people.take(kept)
    texts = tuple(dict.fromkeys(text for one in published for text in one.sensitive.texts))
    places = pd.Index(texts)
    value_of = [places.get_indexer(pd.Index(one.sensitive.texts)) for one in published]
    indexes = [
        Index.of(release, placing.regions, placing.sizes, placing.everything, by_group=True,
                 last_resort=suppressed_in(release))
        for release, placing in zip(published, placings, strict=True)
    ]  # fmt: skip
    joint = None
    if records is not None:
        joint = joint_index(published, labels, indexes, records, value_of, len(texts))
    secrets, is_known = np.full(len(kept), -1), np.zeros(len(kept), dtype=bool)
    if truth is not None and microdata is not None:
        column, truth = microdata[published[0].sensitive.name], truth.take(kept)
        codes = places.get_indexer(pd.Index(column.texts))[column.codes]
        secrets, is_known = truth.of_people(codes, -1), truth.is_known
    ordered, ascending = _ordered(published, value_of, len(texts), near)
    problem = Problem(
        indexes=indexes, codes=[placing.codes[0][kept] for placing in placings],
        value_of=value_of, width=len(texts), secrets=secrets, joint=joint,
        near=ordered, ascending=ascending,
    )  # fmt: skip
    alone, left = intersected(problem, progress)
    if table is microdata and microdata is not None:
        _check_own(published, labels, microdata, people, alone)
    notes = [
        *(note for release in published for note in release.notes),
        *people.notes,
        *(note for placing in placings for note in placing.notes),
        *near.notes,
    ]
    return Composition(
        releases=published, labels=labels, people=people, known=tuple(names), texts=texts, k=least,
        alone=tuple(alone), left=left, is_known=is_known, problem=problem, near=near,
        seconds=time.perf_counter() - started, notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _ordered(
    published: Sequence[Release | Permuted], value_of: Sequence[NDArray[np.int64]], width: int,
    near: Near,
) -> tuple[Near | None, NDArray[np.intp] | None]:  # fmt: skip
    """The tolerance and the codes of all values in ascending order; None if guesses are exact."""
    if near.is_exact:
        return None, None
    numbers = np.zeros(width)
    for release, codes in zip(published, value_of, strict=True):
        numbers[codes] = release.sensitive.positions
    ascending = np.argsort(numbers)
    return replace(near, values=numbers[ascending]), ascending


def _by_person(
    published: Sequence[Release | Permuted], labels: tuple[str, ...], table: Any,
    microdata: Microdata | None, *, names: list[str], k: int | None, pseudonym: Any,
    identifier: str | None, rename: Rename, recode: Any, unknown: Unknown,
    missing_people: MissingPeople, record_of: Any, columns: Sequence[str], said: Any,
    tolerance: Tolerance, progress: bool | None,
) -> PersonComposition:  # fmt: skip
    """The same where a person may have several rows."""
    both = [released_people(release, "composition") for release in published]
    releases, persons = tuple(one for one, _ in both), tuple(whose for _, whose in both)
    people = external_of(table, names, identifier, rename=rename)
    whose, called = people_of_list(table, columns)
    if not columns and said is None:
        refuse_same_names(people, whose)
    record, _ = known_records(
        releases[0], table, people, whose, called, microdata, identifier=identifier,
        record_of=record_of,
    )  # fmt: skip
    near, started = _near(releases, microdata, tolerance), time.perf_counter()
    placings = [
        Placing.of(release, [people], recode=recode, unknown=unknown, missing=missing_people)
        for release in releases
    ]
    gone = np.any([placing.gone[0] for placing in placings], axis=0)
    kept = replace(placings[0], gone=[gone]).kept(people)
    texts = tuple(dict.fromkeys(text for one in releases for text in one.sensitive.texts))
    places = pd.Index(texts)
    value_of = [places.get_indexer(pd.Index(one.sensitive.texts)) for one in releases]
    secrets, left = np.full(len(kept), -1), in_order(whose[kept])
    if microdata is not None:
        column = microdata[releases[0].sensitive.name]
        codes = places.get_indexer(pd.Index(column.texts))[column.codes]
        secrets = np.where(record[kept] >= 0, codes[record[kept]], -1)
    covers = tuple(
        Covers.at(release, own, placing, placing.codes[0][kept])
        for release, own, placing in zip(releases, persons, placings, strict=True)
    )
    rows = Rows(
        covers=covers, value_of=value_of, width=len(texts), secrets=secrets, whose=left,
        names=None if pseudonym is None else pseudonyms(pseudonym, releases, persons, labels),
    )  # fmt: skip
    ordered, ascending = _ordered(releases, value_of, len(texts), near)
    problem = Problem(
        indexes=[], codes=[], value_of=value_of, width=len(texts), secrets=secrets, near=ordered,
        ascending=ascending,
    )  # fmt: skip
    alone, together = rows.left(problem, progress)
    if table is microdata and microdata is not None:
        _check_own(releases, labels, microdata, people.take(kept), alone, "row")
    some = np.where(together.candidates > 0, together.candidates, np.iinfo(np.int64).max)
    order = np.lexsort((together.values, some, left))
    notes = [
        *(note for release in releases for note in release.notes), *people.notes,
        *(note for placing in placings for note in placing.notes), *near.notes,
    ]  # fmt: skip
    called = None if called is None else called.take(kept)
    return PersonComposition(
        releases=releases, labels=labels, people=named_people(people.take(kept), left, called),
        known=tuple(names), texts=texts,
        k=min(map(fewest_people, releases, persons)) if k is None else int(k),
        alone=tuple(of_people(one, left) for one in alone), left=of_people(together, left),
        is_known=np.bincount(left, secrets >= 0) > 0, problem=problem, near=near,
        seconds=time.perf_counter() - started, notes=tuple(dict.fromkeys(notes)), rows=rows,
        best=order[np.unique(left[order], return_index=True)[1]],
    )  # fmt: skip


def _near(
    published: Sequence[Release | Permuted], microdata: Microdata | None, tolerance: Tolerance
) -> Near:
    """How near a guess must be; values that one of the releases has as words must be the same."""
    first = published[0]
    if microdata is not None:
        near = near_of(microdata, first.sensitive.name, tolerance)
        assert near is not None
    else:
        near = Near.of(first.sensitive, first.totals, tolerance)
    for release in published:
        if near.on(release.sensitive).is_exact:
            return near.on(release.sensitive)
    return near


def _released(releases: Any) -> tuple[tuple[str, ...], tuple[Release | Permuted, ...]]:
    """The releases, and what each is called."""
    if isinstance(releases, AnyRelease) or not isinstance(releases, Iterable):
        raise InputError(
            "{composition} combines two or more releases; give a list of them, got a {kind}",
            composition=Call("composition"), kind=type(releases).__name__,
        )  # fmt: skip
    listed = list(releases.values()) if isinstance(releases, Mapping) else list(releases)
    published = tuple(with_candidates(release, "composition") for release in listed)
    if len(published) < 2:
        raise InputError(
            "{composition} combines two or more releases, got {given}; {linkage} takes one",
            composition=Call("composition"), given=len(published), linkage=Call("linkage"),
        )  # fmt: skip
    for release in published:
        if isinstance(release, Release):
            refuse_perturbed(release, [release.sensitive], "composition")
        if release.sensitive.name != published[0].sensitive.name:
            raise InputError(
                "the releases have different sensitive columns, {first} and {second}; give "
                "releases with the same one",
                first=Column(published[0].sensitive.name), second=Column(release.sensitive.name),
            )  # fmt: skip
    if isinstance(releases, Mapping):
        return tuple(str(name) for name in releases), published
    made = [release.made_by for release in published]
    return tuple(
        name if made.count(name) == 1 else f"{name}, release {number}"
        for number, name in enumerate(made, start=1)
    ), published


def _check_own(
    releases: Sequence[Release | Permuted],
    labels: Sequence[str],
    microdata: Microdata,
    people: External,
    alone: Sequence[Left],
    noun: str = "person",
) -> None:
    """Refuse a release that has all records, but lacks somebody's own value among candidates."""
    for release, label, left in zip(releases, labels, alone, strict=True):
        lost = np.flatnonzero(~left.own)
        suppressed = release.suppressed if isinstance(release, Release) else 0
        if len(lost) > suppressed and len(release) >= len(microdata):
            raise InputError(
                "{label} lacks the own value of {column} of {lost} of {people} (the first "
                "is in {row} of {source}) among the records that cover them: it is not a release "
                "of this table, or values were changed; give the people who are in all the tables",
                label=File(label, bare=True), column=Column(release.sensitive.name),
                lost=len(lost), people=counted(len(people), noun),
                row=Row(int(people.rows[lost[0]]) + 1),
                source=File(people.source, bare=True),
            )  # fmt: skip
