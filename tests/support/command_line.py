"""The command line, run as users do."""

from typer.testing import CliRunner

from unveil.cli import app

ROLES = ["--quasi", "age,town", "--sensitive", "vote"]


def run(*args, code=0, **kwargs):
    result = CliRunner().invoke(app, [str(arg) for arg in args], **kwargs)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result
