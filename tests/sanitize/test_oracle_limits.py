"""Functions with limits: they run beside us, are ended when they exceed them, and start anew.

Functions are defined within the tests: such ones travel whole, and not as names in a module that
the other process would have to find.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pandas as pd
import pytest
from oracle_programs import SURVEY, decades, dies

import unveil as uv
from unveil.errors import GoalError, InputError
from unveil.sanitize import OracleError
from unveil.sanitize.oracle import _function
from unveil.sanitize.oracle._command import Tree

EXPECTED = uv.Oracle(decades)


def assert_same(release, expected):
    pd.testing.assert_frame_equal(release.to_frame(), expected.to_frame())


def said_by(oracle, record=None):
    ask = oracle.sanitize if record is None else partial(oracle.sanitize_without, record=record)
    with pytest.raises(OracleError) as error:
        ask(SURVEY)
    return str(error.value)


def by_decade():
    def by_decade(table):
        low = table["age"] // 10 * 10
        return table.assign(age=[f"[{a}, {a + 9}]" for a in low])

    return by_decade


def test_the_process_is_kept_and_gets_the_table_once(tmp_path, monkeypatch):
    log, sent, plain = tmp_path / "log", [], by_decade()

    def logging(table):
        print("this goes nowhere near the answer")
        os.write(1, b"nor does this\n")
        with log.open("a") as file:
            print(os.getpid(), len(table), file=file)
        return plain(table)

    send = _function._send
    monkeypatch.setattr(
        _function, "_send", lambda to, message: (sent.append(message[0]), send(to, message))
    )
    oracle = uv.Oracle(logging, timeout="1 min")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    for record in (3, 0):
        assert_same(
            oracle.sanitize_without(SURVEY, record), EXPECTED.sanitize_without(SURVEY, record)
        )
    assert sent == ["function", "table", "ask", "ask", "ask"]
    [pids, sizes] = zip(*(line.split() for line in log.read_text().splitlines()), strict=True)
    assert sizes == ("6", "5", "5")
    assert len(set(pids)) == 1
    assert int(pids[0]) != os.getpid()
    few = SURVEY.take([0, 1, 2])
    assert_same(oracle.sanitize(few), EXPECTED.sanitize(few))
    assert sent[5:] == ["table", "ask"]
    del oracle
    assert dies(int(pids[0]))


def test_a_function_that_hangs_for_one_record_is_ended_and_the_others_tested(tmp_path):
    log, plain = tmp_path / "log", by_decade()

    def dreamy(table):
        with log.open("a") as file:
            print(os.getpid(), file=file)
        if 38 not in set(table["age"]):
            time.sleep(60)
        return plain(table)

    oracle = uv.Oracle(dreamy, timeout=3, retries=0)
    finding = uv.differential_inference(SURVEY, oracle, jobs=1, targets=[1, 2, 3])
    expected = uv.differential_inference(SURVEY, EXPECTED, jobs=1, targets=[1, 2, 3])
    assert finding.distances[[0, 2]].tolist() == expected.distances[[0, 2]].tolist()
    assert finding.failures == (
        (2, "Oracle(dreamy) failed on 5 records: it took longer than 3 s and was ended"),
    )  # fmt: skip
    pids = {int(pid) for pid in log.read_text().split()}
    assert len(pids) == 2
    del oracle, finding
    assert all(map(dies, pids))


def test_a_function_that_takes_too_much_memory_is_ended():
    def greedy(table):
        hoard = bytearray(10**9)
        time.sleep(60)
        return hoard

    said = said_by(uv.Oracle(greedy, memory="700 MB", retries=0))
    assert said.startswith("Oracle(greedy) failed on 6 records: it took ")
    assert said.endswith("of memory, where it may take 700 MB, and was ended")


def test_a_limit_that_cannot_be_kept_is_told():
    said = said_by(uv.Oracle(by_decade(), memory="10 MB"))
    assert said.startswith("Oracle(by_decade) may take 10 MB of memory, but the process it runs in")
    assert said.endswith("before it begins; give it more")


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda: os._exit(7), "in the process it runs in: it ended with code 7"),
        (lambda: os.kill(os.getpid(), 9), "in the process it runs in: it was ended by SIGKILL"),
        (lambda: sys.exit("over"), "SystemExit: over"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
    ],
)
def test_a_function_that_brings_its_process_down_harms_nobody_else(end, reason):
    plain = by_decade()

    def fragile(table):
        if 41 not in set(table["age"]):
            end()
        return plain(table)

    oracle = uv.Oracle(fragile, timeout="1 min", retries=0)
    assert said_by(oracle, 3) == f"Oracle(fragile) failed on 5 records: {reason}"
    assert_same(oracle.sanitize_without(SURVEY, 2), EXPECTED.sanitize_without(SURVEY, 2))


def test_unveils_own_sanitizers_may_have_limits_too():
    oracle = uv.Oracle(uv.Mondrian(k=3), timeout="1 min")
    assert_same(oracle.sanitize(SURVEY), uv.Mondrian(k=3).sanitize(SURVEY))
    oracle = uv.Oracle(lambda m: uv.Mondrian(k=3).sanitize(m), timeout="1 min")
    assert_same(oracle.sanitize_without(SURVEY, 1), uv.Mondrian(k=3).sanitize_without(SURVEY, 1))
    with pytest.raises(GoalError, match="the largest possible k is 6"):
        uv.Oracle(uv.Mondrian(k=7), timeout="1 min").sanitize(SURVEY)


def test_a_function_that_cannot_be_sent_is_told_with_the_remedy():
    lock = threading.Lock()

    def locked(table):
        with lock:
            return table

    said = said_by(uv.Oracle(locked, timeout=60))
    assert said.startswith(
        "Oracle(locked) cannot run in a process of its own, where it could be ended: TypeError: "
    )
    assert said.endswith("; without timeout= and memory= it runs in this one")


def test_an_answer_that_cannot_be_sent_back_is_none():
    def lazy(table):
        return (row for row in table)

    said = said_by(uv.Oracle(lazy, timeout=60, retries=0))
    assert said.startswith("Oracle(lazy) failed on 6 records: TypeError: cannot pickle 'generator'")


def test_an_interrupt_ends_the_process_and_is_not_swallowed(tmp_path):
    log = tmp_path / "pid"

    def endless(table):
        log.write_text(f"{os.getpid()}\n")
        time.sleep(60)

    def lose_patience():
        while not (log.exists() and log.read_text().endswith("\n")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=lose_patience).start()
    with pytest.raises(KeyboardInterrupt):
        uv.Oracle(endless, timeout="1 min").sanitize(SURVEY)
    assert dies(int(log.read_text()))


def test_the_process_ends_when_ours_is_killed_whatever_it_is_doing(tmp_path):
    log = tmp_path / "pid"
    code = f"""
import os, pathlib, time, unveil as uv
survey = uv.read_table({{"age": [30, 34], "vote": ["a", "b"]}}, quasi="age", sensitive="vote")

def endless(table):
    pathlib.Path({str(log)!r}).write_text(f"{{os.getpid()}}\\n")
    time.sleep(60)

uv.Oracle(endless, timeout="1 min").sanitize(survey)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as process:
        while not (log.exists() and log.read_text().endswith("\n")):
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
    assert dies(int(log.read_text()))


def test_nobody_is_killed_for_a_process_that_is_gone(monkeypatch):
    tree = Tree([sys.executable, "-I", "-S", "-c", "pass"])
    while not tree.ended(1):
        pass
    killed = []
    monkeypatch.setattr(os, "killpg", lambda *group: killed.append(group))
    tree.kill()  # its number may have been given to another process
    assert killed == []
    assert tree.ending() == "it ended with code 0"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"timeout": "soon"}, "cannot read 'soon' as a duration"),
        ({"timeout": 0}, "a duration must be more than 0"),
        ({"memory": "much"}, "cannot read 'much' as an amount of memory"),
        (
            {"retries": -1},
            "retries=-1 is not possible: it must be a whole number from 0 up",
        ),
        (
            {"retries": 1.5},
            "retries=1.5 is not possible: it must be a whole number from 0 up",
        ),
        ({"takes": "csv"}, "takes='csv' is not possible: it must be "),
        ({"format": "xml"}, "format='xml' is not possible: it must be "),
        ({"format": "parquet"}, "format= is for commands and addresses, not for Oracle(decades)"),
    ],
)
def test_options_that_cannot_be_meant(option, message):
    with pytest.raises(InputError) as error:
        uv.Oracle(decades, **option)
    assert message in str(error.value)
