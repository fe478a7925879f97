"""Oracles: sanitizers that cannot be looked into, only asked.

`Oracle` takes what it is given as one of four *forms*: a function, a command, the address of a
service, or releases made beforehand. A form is asked for f(D) or f(D without i) and hands back a
table; everything else (asking again, reading, checking) is the same for all.
"""

from unveil.sanitize.oracle._errors import OracleError
from unveil.sanitize.oracle._oracle import Oracle, as_sanitizer

__all__ = ["Oracle", "OracleError", "as_sanitizer"]
