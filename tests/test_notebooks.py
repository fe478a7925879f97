"""The example notebooks run from top to bottom, and say what is stored in them.

They are executed here in this process, cell by cell in one namespace: no kernel, no Jupyter.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 1_000_000  # bytes
SECONDS = re.compile(r"\b\d[\d.]*(?= s\b)")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def read(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text(encoding="utf-8"))


def plain(text: str) -> str:
    """Without what differs from run to run, and without how lines are broken."""
    return "".join(SECONDS.sub("", text).split())


def run(source: str, names: dict[str, Any], where: str) -> str:
    """Execute a cell; returns what it prints, and what its last expression is."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = StringIO()
    # As wide as a notebook lets tables be.
    wide = pd.option_context("display.max_columns", 20, "display.width", 80)
    with redirect_stdout(printed), wide:
        exec(compile(tree, where, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
            if value is not None and not source.rstrip().endswith(";"):
                print(repr(value))
    return printed.getvalue()


def stored(cell: dict[str, Any]) -> str:
    """The texts that a cell has printed, and that of what it returned."""
    texts = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            assert output["name"] == "stdout"  # nothing was warned of
            texts += output["text"]
        elif output["output_type"] == "execute_result":
            texts += output["data"]["text/plain"]
        else:  # a picture
            assert output["output_type"] == "display_data"
    return "".join(texts)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_runs_and_says_the_same(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in read(file)["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, start=1):
        said = run("".join(cell["source"]), names, f"{file.name}, cell {number}")
        assert plain(said) == plain(stored(cell)), f"{file.name}, cell {number}"


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_it_is_executed_small_and_of_no_machine(file: Path) -> None:
    notebook = read(file)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {
        kind for cell in cells for output in cell["outputs"] for kind in output.get("data", ())
    }
    assert {"image/png", "text/html", "text/plain"} <= kinds
    assert file.stat().st_size < LARGEST
    assert all(cell["metadata"] == {} for cell in notebook["cells"])
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    texts = "".join(
        "".join(output.get("data", {}).get(kind, output.get("text", ())))
        for cell in cells
        for output in cell["outputs"]
        for kind in ("text/plain", "text/html")
    )
    assert not re.search(r"/(home|root|tmp|usr|Users|work)\b|\d{4}-\d\d-\d\dT", texts)


def test_there_are_two() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["differential_inference", "first_audit"]
