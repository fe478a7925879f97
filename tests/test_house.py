"""The house keeps its order: who may import whom, and what messages are made of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "unveil"

# From the bottom up; a room may import what stands in a line before its own, and its own line.
FLOORS = (
    {"_version", "_lazy", "_text", "_terminal", "_exits", "_compiled", "_signals"},
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


# The words of errors ------------------------------------------------------------------------

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
# They print to whoever runs them, or say what kind of error it was and where.
OWN_READERS = {"cli", "testing", "_faults", "_compiled", "__main__"}
MARKS = {"Foreign", "Cell"}
# Words that are kept as data of the owner's finding, and are marked wherever they are told.
KEPT = {
    ("attacks/shared.py", "each_if_not_all"),
    ("attacks/differential/_beliefs.py", "lack"),
    ("attacks/membership/_attackers.py", "_ask_without"),
    ("sanitize/oracle/_function.py", "__init__"),
    ("adversary/_classifier.py", "_anew"),
}


def named(node: ast.expr | None) -> str:
    """The last name of what is called, or of an annotation."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


MADE_OF_TEXTS = ERRORS | {"HiccupError", "InternalError", "UnreadableError"}
OF_TEXTS = {"lower", "partition", "replace", "removeprefix", "removesuffix", "upper"}


def is_of_errors(annotation: ast.expr | None) -> bool:
    text = "" if annotation is None else ast.unparse(annotation)
    return any(word in text for word in ("Exception", "Error")) and "type[" not in text


def parameters(function: FUNCTIONS) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


@cache
def word_givers() -> frozenset[str]:
    """Functions of an error that return its words, directly or by another one of these."""
    given = [
        (node, frozenset(one.arg for one in parameters(node) if is_of_errors(one.annotation)))
        for _, _, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and node.returns and ast.unparse(node.returns) == "str"
    ]
    found: frozenset[str] = frozenset()
    while True:
        more = frozenset(
            function.name for function, errors in given
            if any(gives_words(node, errors, found) for node in ast.walk(function))
        )  # fmt: skip
        if more == found:
            return found
        found = more


def words_of_errors(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Where the words of an error become a plain text that is not marked, and in which function."""

    def look(node: ast.AST, errors: frozenset[str], inside: str, free: bool) -> Iterator[Any]:
        if isinstance(node, FUNCTIONS):
            inside = node.name
            errors |= {one.arg for one in parameters(node) if is_of_errors(one.annotation)}
            free = inside in word_givers()
        if isinstance(node, ast.ExceptHandler) and node.name:
            errors |= {node.name}
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.Call) and named(node.func) in MARKS
        ):
            free = True
        if not free and gives_words(node, errors, word_givers()):
            yield node, inside
        for child in ast.iter_child_nodes(node):
            yield from look(child, errors, inside, free)

    yield from look(tree, frozenset(), "", False)


def gives_words(node: ast.AST, errors: frozenset[str], givers: frozenset[str]) -> bool:
    """Whether an expression is the words of one of these errors."""
    if isinstance(node, ast.FormattedValue):
        return named(node.value) in errors and isinstance(node.value, ast.Name)
    if isinstance(node, ast.Attribute):
        return named(node.value) in errors and node.attr in ("args", "strerror", "reason", "msg")
    if not isinstance(node, ast.Call) or not any(
        isinstance(one, ast.Name) and one.id in errors for one in node.args
    ):
        return False
    return named(node.func) in {"str", "repr", "format"} | givers


def test_what_errors_say_is_marked() -> None:
    """Errors of other programs, models and libraries say anything, records of people included.

    Our own are passed on as they are, ``error=error``, so that their parts stay marked.
    """
    found = {
        (path.relative_to(SOURCE).as_posix(), function, node.lineno)
        for path, room, tree in modules()
        if room not in OWN_READERS
        for node, function in words_of_errors(tree)
    }
    assert sorted(one for one in found if one[:2] not in KEPT) == []
    assert {one[:2] for one in found} == KEPT, "what is not there any more is not excepted"


@cache
def message_makers() -> frozenset[str]:
    """Functions and classes whose result is a message, or a text of ours with its parts."""
    return frozenset(
        node.name
        for _, _, tree in modules()
        for node in ast.walk(tree)
        if (isinstance(node, ast.ClassDef) and any(named(one) == "Message" for one in node.bases))
        or (isinstance(node, FUNCTIONS) and node.returns and (
            re.search(r"\b(Message|Text)\b|^tuple\[str, dict", ast.unparse(node.returns))))
    ) | {"Message"}  # fmt: skip


def is_written(text: ast.expr, function: ast.AST, seen: frozenset[str] = frozenset()) -> bool:
    """Whether the text of a message is made of texts that stand in our source."""
    if isinstance(text, ast.Constant | ast.JoinedStr):  # of the latter there is a test of its own
        return True
    if isinstance(text, ast.BinOp):
        return all(is_written(one, function, seen) for one in (text.left, text.right))
    if isinstance(text, ast.IfExp):
        return all(is_written(one, function, seen) for one in (text.body, text.orelse))
    if isinstance(text, ast.Tuple):
        return all(is_written(one, function, seen) for one in text.elts)
    if isinstance(text, ast.Subscript):
        return is_written(text.value, function, seen)
    if isinstance(text, ast.Call) and named(text.func) in message_makers() - word_givers():
        return True
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
        return text.func.attr in OF_TEXTS and is_written(text.func.value, function, seen)
    if isinstance(text, ast.Attribute):
        return text.attr == "message" or (text.attr == "text" and named(text.value) == "message")
    if isinstance(text, ast.Name):
        return text.id in seen or all(
            is_written(value, function, seen | {text.id})
            for value in values_given(text.id, function)
        )
    return False


def values_given(name: str, function: ast.AST) -> Iterator[ast.expr]:
    """What a name is in a function; nothing for a parameter."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign | ast.AugAssign | ast.NamedExpr | ast.AnnAssign):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if named(target) == name and node.value is not None:
                yield node.value
            elif isinstance(target, ast.Tuple) and name in map(named, target.elts):
                place = [named(one) for one in target.elts].index(name)
                of = node.value
                yield of.elts[place] if isinstance(of, ast.Tuple) else of


def test_the_text_of_a_message_is_written_by_us() -> None:
    """What was said elsewhere is a part, or it would be the template, and could not be masked."""
    wrong = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path, room, tree in modules()
        if room not in OWN_READERS
        for line in texts_not_written(tree)
    }
    assert sorted(wrong) == []


def texts_not_written(tree: ast.Module) -> Iterator[int]:
    for function in ast.walk(tree):
        if not isinstance(function, FUNCTIONS):
            continue
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or named(call.func) not in MADE_OF_TEXTS:
                continue
            if call.args and not is_written(call.args[0], function):
                yield call.lineno


@pytest.mark.parametrize(
    "code",
    [
        "raise InputError('{why}', why=str(error))",
        "raise InputError('{why}', why=error.strerror or 'odd')",
        "text = f'it said {error!r}'",
        "return said(error)",
        "return Message('{why}', why=error.args[0])",
    ],
)
def test_words_of_errors_are_found(code: str) -> None:
    tree = ast.parse(f"def ask():\n    try: work()\n    except Exception as error:\n        {code}")
    assert [function for _, function in words_of_errors(tree)] == ["ask"]


@pytest.mark.parametrize(
    "code",
    [
        "raise AdversaryError(next(iter(failed.values())))",
        "text = said(error)\n    raise InputError(text)",
        "text, n = heard(), 1\n    raise InputError('it said ' + text)",
        "return Message(reply.text)",
    ],
)
def test_texts_that_were_made_are_found(code: str) -> None:
    assert len([*texts_not_written(ast.parse(f"def ask(error):\n    {code}"))]) == 1
