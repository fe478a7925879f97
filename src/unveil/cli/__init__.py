"""The command line."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

from unveil._exits import Exit, ExitCode
from unveil._terminal import harmless_output

__all__ = ["main", "run_words"]


def main(words: Sequence[str] | None = None) -> None:
    """Entry point of the ``unveil`` command."""
    from unveil.cli._signals import leave_if_work_goes_on, watch_for_signals
    from unveil.cli._streams import flushed, have_streams, lost

    have_streams()
    code = ExitCode.DONE
    stop = watch_for_signals()
    with harmless_output():
        try:
            run_words(list(sys.argv[1:] if words is None else words))
        except Exit as left:
            code = left.code
        except OSError as error:  # of what is printed, perhaps, and not of a command
            if isinstance(error, BrokenPipeError) or error.errno in (errno.ENOSPC, errno.EIO):
                lost(error)
            else:
                code = _crashed(error)
        except KeyboardInterrupt:  # before a command has begun
            code = ExitCode.INTERRUPTED
        except (Exception, SystemExit) as error:
            code = _crashed(error)
        finally:
            stop()
        if not flushed() and code == ExitCode.DONE:
            code = ExitCode.WRONG_INPUT
    if words is None:
        leave_if_work_goes_on(code)
    if code != ExitCode.DONE:
        sys.exit(code)


def run_words(words: Sequence[str]) -> None:
    """Run what was typed."""
    from cyclopts import CycloptsError

    from unveil.cli._app import made_app
    from unveil.cli._console import say
    from unveil.cli._guard import in_command_line_words, note_command
    from unveil.errors import UnveilError
    from unveil.registry import load_errors

    note_command(words)
    # A dash means standard input or output; written like this, it does not look like an option.
    typed = ["./-" if word == "-" else word for word in words]
    try:
        made_app()(typed or ["--help"])
    except CycloptsError:  # which cyclopts has told
        raise Exit(ExitCode.WRONG_INPUT) from None
    except UnveilError as error:  # a plug-in whose command cannot be made
        say(f"error: {in_command_line_words(error)}")
        raise Exit(ExitCode.WRONG_INPUT) from None
    finally:
        for problem in load_errors(load=False):
            say(f"note: {in_command_line_words(problem)}")


def _crashed(error: BaseException) -> ExitCode:
    """Say that nothing was judged, so that no gate takes it for a verdict.

    With as little as possible: what failed may be an import, or memory may have run out.
    """
    said = f"an internal error ({type(error).__name__})"
    try:
        from unveil._faults import internal_error

        said = str(internal_error(error))
    except (Exception, SystemExit) as another:
        said += f" and another ({type(another).__name__})"
    print(f"error: {said}", file=sys.stderr, flush=True)
    return ExitCode.INTERNAL_ERROR
