"""The command line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from unveil.cli import commands

__all__ = ["commands", "main"]


def main(words: Sequence[str] | None = None) -> None:
    """Entry point of the ``unveil`` command."""
    import typer

    from unveil.cli._app import made_app
    from unveil.cli._console import say
    from unveil.cli._guard import BAD_INPUT, end_politely, in_command_line_words, note_command
    from unveil.errors import UnveilError
    from unveil.registry import load_errors

    words = list(sys.argv[1:] if words is None else words)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ℓ or █ gets question marks, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Whoever ends us politely gets everything cleaned up: temporary tables, workers, programs.
    signal.signal(signal.SIGTERM, end_politely)
    note_command(words)
    # A dash means standard input or output; written like this, it does not look like an option.
    typed = ["./-" if word == "-" else word for word in words]
    try:
        made_app()(typed or ["--help"])
    except typer.Exit as left:
        sys.exit(left.exit_code)
    except UnveilError as error:  # a plug-in whose command cannot be made
        say(f"error: {in_command_line_words(error)}")
        sys.exit(BAD_INPUT)
    finally:
        for problem in load_errors(load=False):
            say(f"note: {in_command_line_words(problem)}")
