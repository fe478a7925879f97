"""The pairs of files are what their recipes make, and their truths are true: without unveil."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pair_recipes import all_pairs
from pair_recipes.checking import PairOfFiles, is_as_right, linked, wrong_cells
from pair_recipes.pair import RECIPES
from pair_recipes.writing import cells_of, write_pair

HERE = Path(__file__).parent
NAMES = sorted(RECIPES)


@pytest.fixture(params=NAMES)
def pair(request: pytest.FixtureRequest) -> PairOfFiles:
    return PairOfFiles(HERE / request.param)


def test_recipes_make_the_files_that_are_here(tmp_path: Path) -> None:
    for name, pair in all_pairs().items():
        write_pair(pair, tmp_path / name)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")}
    here = {path.relative_to(HERE) for path in HERE.rglob("*.*")}
    assert made == {path for path in here if path.suffix not in (".py", ".pyc")}
    for path in made:
        if path.suffix == ".xlsx":
            assert cells_of(tmp_path / path) == cells_of(HERE / path), path
        else:
            assert (tmp_path / path).read_bytes() == (HERE / path).read_bytes(), path


def test_they_are_many_and_small() -> None:
    files = [path for path in HERE.rglob("*.*") if path.suffix not in (".py", ".pyc")]
    assert len(NAMES) >= 24
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_every_column_has_a_truth(pair: PairOfFiles) -> None:
    columns = pair.truth["columns"]
    assert {one["original"] for one in columns if "original" in one} == set(pair.original)
    assert Counter(one["published"] for one in columns if "published" in one) == Counter(
        dict.fromkeys(pair.published, 1)
    )
    for one in columns:
        assert (one["how"] == ["dropped"]) == ("published" not in one)
        assert (one["how"] == ["new"]) == ("original" not in one)


def test_truths_give_the_published_cells(pair: PairOfFiles) -> None:
    for one in pair.truth["columns"]:
        if "original" in one and "published" in one:
            assert wrong_cells(pair, one, pair.of) == [], one


def test_other_rows_would_give_others(pair: PairOfFiles) -> None:
    """The check can fail: with everybody's neighbour, most columns are wrong."""
    of = [*pair.of[1:], pair.of[0]]
    both = [
        one for one in pair.truth["columns"]
        if "original" in one and "published" in one and one["how"][0] != "suppressed"
    ]  # fmt: skip
    assert all(wrong_cells(pair, one, of) for one in both)


def test_rows_correspond_as_said(pair: PairOfFiles) -> None:
    rows = pair.truth["rows"]
    originals = len(next(iter(pair.original.values())))
    assert len(set(pair.of)) == len(pair.of) == rows["matched"]
    assert set(pair.of) <= set(range(originals))
    assert rows["only_original"] == originals - len(pair.of)
    assert rows["only_published"] == len(next(iter(pair.published.values()))) - len(pair.of) == 0
    assert ("same order" in rows["kinds"]) == (pair.of == sorted(pair.of))


def test_shares_are_those_of_the_files(pair: PairOfFiles) -> None:
    for one in pair.truth["columns"]:
        before = pair.original.get(one.get("original"), ["filled"])
        after = pair.published.get(one.get("published"), ["filled"])
        shares = [
            sum(cell in words for cell in cells) / len(cells)
            for cells, words in (
                (before, pair.blank("original")), (after, pair.blank("published")),
                (after, one.get("marks", [])),
            )
        ]  # fmt: skip
        assert [*one["gaps"], one["suppressed"]] == pytest.approx(shares, abs=1e-6)


def test_facts_are_those_of_the_published_file(pair: PairOfFiles) -> None:
    """Counted by comparing every row with every other."""
    facts = pair.truth["facts"]
    unsaid = {one["published"]: {*one.get("marks", ()), *pair.blank("published")}
              for one in pair.truth["columns"] if "published" in one}  # fmt: skip
    keys = list(zip(*(pair.published[name] for name in facts["quasi"]), strict=True))
    told = [
        key for key in keys
        if any(cell not in unsaid[name] for name, cell in zip(facts["quasi"], key, strict=True))
    ]  # fmt: skip
    sizes = [told.count(key) for key in told]
    assert facts["records"] == len(keys)
    assert facts["suppressed_records"] == len(keys) - len(told)
    assert facts["k"] == min(sizes)
    assert facts["unique"] == sizes.count(1)
    assert facts["classes"] == len(set(told))
    for secret in facts["secrets"]:
        name = secret["sensitive"]
        people = [
            (key, value) for key, value in zip(keys, pair.published[name], strict=True)
            if key in set(told) and value not in unsaid[name]
        ]  # fmt: skip
        mates = [[value for other, value in people if other == key] for key, _ in people]
        assert secret["records"] == len(people)
        assert secret["k"] == min(map(len, mates))
        assert secret["unique"] == sum(len(values) == 1 for values in mates)
        assert secret["one_value"] == sum(len(set(values)) == 1 for values in mates)


def test_people_are_linked_as_classes_say(pair: PairOfFiles) -> None:
    """Two ways to count, where nothing is hidden, nobody left out and no two cells overlap."""
    facts = pair.truth["facts"]
    used = [one for one in pair.truth["columns"] if one.get("published") in facts["quasi"]]
    plain = not any(one["suppressed"] or any(one["gaps"]) for one in used)
    overlapping = any("overlap" in one.get("check", {}) for one in used)
    for secret in facts["secrets"]:
        found = linked(pair, facts["quasi"], secret["sensitive"])
        counted = (found.to_one_record, found.to_one_value)
        assert found.people == len(next(iter(pair.original.values())))
        if not plain or overlapping:  # whoever has more candidates is linked to fewer records
            assert found.to_one_record <= facts["unique"]
        elif not pair.truth["rows"]["only_original"] and secret["records"] == facts["records"]:
            assert counted == (facts["unique"], secret["one_value"])


def test_other_words_for_the_same_are_right() -> None:
    homes = PairOfFiles(HERE / "ages-from-birth")
    (age,) = (one for one in homes.truth["columns"] if one.get("published") == "age")
    for words in ("age 2024-12-31, top 90", "top 90, age 2024-12-31"):
        assert is_as_right(homes, age, words)
    for words in ("age 2023-12-31, top 90", "age 2024-12-31, top 85", "year", "bands"):
        assert not is_as_right(homes, age, words)
