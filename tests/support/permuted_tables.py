"""Tables and their groups, to be published permuted."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from random_tables import tables

import unveil as uv

PATIENTS = uv.read_table(
    {
        "nationality": ["Malaysia", "Japan", "Japan", "Japan", "China", "Japan", "India",
                        "Malaysia"],
        "zip": ["45501", "45502", "55503", "55504", "66601", "66601", "77701", "77701"],
        "disease": ["Heart", "Flu", "Flu", "Stomach", "HIV", "Diabetes", "Flu", "Heart"],
    },
    quasi=["nationality", "zip"],
    sensitive="disease",
)  # fmt: skip
GROUPS = [1, 1, 2, 2, 3, 3, 4, 4]


@st.composite
def groupings(draw, max_size=40):
    """Tables, and a group for each record."""
    table = draw(tables(max_size))
    return table, draw(
        st.lists(st.integers(0, 6), min_size=len(table), max_size=len(table)).map(np.array)
    )
