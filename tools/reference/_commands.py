"""The command line: every command with its options, as ``--help`` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from unveil.cli import app

__all__ = ["commands_page"]


def commands_page() -> str:
    """The page of all commands."""
    group = typer.main.get_command(app)
    parts = [
        "# Every command and option",
        "As `unveil COMMAND --help` has it. [Command line](../command-line.md) explains the use.",
    ]
    for name, command in sorted(group.commands.items()):
        parts += _described(name, command)
    return "\n\n".join(parts) + "\n"


def _described(name: str, command: Any) -> Iterator[str]:
    context = command.context_class(command, info_name=f"unveil {name}")
    yield f"## unveil {name} {{#{name}}}"
    yield f"```text\n{' '.join([f'unveil {name}', *command.collect_usage_pieces(context)])}\n```"
    yield _plain(command.help or "")
    records = [
        record
        for parameter in command.params
        if not getattr(parameter, "hidden", False)
        and (record := _record(parameter, context)) is not None
    ]
    if records:
        yield "\n".join(["| option | |", "|---|---|", *records])
    if command.epilog:
        yield f"```text\n{_plain(command.epilog)}\n```"


def _record(parameter: Any, context: Any) -> str | None:
    """A row of the table: how it is typed, and what it does."""
    record = parameter.get_help_record(context)
    if record is None:
        return None
    typed, says = (_plain(text) for text in record)
    return f"| `{typed}` | {says.replace('|', chr(92) + '|')} |"


def _plain(text: str) -> str:
    """Without rich's markup."""
    return re.sub(r"\[/?(?:bold|dim|italic)\]", "", text).replace("\\[", "[").strip()
