"""Findings for people and machines: text, JSON, notebooks, pictures.

Renderers know findings and nothing of any attack.
"""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.render._blocks import blocks
    from unveil.render._charts import lies_flat
    from unveil.render._coarse import Coarseness, Ends, end_text, joined, middle, range_of
    from unveil.render._drawing import draw, svg_of
    from unveil.render._frame import Kind, swatch
    from unveil.render._json import finding_content, json_text, plain, table_content, value_content
    from unveil.render._text import cell_text, html_of, table_text, text_html, text_of
    from unveil.render._together import told_together

__all__, __getattr__ = lazily(__name__)
