"""What unpacks to more than it should, and what never ends: refused, and not waited for."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import run

import unveil as uv

ROLES = ["--quasi", "age", "--sensitive", "vote"]
SMALL = {"UNVEIL_LARGEST": "1MB"}
HEAD = b"age,vote\n"
ROWS = b"30,a\n41,b\n" * 200_000  # 2 MB


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def bomb_gz(name="bomb.csv.gz"):
    with gzip.open(name, "wb") as file:
        file.write(HEAD + ROWS)
    return name


def bomb_zst(name="bomb.csv.zst"):
    with pa.CompressedOutputStream(name, "zstd") as file:
        file.write(HEAD + ROWS)
    return name


def bomb_numbers(name="numbers.parquet"):
    ages = np.full(400_000, 30)
    pq.write_table(pa.table({"age": ages, "vote": ages}), name, compression="zstd")
    return name


def bomb_texts(name="texts.parquet"):
    """One text of 1 kB, two thousand times, in a file of some kB."""
    texts = pa.array(["x" * 1000, "y" * 1000] * 1000)
    pq.write_table(pa.table({"age": texts, "vote": texts}), name, compression="zstd")
    return name


BOMBS = {"gz": bomb_gz, "zst": bomb_zst, "numbers": bomb_numbers, "texts": bomb_texts}


@pytest.fixture(params=BOMBS)
def bomb(request):
    return BOMBS[request.param]()


@pytest.mark.parametrize("command", ["inference", "init", "audit"])
def test_what_unpacks_to_too_much_is_refused(bomb, command):
    roles = [] if command == "init" else ROLES
    done = run(command, bomb, *roles, code=2, env=SMALL)
    assert f"{bomb} unpacks to more than 0.001 GB" in done.stderr
    assert "UNVEIL_LARGEST=20GB" in done.stderr


@pytest.mark.parametrize("make", ["gz", "zst"])
def test_packed_tables_to_be_counted_have_the_same_limit(make):
    done = run("measures", BOMBS[make](), "--quasi", "age", code=2, env=SMALL)
    assert "unpacks to more than 0.001 GB" in done.stderr


def test_what_is_allowed_is_read(bomb):
    run("init", bomb, "-o", "made.toml", env={"UNVEIL_LARGEST": "20MB"})
    assert "20 GB" not in run("init", bomb, "-o", "too.toml").stderr
    wrong = run("init", bomb, "-o", "x.toml", code=2, env={"UNVEIL_LARGEST": "much"})
    assert "UNVEIL_LARGEST is 'much'; write a size, such as 20GB" in wrong.stderr


@pytest.mark.parametrize("make", ["gz", "texts"])
def test_answers_of_programs_have_the_same_limit(make, monkeypatch):
    table = uv.read_table(
        {"age": [30, 41] * 9, "vote": list("ab") * 9}, quasi="age", sensitive="vote"
    )
    name = os.path.abspath(BOMBS[make]())
    monkeypatch.setenv("UNVEIL_LARGEST", "1MB")
    if make == "gz":
        os.mkdir("made")
        os.rename(name, "made/full.csv.gz")
        oracle = uv.Oracle("made/")
    else:
        oracle = uv.Oracle(f"sh -c 'cp {name} {{output}}' {{input}}")
    with pytest.raises(uv.errors.UnveilError, match="unpacks to more than"):
        oracle.sanitize(table)


def test_a_real_bomb_within_little_memory():
    """2 MB that unpack to 2 GB, read by a process that may have one and a half."""
    part = gzip.compress(b"30,a\n" * 200_000, 9)  # a file may have many parts
    with open("bomb.csv.gz", "wb") as file:
        file.write(gzip.compress(HEAD))
        file.write(part * 2000)
    limited = "import resource as r; r.setrlimit(r.RLIMIT_AS, (8 << 30, 8 << 30))\n"
    code = f"{limited}from unveil.cli import main\nmain(['inference', 'bomb.csv.gz', *{ROLES!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "unpacks to more than 1.07 GB" in done.stderr


def test_endless_files_are_refused():
    os.mkfifo("pipe.csv")
    os.mkfifo("pipe.json")
    for file in (
        "/dev/zero",
        "pipe.csv",
        "/dev/tty" if os.path.exists("/dev/tty") else "/dev/null",
    ):
        for command in ("inference", "init", "audit"):
            done = run(command, file, *([] if command == "init" else ROLES), code=2)
            assert "a pipe, which may never end" in done.stderr or "a device" in done.stderr
        done = run("measures", file, "--quasi", "age", code=2)
        assert "may never end" in done.stderr
    assert "may never end" in run("report", "pipe.json", code=2).stderr
    assert "may never end" in run("compare", "pipe.json", "/dev/zero", code=2).stderr
    os.mkfifo("unveil.toml")
    assert "may never end" in run("audit", "--project", ".", code=2).stderr


def test_standard_input_may_not_go_on_forever():
    words = [sys.executable, "-m", "unveil", "inference", "-", *ROLES, "--sanitizer", "identity"]
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(words, stdin=zeros, capture_output=True, text=True,
                              env={**os.environ, "UNVEIL_LARGEST": "100MB"})  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "standard input has more than 0.1 GB" in done.stderr


def test_an_answer_that_is_a_pipe_is_not_waited_for():
    table = uv.read_table(
        {"age": [30, 41] * 9, "vote": list("ab") * 9}, quasi="age", sensitive="vote"
    )
    with pytest.raises(uv.errors.UnveilError, match="wrote no file"):
        uv.Oracle("sh -c 'rm -f {output}; mkfifo {output}' {input}").sanitize(table)
