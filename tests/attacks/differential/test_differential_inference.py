"""Which records are tested, what happens to those that cannot be, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from random_tables import random_microdata

import unveil as uv
from unveil.adversary import Adversary
from unveil.errors import GoalError, InputError, UnveilError
from unveil.sanitize import OracleError, Sanitizer

TABLE = random_microdata(4, 50, ("numeric", "flat"))
WHOLE = uv.differential_inference(TABLE, uv.Mondrian(k=3))


def run_on(targets, **options):
    return uv.differential_inference(TABLE, uv.Mondrian(k=3), targets=targets, **options)


def test_everybody_by_default_in_the_order_of_the_table():
    assert WHOLE.targets.tolist() == list(range(50))
    assert not np.isnan(WHOLE.distances).any()


@pytest.mark.parametrize("path", ["fast", "general"])
@pytest.mark.parametrize(
    "targets", [[7], [9, 3, 41], np.array([2, 0], dtype=np.uint8), range(4), (5, 1)]
)
def test_a_list_of_records_is_tested_in_its_order(targets, path):
    finding = run_on(targets, path=path)
    assert finding.targets.tolist() == list(targets)
    np.testing.assert_allclose(finding.distances, WHOLE.distances[list(targets)], atol=1e-12)


@pytest.mark.parametrize("turn", [list, np.array, pd.Series])
def test_a_mask_of_records(turn):
    mask = np.arange(50) % 7 == 0
    finding = run_on(turn(mask))
    assert finding.targets.tolist() == [0, 7, 14, 21, 28, 35, 42, 49]
    np.testing.assert_array_equal(finding.distances, WHOLE.distances[mask])


def test_so_many_at_random_hang_on_the_seed():
    first, again, other = run_on(20, seed=1), run_on(np.int64(20), seed=1), run_on(20, seed=2)
    assert len(set(first.targets.tolist())) == 20
    assert first.targets.tolist() == again.targets.tolist() == sorted(first.targets.tolist())
    assert first.targets.tolist() != other.targets.tolist()
    np.testing.assert_array_equal(first.distances, WHOLE.distances[first.targets])
    assert run_on(50).targets.tolist() == list(range(50))


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (0, "targets=0: the table has 50 records to choose from"),
        (51, "targets=51: the table has 50 records to choose from"),
        (-1, "targets=-1: the table has 50 records to choose from"),
        ([3, 50], "targets= has 50, but records are numbered from 0 to 49"),
        ([-1], "targets= has -1, but records are numbered from 0 to 49"),
    ],
)
def test_records_that_are_not_there(targets, message):
    with pytest.raises(InputError) as error:
        run_on(targets)
    assert str(error.value) == message


@pytest.mark.parametrize("targets", [[], [0.5], "all", True, [True, False], [[1, 2]], 2.0])
def test_what_targets_may_be(targets):
    with pytest.raises(InputError) as error:
        run_on(targets)
    assert str(error.value) == (
        "targets= must be a number of records, a list of record numbers counted from 0, a mask of "
        f'50 truth values, or "available"; got {targets!r}'
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"adversary": "conditional"},
            "no adversary 'conditional'; did you mean 'conditional-frequency'? (known: "
            "naive-bayes, conditional-frequency, smoothed-frequency, tree, forest, logistic, "
            "boosting, neighbours, "
            "gaussian-nb; or an unveil.adversary.Adversary of your own)",
        ),
        (
            {"distance": "l1-"},
            "distance='l1-' is not known; did you mean 'l1'? (known: total-variation, l1, "
            "emd:unit, emd:path, emd:ordered, emd:numeric, kl, jensen-shannon, hellinger, "
            "bhattacharyya, max-ratio; or a function of two tables of beliefs)",
        ),
        (
            {"path": "fats"},
            "path='fats' is not possible: it must be 'auto', 'fast' or 'general'; did "
            "you mean 'fast'?",
        ),
        (
            {"draw": "stratfied"},
            "draw='stratfied' is not possible: it must be 'worst-first', 'random', "
            "'stratified' or 'exposed'; did you mean 'stratified'?",
        ),
        ({"draw": "exposed"}, "draw='exposed' needs targets= or budget=: everybody is tested"),
        ({"jobs": 0}, "jobs= must be a whole number from 1 up, got 0"),
        ({"jobs": -1, "path": "general"}, "jobs= must be a whole number from 1 up, got -1"),
        ({"seed": -1}, "seed=-1 is not possible: it must be a whole number from 0 up"),
        ({"seed": None}, "seed=None is not possible: it must be a whole number from 0 up"),
    ],
)
def test_options_nobody_knows(options, message):
    with pytest.raises(InputError) as error:
        uv.differential_inference(TABLE, uv.Mondrian(k=3), **options)
    assert str(error.value) == message


def test_there_is_no_fast_path_into_a_black_box():
    with pytest.raises(InputError) as error:
        uv.differential_inference(TABLE, uv.Oracle(uv.Mondrian(k=3)), path="fast")
    assert str(error.value) == (
        "there is no fast path for Oracle(Mondrian(k=3)) against Bernoulli naive Bayes; use "
        "path='general', which runs the sanitizer again for each target"
    )


def test_a_table_without_roles_and_a_kind_of_sanitizer():
    with pytest.raises(InputError) as error:
        uv.differential_inference(pd.DataFrame({"a": [1]}), uv.Mondrian(k=3))
    assert str(error.value) == (
        "differential_inference needs microdata, a table whose columns have roles, and got a "
        "DataFrame; make it with unveil.read_table(table, quasi=[…], sensitive=…)"
    )
    with pytest.raises(InputError) as error:
        uv.differential_inference(TABLE, uv.Mondrian)
    assert str(error.value) == "Mondrian is a kind of sanitizer; make one: Mondrian(…)"


@pytest.mark.parametrize("path", ["fast", "general"])
def test_a_goal_that_cannot_be_met_is_told_at_once(path):
    with pytest.raises(GoalError, match="the largest possible k is 50"):
        uv.differential_inference(TABLE, uv.Mondrian(k=51), path=path)


PEOPLE = uv.read_table(
    {"age": [30, 34, 38, 41, 45, 47], "vote": list("abaabb")}, quasi="age", sensitive="vote"
)


def halves(table):
    return table.assign(age=[f"[{a // 10}0, {a // 10}9]" for a in table["age"]])


def test_records_without_whom_a_function_fails_are_counted_not_dropped():
    def choosy(table):
        if 38 not in set(table["age"]):
            raise RuntimeError("I miss 38")
        if 45 not in set(table["age"]):
            return table.assign(age="old")
        return halves(table)

    finding = uv.differential_inference(PEOPLE, choosy)
    assert np.flatnonzero(np.isnan(finding.distances)).tolist() == [2, 4]
    assert len(finding.distances) == 6
    assert finding.not_tested == {
        "the sanitizer failed": 1,
        "the sanitizer gave an answer that is not a release of the table": 1,
    }
    first, second = finding.failures
    assert first == (2, "Oracle(choosy) failed on 5 records: RuntimeError: I miss 38")
    assert second[0] == 4
    assert second[1].startswith(
        "the answer of Oracle(choosy) cannot be read: row 1, column 'age': cannot read the cell "
        "'old': 'old' is not a number;"
    )
    assert "I miss 38" not in finding.summary()  # which may be shown to anybody
    assert "I miss 38" not in finding.to_json()
    assert "I miss 38" in finding.to_json(records=True)
    assert finding.sanitizer == "Oracle(choosy)"
    whole = uv.differential_inference(PEOPLE, halves)
    rest = [0, 1, 3, 5]
    np.testing.assert_array_equal(finding.distances[rest], whole.distances[rest])


def test_a_function_that_fails_on_the_whole_table_is_told_at_once():
    with pytest.raises(OracleError) as error:
        uv.differential_inference(PEOPLE, lambda table: table.nonsense)
    assert str(error.value).startswith("Oracle(<lambda>) failed on 6 records: AttributeError:")
    assert isinstance(error.value, UnveilError)


class Interrupting:
    """A sanitizer whose user loses patience at the n-th call."""

    def __init__(self, at):
        self.calls, self.at = 0, at

    def __call__(self, table):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return halves(table)


def test_an_interrupt_keeps_what_has_been_done():
    finding = uv.differential_inference(PEOPLE, Interrupting(at=4))
    whole = uv.differential_inference(PEOPLE, halves)
    assert finding.distances[0] == whole.distances[0]
    assert np.isnan(finding.distances[1:]).all()
    assert finding.not_tested == {"interrupted": 5}
    assert finding.delta == whole.distances[0]
    assert "NOT TESTED: 5 people: interrupted" in finding.summary()


def test_an_interrupt_before_anything_is_done_is_one():
    with pytest.raises(KeyboardInterrupt):
        uv.differential_inference(PEOPLE, Interrupting(at=1))


def test_a_black_box_is_asked_once_for_each_record_and_twice_for_all():
    """Equal records may not be equal to a function that looks at their order."""
    same = uv.read_table({"age": [30] * 4, "vote": ["a"] * 4}, quasi="age", sensitive="vote")
    calls = Interrupting(at=-1)
    uv.differential_inference(same, calls)
    assert calls.calls == 6


def test_an_adversary_without_a_belief_is_counted():
    class Shy(Adversary):
        label, explained = "a shy one", "says nothing of those under 40"

        def predict(self, release, codes):
            belief = np.full((codes.shape[1], release.sensitive.size), 0.5)
            belief[codes[0] < 3] = np.nan
            return belief

    finding = uv.differential_inference(PEOPLE, uv.Identity(), adversary=Shy())
    assert np.isnan(finding.distances).tolist() == [True] * 3 + [False] * 3
    assert finding.not_tested == {"the adversary has no belief about them": 3}


def test_a_sanitizer_of_ones_own_needs_no_more_than_sanitize():
    class Coarse(Sanitizer):
        def sanitize(self, microdata):
            return uv.Mondrian(k=3).sanitize(microdata)

    finding = uv.differential_inference(PEOPLE, Coarse())
    assert finding.sanitizer == "Coarse()"
    expected = uv.differential_inference(PEOPLE, uv.Mondrian(k=3))
    np.testing.assert_allclose(finding.distances, expected.distances, atol=1e-12)


@pytest.mark.parametrize(
    ("beliefs", "message"),
    [
        (
            lambda n: np.full((n, 5), 0.2),
            r"the adversary Wrong returned an array of shape \(1, 5\)",
        ),
        (lambda n: np.full((n, 2), 0.7), "beliefs that are not probabilities"),
        (lambda n: np.tile([1.5, -0.5], (n, 1)), "no negative number and sum to 1"),
    ],
)
def test_beliefs_that_are_none_are_refused(beliefs, message):
    class Wrong(Adversary):
        def predict(self, release, codes):
            return beliefs(codes.shape[1])

    with pytest.raises(InputError, match=message):
        uv.differential_inference(PEOPLE, uv.Mondrian(k=2), adversary=Wrong())


def test_a_random_sanitizer_is_told_from_what_records_give_away():
    rng = np.random.default_rng(3)

    def noisy(table):
        kept = rng.permutation(len(table))[: len(table) // 2]
        return halves(table).iloc[kept]

    noted = uv.differential_inference(PEOPLE, uv.Oracle(noisy, may_drop=True)).notes
    assert len(noted) == 2  # the other one says how many records are gone
    assert str(noted[1]).startswith(
        "Oracle(noisy) is random: between two releases of the same table"
    )
    assert uv.differential_inference(PEOPLE, halves).notes == ()


def test_whatever_a_sanitizer_of_ones_own_raises_is_counted():
    class Fragile(Sanitizer):
        def sanitize(self, microdata):
            if len(microdata) < len(PEOPLE):
                raise ValueError("too few")
            return uv.Mondrian(k=3).sanitize(microdata)

    finding = uv.differential_inference(PEOPLE, Fragile(), targets=2)
    assert finding.not_tested == {"the sanitizer failed": 2}
    assert {said for _, said in finding.failures} == {"ValueError: too few"}
    assert finding.how == "random"
    assert uv.differential_inference(PEOPLE, uv.Identity(), targets=[1, 2]).how == "chosen"
