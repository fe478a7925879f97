"""Docstrings in numpydoc's form, as Markdown.

Only what the house's docstrings use: text, doctests, and the sections that numpydoc names. A word
in single backquotes that is a public name becomes a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["as_markdown"]

_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
_HEAD = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_NAMED = re.compile(r"(?<!`)`(\w[\w.]*)`(?!`)")

Link = Callable[[str], str | None]


def as_markdown(docstring: str, link: Link) -> str:
    """A docstring, cleaned of its indentation, as Markdown.

    >>> print(as_markdown("Say *k*.\\n\\nParameters\\n----------\\nk : int\\n    At least 2.", str))
    Say *k*.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `k`: *int*<br>At least 2.
    """
    parts = _HEAD.split(docstring)
    made = [_text(parts[0], link)]
    for head, body in zip(parts[1::2], parts[2::2], strict=True):
        made += [f"**{head}**", _items(body, link) if head in _LISTS else _text(body, link)]
    return "\n\n".join(part for part in made if part)


def _text(text: str, link: Link) -> str:
    """Paragraphs, in which what begins with ``>>>`` is an example."""
    return "\n\n".join(_paragraphs(text, link))


def _paragraphs(text: str, link: Link) -> Iterator[str]:
    examples: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if paragraph.lstrip().startswith(">>>"):
            examples.append(paragraph)
            continue
        if examples:
            yield _example(examples)
            examples = []
        if paragraph.strip():
            yield _linked(paragraph, link)
    if examples:
        yield _example(examples)


def _example(paragraphs: list[str]) -> str:
    lines = "\n\n".join(paragraphs).replace("<BLANKLINE>", "").splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(["```pycon", *(line[indent:] for line in lines), "```"])


def _items(body: str, link: Link) -> str:
    """``name : type`` with an indented text, as a list."""
    items: list[tuple[str, list[str]]] = []
    for line in body.strip("\n").splitlines():
        if line and not line.startswith(" "):
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    return "\n".join(_item(head, " ".join(filter(None, text)), link) for head, text in items)


def _item(head: str, text: str, link: Link) -> str:
    name, colon, kind = head.partition(" : ")
    names = ", ".join(f"`{one}`" for one in name.split(", "))
    said = f"- {names}: *{_literal(kind)}*" if colon else f"- {names}"
    return f"{said}<br>{_linked(text, link)}" if text else said


def _literal(kind: str) -> str:
    """A type in words, in which stars and underscores are meant as such."""
    return re.sub(r"([*_<>])", r"\\\1", kind)


def _linked(text: str, link: Link) -> str:
    def linked(found: re.Match[str]) -> str:
        to = link(found[1])
        return found[0] if to is None else f"[`{found[1]}`]({to})"

    return _NAMED.sub(linked, text)
