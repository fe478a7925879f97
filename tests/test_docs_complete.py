"""Nothing is missing in the documentation, and what it lists is what there is."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from pages import PAGES, ROOT, blocks

import unveil as uv
from unveil.auditing import FIGURES
from unveil.auditing.parts import DEFAULT, PARTS
from unveil.cli._app import command_names, made_app

COMMANDS = command_names()
AUDIT = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reference() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        yield importlib.import_module("reference")


@pytest.fixture(scope="module")
def written(reference: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pages = reference.write_pages(tmp_path_factory.mktemp("reference"))
    return {page.name: page.read_text(encoding="utf-8") for page in pages}


def test_every_public_name_is_in_the_reference(
    reference: ModuleType, written: dict[str, str]
) -> None:
    there = set()
    for package in reference.PACKAGES:
        for name in reference.public_names(package):
            assert f"{{#unveil.{package}.{name}}}" in written[f"{package}.md"]
            there.add(name)
    assert set(uv.__all__) - there == {"__version__", "datasets"}


def test_every_public_name_of_the_package_says_what_it_is(
    reference: ModuleType, written: dict[str, str]
) -> None:
    for package in reference.PACKAGES:
        for part in re.split(r"^## ", written[f"{package}.md"], flags=re.MULTILINE)[1:]:
            name = part.split()[0]
            said = re.sub(r"```.*?```", "", part, flags=re.DOTALL).split("\n", 1)[1].strip()
            assert said or not name.startswith("uv."), f"{name} has no docstring"


def test_docstrings_become_markdown(reference: ModuleType) -> None:
    tried = doctest.testmod(importlib.import_module("reference._docstrings"))
    assert tried.attempted
    assert not tried.failed


def test_every_link_of_the_reference_leads_somewhere(written: dict[str, str]) -> None:
    anchors = {name: set(re.findall(r"\{#([\w.-]+)\}", text)) for name, text in written.items()}
    for page, text in written.items():
        for to, anchor in re.findall(r"\]\(([\w.]*)#([\w.]+)\)", text):
            assert anchor in anchors[to or page], (page, to, anchor)


def test_every_command_and_option_is_in_the_reference(written: dict[str, str]) -> None:
    parts = re.split(r"^## unveil ([\w-]+)", written["commands.md"], flags=re.MULTILINE)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert set(told) == set(COMMANDS)
    app = made_app()
    for name in COMMANDS:
        for argument in app[name].assemble_argument_collection(
            default_parameter=app.default_parameter
        ):
            for option in argument.names if argument.show else ():
                if option.startswith("--") and not option.startswith("--no-"):
                    assert option in told[name]


def test_every_command_is_explained() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"unveil {name}" in page


def rows(head: str) -> list[list[str]]:
    """The rows of the table of ``audit.md`` that begins with this head."""
    table = AUDIT.split(head, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in table]


def test_the_page_lists_the_attacks_that_there_are() -> None:
    listed = rows("| name | asks | by default | gives |")
    assert [row[0].strip(" `") for row in listed] == list(PARTS)
    for row, part in zip(listed, PARTS.values(), strict=True):
        assert f"({part.page}.md)" in row[1]
        assert row[2].strip() == ("yes" if part.name in DEFAULT else "no")
        assert tuple(re.findall("`([a-z_]+)`", row[3])) == part.figures


def test_the_page_lists_the_figures_that_there_are() -> None:
    listed = rows("| name | shown as | exactly | question | better |")
    assert [row[0].strip(" `") for row in listed] == list(FIGURES)
    for row, figure in zip(listed, FIGURES.values(), strict=True):
        assert row[1].strip() == figure.title
        assert row[3].strip() == str(figure.question)
        assert row[4].strip() == ("lower" if figure.lower_is_better else "higher")


def pages_in(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav if isinstance(nav, list) else nav.values():
            yield from pages_in(part)


def test_every_page_is_on_the_site(written: dict[str, str]) -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    listed = sorted(pages_in(site["project"]["nav"]))
    there = [page.name for page in PAGES if page.parent == ROOT / "docs"]
    assert listed == sorted([*there, *(f"reference/{name}" for name in written)])


LIMITS = re.compile(
    r"^## .*(?:limits|does not say)|\*It does not say\*", re.IGNORECASE | re.MULTILINE
)


def test_every_method_has_its_paper_and_its_limits() -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    methods = next(part["Methods"] for part in site["project"]["nav"] if "Methods" in part)
    for page in pages_in(methods):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        assert LIMITS.search(text), f"{page} does not say what its method is not for"
        assert re.search(r"\b(?:19[89]|20[012])\d\b", text), f"{page} names no paper"


def test_the_readme_links_to_what_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [to for to in re.findall(r"\]\(([^)#]+)", text) if "://" not in to]
    assert links
    assert all((ROOT / to).is_file() for to in links)


def test_the_picture_of_a_report_is_small() -> None:
    picture = (ROOT / "docs" / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 200_000


def texts_in(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | dict):
        for part in content if isinstance(content, list) else content.values():
            yield from texts_in(part)


def test_commands_for_ci_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "unveil.toml").touch()
    snippets = [b.text for page in PAGES for b in blocks(page) if b.language == "yaml"]
    typed = [
        shlex.split(text)
        for snippet in snippets
        for text in texts_in(yaml.safe_load(snippet))
        if text.startswith("unveil ")
    ]
    assert len(typed) == len(snippets) == 2
    for _, name, *words in typed:
        _, bound, _ = made_app().parse_args([name, *words])
        assert bound.arguments["table"].project == Path("unveil.toml")
