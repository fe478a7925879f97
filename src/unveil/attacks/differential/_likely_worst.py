"""Who is probably worst off, guessed from the release of the whole table.

Running a program again for everybody may take days, and it is bad if a single person is badly off.
So the people who are likely to be worst off are tested first. Who they are is guessed in three
ways, without running the program again, and each guess names a person in turn:

- *rare among few*: one record with the person's sensitive value fewer among the released records
  that cover the person in every column. How far do the shares of the values move?
- *rare in its columns*: the same, column by column, for naive Bayes;
- *unusual*: the smallest share of people, in any column, who have a value as far out as the
  person's (for categories: the same value). Ranges, cuts and limits depend on these people.

The first two delete a row of the release. That is not the test, which runs the program again: they
only say whom to test first, and no figure depends on how good the guess is. They are blind to
programs that group people differently without somebody, which the third often finds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.adversary import ConditionalFrequency, CountingAdversary, NaiveBayes
from unveil.attacks.differential._by_person import first_of_each
from unveil.microdata import AnyRelease, Column, Kind, Microdata

_ENTRIES = 2**20  # counts held at a time
_COMPARED = 2**28  # pairs of a person and a class that are compared: about half a second
_GUESSES: tuple[CountingAdversary, ...] = (ConditionalFrequency(), NaiveBayes())


def likely_worst(
    microdata: Microdata, release: AnyRelease | None, n: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """At most n people who are probably worst off, the first guesses first.

    Of equal records only one is named, where each is another person's. Ties are broken at random.

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [31, 31, 33, 34, 35, 98], "diagnosis": ["flu"] * 3 + ["gout"] + ["flu"] * 2},
    ...     quasi="age", sensitive="diagnosis")
    >>> release = uv.Mondrian(k=3).sanitize(people)
    >>> likely_worst(people, release, 2, np.random.default_rng(0)).tolist()
    [3, 5]
    """
    several = microdata.several
    # A person of several records counts with all of them.
    records = microdata.distinct if several is None else np.arange(len(microdata))
    most = n if several is None else n * int(several.rows.max())  # who are n people at least
    unusual = -_shares_as_far_out(microdata)[records]
    order = np.lexsort([rng.random(len(records)), -unusual])
    guesses = [order]
    if release is not None:
        few = order[: max(most, _COMPARED // max(1, len(release.sizes)))]
        ties = rng.random(len(few))
        moved = [
            _moved(adversary, release, microdata, records[few])
            for adversary in _GUESSES
            if adversary.understands(release)
        ]
        guesses = [*(few[np.lexsort([ties, -d])] for d in moved), order]
    # In turn; more than n people of each are not needed.
    named = records[np.stack([guess[:most] for guess in guesses], axis=1).ravel()]
    first = np.sort(np.unique(named, return_index=True)[1])
    return first_of_each(microdata, named[first])[:n]


def _moved(
    adversary: CountingAdversary,
    release: AnyRelease,
    microdata: Microdata,
    records: NDArray[np.intp],
) -> NDArray[np.float64]:
    """How far belief moves if a released record with the person's sensitive value is deleted.

    As many as the person has with this value, and no more than there are.
    """
    moved = np.zeros(len(records))
    if release.totals.sum() < 2:  # nothing would be left
        return moved
    gone = _alike(microdata)
    step = max(1, _ENTRIES // (len(microdata.quasi) * release.sensitive.size))
    for begin in range(0, len(records), step):
        some = records[begin : begin + step]
        own, each = microdata.sensitive.codes[some], np.arange(len(some))
        counts = np.array(release.statistic(adversary.statistic, microdata.codes[:, some]))
        totals = np.repeat(release.totals[None], len(some), axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):  # noisy counts may add up to nothing
            before = adversary.from_counts(counts, totals)
            for count in (counts, totals):
                left = count[each, ..., own]
                fewer = gone[some].reshape(-1, *[1] * (left.ndim - 1))
                count[each, ..., own] = np.maximum(left - fewer, 0)
            after = adversary.from_counts(counts, totals)
            moved[begin : begin + step] = np.abs(before - after).sum(axis=1)
    return np.nan_to_num(moved)


def _alike(microdata: Microdata) -> NDArray[np.int64]:
    """How many records with its sensitive value the person of each record has."""
    several = microdata.several
    if several is None or several.of is None:
        return np.ones(len(microdata), dtype=np.int64)
    pairs = several.of * microdata.sensitive.size + microdata.sensitive.codes
    _, which, number = np.unique(pairs, return_inverse=True, return_counts=True)
    return number[which]


def _shares_as_far_out(microdata: Microdata) -> NDArray[np.float64]:
    """For each record, the smallest share of people in any column with a value as far out."""
    shares = [_column_shares(column)[column.codes] for column in microdata.quasi]
    return np.min(shares, axis=0) if shares else np.ones(len(microdata))


def _column_shares(column: Column) -> NDArray[np.float64]:
    """For each value: the share of people who have it, or one further out where there is an order.

    >>> import unveil as uv
    >>> ages = uv.read_table({"age": [1, 2, 2, 9], "s": list("abab")}, quasi="age", sensitive="s")
    >>> _column_shares(ages["age"])
    array([0.25, 0.75, 0.25])
    """
    counts = np.bincount(column.codes, minlength=column.size)
    if column.kind is not Kind.CATEGORICAL:
        up = np.cumsum(counts)
        counts = np.minimum(up, up[-1] - up + counts)
    return counts / max(1, len(column.codes))
