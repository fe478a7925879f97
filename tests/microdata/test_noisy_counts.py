"""A release of noisy counts."""

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.microdata import Statistic


@pytest.fixture
def survey():
    return uv.read_table(
        {
            "sex": ["f", "f", "f", "m", "m"],
            "age": [20, 20, 30, 30, 40],
            "vote": ["a", "b", "a", "a", "b"],
        },
        quasi=["sex", "age"],
        sensitive="vote",
    )


def test_every_combination_is_published(survey):
    frame = uv.LaplaceCounts(epsilon=float("inf")).sanitize(survey).to_frame()
    assert len(frame) == 2 * 3 * 2
    assert frame["count"].sum() == 5
    there = frame[(frame["sex"] == "f") & (frame["age"] == 20)]
    assert there.set_index("vote")["count"].to_dict() == {"a": 1, "b": 1}


def test_noise_hangs_on_the_seed_and_the_cell_alone(survey):
    release = uv.LaplaceCounts(epsilon=1, seed=7).sanitize(survey)
    everybody = release.counts_at(survey.codes)
    assert (everybody >= 0).all()
    for record in reversed(range(5)):  # asked in another order, one by one
        assert np.array_equal(release.counts_at(survey.codes[:, [record]])[0], everybody[record])
    again = uv.LaplaceCounts(epsilon=1, seed=7).sanitize(survey).counts_at(survey.codes)
    other = uv.LaplaceCounts(epsilon=1, seed=8).sanitize(survey).counts_at(survey.codes)
    assert np.array_equal(again, everybody)
    assert not np.array_equal(other, everybody)
    assert np.array_equal(everybody[0], everybody[1])  # the same cell


def test_without_a_record_is_the_table_without_it(survey):
    for epsilon in (1.0, float("inf")):
        sanitizer = uv.LaplaceCounts(epsilon=epsilon, seed=3)
        for record in range(5):
            quick = sanitizer.sanitize_without(survey, record)
            plain = sanitizer.sanitize(survey.without(record))
            assert np.array_equal(quick.counts_at(survey.codes), plain.counts_at(survey.codes))


def test_noise_has_the_distribution_it_should_have(survey):
    raised = uv.read_table(
        {"sex": ["f"] * 200, "vote": ["a"] * 100 + ["b"] * 100}, quasi="sex", sensitive="vote"
    )
    drawn = np.concatenate(
        [
            uv.LaplaceCounts(epsilon=0.5, seed=seed).sanitize(raised).counts_at(raised.codes[:, :1])
            for seed in range(3000)
        ]
    )
    off = drawn.ravel() - 100  # far from 0: nothing is cut off
    assert off.mean() == pytest.approx(0, abs=5 * np.sqrt(8 / 6000))
    assert np.abs(off).mean() == pytest.approx(2, abs=5 * 2 / np.sqrt(6000))
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 5 / np.sqrt(3000)


def test_too_many_cells_to_write_down_but_not_to_ask():
    n = 200
    table = uv.read_table(
        {f"q{j}": np.arange(n) for j in range(6)} | {"s": ["a", "b"] * (n // 2)},
        quasi=[f"q{j}" for j in range(6)],
        sensitive="s",
    )
    release = uv.LaplaceCounts(epsilon=1).sanitize(table)
    assert release.n_cells == n**6
    assert release.counts_at(table.codes).shape == (n, 2)
    with pytest.raises(
        uv.UnveilError, match=r"too many to write down; use fewer columns, or group"
    ):
        release.to_frame()


def test_only_counts_of_whole_combinations(survey):
    release = uv.LaplaceCounts(epsilon=1).sanitize(survey)
    with pytest.raises(uv.UnveilError, match="smoothed-frequency"):
        release.statistic(Statistic.COVER, survey.codes)


def test_a_column_called_count():
    table = uv.read_table({"count": [1, 2], "s": ["a", "b"]}, quasi="count", sensitive="s")
    frame = uv.LaplaceCounts(epsilon=1).sanitize(table).to_frame()
    assert list(frame.columns) == ["count", "s", "count in the cell"]


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), 1e-300, 1e308])
def test_bad_epsilon(epsilon):
    with pytest.raises(uv.UnveilError, match=r"^epsilon=.*it must be a number above 0"):
        uv.LaplaceCounts(epsilon=epsilon)


@pytest.mark.parametrize("epsilon", ["1", True])
def test_an_epsilon_that_is_not_a_number(epsilon):
    with pytest.raises(uv.UnveilError, match=r"^epsilon=.*it must be a number$"):
        uv.LaplaceCounts(epsilon=epsilon)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", 2**64])
def test_bad_seed(seed):
    with pytest.raises(uv.UnveilError, match=r"^seed=.*it must be a whole number from 0 to"):
        uv.LaplaceCounts(epsilon=1, seed=seed)


def test_what_needs_records_says_so(survey):
    release = uv.LaplaceCounts(epsilon=1).sanitize(survey)
    with pytest.raises(uv.UnveilError, match="Bayes learns from released records"):
        uv.inference(release, survey, adversary="naive-bayes")
    with pytest.raises(uv.UnveilError, match="compare_encodings needs released records"):
        uv.compare_encodings(survey, uv.LaplaceCounts(epsilon=1))


def test_without_a_seed_the_noise_is_secret(survey):
    sanitizer = uv.LaplaceCounts(epsilon=1)
    first, second = (sanitizer.sanitize(survey).counts_at(survey.codes) for _ in range(2))
    assert not np.array_equal(first, second)
    release = uv.LaplaceCounts(epsilon=1, seed=7).sanitize(survey)
    assert "7" not in release.made_by  # whoever knows the seed can subtract the noise


def test_more_cells_than_people_is_told(survey):
    note, *claims = uv.LaplaceCounts(epsilon=1).sanitize(survey).notes
    assert note.startswith("there are 6 combinations of quasi-identifiers for 5 records")
    one = uv.read_table({"sex": ["f", "m"], "v": ["a", "b"]}, quasi="sex", sensitive="v")
    assert uv.LaplaceCounts(epsilon=1).sanitize(one).notes == tuple(claims)


# Whether it is differentially private --------------------------------------------------------


NOT_PRIVATE = "not differentially private: which combinations are published comes from the data"
SIMULATION = "a simulation, for tests only: noise from floating-point numbers leaks the counts"


def test_domains_from_the_data_are_not_private(survey):
    for table in (survey, uv.quantize(survey, {"age": [0, 30, 50]})):
        release = uv.LaplaceCounts(epsilon=1).sanitize(table)
        assert [str(note)[: len(NOT_PRIVATE)] for note in release.notes].count(NOT_PRIVATE) == 1
        assert str(release.notes[-1]).startswith(SIMULATION)
        assert "simulated noise of scale 1" in release.in_short
        with pytest.raises(uv.UnveilError, match=r"is not true of 'sex'.*'vote'"):
            uv.LaplaceCounts(epsilon=1, domains="declared").sanitize(table)
    exact = uv.LaplaceCounts(epsilon=float("inf"), domains="data").sanitize(survey)
    assert str(exact.notes[-1]).endswith("epsilon is infinite, so the counts are exact")
    assert not any("simulation" in str(note) for note in exact.notes)
    with pytest.raises(uv.UnveilError, match="domains"):
        uv.LaplaceCounts(epsilon=1, domains="public")


TREES = {"sex": uv.flat_hierarchy(["f", "m", "x"])}
LEVELS = {"vote": ["a", "b", "c"]}


def test_declared_domains_are_published_whole(survey):
    table = uv.read_table(
        survey.to_frame(), quasi=["sex", "age"], sensitive="vote", hierarchies=TREES, ordinal=LEVELS
    )
    table = uv.quantize(table, {"age": [-np.inf, 30, 50, np.inf]})
    f = uv.LaplaceCounts(epsilon=1, domains="declared")
    release = f.sanitize(table)
    assert release.made_by == "LaplaceCounts(epsilon=1, domains='declared')"
    assert not any("not differentially private" in str(note) for note in release.notes)
    assert [note for note in release.notes if str(note).startswith(SIMULATION)] == [
        release.notes[-1]
    ]
    assert len(release.to_frame()) == 3 * 3 * 3  # also what no one has
    counted = f.with_seed(1).sanitize(table).to_frame()
    without = f.with_seed(1).sanitize(table.without(0)).to_frame()
    same = ["sex", "age", "vote"]
    assert counted[same].equals(without[same])
    finding = uv.differential_inference(table, f)
    assert not any("not differentially private" in str(note) for note in finding.notes)
    plain = uv.differential_inference(table, uv.LaplaceCounts(epsilon=1))
    assert any(str(note).startswith(NOT_PRIVATE) for note in plain.notes)
    np.testing.assert_array_equal(finding.distances, plain.distances)


def read(table, rows, way):
    """A table read in some way, of some of its rows."""
    frame = table.iloc[rows]
    options = {"quasi": ["sex", "age"], "sensitive": "vote", "missing": "category"}
    if way == "ordered":  # by whoever made the table, perhaps from its values
        votes = pd.Categorical(frame["vote"], ordered=True)
        return uv.read_table(frame.assign(vote=votes), **options)
    wishes = {
        "levels": {"ordinal": LEVELS}, "tree": {"hierarchies": TREES},
        "built": {"hierarchies": {"sex": uv.flat_hierarchy}},
        "numbers": {"hierarchies": {"age": uv.flat_hierarchy(range(100))}},
    }  # fmt: skip
    read = uv.read_table(frame, **options, **wishes.get(way, {}))
    parts = {"edges": [-np.inf, 30, np.inf], "width": 3, "quantiles": 2}.get(way)
    if parts is None:
        return read
    by = "quantiles" if way == "quantiles" else "width"
    return uv.quantize(read, {"age": parts}, by=by)


@pytest.mark.parametrize(
    ("way", "declared"),
    [("plain", ""), ("levels", "vote"), ("tree", "sex"), ("edges", "age"), ("ordered", ""),
     ("built", ""), ("numbers", ""), ("width", ""), ("quantiles", "")],
)  # fmt: skip
def test_no_record_adds_to_a_declared_domain(way, declared):
    rng = np.random.default_rng(0)
    moved = set()
    for _ in range(20):
        n = int(rng.integers(3, 7))
        table = pd.DataFrame({
            "sex": rng.choice(["f", "m", None], n), "age": rng.integers(20, 80, n),
            "vote": rng.choice(["a", "b", "c"], n),
        })  # fmt: skip
        table.loc[0, "sex"] = "f"
        whole = read(table, np.arange(n), way)
        names = ("sex", "age", "vote")
        assert [name for name in names if whole[name].declared] == declared.split()
        for record in range(1, n):
            rest = read(table, np.delete(np.arange(n), record), way)
            moved |= {name for name in names if whole[name].texts != rest[name].texts}
    assert moved == set(names) - set(declared.split())
