"""The commands, one a module; they are listed in the order in which they are imported."""

# isort: off
from unveil.cli.commands._measure import measure

# isort: on

__all__ = [
    "measure",
]
