"""Coarsenings: words, the published form of values, and which values a published text stands for.

Beside everything stands a plain brute force, with `datetime` and `decimal` instead of arrays.
"""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Column, Hierarchy, Kind, Role
from unveil.microdata.coarsening import parse_how


def column(values: Any, *, hierarchy: Hierarchy | None = None) -> Column:
    """A column whose domain is these values, sorted."""
    texts = any(isinstance(value, str) for value in values)
    domain = np.array(sorted({*values}), dtype=object if texts else None)
    if not texts and domain.dtype == object:
        domain = domain.astype("datetime64[D]")
    return Column(
        name="it", role=Role.QUASI, kind=Kind.CATEGORICAL if texts else Kind.NUMERIC,
        codes=np.zeros(0, dtype=np.int32), values=domain, hierarchy=hierarchy,
    )  # fmt: skip


def covered(how: str, of: Column, text: str) -> list[str] | None:
    """The values that a text stands for."""
    (spans,) = parse_how(how).regions(of, [text])
    if spans is None:
        return None
    return [of.texts[code] for first, last in spans for code in range(first, last + 1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("year", "year"),
        (" Rounded 1,000 ,top 90000", "rounded 1000, top 90000"),
        ("age 2024-12-31; top 90", "age 2024-12-31, top 90"),
        ("bottom 25, top 75", "bottom 25, top 75"),
        ("floor 0.50", "floor 0.5"),
        ("top -5", "top -5"),
        ("age 2024-12-31, bands", "age 2024-12-31, bands"),
        ("prefix 12", "prefix 12"),
        ("unchanged", "unchanged"),
    ],
)
def test_words_are_read_and_given_back(text: str, words: str) -> None:
    assert str(parse_how(text)) == words
    assert parse_how(words) == parse_how(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("yaer", "did you mean 'year'"),
        ("", "is not known"),
        ("floor", "floor needs a width"),
        ("floor 0", "floor needs a width"),
        ("floor ten", "floor needs a width"),
        ("year 3", "year needs nothing after it"),
        ("prefix 0", "prefix needs a number of characters"),
        ("age 2023-02-30", "age needs a day"),
        ("top 80, top 90", "top is said twice"),
        ("prefix 3, top 80", "prefix cannot be combined"),
        ("bands, floor 10", "bands cannot be combined"),
        ("month, top 80", "month cannot be combined"),
        ("top 80, year", "year must come first"),
        ("perturbed, floor 10", "perturbed cannot be combined"),
    ],
)
def test_other_words_are_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_how(text)


def test_a_column_of_another_kind_is_refused() -> None:
    names, numbers = column(["Ann", "Bob"]), column([1, 2])
    for how, of in (("year", numbers), ("floor 10", names), ("level 1", names), ("age 2020-01-01",
                    names), ("perturbed", numbers), ("recoded", names)):  # fmt: skip
        with pytest.raises(InputError, match="column 'it'"):
            parse_how(how).regions(of, ["x"])
    with pytest.raises(InputError, match="does not follow"):
        parse_how("bands").keys(numbers)


DAYS = st.lists(st.dates(date(1900, 1, 1), date(2030, 12, 31)), min_size=1, max_size=12)
MONTHS = [f"{date(2000, month, 1):%b}" for month in range(1, 13)]
WRITTEN = {
    "year": [lambda d: f"{d.year}", lambda d: f"{d.year}-01-01", lambda d: f"01.01.{d.year}"],
    "month": [
        lambda d: f"{d:%m/%Y}", lambda d: f"{d:%Y-%m}", lambda d: f"{d:%Y-%m}-01",
        lambda d: f"{d:%Y-%m}-01 00:00:00", lambda d: f"01.{d:%m.%Y}", lambda d: f"{d:%m.%Y}",
        lambda d: f"{d:%Y%m}", lambda d: f"{MONTHS[d.month - 1]} {d.year}",
        lambda d: f"{d.year}M{d.month:02}", lambda d: f"{d.month}/1/{d.year}",
        lambda d: f"01{MONTHS[d.month - 1].lower()}{d.year}", lambda d: f"{d.year}m{d.month}",
    ],
    "quarter": [
        lambda d: f"{d.year}Q{(d.month + 2) // 3}", lambda d: f"Q{(d.month + 2) // 3} {d.year}",
        lambda d: f"{d.year}-{(d.month - 1) // 3 * 3 + 1:02}-01",
        lambda d: f"{(d.month + 2) // 3}. Quartal {d.year}",
    ],
    "decade": [
        lambda d: f"{d.year // 10}0s", lambda d: f"{d.year // 10}0", lambda d: f"{d.year // 10}x",
        lambda d: f"{d.year // 10}0-{d.year // 10}9",
    ],
}  # fmt: skip
PART = {
    "year": lambda d: d.year,
    "month": lambda d: (d.year, d.month),
    "quarter": lambda d: (d.year, (d.month - 1) // 3),
    "decade": lambda d: d.year // 10,
}


@pytest.mark.parametrize("how", WRITTEN)
@given(days=DAYS, which=st.integers(0, 11))
def test_parts_of_dates_in_any_spelling(how: str, days: list[date], which: int) -> None:
    of = column(days)
    spelling = WRITTEN[how][which % len(WRITTEN[how])]
    for day in days:
        mates = [str(other) for other in sorted({*days}) if PART[how](other) == PART[how](day)]
        assert covered(how, of, spelling(day)) == mates, spelling(day)


def age(born: date, day: date) -> int:
    return day.year - born.year - ((born.month, born.day) > (day.month, day.day))


@given(days=DAYS, on=st.dates(date(2000, 1, 1), date(2030, 12, 31)), cap=st.integers(0, 100))
def test_ages(days: list[date], on: date, cap: int) -> None:
    of, domain = column(days), sorted({*days})
    for day in days:
        mates = [str(other) for other in domain if age(other, on) == age(day, on)]
        assert covered(f"age {on}", of, str(age(day, on))) == mates
    old = [str(other) for other in domain if age(other, on) >= cap]
    for text in (f"{cap}+", f"{cap}", f">={cap}", f"≥ {cap}", f">{cap - 1}"):
        assert covered(f"age {on}, top {cap}", of, text) == old
    assert covered(f"age {on}, top {cap}", of, f"{cap + 1}") is None


@given(days=DAYS, on=st.dates(date(2000, 1, 1), date(2030, 12, 31)), low=st.integers(0, 90))
def test_ages_in_bands(days: list[date], on: date, low: int) -> None:
    inside = [str(other) for other in sorted({*days}) if low <= age(other, on) <= low + 9]
    assert covered(f"age {on}, bands", column(days), f"{low}-{low + 9}") == inside


NUMBERS = st.one_of(
    st.lists(st.integers(-200, 200), min_size=1, max_size=15),
    st.lists(st.integers(-2000, 2000).map(lambda n: n / 8), min_size=1, max_size=15),
    st.lists(st.integers(-200, 200).map(lambda n: n / 10), min_size=1, max_size=15),
)
WIDTHS = st.sampled_from(["1", "5", "10", "7", "0.5", "0.1", "2.5", "1000"])


def exact(number: float) -> Decimal:
    return Decimal(str(number))


def steps(number: float, width: str, rounding: str) -> Decimal:
    return (exact(number) / Decimal(width)).quantize(Decimal(1), rounding) * Decimal(width)


@given(values=NUMBERS, width=WIDTHS)
def test_floors_and_roundings(values: list[float], width: str) -> None:
    of = column(values)
    domain = [float(text) for text in of.texts]
    for number in values:
        low = steps(number, width, "ROUND_FLOOR")
        assert covered(f"floor {width}", of, str(low)) == [
            text
            for text, one in zip(of.texts, domain, strict=True)
            if low <= exact(one) < low + Decimal(width)
        ]
        near = steps(number, width, ROUND_HALF_UP)
        assert covered(f"rounded {width}", of, str(near)) == [
            text
            for text, one in zip(of.texts, domain, strict=True)
            if abs(exact(one) - near) * 2 <= Decimal(width)
        ]


@given(values=NUMBERS, caps=st.tuples(st.integers(-150, 150), st.integers(-150, 150)))
def test_caps(values: list[float], caps: tuple[int, int]) -> None:
    low, high = sorted(caps)
    of = column(values)
    if low == high:
        return
    how = f"bottom {low}, top {high}"
    for text, number in zip(of.texts, of.values, strict=True):
        if low < number < high:
            assert covered(how, of, text) == [text]
        elif number not in (low, high):
            assert covered(how, of, text) is None
    above = [text for text, one in zip(of.texts, of.values, strict=True) if one >= high]
    below = [text for text, one in zip(of.texts, of.values, strict=True) if one <= low]
    assert covered(how, of, str(high)) == covered(how, of, f"{high}+") == above
    assert covered(how, of, str(low)) == covered(how, of, f"<={low}") == below


def test_a_number_below_one_has_no_thousands() -> None:
    """-0.125 was read as -125, and as below the bottom."""
    assert covered("bottom -125, top -1", column([-0.125]), "-0.125") is None
    assert covered("rounded 5", column([125, 0]), "0.125") is None


@given(values=NUMBERS, width=st.sampled_from([10, 50]), cap=st.integers(-3, 3))
def test_steps_are_done_one_after_the_other(values: list[float], width: int, cap: int) -> None:
    of = column(values)
    for text, number in zip(of.texts, of.values, strict=True):
        for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN):
            published = min(steps(number, str(width), rounding), Decimal(cap * width))
            assert text in (
                covered(f"rounded {width}, top {cap * width}", of, str(published)) or ()
            )


@given(
    values=st.lists(st.text("0123456789AB.", min_size=1, max_size=6), min_size=1, max_size=12),
    length=st.integers(1, 5), filler=st.sampled_from(["", "*", "**", "x", "XX", "##", ".-"]),
)  # fmt: skip
def test_prefixes(values: list[str], length: int, filler: str) -> None:
    of = column(values)
    for value in values:
        start = value[:length]
        filled = start + filler if len(start) == length else start
        assert covered(f"prefix {length}", of, filled) == [
            other for other in sorted({*values}) if other[:length] == start
        ]


def test_what_is_no_cell_of_a_coarsening() -> None:
    days, numbers, codes = column([date(1961, 5, 3)]), column([34, 81]), column(["81675", "8"])
    assert covered("year", days, "1961-05-01") is covered("year", days, "61") is None
    assert covered("month", days, "1961-05-03") is covered("month", days, "1961-13") is None
    assert covered("decade", days, "1961") is None
    assert covered("floor 10", numbers, "34") is covered("floor 10", numbers, "30-39") is None
    assert covered("prefix 3", codes, "8167*") is None
    assert covered("prefix 3", codes, "81") == []
    assert covered("floor 10", numbers, "*") is covered("floor 10", numbers, "") is None
    assert covered("top 80", numbers, "90+") is None


def test_numbers_with_marks() -> None:
    incomes = column([20_294, 20_700, 51_167, 51_000])
    assert covered("rounded 1000", incomes, "51,000") == ["51000", "51167"]
    assert covered("rounded 1000", incomes, "51.000") == ["51000", "51167"]
    assert covered("floor 10000", incomes, "20 000") == ["20294", "20700"]
    both = column([20, 20_000])  # a decimal comma, or a thousands mark
    assert covered("floor 10", both, "20,000") is None


def test_decades_of_years() -> None:
    years = column([1959, 1961, 1969])
    assert covered("decade", years, "1960s") == ["1961", "1969"]
    assert covered("floor 10", years, "1960s") == ["1961", "1969"]


def test_levels() -> None:
    tree = Hierarchy.from_paths([("Lyon", "France", "*"), ("Nice", "France", "*"),
                                 ("Rome", "Italy", "*")])  # fmt: skip
    towns = column(["Lyon", "Nice", "Rome"], hierarchy=tree)
    assert covered("level 1", towns, "France") == ["Lyon", "Nice"]
    assert covered("level 0", towns, "Rome") == ["Rome"]
    assert covered("level 1", towns, "Rome") is None
    with pytest.raises(InputError, match="levels 0 to 2"):
        covered("level 3", towns, "*")


def test_tables() -> None:
    towns = column(["Lyon", "Nice", "Rome"])
    found = parse_how("recoded").regions(
        towns, ["F", "I", "*"], {"F": ["Lyon", "Nice"], "I": "Rome"}
    )
    assert found == [((0, 1),), ((2, 2),), None]
    with pytest.raises(InputError, match=r"stands for 'Rom'.*did you mean 'Rome'"):
        parse_how("set").regions(towns, ["I"], {"I": ["Rom"]})


def test_cells_as_they_are_written() -> None:
    ages = column([17, 34, 41])
    assert covered("bands", ages, "30-39") == ["34"]
    assert covered("unchanged", ages, "41") == ["41"]
    assert covered("bands", ages, "elephants") is None


@pytest.mark.parametrize("how", ["floor 7", "rounded 10, top 60", "bottom 0", "prefix 2", "top 9"])
@given(values=NUMBERS)
def test_what_is_written_is_read_back(how: str, values: list[float]) -> None:
    of, words = column(values), parse_how(how)
    for code, text in enumerate(words.written(of)):
        (spans,) = words.regions(of, [text])
        assert spans is not None
        assert any(first <= code <= last for first, last in spans)
    assert words.read(of, words.written(of)) == words.keys(of).tolist()


def test_missing_values_are_never_published() -> None:
    three = {"day": [date(2020, 1, 2), None, date(2021, 1, 2)], "code": ["ab", None, "mi"]}
    table = uv.read_table(
        {**three, "s": list("abc")}, quasi="code", sensitive="s", missing="category"
    )
    days = table["day"]
    assert covered("year", days, "2020") == ["2020-01-02"]
    assert parse_how("year").written(days) == ["2020", "2021", ""]
    assert covered("prefix 1", table["code"], "(") == []
