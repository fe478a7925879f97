"""The command ``unveil demo``."""

from __future__ import annotations

from unveil.cli import _audit_options as auditing
from unveil.cli import _options as options
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["demo"]


@app.command(
    epilog="""[bold]Examples[/bold]

  unveil demo
  unveil demo --plot distances.png

The whole audit, as a page to read in a browser:
  unveil demo --report demo.html"""
)
@guarded
def demo(
    report: auditing.Report = None, plot: options.Plot = None, json: options.Json = None
) -> None:
    """Try it on a real survey of 944 people that comes with unveil."""
    from unveil.cli._demo import demo as run

    run(plot, json, report)
