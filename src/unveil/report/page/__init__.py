"""The page of an audit: HTML made from its JSON."""

from unveil.report.page._page import page_of

__all__ = ["page_of"]
