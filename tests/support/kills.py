"""Commands that are killed in the middle, as power failures and `kill -9` do it.

A server process imports unveil once, and forks a child for every command: a kill costs a fraction
of a second, not a start. It has one thread, so that a fork is safe. In the child, calls of the
operating system are counted, and the process kills itself at the n-th of a kind (before it, or in
the middle of a write); or the server kills it after a time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CALLS = ("write", "pwrite", "fsync", "replace", "rename")
"""Calls of `os` at which a command can be killed."""


class Kills:
    """Runs commands, and kills them.

    ``run`` returns the exit code, or minus the signal that ended the command.
    """

    def __enter__(self) -> Kills:
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()

    def run(self, words: list[str], folder: Path, **options: Any) -> int:
        """Run a command in a folder.

        Options: ``at`` is a call and its number, at which it is killed; ``after`` a number of
        seconds; ``sends`` the signal that it gets then (SIGKILL). Its standard output goes into a
        file ``stdout`` of the folder, its errors into ``stderr``.
        """
        return int(self._asked({"words": words, "folder": str(folder), **options})["status"])

    def calls(self, words: list[str], folder: Path) -> dict[str, int]:
        """Run a command to its end, and count its calls."""
        found = self._asked({"words": words, "folder": str(folder), "count": True})
        assert found["status"] in (0, 1), (folder / "stderr").read_text()
        return dict(found["calls"])

    def _asked(self, job: dict[str, Any]) -> dict[str, Any]:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        return dict(json.loads(self._server.stdout.readline()))


def _serve() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        print(json.dumps(_done(json.loads(line))), flush=True)


def _done(job: dict[str, Any]) -> dict[str, Any]:
    if job["words"] == ["warm up"]:
        _warm_up(Path(job["folder"]))
        return {"status": 0}
    child = os.fork()
    if child == 0:
        _child(job)
    if job.get("after") is not None:
        time.sleep(job["after"])
        os.kill(child, job.get("sends", signal.SIGKILL))
    _, status = os.waitpid(child, 0)
    counts = Path(job["folder"]) / "calls.json"
    calls = json.loads(counts.read_text()) if job.get("count") else {}
    code = os.waitstatus_to_exitcode(status)
    return {"status": code, "calls": calls}


def _warm_up(folder: Path) -> None:
    """Load what all commands need: modules, and kernels that are compiled or in the cache."""
    import unveil as uv

    del folder
    table = uv.read_table({"age": list(range(8)), "vote": list("abababab")}, quasi="age",
                          sensitive="vote")  # fmt: skip
    uv.audit(table, ["mondrian:k=2", "anatomy:l=2"], progress=False, jobs=1).page()


def _child(job: dict[str, Any]) -> None:
    os.chdir(job["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    counted = _watched(*job["at"]) if job.get("at") else _watched("", 0)
    sys.argv = ["unveil", *job["words"]]
    code = 0
    try:
        from unveil.cli import main

        main()
    except SystemExit as left:
        code = int(left.code or 0)
    if job.get("count"):
        Path("calls.json").write_text(json.dumps(counted))
    sys.stdout.flush()
    os._exit(code)


def _watched(call: str, number: int) -> dict[str, int]:
    """Count calls of the operating system, and die at one of them."""
    counted = dict.fromkeys(CALLS, 0)

    def watch(name: str) -> None:
        plainly = getattr(os, name)

        def watched(*given: Any, **options: Any) -> Any:
            counted[name] += 1
            if name == call and counted[name] == number:
                if name in ("write", "pwrite"):  # half of it is there, as after a power failure
                    file, content, *where = given
                    plainly(file, bytes(content)[: len(content) // 2], *where)
                os.kill(os.getpid(), signal.SIGKILL)
            return plainly(*given, **options)

        setattr(os, name, watched)

    for name in CALLS:
        watch(name)
    return counted


if __name__ == "__main__":
    _serve()
