"""Names, values and notes that try to be something else are shown as the texts that they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import HOSTILE, OVERRIDE
from page_checks import CUT_OFF, MARKLESS

pytest.importorskip("playwright", reason="the extra 'browser' is not installed")
pytestmark = pytest.mark.browser

Open = Callable[..., Any]

TURNED = """([text, name]) => {
  // Whether what follows a name in a sentence is written from right to left.
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    const node = walk.currentNode, at = node.textContent.indexOf(text);
    const sentence = node.parentElement.closest('li, p, dd');
    if (at < 0 || !sentence || !sentence.textContent.includes(name)) continue;
    const [first, last] = [at, at + text.length - 1].map((place) => {
      const range = document.createRange();
      range.setStart(node, place);
      range.setEnd(node, place + 1);
      return range.getBoundingClientRect();
    });
    if (first.width && Math.abs(first.top - last.top) < 3) found.push(first.left > last.left);
  }
  return found;
}"""


def test_nothing_runs_and_nothing_is_asked_for(hostile: Path, opened: Open) -> None:
    one = opened(hostile)
    one.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for link in one.page.locator("a[href]").all():
        assert (link.get_attribute("href") or "").startswith("#")
    for head in one.page.locator("th button").all():
        head.click()
    one.page.wait_for_load_state("networkidle")
    assert one.dialogs == []
    assert one.messages == []
    assert one.asked == [one.address]
    assert one.page.locator("img, iframe, object, embed, b, main script").count() == 0
    assert one.page.evaluate(MARKLESS) == []


def test_all_of_them_are_shown_as_they_are(hostile: Path, opened: Open) -> None:
    page = opened(hostile).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    shown = page.evaluate("document.body.innerText")
    for text in (*HOSTILE, OVERRIDE):
        assert " ".join(text.split()) in " ".join(shown.split())
    assert "49 " not in page.locator("dd").all_text_contents()
    assert page.title() == f"Audit of {HOSTILE[4]} (private)"


FOLLOWING = (" own", ", reads what", " attacker", " people")
"""What follows names in sentences of the page."""


def test_a_name_turns_nothing_but_itself(hostile: Path, opened: Open) -> None:
    page = opened(hostile).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    def turned() -> list[bool]:
        return [one for text in FOLLOWING for one in page.evaluate(TURNED, [text, OVERRIDE])]

    assert turned()
    assert not any(turned())
    # The check would notice: without isolation, what follows is turned round.
    page.evaluate(
        "document.querySelectorAll('bdi').forEach((one) => one.replaceWith(...one.childNodes))"
    )
    page.evaluate("document.body.normalize()")
    assert any(turned())


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_widen_no_page(hostile: Path, opened: Open, width: int) -> None:
    page = opened(hostile, width=width).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_long_names_are_not_cut_off_in_print(hostile: Path, opened: Open) -> None:
    page = opened(hostile, width=688).page
    page.emulate_media(media="print")
    assert page.evaluate(CUT_OFF) == []
