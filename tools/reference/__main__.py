"""``python tools/reference`` writes the reference into ``docs/reference``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference import write_pages

if __name__ == "__main__":
    pages = write_pages(Path(__file__).resolve().parents[2] / "docs" / "reference")
    print(f"reference: {len(pages)} pages in docs/reference")
