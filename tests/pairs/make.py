"""Write the pairs of files: ``python tests/pairs/make.py [folder]``, by default beside this file.

Text files have the same bytes every time. Excel files are written only if cells changed, as they
hold the time at which they were written.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from pair_recipes import all_pairs
from pair_recipes.writing import write_pair


def main(folder: Path) -> None:
    for name, pair in all_pairs().items():
        write_pair(pair, folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
