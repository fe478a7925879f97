"""When a guess of a numeric sensitive value is right, and which guess is best."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.attacks.tolerance._near import Guessed, Near, near_of, spread


__all__, __getattr__ = lazily(__name__)
