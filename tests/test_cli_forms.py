"""Forms and sheets in a shell and in project files."""

from __future__ import annotations

import openpyxl
import pytest

from unveil.cli import main
from unveil.errors import InputError
from unveil.projects import Project

ROWS = [("12/11/1961", "a"), ("03/04/1984", "b"), ("12/11/1961", "b"), ("03/04/1984", "a")]
PROJECT = """
[data]
file = "{file}"
{more}
[roles]
born = "quasi"
vote = "sensitive"
[forms]
born = "{form}"
"""


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("born,vote\n" + "".join(f"{born},{vote}\n" for born, vote in ROWS))
    return path


@pytest.fixture
def workbook(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["read me"])
    page = book.create_sheet("People")
    for row in [("born", "vote"), *ROWS]:
        page.append(row)
    book.save(tmp_path / "survey.xlsx")
    return tmp_path / "survey.xlsx"


def shell(*typed, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in typed])
    said = capsys.readouterr()
    return ended.value.code, said.out, said.err


def test_an_ambiguous_form_is_asked_about_and_given_in_a_shell(survey, workbook, capsys):
    roles = ("--quasi", "born", "--sensitive", "vote")
    for file, sheet in ((survey, ()), (workbook, ("--sheet", "People"))):
        code, _, told = shell("measure", "reidentification", file, *roles, *sheet, capsys=capsys)
        assert code in (0, 2)
        code, _, told = shell("linkage", file, "--sanitizer", "mondrian:k=2", "--external", file,
                              *roles, *sheet, capsys=capsys)  # fmt: skip
        assert code == 2
        words = " ".join(told.split())
        assert "--form born=dd/mm/yyyy or --form born=mm/dd/yyyy" in words


@pytest.mark.parametrize(("form", "first"), [("dd/mm/yyyy", "1961-11-12"),
                                             ("mm/dd/yyyy", "1961-12-11")])  # fmt: skip
def test_a_project_file_has_forms_and_a_sheet(survey, workbook, form, first, tmp_path):
    path = tmp_path / "unveil.toml"
    for file, more in ((survey, ""), (workbook, 'sheet = "People"')):
        path.write_text(PROJECT.format(file=file.name, more=more, form=form))
        project = Project.read(path)
        (table,) = project.microdata()
        assert table["born"].texts[0] == first
        again = tmp_path / f"{file.suffix}.toml"
        project.write(again)
        assert Project.read(again) == project


@pytest.mark.parametrize(
    ("form", "message"),
    [("day first", r"\[forms\]: 'born' must be how dates or numbers are written"),
     ("dd.mm.yyyy", "not written as dd.mm.yyyy")],
)  # fmt: skip
def test_a_form_that_is_none_or_does_not_fit(survey, form, message, tmp_path):
    path = tmp_path / "unveil.toml"
    path.write_text(PROJECT.format(file=survey.name, more="", form=form))
    with pytest.raises(InputError, match=message):
        Project.read(path).microdata()


def test_forms_of_columns_without_a_role_are_refused(survey, tmp_path):
    path = tmp_path / "unveil.toml"
    text = PROJECT.format(file=survey.name, more="", form="dd/mm/yyyy")
    path.write_text(text.replace("[forms]\nborn", "[forms]\nbirn"))
    with pytest.raises(InputError, match=r"\[forms\]: 'birn' is not among the columns"):
        Project.read(path)
