"""Execute the notebooks of this folder anew, and keep what comes out (``make notebooks``).

What is kept is the same on every machine: no times of execution, no versions, no paths. The
notebooks run in a folder of their own, which goes away with what they save.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent


def execute(file: Path) -> None:
    """Run a notebook from top to bottom, and write it with its outputs."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=600,
            resources={"metadata": {"path": folder}},
            record_timing=False,
        ).execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    nbformat.write(notebook, file)


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        print(f"executing {path.name} …", file=sys.stderr)
        execute(path)
