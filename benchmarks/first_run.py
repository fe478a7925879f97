"""What a new user waits for: the first run with compilation, the next one, and --help.

python benchmarks/first_run.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time


def seconds(*arguments: str, cache: str) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "unveil", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
    )
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        print(f"unveil demo, first run, with compilation  {seconds('demo', cache=cache):6.1f} s")
        warm = min(seconds("demo", cache=cache) for _ in range(3))
        print(f"unveil demo, warm                         {warm:6.1f} s")
        usage = min(seconds("--help", cache=cache) for _ in range(5))
        print(f"unveil --help                             {usage:6.2f} s")


if __name__ == "__main__":
    main()
