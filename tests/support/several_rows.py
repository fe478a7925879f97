"""Tables in which a person has several rows, for tests that count people beside tests that count
rows."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

import unveil as uv
from unveil.microdata import Persons


def repeated(table, times=3, seed=0):
    """Every row so many times, all of one person, in any order: by person it is the same table.

    Works for microdata and releases. Also the row that each row repeats.
    """
    which = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(table)), times))
    several = replace(table.take(which), persons=Persons(("who",), which.astype(np.int64)))
    return several, which


@st.composite
def stays(draw, people=6, rows=16):
    """A small table of stays: a person, two quasi-identifiers and a disease."""
    n = draw(st.integers(4, rows))
    column = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    whose = draw(st.lists(st.integers(0, people - 1), min_size=n, max_size=n))
    return {
        "who": [f"p{one}" for one in whose],
        "age": draw(column),
        "sex": [f"s{one}" for one in draw(column)],
        "ill": [f"d{one}" for one in draw(column)],
    }


def read(table, **options):
    """Such a table, read; the person column says whose a row is."""
    return uv.read_table(
        table, quasi=["age", "sex"], sensitive="ill", **{"person": "who", **options}
    )
