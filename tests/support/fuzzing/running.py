"""One input within limits, and what of it is a fault."""

from __future__ import annotations

import gc
import os
import resource
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.readers import READERS

SECONDS = 10.0  # of CPU; the files are small
MEMORY = 700 * 2**20  # bytes by which one input may make the process grow


class HangError(BaseException):
    """It takes too long; no handler of errors takes this for one."""


@dataclass(frozen=True)
class Fault:
    """What was wrong, and where: inputs with the same `where` have one cause."""

    what: str
    where: str
    told: str


def judged(case: Case, within: Path | None = None) -> Fault | None:
    """Run a case; None if nothing is wrong with what becomes of it."""
    from unveil.errors import UnveilError

    with tempfile.TemporaryDirectory(dir=within) as outer:
        folder, temporary = Path(outer) / "files", Path(outer) / "temporary"
        folder.mkdir()
        temporary.mkdir()
        case.write(folder)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            with _temporary_in(temporary), _limited(), warnings.catch_warnings():
                warnings.simplefilter("error")
                READERS[case.reader](case, folder)
        except UnveilError:
            pass
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _told(error)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        if grown > MEMORY:
            return Fault("memory", f"memory {case.reader}", f"it grew by {grown:,} bytes")
        if any(temporary.iterdir()):  # what is removed with its owner, who may still be there
            gc.collect()
        # A process keeps a locked folder as long as it lives; nothing else may be in it.
        left = [
            str(one.relative_to(outer)) for one in temporary.rglob("*")
            if one.name != "lock" and not (one / "lock").exists()
        ]  # fmt: skip
        if left:
            return Fault("left", f"left {case.reader}", f"left behind: {left}")
    return None


def _told(error: BaseException) -> Fault:
    """A fault by the last lines of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [one for one in frames if "/unveil/" in one.filename] or frames[-1:]
    where = f"{type(error).__name__} {Path(ours[-1].filename).name}:{ours[-1].lineno}"
    if isinstance(error, AssertionError):
        where += f" {frames[-1].name} {str(error)[:60]}"
    text = "".join(traceback.format_exception(error))
    return Fault(type(error).__name__, where, text[-3000:])


@contextmanager
def _limited() -> Iterator[None]:
    def end(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _temporary_in(folder: Path) -> Iterator[None]:
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    known = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
        if known is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = known
