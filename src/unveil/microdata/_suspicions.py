"""Releases that can be true, and look as if something had gone wrong: told before any figure.

What cannot be true is refused (`_truth`). What is left to a program that failed quietly, or was
given the wrong file, is its input as the answer. (That nobody is told apart is said of suppressed
records.)
"""

from __future__ import annotations

import numpy as np

from unveil.errors import Message
from unveil.microdata._microdata import Microdata
from unveil.microdata._regions import one_value
from unveil.microdata._release import Release


def suspicions(release: Release, table: Microdata) -> tuple[Message, ...]:
    """What somebody should look at before they believe the figures of a release that was read.

    >>> import unveil as uv
    >>> survey = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]},
    ...                        quasi="age", sensitive="vote")
    >>> release = uv.read_release({"age": [30, 34, 41], "vote": ["a", "b", "a"]}, survey)
    >>> print(*suspicions(release, survey))
    its records are those of the table, unchanged: if quasi-identifiers were to be generalized, the
    program failed, or this is its input
    """
    if _is_the_table(release, table):
        return (Message(
            "its records are those of the table, unchanged: if quasi-identifiers were to be "
            "generalized, the program failed, or this is its input"
        ),)  # fmt: skip
    return ()


def _is_the_table(release: Release, table: Microdata) -> bool:
    """Whether every record is one of the table with its own values, each as often as there."""
    if len(release) != len(table) or release.hidden:
        return False
    cells = np.stack([one_value(regions)[release.class_of] for regions in release.regions])
    if (cells < 0).any():
        return False
    ours = np.vstack([table.codes, table.sensitive.codes])
    theirs = np.vstack([cells, release.sensitive.codes])
    return bool((ours[:, np.lexsort(ours)] == theirs[:, np.lexsort(theirs)]).all())
