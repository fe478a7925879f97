"""The command line: every command with its options, as ``--help`` has them."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress
from unittest import mock

from unveil.cli import main
from unveil.cli._app import command_names

__all__ = ["commands_page"]

_WIDTH = "100"


def commands_page() -> str:
    """The page of all commands."""
    parts = [
        "# Every command and option",
        "As `unveil COMMAND --help` has it. [Command line](../command-line.md) explains the use.",
    ]
    for name in sorted(command_names()):
        parts += [f"## unveil {name} {{#{name}}}", f"```text\n{_help(name)}\n```"]
    return "\n\n".join(parts) + "\n"


def _help(name: str) -> str:
    """What ``unveil NAME --help`` prints."""
    shown = io.StringIO()
    plain = {"COLUMNS": _WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    with mock.patch.dict(os.environ, plain), redirect_stdout(shown), suppress(SystemExit):
        main([name, "--help"])
    return "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines())
