"""What a release leaves open, against counting it cell by cell."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Intervals, Kind, Microdata, Release, Sets


class Mask:
    """Regions of somebody else's kind: all they can say is what they cover."""

    def __init__(self, covered):
        self.covered = np.array(covered, dtype=bool)

    def __len__(self):
        return len(self.covered)

    def covers(self, code):
        return self.covered[:, code]

    def texts(self, column):
        return [column.texts[0] if one.sum() == 1 else "some" for one in self.covered]


def plain_loss(release: Release, everybody: int) -> float:
    """Record by record, column by column, from what each cell covers."""
    total = 0.0
    for record in range(len(release)):
        for column, regions in zip(release.quasi, release.regions, strict=True):
            g = int(release.class_of[record])
            covered = [code for code in range(column.size) if regions.covers(code)[g]]
            if not covered:
                total += 1
            elif column.size == 1:
                total += 0
            elif column.kind is Kind.CATEGORICAL:
                total += (len(covered) - 1) / (column.size - 1)
            else:
                line = column.positions
                total += (line[covered[-1]] - line[covered[0]]) / (line[-1] - line[0])
    missing = (everybody - len(release)) * len(release.quasi)
    return (total + missing) / (everybody * len(release.quasi))


@examples(150)
@given(tables_and_goals(max_size=25), st.integers(0, 3))
def test_it_is_what_the_cells_say(case, missing):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    original = microdata.take([*range(len(microdata)), *[0] * missing])
    found = uv.information_loss(release, original)
    assert found.loss == pytest.approx(plain_loss(release, len(original)), abs=1e-12)
    assert found.loss == pytest.approx(np.mean(list(found.by_column.values())))
    assert (found.records, found.missing) == (len(microdata), missing)
    assert (found.classes, found.smallest_class) == (release.n_classes, release.sizes.min())


regions = st.one_of(
    st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 5)), min_size=1, max_size=5).map(
        lambda pairs: Intervals(*np.array(pairs, dtype=np.int32).T)
    ),
    st.tuples(
        st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 5)), min_size=1, max_size=5),
        st.lists(st.booleans(), min_size=6, max_size=6),
    ).map(lambda both: Intervals(*np.array(both[0], dtype=np.int32).T, True, None,
                                 np.array(both[1]))),
    st.lists(st.sets(st.integers(0, 5)).map(sorted), min_size=1, max_size=5).map(
        lambda sets: Sets(np.cumsum([0, *map(len, sets)]),
                          np.array([code for one in sets for code in one], dtype=np.int32))
    ),
    st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=5).map(Mask),
)  # fmt: skip


@given(regions, st.sampled_from(["numeric", "categorical"]))
def test_of_any_regions(some, kind):
    ages = [1, 2, 4, 8, 9, 30]
    options = {kind: ["q"]}
    table = uv.read_table({"q": ages, "s": list("aabbcc")}, quasi="q", sensitive="s", **options)
    class_of = np.arange(6, dtype=np.int32) % len(some)
    release = Release(
        quasi=table.quasi, sensitive=table.sensitive, class_of=class_of, regions=(some,)
    )
    assert uv.information_loss(release).loss == pytest.approx(plain_loss(release, 6), abs=1e-12)


def numbers() -> Microdata:
    return uv.read_table(
        {"age": [20, 30, 50, 70], "town": ["Lyon", "Nice", "Rome", "Bonn"], "s": list("abab")},
        quasi=["age", "town"], sensitive="s",
    )  # fmt: skip


def test_from_nothing_lost_to_nothing_left():
    nothing = uv.information_loss(uv.Identity().sanitize(numbers()))
    assert (nothing.loss, nothing.mean_class) == (0, 1)
    everything = uv.information_loss(uv.Mondrian(k=4).sanitize(numbers()))
    assert (everything.loss, everything.mean_class) == (1, 4)
    halves = uv.information_loss(uv.Mondrian(k=2).sanitize(numbers()))
    assert halves.by_column["age"] == pytest.approx((10 + 20) / 2 / 50)


def test_records_that_a_published_file_lacks_are_lost():
    published = pd.DataFrame({"age": ["20", "[30, 50]"], "town": ["Lyon", "*"], "s": ["a", "b"]})
    release = uv.read_release(published, numbers())
    found = uv.information_loss(release)
    assert found.missing == 2
    assert found.by_column == {"age": (0 + 0.4 + 2) / 4, "town": (0 + 1 + 2) / 4}
    assert "2 records are missing" in repr(found)


def test_it_prints_and_turns_into_a_table_and_json():
    found = uv.information_loss(uv.Mondrian(k=2).sanitize(numbers()))
    assert repr(found).startswith("Information loss of Mondrian(k=2): ")
    assert "missing" not in repr(found)
    assert found.to_frame()["column"].tolist() == ["age", "town"]
    content = found.to_dict()
    assert content["finding"] == "information loss"
    assert (content["loss"], content["mean_class"]) == (found.loss, 2)


def test_a_table_that_the_release_is_not_of():
    release = uv.Mondrian(k=2).sanitize(numbers())
    with pytest.raises(InputError, match=r"the release has 4 records .* only 3; give the table"):
        uv.information_loss(release, numbers().without(0))


def test_only_releases_of_records_have_cells():
    with pytest.raises(InputError, match="information_loss needs a release, but got a Microdata"):
        uv.information_loss(numbers())
    with pytest.raises(InputError, match="information_loss needs released records"):
        uv.information_loss(uv.LaplaceCounts(epsilon=1).sanitize(numbers()))
