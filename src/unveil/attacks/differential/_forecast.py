"""What more certainty would cost: how many more people to test, and about how long that takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unveil.attacks.differential._bounds import Counts, most_over
from unveil.errors import Known, Message, Option

_SHARES = (0.1, 0.05, 0.01, 0.001, 0.0001)  # bounds that are forecast
_TOLD = 2  # of them, the next ones


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What it would cost to know more about the people who were not tested.

    Attributes
    ----------
    everybody : int
        People to test until everybody is tested. Then δ is known.
    seconds : float
        About how long that takes, at the pace of this test.
    for_bound : dict of float to int
        For shares below the bound of this test: people to test until the bound is that low, if
        none of them is over the threshold. Shares that cannot be reached, or probably not, are
        left out.
    each : float
        Seconds per person.
    """

    everybody: int
    seconds: float
    for_bound: dict[float, int]
    each: float

    def in_words(self, *, paced: bool = True) -> str:
        """The forecast in a sentence or two; with times, at the pace of this machine.

        >>> Forecast(everybody=900, seconds=1800.0, for_bound={0.05: 40}, each=2.0).in_words()
        'If no further person is over, a bound of 5% takes 40 more people (about 80 s). δ is known
        once everybody is tested: 900 more people (about 30 min).'
        """
        bounds = " and ".join(
            f"a bound of {100 * share:g}% takes {_more(n)}{_at(n * self.each, paced)}"
            for share, n in self.for_bound.items()
        )
        begin = f"If no further person is over, {bounds}. " if bounds else ""
        return (
            f"{begin}δ is known once everybody is tested: {_more(self.everybody)}"
            f"{_at(self.seconds, paced)}."
        )

    @property
    def remedy(self) -> Message:
        """What to do if this is not enough, for a verdict."""
        return Message(
            "give the test more to do ({budget}): {more} until everybody is tested",
            budget=Option("budget"), more=Known(_more(self.everybody)),
        )  # fmt: skip

    def __str__(self) -> str:
        return self.in_words()


def forecast(
    perhaps_over: Counts,
    drawn: Counts,
    sizes: Counts,
    *,
    within: tuple[float, float],
    alpha: float,
    each: float,
) -> Forecast:
    """The forecast of a test whose targets were drawn at random.

    Parameters
    ----------
    perhaps_over, drawn, sizes : arrays
        Of three strata: those of the front who were tested; all who are not in the front; and those
        of the front who were not. How many are over the threshold or could not be tested, were
        targets, and exist.
    within : (float, float)
        The shares that are surely over by this test, and that may be. Lower shares than the first
        are not forecast: some further person will be over.
    alpha : float
        1 − confidence.
    each : float
        Seconds per person.
    """
    population, front = int(sizes.sum()), int(sizes[2])
    everybody = population - int(drawn.sum())
    # The rest of the front comes in turn with others, whether or not so many are needed.
    in_turn = int(sizes[0]) + front - 1 - int(drawn[1])
    costs: dict[float, int] = {}
    for share in _SHARES:
        if not within[0] < share < within[1] or len(costs) == _TOLD:
            continue
        wanted = math.floor(share * population + 1e-9) - int(perhaps_over[0])
        more = more_people(wanted, int(perhaps_over[1]), int(drawn[1]), int(sizes[1]), alpha)
        if more is not None and front + max(more, in_turn) < everybody:
            costs[share] = front + max(more, in_turn)
    return Forecast(everybody=everybody, seconds=everybody * each, for_bound=costs, each=each)


def more_people(wanted: int, found: int, drawn: int, size: int, alpha: float) -> int | None:
    """People to draw in addition until at most ``wanted`` of ``size`` can be over.

    ``found`` of the ``drawn`` were over, and nobody else will be. None if it cannot be reached.

    >>> more_people(9, 0, 0, 944, 0.05), more_people(9, 1, 200, 944, 0.05)
    (244, 171)
    >>> more_people(0, 1, 200, 944, 0.05) is None, more_people(100, 0, 200, 944, 0.05)
    (True, 0)
    """
    if found > wanted:
        return None
    low, high = drawn, size  # at most `wanted` can be over if all are drawn
    while low < high:
        middle = (low + high) // 2
        if most_over(found, middle, size, alpha) <= wanted:
            high = middle
        else:
            low = middle + 1
    return low - drawn


def _more(people: int) -> str:
    return "1 more person" if people == 1 else f"{people:,} more people"


def _at(seconds: float, paced: bool) -> str:
    return f" ({_about(seconds)})" if paced else ""


def _about(seconds: float) -> str:
    """A time that nobody should take for exact.

    >>> [_about(seconds) for seconds in (0.2, 80, 2000, 9000, 10**6)]
    ['about 1 s', 'about 80 s', 'about 33 min', 'about 2.5 h', 'about 12 days']
    """
    for unit, size, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 48 * 3600)):
        if seconds < most:
            number = max(1.0, seconds / size)
            return f"about {number:.2g} {unit}" if number < 10 else f"about {number:.0f} {unit}"
    return f"about {seconds / 86400:,.0f} days"
