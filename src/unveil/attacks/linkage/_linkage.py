"""Linkage: an external table with names against a release.

The oldest attack of all. L. Sweeney (*k-Anonymity: a Model for Protecting Privacy*, 2002) bought
the voter list of Cambridge, Massachusetts, and found the governor's hospital record by date of
birth, sex and ZIP code. The attacker has a table of people, with names and quasi-identifiers, and
looks for each of them in the release.

*Candidates* of a person are the records whose cells cover the person's values in every column that
the attacker knows. If the person is in the release, and what is published is true, one of the
candidates is the person's own record. The attacker links

- *uniquely*, if there is one candidate;
- *to one sensitive value*, if all candidates have the same: which record is the person's does not
  matter (homogeneity);
- otherwise by picking one at random: right about the record with probability 1 / candidates, and
  about the value with the share of the candidates that have it.

*Suppressed* records (``*`` in every quasi-identifier) cover everybody. Counted as candidates of
everybody, two of them would make every other link uncertain, although hardly anybody is one of
them. So they are candidates only of people whom no other record covers: whoever of these is in the
release is suppressed. Of all people in the release, a share of (suppressed records) / (records) is
suppressed, and of those whom another record covers, not more than that. This is the chance that
their candidates are the wrong ones, and it is told.

The attacker does not know who is right: people who are not in the release may have candidates too.
With the original (``microdata=``) that is counted: how many have their own record among their
candidates, how many links are right, and how many that look certain are wrong. From the other side,
a journalist who wants anybody picks a record whose cells cover a single person of the table.

Of a *permuted* release (Anatomy), which publishes quasi-identifiers as they are, candidates are the
records that are like the person; their groups tell about the sensitive value.

People with the same values are one point, classes are boxes in a tree, and a search looks only
where boxes may cover the point.

Where a person may have several rows, candidates are people: see `_by_person`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.linkage._by_person import Rows, Search, looked_for, released_as
from unveil.attacks.linkage._finding import Linkage, Links, Right
from unveil.attacks.linkage._people import PersonLinkage
from unveil.attacks.people import (
    ANY_VALUE,
    NO_VALUE,
    Covers,
    Found,
    Index,
    Placing,
    Truth,
    distinct_points,
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
from unveil.engine import Progress as ProgressBar
from unveil.errors import File, Message, Text
from unveil.microdata import AnyRelease, Microdata, Permuted, Release, checked_mapping
from unveil.options import (
    ExternalPerson,
    Knows,
    MissingPeople,
    Progress,
    Recode,
    Rename,
    Tolerance,
    Unknown,
    by_person,
    checked,
)


@checked
@by_person
def linkage(
    release: AnyRelease,
    external: Any,
    *,
    microdata: Microdata | None = None,
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
) -> Linkage | PersonLinkage:
    """Look for the people of an external table in a release.

    Parameters
    ----------
    release : Release or Permuted
    external : Microdata, pandas, polars or Arrow table, mapping, or path
        The people whom the attacker knows, one row per person. It needs the release's
        quasi-identifiers, and nothing sensitive.
    microdata : Microdata, optional
        The original, to count which links are right.
    identifier : str, optional
        The column that names people, in both tables. By default that of microdata.
    record_of : sequence of int, optional
        Instead of names: everybody's record in the original, counted from 0, and -1 for people
        who are not in it. Not needed if the external table is the original itself.

    Returns
    -------
    Linkage, or PersonLinkage if a person may have several rows

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
    In the release by Mondrian(k=2), of 3 people, none is linked to a single record, and 1 (33%) to
    a single disease (1 rightly). Of the 2 people in the table, an attacker who picks a candidate at
    random finds the right record for 50%, and the right disease for 75% (75% by picking any
    record).
    """
    published = with_candidates(release, "linkage")
    names = known_columns([published], knows)
    said = checked_mapping(recode, names)
    external = opened_list(external)
    tables = [published, microdata, external]
    own = [published.persons, getattr(microdata, "persons", None)]
    columns = () if external is None else person_columns(external, external_person, own)
    several = any(getattr(one, "several", None) for one in tables)
    if external is not None and (several or has_repeated(external, columns)):
        return _by_person(
            published, external, microdata, identifier=identifier, names=names, rename=rename,
            recode=said, unknown=unknown, missing_people=missing_people, record_of=record_of,
            columns=columns, said=external_person, tolerance=tolerance, progress=progress,
        )  # fmt: skip
    people = external_of(external, names, identifier, rename=rename)
    truth = truth_of(
        published, people, external, microdata, identifier=identifier, record_of=record_of
    )
    secret, near = published.sensitive, _near(published, microdata, tolerance)
    started = time.perf_counter()
    tables = [people] if truth is None else [people, truth.original]
    placing = Placing.of(published, tables, recode=said, unknown=unknown, missing=missing_people)
    kept = placing.kept(people)
    people, codes = people.take(kept), placing.codes[0][kept]
    search = _Search(
        release=published, codes=codes, truth=None if truth is None else truth.take(kept),
        index=Index.of(published, placing.regions, placing.sizes, placing.everything,
                       last_resort=suppressed_in(published)),
        original=None if truth is None else placing.codes[1], near=near.on(secret),
    )  # fmt: skip
    links, right, persons = search.links(progress)
    right, told = search.exactly(links, right)
    notes = [*published.notes, *people.notes, *placing.notes, *search.about_values(), *told,
             *near.notes]  # fmt: skip
    return Linkage(
        release=published, people=people, known=tuple(names), links=links, right=right,
        persons=persons, index=search.index, codes=codes, seconds=time.perf_counter() - started,
        near=near, notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def _near(published: Release | Permuted, microdata: Microdata | None, tolerance: Tolerance) -> Near:
    """How near a guess of the sensitive value must be."""
    secret = published.sensitive
    near = near_of(microdata, secret.name, None if microdata is None else tolerance)
    return Near.of(secret, published.totals, tolerance) if near is None else near


def _by_person(
    published: Release | Permuted, table: Any, microdata: Microdata | None, *,
    identifier: str | None, names: list[str], rename: Rename, recode: Any, unknown: Unknown,
    missing_people: MissingPeople, record_of: Any, columns: Sequence[str], said: Any,
    tolerance: Tolerance, progress: bool | None,
) -> PersonLinkage:  # fmt: skip
    """The same where a person may have several rows, in the release or in the table of people."""
    release, persons = released_people(published, "linkage")
    people = external_of(table, names, identifier, rename=rename)
    whose, called = people_of_list(table, columns)
    if not columns and said is None:
        refuse_same_names(people, whose)
    record, number = known_records(
        release, table, people, whose, called, microdata, identifier=identifier,
        record_of=record_of,
    )  # fmt: skip
    near, tables = _near(release, microdata, tolerance), [people]
    if microdata is not None:
        tables.append(external_of(microdata, [column.name for column in release.quasi], None))
    placing = Placing.of(release, tables, recode=recode, unknown=unknown, missing=missing_people)
    kept = placing.kept(people)
    codes, left = placing.codes[0][kept], in_order(whose[kept])
    search = Search(
        covers=Covers.at(release, persons, placing, codes), near=near.on(release.sensitive),
        rows=Rows(whose=left, record=record[kept],
                  person=number[whose[kept][np.unique(left, return_index=True)[1]]]),
    )  # fmt: skip
    released = None
    if microdata is not None:
        released = released_as(release, persons, microdata, placing)
    called = None if called is None else called.take(kept)
    return looked_for(
        search, named_people(people.take(kept), left, called), names, microdata, released,
        [*release.notes, *people.notes, *placing.notes, *near.notes], progress,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class _Search:
    """Who is looked for, and where.

    Attributes
    ----------
    release : Release or Permuted
    index : Index
        Of the release.
    codes : array
        People × columns.
    truth : Truth or None
    original : array or None
        With the truth: the original's records × columns, coded in the same way.
    near : Near
        How near a guess of a sensitive value must be.
    """

    release: Release | Permuted
    index: Index
    codes: NDArray[np.int32]
    truth: Truth | None
    original: NDArray[np.int32] | None
    near: Near

    @property
    def is_changed(self) -> bool:
        """Whether published sensitive values need not be true.

        Then a record may be somebody's own, whatever value it has.
        """
        release = self.release
        return isinstance(release, Release) and release.sensitive.name in release.perturbed

    def about_values(self) -> list[Text]:
        """A note if published sensitive values need not be true."""
        if not self.is_changed:
            return []
        return [
            Message(
                "{release} publishes values of {secret} that need not be true: a link to a record "
                "may be right, and its value wrong",
                release=File(self.release.made_by, bare=True), secret=self.release.sensitive.name,
            )
        ]  # fmt: skip

    def exactly(self, links: Links, right: Right | None) -> tuple[Right | None, list[Text]]:
        """Whose own record is among the candidates, by the record itself if its place is known."""
        if right is None or self.truth is None:
            return None, []
        if isinstance(self.release, Permuted):
            return right, [
                "no record of a permuted release has a sensitive value of its own: a record counts "
                "as a person's own if it is like theirs in the original and its group has their "
                "value"
            ]
        classes = self.release.class_of.astype(np.int64)
        if not self._in_order(self.release, classes):
            return right, [
                "the release does not have the original's records in their order: a record counts "
                "as a person's own if its cells cover the person's values"
                + ("" if self.is_changed else " and it has the same sensitive value")
            ]
        known, among = np.flatnonzero(right.in_table), right.among.copy()
        own = classes[self.truth.record_of[known]]
        among[known] = self.index.covered(own, self.codes[known])
        suppressed = suppressed_in(self.release)
        if suppressed is not None:  # these are no candidates of people whom other records cover
            among[known] &= suppressed[own] == links.suppressed[known]
        return replace(right, among=among), []

    def _in_order(self, release: Release, classes: NDArray[np.int64]) -> bool:
        """Whether each record of the release can be that of the original in its place."""
        if self.truth is None or self.original is None or len(release) != len(self.original):
            return False
        if not self.is_changed and (release.sensitive.codes != self.truth.secrets).any():
            return False
        return bool(self.index.covered(classes, self.original).all())

    def links(self, progress: bool | None) -> tuple[Links, Right | None, NDArray[np.int64]]:
        """What the attacker sees, what is true of it, and how many people each box covers.

        People who are alike in all that matters are searched for once.
        """
        index, codes, truth, n = self.index, self.codes, self.truth, len(self.codes)
        own, secrets, in_table = codes, np.full(n, -1), np.zeros(n, dtype=bool)
        if truth is not None and self.original is not None:
            in_table = truth.is_known
            own = np.where(in_table[:, None], truth.of_people(self.original, 0), codes)
            secrets = truth.of_people(truth.secrets, -1)
        first, kind = distinct_points(codes, own, secrets[:, None])
        wanted = np.where(in_table, ANY_VALUE, NO_VALUE) if self.is_changed else secrets
        persons = np.zeros(len(index.place), dtype=np.int64)
        searching = index.search(
            codes[first], weights=np.bincount(kind), own=own[first], secrets=wanted[first],
            people=persons,
        )  # fmt: skip
        parts = []
        with ProgressBar("looking for people", len(first), progress, unit="points") as shown:
            for found in searching:
                parts.append(_summed(found, secrets[first][found.points], self.near))
                shown.advance(len(found.records))
        whole = [np.concatenate(column)[kind] for column in zip(*parts, strict=True)]
        candidates, classes, values, likeliest, share, among, value, one, rightly, last = whole
        links = Links(candidates=candidates, classes=classes, values=values, likeliest=likeliest,
                      share=share, one_value=one, suppressed=last)  # fmt: skip
        persons = persons[index.place]
        suppressed = suppressed_in(self.release)
        if suppressed is not None:  # their cells cover everybody
            persons[suppressed] = n
        if truth is None:
            return links, None, persons
        totals = np.bincount(index.counts.value, index.counts.number, minlength=index.width)
        totals = totals / totals.sum()
        if not self.near.is_exact:
            below, (start, stop) = np.append(0.0, np.cumsum(totals)), self.near.similar
            totals = below[stop] - below[start]
        chance = np.append(totals, 0.0)[secrets]  # -1 is the last
        right = Right(in_table=in_table, among=among, value=value, chance=chance,
                      one_value=rightly)  # fmt: skip
        return links, right, persons


def _summed(
    found: Found, secrets: NDArray[np.int64], near: Near
) -> tuple[NDArray[np.generic], ...]:
    """For each point what `Links` has; whether its own is among them, and its value's share."""
    n = len(found.records)
    values = np.bincount(found.point, minlength=n)
    # The most frequent value of a point comes last, and of equally frequent ones the first.
    order = np.lexsort((-found.value, found.number, found.point))
    some = np.flatnonzero(values)
    last = order[np.cumsum(values)[some] - 1]
    likeliest, share, value = np.full(n, -1), np.zeros(n), np.zeros(n)
    likeliest[some] = found.value[last]
    share[some] = found.number[last] / found.records[some]
    one, rightly = values == 1, np.zeros(n, dtype=bool)
    if near.is_exact:
        own = np.flatnonzero(found.value == secrets[found.point])
        value[found.point[own]] = found.number[own] / found.records[found.point[own]]
        rightly = one & (value == 1)
    else:
        true, (first, stop) = secrets[found.point], near.similar
        own = np.flatnonzero(
            (true >= 0) & (first[true] <= found.value) & (found.value < stop[true])
        )
        number = np.bincount(found.point[own], found.number[own], minlength=n)
        value = (number / np.maximum(found.records, 1)).astype(np.float64)
        least, most = np.full(n, near.values.size), np.full(n, -1)
        np.minimum.at(least, found.point, found.value)
        np.maximum.at(most, found.point, found.value)
        one[some] = near.one_guess(least[some], most[some])
        rightly[some] = one[some] & near.accepts(least[some], most[some], secrets[some])
    return (found.records, found.classes, values, likeliest, share, found.among, value, one,
            rightly, found.resorted)  # fmt: skip
