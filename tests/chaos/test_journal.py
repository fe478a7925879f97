"""A journal keeps what is whole, whatever happened to the file."""

from __future__ import annotations

import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from unveil import read_table
from unveil.engine import Journal, checkpointed, journalled, kept, packed, unpacked, within
from unveil.sanitize import Mondrian

RECORDS = [
    ("first", b"one"),
    ("second", b""),
    ("first", b"another one"),
    ("third", bytes(range(9))),
]
AFTER = ("third", b"after the cut")


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, bytes, list[int]]:
    """A journal of four records, its bytes, and where each record ends."""
    path, ends = tmp_path / "journal", []
    with Journal(path) as journal:
        for name, content in RECORDS:
            journal.add(name, content)
            ends.append(path.stat().st_size)
    return path, path.read_bytes(), ends


def contents(journal: Journal) -> list[tuple[str, bytes]]:
    return sorted((name, one) for name in {n for n, _ in RECORDS} for one in journal.of(name))


def test_cut_at_every_byte_all_whole_records_are_there(written: tuple[Path, bytes, list[int]]):
    path, content, ends = written
    for size in range(len(content)):
        path.write_bytes(content[:size])
        whole = [end for end in ends if end <= size]
        with Journal(path) as journal:
            assert contents(journal) == sorted(RECORDS[: len(whole)])
            assert journal.cut == size - max(whole, default=0)
            assert journal.skipped == 0
            journal.add(*AFTER)
        with Journal(path) as journal:
            assert journal.cut == 0
            assert contents(journal) == sorted(
                [*RECORDS[: len(whole)], ("third", b"after the cut")]
            )


def test_a_flipped_bit_anywhere_is_found_and_costs_one_record(
    written: tuple[Path, bytes, list[int]],
) -> None:
    path, content, ends = written
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(bytes(damaged))
        hit = next(number for number, end in enumerate(ends) if at < end)
        with Journal(path) as journal:
            assert contents(journal) == sorted(RECORDS[:hit] + RECORDS[hit + 1 :])
            size = ends[hit] - (ends[hit - 1] if hit else 0)
            last = hit == len(RECORDS) - 1
            assert (journal.cut, journal.skipped) == ((size, 0) if last else (0, size))


def test_a_record_that_contains_the_bytes_of_records_is_one_record(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    with Journal(inner) as journal:
        journal.add("inner", b"x")
    with Journal(tmp_path / "outer") as journal:
        journal.add("outer", inner.read_bytes())
    with Journal(tmp_path / "outer") as journal:
        assert journal.of("inner") == []
        assert journal.of("outer") == [inner.read_bytes()]


def test_random_bytes_are_no_records(tmp_path: Path) -> None:
    chance = random.Random(5)
    for size in (0, 1, 47, 48, 49, 1000):
        path = tmp_path / f"{size}"
        path.write_bytes(chance.randbytes(size))
        with Journal(path) as journal:
            assert len(journal) == 0
            assert journal.cut == size


def test_a_journal_is_private(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal"):
        assert (tmp_path / "journal").stat().st_mode & 0o777 == 0o600


def test_work_is_named_by_all_that_it_depends_on(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal") as journal, journalled(journal):
        for table in (np.arange(4), np.arange(4.0), np.arange(4).reshape(2, 2)):
            for seed in (1, "1", 2):
                for release in ("a", "b"):
                    with within(release):
                        assert kept("beliefs", seed, table).all() == []
                        kept("beliefs", seed, table).add([release, seed])
                        assert kept("beliefs", seed, table).last() == [release, seed]
        assert len(journal) == 18


def test_without_a_journal_everything_is_computed() -> None:
    done: list[int] = []
    for number in (1, 2):
        assert (
            checkpointed("n", compute=lambda number=number: done.append(number) or number) == number
        )
    assert done == [1, 2]
    assert not kept("n")


def test_values_come_back_as_they_were() -> None:
    survey = read_table({"age": [1, 2, 3, 4], "s": list("abab")}, quasi="age", sensitive="s")
    release = Mondrian(k=2).sanitize(survey)
    value = {"release": release, "of": survey, "nan": np.array([np.nan, -0.0])}
    content = packed(value, {"table": survey})
    assert content is not None
    back = unpacked(content, {"table": survey})
    assert back["of"] is survey
    assert_array_equal(back["release"].sizes, release.sizes)
    assert back["nan"].tobytes() == value["nan"].tobytes()


class Harm:
    """What somebody might put in place of a record."""

    def __init__(self, call: Callable[..., object], *given: object) -> None:
        self.call, self.given = call, given

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call, self.given


@pytest.mark.parametrize("call", [os.mkdir, eval, getattr, exec, __import__, Journal])
def test_nothing_in_a_record_is_run(call: Callable[..., object], tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"__import__('os').mkdir({str(made)!r})"
    given = {os.mkdir: (str(made),), Journal: (made,)}.get(call, (text,))
    with Journal(tmp_path / "journal") as journal:
        journal.add(kept_name(tmp_path), pickle.dumps(Harm(call, *given)))
    with Journal(tmp_path / "journal") as journal, journalled(journal):
        assert kept("work").all() == []
        assert checkpointed("work", compute=lambda: 7) == 7
    assert not made.exists()


def kept_name(folder: Path) -> str:
    """What work is called in a journal."""
    with Journal(folder / "other") as journal, journalled(journal):
        kept("work").add(1)
        return next(iter(journal._places))
