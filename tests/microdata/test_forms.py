"""Forms of columns: found out where that is certain, asked about where it is not."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest
from pair_recipes.checking import PairOfFiles

import unveil as uv
from unveil.errors import FormError, InputError, View
from unveil.microdata import Kind

PAIRS = Path(__file__).parents[1] / "pairs"


def read(tmp_path: Path, values: list[str], **options):
    """A survey with these values in the column x, read from a file."""
    path = tmp_path / "survey.csv"
    lines = [f'"{value}";{"ab"[i % 2]}' for i, value in enumerate(values)]
    path.write_text("x;vote\n" + "\n".join(lines) + "\n", "utf-8")
    return uv.read_csv(path, **({"quasi": "x", "sensitive": "vote"} | options))


@pytest.mark.parametrize(
    ("values", "form", "read_as"),
    [
        (["16.11.1961", "03.04.1984"], "dd.mm.yyyy", ["1961-11-16", "1984-04-03"]),
        (["11/16/1961", "04/03/1984"], "mm/dd/yyyy", ["1961-11-16", "1984-04-03"]),
        (["16nov1961", "03APR1984"], "ddmonyyyy", ["1961-11-16", "1984-04-03"]),
        (["1961-11-16 00:00:00"] * 2, "yyyy-mm-dd hh:mm:ss", ["1961-11-16"]),
        (["1961-11-16T10:30", "1961-11-16T10:31"], "yyyy-mm-ddThh:mm",
         ["1961-11-16T10:30:00", "1961-11-16T10:31:00"]),
        (["34,5", "7"], "1.234,56", ["7", "34.5"]),
        (["1,234,567", "12"], "1,234.56", ["12", "1234567"]),
        (["1 234,5", "12"], "1 234,56", ["12", "1234.5"]),
        (["1\u202f234", "12"], "1 234.56", ["12", "1234"]),
        (["1'234", "12"], "1'234.56", ["12", "1234"]),
        (["$1,234.50", "$12"], "$1,234.56", ["12", "1234.5"]),
        (["12 %", "3,5 %"], "1.234,56 %", ["3.5", "12"]),
    ],
)  # fmt: skip
def test_what_can_be_read_in_one_way_is_read_and_noted(tmp_path, values, form, read_as):
    survey = read(tmp_path, values)
    column = survey["x"]
    assert column.kind is Kind.NUMERIC
    assert column.form == form
    assert list(column.texts) == read_as
    (note,) = survey.notes
    what = "dates" if column.is_dates else "numbers"
    assert note == f"x is read as {what} written as {form}"
    again = read(tmp_path, survey.to_frame()["x"].tolist(), forms={"x": form})
    assert (again["x"].decode() == column.decode()).all()
    assert not again.notes


AMBIGUOUS = {
    "dates": (["12/11/1961", "03/04/1984"], ["dd/mm/yyyy", "mm/dd/yyyy"]),
    "dashes": (["12-11-1961", "03-04-1984"], ["dd-mm-yyyy", "mm-dd-yyyy"]),
    "short years": (["16.11.61", "03.04.84"], ["dd.mm.yy", "dd.mm.yy since 1900"]),
    "thousands": (["45,250", "61,000"], ["1,234.56", "1.234,56"]),
    "dots": (["45.250", "61.000"], ["1,234.56", "1.234,56"]),
}


@pytest.mark.parametrize("case", AMBIGUOUS)
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_what_can_be_read_in_several_ways_is_asked_about(tmp_path, case, role):
    values, forms = AMBIGUOUS[case]
    roles = {"quasi": "vote", "sensitive": "x"} if role == "sensitive" else {}
    with pytest.raises(FormError) as caught:
        read(tmp_path, values, **roles)
    message = str(caught.value)
    assert "column 'x' of survey.csv" in message
    assert repr(values[0]) in message
    hidden = caught.value.shown(View("report"))
    assert values[0] not in hidden
    typed = caught.value.shown(View("shell"))
    for form in forms:
        assert f"forms={{'x': {form!r}}}" in message
        assert f"--form x={form}" in typed or f"--form 'x={form}'" in typed
        column = read(tmp_path, values, forms={"x": form}, **roles)["x"]
        assert column.kind is Kind.NUMERIC
        assert column.form == form
    assert read(tmp_path, values, categorical="x", **roles)["x"].kind is Kind.CATEGORICAL


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_an_unused_column_is_not_asked_about(tmp_path, case):
    values, _ = AMBIGUOUS[case]
    path = tmp_path / "survey.csv"
    lines = [f'"{value}";{i};a' for i, value in enumerate(values)]
    path.write_text("x;age;vote\n" + "\n".join(lines) + "\n")
    survey = uv.read_csv(path, quasi="age", sensitive="vote")
    assert survey.to_frame()["x"].tolist() == values or case == "dots"


def test_the_reading_that_differs_is_shown(tmp_path):
    with pytest.raises(FormError, match=r"'12/11/1961' in row 2 is 1961-11-12 as dd/mm/yyyy or "
                                        r"1961-12-11 as mm/dd/yyyy"):  # fmt: skip
        read(tmp_path, ["05/05/1961", "12/11/1961"])


@pytest.mark.parametrize(
    ("values", "form", "first"),
    [
        (["12/11/1961"], "dd/mm/yyyy", "1961-11-12"),
        (["12/11/1961"], "mm/dd/yyyy", "1961-12-11"),
        (["16.11.29"], "dd.mm.yy", "2029-11-16"),
        (["16.11.29"], "dd.mm.yy since 1910", "1929-11-16"),
        (["19611116"], "yyyymmdd", "1961-11-16"),
        (["45,250"], "1,234.56", "45250"),
        (["45,250"], "1.234,56", "45.25"),
        (["45.250"], "1.234,56", "45250"),
    ],
)
def test_a_declared_form_decides(tmp_path, values, form, first):
    survey = read(tmp_path, [*values, *values], forms={"x": form})
    assert survey["x"].texts == (first,)
    assert not survey.notes


def test_a_declared_form_that_does_not_fit_names_the_cell(tmp_path):
    with pytest.raises(InputError, match=r"has 'unknown' in row 2, which is not written as "
                       r"dd\.mm\.yyyy; .* give missing_values=\{'x': \['unknown'\]\}"):  # fmt: skip
        read(tmp_path, ["16.11.1961", "unknown"], forms={"x": "dd.mm.yyyy"})
    survey = read(tmp_path, ["16.11.1961", "unknown"], forms={"x": "dd.mm.yyyy"},
                  missing_values=["unknown"], missing="drop")  # fmt: skip
    assert survey["x"].texts == ("1961-11-16",)


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        ({"y": "dd.mm.yyyy"}, "column 'y' is not in"),
        ({"x": "day first"}, "forms= must say how column 'x' is written"),
        ({"x": None}, "forms= must say how column 'x' is written"),
        ("dd.mm.yyyy", "forms= must map columns to forms"),
    ],
)
def test_what_is_no_form_of_a_column_is_refused(tmp_path, forms, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, ["16.11.1961"], forms=forms)


def test_a_form_contradicts_words_but_not_numbers(tmp_path):
    form = {"x": "dd.mm.yyyy"}
    with pytest.raises(InputError, match="cannot be both"):
        read(tmp_path, ["16.11.1961"], forms=form, categorical="x")
    assert read(tmp_path, ["16.11.1961"], forms=form, numeric="x")["x"].is_dates


def test_typed_tables_need_no_form_and_texts_in_them_may_have_one():
    born = [datetime.date(1961, 11, 16), datetime.date(1984, 4, 3)]
    typed = {"born": born, "vote": ["a", "b"]}
    texts = {"born": ["16.11.1961", "03.04.1984"], "vote": ["a", "b"]}
    options = {"quasi": "born", "sensitive": "vote", "forms": {"born": "dd.mm.yyyy"}}
    for table in (typed, texts):
        assert uv.read_table(table, **options)["born"].values.tolist() == born
    words = uv.read_table(texts, quasi="born", sensitive="vote")["born"]
    assert words.kind is Kind.CATEGORICAL  # a typed table says that they are words


TRUTHS = [
    (folder.name, column["original"])
    for folder in sorted(file.parent for file in PAIRS.glob("*/truth.toml"))
    if folder.name[:5] != "excel"
    for column in PairOfFiles(folder).truth["columns"] if "form" in column.get("check", {})
]  # fmt: skip


@pytest.mark.parametrize(("pair", "name"), TRUTHS)
def test_columns_of_the_pairs_are_read_in_their_true_form_or_asked_about(pair, name):
    files = PairOfFiles(PAIRS / pair)
    truth = files.truth
    (check,) = (c["check"] for c in truth["columns"] if c.get("original") == name)
    other = next(c for c in files.original if c != name)
    how = truth["reading"]["original"]
    path = files.folder / truth["original"]
    other = other or "(column 1)"
    options = {"quasi": name, "sensitive": other, "categorical": other, "missing": "drop",
               "count": False}  # fmt: skip
    table = uv.microdata.from_csv(path, delimiter=how["delimiter"], name_unnamed=True)
    questions = {q["column"]: q for q in truth.get("questions", ())}
    if name in questions:
        with pytest.raises(FormError) as caught:
            uv.read_table(table, **options)
        forms = questions[name]["answer"]["forms"]
        assert str(forms) in str(caught.value)
        options["forms"] = forms
    column = uv.read_table(table, **options)[name]
    plain = {"yyyy-mm-dd": None}
    assert column.form == plain.get(check["form"], check["form"])
    assert column.is_dates == ("y" in check["form"])


def test_a_hundred_thousand_dates_are_read_by_their_distinct_values(tmp_path, monkeypatch):
    from unveil.microdata import _forms

    sizes = []
    monkeypatch.setattr(_forms, "dates_by_form",
                        lambda texts, real=_forms.dates_by_form: (sizes.append(len(texts)),
                                                                  real(texts))[1])  # fmt: skip
    days = np.arange("1980-01-01", "1981-01-01", dtype="datetime64[D]").tolist()
    values = [f"{day:%d.%m.%Y}" for day in days] * 30
    assert read(tmp_path, values)["x"].size == 366
    assert sizes == [366, 2]  # the other column has two words


def test_an_oracle_gets_the_table_as_it_was_written_and_may_answer_so(tmp_path):
    survey = read(tmp_path, ["16.11.1961", "03.04.1984", "16.11.1961", "03.04.1984"])
    seen = []

    def program(table):
        seen.append(table["x"].tolist())
        return table

    release = uv.Oracle(program).sanitize(survey)
    assert seen[0] == ["16.11.1961", "03.04.1984", "16.11.1961", "03.04.1984"]
    assert len(release) == 4
    assert release.regions[0].covers(0).tolist() != release.regions[0].covers(1).tolist()
