"""The pages of the reference, written from what the code says of itself.

``python tools/reference`` fills ``docs/reference``: a page for each public package, one for the
command line, and the changelog. Nothing in that folder is written by hand, or kept in git.
"""

from __future__ import annotations

from pathlib import Path

from reference._commands import commands_page
from reference._packages import PACKAGES, package_page, public_names

__all__ = ["PACKAGES", "public_names", "write_pages"]

_ROOT = Path(__file__).resolve().parents[2]


def write_pages(folder: Path) -> list[Path]:
    """Write all pages into a folder, and say which."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {f"{name}.md": package_page(name) for name in PACKAGES}
    pages["commands.md"] = commands_page()
    pages["changelog.md"] = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    written = []
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
        written.append(folder / name)
    return written
