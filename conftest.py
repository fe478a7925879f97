"""Attacks are imported before pytest collects doctests from their folders.

``unveil.attacks.inference`` is a function that has the name of its folder. pytest
(``--import-mode=importlib``) would otherwise import the folder alone, and bind the module there.
"""

import unveil.attacks  # noqa: F401
