"""The picture of a report that the README and the documentation show.

``python tools/screenshot.py`` audits the survey that comes with unveil and has Chromium draw the
top of the report into ``docs/report.png``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import unveil as uv

OUT = Path(__file__).resolve().parents[1] / "docs" / "report.png"
LARGEST = 200_000  # bytes: it is fetched with every look at the README
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Audit, draw, and say where."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser to draw with; install one of {', '.join(BROWSERS)}")
    audit = uv.audit(
        uv.datasets.election_survey(), "mondrian:k=2..32", fail_on=["delta > 0.15", "k < 5"]
    )
    with tempfile.TemporaryDirectory() as folder:
        page = audit.save(Path(folder) / "report.html")
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={folder}/browser", "--window-size=1200,1300",
            f"--screenshot={OUT}", page.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
    size = OUT.stat().st_size
    if size > LARGEST:
        sys.exit(f"{OUT} has {size:,} bytes, more than {LARGEST:,}; show less of the page")
    print(f"{OUT}: {size:,} bytes")


if __name__ == "__main__":
    main()
