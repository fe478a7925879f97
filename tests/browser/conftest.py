"""Reports in a real browser: Chromium, headless, as it is installed on this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import HOSTILE, OVERRIDE

import unveil as uv
from unveil.render.page import page_of

REPORTS = Path(__file__).resolve().parents[2] / "reports-out"
Open = Callable[..., "Opened"]


class Opened:
    """A page, with all that it said on the console, asked for, and popped up."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.messages: list[str] = []
        self.asked: list[str] = []
        self.dialogs: list[str] = []
        page.on("console", lambda said: self.messages.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", self._dismiss)
        self.address = file.as_uri()
        page.goto(self.address)

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium: install it, on Debian with apt-get install chromium")
    with sync_playwright() as playwright:
        # Without a sandbox, as it has none for root, and the page is our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Open]:
    contexts = []

    def open_it(file: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> Opened:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        contexts.append(context)
        return Opened(context.new_page(), file)

    yield open_it
    for context in contexts:
        context.close()


@pytest.fixture
def private_demo() -> Path:
    """The demo's report as its owner sees it: with curves over people and tables of them."""
    return made("demo-private")


@pytest.fixture(params=["demo", "demo-private", "adult", "internet_usage"])
def report(request: pytest.FixtureRequest) -> Path:
    """Each of the reports that ``make reports`` makes."""
    if request.param in ("adult", "internet_usage"):
        request.getfixturevalue("real_data")
    return made(request.param)


def made(name: str) -> Path:
    file = REPORTS / f"{name}.html"
    assert file.is_file(), f"there is no {file.name} in reports-out; make it with: make reports"
    return file


@pytest.fixture(scope="session")
def hostile_audit() -> dict[str, Any]:
    """People, columns, values, releases, a file and notes that try to be more than text."""
    n = 60
    names = HOSTILE[:3]
    columns = {
        OVERRIDE: [HOSTILE[i % 4] for i in range(n)],
        names[0]: [HOSTILE[4 + i % 4] for i in range(n)],
        names[1]: [HOSTILE[i * i % len(HOSTILE)] for i in range(n)],
    }
    table = uv.read_table(columns, quasi=[OVERRIDE, names[0]], sensitive=names[1])
    others = (HOSTILE[0], HOSTILE[1], HOSTILE[6], HOSTILE[10])
    releases = {OVERRIDE: "identity", **dict.fromkeys(others, "mondrian:k=5")}
    found = uv.audit(table, releases, private=True, progress=False)
    audit: dict[str, Any] = json.loads(found.to_json())
    audit["data"] |= {"source": HOSTILE[4], "notes": list(HOSTILE)}
    audit["reproduce"]["command"] = " ".join(HOSTILE)
    audit["secrets"][0]["releases"][0]["notes"] = list(HOSTILE)
    audit["secrets"][0]["sections"][0]["looked"][0]["notes"] = list(HOSTILE)
    return audit


@pytest.fixture(scope="session")
def hostile(hostile_audit: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hostile") / "<b>report & co.html"
    file.write_text(page_of(hostile_audit), encoding="utf-8")
    return file
