"""The time left of steps of different kinds, what numba compiles, and how both are shown."""

import sys
import threading

import numba
import pytest

from unveil.engine import Compiling, Forecast, Step, StepsShown, _progress


def steps(*names, **options):
    return [Step(kind=(name,), seconds=10.0, **options) for name in names]


def test_other_kinds_are_told_by_all_that_was_done_and_the_same_kind_by_itself():
    forecast = Forecast(steps(*"ababb"))
    forecast.done(40.0)
    assert forecast.left() > 100.0  # a is at 40 again, and b slower than usual, too
    forecast.done(1.0)
    assert forecast.left() == pytest.approx(40.0 + 1.0 + 1.0)
    forecast.done(40.0)
    forecast.done(3.0)
    # What was seen last weighs most.
    assert 2.0 < forecast.left() < 3.0


def test_a_budget_is_kept_by_any_machine():
    slow = [Step(kind=("a",), seconds=1.0)] * 3
    budget = Step(kind=("b",), seconds=5.0, at_most=5.0)
    quick = Step(kind=("c",), seconds=1.0, at_most=2.0)
    forecast = Forecast([*slow, budget, quick])
    for _ in slow:
        forecast.done(20.0)
    assert forecast.left() == 5.0 + 2.0


def test_compiling_is_counted_once_it_was_seen_and_once_for_a_kind():
    forecast = Forecast(steps("a", "a", "b", "b", "b", compiling=7.0))
    assert forecast.left() == 50.0  # it may have been compiled before
    forecast.done(17.0, compiling=7.0)
    assert forecast.left() == pytest.approx(4 * 10.0 + 7.0)
    forecast.done(10.0)
    forecast.done(17.0, compiling=7.0)
    assert forecast.left() == pytest.approx(20.0)


def test_what_only_the_first_takes_is_not_expected_again():
    first, *rest = steps("a", "a", "a")
    forecast = Forecast([Step(kind=first.kind, seconds=10.0, once=30.0), *rest])
    assert forecast.left() == 60.0
    forecast.done(40.0)
    assert forecast.left() == pytest.approx(20.0)


def test_a_step_that_takes_longer_than_expected_has_no_time_left():
    forecast = Forecast(steps("a", "b"))
    assert forecast.left(8.0) == 12.0
    assert forecast.left(100.0) == 10.0
    assert 0 < forecast.share(1.0) < forecast.share(8.0) < 1


def test_it_is_known_when_numba_compiles():
    now = []

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x)

    with Compiling() as compiling:
        seen = threading.Thread(target=lambda: now.append(compiling.now))
        seen.start()
        seen.join()
        assert outer(1) == 2
        seconds = compiling.seconds
        assert seconds > 0
        assert outer(2) == 3  # which is compiled
        assert compiling.seconds == seconds
    assert now == [False]
    assert not compiling.now
    inner(1.5)
    assert compiling.seconds == seconds  # nobody listens any more


def test_it_is_shown_from_the_beginning_and_says_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with StepsShown(Forecast(steps("a", "b"))) as shown:
        shown.begin("Mondrian(k=5): [bold]linkage")
        shown._bar.refresh()
        shown.done()
        shown.begin("second")
        shown.done()
    out, err = capsys.readouterr()
    assert out == ""
    assert "beginning" in err or "Mondrian" in err
    assert "left" in err
    assert not shown._bar.live.is_started


def test_a_long_name_does_not_break_the_line(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with StepsShown(Forecast(steps("a")), show=True) as shown:
        shown.begin("Recoding(k=5, suppression=0.05, scheme='local'): differential-inference")
        [task] = shown._bar.tasks
        assert task.description == "Recoding(k=5, suppression=0.05…"
        assert len(task.description) + _progress._REST == 80
        shown.begin("Identity(): measures")
        assert task.description == "Identity(): measures"


def test_it_is_silent_where_nobody_watches(capsys):
    for show in (None, False):  # pytest's standard error is no terminal
        forecast = Forecast(steps("a"))
        with StepsShown(forecast, show) as shown:
            shown.begin("first")
            shown.done()
        assert forecast.finished == 1
    assert capsys.readouterr() == ("", "")


def test_compiling_is_said(monkeypatch):
    monkeypatch.setattr(_progress.Compiling, "now", True)
    shown = StepsShown(Forecast(steps("a", "b")), show=False)
    assert shown.says() == "0:00:20 left, compiling once"


def test_an_interrupt_ends_it(capsys):
    def work():
        with StepsShown(Forecast(steps("a")), show=True) as shown:
            bars.append(shown._bar)
            raise KeyboardInterrupt

    bars = []
    with pytest.raises(KeyboardInterrupt):
        work()
    assert not bars[0].live.is_started
