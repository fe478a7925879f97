"""The application that commands are registered with.

Commands import what they need when they are called: `unveil --help` does not wait for numba.
"""

from __future__ import annotations

from typing import Annotated

import typer

from unveil._version import __version__

__all__ = ["app"]

# A traceback with local variables would print microdata.
app = typer.Typer(
    name="unveil",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""[bold]Examples[/bold]

  unveil demo
  unveil audit survey.csv --quasi age,zip,sex --sensitive income
  unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
         --sanitizer mondrian:k=5 -o released.csv""",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"unveil {__version__}")
        raise typer.Exit


@app.callback()
def _unveil(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Say which version."),
    ] = False,
) -> None:
    """Penetration testing for anonymized data: how much does each person's own record give them
    away?
    """
