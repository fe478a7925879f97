"""Somewhere to draw, for the pictures of all rooms (matplotlib is an extra)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["new_axes"]


def new_axes() -> Axes:
    """Somewhere to draw, of the user's own kind if he plots already."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "pictures need matplotlib; install it with: pip install 'unveil[plot]'"
        ) from error
    import sys

    if "matplotlib.pyplot" in sys.modules:  # the user plots already: join in
        import matplotlib.pyplot as plt

        return plt.subplots(figsize=(9, 4.5), layout="constrained")[1]
    return Figure(figsize=(9, 4.5), layout="constrained").subplots()
