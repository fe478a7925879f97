"""Reports of audits, as pages."""

from unveil._text import display_name  # for modules that are yet to import it from there

__all__ = ["display_name"]
