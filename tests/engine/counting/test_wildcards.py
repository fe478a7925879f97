"""Cells that match everything: fast, and pair by pair."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import InputError
from unveil.measures import count

CELL = st.sampled_from(["a", "b", "*", None])


@st.composite
def hidden(draw):
    n = draw(st.integers(1, 15))
    names = ["k0", "k1", "k2"][: draw(st.integers(1, 3))]
    table = {name: draw(st.lists(CELL, min_size=n, max_size=n)) for name in names}
    return {**table, "s": draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))}


def pair_by_pair(table, keys):
    """For each class, the records that agree with it where neither hides its value."""
    rows = list(zip(*(table[key] for key in keys), strict=True))
    found = {}
    for mine in set(rows):
        found[mine] = Counter(
            table["s"][i]
            for i, theirs in enumerate(rows)
            if all("*" in (a, b) or a == b for a, b in zip(mine, theirs, strict=True))
        )
    return found


def by_class(counts):
    (block,) = counts.blocks()
    return {
        block.key_of(g): Counter({
            text: n
            for text, n in zip(counts.secret.texts, block.dense(g, 3)[: len(counts.secret.texts)],
                               strict=True)
            if n
        })
        for g in range(len(block))
    }  # fmt: skip


@given(table=hidden())
def test_it_is_what_pair_by_pair_gives(duckdb, table):
    keys = list(table)[:-1]
    counts = count(table, quasi=keys, sensitive="s", wildcard="*", engine=duckdb)
    assert by_class(counts) == pair_by_pair(table, keys)
    assert by_class(counts.over(keys[:1])) == pair_by_pair(table, keys[:1])
    assert counts.rows == len(table["s"])
    assert counts.overlapping
    assert "'*' matches every value, so classes overlap" in counts.notes


def test_it_is_a_value_like_any_other_unless_asked(duckdb):
    table = {"k": ["a", "*", "*"], "s": ["x", "x", "y"]}
    counts = count(table, quasi="k", sensitive="s", engine=duckdb)
    assert by_class(counts) == {("a",): Counter("x"), ("*",): Counter("xy")}
    assert not counts.overlapping


def test_what_it_cannot_do(duckdb, tiny):
    counts = count({"k": ["a", "*"]}, quasi="k", wildcard="*", engine=duckdb)
    with pytest.raises(InputError, match="a class cannot be looked up where '\\*' matches every"):
        counts.where({"k": "a"})
    with pytest.raises(InputError, match="these counts have a wildcard already"):
        count(counts, wildcard="*")
    tiny(fetched=1)
    with pytest.raises(InputError, match="has too many classes to match '\\*' with everything"):
        count({"k": ["a", "*"]}, quasi="k", wildcard="*", engine=duckdb)
