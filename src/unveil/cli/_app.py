"""The application: commands of its own, and one for every declared attack and measure.

Commands import what they need when they are called: ``unveil --help`` does not wait for numba.
"""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import App, Parameter

from unveil._version import __version__
from unveil.registry import declarations

__all__ = ["made_app"]

_EXAMPLES = """
Examples

    unveil demo
    unveil audit survey.csv --quasi age,zip,sex --sensitive income
    unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 -o released.csv
"""


def made_app() -> App:
    """The application with all its commands."""
    app = App(
        name="unveil",
        help="Penetration testing for anonymized data: how much does each person's own record "
        "give them away?",
        version=f"unveil {__version__}",
        help_flags=["--help", "-h"],
        help_epilogue=_EXAMPLES,
        help_format="plaintext",
        result_action="return_value",
        error_formatter=lambda error: f"error: {error}",
        default_parameter=Parameter(negative=(), consume_multiple=False),
    )
    _add_others(app)
    for one in declarations().values():
        app.command(
            f"unveil.cli._declared:{one.name.replace('-', '_')}", name=one.name, help=one.help,
            help_epilogue=f"Examples\n{one.examples}" if one.examples else "",
        )  # fmt: skip
    return app


def _add_others(app: App) -> None:
    """Commands that are not made from a declaration."""
    from unveil.cli._typed import app as typed

    for command in typed.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        if name in declarations():
            continue
        text = (command.help or command.callback.__doc__ or "").split("\n\n")[0]
        app.command(_forwarded(name), name=name, help=text, help_flags=(), version_flags=())


def _forwarded(name: str) -> Any:
    def forward(
        *words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)],
    ) -> None:
        from unveil.cli._typed import app as typed

        typed([name, *words], prog_name="unveil")

    return forward
