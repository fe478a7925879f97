"""The page of an audit: HTML made from its JSON."""

from unveil.report.page._page import page_of
from unveil.report.page._parameter import families_of

__all__ = ["families_of", "page_of"]
