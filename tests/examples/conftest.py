"""Lets the tests import the scripts of examples/reproductions as these import each other."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "examples" / "reproductions"

sys.path.append(str(SCRIPTS))
