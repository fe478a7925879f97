"""What every sanitizer publishes comes back from files, whatever is written in the cells."""

import numpy as np
import pytest

import unveil as uv

# What a cell could be taken for: sets, ranges, bounds, stars, quotes, gaps, other alphabets.
TEXTS = ["a, b", "[1, 2]", "{x}", 'say "hi"', "Zoë", "東京", "(1, 2]", "x;y", "1-5", "<5", "it's",
         "* * *", "{a, b}", "NA", " blank ahead", "a\ttab", "null", "True", "*"]  # fmt: skip
N = 2 * len(TEXTS) + 2
TABLE = uv.read_table(
    {
        "age": [20 + i % 11 for i in range(N - 1)] + [90],
        "town": [*TEXTS, None, *TEXTS, None],
        "vote": [TEXTS[(7 * i) % 5] for i in range(N)],
    },
    quasi=["age", "town"], sensitive="vote", missing="category",
)  # fmt: skip

SANITIZERS = [
    uv.Identity(),
    uv.Mondrian(k=3),
    uv.Mondrian(l=2, regions="cut"),
    uv.Mondrian(k=2, t=0.4),
    uv.Recoding(k=3, suppression=0.1),
    uv.Recoding(k=3, scheme="local"),
    uv.Recoding(k=3, scheme="local", suppression=0.1, loss="width"),
    uv.Microaggregation(k=3),
    uv.RandomizedResponse(epsilon=2, seed=1),
]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("sanitizer", SANITIZERS, ids=lambda f: f.label)
def test_cells_and_secrets_are_those_that_were_published(tmp_path, sanitizer, ending):
    release, path = sanitizer.sanitize(TABLE), tmp_path / f"released.{ending}"
    frame = release.to_frame()
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path, index=False)
    changed = isinstance(sanitizer, uv.RandomizedResponse)
    again = uv.read_release(path, TABLE, may_change=changed)
    assert again.suppressed == release.suppressed
    np.testing.assert_array_equal(again.sensitive.codes, release.sensitive.codes)
    for column, theirs, ours in zip(TABLE.quasi, again.regions, release.regions, strict=True):
        for code in range(column.size):
            np.testing.assert_array_equal(
                theirs.covers(code)[again.class_of], ours.covers(code)[release.class_of]
            )


def test_some_of_them_suppress():
    assert [f.sanitize(TABLE).suppressed for f in SANITIZERS[4:7]] == [1, 0, 1]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_tables_of_anatomy(tmp_path, ending):
    release = uv.Anatomy(l=2, seed=1).sanitize(TABLE)
    release.write(tmp_path / f"records.{ending}", tmp_path / f"secrets.{ending}")
    again = uv.read_anatomy(
        tmp_path / f"records.{ending}", tmp_path / f"secrets.{ending}", microdata=TABLE
    )
    np.testing.assert_array_equal(again.codes, release.codes)
    np.testing.assert_array_equal(again.group_of, release.group_of)
    np.testing.assert_array_equal(again.counts, release.counts)
