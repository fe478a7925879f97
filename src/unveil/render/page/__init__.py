"""The report of an audit: one HTML page, made from the audit's JSON."""

from unveil.render.page._contents import PRIVACY, trade_chart
from unveil.render.page._page import page_of

__all__ = ["PRIVACY", "page_of", "trade_chart"]
