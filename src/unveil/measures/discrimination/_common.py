"""What discrimination rates are computed from: an attribute X, counted in classes of keys Y.

X and Y are any columns of a table, cells of a release, or a release beside its original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.engine.counting import Contingency, Held, Histograms, KeyColumn, Secret, combined
from unveil.errors import Cell, Column, File, InputError, Listed, Option, Row, Text, did_you_mean
from unveil.findings import Finding, Follows
from unveil.measures._classes import (
    ExactSum,
    check_apart,
    check_records,
    entropy,
    plog2p,
)
from unveil.measures._counted import Counting, count, published_key, secret_of
from unveil.measures._partitions import Partition
from unveil.measures._released import not_of
from unveil.measures._texts import keys_text
from unveil.measures._whose import people_held, refuse_counting
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Persons,
    Release,
    refuse_other_level,
    refuse_perturbed,
    same_domains,
    with_records,
)

_RATE = "the discrimination rate"
_EXAMPLE = Option("columns", {"ZIP": "ZIP*"})
_IN_ORDER = (
    "records must be in the order of the original, none left out; or put both into one table and "
    "name the columns, such as {example}"
)
_LAST_BITS = 4 * np.finfo(np.float64).eps


def class_entropies(block: Histograms) -> NDArray[np.float64]:
    """H(X|y) of each class."""
    # Rounding must not make an entropy negative.
    return np.maximum(0.0, -block.add_up(plog2p(block.shares)))


def discrimination(left: float, whole: float) -> float | None:
    """1 − left / whole, or None, undefined, where there was nothing to tell.

    >>> discrimination(1.5849625007211560, 1.5849625007211562), discrimination(0.5, 2.0)
    (0.0, 0.75)
    """
    if whole == 0.0:
        return None
    # Rounding must not leave the range from 0 to 1, nor turn nothing into something.
    rate = 1.0 - left / whole
    return 0.0 if rate < _LAST_BITS else min(1.0, rate)


class ConditionalEntropy:
    """H(X|Y) = Σ p(y) H(X|y), a block at a time, and the discrimination rate that follows.

    Where a person may have several rows, the H(X|y) of a class is that of its people, who weigh
    the same, as they do in H(X). p(y) is the probability that a random row of a random person is
    in the class. Classes may leave more open than the table does; the rate is 0 then.

    With a partition, X is the category of the secret. ``look`` takes the blocks of the classes that
    ``counts`` shows, not those of categories. Suppressed records form no class, but they count: of
    them Y tells only that they are suppressed, so they are one group, however Y is written.
    """

    def __init__(self, counts: Contingency, partition: Any = None) -> None:
        check_apart(counts, _RATE)  # p(y) must add up to 1
        secret = counts.need_secret(_RATE)
        self.partition = None if partition is None else Partition.of(partition, secret)
        self._given = counts
        self.counts = counts if self.partition is None else self.partition.merged(counts)
        """What the attacker wants to know, in the same classes."""
        self.rows, self.unit = counts.rows, counts.unit
        self.whole = entropy(self.counts.totals) if self.rows else 0.0
        self._left = ExactSum()
        self.suppressed = counts.suppressed
        if self.suppressed:
            share, gone = self.counts.gone
            self._left.add(np.array([share * entropy(gone)]))
        self.about: dict[str, Any] = {
            "of": secret.name, "partition": self.partition, "entropy": self.whole,
            "records": self.rows, "suppressed": self.suppressed, "source": counts.source,
            "unit": counts.unit,
            "notes": counts.notes,
        }  # fmt: skip
        """The attributes of a `RateFinding`."""

    def look(self, block: Histograms) -> tuple[Histograms, NDArray[np.float64]]:
        """Take some classes into account; returns them, by categories, and their H(X|y)."""
        if self.partition is not None:
            block = block.merged(self.partition.groups)
        entropies = class_entropies(block)
        self._left.add(block.weights * (block.share_of(self.rows) * entropies))
        return block, entropies

    def of_all(self) -> ConditionalEntropy:
        """The same, after a look at all classes."""
        check_records(self._given)
        for block in self._given.shown.blocks():
            self.look(block)
        return self

    @property
    def left(self) -> float:
        """H(X|Y), once all classes have been looked at."""
        return self._left.value

    @property
    def rate(self) -> float | None:
        """The discrimination rate, or None where it is undefined."""
        return discrimination(self.left, self.whole)


Keys = str | Sequence[str] | None


def _named(keys: Keys) -> tuple[str, ...] | None:
    """Keys as a tuple."""
    if keys is None:
        return None
    return (keys,) if isinstance(keys, str) else tuple(keys)


def asked(table: Any, of: str | None, by: Keys, counting: Counting) -> Contingency:
    """Count X in classes of Y.

    Any column of microdata, a file or a table can be X or Y; so can the cells of a release.
    """
    if of is not None and not isinstance(of, str):
        raise InputError(
            "{option} must be one column name, but got {given}", option=Option("of"), given=repr(of)
        )
    keys = _named(by)
    if of is not None and of in (keys or ()):
        raise InputError(
            "{column} cannot be both in {of} and in {by}",
            column=Column(of), of=Option("of"), by=Option("by"),
        )  # fmt: skip
    if isinstance(table, Contingency):
        return _of_counts(table, of, keys, counting)
    several: Persons | None = getattr(table, "several", None)
    if several is not None:
        refuse_counting(counting)
        keys, of = keys or _named(counting.get("quasi")), of or counting.get("sensitive")
        return people_held(table, several, keys, of)
    if isinstance(table, Release):
        return _of_release(table, of, keys, counting)
    options: Counting = {**counting}
    if of is not None:
        options["sensitive"] = of
    wanted = keys if keys is not None else _named(counting.get("quasi"))
    if wanted is None and isinstance(table, Microdata):
        wanted = tuple(column.name for column in table.quasi)
    if wanted is not None:
        # X is not one of the keys that tell of it.
        options["quasi"] = [key for key in wanted if key != options.get("sensitive")]
    return count(table, **options)


def _of_counts(
    counts: Contingency, of: str | None, keys: Sequence[str] | None, counting: Counting
) -> Contingency:
    counts = count(counts, **counting)
    secret = counts.need_secret(_RATE)
    if of not in (None, secret.name):
        raise InputError(
            "the counts are of {column}, not of {of}: count the table again with {option}",
            column=Column(secret.name), of=Cell(of), option=Option("sensitive", of),
        )  # fmt: skip
    return counts if keys is None else counts.over(keys)


def _of_release(
    release: Release, of: str | None, keys: Sequence[str] | None, counting: Counting
) -> Contingency:
    if of in (None, release.sensitive.name):
        counts = count(release, **counting)
        return counts if keys is None else counts.over(keys)
    assert of is not None
    options: Counting = {**counting, "quasi": None}
    counts = count(release, **options)
    check_apart(counts, _RATE)
    if of not in counts.keys:
        raise InputError(
            "{of} is not in {source}{near} (columns: {columns})",
            of=Cell(of), source=File(counts.source, bare=True), near=did_you_mean(of, counts.keys),
            columns=Listed([*counts.keys, release.sensitive.name]),
        )  # fmt: skip
    if keys is None:
        keys = _named(counting.get("quasi")) or counts.keys
        keys = [key for key in keys if key != of]
    chosen = counts.check_keys(keys)
    cells = _cell_column(release, of)
    return Held(
        keys={key: _cell_column(release, key) for key in chosen},
        secret=Secret(name=of, values=cells.values), codes=cells.codes,
        source=counts.source, notes=release.notes,
    )  # fmt: skip


def _cell_column(release: Release, name: str) -> KeyColumn:
    """The published cells of a column, record by record."""
    place = [column.name for column in release.quasi].index(name)
    key = published_key(release.quasi[place], release.regions[place])
    return key.take(release.class_of.astype(np.int64))


Columns = str | Sequence[str] | Mapping[str, str] | None


class Pairs(NamedTuple):
    """Originals and their generalized versions, by name, to be counted together."""

    generalized: dict[str, str]
    counts: Callable[[str | None, Sequence[str]], Contingency]
    """Counts X, by default the sensitive column, in classes of Y; all may be of either kind."""
    joint: Callable[[], Contingency] | None = None
    """Counts combinations of all originals in classes of all generalized columns."""


def pairs_of(release: Any, original: Any, columns: Columns, counting: Counting, what: str) -> Pairs:
    """Originals and their generalized versions, from a release and its original or one table."""
    if isinstance(columns, Mapping):
        table = release if original is None else original
        if isinstance(release, AnyRelease) or (release is not None and original is not None):
            raise InputError(
                "{option} maps originals to generalized columns of one table; for {what} of a "
                "release and its original, name the quasi-identifiers",
                option=Option("columns"), what=what,
            )  # fmt: skip
        if not columns:
            raise InputError("{what} needs at least one column", what=what)
        return Pairs(dict(columns), lambda of, by: asked(table, of, by, counting))
    if isinstance(release, Microdata) and isinstance(original, AnyRelease):
        release, original = original, release  # there is no doubt which is which
    if not isinstance(release, AnyRelease) or not isinstance(original, Microdata):
        raise InputError(
            "{what} needs a release and the microdata it was made from, but got {first} and "
            "{second}; for one table that has both, name the columns, such as {example}",
            what=what, first=type(release).__name__, second=type(original).__name__,
            example=_EXAMPLE,
        )  # fmt: skip
    if counting:
        raise InputError(
            "{what} of a release and its original takes no {option}: they know their columns",
            what=what, option=Option(next(iter(counting))),
        )  # fmt: skip
    records = with_records(release, what)
    refuse_perturbed(records, (*records.quasi, records.sensitive), what)
    _check_paired(records, original)
    everything = [column.name for column in original.quasi]
    chosen = everything if columns is None else list(_named(columns) or ())
    for name in chosen:
        if name not in everything:
            raise InputError(
                "{name} is not a quasi-identifier of {source}{near} (those are {known})",
                name=Cell(name), source=File(original.source, bare=True),
                near=did_you_mean(name, everything), known=Listed(everything),
            )  # fmt: skip
    if not chosen:
        raise InputError("{what} needs at least one column", what=what)
    return _released_pairs(records, original, {name: f"{name} (released)" for name in chosen})


def _released_pairs(release: Release, original: Microdata, generalized: dict[str, str]) -> Pairs:
    """The columns of a release and its original, record by record."""
    known = {cells: _cell_column(release, name) for name, cells in generalized.items()}
    for column in original.quasi:
        codes, values = column.codes.astype(np.int64), tuple(column.values.tolist())
        known.setdefault(column.name, KeyColumn(codes, values))

    def held(by: Iterable[str], secret: Secret, codes: NDArray[np.integer]) -> Held:
        return Held(
            keys={key: known[key] for key in by}, secret=secret, codes=codes.astype(np.int64),
            source=f"the release by {release.made_by} of {original.source}",
            notes=tuple(dict.fromkeys((*original.notes, *release.notes))),
        )  # fmt: skip

    def counts(of: str | None, by: Sequence[str]) -> Held:
        secret = original.sensitive if of is None else original[of]
        return held(by, secret_of(secret), secret.codes)

    def joint() -> Held:
        columns = [original[name] for name in generalized]
        first, codes = combined([column.codes.astype(np.int64) for column in columns])
        texts = [[column.texts[v] for v in column.codes[first]] for column in columns]
        values = tuple(", ".join(cells) for cells in zip(*texts, strict=True))
        secret = Secret(name=keys_text(tuple(generalized)), values=values)
        return held(generalized.values(), secret, codes)

    return Pairs(generalized, counts, joint)


def _check_paired(release: Release, original: Microdata) -> None:
    """Refuse a release whose records are not the original's, in their order."""
    at: dict[str, Any] = {
        "release": File(release.made_by, bare=True),
        "original": File(original.source, bare=True),
    }
    refuse_other_level(release, original)
    if not same_domains(release, original):
        raise not_of(release, original)
    if len(release) != len(original):
        raise InputError(
            "the release by {release} has {released} records and {original} has {records}: "
            + _IN_ORDER,
            **at, released=len(release), records=len(original), example=_EXAMPLE,
        )  # fmt: skip
    for column, regions in zip(original.quasi, release.regions, strict=True):
        inside = _covered(column.codes, release.class_of, regions)
        if not inside.all():
            record = int(np.flatnonzero(~inside)[0])
            raise InputError(
                "{row} of {original} has {value} in {column}, and the release by {release} "
                "publishes {cell} in its place: " + _IN_ORDER,
                **at, row=Row(record + 1, "record"), value=Cell(column.texts[column.codes[record]]),
                column=Column(column.name),
                cell=Cell(regions.texts(column)[release.class_of[record]]), example=_EXAMPLE,
            )  # fmt: skip


def _covered(
    codes: NDArray[np.int32], class_of: NDArray[np.int32], regions: Any
) -> NDArray[np.bool_]:
    """Whether each record's cell covers its value."""
    inside = np.zeros(len(codes), dtype=bool)
    by_code = np.argsort(codes, kind="stable")
    values, first = np.unique(codes[by_code], return_index=True)
    for value, records in zip(values.tolist(), np.split(by_code, first[1:]), strict=True):
        inside[records] = regions.covers(value)[class_of[records]]
    return inside


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateFinding(Finding):
    """What keys say of an attribute X.

    Attributes
    ----------
    of : str
        X.
    unit : {"record", "person"}
        What is counted: people, where a person may have several rows.
    partition : Partition or None
        The categories of X, if the attacker wants only the category.
    entropy : float
        H(X), in bits.
    records : int
    suppressed : int
        Number of records that are suppressed, and form no class.
    source : str
    notes : tuple of str or Message
    """

    follows_from: ClassVar[Follows] = Follows.RELEASE

    of: str
    partition: Partition | None
    entropy: float
    records: int
    unit: str = "record"
    suppressed: int = 0
    source: str
    notes: tuple[Text, ...] = ()

    @property
    def undefined(self) -> str | None:
        """Why there is no rate, if it is undefined."""
        if self.entropy:
            return None
        same = "is in the same category of" if self.partition else "has the same"
        return f"undefined, because every {self.unit} {same} {self.of}: there is nothing to tell"

    @property
    def facts(self) -> Mapping[str, Any]:
        members = None if self.partition is None else self.partition.members
        return {
            "partition": members and {name: list(texts) for name, texts in members.items()},
            f"{self.unit}_count": self.records,
            "suppressed": self.suppressed,
            **self.attributes("source of entropy undefined"),
        }
