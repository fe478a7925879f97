"""How many people can be sampled in the time there is, and how often each of them.

Every sample of a person is one more run of the sanitizer and of the adversary. A thousand of each
person may use up all the time before the second one is reached, and releases of the whole table
are drawn for nothing where hardly anybody is compared with them.
"""

from __future__ import annotations

__all__ = ["affordable"]

_PEOPLE = 20  # if each of them can have samples enough
_FEWEST = 32  # samples, so that chance can be told from what a record does


def affordable(seconds: float, each: float, samples: int, people: int) -> tuple[int, int]:
    """The samples of each person, and the people, that fit.

    Parameters
    ----------
    seconds : float
        How long all workers can work, together.
    each : float
        How long one sample takes.
    samples, people : int
        At most.

    Examples
    --------
    With and without each record; those with all records are shared by everybody:

    >>> affordable(60.0, 0.01, samples=1000, people=45_000)
    (285, 20)
    >>> affordable(5.0, 0.02, samples=1000, people=45_000)
    (32, 6)
    """
    runs = max(int(seconds / max(each, 1e-9)), 0)
    fewest = min(_FEWEST, samples)
    often = min(max(runs // (1 + min(_PEOPLE, people)), fewest), samples)
    return often, min(max(runs // often - 1, 1), people)
