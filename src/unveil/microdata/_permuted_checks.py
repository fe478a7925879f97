"""Whether a permuted release can be one of its original: no person or secret too many."""

from __future__ import annotations

import numpy as np

from unveil.errors import InputError
from unveil.microdata._microdata import Microdata
from unveil.microdata._permuted import Permuted
from unveil.microdata._permuted_groups import combinations
from unveil.microdata._release_checks import same_domains

__all__ = ["check_permuted"]


def check_permuted(release: Permuted, original: Microdata) -> None:
    """Refuse a permuted release that cannot be one of the original, whatever was left out.

    Raises
    ------
    InputError
        If its columns are others, or it has more records than the original, more with some
        combination of quasi-identifiers, or more with some sensitive value.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.microdata import Permuted
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> check_permuted(Permuted.from_groups(survey.take([0, 0, 1]), [1, 1, 1]), survey)
    Traceback (most recent call last):
    unveil.errors.InputError: the release by somebody has 2 records with age '30', where table has
    1: it is not a release of this table
    """
    if not same_domains(release, original):
        raise InputError(
            f"the release by {release.made_by} is none of {original.source}: their columns, or the "
            "values in them, differ; read it with read_anatomy(…, microdata=…)"
        )
    n = len(release)
    if n > len(original):
        raise _too_many(release, f"{n:,} records", original, len(original))
    numbers = combinations(np.hstack([release.codes, original.codes]))
    ours, theirs = (np.bincount(x, minlength=numbers.max() + 1) for x in (numbers[:n], numbers[n:]))
    more = ours > theirs
    if more.any():
        record = int(np.argmax(more[numbers[:n]]))
        values = ", ".join(f"{c.name} {c.texts[c.codes[record]]!r}" for c in release.quasi)
        number = numbers[record]
        what = f"{ours[number]:,} {'record' if ours[number] == 1 else 'records'} with {values}"
        raise _too_many(release, what, original, int(theirs[number]))
    more = release.totals > original.sensitive_counts
    if more.any():
        s = int(np.argmax(more))
        what = (
            f"{release.totals[s]:,} {'record' if release.totals[s] == 1 else 'records'} with "
            f"{release.sensitive.name} {release.sensitive.texts[s]!r}"
        )
        raise _too_many(release, what, original, int(original.sensitive_counts[s]))


def _too_many(release: Permuted, what: str, original: Microdata, has: int) -> InputError:
    return InputError(
        f"the release by {release.made_by} has {what}, where {original.source} has "
        f"{format(has, ',') if has else 'none'}: it is not a release of this table"
    )
