"""Texts from elsewhere, and names: what a report does not repeat."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.auditing._discretion import Masking
from unveil.auditing._names import public_command, public_name
from unveil.errors import (
    MASK,
    Cell,
    Column,
    File,
    Foreign,
    Message,
    Option,
    Person,
    Row,
    Text,
)
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
        (Message("{row}, column {column}: {cell} is unknown", row=Row(17), column=Column("town"),
                 cell=Cell("Ulm-ish")), "a row, column 'town': (masked) is unknown"),
        (Message("{rows} differ", rows=Row([17, 18, 1019])), "some rows differ"),
        (Message("outside {low} to {high}", low=Cell(30, people=9), high=Cell(97, people=1)),
         "outside 30 to (masked)"),
        (Message("{who} is there", who=Person(3)), "(masked) is there"),
        (Message("it said: {words}", words=Foreign("Jane C failed")),
         "it said: (what the program said is shown only to whoever runs it)"),
        (Message("{file} of {folder}", file=File("/data/jane/a.csv"), folder=File("b", bare=True)),
         "'a.csv' of b"),
        (Message("say {missing}", missing=Option("missing", "drop")), 'say missing="drop"'),
        (Message("{inner}; so", inner=Message("{cell} is odd", cell=Cell("x"))),
         "(masked) is odd; so"),
        ("2 more records dropped", "2 more records dropped"),
    ],
)  # fmt: skip
def test_what_is_marked_is_masked(people: uv.Microdata, text: Text, shown: str) -> None:
    assert Masking(people, 5).text(text) == shown
    assert MASK not in Masking(people, 5, shows_all=True).text(text)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("[30, 97]", "[30, (masked)]"),
        ("{KURU, flu}", "{(masked), flu}"),
        ("far away", "(masked)"),
        ("Lone Isle", "(masked)"),
        ("south", "south"),
    ],
)
def test_what_a_class_publishes(people: uv.Microdata, cell: str, shown: str) -> None:
    assert Masking(people, 5).cell(cell) == shown


def test_a_date_is_one_value() -> None:
    days = np.array(["1984-05-23", "1990-01-01"], dtype="datetime64[D]")
    table = uv.read_table(
        {"born": days[[0] + [1] * 9], "size": [1984] * 2 + [5] * 2 + [170] * 6, "ill": ["a"] * 10},
        quasi=["born", "size"], sensitive="ill",
    )  # fmt: skip
    masking = Masking(table, 5)
    assert masking.cell("[1984-05-23, 1990-01-01]") == "[(masked), 1990-01-01]"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"parts": 2}, "[(masked), (masked)), [(masked), (masked)]"),
        ({"parts": 2, "by": "quantiles"}, "[20, 30), [30, (masked)]"),
        ({"parts": {"age": [0, 25, 88]}}, "[0, 25), [25, (masked)]"),
        ({"parts": {"age": [0, 25, 100]}}, "[0, 25), [25, 100]"),
    ],
)
def test_bounds_of_parts_that_few_people_have(options: dict[str, Any], shown: str) -> None:
    """Any two bounds of parts of equal width tell the largest number, which is one person's."""
    ages = [20] * 10 + [30] * 10 + [60] * 9 + [88]
    table = uv.read_table({"age": ages, "ill": ["a", "b", "c"] * 10}, quasi="age", sensitive="ill")
    parts = uv.quantize(table, **options)
    masking = Masking(parts, 5)
    assert masking.text(parts.notes[-1]).partition(": ")[2] == shown
    assert ", ".join(map(masking.cell, parts["age"].texts)) == shown
    report = uv.audit(parts, "mondrian:k=5", attacks=["measures", "relative-risk"], progress=False)
    told = re.sub("#[0-9a-f]{16}", "", json.dumps(report.to_dict()["secrets"]))  # any digits
    assert "88" not in re.findall(r"[0-9]+", told)
    assert f"beforehand: {shown}" in told


@examples(60, derandomize=True)
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
        ("Oracle(folder /home/jane/releases/)", "Oracle(releases)"),
        ("Oracle(env API_KEY=abc ./run --pwd x {input})", "Oracle(run)"),
        ("Oracle(TOKEN=abc /opt/jane/anonymize {input})", "Oracle(anonymize)"),
        ("Oracle(it's not a command)", "Oracle(it's)"),
        ("Oracle(http://u:p@h:8080/a/b?token=x#y)", "Oracle(h)"),
    ],
)  # fmt: skip
def test_names_without_folders_and_secrets(name: str, shown: str) -> None:
    assert public_name(name) == shown
    assert public_name(shown) == shown


SECRET = "Zq7secret"
WAYS = [
    "-p {}", "-p{}", "--key {}", "--key={}", "--salt {}", "--salt={}", "-H 'X-Key: {}'",
    "--header 'Authorization: Basic {}'", "-u jane:{}", "sig={}", "'https://h/x?sig={}'",
    "https://u:{}@h/x", "https://{}@h/x", "https://h/{}/x", "--db 'jdbc:oracle:thin:u/{}@h:1521/s'",
    "jdbc:postgresql://h/db?user=u&password={}", "--connection 'Server=h;Pwd={}'", "@{}",
    "-c 'export T={}; run'", "{}", "-i/home/jane/{}",
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_write_a_credential_gets_into_a_name_or_a_command(way: str) -> None:
    command = f"{way.format(SECRET)} {{input}} {{output}}"
    for before in ("./anonymize", "python3 /opt/tools/a.py", "T=1 env X=2 ./anonymize"):
        shown = public_name(f"Oracle({before} {command})")
        assert SECRET not in shown
        assert shown in ("Oracle(anonymize)", "Oracle(python3)", "Oracle(h)")
    assert SECRET not in public_command(f'unveil audit a.csv --oracle "{command}"', "00" * 32)
    assert SECRET not in public_name(f"Oracle(https://h/x/{SECRET}?{SECRET}#{SECRET})")
    assert SECRET not in public_name(f"Oracle({SECRET}=1 ./anonymize)")


def test_the_fingerprint_of_a_command_depends_on_all_of_it_and_on_the_key() -> None:
    key, other = "00" * 32, "11" * 32
    typed = "unveil audit a.csv --smallest 5"
    shown = public_command(typed, key)
    assert re.fullmatch(r"unveil audit \[[0-9a-f]{12}\]", shown)
    assert shown == public_command(typed, key) != public_command(f"{typed}0", key)
    assert shown != public_command(typed, other)


def test_programs_of_one_name_are_told_apart_by_the_key(people: uv.Microdata) -> None:
    first, second = "./anonymize -k 5 {input} {output}", "./anonymize -k 9 {input} {output}"
    asked: dict[str, Any] = {"attacks": ["measures"], "progress": False}
    audit = uv.audit(people, [uv.Oracle(first), uv.Oracle(second)], **asked)
    names = [one.name for one in audit.releases]
    assert all(re.fullmatch(r"Oracle\(anonymize\) \[[0-9a-f]{12}\]", name) for name in names)
    assert names == [
        one.name
        for one in uv.audit(
            people, [uv.Oracle(first), uv.Oracle(second)], key=audit.key, **asked
        ).releases
    ]
    assert [one.name for one in uv.audit(people, uv.Oracle(first), **asked).releases] == [
        "Oracle(anonymize)"
    ]
    assert "-k 5" not in audit.to_json() + audit.page() + audit.to_junit() + str(audit)
