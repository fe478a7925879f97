"""Inputs that are nearly right: every fault that was found, and a few hundred new ones.

`make fuzz` tries 100,000. What is a fault: `fuzzing.running`, and `fuzzing.readers`.
"""

from pathlib import Path

import pytest
from fuzzing import Case, judged, made
from fuzzing.readers import READERS

CORPUS = sorted(Path(__file__).with_name("corpus").glob("*.json"))
SEED = 20_261
PARTS = 6


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_a_fault_that_was_found_stays_mended(file):
    fault = judged(Case.load(file.read_text("utf-8")))
    assert fault is None, f"{fault.where}\n{fault.told}"


@pytest.mark.parametrize("part", range(PARTS))
def test_new_inputs(part):
    for number in range(part * 50, (part + 1) * 50):
        fault = judged(made(SEED, number))
        assert fault is None, f"number {number}: {fault.where}\n{fault.told}"


def test_a_program_of_its_own():
    for number in range(2):
        fault = judged(made(SEED, number, only="process"))
        assert fault is None, f"number {number}: {fault.where}\n{fault.told}"


def test_an_input_is_the_same_again():
    for number in range(40):
        case = made(SEED, number)
        assert made(SEED, number).files == case.files
        again = Case.load(case.dump())
        assert (again.reader, again.files) == (case.reader, case.files)


@pytest.mark.parametrize(
    ("end", "what"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (lambda: exec("while True: pass"), "HangError"),
        (lambda: exec("import tempfile; tempfile.mkdtemp()"), "left"),
    ],
)
def test_what_a_fault_is(monkeypatch, end, what):
    monkeypatch.setattr("fuzzing.running.SECONDS", 0.1)
    monkeypatch.setitem(READERS, "key", lambda case, folder: end())
    assert judged(Case("key")).what == what


@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0"])
@pytest.mark.parametrize("words", ["under_x", "von_1_x", "from_1_x", "1_2", "'a'_b", "5_years_$"])
def test_cells_with_many_blanks(words, blank):
    """Looked at once for every blank, a cell of these takes minutes."""
    cell = words.replace("_", blank * 50_000)
    rows = [
        f"{age}|*|*|{vote}" for age in (cell, f"[{cell}]", f"{{{cell}}}", "20-29") for vote in "ab"
    ]
    case = Case("release", {"published.csv": "\n".join(["age|zip|sex|vote", *rows]).encode()},
                {"alone": False, "delimiter": "|"})  # fmt: skip
    fault = judged(case)
    assert fault is None, f"{fault.where}\n{fault.told}"
