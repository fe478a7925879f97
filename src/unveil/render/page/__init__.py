"""The report of an audit: one HTML page, made from the audit's JSON."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.render.page._contents import PRIVACY, trade_chart
    from unveil.render.page._page import page_of

__all__, __getattr__ = lazily(__name__)
