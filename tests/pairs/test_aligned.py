"""Every pair of files is aligned rightly, or asked about rightly, and never read wrongly."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pair_recipes.checking import PairOfFiles, is_as_right
from pair_recipes.pair import RECIPES

import unveil as uv
from unveil.aligning import AlignedColumn
from unveil.microdata.coarsening import parse_how

HERE = Path(__file__).parent
NAMES = sorted(RECIPES)
ROLES = {"quasi-identifier": "quasi"}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@cache
def pair_of(name: str) -> PairOfFiles:
    return PairOfFiles(HERE / name)


@cache
def aligned(name: str) -> uv.Alignment:
    pair = pair_of(name)
    return uv.align(pair.folder / pair.truth["original"], pair.folder / pair.truth["published"])


def called(name: str | None) -> str | None:
    """What a column is called here; row names of R and pandas have no name in the file."""
    return None if name is None else name.strip() or "(column 1)"


def entry(found: uv.Alignment, column: dict[str, Any]) -> AlignedColumn:
    """The entry about a column of the truth."""
    published = called(column.get("published"))
    (one,) = (
        one for one in found.columns
        if one.published == published
        and (published is not None or one.original == called(column["original"]))
    )  # fmt: skip
    return one


def test_columns_are_paired(name: str) -> None:
    for column in pair_of(name).truth["columns"]:
        assert entry(aligned(name), column).original == called(column.get("original")), column


def test_how_they_were_coarsened(name: str) -> None:
    pair, found = pair_of(name), aligned(name)
    asked = {question.column for question in found.questions}
    for column in pair.truth["columns"]:
        one = entry(found, column)
        may_ask = column.get("may_ask") and asked & {one.original, one.published}
        right = is_as_right(pair, column, one.how)
        assert right or may_ask, (column, one.how, str(one.reason))
        assert str(parse_how(one.how)) == one.how
        assert one.disagree == 0 or one.how in ("perturbed", "unclear")


def test_tables_say_what_texts_stand_for(name: str) -> None:
    pair = pair_of(name)
    for column in pair.truth["columns"]:
        one, table = entry(aligned(name), column), column.get("check", {}).get("table")
        if one.cells is not None and table is not None:
            told = {value: text for text, values in one.cells.items() for value in values}
            assert told == {value: table[value] for value in told}
            assert set(told) == {
                pair.original[column["original"]][row] for row in pair.of
            } - pair.blank("original")  # fmt: skip
        assert (one.cells is None) == (one.how not in ("recoded", "set") or table is None)


def test_roles_are_proposed(name: str) -> None:
    for column in pair_of(name).truth["columns"]:
        one = entry(aligned(name), column)
        if one.original is not None and column["roles"]:
            assert ROLES.get(str(one.role), str(one.role)) in column["roles"], (
                column["original"], str(one.role_reason),
            )  # fmt: skip


def test_shares_of_hidden_and_missing_cells(name: str) -> None:
    for column in pair_of(name).truth["columns"]:
        one = entry(aligned(name), column)
        assert one.suppressed == pytest.approx(column["suppressed"], abs=1e-6)
        assert one.gaps == pytest.approx(column["gaps"], abs=1e-6)
        assert list(one.marks) == column.get("marks", [])


def test_rows_correspond(name: str) -> None:
    pair, rows = pair_of(name), aligned(name).rows
    truth = pair.truth["rows"]
    assert rows.kind in truth["kinds"], str(rows.reason)
    if rows.kind == "unclear":
        assert (rows.matched, rows.of) == (0, None)
        return
    for count in ("matched", "only_original", "only_published"):
        assert getattr(rows, count) == truth[count]
    if rows.kind == "by key":
        assert rows.key is not None
        assert rows.key[0] == called(truth["key"])
    if rows.of is not None:
        known = rows.of >= 0
        assert rows.of[known].tolist() == [of for of, k in zip(pair.of, known, strict=True) if k]


def test_identifiers_that_are_left(name: str) -> None:
    truth, found = pair_of(name).truth, set(aligned(name).identifiers)
    must = {called(one) for one in truth["identifiers"]}
    assert must <= found <= must | {called(one) for one in truth["identifiers_allowed"]}


def test_what_is_asked(name: str) -> None:
    pair, found = pair_of(name), aligned(name)
    asked = {question.column for question in found.questions}
    truths = pair.truth.get("questions", [])
    assert {one["column"] for one in truths if one["must"]} <= asked
    may_ask = {column.get(side) for column in pair.truth["columns"] if column.get("may_ask")
               for side in ("original", "published")}  # fmt: skip
    assert asked <= {one["column"] for one in truths} | may_ask
    for question in found.questions:
        assert question.column in str(question.text)
        assert question.answers


def test_answers_end_the_questions(name: str) -> None:
    pair, found = pair_of(name), aligned(name)
    files = (pair.folder / pair.truth["original"], pair.folder / pair.truth["published"])
    right = [truth["answer"] for truth in pair.truth.get("questions", [])]
    others = [answer for question in found.questions for answer in question.answers]
    for answer in [*right, *others]:
        again = uv.align(*files, **answer)
        answered = {column for names in answer.values() for column in names}
        assert answered.isdisjoint(question.column for question in again.questions)
    for answer in right:
        again = uv.align(*files, **answer)
        assert again.questions == ()
        for column in pair.truth["columns"]:
            assert is_as_right(pair, column, entry(again, column).how), column


def test_what_is_shown_has_nobody_s_values(name: str) -> None:
    """Texts of a column with identifiers, or that fewer than five people have, are not shown."""
    pair, found = pair_of(name), aligned(name)
    shown = repr(found) + found.to_frame().to_csv()
    words = {word.strip("'\",;:()") for word in shown.split()}
    names = {part for one in (*pair.original, *pair.published) for part in (one, *one.split())}
    for cells in pair.original.values():
        for text in set(cells) - pair.blank("original"):
            rare = cells.count(text) < 5 and len(text) > 4 and not text.isdecimal()
            assert not (rare and text not in names and text in words), text
