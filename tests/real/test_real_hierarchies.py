"""The public hierarchy files read as they are: ragged, with stray blanks and empty cells."""

import pytest

from unveil.microdata import read_hierarchies, read_hierarchy

pytestmark = pytest.mark.real

FOLDERS = {"adult": 9, "adult_arx": 9, "internet_usage": 7}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_a_tree(real_data, folder):
    files = sorted((real_data / folder / "hierarchies").iterdir())
    assert len(files) == FOLDERS[folder]
    for file in files:
        tree = read_hierarchy(file)
        lines = [line for line in file.read_text().splitlines() if line.strip()]
        assert tree.n_leaves == len(lines)
        assert tree.names[tree.root] == "*"
        for line in lines:
            cells = [cell.strip() for cell in line.split(";") if cell.strip()]
            path = tree.path(tree.leaf(cells[0]))
            assert list(path) == list(dict.fromkeys(cells))


def test_a_path_with_an_empty_cell(real_data):
    tree = read_hierarchy(real_data / "internet_usage/hierarchies/internet_country.txt")
    assert tree.path(tree.leaf("Yukon")) == (
        "Yukon", "Northern-Canada", "Canada", "North-America", "America", "*",
    )  # fmt: skip
    assert (tree.n_leaves, tree.depth) == (129, 7)


def test_folders_match_their_columns(real_data):
    found = read_hierarchies(
        real_data / "adult_arx/hierarchies", ["marital_status", "Native Country", "age", "nothing"]
    )
    assert {column: tree.source for column, tree in found.items()} == {
        "marital_status": "adult_hierarchy_marital-status.csv",
        "Native Country": "adult_hierarchy_native-country.csv",
        "age": "adult_hierarchy_age.csv",
    }
