"""The page of an audit: complete, harmless, and without a request to anywhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

import unveil as uv
from unveil.render import svg_of as drawn
from unveil.render.page import page_of

NASTY = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', '=HYPERLINK("http://x.y")',
    "שלום עולם", "🦄 & <b>", "{{ 7 * 7 }}", "$x^2$", "#010203",
)  # fmt: skip
OUTSIDE = re.compile(r"@import|url\((?!#)|//")
VOID = {"meta", "br", "wbr", "img", "link", "input", "hr"}


class Outline(HTMLParser):
    """Tags that were opened and closed, and what is written on the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def audit() -> dict[str, Any]:
    """People, columns and values that try to be something else than text."""
    n = 60
    table = {
        NASTY[0]: [NASTY[i % 4] for i in range(n)],
        NASTY[1]: [NASTY[4 + i % 4] for i in range(n)],
        NASTY[2]: [NASTY[i * i % 8] for i in range(n)],
    }
    microdata = uv.read_table(table, quasi=[NASTY[0], NASTY[1]], sensitive=NASTY[2])
    found = uv.audit(
        microdata, {NASTY[0]: "identity", NASTY[1]: "mondrian:k=5"}, fail_on="k < 3",
        private=True, progress=False,
    )  # fmt: skip
    return json.loads(found.to_json())


@pytest.fixture(scope="module")
def page(audit: dict[str, Any]) -> str:
    return page_of(audit)


def test_tags_are_closed_and_all_parts_are_there(audit: dict[str, Any], page: str) -> None:
    outline = Outline(page)
    assert outline.open == []
    ids = [attributes["id"] for _, attributes in outline.seen if "id" in attributes]
    for section in audit["secrets"][0]["sections"]:
        assert f"{section['part']}-1" in ids
    links = [
        str(attributes["href"])[1:]
        for tag, attributes in outline.seen
        if tag == "a" and str(attributes["href"]).startswith("#")
    ]
    assert set(links) <= set(ids)
    assert {"verdict", "releases-1", "questions", "glossary", "reproduce"} <= set(ids)


def test_every_column_has_a_head_to_sort_by(page: str) -> None:
    heads = re.findall(r'<th[^>]*><button type="button">(.*?)</button>', page, flags=re.DOTALL)
    assert len(heads) > 10
    assert all(re.sub("<[^>]*>", "", head).strip() for head in heads)


def test_names_are_text_and_nothing_else(page: str) -> None:
    outline = Outline(page)
    tags = [tag for tag, _ in outline.seen]
    assert tags.count("script") == 1
    assert not {"img", "b", "iframe", "object"} & set(tags)
    assert not [name for _, attributes in outline.seen for name in attributes if name[:2] == "on"]
    text = "".join(outline.text)
    for nasty in NASTY[:2]:
        assert nasty in text
    assert NASTY[5] in text


def test_nothing_is_asked_of_anybody(page: str) -> None:
    for tag, attributes in Outline(page).seen:
        for name in {"src", "href", "xlink:href", "action", "srcset", "data"} & set(attributes):
            assert str(attributes[name]).startswith("#"), (tag, attributes)
        assert not OUTSIDE.search(attributes.get("style") or "")
    for style in re.findall(r"<style.*?</style>", page, flags=re.DOTALL):
        assert not OUTSIDE.search(style)
    assert "default-src 'none'" in page


def test_every_chart_has_marks_and_the_colours_of_the_page(audit: dict[str, Any]) -> None:
    charts = [one for section in audit["secrets"][0]["sections"] for one in section["charts"]]
    assert {one["kind"] for one in charts} == {"distribution", "histogram", "bars", "heatmap"}
    for one in charts:
        svg = drawn(one, "c")
        root = ElementTree.fromstring(svg)
        marks = [e for e in root.iter() if e.get("class") == "mark"]
        assert len(marks) >= len(one["series"] or one["matrix"]["cells"])
        assert "var(--series-1)" in svg
        names = [e.get("id", "") for e in root.iter() if "id" in e.attrib]
        assert all(name.startswith("c-") for name in names)
        assert len(names) == len(set(names))
        assert not re.search(r"(?:fill|stroke): #(?!none)", svg)


def test_what_is_written_in_a_chart_stays_as_it_is(audit: dict[str, Any]) -> None:
    bars = {
        "kind": "bars", "title": "", "says": "",
        "x": {"label": "", "scale": "names", "share": False},
        "y": {"label": "", "scale": "linear", "share": False},
        "series": [{"name": "s", "x": list(NASTY), "y": [1.0] * len(NASTY), "low": [],
                    "high": [], "marks": []}],
        "matrix": None, "coarse": False,
    }  # fmt: skip
    root = ElementTree.fromstring(drawn(bars))
    texts = {"".join(e.itertext()).strip() for e in root.iter() if e.tag.endswith("}text")}
    for nasty in NASTY:
        assert nasty in texts


def test_a_report_with_records_says_so_at_its_top(audit: dict[str, Any], page: str) -> None:
    warning = "Private: do not hand on."
    assert warning in page.split("<main>")[0]
    assert warning not in page_of(audit | {"private": False})
