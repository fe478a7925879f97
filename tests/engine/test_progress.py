"""Progress counts in silence, and speaks on standard error to whoever waits."""

import sys
import threading

import pytest

from unveil.engine import Progress, _progress


def advance_to_the_end(progress):
    with progress:
        for _ in range(progress.total):
            progress.advance(1)


def test_it_is_silent_where_nobody_watches(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    for show in (None, False):  # pytest's standard error is no terminal
        progress = Progress("testing", 20, show)
        advance_to_the_end(progress)
        assert progress.finished == 20
    assert capsys.readouterr() == ("", "")


def test_it_is_silent_while_it_is_quick(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 1e9)
    advance_to_the_end(Progress("testing", 20, show=True))
    assert capsys.readouterr() == ("", "")


def test_it_shows_what_takes_long_on_standard_error_only(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress("testing Mondrian(k=5)", 20, show=True)
    advance_to_the_end(progress)
    out, err = capsys.readouterr()
    assert out == ""
    assert "testing Mondrian(k=5)" in err
    assert "records/s" in err
    assert progress.finished == 20


def test_asked_to_speak_into_a_file_it_does_no_harm(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    advance_to_the_end(Progress("testing", 20, show=True))
    assert capsys.readouterr().out == ""


def test_it_shows_itself_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    advance_to_the_end(Progress("testing", 5))
    assert "testing" in capsys.readouterr().err


def test_it_ends_with_the_work_even_if_that_fails(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    progress = Progress("testing", 20, show=True)

    def work():
        with progress:
            progress.advance(1)
            progress.advance(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert progress.finished == 2
    assert not progress._shown[0].live.is_started


def test_it_counts_from_any_thread(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_PATIENCE", 0)
    for show in (False, True):
        progress = Progress("testing", 4000, show)

        def work(progress=progress):
            for _ in range(1000):
                progress.advance(1)

        with progress:
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert progress.finished == 4000
