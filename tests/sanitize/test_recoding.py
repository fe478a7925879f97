"""Global recoding takes the best node of the lattice, and publishes what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_recoding import best_node, goals, recodable_tables
from proofs import examples

import unveil as uv
from unveil.cli._outputs import Files
from unveil.errors import GoalError, InputError
from unveil.microdata import Hierarchy
from unveil.sanitize import NeedsMicrodataError, sanitizer_named

PATIENTS = uv.read_table(
    {
        "age": [28, 36, 47, 53, 72, 75],
        "gender": ["M", "M", "F", "M", "F", "F"],
        "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu", "Gout"],
    },
    quasi=["age", "gender"],
    sensitive="disease",
    hierarchies={"age": lambda ages: uv.interval_hierarchy(ages, widths=(20, 40))},
)


def published(release, g):
    """The codes that class g publishes for each column."""
    return tuple(
        tuple(code for code in range(column.size) if regions.covers(code)[g])
        for column, regions in zip(release.quasi, release.regions, strict=True)
    )


def classes_of(release, gone):
    """What is published, and for which records; not for those that are gone, which come last."""
    kept = range(release.n_classes - (gone > 0))
    return {published(release, g): np.flatnonzero(release.class_of == g).tolist() for g in kept}


@examples(150)
@given(st.data(), recodable_tables())
def test_the_best_node_of_all(data, microdata):
    options = data.draw(goals(microdata))
    sanitizer = uv.Recoding(**options)
    best = best_node(microdata, **options)
    if best is None:
        with pytest.raises(GoalError, match="the largest possible"):
            sanitizer.sanitize(microdata)
        return
    loss, node, classes = best
    release = sanitizer.sanitize(microdata)
    levels = tuple(sanitizer.levels(microdata).values())
    if levels != node:
        # Widths such as 2.22 are no exact numbers: then losses are equal up to rounding.
        assert options["loss"] == "width"
        other, node, classes = best_node(microdata, only=levels, **options)
        assert abs(other - loss) < 1e-6
    assert levels == node
    gone = len(microdata) - sum(map(len, classes.values()))
    assert classes_of(release, gone) == classes
    # If everybody is hidden, they are one class of everybody.
    assert release.suppressed == (gone if classes else 0)
    assert not gone or release.hidden == gone
    assert len(release) == len(microdata)
    if gone:
        everything = tuple(tuple(range(column.size)) for column in microdata.quasi)
        assert published(release, release.n_classes - 1) == everything
        assert all(texts[-1] == "*" for texts in release.cells())
    everyone_there = all(len(np.unique(c.codes)) == c.size > 1 for c in microdata.quasi)
    if options["loss"] == "width" and everyone_there:
        total = uv.information_loss(release).loss * len(microdata) * len(microdata.quasi)
        np.testing.assert_allclose(total, float(loss), rtol=1e-9, atol=1e-9)


@examples(100)
@given(st.data(), recodable_tables(max_size=40))
def test_the_measures_find_what_was_asked_for(data, microdata):
    options = {**data.draw(goals(microdata)), "suppression": 0.0}
    for scheme in ("global", "local"):
        try:
            release = uv.Recoding(**options, scheme=scheme).sanitize(microdata)
        except GoalError:
            continue
        assert uv.k_anonymity(release).k >= options.get("k", 1)
        assert uv.alpha_k(release).alpha <= 1 / options.get("l", 1) + 1e-12
        assert uv.l_diversity(release).distinct >= options.get("l", 1)
        found = uv.t_closeness(release, distance=options.get("t_distance"))
        assert found.t <= options.get("t", 1.0) + 1e-9


@examples(60)
@given(st.data(), recodable_tables(max_size=30))
def test_what_is_written_is_read_back(tmp_path_factory, data, microdata):
    options = data.draw(goals(microdata))
    scheme = data.draw(st.sampled_from(["global", "local"]))
    try:
        release = uv.Recoding(**options, scheme=scheme).sanitize(microdata)
    except GoalError:
        return
    folder = tmp_path_factory.mktemp("releases")
    order = np.lexsort([release.sensitive.codes, release.class_of])
    for name in ("release.csv", "release.parquet"):
        with Files() as files:
            files.release(folder / name, release)
            files.write()
        again = uv.read_release(folder / name, microdata)
        assert len(again) == len(microdata)
        for place, record in enumerate(order):
            mine, theirs = release.class_of[record], again.class_of[place]
            assert published(release, mine) == published(again, theirs)
        np.testing.assert_array_equal(again.sensitive.codes, release.sensitive.codes[order])


@examples(60)
@given(st.data(), recodable_tables())
def test_the_order_of_records_plays_no_part(data, microdata):
    options = data.draw(goals(microdata))
    scheme = data.draw(st.sampled_from(["global", "local"]))
    sanitizer = uv.Recoding(**options, scheme=scheme)
    order = np.array(data.draw(st.permutations(range(len(microdata)))))
    try:
        release = sanitizer.sanitize(microdata)
    except GoalError:
        with pytest.raises(GoalError):
            sanitizer.sanitize(microdata.take(order))
        return
    again = sanitizer.sanitize(microdata.take(order))
    assert release.cells() == again.cells()
    np.testing.assert_array_equal(release.class_of[order], again.class_of)


def test_by_hand():
    # Ages in twenties leave two alone; in forties, one. To merge the genders as well, or the ages
    # altogether: 6 · 1/5 + 6 with the twenties against 6, the six ages.
    assert uv.Recoding(k=2).levels(PATIENTS) == {"age": 3, "gender": 0}
    assert uv.Recoding(k=3).sanitize(PATIENTS).cells() == [["*", "*"], ["M", "F"]]
    assert uv.Recoding(k=4).levels(PATIENTS) == {"age": 3, "gender": 1}
    # With one suppressed, the forties do: 2 · 1/5 + 3 · 3/5, and 2 for the one.
    release = uv.Recoding(k=2, suppression=0.2).sanitize(PATIENTS)
    assert release.cells() == [["[0, 40)", "[40, 80)", "*"], ["M", "F", "*"]]
    assert release.suppressed == 1
    assert release.class_of.tolist() == [0, 0, 1, 2, 1, 1]
    assert release.notes == (
        "recoded: age to level 2 of 3, gender to level 0 of 1; 1 of 6 records is suppressed",
    )


def test_a_node_is_called_by_its_name_unless_that_is_something_else():
    named = Hierarchy.from_paths(
        [("20", "20-30", "*"), ("25", "20-30", "*"), ("30", "30-40", "*"), ("31", "30-40", "*")]
    )
    table = uv.read_table(
        {"age": [20, 25, 30, 31], "vote": list("abab")},
        quasi="age", sensitive="vote", hierarchies={"age": named},
    )  # fmt: skip
    release = uv.Recoding(k=2).sanitize(table)
    # 20-30 would be read with 30 in it.
    assert release.cells() == [["[20, 25]", "30-40"]]
    again = uv.read_release(release.to_frame(), table)
    assert [published(again, g) for g in (0, 1)] == [((0, 1),), ((2, 3),)]


def test_many_wide_columns_do_not_overflow():
    rng = np.random.default_rng(0)
    names = [f"q{j}" for j in range(9)]
    frame = {name: rng.integers(0, 10**6, 4000) for name in names}
    frame["s"] = rng.choice(list("ab"), 4000)
    wide = uv.read_table(frame, quasi=names, sensitive="s")
    twice = wide.take(np.repeat(np.arange(4000), 2))
    assert set(uv.Recoding(k=2).levels(twice).values()) == {0}
    assert set(uv.Recoding(k=3).levels(twice).values()) == {1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "Recoding needs a goal: give k=5, l=2 or t=0.2"),
        ({"k": 0}, "k=0 is not possible: it must be a whole number from 1 up"),
        ({"l": 1.5}, "l=1.5 is not possible: it must be a whole number from 1 up"),
        ({"t": 2}, "t=2 is not possible: it must be a number from 0 to 1"),
        ({"t": float("nan")}, "t=nan is not possible: it must be a number from 0 to 1"),
        (
            {"k": 2, "suppression": -0.1},
            "suppression=-0.1 is not possible: it must be a number from 0 to 1",
        ),
        ({"k": 2, "suppression": None}, "suppression=None is not possible: it must be a number"),
        ({"k": 2, "scheme": "total"}, "it must be 'global' or 'local'"),
        ({"k": 2, "loss": "area"}, "it must be 'values' or 'width'"),
        ({"t": 0.2, "t_distance": "far"}, "it must be 'equal', 'ordered' or"),
        (
            {"k": 2, "t_distance": "equal"},
            "cannot take t_distance='equal' without t; give t, such as t=0.2",
        ),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(InputError) as error:
        uv.Recoding(**options)
    assert said in str(error.value)


def test_goals_that_cannot_be_met_say_what_can():
    with pytest.raises(GoalError, match=r"has 6 records, fewer than k=7; .* possible k is 6$"):
        uv.Recoding(k=7).sanitize(PATIENTS)
    with pytest.raises(GoalError, match=r"do the classes have 2 values of 'disease'.* l is 1$"):
        uv.Recoding(l=2).sanitize(PATIENTS)
    said = r"the largest possible l is 1 if at most 1 record may be suppressed$"
    with pytest.raises(GoalError, match=said):
        uv.Recoding(l=3, suppression=0.2).sanitize(PATIENTS)
    with pytest.raises(
        GoalError, match=r"'Flu' is the 'disease' of 4 of the 6 .* possible l is 1$"
    ):
        uv.Recoding(l=2, scheme="local").sanitize(PATIENTS)
    with pytest.raises(GoalError, match=r"fewer than k=7; the largest possible k is 6$"):
        uv.Recoding(k=7, scheme="local").sanitize(PATIENTS)
    for scheme in ("global", "local"):
        with pytest.raises(GoalError, match=r"table has no records$"):
            uv.Recoding(k=2, scheme=scheme).sanitize(PATIENTS.take([]))


@examples(100)
@given(recodable_tables(), st.integers(1, 4), st.sampled_from([0.0, 0.2, 0.4]))
def test_the_largest_l_is_the_largest(microdata, k, share):
    try:
        uv.Recoding(k=k, l=40, suppression=share).sanitize(microdata)
    except GoalError as error:
        if "possible l is" not in str(error):
            return
        largest = int(str(error).split("possible l is ")[1].split()[0])
        uv.Recoding(k=k, l=largest, suppression=share).sanitize(microdata)
        with pytest.raises(GoalError):
            uv.Recoding(k=k, l=largest + 1, suppression=share).sanitize(microdata)
    else:
        assert len(microdata) < 40


def test_distances_that_the_sensitive_column_does_not_have():
    with pytest.raises(InputError, match=r"'disease' has no order: .*t_distance='equal'"):
        uv.Recoding(t=0.2, t_distance="ordered").sanitize(PATIENTS)
    with pytest.raises(InputError, match=r"'disease' has no hierarchy: .*t_distance='equal'"):
        uv.Recoding(t=0.2, t_distance="hierarchical").sanitize(PATIENTS)


def test_only_one_scheme_has_levels():
    with pytest.raises(InputError, match="only scheme='global' has one level"):
        uv.Recoding(k=2, scheme="local").levels(PATIENTS)
    with pytest.raises(NeedsMicrodataError, match="Recoding needs microdata"):
        uv.Recoding(k=2).sanitize(PATIENTS.to_frame())


@pytest.mark.parametrize(
    ("text", "sanitizer"),
    [
        ("recoding:k=5,suppression=0.05", uv.Recoding(k=5, suppression=0.05)),
        ("recoding:t=0.2,t_distance=ordered", uv.Recoding(t=0.2, t_distance="ordered")),
        ("recoding:l=2,scheme=local,loss=width", uv.Recoding(l=2, scheme="local", loss="width")),
        ("Recoding(k=5, suppression=0.05)", uv.Recoding(k=5, suppression=0.05)),
    ],
)
def test_it_can_be_named(text, sanitizer):
    assert sanitizer_named(text) == sanitizer
    assert sanitizer_named(sanitizer.label.replace("'", "")) == sanitizer


def test_shares_are_taken_as_they_are_written():
    # 0.29 · 100 is 28.999… in binary, and yet 29 of 100 may be suppressed.
    loners = uv.read_table(
        {"id": [*range(29), *[99] * 71], "s": ["a", "b"] * 50}, quasi="id", sensitive="s"
    )
    assert uv.Recoding(k=2, suppression=0.29).sanitize(loners).suppressed == 29
    assert uv.Recoding(k=2, suppression=0.28).sanitize(loners).cells() == [["*"]]
