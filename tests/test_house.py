"""The house keeps its order: who may import whom, and what messages are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "unveil"

# From the bottom up; a room may import what stands in a line before its own, and its own line.
FLOORS = (
    {"_version", "_lazy", "_text", "_terminal", "_exits", "_compiled"},
    {"errors"},
    {"_faults"},
    {"options", "findings", "files", "_unpacked", "_memory", "_axes", "_named_options"},
    {"registry"},
    {"microdata"},
    {"engine", "roles"},
    {"sanitize", "adversary", "datasets"},
    {"attacks", "measures"},
    {"render", "hardening", "aligning"},
    {"report", "auditing", "projects"},
    {"testing", "cli", "__main__", "__init__"},
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Renderers are called by findings, and plug-ins by the registry: when used, not when imported.
ERRORS = {
    "AdversaryError", "GoalError", "HierarchyError", "InputError", "Message",
    "MissingValuesError", "OracleError", "UnveilError",
}  # fmt: skip
REPORTED = ("attacks", "measures", "sanitize/oracle", "microdata", "engine", "hardening")
"""Rooms whose messages reach a report."""


@cache
def modules() -> list[tuple[Path, str, ast.Module]]:
    files = [(path, path.relative_to(SOURCE).parts[0]) for path in sorted(SOURCE.rglob("*.py"))]
    return [
        (path, room.removesuffix(".py"), ast.parse(path.read_text("utf-8")))
        for path, room in files
    ]  # fmt: skip


def imports_at_the_top(tree: ast.Module) -> Iterator[str]:
    """Modules of ours that are imported when the module is; not those imported when used."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unveil"):
            if node.module == "unveil":
                yield from (f"unveil.{name.name}" for name in node.names)
            else:
                yield node.module or ""


def test_imports_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path, room, tree in modules()
        for module in imports_at_the_top(tree)
        if FLOOR_OF[module.split(".")[1]] > FLOOR_OF[room]
    ]
    assert wrong == []


def test_no_room_imports_what_is_private_to_another() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path, room, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (module := node.module or "").startswith("unveil.")
        for inner in [module.split(".")[1:]]
        if len(inner) > 1 and inner[0] != room and any(part.startswith("_") for part in inner[1:])
    ]
    assert wrong == []


@pytest.mark.parametrize("room", REPORTED)
def test_values_in_messages_are_marked(room: str) -> None:
    """A value that is pasted into a message's text could not be masked in a report."""
    pasted = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path, _, tree in modules()
        if path.is_relative_to(SOURCE / room)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS and node.args
        if any(isinstance(one, ast.FormattedValue) for one in ast.walk(node.args[0]))
    ]
    assert pasted == []
