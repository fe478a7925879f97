"""What the numbers of two columns suggest: caps, widths of bands, and the day on which ages were.

Nothing is decided here. Every suggestion is compared with the rows afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata import Column, Kind, Role, number_cells, one_sided, value_text
from unveil.microdata.coarsening import parse_how

_NICE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8)
_OLDEST = 125


class Numbers(NamedTuple):
    """Published texts as numbers.

    ``value`` is NaN where a text is not one; ``top`` and ``bottom`` are the bounds of open ends.
    """

    value: NDArray[np.float64]
    top: float | None
    bottom: float | None


def numbers_in(texts: Sequence[str], usable: NDArray[np.bool_]) -> list[Numbers]:
    """The ways to read texts as numbers, if nearly all are; marks may be read in two ways."""
    options: list[list[float]] = []
    tops: set[float] = set()
    bottoms: set[float] = set()
    strange = 0
    for text, use in zip(texts, usable.tolist(), strict=True):
        options.append([])
        if not use:
            continue
        if (sided := one_sided(text)) is not None:
            for number in list(number_cells(sided[1]))[-1:]:
                step = {">": 1, "<": -1}.get(sided[0], 0)
                (tops if sided[0] in "≥>" else bottoms).add(number + step)
            continue
        plain = text[:-1] if text.endswith("s") and text[:-1].isdigit() else text
        options[-1] = list(number_cells(plain))
        if not options[-1]:
            strange += 1
            if strange > 3 + 0.05 * len(texts):
                return []
    if strange > 0.05 * max(int(usable.sum()), 1) or len(tops) > 1 or len(bottoms) > 1:
        return []
    top, bottom = next(iter(tops), None), next(iter(bottoms), None)
    ways = {0, -1} if any(len(one) > 1 for one in options) else {0}
    return [
        Numbers(np.array([one[way] if one else math.nan for one in options]), top, bottom)
        for way in sorted(ways, reverse=True)
    ]


def _common_step(numbers: NDArray[np.float64]) -> float:
    """The largest number of which all are multiples; 0 if there is none."""
    numbers = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    numbers = numbers[numbers > 0]
    if not len(numbers) or numbers[-1] > 1e12:
        return 0.0
    for places in range(5):
        scaled = numbers * 10**places
        if np.allclose(scaled, np.rint(scaled), rtol=1e-9, atol=1e-6):
            return float(np.gcd.reduce(np.rint(scaled).astype(np.int64))) / 10**places
    return 0.0


def _width(step: float, beyond: float) -> float | None:
    """The width of bands: a divisor of the step that is larger than any distance."""
    if step <= beyond or step == 0:
        return None

    def is_nice(width: float) -> bool:
        mantissa = width / 10 ** math.floor(math.log10(width) + 1e-9)
        return any(math.isclose(mantissa, one, rel_tol=1e-9) for one in _NICE)

    if is_nice(step):
        return step
    smaller = [step / k for k in range(2, 61) if step / k > beyond]
    return next((width for width in reversed(smaller) if is_nice(width)), step)


class Pairs(NamedTuple):
    """Numbers of the original and published ones that occur together; or, without rows, apart."""

    v: NDArray[np.float64]
    c: NDArray[np.float64]
    together: bool


def number_words(pairs: Pairs, numbers: Numbers) -> Iterator[str]:
    """Words for how numbers may have been coarsened, the most specific first."""
    return _Suggested(pairs, numbers).words()


class _Suggested:
    def __init__(self, pairs: Pairs, numbers: Numbers) -> None:
        self.v, self.c, self.together = pairs
        self.numbers = numbers

    @cached_property
    def caps(self) -> tuple[float | None, float | None]:
        """The bottom and the top that the published numbers may have been cut at."""
        low, high = np.nanmin(self.c, initial=math.inf), np.nanmax(self.c, initial=-math.inf)
        top, bottom = self.numbers.top, self.numbers.bottom
        if top is None and len(self.v) and np.nanmax(self.v) > high > -math.inf:
            top = float(high)
        if bottom is None and len(self.v) and np.nanmin(self.v) < low < math.inf:
            bottom = float(low)
        return bottom, top

    def words(self) -> Iterator[str]:
        bottom, top = self.caps
        said = [("bottom", bottom), ("top", top)]
        caps = [f"{word} {value_text(cap)}" for word, cap in said if cap is not None]
        for some in [caps[-1:], caps[:1], caps] if len(caps) == 2 else [caps]:
            if some:
                yield ", ".join(some)
        yield from self._steps([])
        for some in [caps[-1:], caps[:1], caps] if len(caps) == 2 else [caps]:
            if some:
                for step in self._steps(some):
                    yield ", ".join([step, *some])

    def _steps(self, caps: Sequence[str]) -> Iterator[str]:
        """Floors and roundings of what is not cut off."""
        cut = [float(one.split()[1]) for one in caps]
        step = _common_step(self.c)
        if not self.together:
            if step > 0:
                yield f"floor {value_text(step)}"
                yield f"rounded {value_text(step)}"
            return
        inner = np.isfinite(self.c) & np.isfinite(self.v) & ~np.isin(self.c, cut)
        if not inner.any():
            return
        rest = self.v[inner] - self.c[inner]
        if rest.min() >= 0 and (width := _width(step, float(rest.max()))) is not None:
            yield f"floor {value_text(width)}"
        farthest = float(np.abs(rest).max())
        if (width := _width(step, 2 * farthest * (1 - 1e-12))) is not None:
            yield f"rounded {value_text(width)}"
        if step > 1 and not caps:  # a few rows may be wrong
            yield f"floor {value_text(step)}"
            yield f"rounded {value_text(step)}"


def age_words(
    born: NDArray[np.datetime64],
    place: NDArray[np.int64],
    texts: Sequence[str],
    usable: NDArray[np.bool_],
) -> Iterator[str]:
    """Words for ages on a day: ``born`` and ``place`` (in ``texts``) occur together."""
    ages = Column(name="age", role=Role.OTHER, kind=Kind.NUMERIC,
                  codes=np.zeros(0, dtype=np.int32), values=np.arange(_OLDEST + 1))  # fmt: skip
    first = parse_how("bands").regions(
        ages, [t for t, u in zip(texts, usable, strict=True) if u][:9]
    )
    if not first or any(one is None or len(one) != 1 for one in first):
        return
    found = parse_how("bands").regions(ages, texts)
    low = np.full(len(texts), -1)
    high = np.full(len(texts), -1)
    for i, spans in enumerate(found):
        if usable[i] and spans is not None and len(spans) == 1:
            low[i], high[i] = spans[0]
    if (low[usable] < 0).any():
        return
    exact, open_end = low == high, high == _OLDEST
    known = place[low[place] >= 0]
    there = low[place] >= 0
    born = born[there].astype("datetime64[D]")
    if not len(known) or np.isnat(born).any():
        return
    top = int(low[usable].max())
    for capped in (False, True):
        upper = np.where(open_end | (capped & (low == top)), 10_000, high)
        day = _day(_birthdays(born, low[known]), _birthdays(born, upper[known] + 1) - 1,
                   upper[known] < 10_000)  # fmt: skip
        if day is None:
            continue
        if not (exact | open_end)[usable].all():
            yield f"age {day}, bands"
        elif (open_end & ~exact)[usable].any() or capped:
            yield f"age {day}, top {top}"
        else:
            yield f"age {day}"
        return


def _birthdays(born: NDArray[np.datetime64], years: NDArray[np.int64]) -> NDArray[np.datetime64]:
    """The days on which people complete so many years."""
    months = born.astype("datetime64[M]")
    days = born - months.astype("datetime64[D]")
    return (months + 12 * years.astype(np.int64)).astype("datetime64[D]") + days


def _day(
    first: NDArray[np.datetime64], last: NDArray[np.datetime64], bounded: NDArray[np.bool_]
) -> np.datetime64 | None:
    """The day on which all ages are right; ends of years and of months are the likeliest."""
    if not bounded.any():
        return None
    low, high = first.max(), last[bounded].min()
    if low > high:
        return None
    days = np.arange(low, min(high, low + 800) + 1, dtype="datetime64[D]")
    ends_year = (days + 1).astype("datetime64[Y]") != days.astype("datetime64[Y]")
    begins_year = days == days.astype("datetime64[Y]").astype("datetime64[D]")
    ends_month = (days + 1).astype("datetime64[M]") != days.astype("datetime64[M]")
    begins_month = days == days.astype("datetime64[M]").astype("datetime64[D]")
    for likely in (ends_year, begins_year, ends_month, begins_month):
        if likely.any():
            return np.datetime64(days[likely][-1])
    return np.datetime64(days[-1])
