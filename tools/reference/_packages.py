"""Public packages: every name with its signature and its docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import unveil
from reference._docstrings import as_markdown
from unveil.findings import Finding

__all__ = ["PACKAGES", "package_page", "public_names"]

PACKAGES = {
    "auditing": "Audits",
    "attacks": "Attacks",
    "measures": "Measures",
    "microdata": "Tables and releases",
    "sanitize": "Sanitizers",
    "adversary": "Adversaries",
    "hardening": "Hardening",
    "aligning": "Two files",
    "projects": "Projects",
    "datasets": "Datasets",
    "errors": "Errors",
    "testing": "Tests",
}
"""The public packages, in the order of the site, and what they are about."""

_LONG = 88  # a signature that is longer has a line for each parameter


@cache
def things(package: str) -> dict[str, Any]:
    """The public names of a package and, for the attacks, of its rooms, with what they are."""
    module = importlib.import_module(f"unveil.{package}")
    rooms = []
    if package == "attacks":
        found = pkgutil.iter_modules(module.__path__, "unveil.attacks.")
        rooms = [one for one in found if one.ispkg]
    modules = [module, *(importlib.import_module(one.name) for one in rooms)]
    return {
        name: getattr(one, name)
        for one in modules
        for name in getattr(one, "__all__", ())
        if name != "DECLARATION"
    }


@cache
def public_names(package: str) -> tuple[str, ...]:
    """The names of a package, those that ``unveil`` has itself first."""
    names = things(package)
    return tuple(sorted(names, key=lambda name: (name not in unveil.__all__, name.lower(), name)))


def package_page(package: str) -> str:
    """The page of a package."""
    module = importlib.import_module(f"unveil.{package}")
    parts = [
        f"# {PACKAGES[package]}",
        f"`unveil.{package}`. What is also `uv.NAME`, after `import unveil as uv`, comes first.",
        as_markdown(inspect.getdoc(module) or "", _link_from(package)),
    ]
    for name in public_names(package):
        parts += _described(package, name, things(package)[name])
    return "\n\n".join(parts) + "\n"


def _link_from(package: str) -> Any:
    def link(name: str) -> str | None:
        plain = name.removeprefix("unveil.").removeprefix("uv.").split(".")[-1]
        for home in (package, *PACKAGES):
            if plain in public_names(home) and name.count(".") <= 2:
                return f"{'' if home == package else f'{home}.md'}#{_anchor(home, plain)}"
        return None

    return link


def _anchor(package: str, name: str) -> str:
    return f"unveil.{package}.{name}"


def _described(package: str, name: str, thing: Any) -> Iterator[str]:
    short = f"uv.{name}" if name in unveil.__all__ else f"{package}.{name}"
    yield f"## {short} {{#{_anchor(package, name)}}}"
    if inspect.isclass(thing) or inspect.isroutine(thing):
        # Findings are made by attacks and measures: nobody needs to know how.
        if not (inspect.isclass(thing) and issubclass(thing, Finding)):
            yield _code(f"{name}{_signature(thing)}")
        yield as_markdown(_docstring(thing), _link_from(package))
    else:
        yield _code(f"{name}: {type(thing).__name__}")
    if inspect.isclass(thing):
        yield from _members(package, thing)


def _members(package: str, kind: type) -> Iterator[str]:
    listed = []
    for name, member in _own_members(kind):
        said = as_markdown(_docstring(member), _link_from(package)).split("\n\n")[0]
        call = "" if isinstance(member, property) else _signature(member)
        listed.append(f"- `{name}{call}`<br>{said.replace(chr(10), ' ')}")
    if listed:
        yield "**Methods and properties**"
        yield "\n".join(listed)


def _own_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties that unveil documents, wherever in the family they are."""
    for name, member in inspect.getmembers_static(kind):
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        public = not name.startswith("_") and isinstance(plain, property | type(_anchor))
        if public and _docstring(plain) and _home(plain).startswith("unveil"):
            yield name, plain


def _home(member: Any) -> str:
    where = member.fget if isinstance(member, property) else member
    return str(getattr(where, "__module__", ""))


def _docstring(thing: Any) -> str:
    """What the code says itself: not what dataclasses write where nobody did."""
    said = inspect.getdoc(thing) or ""
    return "" if said.startswith(f"{getattr(thing, '__name__', '')}(") else said


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    if inspect.isclass(thing):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    said = str(signature.replace(parameters=parameters))
    return said.replace("'", "").replace("<factory>", "…")


def _code(text: str) -> str:
    if len(text) > _LONG:
        text = _broken(text)
    return f"```python\n{text}\n```"


def _broken(text: str) -> str:
    """A signature with a line for each parameter."""
    depth, lines = 0, [""]
    for letter in text:
        closes = letter in ")]}"
        depth -= closes
        if closes and depth == 0 and letter == ")" and len(lines) > 1:
            lines += [""]
        lines[-1] += letter
        depth += letter in "([{"
        opens = letter == "(" and depth == 1 and len(lines) == 1
        if opens or (letter == "," and depth == 1):
            lines.append("    ")
    return "\n".join(line.rstrip().replace("     ", "    ") for line in lines)
