"""The reports in Chromium: nothing asked of anybody, and everything to be seen and used."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from page_checks import CONTRAST, CUT_OFF, INTERACTIVE, MARKLESS, TABBED

pytest.importorskip("playwright", reason="the extra 'browser' is not installed")
pytestmark = pytest.mark.browser

LARGEST = 5_000_000
PAPER = 688  # pixels between the margins of a sheet of A4
Open = Callable[..., Any]


def unfold(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")


def is_private(report: Path) -> bool:
    return report.stem.endswith("-private")


def bare(text: str) -> str:
    """A text without what a printer changes: spaces, and letters that are drawn as one."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def test_it_opens_from_disk_and_asks_for_nothing(report: Path, opened: Open) -> None:
    assert report.stat().st_size <= LARGEST
    one = opened(report)
    unfold(one.page)
    one.page.wait_for_load_state("networkidle")
    assert one.messages == []
    assert one.asked == [one.address]


def test_every_chart_has_marks(report: Path, opened: Open) -> None:
    page = opened(report).page
    unfold(page)
    charts = page.locator(".drawing svg")
    # Of candidates, others see no curve over people.
    assert charts.count() >= (10 if is_private(report) else 5)
    assert page.evaluate(MARKLESS) == []
    # The check would notice: a chart without its marks is found.
    title = charts.first.locator("title").text_content()
    charts.first.evaluate("(svg) => svg.querySelectorAll('.mark').forEach((one) => one.remove())")
    assert page.evaluate(MARKLESS) == [title]


def test_charts_are_said_to_those_who_do_not_see_them(report: Path, opened: Open) -> None:
    page = opened(report).page
    unfold(page)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    for chart in page.locator(".drawing svg").all():
        assert chart.get_attribute("role") == "img"
        for name in (chart.get_attribute("aria-labelledby") or "").split():
            assert name in ids
        assert (chart.locator("title").text_content() or "").strip()
        assert (chart.locator("desc").text_content() or "").strip()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_and_marks_stand_out(report: Path, opened: Open, dark: bool) -> None:
    page = opened(report, dark=dark).page
    unfold(page)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is not dark
    found = page.evaluate(CONTRAST)
    assert found["poor"] == []
    assert found["texts"] > 300
    assert found["marks"] > (100 if is_private(report) else 40)


def test_contrast_is_really_measured(report: Path, opened: Open) -> None:
    page = opened(report).page
    page.add_style_tag(content="h2 { color: #999 !important } .mark * { fill: #eee !important }")
    poor = page.evaluate(CONTRAST)["poor"]
    assert any(one.startswith("text") for one in poor)
    assert any(one.startswith("mark") for one in poor)


def test_a_phone_does_not_scroll_sideways(report: Path, opened: Open) -> None:
    page = opened(report, width=390, height=844).page
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('.drawing text')]"
        ".map((one) => parseFloat(getComputedStyle(one).fontSize)"
        " * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b)))"
    )
    assert smallest >= 5.5


def test_nothing_is_cut_off_in_print(report: Path, opened: Open) -> None:
    page = opened(report, width=PAPER, height=971, dark=True).page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(CONTRAST)["poor"] == []


def test_it_prints_with_what_is_folded(report: Path, opened: Open) -> None:
    import pypdf

    page = opened(report).page
    sections = page.locator("main section h2").all_text_contents()
    assumed = page.locator("details > p").all_text_contents()
    file = pypdf.PdfReader(BytesIO(page.pdf(format="A4", prefer_css_page_size=True)))
    text = bare("".join(sheet.extract_text() for sheet in file.pages))
    for said in (*sections, *assumed):
        assert bare(said) in text
    assert len(file.pages) < 40


def test_all_of_it_can_be_reached_and_seen_by_keyboard(report: Path, opened: Open) -> None:
    page = opened(report).page
    there = page.evaluate(INTERACTIVE)
    reached = set()
    for _ in range(there + 1):
        page.keyboard.press("Tab")
        at = page.evaluate(TABBED)
        if at is None:
            break
        assert at["outlined"], at["what"]
        assert at["inside"], at["what"]
        reached.add(at["which"])
    assert len(reached) == there


def test_the_skip_link_leads_to_the_verdict(report: Path, opened: Open) -> None:
    page = opened(report).page
    link = page.locator("a.skip")
    assert (link.bounding_box() or {"x": 0})["x"] < 0
    page.keyboard.press("Tab")
    assert (link.bounding_box() or {"x": -1})["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#verdict"


def test_folded_parts_open_by_keyboard(report: Path, opened: Open) -> None:
    page = opened(report).page
    folded = page.locator("details").last
    assert folded.get_attribute("open") is None
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    assert folded.get_attribute("open") is not None
    page.keyboard.press("Space")
    assert folded.get_attribute("open") is None
