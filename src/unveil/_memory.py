"""How much memory large arrays may take: asked for up front, and refused with an estimate.

An array of all people or classes by all values of a secret can ask for more than any machine has.
Whoever makes one says so here before; what would not fit is refused in words, and what the system
would do, which is to kill the process, is not waited for.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from unveil.errors import InternalError, Option

_SMALL = 1 << 26  # bytes that nobody has to ask for
_GROUP = Path("/sys/fs/cgroup")


class TooLargeError(InternalError):
    """What would take more memory than there is; it is not begun."""


def left() -> int:
    """Number of bytes that this process may still take."""
    import psutil

    system = psutil.virtual_memory().available
    with suppress(OSError, ValueError):  # no container, or one without a limit
        most = int((_GROUP / "memory.max").read_text("ascii"))
        system = min(system, most - int((_GROUP / "memory.current").read_text("ascii")))
    return system


def room_for(rows: int, values: int, times: float = 1.0) -> None:
    """Refuse what would not fit: so many rows by all values of a secret, in numbers of 8 bytes.

    Parameters
    ----------
    rows, values : int
    times : float
        How many such arrays there are at once, as far as is known.
    """
    needed = 8 * rows * values * times
    if needed < _SMALL:
        return
    room = left()
    if needed > room:
        raise TooLargeError(
            "it would need about {needed} GB, for {rows} rows by {values} values of the sensitive "
            "column, and has {room} GB; put the values into categories ({quantiles} or {cuts} when "
            "the table is read), or test fewer people",
            needed=f"{needed / 1e9:.2g}", rows=rows, values=values,
            room=f"{max(room, 0) / 1e9:.2g}",
            quantiles=Option("quantiles"), cuts=Option("cuts"),
        )  # fmt: skip
