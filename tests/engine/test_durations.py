"""Durations and amounts of memory as people write them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.engine import parse_duration, parse_memory
from unveil.errors import InputError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (45, 45), (0.5, 0.5), (np.int64(3), 3), (np.float32(1.5), 1.5), ("45", 45), ("90s", 90),
        ("90 s", 90), (" 10 min ", 600), ("10 Minutes", 600), ("1h30m", 5400), ("1 h 30 min", 5400),
        ("1.5 hours", 5400), (".5h", 1800), ("2 days 3 h", 183_600), ("1h 5s", 3605),
    ],
)  # fmt: skip
def test_durations(text, seconds):
    assert parse_duration(text) == seconds
    assert isinstance(parse_duration(text), float)


@pytest.mark.parametrize(
    "text",
    ["", "  ", "soon", "min", "10 mn", "1h30", "30m1h", "1h 1h", "1:30", "10 min!", "-5 s", "1,5 h",
     "١٠ s", "10 m 3 minutes", None, True, [10], {"h": 1}],
)  # fmt: skip
def test_what_is_no_duration_is_told_how_to_write_one(text):
    with pytest.raises(InputError) as error:
        parse_duration(text)
    assert str(error.value) == (
        f"cannot read {text!r} as a duration; write a number of seconds, or a text such as "
        '"90 s", "10 min" or "1h30m"'
    )


@pytest.mark.parametrize("length", [0, -1, math.inf, math.nan, "0", "0 min", "9" * 400])
def test_a_duration_is_longer_than_nothing_and_ends(length):
    with pytest.raises(InputError) as error:
        parse_duration(length)
    assert str(error.value) == f"a duration must be more than 0 and finite, got {length!r}"


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(0, 99), st.integers(1, 99))
def test_parts_add_up(hours, minutes, seconds):
    text = f"{hours}h{minutes}m{seconds}s"
    assert parse_duration(text) == 3600 * hours + 60 * minutes + seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (1, 1), (4096, 4096), (1e9, 10**9), ("4096", 4096), ("1 byte", 1), ("12B", 12),
        ("2 GB", 2 * 10**9), ("2g", 2 * 10**9), ("2 GiB", 2 * 2**30), ("512 MB", 512 * 10**6),
        ("0.5 KiB", 512), ("1 TB", 10**12), ("3kb", 3000), (" 1.5 gib ", 3 * 2**29),
    ],
)  # fmt: skip
def test_amounts_of_memory(text, size):
    assert parse_memory(text) == size
    assert isinstance(parse_memory(text), int)


@pytest.mark.parametrize(
    "text", ["", "much", "GB", "2 XB", "2 GB 3 MB", "2 i", "-1 GB", None, True]
)
def test_what_is_no_amount_of_memory(text):
    with pytest.raises(InputError) as error:
        parse_memory(text)
    assert str(error.value) == (
        f"cannot read {text!r} as an amount of memory; write a number of bytes, or a text such as "
        '"500 MB" or "2 GiB"'
    )


@pytest.mark.parametrize("size", [0, -1, 0.5, math.inf, math.nan, "0 GB", "0.1 byte", "9" * 400])
def test_no_memory_at_all_is_none(size):
    with pytest.raises(InputError) as error:
        parse_memory(size)
    assert str(error.value) == f"an amount of memory must be at least one byte, got {size!r}"
