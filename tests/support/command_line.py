"""The command line, run as users do, in this process."""

import io
import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from unittest import mock

from unveil.cli import main

ROLES = ["--quasi", "age,town", "--sensitive", "vote"]


@dataclass(frozen=True)
class Result:
    """What a command printed, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str
    stdout_bytes: bytes

    @property
    def output(self):
        return self.stdout + self.stderr


def run(*args, code=0, input=None, env=None):
    """Run a command; ``code`` is how it has to exit; None: in any way."""
    typed = input.encode() if isinstance(input, str) else input or b""
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding="utf-8", write_through=True),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", write_through=True),
    }
    ended = 0
    with ExitStack() as stack:
        stack.enter_context(mock.patch("signal.signal"))
        if env:
            stack.enter_context(mock.patch.dict(os.environ, env))
        for name, stream in streams.items():
            stack.enter_context(mock.patch.object(sys, name, stream))
        try:
            main([str(arg) for arg in args])
        except SystemExit as left:
            ended = left.code if isinstance(left.code, int) else int(left.code is not None)
    result = Result(ended, out.getvalue().decode(), err.getvalue().decode(), out.getvalue())
    assert code is None or result.exit_code == code, result.output
    return result
