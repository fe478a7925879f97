"""How generalized cells become numbers that a model can learn from.

A cell is a value, an interval, a set or a hierarchy node; a classifier wants numbers. There are
six ways for numeric columns and four for all others, 24 encodings in all, after A. Kassem, G. Ács,
C. Castelluccia (2018), who recommend *relative–relative*: one bit a column, does the cell cover
the target's value? That one depends on the target, so every target has a training table of its
own; the others are the same for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from unveil.adversary.encoding import _categorical, _continuous
from unveil.adversary.encoding._features import Features
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Column, Kind, Microdata, Regions, Release, quantize

__all__ = ["ENCODINGS", "Categorical", "Continuous", "Encoding"]

Continuous: TypeAlias = Literal[
    "scaling", "bounds", "binary", "quantiles-before", "quantiles-after", "relative"
]
Categorical: TypeAlias = Literal["hot", "binary", "hot-after", "relative"]

ENCODINGS = tuple(f"{a}-{b}" for a in get_args(Continuous) for b in get_args(Categorical))
"""The names of all 24."""


@dataclass(frozen=True)
class Encoding:
    """How cells become features, for numeric columns and for categorical and ordinal ones.

    Parameters
    ----------
    continuous : str
        ``scaling``: the middle of the interval; ``bounds``: both bounds; both rescaled so that
        the column's domain is [0, 1]. ``binary``: the bits of the middle, rounded down and
        counted from the lowest value. ``quantiles-before``: the column is put into parts of equal
        width before it is sanitized, and is ordinal then. ``quantiles-after``: one bit for each
        of these parts that the cell meets. ``relative``: one bit, whether the cell covers the
        target's value.
    categorical : str
        ``hot``: one bit for each value that the cell covers. ``binary``: the distinct
        generalizations are numbered, the bits of the number. ``hot-after``: one bit for each
        distinct generalization. ``relative``: one bit, whether the cell covers the target's value.
    quantiles : int
        The number of parts. They divide the domain and not the people: parts with equally many
        people in them would themselves tell of each.

    Examples
    --------
    >>> Encoding()
    Encoding('relative-relative')
    >>> Encoding.named("bounds-hot-after").categorical
    'hot-after'
    """

    continuous: Continuous = "relative"
    categorical: Categorical = "relative"
    quantiles: int = 5

    def __post_init__(self) -> None:
        for what, given, known in (
            ("continuous", self.continuous, get_args(Continuous)),
            ("categorical", self.categorical, get_args(Categorical)),
        ):
            if given not in known:
                near = did_you_mean(str(given), known)
                raise InputError(f"no {what} encoding {given!r}{near} (known: {', '.join(known)})")
        parts = self.quantiles
        if isinstance(parts, bool) or not isinstance(parts, int) or parts < 1:
            raise InputError(f"quantiles must be a whole number from 1 up, got {parts!r}")

    @classmethod
    def named(cls, encoding: Encoding | str, *, quantiles: int | None = None) -> Encoding:
        """The encoding of that name, such as ``bounds-hot-after``; an encoding passes as it is."""
        if isinstance(encoding, Encoding):
            made = encoding
        else:
            name = encoding.strip().lower() if isinstance(encoding, str) else ""
            if name not in ENCODINGS:
                near = did_you_mean(name, ENCODINGS)
                raise InputError(
                    f"no encoding {encoding!r}{near} (write the way of numeric columns and that of "
                    f"all others, such as bounds-hot-after; numeric: "
                    f"{', '.join(get_args(Continuous))}; others: "
                    f"{', '.join(get_args(Categorical))})"
                )
            continuous = next(c for c in get_args(Continuous) if name.startswith(f"{c}-"))
            made = cls(continuous, name.removeprefix(f"{continuous}-"))  # type: ignore[arg-type]
        return made if quantiles is None else replace(made, quantiles=quantiles)

    @property
    def name(self) -> str:
        """Both ways, such as ``bounds-hot-after``."""
        return f"{self.continuous}-{self.categorical}"

    @property
    def follows_generalizations(self) -> bool:
        """Whether its features depend on which generalizations the release has."""
        return self.categorical in ("binary", "hot-after")

    def __str__(self) -> str:
        counted = self.continuous.startswith("quantiles") and self.quantiles != Encoding.quantiles
        return f"{self.name} of {self.quantiles} parts" if counted else self.name

    def __repr__(self) -> str:
        more = "" if self.quantiles == Encoding.quantiles else f", quantiles={self.quantiles}"
        return f"Encoding({self.name!r}{more})"

    def prepared(self, microdata: Microdata) -> Microdata:
        """The table as it is to be sanitized: numbers in parts for ``quantiles-before``."""
        numbers = any(column.kind is Kind.NUMERIC for column in microdata.quasi)
        if self.continuous != "quantiles-before" or not numbers:
            return microdata
        return quantize(microdata, self.quantiles)

    def is_relative(self, column: Column) -> bool:
        """Whether the column's features are relative to the target."""
        if column.kind is Kind.NUMERIC and self.continuous == "quantiles-before":
            raise InputError(
                f"column {column.name!r} is numeric in the release, but the encoding {self.name} "
                "wants its numbers put into parts before it is sanitized: sanitize "
                "unveil.quantize(table), or encode it as quantiles-after"
            )
        how = self.continuous if column.kind is Kind.NUMERIC else self.categorical
        return how == "relative"

    def features(self, column: Column, regions: Regions) -> Features | None:
        """What a column's cells become; None where that depends on the target."""
        if self.is_relative(column):
            return None
        if column.kind is not Kind.NUMERIC:
            ways = {
                "hot": _categorical.as_hot,
                "binary": _categorical.as_binary,
                "hot-after": _categorical.as_hot_after,
            }
            return ways[self.categorical](column, regions)
        if self.continuous == "quantiles-after":
            return _continuous.as_quantiles(column, regions, self.quantiles)
        numeric_ways = {
            "scaling": _continuous.as_scaled,
            "bounds": _continuous.as_bounds,
            "binary": _continuous.as_binary,
        }
        return numeric_ways[self.continuous](column, regions)

    def n_features(self, release: Release) -> int:
        """How many numbers a record of the release becomes."""
        made = map(self.features, release.quasi, release.regions)
        return sum(1 if features is None else features.width for features in made)
