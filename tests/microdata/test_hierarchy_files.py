"""Hierarchy files: what is read, and what is told about files that cannot be."""

import pytest

from unveil.errors import HierarchyError
from unveil.microdata import read_hierarchies, read_hierarchy


@pytest.fixture
def file(tmp_path):
    """A function that writes a file of hierarchies and returns its path."""

    def write(content, name="city.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        "Lyon;France;*\nRome;Italy;*\n",
        "Lyon;France;*\nRome;Italy;*",
        "Lyon,France,*\nRome,Italy,*\n",
        "Lyon\tFrance\t*\nRome\tItaly\t*\n",
        "Lyon;France;*\r\nRome;Italy;*\r\n",
        "\n\nLyon;France;*   \n  \nRome;Italy;* \n\n;;\n",
        "\ufeffLyon;France;*\nRome;Italy;*\n",
        '"Lyon";"France";*\n"Rome";Italy;*\n',
        "Lyon;Lyon;France;*;*\nRome;;Italy;*\n",
        "Lyon;France;*\nRome;Italy;*\nLyon;France;*\n",
    ],
)
def test_ways_to_write_one_tree(file, content):
    tree = read_hierarchy(file(content))
    assert tree.leaves == ("Lyon", "Rome")
    assert tree.path(0) == ("Lyon", "France", "*")
    assert tree.path(1) == ("Rome", "Italy", "*")
    assert tree.source == "city.csv"


def test_quoted_cells_may_hold_the_delimiter_quotes_and_line_ends(file):
    tree = read_hierarchy(file('"a;b";"say ""x""";*\n"two\nlines";*\n'))
    assert tree.path(0) == ("a;b", 'say "x"', "*")
    assert tree.leaves[1] == "two\nlines"


def test_a_semicolon_is_the_delimiter_wherever_there_is_one(file):
    assert read_hierarchy(file("a,b;x\n")).path(0) == ("a,b", "x")


def test_delimiter_and_encoding_can_be_given(file):
    tree = read_hierarchy(file("Zürich|CH; EU|*".encode("latin-1")), delimiter="|",
                          encoding="latin-1")  # fmt: skip
    assert tree.path(0) == ("Zürich", "CH; EU", "*")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "hierarchy city.csv is empty; it needs one line per value, such as 'Lyon;France;*'"),
        (" \n;;\n",
         "hierarchy city.csv is empty; it needs one line per value, such as 'Lyon;France;*'"),
        ("Lyon;France;*\n\nNice\n",
         "hierarchy city.csv, line 3 has only 'Nice'; write a value, then the labels above it, "
         "up to a common top such as '*'"),
        ("Paris;France;*\n\nRome;Italy;*\nParis;Texas;*\n",
         "hierarchy city.csv, line 4: the value 'Paris' is below 'Texas' here but below "
         "'France' in line 1; it can have only one parent"),
        ("Paris;France;EU;*\nLyon;France;*\n",
         "hierarchy city.csv, line 2: the node 'France' is below '*' here but below 'EU' in "
         "line 1; it can have only one parent"),
        ("Paris;France;EU;France;*\n",
         "hierarchy city.csv, line 1: 'France' appears again above itself (Paris → France → EU "
         "→ France → *)"),
        ("Paris;France;EU;*\nRome;EU;France;*\n",
         "hierarchy city.csv, line 2: 'France' is above 'EU' here but below it in line 1"),
        ("Paris;France;*\n\nFrance;EU;*\n",
         "hierarchy city.csv, line 3: 'France' is a value, but in line 1 it is a node above "
         "'Paris'; rename one of the two"),
        ("Paris;France\nRome;Italy\n",
         "hierarchy city.csv, line 2 ends in 'Italy' but line 1 in 'France'; a tree has one "
         "top, so end all paths in a common one such as '*'"),
        ("Paris;*\nZürich;*\n".encode("cp850"),
         "city.csv is in no encoding that can be recognized: line 2 is neither UTF-8 nor Western "
         "Windows like the rest; give the file's encoding, for instance encoding='cp850'"),
        ('Paris;*\n"Rome"x;*\n',
         'hierarchy city.csv, line 2: \';\' expected after \'"\'; quote a cell that contains '
         "quotes as a whole, and double its own quotes"),
    ],
)  # fmt: skip
def test_files_that_are_not_a_tree(file, content, message):
    with pytest.raises(HierarchyError) as error:
        read_hierarchy(file(content))
    assert str(error.value) == message


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(HierarchyError, match=r"the hierarchy '.*age\.csv' does not exist"):
        read_hierarchy(tmp_path / "age.csv")
    with pytest.raises(HierarchyError, match="cannot read the hierarchy"):
        read_hierarchy(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "::"}, "delimiter= must be one character, but '::' was given"),
        ({"encoding": "martian"}, "encoding 'martian' is unknown"),
    ],
)
def test_options_that_cannot_be(file, options, message):
    with pytest.raises(HierarchyError) as error:
        read_hierarchy(file("a;*"), **options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("age.csv", "age"),
        ("AGE.TXT", "age"),
        ("adult_hierarchy_marital-status.csv", "marital_status"),
        ("Marital Status.tsv", "marital-status"),
        ("survey.größe.txt", "Größe"),
    ],
)
def test_names_that_fit(file, tmp_path, name, column):
    file("a;*\n", name)
    assert list(read_hierarchies(tmp_path, [column])) == [column]


@pytest.mark.parametrize("name", ["page.csv", ".age.csv", "age.json", "age_group.csv"])
def test_names_that_do_not_fit(file, tmp_path, name):
    file("a;*\n", name)
    with pytest.raises(HierarchyError, match=r"^no hierarchy in '.*' fits a column: it contains "):
        read_hierarchies(tmp_path, ["age"])


def test_a_file_goes_to_the_longest_name(file, tmp_path):
    file("a;*\n", "adult_marital_status.csv")
    file("b;*\n", "adult_status.csv")
    found = read_hierarchies(tmp_path, ["status", "marital_status"])
    assert {column: tree.leaves for column, tree in found.items()} == {
        "status": ("b",), "marital_status": ("a",),
    }  # fmt: skip


def test_two_files_for_one_column(file, tmp_path):
    file("a;*\n", "age.csv")
    file("a;*\n", "adult_age.txt")
    with pytest.raises(HierarchyError) as error:
        read_hierarchies(tmp_path, ["age"])
    assert str(error.value) == (
        f"two hierarchies for column 'age' in {str(tmp_path)!r}: adult_age.txt and age.csv"
    )


def test_two_columns_of_one_name_but_for_case(file, tmp_path):
    file("a;*\n", "my_Age.csv")
    assert list(read_hierarchies(tmp_path, ["age", "Age"])) == ["Age"]
    with pytest.raises(HierarchyError, match="fits the columns 'age' and 'AGE' equally"):
        read_hierarchies(tmp_path, ["age", "AGE"])


def test_a_folder_that_does_not_help(file, tmp_path):
    there = file("a;*\n", "sex.csv")
    with pytest.raises(HierarchyError) as error:
        read_hierarchies(tmp_path, ["age", "zip"])
    assert str(error.value) == (
        f"no hierarchy in {str(tmp_path)!r} fits a column: it contains sex.csv; the columns are "
        "age, zip"
    )
    with pytest.raises(HierarchyError, match=r"the folder of hierarchies '.*none' does not exist"):
        read_hierarchies(tmp_path / "none", ["age"])
    with pytest.raises(HierarchyError, match=r"sex\.csv' is a file, not a folder"):
        read_hierarchies(there, ["age"])
