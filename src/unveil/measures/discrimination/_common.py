"""What discrimination rates are computed from: an attribute X, counted in classes of keys Y.

X and Y are any columns of a table, cells of a release, or a release beside its original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._axes import new_axes
from unveil.engine.counting import Contingency, Held, Histograms, KeyColumn, Secret, combined
from unveil.errors import Column, InputError, did_you_mean
from unveil.measures._classes import ExactSum, entropy, plog2p
from unveil.measures._counted import Counting, count, secret_of
from unveil.measures._partitions import Partition
from unveil.measures._texts import keys_text, rate_text
from unveil.microdata import (
    AnyRelease,
    Microdata,
    Release,
    refuse_perturbed,
    same_domains,
    with_records,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Columns", "ConditionalEntropy", "Keys", "asked", "check_apart", "class_entropies",
    "colour_table", "conditional_entropy", "discrimination", "over", "pairs_of", "refuse_undefined",
    "why_undefined",
]  # fmt: skip

_LAST_BITS = 4 * np.finfo(np.float64).eps


def class_entropies(block: Histograms) -> NDArray[np.float64]:
    """H(X|y) of each class."""
    # What is not negative may come out so by the last bit.
    return np.maximum(0.0, -block.add_up(plog2p(block.shares)))


def discrimination(left: float, whole: float) -> float | None:
    """1 − left / whole, which is undefined where there was nothing to tell.

    >>> discrimination(1.5849625007211560, 1.5849625007211562), discrimination(0.5, 2.0)
    (0.0, 0.75)
    """
    if whole == 0.0:
        return None
    # It is between 0 and 1 by theory, and rounding shall not say otherwise; nor shall it say that
    # something is told where nothing is.
    rate = 1.0 - left / whole
    return 0.0 if rate < _LAST_BITS else min(1.0, rate)


def check_apart(counts: Contingency) -> None:
    """Refuse classes that overlap: p(y) does not add up to 1 over them."""
    if counts.overlapping:
        raise InputError(
            "the discrimination rate needs classes that do not overlap: count without wildcard=, "
            "so that a suppressed cell is a value of its own"
        )


class ConditionalEntropy:
    """H(X|Y) = Σ p(y) H(X|y), a block at a time."""

    def __init__(self, counts: Contingency) -> None:
        self.rows = counts.rows
        self.whole = entropy(counts.totals) if self.rows else 0.0
        self._left = ExactSum()

    def look(self, block: Histograms) -> NDArray[np.float64]:
        """Take some classes into account; returns H(X|y) of each of them."""
        entropies = class_entropies(block)
        self._left.add(block.weights * (block.sizes / self.rows * entropies))
        return entropies

    @property
    def left(self) -> float:
        """H(X|Y), once all classes have been looked at."""
        return self._left.value

    @property
    def rate(self) -> float | None:
        """The discrimination rate, or None where it is undefined."""
        return discrimination(self.left, self.whole)


Keys = str | Sequence[str] | None


def named(keys: Keys) -> tuple[str, ...] | None:
    """Keys as they were named: one or several, or none at all."""
    if keys is None:
        return None
    return (keys,) if isinstance(keys, str) else tuple(keys)


def over(counts: Contingency, keys: tuple[str, ...]) -> Contingency:
    """The counts over some of the keys, or as they are if that is all of them."""
    return counts if keys == counts.keys else counts.over(keys)


def asked(table: Any, of: str | None, by: Keys, counting: Counting) -> Contingency:
    """Count X in classes of Y.

    Any column of microdata, a file or a table can be X or Y; of a release, also its cells can.
    """
    if of is not None and not isinstance(of, str):
        raise InputError(f"of names one column, but got {of!r}")
    keys = named(by)
    if of is not None and of in (keys or ()):
        raise InputError(f"{of!r} is what is to be told, and cannot be among what tells it (by)")
    if isinstance(table, Contingency):
        return _of_counts(table, of, keys, counting)
    if isinstance(table, Release):
        return _of_release(table, of, keys, counting)
    options: Counting = {**counting}
    if of is not None:
        options["sensitive"] = of
    wanted = keys if keys is not None else named(counting.get("quasi"))
    if wanted is None and isinstance(table, Microdata):
        wanted = tuple(column.name for column in table.quasi)
    if wanted is not None:
        # Who is to be told does not tell himself.
        options["quasi"] = [key for key in wanted if key != options.get("sensitive")]
    return count(table, **options)


def _of_counts(
    counts: Contingency, of: str | None, keys: Sequence[str] | None, counting: Counting
) -> Contingency:
    counts = count(counts, **counting)
    secret = counts.need_secret("the discrimination rate")
    if of not in (None, secret.name):
        raise InputError(
            f"{secret.name!r} was counted, not {of!r}: count the table again with sensitive={of!r}"
        )
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
    check_apart(counts)
    if of not in counts.keys:
        raise InputError(
            f"{of!r} is not in {counts.source}{did_you_mean(of, counts.keys)} "
            f"(columns: {', '.join((*counts.keys, release.sensitive.name))})"
        )
    if keys is None:
        keys = named(counting.get("quasi")) or counts.keys
        keys = [key for key in keys if key != of]
    chosen = counts.check_keys(keys)
    cells = cell_column(release, of)
    return Held(
        keys={key: cell_column(release, key) for key in chosen},
        secret=Secret(name=of, values=cells.values),
        class_of=np.arange(len(release)),
        codes=cells.codes,
        numbers=np.ones(len(release), dtype=np.int64),
        source=counts.source,
        notes=release.notes,
    )


def cell_column(release: Release, name: str) -> KeyColumn:
    """What a release publishes in a column, record by record."""
    place = [column.name for column in release.quasi].index(name)
    texts = release.regions[place].texts(release.quasi[place])
    cells, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return KeyColumn(codes.astype(np.int64)[release.class_of], tuple(cells.tolist()))


Columns = str | Sequence[str] | Mapping[str, str] | None


def released(name: str) -> str:
    """What the published cells of a column are called beside the original."""
    return f"{name} (released)"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Originals and their generalized versions, by name, and a way to count both at once."""

    generalized: dict[str, str]
    source: Any
    counting: Counting
    release: Release | None = None

    @cached_property
    def _cells(self) -> dict[str, KeyColumn]:
        """The published cells of each column, record by record."""
        assert self.release is not None
        return {cells: cell_column(self.release, name) for name, cells in self.generalized.items()}

    def counts(self, of: str | None, by: Sequence[str]) -> Contingency:
        """Count X in classes of Y, each an original or a generalized column.

        X is by default the sensitive column.
        """
        if self.release is None:
            return asked(self.source, of, by, self.counting)
        microdata: Microdata = self.source
        secret = microdata.sensitive if of is None else microdata[of]
        keys = {key: self._column(key) for key in by}
        return self._held(keys, secret_of(secret), secret.codes.astype(np.int64))

    def joint(self) -> Contingency:
        """Count combinations of all originals in classes of all generalized columns."""
        assert self.release is not None
        microdata: Microdata = self.source
        columns = [microdata[name] for name in self.generalized]
        first, codes = combined([column.codes.astype(np.int64) for column in columns])
        texts = [[column.texts[v] for v in column.codes[first]] for column in columns]
        secret = Secret(
            name=keys_text(tuple(self.generalized)),
            values=tuple(", ".join(cells) for cells in zip(*texts, strict=True)),
        )
        keys = {key: self._column(key) for key in self.generalized.values()}
        return self._held(keys, secret, codes)

    def _column(self, key: str) -> KeyColumn:
        assert self.release is not None
        if key in self.generalized.values():
            return self._cells[key]
        column = self.source[key]
        return KeyColumn(column.codes.astype(np.int64), tuple(column.values.tolist()))

    def _held(self, keys: dict[str, KeyColumn], secret: Secret, codes: NDArray[np.int64]) -> Held:
        assert self.release is not None
        return Held(
            keys=keys,
            secret=secret,
            class_of=np.arange(len(codes)),
            codes=codes,
            numbers=np.ones(len(codes), dtype=np.int64),
            source=f"the release by {self.release.made_by} of {self.source.source}",
            notes=tuple(dict.fromkeys((*self.source.notes, *self.release.notes))),
        )


def pairs_of(release: Any, original: Any, columns: Columns, counting: Counting, what: str) -> Pairs:
    """Originals and their generalized versions, from a release and its original or one table."""
    if isinstance(columns, Mapping):
        table = release if original is None else original
        if isinstance(release, AnyRelease) or (release is not None and original is not None):
            raise InputError(
                f"columns maps originals to generalized columns of one table; for {what} of a "
                "release and its original, name the quasi-identifiers"
            )
        if not columns:
            raise InputError(f"{what} needs at least one column")
        return Pairs(dict(columns), table, counting)
    if isinstance(release, Microdata) and isinstance(original, AnyRelease):
        release, original = original, release  # which is which there is no doubt
    if not isinstance(release, AnyRelease) or not isinstance(original, Microdata):
        raise InputError(
            f"{what} needs a release and the microdata it was made from, but got "
            f"{type(release).__name__} and {type(original).__name__}; of one table that has both, "
            "name the columns, such as columns={'ZIP': 'ZIP*'}"
        )
    if counting:
        raise InputError(
            f"{what} of a release and its original takes no {next(iter(counting))}=: they know "
            "their columns"
        )
    records = with_records(release, what)
    refuse_perturbed(records, (*records.quasi, records.sensitive), what)
    _check_paired(records, original)
    everything = [column.name for column in original.quasi]
    chosen = everything if columns is None else list(named(columns) or ())
    for name in chosen:
        if name not in everything:
            raise InputError(
                f"{name!r} is no quasi-identifier of {original.source}"
                f"{did_you_mean(name, everything)} (those are {', '.join(everything)})"
            )
    if not chosen:
        raise InputError(f"{what} needs at least one column")
    return Pairs({name: released(name) for name in chosen}, original, {}, records)


def _check_paired(release: Release, original: Microdata) -> None:
    """The release's records must be the original's, in their order."""
    remedy = (
        "records have to be in the order of the original's, none left out; or put both into one "
        "table and name the columns, such as columns={'ZIP': 'ZIP*'}"
    )
    if not same_domains(release, original):
        raise InputError(
            f"the release by {release.made_by} is none of {original.source}: their columns, or "
            "the values in them, differ; read it with unveil.read_release(table, microdata)"
        )
    if len(release) != len(original):
        raise InputError(
            f"the release by {release.made_by} has {len(release):,} records and "
            f"{original.source} has {len(original):,}: {remedy}"
        )
    for column, regions in zip(original.quasi, release.regions, strict=True):
        inside = _covered(column.codes, release.class_of, regions)
        if not inside.all():
            record = int(np.flatnonzero(~inside)[0])
            cell = regions.texts(column)[release.class_of[record]]
            raise InputError(
                f"record {record} of {original.source} has {column.name} "
                f"{column.texts[column.codes[record]]}, and the release by {release.made_by} "
                f"publishes {cell} in its place: {remedy}"
            )


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


def why_undefined(of: str, partition: Partition | None) -> str:
    """Why there is no rate."""
    same = "is in the same category of" if partition else "has the same"
    return f"undefined, for every record {same} {of}: there is nothing to tell"


def conditional_entropy(counts: Contingency) -> ConditionalEntropy:
    """What the keys of some counts leave open."""
    if counts.rows == 0:
        raise InputError(f"{counts.source} has no records: there is nothing to measure")
    found = ConditionalEntropy(counts)
    for block in counts.blocks():
        found.look(block)
    return found


def refuse_undefined(of: str, undefined: str | None) -> None:
    """Refuse to draw a rate that there is not."""
    if undefined:
        raise InputError(
            "there is nothing to draw: the discrimination rate of {column} is {undefined}",
            column=Column(of),
            undefined=undefined,
        )


def colour_table(
    rates: NDArray[np.float64],
    ax: Axes | None,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    blank: str = "",
    slant: bool = False,
) -> Axes:
    """Draw a table of rates: the higher, the darker. ``blank`` stands where there is none."""
    ax = new_axes() if ax is None else ax
    highest = float(np.nanmax(rates, initial=0.0)) or 1.0
    image = ax.imshow(rates, cmap="YlGnBu", vmin=0, vmax=highest, aspect="auto")
    for (row, column), rate in np.ndenumerate(rates):
        text = blank if np.isnan(rate) else rate_text(float(rate))
        # On dark cells, white letters are easier to read.
        color = "white" if rate > 0.62 * highest else "black"
        ax.text(column, row, text, ha="center", va="center", fontsize=9, color=color)
    leaning: dict[str, Any] = {"rotation": 30, "ha": "right"} if slant else {}
    ax.set_xticks(range(len(columns)), columns, **leaning)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=10)
    bar = ax.figure.colorbar(image, ax=ax, label="discrimination rate")
    bar.outline.set_visible(False)
    return ax
