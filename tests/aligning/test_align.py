"""Two files beside each other: what must not matter, what chance must not do, and the edges."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import unveil as uv
from unveil.aligning import Alignment
from unveil.errors import InputError
from unveil.microdata.coarsening import parse_how

HOW = {
    "number": "dropped", "age": "floor 10", "town": "unchanged", "code": "prefix 2",
    "born": "year", "pay": "rounded 1000", "group": "set", "vote": "unchanged",
}  # fmt: skip


def people(n: int = 120, seed: int = 1) -> dict[str, list[Any]]:
    """A table of people."""
    rng = random.Random(seed)
    return {
        "number": [str(5000 + i) for i in range(n)],
        "age": [str(rng.randint(18, 90)) for _ in range(n)],
        "town": [rng.choice(["Graz", "Linz", "Wels", "Bruck"]) for _ in range(n)],
        "code": [f"0{rng.randint(10, 99)}{rng.randint(10, 13)}" for _ in range(n)],
        "born": [f"{rng.randint(13, 28)}.{rng.randint(1, 12):02}.{rng.randint(1930, 1999)}"
                 for _ in range(n)],
        "pay": [str(rng.randint(20_000, 90_000)) for _ in range(n)],
        "group": [rng.choice("abcdef") for _ in range(n)],
        "vote": [rng.choice(["red", "green", "blue"]) for _ in range(n)],
    }  # fmt: skip


def published(table: dict[str, list[str]]) -> dict[str, list[str]]:
    """What is published of it."""
    rounded = [(2 * int(pay) + 1000) // 2000 * 1000 for pay in table["pay"]]
    return {
        "age": [str(int(age) // 10 * 10) for age in table["age"]],
        "town": table["town"],
        "code": [code[:2] for code in table["code"]],
        "born": [born[-4:] for born in table["born"]],
        "pay": [str(pay) for pay in rounded],
        "group": ["first" if one in "abc" else "last" for one in table["group"]],
        "vote": table["vote"],
    }


def words(found: Alignment) -> dict[str | None, str]:
    """How each column of the original was coarsened."""
    return {one.original: one.how for one in found.columns}


def test_everything_is_found() -> None:
    found = uv.align(people(), published(people()))
    assert words(found) == HOW
    assert found.rows.kind == "same order"
    assert found.related
    assert found.forms == {"born": "dd.mm.yyyy"}
    assert found.cells == {"group": {"first": ("a", "b", "c"), "last": ("d", "e", "f")}}
    assert found["age"].original == "age"
    assert found["number"].published is None
    with pytest.raises(InputError, match="no column 'x'"):
        found["x"]


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_the_order_of_columns_and_their_spelling_do_not_matter(seed: int) -> None:
    rng, table = random.Random(seed), people(seed=seed)
    shown = published(table)
    names, ours = list(shown), list(table)
    rng.shuffle(names)
    rng.shuffle(ours)
    spelt = {name: rng.choice([str.upper, str.title, " {} ".format, "_{}_".format])(name)
             for name in names}  # fmt: skip
    found = uv.align({name: table[name] for name in ours}, {spelt[n]: shown[n] for n in names})
    assert words(found) == HOW
    assert [one.original for one in found.columns] == ours
    assert found.rename == {spelt[name]: name for name in names if spelt[name] != name}


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_rows_by_a_key_tell_the_same_as_rows_in_order(seed: int) -> None:
    table = people(seed=seed)
    shown = {"id": [f"K{number}" for number in table["number"]], **published(table)}
    table["number"] = shown["id"]
    order = list(range(120))
    random.Random(seed).shuffle(order)
    order = order[:100]
    found = uv.align(table, {name: [cells[i] for i in order] for name, cells in shown.items()})
    assert words(found) == {**HOW, "number": "unchanged"}
    assert (found.rows.kind, found.rows.key) == ("by key", ("number", "id"))
    assert (found.rows.matched, found.rows.only_original) == (100, 20)
    assert found.rows.of is not None
    assert found.rows.of.tolist() == order
    assert set(found.identifiers) == {"id"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_delimiters_and_encodings_do_not_matter(
    delimiter: str, encoding: str, tmp_path: Path
) -> None:
    table = people()
    table["town"] = [town.replace("Bruck", "Köflach") for town in table["town"]]
    pd.DataFrame(table).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame(published(table)).to_csv(tmp_path / "b.csv", index=False, sep=delimiter,
                                          encoding=encoding)  # fmt: skip
    assert words(uv.align(tmp_path / "a.csv", tmp_path / "b.csv")) == HOW
    said = uv.align(tmp_path / "a.csv", tmp_path / "b.csv", published_delimiter=delimiter,
                    published_encoding=encoding)  # fmt: skip
    assert words(said) == HOW


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_tables_in_memory(make: Any) -> None:
    assert words(uv.align(make(people()), make(published(people())))) == HOW


def test_an_original_that_is_the_published_one() -> None:
    found = uv.align(people(), people())
    assert {*words(found).values()} == {"unchanged"}
    assert list(found.identifiers) == ["number"]


def test_shuffled_rows_claim_no_more_than_values_and_numbers_tell() -> None:
    table = people(200)
    order = list(range(200))
    random.Random(3).shuffle(order)
    shown = {name: [cells[i] for i in order] for name, cells in published(table).items()}
    found = uv.align(table, shown)
    assert found.rows.kind == "shuffled"
    assert found.rows.of is None
    told = words(found)
    for name in ("age", "town", "code", "born", "vote"):
        assert told[name] == HOW[name]
    assert told["group"] == "unclear"  # a table cannot be learned without rows
    assert told["pay"] in (HOW["pay"], "unclear")


def test_unrelated_files_are_told_as_unrelated() -> None:
    plants = {"genus": ["Acer", "Rosa", "Pinus"] * 20, "petals": [5, 8, 3, 4] * 15}
    found = uv.align(people(60), plants)
    assert not found.related
    assert found.rows.kind == "unclear"
    assert words(found)[None] == "new"
    assert {how for name, how in words(found).items() if name} == {"dropped"}
    assert "nothing shows" in str(found.notes[-1])


@settings(max_examples=10)
@example(seed=3878)  # nobody is under 20, so decades could be rounded ages
@given(seed=st.integers(0, 10_000))
def test_other_people_under_the_same_names_are_never_claimed_row_by_row(seed: int) -> None:
    found = uv.align(people(seed=seed), published(people(seed=seed + 1)))
    assert found.rows.kind == "unclear"
    told = words(found)
    # 120 other people have other numbers: whatever follows from rows is not claimed.
    assert {told[name] for name in ("age", "code", "born", "pay", "group")} <= {
        "unclear",
        "dropped",
    }


def test_what_chance_explains_is_not_claimed() -> None:
    rng = np.random.default_rng(5)
    table = {"x": rng.integers(0, 2, 200), "key": np.arange(200), "y": rng.integers(0, 9, 200)}
    noise = {"flag": rng.choice(["yes", "no"], 200), "z": rng.normal(size=200)}
    found = uv.align(table, noise)
    assert {one.how for one in found.columns} == {"dropped", "new"}
    assert not found.related


def test_files_that_are_sorted_alike_are_not_in_the_same_order() -> None:
    table = people(200)
    order = sorted(range(200), key=lambda i: table["town"][i])
    table = {name: [cells[i] for i in order] for name, cells in table.items()}
    shown = published(table)
    again = sorted(range(200), key=lambda i: (shown["town"][i], hash((i * 7919) % 251)))
    found = uv.align(table, {name: [cells[i] for i in again] for name, cells in shown.items()})
    assert found.rows.kind == "shuffled"
    assert "perturbed" not in words(found).values()


def test_columns_of_other_types_are_left_out() -> None:
    table = {**people(), "picture": [b"x"] * 120}
    found = uv.align(table, published(people()))
    assert "'picture' of table cannot be read" in str(found.notes[0])
    assert words(found) == {**HOW, "picture": "dropped"}
    truth = {"k": ["a", "b", "c"] * 20, "t": [True, False] * 30}
    spelt = {"k": truth["k"], "t": ["TRUE" if one else "FALSE" for one in truth["t"]]}
    assert set(words(uv.align(truth, spelt)).values()) == {"unchanged"}


def test_rows_that_are_only_numbered_are_no_key() -> None:
    table, other = people(80), published(people(80, seed=9))
    table["row"] = [str(i) for i in range(80)]
    shown = {"row": [str(i) for i in range(60)], **{n: c[:60] for n, c in other.items()}}
    assert uv.align(table, shown).rows.kind == "unclear"


def test_a_reading_that_does_not_hold_for_all_rows_is_not_claimed() -> None:
    table = people()
    shown = published(table)
    shown["age"][7] = "10" if shown["age"][7] != "10" else "20"
    one = uv.align(table, shown)["age"]
    assert (one.how, one.disagree) == ("perturbed", 1)
    assert "1 of 120 rows" in str(one.reason)


def test_rows_missing_in_between() -> None:
    table = people(300)
    kept = [i for i in range(300) if i % 17]
    found = uv.align(table, {n: [c[i] for i in kept] for n, c in published(table).items()})
    assert found.rows.kind == "same order"
    assert (found.rows.matched, found.rows.only_original) == (len(kept), 300 - len(kept))
    assert found.rows.of is not None
    known = found.rows.of >= 0
    assert found.rows.of[known].tolist() == [i for i, k in zip(kept, known, strict=True) if k]
    assert words(found) == HOW


def test_more_rows_than_the_original() -> None:
    table, more = people(100), published(people(100))
    other = published(people(40, seed=8))
    found = uv.align(table, {name: more[name] + other[name] for name in more})
    assert found.rows.kind == "unclear"
    assert found.sizes == (100, 140)


def test_one_row() -> None:
    one = {name: cells[:1] for name, cells in people().items()}
    found = uv.align(one, {name: cells[:1] for name, cells in published(people()).items()})
    assert found.rows.kind == "unclear"
    assert words(found)["town"] == "unchanged"
    assert words(found)["group"] == "unclear"


def test_three_columns_with_equal_values() -> None:
    table = people()
    table |= {"first": table["town"], "second": table["town"], "third": table["town"]}
    shown = dict.fromkeys(("second", "third", "first"), table["town"])
    found = uv.align(table, shown)
    assert {one.published: one.original for one in found.columns if one.published} == {
        "first": "first", "second": "second", "third": "third",
    }  # fmt: skip
    renamed = uv.align({"a1": table["pay"], "b1": table["pay"]}, {"zz": table["pay"]})
    (question,) = renamed.questions
    assert question.column == "zz"
    assert question.answers == ({"rename": {"zz": "a1"}}, {"rename": {"zz": "b1"}})
    answered = uv.align({"a1": table["pay"], "b1": table["pay"]}, {"zz": table["pay"]},
                        rename={"zz": "b1"})  # fmt: skip
    assert answered.questions == ()
    assert answered.rename == {"zz": "b1"}


@pytest.mark.parametrize("which", [0, 1])
def test_empty_files_and_repeated_names_are_refused(which: int, tmp_path: Path) -> None:
    for text, why in (
        ("", "is empty"),
        ("age,vote\n", "no rows"),
        ("age,age\n1,2\n", "two columns"),
    ):
        file = tmp_path / "wrong.csv"
        file.write_text(text)
        files: list[Any] = [people(), people()]
        files[which] = file
        with pytest.raises(InputError, match=why):
            uv.align(*files)


def test_wrong_options_are_refused() -> None:
    for options, why in (
        ({"rename": {"votes": "vote"}}, "names 'votes', which is not in table"),
        ({"rename": {"vote": "votes"}}, "names 'votes', which is not in table"),
        ({"forms": {"born": "mm/dd/yyyy"}}, "mm/dd/yyyy"),
        ({"forms": {"birth": "mm/dd/yyyy"}}, "column 'birth' is not in table"),
        ({"key": "number"}, "column 'number' is not in table"),
        ({"key": "vote"}, "no value of 'vote' is once in"),
    ):
        with pytest.raises(InputError, match=why):
            uv.align(people(), published(people()), **options)  # type: ignore[arg-type]


def test_hidden_cells_and_gaps() -> None:
    table = people(100)
    table["town"] = ["" if i % 10 == 0 else town for i, town in enumerate(table["town"])]
    shown = published(table)
    shown["age"] = ["*" if i % 4 == 0 else age for i, age in enumerate(shown["age"])]
    shown["vote"] = ["unknown" if i % 5 == 0 else vote for i, vote in enumerate(shown["vote"])]
    shown["pay"] = ["*"] * 100
    found = uv.align(table, shown)
    assert (found["age"].suppressed, found["age"].marks) == (0.25, ("*",))
    assert (found["vote"].suppressed, found["vote"].marks) == (0.2, ("unknown",))
    assert (found["pay"].how, found["pay"].suppressed) == ("suppressed", 1.0)
    assert (found["town"].suppressed, found["town"].gaps) == (0, (0.1, 0.1))
    assert words(found) == {**HOW, "pay": "suppressed"}


def test_published_twice_and_several_descendants() -> None:
    table = people()
    shown = published(table)
    shown["region"] = ["south" if town == "Graz" else "north" for town in table["town"]]
    shown["decade"] = [f"{born[-4:-1]}0s" for born in table["born"]]
    found = uv.align(table, shown)
    assert [one.published for one in found.columns if one.original == "born"] == ["born", "decade"]
    assert found["decade"].how == "decade"
    assert (found["region"].original, found["region"].how) == ("town", "set")
    assert found.repeated["region"] == "town"


def test_the_frame_and_the_text_have_no_values() -> None:
    table = people()
    table["town"] = [f"Rare{i}" if i < 3 else town for i, town in enumerate(table["town"])]
    found = uv.align(table, published(table))
    assert list(found.to_frame()["how"]) == [one.how for one in found.columns]
    assert "Rare" not in repr(found) + found.to_frame().to_csv()
    for one in found.columns:
        parse_how(one.how)


def test_hashes_of_identifiers_name_people() -> None:
    table = {"email": [f"p{i}@example.org" for i in range(120)], **people()}
    hashed = [hashlib.sha256(text.encode()).hexdigest() for text in table["email"]]
    found = uv.align(table, {"pseudonym": hashed, **published(people())})
    assert found["pseudonym"].how == "new"
    assert found.identifiers == {
        "pseudonym": 'it is SHA-256 hashes of the original\'s identifier "email"'
    }
