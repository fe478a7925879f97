"""Somewhere to draw, for the pictures of all rooms (matplotlib is an extra)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from unveil._text import harmless
from unveil.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def has_matplotlib(wanted_by: str = "pictures need matplotlib", extra: str = "plot") -> Any:
    """Import matplotlib, whatever backend its settings name: no window is opened.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        with _backend_that_exists():
            import matplotlib
            import matplotlib.figure
    except ImportError as error:
        raise MissingExtraError(
            f"{wanted_by}; install it with: pip install 'unveil[{extra}]'"
        ) from error
    return matplotlib


@contextmanager
def _backend_that_exists() -> Iterator[None]:
    """Without the backend that the environment names if matplotlib would refuse to be imported.

    A notebook names its own there, which has to stay.
    """
    backend = os.environ.get("MPLBACKEND", "")
    if backend.startswith("module://") or not backend or "matplotlib" in sys.modules:
        yield
        return
    del os.environ["MPLBACKEND"]
    try:
        yield
    finally:
        os.environ["MPLBACKEND"] = backend


def new_axes() -> Axes:
    """Somewhere to draw, of the user's own kind if he plots already."""
    has_matplotlib()
    from matplotlib.figure import Figure

    # Whoever plots already is joined. A notebook shows the figures that pyplot knows of.
    if "matplotlib.pyplot" in sys.modules or "ipykernel" in sys.modules:
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(9, 4.5), layout="constrained")[1]
    return Figure(figsize=(9, 4.5), layout="constrained").subplots()


def written(text: str, longest: int = 100) -> str:
    """A text from the data as it is written into a picture: not too long, and no formula.

    >>> written("$1,000 or less, $x$")
    '\\\\$1,000 or less, \\\\$x\\\\$'
    >>> written("far too long", longest=8)
    'far too…'
    """
    text = harmless(text)
    return (text if len(text) <= longest else f"{text[: longest - 1]}…").replace("$", r"\$")
