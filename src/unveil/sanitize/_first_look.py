"""What is looked at where the user names nothing."""

from __future__ import annotations

import math

from unveil.microdata import Microdata
from unveil.sanitize._identity import Identity
from unveil.sanitize._mondrian import Mondrian
from unveil.sanitize._sanitizer import Sanitizer

__all__ = ["first_look"]

_SIZES = (2, 5, 10, 20)  # k
_LEFT_OUT = 5  # attacks leave people out to see what changes, up to one in so many


def first_look(microdata: Microdata) -> list[Sanitizer]:
    """The table as it is, and Mondrian with those k that it has people for, and some to spare.

    >>> import unveil as uv
    >>> few = uv.read_table({"age": [31, 45, 52], "vote": ["a", "b", "a"]}, quasi="age",
    ...                     sensitive="vote")
    >>> first_look(few) == [uv.Identity(), uv.Mondrian(k=2)]
    True
    """
    left = len(microdata) - math.ceil(len(microdata) / _LEFT_OUT)
    return [Identity(), *(Mondrian(k=k) for k in _SIZES if k <= left)]
