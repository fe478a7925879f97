"""Tables sort: by click and by keyboard, numbers as numbers, and what is empty last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unveil.render.page import page_of

pytest.importorskip("playwright", reason="the extra 'browser' is not installed")
pytestmark = pytest.mark.browser

ROWS = [
    ["k=16", [9.0, "9"]],
    ["", [None, "–"]],
    ["k=2", [-1.5, "-1.5"]],
    ["älter", [1000.0, "1,000"]],
    ["alt", [9.0, "9"]],
]
BY_TEXT = ["alt", "älter", "k=2", "k=16"]
BY_NUMBER = ["k=2", "k=16", "alt", "älter"]  # those that are alike in their order


@pytest.fixture
def page(hostile_audit: dict[str, Any], tmp_path: Path, opened: Callable[..., Any]) -> Any:
    table = {
        "title": "Sorted", "says": "",
        "columns": [{"title": "text", "number": False}, {"title": "number", "number": True}],
        "rows": ROWS,
    }  # fmt: skip
    first, *others = hostile_audit["secrets"][0]["sections"]
    secret = hostile_audit["secrets"][0] | {"sections": [first | {"tables": [table]}, *others]}
    file = tmp_path / "sorted.html"
    file.write_text(page_of(hostile_audit | {"secrets": [secret]}), encoding="utf-8")
    return opened(file).page.get_by_role("region", name="Sorted", exact=True)


def order(table: Any) -> list[str]:
    return [text.strip() for text in table.locator("tbody td:first-child").all_text_contents()]


def sorted_by(table: Any) -> list[str | None]:
    return [head.get_attribute("aria-sort") for head in table.locator("th").all()]


def press(table: Any, head: str, how: str) -> None:
    button = table.get_by_role("button", name=head, exact=True)
    if how == "click":
        button.click()
    else:
        button.focus()
        button.press(how)


@pytest.mark.parametrize("how", ["click", "Enter", "Space"])
def test_tables_sort_both_ways(page: Any, how: str) -> None:
    assert sorted_by(page) == [None, None]
    press(page, "text", how)
    assert order(page) == [*BY_TEXT, ""]
    assert sorted_by(page) == ["ascending", None]
    press(page, "text", how)
    assert order(page) == [*BY_TEXT[::-1], ""]
    assert sorted_by(page) == ["descending", None]
    press(page, "number", how)
    assert order(page) == [*BY_NUMBER, ""]
    assert sorted_by(page) == [None, "ascending"]
    press(page, "number", how)
    assert order(page) == ["älter", "k=16", "alt", "k=2", ""]
    assert sorted_by(page) == [None, "descending"]


def test_tables_of_the_demo_sort(private_demo: Path, opened: Callable[..., Any]) -> None:
    page = opened(private_demo).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tables = page.locator("table.sortable").all()
    assert len(tables) >= 2
    for table in tables:
        before = sorted(table.locator("tbody tr").all_text_contents())
        for head in table.locator("th button").all():
            head.click()
        after = table.locator("tbody tr").all_text_contents()
        assert sorted(after) == before
        assert table.locator("th[aria-sort]").count() == 1
