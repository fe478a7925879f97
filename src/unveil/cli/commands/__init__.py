"""The commands, one a module; they are listed in the order in which they are imported."""

# isort: off
from unveil.cli.commands._measure import measure
from unveil.cli.commands._harden import harden
from unveil.cli.commands._encodings import encodings

# isort: on

__all__ = [
    "encodings",
    "harden",
    "measure",
]
