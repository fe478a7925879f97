"""Every finding shows itself in a notebook and draws itself, whatever the data is called."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import sys
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import unveil as uv
from unveil.auditing import compare_audits
from unveil.findings import Finding

# A tag, an attribute's end, a spreadsheet's formula, a formula of TeX that is none, and a text
# from right to left.
AGE, TOWN, VOTE = '"><img src=x onerror=alert(1)>', "=HYPERLINK($x) مرحبا", "$\\frac{<b>$"
TOWNS = {"Nice": "<script>alert(1)</script>", "Lyon": "$\\no $1,000", "Rome": "</pre>&amp;"}
VOTES = {"a": "<td>a", "b": "$b_", "c": "c'\""}
KINDS = {"Cells": "mondrian k", "Anatomy": "anatomy", "LaplaceCounts": "laplace counts",
         "CrossTables": "cross tables"}  # fmt: skip


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@cache
def pairs() -> ModuleType:
    """The catalogue of everything there is, on a table whose texts are out for trouble."""
    path = Path(__file__).with_name("test_every_pair.py")
    spec = importlib.util.spec_from_file_location("every_pair_in_trouble", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    people = module.PEOPLE
    table = {
        "name": people["name"], AGE: people["age"].astype(int),
        TOWN: people["town"].map(TOWNS), VOTE: people["vote"].map(VOTES),
    }  # fmt: skip
    towns = [(TOWNS["Nice"], "<i>", "*"), (TOWNS["Lyon"], "<i>", "*"), (TOWNS["Rome"], "$it", "*")]
    module.TABLE = uv.read_table(
        table, identifier="name", quasi=[AGE, TOWN], sensitive=VOTE,
        hierarchies={
            AGE: lambda ages: uv.interval_hierarchy(ages, widths=(10, 20)),
            TOWN: uv.Hierarchy.from_paths(towns),
        },
    )  # fmt: skip
    module.PEOPLE = module.TABLE.to_frame().assign(name=people["name"])
    module.OTHER = uv.Mondrian(k=4).sanitize(module.TABLE)
    town, vote = module.TABLE.quasi[1].name, module.TABLE.sensitive.name
    module.SANITIZERS["cross tables"] = (
        "CrossTables", uv.CrossTables(tables=[[town, vote]], suppress=3)
    )  # fmt: skip
    module.EVERYTHING["similarity"] = module.Of(
        lambda release: uv.similarity(release, [[VOTES["a"], VOTES["b"]], [VOTES["c"]]])
    )
    return module


@cache
def found(name: str) -> Finding:
    if name == "audit":
        return audited()
    if name == "compare_audits":
        table = pairs().TABLE
        after = uv.audit(table, {"Mondrian(k=3)": uv.Mondrian(k=6)}, attacks=QUICK, progress=False)
        before = uv.audit(table, "mondrian:k=3", attacks=QUICK, progress=False)
        return compare_audits(before.to_dict(), after.to_dict())
    if name in BY_PERSON:
        return BY_PERSON[name](uv.Mondrian(k=3).sanitize(stays()))
    one = pairs().EVERYTHING[name]
    kind = next(kind for kind in KINDS if pairs().stated()[name][kind])
    given = pairs().SANITIZERS[KINDS[kind]][1]
    if one.takes == "release":
        given = pairs().release_of(KINDS[kind])
    return one.call(given)


QUICK = ["measures", "linkage", "utility"]


def audited() -> uv.Audit:
    return uv.audit(
        pairs().TABLE, ["mondrian:k=3", uv.LaplaceCounts(epsilon=1)], attacks=QUICK,
        fail_on=["k < 3", "loss > 1%"], progress=False,
    )  # fmt: skip


@cache
def stays() -> uv.Microdata:
    """The same people, some of whom have several rows."""
    table = pairs().TABLE.to_frame()
    table["whose"] = [f"p{i // 2}" for i in range(len(table))]
    names = [column.name for column in pairs().TABLE.quasi]
    return uv.read_table(table, quasi=names, sensitive=pairs().TABLE.sensitive.name,
                         person="whose")  # fmt: skip


BY_PERSON: dict[str, Callable[[Any], Finding]] = {
    "measures by person": uv.measures,
    "linkage by person": lambda release: uv.linkage(release, stays(), microdata=stays()),
    "composition by person": lambda release: uv.composition([release, release], stays()),
}
NAMES = [*pairs().EVERYTHING, *BY_PERSON, "audit", "compare_audits"]


class Reader(HTMLParser):
    """Reads what a notebook shows, and refuses what nobody meant to write."""

    OURS = frozenset(["pre", "span", "b", "bdi", "div", "p", "ul", "li", "table", "tr", "th", "td"])

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.OURS
        assert {name for name, _ in attrs} <= {"class", "style", "scope", "colspan", "title"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self.open
        self.text += data


def read(html: str) -> str:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader.text


@pytest.mark.parametrize("name", NAMES)
def test_it_is_shown_as_text(name: str) -> None:
    finding = found(name)
    text = read(finding._repr_html_())
    if name == "audit":
        assert "✗ Fails" in text
        assert TOWN in text
        assert VOTE in text
    else:
        assert re.sub(r"\s+", "", text) == re.sub(r"\s+", "", finding.summary())


@pytest.mark.parametrize("name", NAMES)
def test_it_draws_itself(name: str) -> None:
    drawn = found(name).plot()
    assert isinstance(drawn, Axes)
    assert drawn.has_data()
    drawn.figure.set_dpi(30)
    drawn.figure.canvas.draw()  # texts are set only now, and a formula that is none would be told
    mine = Figure(figsize=(4, 3)).subplots()
    assert found(name).plot(ax=mine) is mine
    assert mine.has_data()


def kinds_of(finding: type[Finding]) -> set[type[Finding]]:
    return {finding}.union(*(kinds_of(kind) for kind in finding.__subclasses__()))


def test_no_finding_is_forgotten() -> None:
    for room in pkgutil.iter_modules(uv.__path__, "unveil."):
        if room.name not in ("unveil.__main__", "unveil.testing"):
            import_module(room.name)
    # Those of the command line are printed there, and nowhere else.
    kinds = {
        kind
        for kind in kinds_of(Finding)
        if kind.__module__.startswith("unveil.")
        and not kind.__module__.startswith("unveil.cli")
        and kind is not Finding
        and not kind.__subclasses__()  # what several findings share
    }
    assert [kind.__name__ for kind in kinds if not hasattr(kind, "plot")] == []
    shown = {type(found(name)) for name in NAMES}
    # Of one value of the keys: it is told by a function that takes the value, too. And where a
    # person has several rows, which has tests of its own.
    assert {kind.__name__ for kind in kinds - shown} <= {"ValueDiscrimination"}


def test_what_one_value_says_is_drawn() -> None:
    release: Any = pairs().release_of("mondrian k")
    cells = uv.discrimination_rate(release, by=TOWN).by_value[0].values
    finding = uv.discrimination_rate(release, value=cells)
    assert type(finding).__name__ == "ValueDiscrimination"
    drawn = finding.plot()
    drawn.figure.canvas.draw()
    assert [round(patch.get_width(), 9) for patch in drawn.patches] == [
        round(finding.entropy, 9), round(finding.value.entropy, 9)
    ]  # fmt: skip


def test_a_rate_that_is_undefined_has_no_picture() -> None:
    same = uv.read_table({"a": [1, 2], "s": ["x", "x"]}, quasi="a", sensitive="s")
    with pytest.raises(uv.UnveilError, match="nothing to draw"):
        uv.discrimination_rate(same).plot()
    before = audited().to_dict()
    with pytest.raises(uv.UnveilError, match="no figure that both audits have has changed"):
        compare_audits(before, before).plot()
