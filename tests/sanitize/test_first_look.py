"""What is looked at where nothing is named."""

from __future__ import annotations

import pytest

import unveil as uv
from unveil.sanitize import first_look


@pytest.mark.parametrize(
    ("people", "sizes"),
    [(1, []), (2, []), (3, [2]), (5, [2]), (6, [2]), (7, [2, 5]), (24, [2, 5, 10]),
     (25, [2, 5, 10, 20]), (1000, [2, 5, 10, 20])],
)  # fmt: skip
def test_there_are_people_to_spare(people: int, sizes: list[int]) -> None:
    table = uv.read_table(
        {"age": list(range(people)), "ill": ["a"] * people}, quasi="age", sensitive="ill"
    )
    assert first_look(table) == [uv.Identity(), *(uv.Mondrian(k=k) for k in sizes)]


def test_nothing_of_it_fails_on_a_very_small_table() -> None:
    table = uv.read_table(
        {"age": [34, 45, 34, 51, 29], "ill": ["flu", "HIV", "flu", "flu", "cold"]},
        quasi="age", sensitive="ill",
    )  # fmt: skip
    audit = uv.audit(table, attacks=["differential-inference", "measures"], progress=False)
    assert [one.name for one in audit.releases] == ["Identity()", "Mondrian(k=2)"]
    assert {look.status for one in audit.releases for look in one.looked.values()} == {"done"}
