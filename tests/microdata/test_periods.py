"""Parts of the calendar in the words of published files."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.microdata.periods import period_of


@pytest.mark.parametrize(
    ("text", "start", "after", "kind"),
    [
        ("1961", "1961", "1962", "year"),
        ("1961-**-**", "1961", "1962", "year"),
        ("XX.XX.1961", "1961", "1962", "year"),
        ("**/**/1961", "1961", "1962", "year"),
        *((text, "2023-05", "2023-06", "month") for text in (
            "2023-05", "05/2023", "5/2023", "05.2023", "05-2023", "2023/05", "2023.05", "2023m5",
            "May 2023", "may2023", "Mai 2023", "mayo 2023", "2023 May", "2023-MAY", "May-2023")),
        *((text, "2023-10", "2024-01", "quarter") for text in (
            "2023Q4", "2023-Q4", "2023 Q4", "Q4 2023", "Q4/2023", "Q4-2023", "4Q2023", "2023q4",
            "T4 2023", "2023-T4", "4. Quartal 2023")),
        *((text, "2023-07", "2024-01", "half") for text in (
            "2023H2", "2023-H2", "H2 2023", "H2/2023", "2H2023", "2023S2", "2. Halbjahr 2023")),
        *((text, "1960", "1970", "decade") for text in (
            "1960s", "1960's", "196*", "196x", "1960er", "1960er Jahre", "années 1960")),
        ("2023-05-17", "2023-05-17", "2023-05-18", "day"),
        ("2023-05-17 10:30", "2023-05-17T10:30", "2023-05-17T10:31", "moment"),
    ],
)  # fmt: skip
def test_a_part_of_the_calendar(text: str, start: str, after: str, kind: str) -> None:
    assert period_of(text) == (np.datetime64(start), np.datetime64(after), kind)


@pytest.mark.parametrize(
    "text", ["", "03/04", "13/2023", "00/2023", "2023-13", "2023-02-30", "Q5 2023", "2023Q0",
             "H3 2023", "Mon 2023", "1965s", "196", "19611116", "17.05.2023", "*", "**", "2023-00",
             "May", "12.5", "1.2000.5", "**-**", "**.**.**"],
)  # fmt: skip
def test_what_may_be_nothing_or_several_things(text: str) -> None:
    assert period_of(text) is None


def test_a_day_is_read_in_its_form() -> None:
    found = period_of("17.05.2023", "dd.mm.yyyy")
    assert found == (np.datetime64("2023-05-17"), np.datetime64("2023-05-18"), "day")
    assert period_of("17.05.2023", "mm.dd.yyyy") is None
    found = period_of("17.05.2023 10:30", "dd.mm.yyyy hh:mm")
    assert found is not None
    assert found.after - found.start == np.timedelta64(1, "m")


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(9998, 12, 31)))
def test_a_day_lies_in_its_own_periods(day: datetime.date) -> None:
    quarter, half = (day.month + 2) // 3, (day.month + 5) // 6
    for text in (
        f"{day.year}", f"{day.month:02}/{day.year}", f"{day.year}Q{quarter}",
        f"H{half} {day.year}", f"{day.year // 10}0s", f"{day:%b %Y}", f"{day:%d/%m/%Y}",
    ):  # fmt: skip
        found = period_of(text, "dd/mm/yyyy")
        assert found is not None
        assert found.start <= np.datetime64(day) < found.after
