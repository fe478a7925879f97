"""Attacks are imported before pytest collects doctests from their folders.

An attack's function has the name of its folder: ``unveil.attacks.inference`` is the function. pytest
(``--import-mode=importlib``) would otherwise import the folder by itself, and bind the module there.
"""

import unveil.attacks  # noqa: F401
