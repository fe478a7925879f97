"""The earth mover's distance: closed forms against a linear program, and each refusal."""

import pickle
import sys

import numpy as np
import ot
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples
from random_tables import random_hierarchy
from scipy.stats import wasserstein_distance

import unveil as uv
from unveil.attacks.differential import EarthMovers, _earth_movers, distance_named
from unveil.attacks.differential._earth_movers import total_variation
from unveil.errors import InputError, MissingExtraError, UnveilError
from unveil.microdata import Column, Hierarchy, Kind, Role

PROFESSIONS = Hierarchy.from_paths(
    [("Engineer", "Professional", "ANY"), ("Lawyer", "Professional", "ANY"),
     ("Dancer", "Artist", "ANY"), ("Writer", "Artist", "ANY")]
)  # fmt: skip


def column(values, kind=Kind.CATEGORICAL, hierarchy=None):
    values = np.array(values) if kind is Kind.NUMERIC else np.array(values, dtype=object)
    return Column(
        name="secret", role=Role.SENSITIVE, kind=kind, codes=np.zeros(1, dtype=np.int32),
        values=values, hierarchy=hierarchy,
    )  # fmt: skip


def of_tree(tree):
    return column(tree.leaves, hierarchy=tree)


def certain(place, values):
    return np.eye(values)[[place]]


@st.composite
def beliefs_on(draw, values, tables=2):
    """Beliefs about up to 4 people: some with zeros, some that hardly differ."""
    people = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    made = []
    for _ in range(tables):
        belief = rng.dirichlet(np.full(values, draw(st.sampled_from([0.1, 1.0]))), people)
        if draw(st.booleans()):
            belief[rng.random(belief.shape) < 0.4] = 0
            belief[belief.sum(axis=1) == 0, 0] = 1
        if made and draw(st.booleans()):
            belief = made[-1] * (1 + 10.0 ** draw(st.integers(-12, -1)) * rng.random(belief.shape))
        made.append(belief / belief.sum(axis=1, keepdims=True))
    return made


@st.composite
def grounds(draw):
    """A metric ground distance, the column it is bound to, and its matrix by definition."""
    kind = draw(st.sampled_from(["unit", "path", "ordered", "numeric", "plane", "constant"]))
    size = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = [f"v{i}" for i in range(size)]
    if kind == "path":
        tree = random_hierarchy(rng, size)
        leaves = tree.leaves
        costs = np.array([[tree.distance(a, b) for b in leaves] for a in leaves], dtype=float)
        return EarthMovers("path"), of_tree(tree), costs
    if kind == "ordered":
        ranks = np.arange(size)
        costs = np.abs(ranks[:, None] - ranks) / max(1, size - 1)
        return EarthMovers("ordered"), column(names, Kind.ORDINAL), costs
    if kind == "numeric":
        numbers = np.unique(rng.normal(0, 100, size))
        return EarthMovers("numeric"), column(numbers, Kind.NUMERIC), np.abs(
            numbers[:, None] - numbers)  # fmt: skip
    if kind == "plane":
        places = rng.random((size, 2))
        costs = np.linalg.norm(places[:, None] - places, axis=2)
        return EarthMovers(costs), column(names), costs
    if kind == "unit" and size == 1:
        names = [*names, "another"]
    costs = (1.0 if kind == "unit" else 2.5) * (1 - np.eye(len(names)))
    return EarthMovers("unit" if kind == "unit" else costs), column(names), costs


def solved(p, q, costs):
    """The whole transport problem, one person after the other, by POT."""
    return np.array([ot.emd2(a, b, costs) for a, b in zip(p, q, strict=True)])


@examples(300)
@given(grounds(), st.data())
def test_every_ground_solves_the_transport_problem(ground, data):
    distance, sensitive, costs = ground
    p, q = data.draw(beliefs_on(sensitive.size))
    bound = distance_named(distance, sensitive)
    scale = max(1.0, costs.max())
    np.testing.assert_allclose(bound.measure(p, q), solved(p, q, costs), rtol=0, atol=1e-14 * scale)
    assert bound.largest == pytest.approx(costs.max(), rel=1e-15)


@settings(deadline=None)
@given(grounds(), st.data())
def test_every_ground_makes_a_metric(ground, data):
    distance, sensitive, costs = ground
    p, q, r = data.draw(beliefs_on(sensitive.size, tables=3))
    bound = distance_named(distance, sensitive)
    assert bound.is_metric
    tiny = 1e-14 * max(1.0, costs.max())
    measure = bound.measure
    assert (measure(p, p) == 0).all()
    assert (measure(p, q) >= 0).all()
    assert (measure(p, q) <= bound.largest + tiny).all()
    np.testing.assert_allclose(measure(p, q), measure(q, p), rtol=0, atol=tiny)
    assert (measure(p, q) <= measure(p, r) + measure(r, q) + tiny).all()
    # Every step is at least the shortest one long.
    apart = costs[costs > 0]
    if len(apart):
        assert (measure(p, q) >= apart.min() * total_variation(p, q) - tiny).all()
    assert measure(p[:0], q[:0]).shape == (0,)


@settings(deadline=None)
@given(st.integers(1, 7), st.data())
def test_unit_ground_is_total_variation(size, data):
    p, q = data.draw(beliefs_on(size))
    half_sum = np.abs(p - q).sum(axis=1) / 2
    sensitive = column([f"v{i}" for i in range(size)])
    for distance in ("emd:unit", EarthMovers(), EarthMovers(1 - np.eye(size))):
        np.testing.assert_array_equal(distance_named(distance, sensitive).measure(p, q), half_sum)


@settings(deadline=None)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=8, unique=True), st.data())
def test_numeric_ground_is_scipys_wasserstein_distance(numbers, data):
    numbers = sorted(numbers)
    p, q = data.draw(beliefs_on(len(numbers)))
    found = distance_named("emd:numeric", column(numbers, Kind.NUMERIC)).measure(p, q)
    for i in range(len(p)):
        expected = wasserstein_distance(numbers, numbers, p[i], q[i])
        assert found[i] == pytest.approx(expected, abs=1e-11)


def test_path_length_in_the_professions_of_the_method():
    assert PROFESSIONS.distance("Engineer", "Artist") == 3
    assert PROFESSIONS.distance("Dancer", "Writer") == 2
    bound = distance_named("emd:path", of_tree(PROFESSIONS))
    engineer, _, dancer, writer = (certain(i, 4) for i in range(4))
    assert bound.measure(dancer, writer) == [2]
    assert bound.measure(engineer, dancer) == [4]
    assert bound.largest == 4
    # A quarter of the belief moves from dancing to writing.
    p, q = np.array([[0.5, 0.0, 0.5, 0.0]]), np.array([[0.5, 0.0, 0.25, 0.25]])
    assert bound.measure(p, q) == [0.5]


def test_ranks_are_those_of_t_closeness():
    """Salaries of 3 to 11 thousand (Li, Li and Venkatasubramanian, 2007): 0.375 and 0.167."""
    salaries = column([3, 4, 5, 6, 7, 8, 9, 10, 11], Kind.NUMERIC)
    everybody = np.full((2, 9), 1 / 9)
    some = np.zeros((2, 9))
    some[0, [0, 1, 2]] = some[1, [3, 5, 8]] = 1 / 3
    found = distance_named("emd:ordered", salaries).measure(some, everybody)
    np.testing.assert_allclose(found, [0.375, 1 / 6])


def test_dates_are_days_apart():
    dates = column(np.array(["2020-01-01", "2020-03-01"], dtype="datetime64[D]"), Kind.NUMERIC)
    bound = distance_named("emd:numeric", dates)
    assert bound.largest == 60
    assert bound.measure(certain(0, 2), certain(1, 2)) == [60]
    assert "in days" in bound.explained


def test_a_single_value_is_nowhere_to_move_to():
    only = np.ones((2, 1))
    chain = Hierarchy.from_paths([("leaf", "a", "b", "*")])
    for distance, sensitive in (
        ("emd:path", of_tree(chain)),
        ("emd:ordered", column(["x"], Kind.ORDINAL)),
        ("emd:numeric", column([5], Kind.NUMERIC)),
        (EarthMovers([[0]]), column(["x"])),
    ):
        bound = distance_named(distance, sensitive)
        assert bound.largest == 0
        assert bound.measure(only, only).tolist() == [0, 0]


def test_names_and_explanations():
    tree, line = of_tree(PROFESSIONS), column([1, 3, 11], Kind.NUMERIC)
    for distance, sensitive, name, explained in (
        ("emd:unit", tree, "earth mover's (unit)",
         "the share of belief that moves: 0 is nothing, 1 all of it"),
        ("emd:path", tree, "earth mover's (path length)",
         "the share of belief that moves times how far, in steps in the hierarchy of secret: 0 is "
         "nothing, 4 all of it between the values farthest apart"),
        ("emd:ordered", line, "earth mover's (ordered)",
         "the share of belief that moves times how far, in the share of the order of secret it "
         "passes: 0 is nothing, 1 all of it from one end to the other"),
        ("emd:numeric", line, "earth mover's (numeric)",
         "the share of belief that moves times how far, in units of secret: 0 is nothing, 10 all "
         "of it from one end to the other"),
        (EarthMovers([[0, 1, 2.5], [1, 0, 2], [2.5, 2, 0]]), line,
         "earth mover's (given distances)",
         "the share of belief that moves times how far, in the distances given: 0 is nothing, 2.5 "
         "all of it between the values farthest apart"),
    ):  # fmt: skip
        bound = distance_named(distance, sensitive)
        assert (bound.name, bound.explained, bound.notes) == (name, explained, ())
        assert distance_named(distance).name == name  # before the data is read
        p, q = certain(0, sensitive.size), certain(2, sensitive.size)
        assert pickle.loads(pickle.dumps(bound)).measure(p, q) == bound.measure(p, q)


def test_before_the_data_is_read_nothing_can_be_measured():
    for distance in ("emd:path", "emd:ordered", "emd:numeric", EarthMovers([[0, 1], [1, 0]])):
        bound = distance_named(distance)
        with pytest.raises(InputError, match="cannot measure before it is bound"):
            bound.measure(certain(0, 2), certain(1, 2))


def test_in_a_test_of_a_table():
    table = uv.read_table(
        {"q": [1, 1, 2, 2, 3], "s": ["Engineer", "Lawyer", "Dancer", "Writer", "Writer"]},
        quasi="q", sensitive="s", hierarchies={"s": PROFESSIONS},
    )  # fmt: skip
    costs = [[PROFESSIONS.distance(a, b) for b in PROFESSIONS.leaves] for a in PROFESSIONS.leaves]
    by_path, by_matrix = (
        uv.differential_inference(table, uv.Identity(), distance=distance).distances
        for distance in ("emd:path", EarthMovers(costs))
    )
    np.testing.assert_allclose(by_path, by_matrix, rtol=0, atol=1e-14)
    assert (by_path > 0).all()


# Any matrix --------------------------------------------------------------------------------------


def test_a_labelled_table_is_put_into_the_order_of_the_values():
    hours = pd.DataFrame(
        [[0, 5, 1, 9], [5, 0, 5.5, 9], [1, 5.5, 0, 9], [9, 9, 9, 0]],
        index=["Rome", "Oslo", "Nice", "Nuuk"], columns=["Rome", "Oslo", "Nice", "Nuuk"],
    )  # fmt: skip
    cities = column(["Nice", "Oslo", "Rome"])
    for table in (hours, hours[["Nuuk", "Nice", "Oslo", "Rome"]]):  # columns in any order
        bound = distance_named(EarthMovers(table), cities)
        assert bound.measure(certain(0, 3), certain(1, 3)) == [5.5]
        assert bound.measure(certain(0, 3), certain(2, 3)) == [1]
        assert bound.largest == 5.5  # Nuuk is nobody's
    years = pd.DataFrame([[0, 3.0], [3, 0]], index=[2000, 2003], columns=[2000.0, 2003.0])
    assert distance_named(EarthMovers(years), column([2000, 2003], Kind.NUMERIC)).largest == 3


@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.data())
@settings(deadline=None)
def test_without_the_triangle_inequality_it_is_still_solved_but_no_metric(size, seed, data):
    costs = np.random.default_rng(seed).random((size, size)) ** 3
    costs = np.triu(costs, 1) + np.triu(costs, 1).T
    bound = distance_named(EarthMovers(costs), column([f"v{i}" for i in range(size)]))
    p, q = data.draw(beliefs_on(size))
    np.testing.assert_allclose(bound.measure(p, q), solved(p, q, costs), rtol=0, atol=1e-14)
    assert (bound.measure(p, p) == 0).all()
    shortcut = any(
        costs[i, j] > costs[i, k] + costs[k, j]
        for i in range(size) for j in range(size) for k in range(size)
    )  # fmt: skip
    assert bound.is_metric is not shortcut
    assert ("not a metric" in bound.explained) is shortcut
    assert len(bound.notes) == shortcut


def test_belief_that_stays_may_help_to_move():
    """From a to c by way of b, where a belief waits that can go on: cheaper than directly."""
    costs = [[0, 1, 10], [1, 0, 1], [10, 1, 0]]
    bound = distance_named(EarthMovers(costs), column(["a", "b", "c"]))
    p, q = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 0.5, 0.5]])
    assert bound.measure(p, q) == pytest.approx(1.0)
    assert bound.notes == (
        "the given ground distances violate the triangle inequality (an indirect way is shorter "
        "than the direct one), so the distance between beliefs is not a metric",
    )


def test_values_in_the_same_place():
    bound = distance_named(EarthMovers([[0, 0, 1], [0, 0, 1], [1, 1, 0]]), column(["a", "b", "c"]))
    assert bound.measure(certain(0, 3), certain(1, 3)) == [0]
    assert bound.notes == (
        "some sensitive values are at ground distance 0 from each other: belief that moves between "
        "them does not count",
    )


def test_masses_that_are_only_nearly_one():
    """An adversary's rows may sum to one but for a millionth; POT insists."""
    costs = np.abs(np.subtract.outer([0.0, 1, 4, 9], [0.0, 1, 4, 9]))
    round_about = costs.copy()
    round_about[0, 3] = round_about[3, 0] = 20
    p = np.array([[0.4, 0.3, 0.2, 0.1]]) * (1 + 9e-7)
    q = np.array([[0.1, 0.2, 0.3, 0.4]]) * (1 - 9e-7)
    for ground in (costs, round_about):
        bound = distance_named(EarthMovers(ground), column(list("abcd")))
        expected = solved(p / p.sum(), q / q.sum(), ground)
        np.testing.assert_allclose(bound.measure(p, q), expected, rtol=1e-5)


def test_masses_too_small_to_matter():
    costs = np.abs(np.subtract.outer([0.0, 1, 4, 9], [0.0, 1, 4, 9]))
    bound = distance_named(EarthMovers(costs), column(list("abcd")))
    p = np.array([[0.5, 0.5, 1e-300, 2e-300], [1.0, 0, 0, 0]])
    q = np.array([[0.5, 0.5, 2e-300, 1e-300], [1.0, 5e-324, 0, 0]])
    np.testing.assert_allclose(bound.measure(p, q), [5e-300, 0], rtol=1e-12)


def test_a_matrix_that_is_changed_later_changes_nothing():
    given = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    distance = EarthMovers(given)
    given[0, 2] = 7
    assert distance_named(distance, column(list("abc"))).largest == 2


NINE = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


def labelled(labels, columns=None):
    return pd.DataFrame(NINE, index=labels, columns=columns or labels)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1, 2], [1, 0, 1]], "the ground distances are 2 × 3; give a square matrix, with "
         "one row and one column per sensitive value"),
        ([0, 1], "the ground distances are 2; give a square matrix, with one row and one "
         "column per sensitive value"),
        (3.0, "the ground distances are a single number; give a square matrix, with one row and "
         "one column per sensitive value"),
        (np.zeros((0, 0)), "the ground distances are 0 × 0; give a square matrix, with one row "
         "and one column per sensitive value"),
        ([[0, "far"], ["far", 0]], "ground distances must be numbers in a square table, got [[0, "
         "'far'], ['far', 0]]"),
        ([[0, 1], [1]], "ground distances must be numbers in a square table, got [[0, 1], [1]]"),
        ([[0, np.nan], [1, 0]], "the ground distance from value 0 to value 1 is nan, and back 1; "
         "every ground distance must be a finite number"),
        ([[0, np.inf], [np.inf, 0]], "the ground distance from value 0 to value 1 is inf, and back "
         "inf; every ground distance must be a finite number"),
        ([[0, -1], [-1, 0]], "the ground distance from value 0 to value 1 is -1, and back -1; no "
         "ground distance may be negative"),
        ([[0, 1], [1, 0.5]], "the ground distance from value 1 to value 1 is 0.5, and back 0.5; a "
         "value must be at distance 0 from itself"),
        ([[0, 1], [2, 0]], "the ground distance from value 0 to value 1 is 1, and back 2; the "
         "matrix must be symmetric: the same both ways"),
        (pd.DataFrame([[0, 1], [2, 0]], index=["a", "b"], columns=["a", "b"]),
         "the ground distance from 'a' to 'b' is 1, and back 2; the matrix must be symmetric: the "
         "same both ways"),
        (labelled(["a", "b", "a"]), "the table of ground distances has the row 'a' twice"),
        (labelled(["a", "b", "c"], ["a", "b", "b"]),
         "the table of ground distances has the column 'b' twice"),
        (labelled(["Rome", "Oslo", "Nice"], ["Rome", "Oslo", "Nicee"]),
         "the table of ground distances has a row 'Nice' but no such column; did you mean "
         "'Nicee'?"),
        ("euclid", "ground='euclid' is not known (known: unit, path, ordered, numeric; or a "
         "matrix)"),
        ("orderd", "ground='orderd' is not known; did you mean 'ordered'? (known: unit, path, "
         "ordered, numeric; or a matrix)"),
        (None, "the ground distances are a single number; give a square matrix, with one row and "
         "one column per sensitive value"),
    ],
)  # fmt: skip
def test_grounds_that_cannot_be(matrix, message):
    with pytest.raises(InputError) as error:
        EarthMovers(matrix)
    assert str(error.value) == message


def test_rounding_in_a_matrix_is_forgiven():
    costs = np.array([[0, 0.1 + 0.2, 1], [0.3, 0, 1], [1, 1, 0]])
    assert EarthMovers(costs).bound(column(list("abc"))).is_metric


@pytest.mark.parametrize(
    ("distance", "sensitive", "message"),
    [
        ("emd:path", column(["a", "b"]), "the earth mover's distance by path length needs a "
         "hierarchy of the sensitive column 'secret', which has none: give it one, or use another "
         "ground distance"),
        ("emd:ordered", column(["a", "b"]), "the earth mover's distance between ordered values "
         "needs an order, and the sensitive column 'secret' is categorical: declare it ordinal, "
         "with its levels, or use another ground distance"),
        ("emd:numeric", column(["a", "b"]), "the earth mover's distance between numbers needs a "
         "numeric column, and the sensitive column 'secret' is categorical: use another ground "
         "distance"),
        ("emd:numeric", column(["a", "b"], Kind.ORDINAL), "the earth mover's distance between "
         "numbers needs a numeric column, and the sensitive column 'secret' is ordinal: use "
         'another ground distance ("ordered" needs only an order)'),
        ("emd:numeric", column([-1e308, 1e308], Kind.NUMERIC), "the values of the sensitive column "
         "'secret' are too far apart to be subtracted: use another unit, or another ground "
         "distance"),
        (EarthMovers(NINE), column(["a", "b"]), "the matrix of ground distances is 3 × 3, but the "
         "sensitive column 'secret' has 2 values (a, b); give one row and one column per value, in "
         "this order, or a pandas table labelled by them"),
        (EarthMovers(NINE), column(list("abcdefg")), "the matrix of ground distances is 3 × 3, but "
         "the sensitive column 'secret' has 7 values (a, b, c, d, e, …); give one row and one "
         "column per value, in this order, or a pandas table labelled by them"),
        (EarthMovers(labelled(["flu", "gout", "colds"])), column(["cold", "flu"]),
         "the table of ground distances has no row for 'cold', a value of the sensitive column "
         "'secret'; did you mean 'colds'? (it has flu, gout, colds)"),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit(distance, sensitive, message):
    distance_named(distance)  # nothing wrong that could be known without the column
    with pytest.raises(InputError) as error:
        distance_named(distance, sensitive)
    assert str(error.value) == message


def test_a_missing_solver_is_told_before_the_data_is_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    for sensitive in (None, column(list("abc"))):
        with pytest.raises(MissingExtraError) as error:
            distance_named(EarthMovers(NINE), sensitive)
        assert str(error.value) == (
            "the earth mover's distance with a matrix of ground distances needs POT; install it "
            "with: pip install 'unveil[transport]'"
        )
        distance_named(EarthMovers(1 - np.eye(3)), sensitive)  # needs none


def test_a_solver_that_gives_up_is_no_result(monkeypatch):
    def gives_up(*problem, **options):
        return 0.1, {"warning": "numItermax reached before optimality"}

    monkeypatch.setattr(_earth_movers, "find_solver", lambda: gives_up)
    costs = np.abs(np.subtract.outer([0.0, 1, 4, 9], [0.0, 1, 4, 9]))
    p, q = np.array([[0.4, 0.3, 0.2, 0.1]]), np.array([[0.1, 0.2, 0.3, 0.4]])
    with pytest.raises(UnveilError, match=r"POT could not solve .*: numItermax reached"):
        _earth_movers.metric_transport(p, q, costs=costs)
