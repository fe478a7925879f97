"""Before a clock runs, the kernels of what is asked for are compiled, and of nothing else."""

import pytest

import unveil as uv
from unveil.cli import _testing

GOALS = [
    (uv.Identity(), uv.Identity()),
    (uv.Mondrian(k=50, t=0.1), uv.Mondrian(k=1, t=1.0)),
    (uv.Mondrian(l=3, regions="cut", crowds={(1, "x"): 9}), uv.Mondrian(l=1, regions="cut")),
    (uv.Recoding(k=9, scheme="local", suppression=0.1),
     uv.Recoding(k=1, scheme="local", suppression=0.1)),
    (uv.Anatomy(l=7, seed=3), uv.Anatomy(l=1, seed=0)),
    (uv.Microaggregation(k=9), uv.Microaggregation(k=1)),
]  # fmt: skip


@pytest.fixture
def tested(monkeypatch):
    """What is tried out, with which adversary."""
    found = []

    def spy(*, microdata, sanitizer, adversary, samples, **options):
        found.append((sanitizer, adversary, samples))
        return uv.differential_inference(
            microdata, sanitizer, adversary=adversary, samples=samples, **options
        )

    warm_up = _testing.warm_up
    monkeypatch.setattr(
        _testing, "warm_up", lambda *given, **options: warm_up(*given, attack=spy, **options)
    )
    return found


@pytest.mark.parametrize(("asked", "tried"), GOALS, ids=lambda f: f.label)
def test_each_sanitizer_is_tried_with_a_goal_that_few_can_meet(tested, asked, tried):
    _testing.warm_up([asked, asked], adversary="naive-bayes")
    assert tested == [(tried, "naive-bayes", 2 if tried.is_random else None)]


def test_noisy_counts_are_sampled_only_if_that_is_asked_for(tested):
    f = uv.LaplaceCounts(epsilon=1)
    _testing.warm_up([f], adversary="naive-bayes")
    assert tested == [(f, ("smoothed-frequency",), None)]


def test_oracles_are_left_alone(tested):
    asked = []
    _testing.warm_up([uv.Oracle(asked.append)], adversary="naive-bayes")
    assert (asked, tested) == ([], [])


def test_what_an_adversary_cannot_do_is_told_later(tested):
    _testing.warm_up([uv.Anatomy(l=2)], adversary="naive-bayes@bounds-hot")
    assert len(tested) == 1


def test_sanitizing_alone(tested):
    _testing.warm_up([uv.Anatomy(l=9), uv.Microaggregation(k=9)], adversary=None)
    assert tested == []


def test_where_a_person_has_several_rows_the_kernels_that_count_people_are_there(monkeypatch):
    asked = []
    monkeypatch.setattr(
        uv.Mondrian, "sanitize", lambda _, table: asked.append(table.several is not None)
    )
    for several in (False, True):
        _testing.warm_up([uv.Mondrian(k=9)], adversary=None, several=several)
    _testing.warm_up([uv.Anatomy(l=2)], adversary=None, several=True)  # which refuses such a table
    assert asked == [False, True]
