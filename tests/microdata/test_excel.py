"""Excel workbooks: typed cells, and what in a sheet is no table."""

from __future__ import annotations

import datetime
import sys
import zipfile
from pathlib import Path

import openpyxl
import pytest
from pair_recipes.checking import PairOfFiles

import unveil as uv
from unveil.errors import InputError, MissingExtraError
from unveil.microdata import from_csv, open_release, value_text

PAIRS = Path(__file__).parents[1] / "pairs"
BORN = datetime.date(1961, 11, 16)


def book(tmp_path, *rows, change=None, name="people.xlsx", sheets=("Sheet",)):
    """A workbook whose first sheet has these rows."""
    made = openpyxl.Workbook()
    made.active.title = sheets[0]
    for title in sheets[1:]:
        made.create_sheet(title).append([f"of {title}"])
    for row in rows:
        made.active.append(row)
    if change is not None:
        change(made.active)
    made.save(tmp_path / name)
    return tmp_path / name


def cells(path, **options):
    source = from_csv(path, **options)
    return {name: array.to_pylist() for name, array in source.arrays.items()}


@pytest.mark.parametrize(("pair", "side"), [("excel", "original"), ("excel", "published"),
                                            ("excel-to-csv", "original")])  # fmt: skip
def test_the_workbooks_among_the_pairs_are_read_as_they_are(pair, side):
    files = PairOfFiles(PAIRS / pair)
    right = files.original if side == "original" else files.published
    found = cells(files.folder / files.truth[side])
    assert list(found) == list(right)
    for name, column in found.items():
        days = [c.date() if isinstance(c, datetime.datetime) else c for c in column]
        texts = ["" if cell is None else value_text(cell) for cell in days]
        assert texts == right[name]


def test_cells_keep_their_types(tmp_path):
    path = book(
        tmp_path,
        ["born", "age", "pay", "code", "smokes", "at", "mixed", "gap"],
        [BORN, 30, 1.5, "01234", True, datetime.datetime(2024, 1, 1, 10, 30), "30-39", None],
        [BORN, 31, 2, "00042", False, datetime.datetime(2024, 1, 1), 45, 7],
    )
    found = cells(path)
    assert found["age"] == [30, 31]
    assert found["pay"] == [1.5, 2]
    assert found["code"] == ["01234", "00042"]
    assert found["smokes"] == [True, False]
    assert found["mixed"] == ["30-39", "45"]
    assert found["gap"] == [None, 7]
    survey = uv.read_csv(path, quasi=["born", "age", "code", "at"], sensitive="smokes")
    assert survey["born"].values.tolist() == [BORN]
    assert survey["code"].kind == "categorical"
    assert survey["at"].is_dates
    assert not survey.notes


def test_codes_by_format_and_texts_in_local_forms(tmp_path):
    def zeros(page):
        for row in (2, 3):
            page.cell(row, 1).number_format = "00000"

    path = book(tmp_path, ["zip", "born"], [2139, "16.11.1961"], [94110, "03.04.1984"],
                change=zeros)  # fmt: skip
    survey = uv.read_csv(path, quasi="born", sensitive="zip")
    assert survey["zip"].texts == ("02139", "94110")
    assert survey["born"].form == "dd.mm.yyyy"


def test_every_reader_reads_a_workbook(tmp_path):
    rows = [["age", "vote"], *([a, v] for a, v in zip([30, 31, 40, 41], "abab", strict=True))]
    original = book(tmp_path, *rows, name="original.xlsx")
    published = book(tmp_path, ["age", "vote"], ["30-39", "a"], ["30-39", "b"], ["40-49", "a"],
                     ["40-49", "b"], name="published.xlsx")  # fmt: skip
    survey = uv.read_csv(original, quasi="age", sensitive="vote")
    release = uv.read_release(published, survey)
    assert [len(survey), len(release)] == [4, 4]
    assert uv.linkage(release, original).candidates.tolist() == [2, 2, 2, 2]
    assert uv.propose(original).columns[0].name == "age"
    assert open_release(original).n_rows == 4
    found = uv.measures(original, quasi="age", sensitive="vote")
    assert found.figures == uv.measures(survey).figures
    for name in ("original", "published"):
        path = tmp_path / f"{name}.xlsx"
        assert uv.microdata.csv_layout(path, None).names == ("age", "vote")


def test_a_sheet_can_be_chosen(tmp_path):
    path = book(tmp_path, ["a"], [1], sheets=("Data", "Notes"))
    source = from_csv(path)
    assert list(source.arrays) == ["a"]
    (note,) = source.notes
    assert note == (
        "people.xlsx: the sheet 'Data' was read, the first of 2; for another give sheet="
    )
    chosen = from_csv(path, sheet="Notes")
    assert list(chosen.arrays) == ["of Notes"]
    assert not chosen.notes
    with pytest.raises(InputError, match=r"no sheet 'Note'; did you mean 'Notes'\? "
                                         r"\(sheets: Data, Notes\)"):  # fmt: skip
        from_csv(path, sheet="Note")


def test_a_hidden_sheet_is_not_the_first(tmp_path):
    path = book(tmp_path, ["a"], [1], sheets=("Lists", "Data"),
                change=lambda page: setattr(page, "sheet_state", "hidden"))  # fmt: skip
    made = openpyxl.load_workbook(path)
    made.active = 1
    made.save(path)
    assert list(from_csv(path).arrays) == ["of Data"]


def test_blank_rows_and_columns_around_a_table_do_not_matter(tmp_path):
    def far(page):
        page.cell(900, 40).value = "  "
        page.cell(800, 3).font = openpyxl.styles.Font(bold=True)

    path = book(tmp_path, [], [None, "a", "b"], [None, 1, 2], [], [None, 3, None], change=far)
    source = from_csv(path)
    assert {n: a.to_pylist() for n, a in source.arrays.items()} == {"a": [1, 3], "b": [2, None]}
    assert source.notes == ("people.xlsx: 1 row without a value left out",)


def test_names_may_be_given(tmp_path):
    path = book(tmp_path, [1, "x"], [2, "y"])
    assert cells(path, columns=["n", "s"]) == {"n": [1, 2], "s": ["x", "y"]}
    assert cells(path, columns={1: "s"}) == {"s": ["x", "y"]}


@pytest.mark.parametrize(
    ("rows", "change", "message"),
    [
        ([["Staff 2024"], [], ["a", "b", "c"], [1, 2, 3]], None,
         r"the first row of sheet 'Sheet' of people\.xlsx \(row 1\) has 1 name for 3 columns; "
         "delete the rows above"),
        ([["a", "b"], [1, 2], [3, None]], lambda p: p.merge_cells("A2:A3"),
         r"cells A2:A3 of sheet 'Sheet' of people\.xlsx are merged"),
        ([["a", "b"], [1, "=A2+1"]], None, "cell B2 .* is a formula whose result was not saved"),
        ([["a", "b"], [1, 2, 3]], None, "column 3 of people.xlsx has no name"),
        ([["a", "a"], [1, 2]], None, "has two columns called 'a'"),
        ([], None, "is empty"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_with_a_remedy(tmp_path, rows, change, message):
    path = book(tmp_path, *rows, change=change)
    with pytest.raises(InputError, match=message):
        from_csv(path)


def test_a_sheet_with_names_alone_has_no_rows(tmp_path):
    with pytest.raises(InputError, match=r"people\.xlsx has no rows"):
        open_release(book(tmp_path, ["a", "b"]))


def test_errors_are_missing_and_told(tmp_path):
    path = book(tmp_path, ["a", "b"], [1, "x"], ["#DIV/0!", "y"], ["#N/A", "z"])
    source = from_csv(path)
    assert source.arrays["a"].to_pylist() == [1, None, None]
    assert source.notes == ("people.xlsx: 2 cells with an error (#DIV/0!, #N/A) read as missing",)


@pytest.mark.parametrize("name", ["people.xls", "people.ods", "people.XLSB", "people.numbers"])
def test_other_sheets_are_told(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0 and so on")
    with pytest.raises(InputError, match=r"cannot be read, because it is a \.\w+ file; save it"):
        from_csv(tmp_path / name)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1,2\n", "if it is CSV, give its name the ending .csv"),
        (b"\xd0\xcf\x11\xe0 encrypted", "it has a password, or is of an old kind"),
        (b"", "is not a workbook"),
    ],
)
def test_what_only_has_the_name_of_a_workbook(tmp_path, data, message):
    path = tmp_path / "people.xlsx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        from_csv(path)


def test_a_damaged_workbook_is_refused_and_nothing_else_happens(tmp_path):
    path = book(tmp_path, ["a", "b"], *([i, "x"] for i in range(50)))
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            from_csv(path)
        except InputError:
            continue
    for at in range(0, len(whole), 211):
        path.write_bytes(whole[:at])
        with pytest.raises(InputError):
            from_csv(path)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = book(tmp_path, ["a"], [1])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/media/picture.png", bytes(30_000_000))
    monkeypatch.setenv("UNVEIL_LARGEST", "10MB")
    with pytest.raises(InputError, match=r"unpacks to more than 0\.01 GB"):
        from_csv(path)
    monkeypatch.setenv("UNVEIL_LARGEST", "100MB")
    assert cells(path) == {"a": [1]}


def test_a_cell_far_away_does_not_fill_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("UNVEIL_LARGEST", "10MB")
    rows = [["a"], *([i] for i in range(200))]
    path = book(tmp_path, *rows, change=lambda page: page.cell(1, 16_384, "z"))
    with pytest.raises(InputError, match=r"unpacks to more than|has 2 names for 16,384 columns"):
        from_csv(path)


@pytest.mark.parametrize("option", ["delimiter", "encoding", "comment"])
def test_options_for_csv_files_are_not_for_workbooks(tmp_path, option):
    path = book(tmp_path, ["a"], [1])
    with pytest.raises(InputError, match=f"{option}= is for CSV files; people.xlsx is an Excel"):
        from_csv(path, **{option: ";"})
    text = tmp_path / "people.csv"
    text.write_text("a\n1\n")
    with pytest.raises(InputError, match=r"sheet= is for Excel workbooks; people\.csv is a CSV"):
        from_csv(text, sheet="Sheet")


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    path = book(tmp_path, ["a"], [1])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"need the extra excel: pip install 'unveil"):
        from_csv(path)
