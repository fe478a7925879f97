"""Releases read without their original: domains said, taken from hierarchies, or from the cells."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from malaysian import LOCAL_RECODING, PATIENTS, patients
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import CountsError, HierarchyError, InputError
from unveil.microdata import Kind, read_release

CITIES = uv.Hierarchy.from_paths(
    [("Paris", "France", "*"), ("Lyon", "France", "*"), ("Bonn", "Germany", "*")]
)


def read(*cells, **options):
    """A release of one column, read alone."""
    secrets = (["x", "y"] * len(cells))[: len(cells)]
    return read_release({"q": list(cells), "s": secrets}, quasi="q", sensitive="s", **options)


def domain(*cells, **options):
    return list(read(*cells, **options).quasi[0].texts)


def refusal(*cells, **options):
    with pytest.raises(InputError) as error:
        read(*cells, **options)
    return str(error.value)


def covered(release, column=0):
    """For each released record, the values that its cell covers."""
    texts, regions = release.quasi[column].texts, release.regions[column]
    inside = np.stack([regions.covers(code) for code in range(len(texts))], axis=1)
    return [[t for t, i in zip(texts, row, strict=True) if i] for row in inside[release.class_of]]


def assert_same(one, other):
    """Same classes, regions and counts, whatever columns are called by number."""
    assert [c.texts for c in one.quasi] == [c.texts for c in other.quasi]
    assert [c.kind for c in one.quasi] == [c.kind for c in other.quasi]
    assert one.sensitive.texts == other.sensitive.texts
    np.testing.assert_array_equal(one.class_of, other.class_of)
    np.testing.assert_array_equal(one.counts, other.counts)
    for j in range(len(one.quasi)):
        assert covered(one, j) == covered(other, j)
    assert one.suppressed == other.suppressed
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())


# With the original's domains it is the release that is read with the original.


@examples(60)
@given(case=tables_and_goals())
def test_the_same_release_with_and_without_the_original(case, tmp_path_factory):
    microdata, options = case
    file = tmp_path_factory.mktemp("alone") / "release.csv"
    uv.Mondrian(**options).sanitize(microdata).to_frame().to_csv(file, index=False)
    names = {"quasi": [c.name for c in microdata.quasi], "sensitive": "secret"}
    expected = read_release(file, microdata)
    columns = {c.name: c for c in (*microdata.quasi, microdata.sensitive)}
    by_column = read_release(file, **names, domains=columns)
    assert_same(by_column, expected)
    # Only who has the original sees that nothing was changed.
    told = [note for note in expected.notes if "those of the table, unchanged" not in note]
    assert (by_column.dropped, list(by_column.notes)) == (0, told)
    by_values = read_release(
        file, **names,
        domains={name: c.values for name, c in columns.items()},
        ordinal={c.name: c.texts for c in microdata.quasi if c.kind is Kind.ORDINAL},
        hierarchies={c.name: c.hierarchy for c in microdata.quasi if c.hierarchy is not None},
    )  # fmt: skip
    assert_same(by_values, expected)


strange = st.text(st.sampled_from('ab,"*{}[]() <≤=>\n-;'), min_size=1, max_size=5).filter(str.strip)


@examples(100)
@given(st.lists(strange, min_size=1, max_size=5, unique=True), st.booleans(), st.integers(1, 3))
def test_values_with_the_strangest_names(values, ordinal, k):
    assume(not {"*", '"*"'} <= set(values))  # the first is written as the second
    table = {"q": values * 2, "s": ["x", "y"] * len(values)}
    kind = {"ordinal": {"q": values}} if ordinal else {"categorical": "q"}
    microdata = uv.read_table(table, quasi="q", sensitive="s", **kind)
    assume(k <= len(microdata))
    frame = uv.Mondrian(k=k).sanitize(microdata).to_frame()
    alone = read_release(frame, quasi="q", sensitive="s", domains={"q": values}, **kind)
    assert_same(alone, read_release(frame, microdata))


def published(tmp_path, *quasi):
    file = tmp_path / "published.csv"
    pd.DataFrame({name: LOCAL_RECODING[name] for name in (*quasi, "disease")}).to_csv(
        file, index=False
    )
    return file


@pytest.mark.parametrize(
    ("quasi", "likelihood", "heart"),
    [
        (("nationality", "zip"), "saturated", Fraction(1, 2)),
        (("nationality", "zip"), "naive-bayes", Fraction(7, 12)),
        (("nationality",), "saturated", Fraction(6, 11)),
    ],
)
def test_relative_risk_of_a_file_alone(tmp_path, quasi, likelihood, heart):
    file = published(tmp_path, *quasi)
    domains = {"zip": sorted(set(PATIENTS["zip"]))} if "zip" in quasi else None
    release = read_release(file, quasi=quasi, sensitive="disease", domains=domains)
    finding = uv.relative_risk(release, likelihood=likelihood)
    original = patients(*quasi)
    expected = uv.relative_risk(
        read_release(file, original), original, domain="covered", likelihood=likelihood
    )
    who = {"nationality": "Malaysia", "zip": "45501"}
    who = {name: who[name] for name in quasi}
    alone, known = finding.victim(**who), expected.victim(**who)
    assert alone.values == known.values
    np.testing.assert_allclose(alone.attacker, known.attacker, atol=1e-12)
    np.testing.assert_allclose(alone.learner, known.learner, atol=1e-12)
    assert alone.attacker[alone.values.index("Heart")] == pytest.approx(float(heart), abs=1e-12)
    assert "nationality: inferred values: the 4 values that its cells name" in finding.notes


def test_measures_take_it(tmp_path):
    file = published(tmp_path, "nationality", "zip")
    options = {"quasi": ["nationality", "zip"], "sensitive": "disease"}
    alone = read_release(file, **options, domains={"zip": PATIENTS["zip"]})
    known = read_release(file, patients("nationality", "zip"))
    for measure in (
        uv.k_anonymity, uv.l_diversity, uv.t_closeness, uv.discernibility, uv.suppression,
        uv.information_loss, uv.uniqueness, uv.reidentification_risk, uv.measures,
    ):  # fmt: skip
        quiet = measure(replace(alone, notes=()))
        assert quiet.content(records=True) == measure(known).content(records=True)
    assert uv.k_anonymity(alone).content(records=False)["notes"] == list(alone.notes)
    rate = uv.discrimination_rate(alone, of="disease", by=["zip"])
    assert rate.rate == uv.discrimination_rate(known, of="disease", by=["zip"]).rate


def test_written_and_read_again_it_is_the_same(tmp_path):
    table = {
        "age": ["[20, 30)", "[20, 30)", "35", "*"],
        "city": ["{Lyon, Nice}", "Lyon", " Rome ", "NA"],
        "pay": ["10", "20", "10", "30"],
    }
    names = {"quasi": ["age", "city"], "sensitive": "pay"}
    release = read_release(table, **names)
    release.to_frame().to_csv(tmp_path / "again.csv", index=False)
    again = read_release(tmp_path / "again.csv", **names)
    assert again.to_frame()[["age", "city"]].equals(release.to_frame()[["age", "city"]])
    assert [covered(again, j) for j in (0, 1)] == [covered(release, j) for j in (0, 1)]
    said = {column.name: column for column in (*release.quasi, release.sensitive)}
    assert_same(read_release(release.to_frame(), **names, domains=said), release)


@pytest.mark.real
def test_adult_with_its_hierarchies_alone(adult_arx, real_data, tmp_path):
    quasi = ["sex", "race", "marital-status", "education", "native-country", "workclass"]
    original = adult_arx(quasi, sensitive="occupation")
    file = tmp_path / "adult.csv"
    release = uv.Mondrian(k=5, regions="cut").sanitize(original)
    release.to_frame(by_class=True).to_csv(file, index=False)
    alone = read_release(
        file, quasi=quasi, sensitive="occupation",
        hierarchies=real_data / "adult_arx" / "hierarchies",
    )  # fmt: skip
    assert_same(alone, read_release(file, original))


# What the cells tell by themselves.

NUMBERS = range(-40, 130)


@st.composite
def numeric_cells(draw):
    """A cell, what it covers of the whole numbers, and whether it lacks a lower or an upper end."""
    low = draw(st.integers(-20, 99))
    high = draw(st.integers(low, 100))
    forms = {
        "value": (f"{low}", {low}),
        "decimal": (f"{low}.0", {low}),
        "set": (f"{{{low}, {high}}}", {low, high}),
        "marks": (f"{low};{high}", {low, high}),
        "range": (f"{low}-{high}", set(range(low, high + 1))),
        "dots": (f"{low}..{high}", set(range(low, high + 1))),
        "closed": (f"[{low}, {high}]", set(range(low, high + 1))),
        "left": (f"[{low}, {high + 1})", set(range(low, high + 1))),
        "right": (f"]{low - 1}; {high}]", set(range(low, high + 1))),
        "open": (f"({low - 1}, {high + 1})", set(range(low, high + 1))),
        "above": (f">={low}", set(range(low, NUMBERS[-1] + 1))),
        "beyond": (f"> {low}", set(range(low + 1, NUMBERS[-1] + 1))),
        "below": (f"≤ {low}", set(range(NUMBERS[0], low + 1))),
    }
    form = draw(st.sampled_from(sorted(forms)))
    text, covers = forms[form]
    return form, text, covers


@examples(120)
@given(st.lists(numeric_cells(), min_size=1, max_size=6))
def test_numbers_that_the_cells_reach(cells):
    # A range of one number is that number.
    one_by_one = all(
        form in ("value", "decimal", "set", "marks")
        or (form in ("range", "dots", "closed") and len(c) == 1)
        for form, _, c in cells
    )
    # Of a range without an end, beyond which no other reaches, the bound stands for all.
    ends = [
        number for form, _, c in cells
        for number in ([min(c)] if form in ("above", "beyond") else
                       [max(c)] if form == "below" else [min(c), max(c)])
    ]  # fmt: skip
    least, most = min(ends), max(ends)
    texts = [text for _, text, _ in cells]
    if one_by_one:
        expected = sorted(set().union(*(c for _, _, c in cells)))
    else:
        expected = list(range(least, most + 1))
    release = read(*texts, "*")
    assert release.quasi[0].values.tolist() == expected
    for found, (_, _, c) in zip(covered(release), cells, strict=False):
        assert [int(text) for text in found] == [n for n in expected if n in c]
    assert [int(text) for text in covered(release)[-1]] == expected


@pytest.mark.parametrize(
    ("cells", "kind", "words"),
    [
        (["20-30", "[30, 40)", "*"], "numeric", "the whole numbers from 20 to 39"),
        (["23", "41", "*"], "numeric", "the 2 numbers that its cells name"),
        ([23, None, 41.5], "numeric", "the 2 numbers that its cells name"),
        (["[20, 31]", "[20, 25, 31]"], "numeric", "the 3 numbers that its cells name"),
        ([{20, 25}, {31}], "numeric", "the 3 numbers that its cells name"),
        (["['20-30']", "['35']"], "numeric", "the whole numbers from 20 to 35"),
        (["1,5", "1,5-2,5"], "asked", ""),
        (
            ["20-30", ">=25", "72"],
            "numeric",
            "the whole numbers from 20 to 72, where cells such as '>=25' are assumed to end, too",
        ),
        (["2020-01-01", "2020-01-05"], "numeric", "the 2 days that its cells name"),
        (["2020-01-01;2020-01-02", "2020-01-09"], "numeric", "the 3 days that its cells name"),
        (
            ["2020-01-01 - 2020-01-05", "2020-02"],
            "numeric",
            "the days from 2020-01-01 to 2020-02-29",
        ),
        (["2020-05", "2020-06"], "categorical", "the 2 values that its cells name"),
        (["01234", "01299"], "categorical", "the 2 values that its cells name"),
        (["18-65", "no"], "asked", ""),
        (["$20-$30", "$31-$50"], "numeric", "the whole numbers from 20 to 50"),
        (["$3-$5", "refused"], "categorical", "the 2 values that its cells name"),
        (
            ['["Under $3", "$9-$12"]', "$3-$8"],
            "categorical",
            "the 3 values that its cells name",
        ),
        (["Lyon", "{Nice, Rome}", "*"], "categorical", "the 3 values that its cells name"),
        (["Lyon|Nice", "Lyon", "Nice"], "categorical", "the 2 values that its cells name"),
        (["A, B", '{"A, B", C}'], "categorical", "the 2 values that its cells name"),
        ([["Lyon", "Rome"], ["Nice"]], "categorical", "the 3 values that its cells name"),
        (["{'a'}", "frozenset({'b', 'c'})"], "categorical", "the 3 values that its cells name"),
        (["['Nice,Rome']", "Nice", "Rome"], "categorical", "the 2 values that its cells name"),
        (["[Rome]", "Rome", "(none)"], "categorical", "the 2 values that its cells name"),
        (['"2*"', "2"], "categorical", "the 2 values that its cells name"),
        ([True, False], "categorical", "the 2 values that its cells name"),
        (
            ["65", "70", "80", "?"],
            "categorical",
            "the 4 values that its cells name, as words and not as numbers because of '?'",
        ),
        (["one"], "categorical", "the 1 value that its cells name"),
        (["7", "7"], "numeric", "the 1 number that its cells name"),
        (
            ["<20", "20-89", "90+"], "numeric",
            "the whole numbers from 19 to 90; how far cells such as '<20' reach is not known, and "
            "they count as one whole number",
        ),
        (
            ["2020-01-01 - 2020-01-09", "> 2020-01-09"], "numeric",
            "the days from 2020-01-01 to 2020-01-10; how far cells such as '> 2020-01-09' reach is "
            "not known, and they count as one day",
        ),
        (
            ["1.234,50", "1.234,5", "7,5"], "numeric",
            "the 2 numbers that its cells name, written as 1.234,56",
        ),
        (["1,75", "1,80"], "asked", ""),
        (["66601", "4550*"], "categorical", "the 11 codes of digits that its masks stand for"),
        (["01xx", "02##", "*"], "categorical", "the 200 codes of digits that its masks stand for"),
        (["66601", "4550*", "AB***"], "asked", ""),
        (["455*", "4550*"], "asked", ""),
        (["4*****", "5*****"], "asked", ""),
    ],
)  # fmt: skip
def test_what_a_column_is_taken_to_be(cells, kind, words):
    if kind == "asked":
        assert refusal(*cells)
        return
    release = read(*cells)
    assert release.quasi[0].kind == kind
    assert release.notes[0] == f"q: inferred values: {words}"
    assert all(covered(release))


def test_intervals_of_pandas():
    release = read(*pd.cut(pd.Series([21, 25, 31]), [20, 30, 40]))
    assert release.quasi[0].values.tolist() == list(range(21, 41))
    assert covered(release)[0] == [str(age) for age in range(21, 31)]


def test_days_in_ranges():
    release = read("[2020-02-27, 2020-03-01)", "2020-03")
    assert covered(release)[0] == ["2020-02-27", "2020-02-28", "2020-02-29"]
    assert release.quasi[0].size == 3 + 31


def test_masks_of_numbers_if_that_is_said():
    release = read("2*", "3*", "*", numeric="q")
    assert release.quasi[0].values.tolist() == list(range(20, 40))
    assert covered(release)[0] == [str(age) for age in range(20, 30)]
    assert domain("-2*", "3", numeric=["q"])[0] == "-29"


def test_notation_says_what_is_meant():
    assert domain("1,2", "25", notation={"q": "value"}) == ["1.2", "25"]
    assert domain("1,2", "25", notation={"q": "set"}) == ["1", "2", "25"]
    assert domain("Lyon;Nice", "Rome", notation={"q": "set"}) == ["Lyon", "Nice", "Rome"]
    assert domain("Lyon;Nice", "Rome", notation={"q": "value"}) == ["Lyon;Nice", "Rome"]
    assert domain("18-65", "2*", notation={"q": "value"}) == ["18-65", "2*"]
    assert domain("[Lyon, Rome]", "Lyon", notation={"q": "list"}) == ["Lyon", "Rome"]


def test_kinds_may_be_said():
    assert domain("20-29", "unknown", categorical="q") == ["20-29", "unknown"]
    assert domain("01-03", numeric="q") == ["1", "2", "3"]
    assert domain("10", "9", categorical="q") == ["10", "9"]
    release = read("low-mid", "high", "*", ordinal={"q": ["low", "mid", "high", "top"]})
    assert covered(release) == [["low", "mid"], ["high"], ["low", "mid", "high", "top"]]
    assert release.notes == (
        "s: inferred values: the 2 values that occur",
        "1 of 3 records is suppressed and forms no class: all its quasi-identifiers are hidden",
    )


@pytest.mark.parametrize(
    ("cells", "options", "message"),
    [
        (
            ["AB*"],
            {},
            "row 1, column 'q': the values that the cell 'AB*' covers are unknown without the "
            "original; give them, as in domains={'q': […]}, or give a hierarchy that has them, "
            "as in hierarchies={'q': 'q.csv'}",
        ),
        (
            ["20-30", "1.5-2.5"],
            {},
            "row 2, column 'q': the cell '1.5-2.5' is not about whole numbers, so the values of "
            "ranges are unknown; give the numbers of the column, as in domains={'q': [1.5, …]}",
        ),
        (
            ["20-30", "(20, 21)"],
            {},
            "row 2, column 'q': the cell '(20, 21)' covers no whole number; give the numbers of "
            "the column, as in domains={'q': [20, …]}",
        ),
        (
            ["0-100000"],
            {},
            "column 'q': its cells reach from 0 to 100000, which are 100,001 whole numbers, too "
            "many to infer (100,000 at most); give those that occur, as in domains={'q': "
            "range(0, 100001, …)}",
        ),
        (
            ["2020-01-01T10:00 - 2020-01-01T12:00"],
            {},
            "row 1, column 'q': the cell '2020-01-01T10:00 - 2020-01-01T12:00' does not "
            "determine the moments of the column; give them, as in domains={'q': "
            "pandas.date_range(…)}",
        ),
        (
            ["20-29", "retired"],
            {},
            "row 2, column 'q': the cell 'retired' is not a number, although others are ranges "
            "of numbers, such as '20-29'; correct it, or declare all of them names: "
            "categorical=['q']",
        ),
        (
            ["01000-01999"],
            {},
            "column 'q': cells such as '01000-01999' may be ranges of numbers, or names, "
            "because some have leading zeros as codes do; give numeric=['q'] or "
            "categorical=['q']",
        ),
        (
            ["Rome", "Lyon;Nice"],
            {},
            "row 2, column 'q': the cell 'Lyon;Nice' may be one value or a set of several; give "
            "notation={'q': 'value'} or notation={'q': 'set'}",
        ),
        (
            ["*", None],
            {},
            "column 'q' of table has only suppressed cells; give its values, as in "
            "domains={'q': […]}, or leave it out of quasi=",
        ),
        (
            ["20-30", "{25, 95}"],
            {"domains": {"q": range(20, 31)}},
            "row 2, column 'q': the cell '{25, 95}' names 95, which is not in domains= of "
            "column 'q'",
        ),
        (
            ["[20, 95]", "[20, 21, 22]"],
            {"domains": {"q": range(20, 31)}},
            "row 1, column 'q': the cell '[20, 95]' names 95, which is not in domains= of "
            "column 'q'",
        ),
        (
            ["2020-01-03"],
            {"domains": {"q": pd.date_range("2020-01-01", "2020-01-02")}},
            "row 1, column 'q': the cell '2020-01-03' names 2020-01-03, which is not in "
            "domains= of column 'q'",
        ),
        (
            ["95-99"],
            {"domains": {"q": range(20, 31)}},
            "row 1, column 'q': the cell '95-99' covers no value of domains= of column 'q', "
            "which must have all values that the cells cover",
        ),
        (
            ["x*"],
            {"domains": {"q": ["ab", "abc"]}},
            "row 1, column 'q': cannot read the cell 'x*': 'x*' is not a value of the column; "
            "cells may be a value, an interval such as [20, 35] or ≤ 36, a range such as 20-35, "
            "a mask such as 2*, a set such as {France, Germany}, a hierarchy node, or *; the "
            "column has no hierarchy: if the cell is a node of one, give hierarchies={'q': "
            "'q.csv'}",
        ),
        (["a"], {"domains": ["a"]}, 'domains= must map columns to their values, such as {"age": '
                                    "range(18, 91)}, but list was given"),
        (["a"], {"domains": {"r": ["a"]}}, "domains= names 'r', which is neither a "
                                           "quasi-identifier nor sensitive (those are q, s)"),
        (["a"], {"domains": {"q": "abc"}},
         "domains= of column 'q' must list its values, but 'abc' was given"),
        (["a"], {"domains": {"q": 5}},
         "domains= of column 'q' must list its values, but 5 was given"),
        (["a"], {"domains": {"q": np.array(5)}},
         "domains= of column 'q' must list its values, but array(5) was given"),
        (["a"], {"domains": {"q": []}},
         "domains= of column 'q' is empty; it must list its values"),
        (["a"], {"domains": {"q": ["a", None]}},
         "domains= of column 'q' has an empty value in place 2; leave it out, or write "
         "'(missing)' if missing is a value"),
        (["a"], {"domains": {"q": ["a", 1]}},
         "domains= of column 'q' mixes values of type int and str; make them all texts or all "
         "numbers"),
        (["a"], {"domains": {"s": ["x", "z"]}, "categorical": "z"},
         "column 'z' is not in table (columns: q, s)"),
        (["a", "b"], {"domains": {"s": ["x", "yy"]}},
         "row 2: 'y' is not a value of s in domains= of column 's'; did you mean 'yy'?"),
        (["a", "b"], {"domains": {"q": ["a"]}, "notation": {"p": "set"}},
         "notation= names 'p', which is not a quasi-identifier (those are q)"),
    ],
)  # fmt: skip
def test_what_is_not_told_is_asked(cells, options, message):
    assert refusal(*cells, **options) == message


def test_as_many_numbers_as_may_be():
    assert len(domain("0-99999")) == 100_000


# Domains that are said.


@pytest.mark.parametrize(
    "ages",
    [
        range(20, 24),
        np.array([23, 20, 21, 22, 22]),
        pd.Series([20, 21, 22, 23], index=[5, 5, 5, 5]),
        {20, 21, 22, 23},
        (age for age in (23, 22, 21, 20)),
        uv.read_table({"q": [20, 21, 22, 23], "s": list("abab")}, quasi="q", sensitive="s")["q"],
        uv.read_table({"x": [20, 21, 22, 23], "q": list("abab")}, quasi="q", sensitive="x")["x"],
    ],
    ids=lambda given: type(given).__name__,
)
def test_domains_of_all_sorts(ages):
    release = read("20-21", "> 21", "*", domains={"q": ages})
    assert covered(release) == [["20", "21"], ["22", "23"], ["20", "21", "22", "23"]]
    assert release.quasi[0].name == "q"
    assert release.quasi[0].role == "quasi-identifier"
    assert str(release.notes[0]).startswith("s: ")  # what was said is not told


def test_ordered_categories_are_a_domain_with_an_order():
    sizes = pd.Categorical(["S", "M", "L"], categories=["S", "M", "L"], ordered=True)
    assert covered(read("S-M", "≥ M", domains={"q": sizes})) == [["S", "M"], ["M", "L"]]


def test_masks_match_the_domain():
    zips = ["45501", "45502", "66601"]
    assert covered(read("4550*", "66601", domains={"q": zips}))[0] == zips[:2]
    assert covered(read("4550*", "66601", domains={"q": [int(z) for z in zips]}))[0] == zips[:2]


def test_the_leaves_of_a_hierarchy_are_a_domain(tmp_path):
    file = tmp_path / "q.csv"
    file.write_text("Paris;France;*\nLyon;France;*\nBonn;Germany;*\n")
    for tree in (CITIES, file, str(file)):
        release = read("France", "L***", "*", hierarchies={"q": tree})
        assert covered(release) == [["Paris", "Lyon"], ["Lyon"], ["Paris", "Lyon", "Bonn"]]
        assert str(release.notes[0]).startswith("s: ")
    assert covered(read("France", hierarchies=tmp_path)) == [["Paris", "Lyon"]]


def test_leaves_that_are_numbers_have_their_order():
    ages = uv.interval_hierarchy(range(18, 40), widths=(10,))
    release = read("[20, 30)", "25-31", hierarchies={"q": ages})
    assert release.quasi[0].kind is Kind.NUMERIC
    assert [len(some) for some in covered(release)] == [10, 7]
    message = f"row 1, column 'q': the cell '40' names 40, which is not in hierarchy {ages.source}"
    assert refusal("40", hierarchies={"q": ages}) == message


def test_a_domain_prunes_its_hierarchy():
    release = read("France", "*", domains={"q": ["Bonn", "Lyon"]}, hierarchies={"q": CITIES})
    assert covered(release) == [["Lyon"], ["Lyon", "Bonn"]]
    with pytest.raises(HierarchyError) as error:
        read("France", domains={"q": ["Lyons"]}, hierarchies={"q": CITIES})
    assert str(error.value) == (
        "hierarchy built in code does not have 'Lyons', which domains= of column 'q' lists; did "
        "you mean 'Lyon'?"
    )


def test_a_hierarchy_made_from_what_the_cells_tell():
    tens = partial(uv.interval_hierarchy, widths=(10,))
    release = read("20-30", "35", hierarchies={"q": tens})
    assert release.quasi[0].hierarchy.path(0) == ("20", "[20, 30)", "*")


def test_what_is_said_goes_before_what_a_column_brings():
    cities = uv.read_table(
        {"q": ["Bonn", "Lyon", "Paris"], "s": list("aba")}, quasi="q", sensitive="s"
    )["q"]
    release = read("France", domains={"q": cities}, hierarchies={"q": CITIES})
    assert covered(release) == [["Paris", "Lyon"]]
    order = ["Paris", "Bonn", "Lyon", "Rome"]
    release = read("Paris-Bonn", domains={"q": cities}, ordinal={"q": order})
    assert release.quasi[0].texts == ("Paris", "Bonn", "Lyon")


# The sensitive column, rows without one, empty cells, counts.


def test_sensitive_values_are_those_found_unless_said():
    table = {"q": ["a", "b", "a"], "s": ["30", "*", "10"]}
    names = {"quasi": "q", "sensitive": "s"}
    release = read_release(table, **names)
    assert release.sensitive.texts == ("10", "30")
    assert (len(release), release.dropped) == (2, 0)
    assert release.notes == (
        "q: inferred values: the 2 values that its cells name",
        "s: inferred values: the 2 values that occur",
        "1 of 3 rows has no value of s and is left out",
    )
    said = read_release(table, **names, domains={"s": [10, 20, 30]})
    assert said.sensitive.texts == ("10", "20", "30")
    assert said.totals.tolist() == [1, 0, 1]
    levels = read_release(table, **names, ordinal={"s": ["30", "20", "10"]})
    assert levels.totals.tolist() == [1, 0, 1]
    assert levels.sensitive.kind is Kind.ORDINAL
    with pytest.raises(InputError, match="no row of the release has a value of 's'"):
        read_release({"q": ["a"], "s": [None]}, **names)


def test_sensitive_numbers_of_a_file_are_numbers(tmp_path):
    (tmp_path / "r.csv").write_text("q,s\n1-2,10\n1-2,9\n")
    release = read_release(tmp_path / "r.csv", quasi="q", sensitive="s")
    assert release.sensitive.values.tolist() == [9, 10]


def test_empty_cells_are_suppressed_unless_missing_is_a_value():
    assert covered(read("a", None, "NA")) == [["a"]] * 3
    release = read("a", None, "NA", empty="missing")
    assert covered(release) == [["a"], ["(missing)"], ["(missing)"]]
    assert release.suppressed == 0
    release = read("a", None, domains={"q": ["a", "(missing)"]})
    assert covered(release) == [["a"], ["(missing)"]]
    assert release.notes[-1] == (
        "1 empty cell of q read as '(missing)', which is a value of domains= of column 'q'; if "
        "they are suppressed, give empty='suppressed'"
    )
    table = {"q": ["a", "a"], "s": [1, None]}
    missing = read_release(table, quasi="q", sensitive="s", empty="missing")
    assert missing.sensitive.decode().tolist() == ["1", "(missing)"]


def test_numbers_of_records_are_said():
    table = {"q": ["a", "b"], "s": ["x", "y"], "count": [3, 2]}
    with pytest.raises(CountsError, match="looks like a table of counts"):
        read_release(table, quasi="q", sensitive="s")
    assert len(read_release(table, quasi="q", sensitive="s", count=False)) == 2
    # Rows that are alike are no cells of a table.
    twice = {name: values * 2 for name, values in table.items()}
    alone = read_release(twice, quasi="q", sensitive="s")
    assert len(alone) == 4
    assert alone.notes[-1] == (
        "each row is read as one record, regardless of its 'count'; if that is a number of "
        "records, give count='count'"
    )
    assert read_release(table, quasi="q", sensitive="s", count="count").sizes.tolist() == [3, 2]


# The original, or what is said instead.

ORIGINAL = uv.read_table({"q": ["a", "b"], "s": ["x", "y"]}, quasi="q", sensitive="s")


@pytest.mark.parametrize(
    ("original", "options", "message"),
    [
        (
            None,
            {},
            "quasi= and sensitive= must be given without the original; give the original as "
            "read_csv or read_table returns it, or name the columns: quasi=['age', 'zip'], "
            "sensitive='disease'",
        ),
        (
            None,
            {"quasi": "q"},
            "sensitive= must be given without the original; give the original as read_csv or "
            "read_table returns it, or name the columns: quasi=['age', 'zip'], "
            "sensitive='disease'",
        ),
        (
            ORIGINAL,
            {"quasi": "q"},
            "quasi= and the original cannot be given together; columns and their values follow "
            "from the original",
        ),
        (
            ORIGINAL,
            {"domains": {"q": ["a"]}},
            "domains= and the original cannot be given together; columns and their values "
            "follow from the original",
        ),
        (
            {"q": ["a"]},
            {},
            "original= must be microdata, as read_csv or read_table returns it, but dict was given",
        ),
        (
            None,
            {"quasi": ["q", "sss"], "sensitive": "s"},
            "column 'sss' is not in table (columns: q, s)",
        ),
        (
            None,
            {"quasi": "Q", "sensitive": "s"},
            "column 'Q' is not in table; did you mean 'q'? (columns: q, s)",
        ),
        (
            None,
            {"quasi": "q", "sensitive": "q"},
            "column 'q' cannot be both quasi-identifier and sensitive",
        ),
    ],
)
def test_either_the_original_or_the_columns(original, options, message):
    with pytest.raises(InputError) as error:
        read_release({"q": ["a", "b"], "s": ["x", "y"]}, original, **options)
    assert str(error.value) == message


def test_words_for_unknown_are_suppressed_cells_and_it_is_told():
    release = read("30-39", "unknown", "unbekannt")
    told = "q: 'unknown' and 'unbekannt', which are no values of the column, are read as suppressed"
    assert any(str(note).startswith(told) for note in release.notes)
