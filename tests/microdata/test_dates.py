"""Dates in the forms that people write: all forms that fit are told, and each is read rightly."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_recipes.checking import PairOfFiles

from unveil.microdata.dates import (
    SINCE,
    date_forms,
    date_of,
    dates_by_form,
    forms_of_few,
    has_short_years,
    is_date_form,
    padded,
    parse_dates,
)

PAIRS = Path(__file__).parents[1] / "pairs"

WRITTEN = {
    "yyyy-mm-dd": "%Y-%m-%d", "yyyy/mm/dd": "%Y/%m/%d", "yyyy.mm.dd": "%Y.%m.%d",
    "dd.mm.yyyy": "%d.%m.%Y", "dd/mm/yyyy": "%d/%m/%Y", "mm/dd/yyyy": "%m/%d/%Y",
    "dd-mm-yyyy": "%d-%m-%Y", "mm-dd-yyyy": "%m-%d-%Y", "dd.mm.yy": "%d.%m.%y",
    "dd/mm/yy": "%d/%m/%y", "mm/dd/yy": "%m/%d/%y", "yy-mm-dd": "%y-%m-%d",
    "ddmonyyyy": "%d%b%Y", "dd mon yyyy": "%d %b %Y", "dd-mon-yy": "%d-%b-%y",
    "mon dd, yyyy": "%B %d, %Y", "dd. mon yyyy": "%d. %B %Y", "yyyy-mon-dd": "%Y-%b-%d",
    "yyyy-mm-dd hh:mm:ss": "%Y-%m-%d %H:%M:%S", "yyyy-mm-ddThh:mm": "%Y-%m-%dT%H:%M",
    "dd.mm.yyyy hh:mm": "%d.%m.%Y %H:%M", "mm/dd/yyyy hh:mm:ss AM": "%m/%d/%Y %I:%M:%S %p",
    "yyyy-mm-dd hh:mm:ss.f": "%Y-%m-%d %H:%M:%S.%f", "ddmonyyyy:hh:mm:ss": "%d%b%Y:%H:%M:%S",
    "yyyy-mm-ddThh:mm:ss+02:00": "%Y-%m-%dT%H:%M:%S+02:00",
}  # fmt: skip
MOMENTS = st.datetimes(datetime.datetime(SINCE, 1, 1), datetime.datetime(SINCE + 99, 12, 31))


def as_written_in(form: str, moment: datetime.datetime) -> datetime.datetime:
    """What of a moment a form shows."""
    shown = {"hh:mm:ss.f": {}, "hh:mm:ss": {"microsecond": 0},
             "hh:mm": {"second": 0, "microsecond": 0}}  # fmt: skip
    for time, gone in shown.items():
        if time in form:
            return moment.replace(**gone)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.mark.parametrize("form", WRITTEN)
@given(moments=st.lists(MOMENTS, min_size=1, max_size=20))
def test_dates_are_read_as_they_were_written(form: str, moments: list[datetime.datetime]) -> None:
    texts = [moment.strftime(WRITTEN[form]) for moment in moments]
    dates = parse_dates(texts, form)
    assert dates is not None
    assert dates.astype("M8[us]").tolist() == [as_written_in(form, one) for one in moments]
    one_by_one = [date_of(text, form) for text in texts]
    assert [None if one is None else one.astype("M8[us]") for one in one_by_one] == list(
        dates.astype("M8[us]")
    )


@pytest.mark.parametrize("form", [form for form in WRITTEN if form != "yyyy-mm-dd hh:mm:ss.f"])
@given(moments=st.lists(MOMENTS, min_size=1, max_size=20))
def test_the_form_that_dates_were_written_in_is_among_those_that_fit(
    form: str, moments: list[datetime.datetime]
) -> None:
    texts = [moment.strftime(WRITTEN[form]) for moment in moments]
    found = dates_by_form(texts)
    assert form in found
    assert forms_of_few(texts) == tuple(padded(one).replace(":ss.f", ":ss") for one in found)
    for other, dates in found.items():
        again = parse_dates(texts, other)
        assert again is not None
        assert (again == dates).all()


DIGITS = st.text("0123456789", min_size=1, max_size=4)


@given(st.tuples(DIGITS, st.sampled_from("./-"), DIGITS, DIGITS))
def test_every_form_that_fits_is_told(parts: tuple[str, str, str, str]) -> None:
    """Against the calendar itself, text by text."""
    first, mark, second, third = parts
    ways = {}
    for form, (y, m, d) in {
        "yyyy mm dd": (first, second, third), "dd mm yyyy": (third, second, first),
        "mm dd yyyy": (third, first, second), "dd mm yy": (third, second, first),
        "mm dd yy": (third, first, second), "yy mm dd": (first, second, third),
    }.items():  # fmt: skip
        year = int(y) if "yyyy" in form else SINCE + (int(y) - SINCE) % 100
        if len(y) != form.count("y") or max(len(m), len(d)) > 2:
            continue
        try:
            ways[form] = datetime.date(year, int(m), int(d))
        except ValueError:
            continue
        if min(len(m), len(d)) == 1:
            ways[form.replace("dd", "d").replace("mm", "m")] = ways.pop(form)
    found = dates_by_form([mark.join((first, second, third))])
    got = {form.replace(mark, " "): dates[0].astype(object) for form, dates in found.items()}
    if mark == "." and any(form.startswith("d") for form in ways):
        ways = {form: date for form, date in ways.items() if form.startswith("d")}
    assert got == ways


@pytest.mark.parametrize(
    "text", ["1.2.3", "192.168.1.10", "31.04.1961", "29.02.1961", "00.01.1961", "01.13.1961a",
             "19611116", "1961", "Mon 12, 1999", "12 mm 1999", "12/11-1961", "2020-01-01 25:00",
             "2020-01-01 10:60", "2020-01-01 13:00 PM", "١٢.١١.١٩٦١", "", "12.11.1961 x",
             "2020-01-01 00:00:00.0000001", "0000-01-01", "12:30"],
)  # fmt: skip
def test_what_is_no_date_has_no_form(text: str) -> None:
    assert date_forms([text]) == ()
    assert forms_of_few([text]) == ()


def test_one_text_that_is_no_date_is_enough() -> None:
    assert date_forms(["16.11.1961", "unknown"]) == ()
    assert date_forms(["unknown", "16.11.1961"]) == ()
    assert date_forms([]) == ()


def test_one_day_decides_the_form_of_all() -> None:
    ambiguous = ["01/02/2001", "03/04/2005"]
    assert date_forms(ambiguous) == ("dd/mm/yyyy", "mm/dd/yyyy")
    assert date_forms([*ambiguous, "13/01/2001"]) == ("dd/mm/yyyy",)
    assert date_forms([*ambiguous, "01/13/2001"]) == ("mm/dd/yyyy",)
    assert date_forms([*ambiguous, "13/01/2001", "01/13/2001"]) == ()


def test_names_of_months_in_six_languages() -> None:
    said = ["3 May 1990", "3 mai 1990", "3 Mai 1990", "3 mei 1990", "3 mayo 1990", "3 maggio 1990"]
    dates = parse_dates(said, "dd mon yyyy")
    assert dates is not None
    assert set(dates.tolist()) == {datetime.date(1990, 5, 3)}
    assert date_forms(["1. März 1990", "24. Dez. 1991"]) == ("d. mon yyyy",)
    assert date_forms(["4 févr. 1990", "04 août 1990"]) == ("d mon yyyy",)


def test_years_of_two_digits_lie_in_the_hundred_years_that_are_said() -> None:
    assert date_of("01.01.30", "dd.mm.yy") == np.datetime64("1930-01-01")
    assert date_of("01.01.29", "dd.mm.yy") == np.datetime64("2029-01-01")
    for since, year in [(1900, 1929), (1929, 1929), (1930, 2029), (2000, 2029)]:
        dates = parse_dates(["01.01.29"], f"dd.mm.yy since {since}")
        assert dates is not None
        assert dates.tolist() == [datetime.date(year, 1, 1)]


def test_eight_digits_are_a_date_only_if_that_is_said() -> None:
    assert date_forms(["19611116"]) == ()
    assert date_of("19611116", "yyyymmdd") == np.datetime64("1961-11-16")
    assert date_of("1961111", "yyyymmdd") is None
    assert parse_dates(["16111961", "01021984"], "ddmmyyyy") is not None


@pytest.mark.parametrize(
    "words", ["", "yyyy", "dd.mm", "dd.mm.yyyy since 1930", "dd.mm.yyy", "d/d/yyyy", "1,234.56",
              "%d.%m.%Y", "day.mm.yyyy"],
)  # fmt: skip
def test_what_is_no_form(words: str) -> None:
    assert not is_date_form(words)
    assert parse_dates(["16.11.1961"], words) is None
    assert date_of("16.11.1961", words) is None


def test_forms_with_years_of_two_digits() -> None:
    assert has_short_years("dd-mon-yy")
    assert has_short_years("mm/dd/yy since 1900")
    assert not has_short_years("yyyy-mm-dd")
    assert not has_short_years("1,234.56")


FORMS = [
    (folder.name, column["original"], column["check"]["form"])
    for folder in sorted(file.parent for file in PAIRS.glob("*/truth.toml"))
    for column in PairOfFiles(folder).truth["columns"]
    if is_date_form(column.get("check", {}).get("form", ""))
]  # fmt: skip


@pytest.mark.parametrize(("pair", "column", "form"), FORMS)
def test_dates_of_the_pairs_of_files_fit_their_true_form(pair: str, column: str, form: str) -> None:
    """And if others fit as well, the truth says that this is asked about."""
    files = PairOfFiles(PAIRS / pair)
    texts = [text for text in files.original[column] if text not in files.blank("original")]
    found = date_forms(texts)
    assert form in found
    asked = [question["column"] for question in files.truth.get("questions", ())]
    assert (len(found) > 1 or has_short_years(form)) == (column in asked)


def test_there_are_pairs_with_dates() -> None:
    assert len(FORMS) > 10
