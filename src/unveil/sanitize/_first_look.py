"""What is looked at where the user names nothing."""

from __future__ import annotations

from unveil.microdata import Microdata
from unveil.sanitize._identity import Identity
from unveil.sanitize._mondrian import Mondrian
from unveil.sanitize._sanitizer import Sanitizer

__all__ = ["first_look"]

_SIZES = (2, 5, 10, 20)  # k


def first_look(microdata: Microdata) -> list[Sanitizer]:
    """The table as it is, and Mondrian with those k that it has people for.

    >>> import unveil as uv
    >>> few = uv.read_table({"age": [31, 45, 52], "vote": ["a", "b", "a"]}, quasi="age",
    ...                     sensitive="vote")
    >>> first_look(few)
    [Identity(), Mondrian(k=2)]
    """
    return [Identity(), *(Mondrian(k=k) for k in _SIZES if k <= len(microdata))]
