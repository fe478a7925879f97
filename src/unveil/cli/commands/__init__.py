"""The commands, one a module; they are listed in the order in which they are imported."""

# isort: off
from unveil.cli.commands._differential import differential
from unveil.cli.commands._risk import risk
from unveil.cli.commands._inference import inference
from unveil.cli.commands._membership import membership
from unveil.cli.commands._composition import composition
from unveil.cli.commands._definetti import definetti
from unveil.cli.commands._minimality import minimality
from unveil.cli.commands._harden import harden
from unveil.cli.commands._encodings import encodings

# isort: on

__all__ = [
    "composition",
    "definetti",
    "differential",
    "encodings",
    "harden",
    "inference",
    "membership",
    "minimality",
    "risk",
]
