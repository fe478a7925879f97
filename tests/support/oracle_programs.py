"""Small programs that play somebody's anonymizer, and the table they are tried on."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import psutil

import unveil as uv

TABLE = {
    "name": list("PQRSTU"),
    "age": [30, 34, 38, 41, 45, 47],
    "zip": ["007", "007", "012", "012", "1,5", 'a"b'],
    "shoe": [40, 41, 42, 43, 44, 45],
    "vote": ["a", "b", "a", "a", "b", "b"],
}
SURVEY = uv.read_table(TABLE, quasi=["age", "zip"], sensitive="vote", identifier="name")


def decades(table):
    """What most of the programs do, as a function."""
    low = table["age"] // 10 * 10
    return table.assign(age=[f"[{a}, {a + 9}]" for a in low])


_PRELUDE = """
import csv, os, subprocess, sys, time

def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))

def publish(rows, path=None):
    file = open(path, "w", newline="", encoding="utf-8") if path else sys.stdout
    csv.writer(file).writerows(rows)
    file.flush()

def decades(rows):
    age = rows[0].index("age")
    for row in rows[1:]:
        low = int(row[age]) // 10 * 10
        row[age] = f"[{low}, {low + 9}]"
    return rows

"""


def program(folder: Path, body: str) -> str:
    """Write a Python program and return the beginning of the command that runs it."""
    file = folder / f"program_{len(list(folder.glob('program_*')))}.py"
    file.write_text(_PRELUDE + body)
    return shlex.join([sys.executable, "-I", "-S", str(file)])


def dies(pid: int) -> bool:
    """Whether a process is gone, or will be in a moment."""
    for _ in range(200):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False
