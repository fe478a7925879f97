"""The command line."""

from __future__ import annotations

import signal
import sys

from unveil.cli import commands
from unveil.cli._app import app
from unveil.cli._guard import end_politely, note_command

__all__ = ["app", "commands", "main"]


def main() -> None:
    """Entry point of the ``unveil`` command."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ℓ or █ gets question marks, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Whoever ends us politely gets everything cleaned up: temporary tables, workers, programs.
    signal.signal(signal.SIGTERM, end_politely)
    note_command(sys.argv[1:])
    app(prog_name="unveil")
