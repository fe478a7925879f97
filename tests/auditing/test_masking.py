"""Texts from elsewhere, and names: what a report does not repeat."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import tables

import unveil as uv
from unveil.auditing._masking import MASK, Masking
from unveil.auditing._naming import public_command, public_name
from unveil.microdata import Hierarchy


@pytest.fixture(scope="module")
def people() -> uv.Microdata:
    tree = Hierarchy.from_paths(
        [("Ulm", "south", "*"), ("Rom", "south", "*"), ("Lone Isle", "far away", "*")]
    )
    return uv.read_table(
        {
            "name": [f"Jane {chr(65 + i)}" for i in range(20)],
            "age": [30] * 9 + [40] * 9 + [97, 1234.5],
            "town": ["Ulm"] * 10 + ["Rom"] * 9 + ["Lone Isle"],
            "ill": ["flu", "cold"] * 9 + ["no", "kuru"],
            "note": ["seen"] * 17 + ["(missing)", "another", "sensitive"],
        },
        identifier="name", quasi=["age", "town"], sensitive="ill", hierarchies={"town": tree},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no cell covers the values of 3 of 20 records, such as Lone Isle; so",
         "no cell covers the values of 3 of 20 records, such as (masked); so"),
        ("row 17, column 'town': the cell 'Ulm-ish' is not known",
         "a row, column 'town': the cell (masked) is not known"),
        ("rows 17, 18 and 1,019 differ", "some rows differ"),
        ("97 records have age 97, 97.0 or 97e0", "97 records have age (masked), (masked) or "
         "(masked)"),
        ("outside 30 to 1,234.5", "outside 30 to (masked)"),
        ("[30, 97]", "[30, (masked)]"),
        ("KURU and flu, far away and south", "(masked) and flu, (masked) and south"),
        ("it is Jane C's", "it is (masked)'s"),
        ("nobody says no or yes", "nobody says no or yes"),  # words of ours
        ("because of 'no'; if that means missing, say missing_values={\"ill\": [\"no\"]}",
         "because of (masked); if that means missing, say missing_values={\"ill\": [(masked)]}"),
        ("2 more records dropped: another sensitive column has a missing value there",
         "2 more records dropped: another sensitive column has a missing value there"),
        ("say missing='drop' or k=97", "say missing='drop' or k=97"),
        ("recoded: age to level 97 of 97", "recoded: age to level 97 of 97"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_masked(people: uv.Microdata, text: str, shown: str) -> None:
    assert Masking(people, 5).text(text) == shown
    assert Masking(people, 5, shows_all=True).text(text) == text


def test_a_date_is_one_value() -> None:
    days = np.array(["1984-05-23", "1990-01-01"], dtype="datetime64[D]")
    table = uv.read_table(
        {"born": days[[0] + [1] * 9], "size": [1984] * 2 + [5] * 2 + [170] * 6, "ill": ["a"] * 10},
        quasi=["born", "size"], sensitive="ill",
    )  # fmt: skip
    masking = Masking(table, 5)
    assert masking.cell("[1984-05-23, 1990-01-01]") == "[(masked), 1990-01-01]"
    assert masking.text("from 1984-05-23 to 1990-01-01") == "from (masked) to 1990-01-01"


@settings(derandomize=True, max_examples=60, deadline=None)
@given(table=tables(), smallest=st.integers(1, 6), data=st.data())
def test_cells_have_no_value_that_few_people_have(
    table: uv.Microdata, smallest: int, data: st.DataObject
) -> None:
    """By brute force: a value stays where so many records have it, and else goes."""
    column = data.draw(st.sampled_from(table.columns))
    held = [Counter(map(str, one.decode())) for one in table.columns]
    masking = Masking(table, smallest)
    for text in column.texts:
        # A text may be a value of several columns, or a number written in another way.
        few = any(
            0 <= Counter(one.codes.tolist())[code] < smallest and _alike(other, text)
            for one in table.columns
            for code, other in enumerate(one.texts)
        ) or _few_beneath(table, text, smallest)
        assert (masking.cell(text) == MASK) is few, (text, held)


def _alike(a: str, b: str) -> bool:
    try:
        return abs(float(a)) == abs(float(b))
    except ValueError:
        return a.casefold() == b.casefold()


def _few_beneath(table: uv.Microdata, name: str, smallest: int) -> bool:
    """Whether a node of that name has fewer people beneath it."""
    for column in table.columns:
        tree = column.hierarchy
        for node in range(0 if tree is None else len(tree.names)):
            if tree.names[node] == name:
                leaves = range(tree.first[node], tree.last[node] + 1)
                return int(np.isin(column.codes, list(leaves)).sum()) < smallest
    return False


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mine", "mine"),
        ("published.csv", "published.csv"),
        ("C:\\Users\\jane\\out.csv", "out.csv"),
        ("Mondrian(k=5, l=3)", "Mondrian(k=5, l=3)"),
        ("Oracle(anonymize)", "Oracle(anonymize)"),
        ("Oracle(/home/jane/releases/)", "Oracle(releases)"),
        ("Oracle(env API_KEY=abc ./run --pwd x {input})", "Oracle(env API_KEY=… run --pwd … "
         "{input})"),
        ("Oracle(curl -H Authorization: Bearer abc {input})", "Oracle(curl -H Authorization: "
         "Bearer … {input})"),
        ("Oracle(http://u:p@h:8080/a/b?token=x#y)", "Oracle(http://h:8080/a/b)"),
    ],
)  # fmt: skip
def test_names_without_folders_and_secrets(name: str, shown: str) -> None:
    assert public_name(name) == shown
    assert public_name(shown) == shown


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("unveil audit --oracle=https://u:p@h/x?t=1", "unveil audit --oracle=https://h/x"),
        ("unveil audit a.csv --key /home/jane/k.key", "unveil audit a.csv --key k.key"),
        ("unveil audit 'my file.csv' --token abc", "unveil audit 'my file.csv' --token …"),
        ("unveil audit it's", "unveil audit it's"),
    ],
)
def test_commands_without_folders_and_secrets(command: str, shown: str) -> None:
    assert public_command(command) == shown
