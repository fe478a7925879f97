"""Cells of releases as people write them: bands in words, local dates, marked numbers."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Column, Kind, Role, cell_reader
from unveil.microdata.dates import write_dates
from unveil.microdata.number_forms import (
    is_number_form,
    number_of,
    numbers_by_form,
    parse_numbers,
    write_numbers,
)

NOBODY = np.zeros(0, dtype=np.int32)


def column(values, form=None) -> Column:
    return Column(name="x", role=Role.QUASI, kind=Kind.NUMERIC, codes=NOBODY,
                  values=np.asarray(values), form=form)  # fmt: skip


AGES = column(np.arange(100))
PAY = column([9_999, 20_543, 31_999, 39_999, 45_250, 70_000])


def ends(read: Column, text: str) -> tuple[str, str] | None:
    """The first and last value that a cell covers, if that is certain."""
    only = cell_reader(read).read(text).only
    if only is None or not only.reading.spans:
        return None
    ((first, last),) = only.reading.spans
    return read.texts[first], read.texts[last]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("18 to 24 years", 18, 24), ("18-24 years old", 18, 24), ("20 bis 29 Jahre", 20, 29),
        ("24~37", 24, 37), ("20 à 29 ans", 20, 29), ("20 a 29 años", 20, 29), ("20s", 20, 29),
        ("between 20 and 29", 20, 29), ("zwischen 20 und 29", 20, 29), ("entre 20 et 29", 20, 29),
        ("von 20 bis 29", 20, 29), ("20 bis unter 30", 20, 29), ("20 to under 30", 20, 29),
        ("20 through 29", 20, 29), ("20-<30", 20, 29), ("(17, 30]", 18, 30), ("[10, 20[", 10, 19),
        ("65 years and over", 65, 99), ("65 Jahre und älter", 65, 99), ("65 ans et plus", 65, 99),
        ("65 en ouder", 65, 99), ("65 y más", 65, 99), ("65 or more", 65, 99), ("65+", 65, 99),
        ("ab 65", 65, 99), ("at least 65", 65, 99), ("65 plus", 65, 99), ("über 65", 66, 99),
        ("over 65", 66, 99), ("plus de 65", 66, 99), ("more than 65", 66, 99),
        ("under 30", 0, 29), ("unter 30", 0, 29), ("moins de 30 ans", 0, 29), ("Under 30", 0, 29),
        ("less than 30", 0, 29), ("up to 30", 0, 30), ("30 or less", 0, 30), ("bis 30", 0, 30),
        ("30 und jünger", 0, 30), ("2x", 20, 29), ("2#", 20, 29), ("2X", 20, 29),
        ("unknown", 0, 99), ("Unbekannt", 0, 99), ("k.A.", 0, 99), ("(not stated)", 0, 99),
    ],
)  # fmt: skip
def test_ages(text, low, high):
    found = cell_reader(AGES).read(text)
    if "prefix" in [one.notation for one in found.all]:  # a mask, which the column settles
        found = uv.read_release(
            {"x": [text, "3*"], "s": ["a", "b"]},
            uv.read_table({"x": range(100), "s": ["a", "b"] * 50}, quasi="x", sensitive="s"),
        )
        assert np.flatnonzero([found.regions[0].covers(v)[0] for v in range(100)]).tolist() == list(
            range(low, high + 1)
        )
    else:
        assert ends(AGES, text) == (str(low), str(high))


@pytest.mark.parametrize(
    "text", ["20-30k", "fox", "under", "and over", "to 30", "aged", "30 to", "unknown age", "x",
             "between 20", "20 oder 30"],
)  # fmt: skip
def test_what_has_no_clear_meaning_is_not_read(text):
    assert not cell_reader(AGES).read(text).all


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("20,000 - 39,999.99", 20_543, 39_999), ("20.000 - 39.999,99", 20_543, 39_999),
        ("20'000–39'999", 20_543, 39_999), ("20 000 - 39 999", 20_543, 39_999),
        ("below 30k", 9_999, 20_543), ("30k or more", 31_999, 70_000), ("<40000", 9_999, 39_999),
        ("20k-40k", 20_543, 39_999), ("20k to 40k", 20_543, 39_999), ("$45250", 45_250, 45_250),
        ("€30000 and more", 31_999, 70_000),
    ],
)  # fmt: skip
def test_pay(text, low, high):
    assert ends(PAY, text) == (str(low), str(high))


def read_pay(cells, values=PAY.values, **options):
    original = uv.read_table({"pay": values, "s": ["a", "b"] * (len(values) // 2)},
                             quasi="pay", sensitive="s")  # fmt: skip
    table = {"pay": cells, "s": ["a", "b"] * (len(cells) // 2)}
    return uv.read_release(table, original, **options)


def test_whole_numbers_are_not_published_with_three_decimals():
    release = read_pay(["20,543", "45,250", "9,999", "31,999", "39,999", "70,000"])
    for value, record in enumerate(np.argsort([20_543, 45_250, 9_999, 31_999, 39_999, 70_000])):
        assert release.regions[0].covers(value)[release.class_of[record]]


def test_what_stays_ambiguous_in_a_column_is_refused():
    values = [45.25, 45_250, 20.5, 20_500]
    with pytest.raises(InputError, match=r"can be read in .* ways"):
        read_pay(["45,250", "45,250", "20,500", "20,500"], values)
    release = read_pay(["45,250", "45,250", "20,5", "20,5"], [45.25, 45.25, 20.5, 20.5])
    assert len(release) == 4


BORN = np.array(["1961-05-16", "1961-06-01", "1965-11-12", "1984-12-11"], dtype="datetime64[D]")


@pytest.mark.parametrize("form", [None, "dd/mm/yyyy", "dd.mm.yyyy", "ddmonyyyy"])
@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1960s", 0, 2), ("05/1961", 0, 0), ("May 1961", 0, 0), ("1961Q2", 0, 1), ("H2 1965", 2, 2),
        ("01.01.1961 - 31.12.1965", 0, 2), ("01/01/1961 - 31/12/1965", 0, 2), ("196*", 0, 2),
        ("Q2 1961 - Q4 1965", 0, 2), ("1961", 0, 1), ("1961-1965", 0, 2), ("before 1965", 0, 1),
        ("16.05.1961", 0, 0), ("XX.XX.1961", 0, 1), ("1961-**-**", 0, 1), ("since 1965", 2, 3),
        ("[1961-01-01, 1961-05-31]", 0, 0), ("16 May 1961", 0, 0), ("05/31/1961-12/31/1965", 1, 2),
    ],
)  # fmt: skip
def test_dates(form, text, low, high):
    read = column(BORN, form)
    assert ends(read, text) == (read.texts[low], read.texts[high])


def test_local_dates_of_a_column_are_read_alike():
    original = uv.read_table({"born": BORN, "s": list("abab")}, quasi="born", sensitive="s")
    cells = ["16/05/1961", "01/06/1961", "12/11/1965", "11/12/1984"]  # the first tells
    release = uv.read_release({"born": cells, "s": list("abab")}, original)
    assert [release.regions[0].covers(v).argmax() for v in range(4)] == [
        release.class_of[v] for v in range(4)
    ]
    with pytest.raises(InputError, match=r"'01/06/1961' can be read in 2 ways: .* write dates "
                                         r"like 2024-12-31"):  # fmt: skip
        uv.read_release({"born": cells[1:], "s": list("bab")}, original)


def test_days_that_are_alike_in_both_forms_tell_nothing():
    original = uv.read_table({"born": BORN, "s": list("abab")}, quasi="born", sensitive="s",
                             forms={"born": "dd.mm.yyyy"})  # fmt: skip
    cells = ["05/05/1961", "06/01/1961", "05/16/1961"]  # only the last tells
    release = uv.read_release({"born": cells, "s": list("aba")}, original)
    assert [release.regions[0].covers(v)[c] for v, c in enumerate(release.class_of[[2, 1]])] == [
        True, True
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["dd/mm/yyyy", "d/m/yyyy"])
def test_the_originals_form_may_have_days_of_one_digit(form):
    assert ends(column(BORN, form), "1/6/1961") is None  # 6 January, if they write otherwise
    original = uv.read_table({"born": ["16/5/1961", "1/6/1961"], "s": ["a", "b"]}, quasi="born",
                             sensitive="s", forms={"born": form})  # fmt: skip
    release = uv.read_release({"born": ["1/6/1961", "01/06/1961"], "s": ["b", "b"]},
                              original, count=False, may_change=True)  # fmt: skip
    assert release.regions[0].covers(1)[release.class_of].tolist() == [True, True]


def test_a_form_of_the_original_reads_the_release_unless_a_cell_contradicts_it():
    table = {"born": ["16/05/1961", "01/06/1961", "12/11/1965"], "s": list("aba")}
    original = uv.read_table(table, quasi="born", sensitive="s", forms={"born": "dd/mm/yyyy"})
    same = uv.read_release({"born": ["01/06/1961", "12/11/1965"], "s": list("ba")}, original)
    assert len(same) == 2
    # 05/16 shows that the month comes first here, so nobody was born on 11 December 1965.
    other = uv.read_release({"born": ["05/16/1961", "12/11/1965"], "s": list("aa")}, original)
    there = other.regions[0].covers(0) | other.regions[0].covers(2)
    assert there[other.class_of].tolist() == [True, False]


def test_words_for_nothing_are_told_and_values_stay_values():
    original = uv.read_table({"x": [30, 31], "s": ["a", "b"]}, quasi="x", sensitive="s")
    release = uv.read_release({"x": ["unknown", "31"], "s": ["a", "b"]}, original)
    assert "x: 'unknown', which is no value of the column, is read as a suppressed cell" in (
        release.notes
    )
    words = uv.read_table({"x": ["unknown", "31 Elm"], "s": ["a", "b"]}, quasi="x", sensitive="s")
    release = uv.read_release({"x": ["unknown", "31 Elm"], "s": ["a", "b"]}, words)
    assert not any("suppressed cell" in note for note in release.notes)
    assert release.regions[0].covers(0).sum() == 1


def test_sets_and_masks_of_codes():
    codes = ["11600", "11601", "11700", "I50.1", "I50.2", "Akron", "Boise", "Fox"]
    read = Column(name="x", role=Role.QUASI, kind=Kind.CATEGORICAL, codes=NOBODY,
                  values=np.array(codes, dtype=object))  # fmt: skip

    def covered(text):
        only = cell_reader(read).read(text).only
        return [] if only is None else [
            codes[c] for first, last in only.reading.spans for c in range(first, last + 1)
        ]  # fmt: skip

    assert covered("Akron~Boise") == ["Akron", "Boise"]
    for text in ("116xx", "116XX", "116##", "116**"):
        assert covered(text) == ["11600", "11601"]
    assert covered("I50.x") == ["I50.1", "I50.2"]
    assert covered("Fox") == ["Fox"]
    assert covered("Foxx") == []


@pytest.mark.parametrize("form", ["dd.mm.yyyy", "mm/dd/yyyy", "d-m-yyyy", "ddmonyyyy"])
@given(days=st.lists(st.dates(datetime.date(1900, 1, 1)), min_size=1, max_size=8, unique=True))
def test_dates_written_in_the_columns_form_are_read_back(form, days):
    read = column(np.unique(np.array(days, dtype="datetime64[D]")), form)
    for code, text in enumerate(write_dates(read.values, form)):
        assert cell_reader(read).domain.value(text) == code


NUMBERS = st.integers(-(10**9), 10**9) | st.decimals(-(10**6), 10**6, places=2).map(float)


@pytest.mark.parametrize(
    "form", ["1,234.56", "1.234,56", "1 234,56", "1'234.56", "$1,234.56", "1.234,56 €", "1234.56"]
)
@given(numbers=st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_written_in_a_form_are_read_back(form, numbers):
    assert is_number_form(form)
    values = np.array(numbers) + 0.0
    texts = write_numbers(values, form)
    again = parse_numbers(texts, form)
    assert again is not None
    assert again.tolist() == values.tolist()
    assert [number_of(text, form) for text in texts] == values.tolist()
    found = numbers_by_form(texts)
    assert any(np.array_equal(values, other) for other in found.values())


@given(st.text("0123456789,.' -", min_size=1, max_size=9))
def test_one_text_is_read_like_many(text):
    for form in ("1,234.56", "1.234,56", "1 234,56", "1'234.56"):
        many = parse_numbers([text], form)
        one = number_of(text, form)
        assert (one is None) == (many is None)
        assert many is None or many[0] == one
