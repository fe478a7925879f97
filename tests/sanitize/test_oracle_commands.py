"""Oracles that are commands: what they are given, and everything that can go wrong."""

import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from oracle_programs import SURVEY, decades, dies, program
from own_folder import desks, own_temporary_folder

import unveil as uv
from unveil.errors import InputError
from unveil.sanitize import OracleError

WITHOUT_ONE = "rows = read(sys.argv[1]); out = sys.argv[2] if len(sys.argv) > 2 else None\n"
EXPECTED = uv.Oracle(decades)


def assert_same(release, expected):
    pd.testing.assert_frame_equal(release.to_frame(), expected.to_frame())


def said_by(oracle, microdata=SURVEY):
    with pytest.raises(OracleError) as error:
        oracle.sanitize(microdata)
    return str(error.value)


@pytest.fixture(autouse=True)
def temporary(tmp_path):
    (tmp_path / "temporary").mkdir()
    with own_temporary_folder(tmp_path / "temporary") as folder:
        yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def plain(tmp_path):
    return program(tmp_path, WITHOUT_ONE + "publish(decades(rows), out)")


@pytest.mark.parametrize("places", ["{input} {output}", "{input}"])
def test_a_command_reads_a_file_and_writes_another_or_to_standard_output(plain, places):
    oracle = uv.Oracle(f"{plain} {places}")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    for record in range(6):
        assert_same(
            oracle.sanitize_without(SURVEY, record), EXPECTED.sanitize_without(SURVEY, record)
        )
    assert oracle.can_leave_out(SURVEY) is None
    assert oracle.missing_of(SURVEY, np.arange(6)) is None


def test_the_table_is_written_as_it_was_read_without_identifiers(tmp_path):
    copy = tmp_path / "copy"
    command = program(tmp_path, f"open({str(copy)!r}, 'ab').write(open(sys.argv[1], 'rb').read())\n"
                      "publish(read(sys.argv[1]))")  # fmt: skip
    oracle = uv.Oracle(f"{command} {{input}}")
    oracle.sanitize_without(SURVEY, 1)
    assert copy.read_bytes().decode() == (
        'age,zip,vote,shoe\n30,007,a,40\n38,012,a,42\n41,012,a,43\n45,"1,5",b,44\n47,"a""b",b,45\n'
    )


def test_a_command_may_be_given_and_may_answer_parquet(tmp_path):
    script = tmp_path / "parquet.py"
    script.write_text(
        "import sys, pyarrow.parquet as pq\n"
        "table = pq.read_table(sys.argv[1])\n"
        "assert str(table['age'].type) == 'int64', table\n"
        "pq.write_table(table, sys.argv[2])\n"
    )
    oracle = uv.Oracle(f"{sys.executable} {script} {{input}} {{output}}", format="parquet")
    assert_same(oracle.sanitize_without(SURVEY, 3), uv.Identity().sanitize(SURVEY.without(3)))


def test_a_program_that_leaves_records_out_by_itself_gets_the_table_once(tmp_path):
    log = tmp_path / "log"
    command = program(
        tmp_path,
        f"""
rows = read(sys.argv[1])
about = os.stat(sys.argv[1])
with open({str(log)!r}, "a") as file:
    print(sys.argv[1], about.st_ino, about.st_mtime_ns, sys.argv[3], file=file)
if sys.argv[3] != "none":
    del rows[1 + int(sys.argv[3])]
publish(decades(rows), sys.argv[2])
""",
    )
    oracle = uv.Oracle(command + " {input} {output} {without}")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    for record in (5, 0, 3):
        assert_same(
            oracle.sanitize_without(SURVEY, record), EXPECTED.sanitize_without(SURVEY, record)
        )
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [line[3] for line in lines] == ["none", "5", "0", "3"]
    assert len({tuple(line[:3]) for line in lines}) == 1
    other = SURVEY.take([0, 1, 2, 3])
    assert_same(oracle.sanitize_without(other, 2), EXPECTED.sanitize_without(other, 2))
    assert_same(oracle.sanitize_without(SURVEY, 2), EXPECTED.sanitize_without(SURVEY, 2))
    del other
    assert len([file for file in Path(lines[0][0]).parent.iterdir() if file.is_file()]) == 1


def test_places_may_stand_within_words_and_there_is_no_shell(tmp_path):
    command = program(
        tmp_path,
        """
assert sys.argv[3:] == ["$HOME; exit 1", "{this}", "a b"], sys.argv
publish(read(sys.argv[1].removeprefix("--from=")), sys.argv[2].removeprefix("--to="))
""",
    )
    oracle = uv.Oracle(command + " --from={input} '--to={output}' '$HOME; exit 1' {this} 'a b'")
    assert_same(oracle.sanitize(SURVEY), uv.Identity().sanitize(SURVEY))


def test_a_program_is_found_from_the_current_folder(tmp_path, monkeypatch):
    script = tmp_path / "anonymize"
    script.write_text('#!/bin/sh\ncat "$1" > "$2"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.chdir(tmp_path)
    oracle = uv.Oracle("./anonymize {input} {output}")
    assert_same(oracle.sanitize(SURVEY), uv.Identity().sanitize(SURVEY))
    assert oracle.label == "Oracle(./anonymize {input} {output})"
    assert oracle.sanitize(SURVEY).made_by == oracle.label


def test_unveils_own_command_is_an_oracle_like_any_other(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    survey = uv.read_table(
        uv.datasets.election_survey().to_frame().head(40),
        quasi=["age", "population"],
        sensitive="party",
    )
    oracle = uv.Oracle(
        f"{sys.executable} -m unveil anonymize {{input}} --quasi age,population --sensitive party "
        "--sanitizer mondrian:k=5 -o {output}"
    )
    expected = uv.Mondrian(k=5).sanitize_without(survey, 7)
    release = oracle.sanitize_without(survey, 7)
    np.testing.assert_array_equal(
        release.cover_counts(survey.codes), expected.cover_counts(survey.codes)
    )


# What goes wrong --------------------------------------------------------------------------------


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path):
    log = tmp_path / "pids"
    command = program(
        tmp_path,
        f"""
sleep = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"]
children = [subprocess.Popen(sleep), subprocess.Popen(sleep, start_new_session=True)]
with open({str(log)!r}, "a") as file:
    print(os.getpid(), *[child.pid for child in children], file=file)
time.sleep(60)
""",
    )
    said = said_by(uv.Oracle(command + " {input} {output}", timeout="2 s", retries=0))
    assert said.endswith("failed on 6 records: it took longer than 2 s and was ended")
    pids = [int(pid) for pid in log.read_text().split()]
    assert len(pids) == 3
    assert all(map(dies, pids))


def test_what_a_command_leaves_running_behind_is_ended(tmp_path, plain):
    log = tmp_path / "pid"
    command = program(
        tmp_path,
        f"""
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"])
print(child.pid, file=open({str(log)!r}, "w"))
publish(decades(read(sys.argv[1])), sys.argv[2])
""",
    )
    oracle = uv.Oracle(command + " {input} {output}")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    assert dies(int(log.read_text()))


@pytest.mark.parametrize("where", ["itself", "its child"])
def test_a_command_that_takes_too_much_memory_is_ended(tmp_path, where):
    greedy = "import time; hoard = bytearray(300_000_000); time.sleep(60)"
    body = greedy if where == "itself" else (
        f"subprocess.run([sys.executable, '-I', '-S', '-c', {greedy!r}])"
    )  # fmt: skip
    oracle = uv.Oracle(program(tmp_path, body) + " {input}", memory="150 MB", timeout=60, retries=0)
    said = said_by(oracle)
    assert " failed on 6 records: it took " in said
    assert said.endswith("MB of memory, where it may take 150 MB, and was ended")


def test_a_command_within_its_limits_is_left_alone(plain):
    oracle = uv.Oracle(plain + " {input} {output}", memory="2 GB", timeout="2 min")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))


@pytest.mark.parametrize("stream", ["sys.stdout", "sys.stderr", "open(sys.argv[2], 'w')"])
def test_a_command_that_writes_forever_is_ended(tmp_path, monkeypatch, stream):
    places = " {input} {output}" if "open" in stream else " {input}"
    monkeypatch.setenv("UNVEIL_LARGEST", "3MB")
    body = f"""
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
into = {stream}
while True:
    print("x" * 10_000, file=into)
"""
    said = said_by(uv.Oracle(program(tmp_path, body) + places, retries=0))
    assert "it wrote more than 3 MB and was ended; set UNVEIL_LARGEST" in said


def test_an_interrupt_ends_the_command_and_is_not_swallowed(tmp_path):
    log = tmp_path / "pid"
    command = program(tmp_path, f"print(os.getpid(), file=open({str(log)!r}, 'w'), flush=True)\n"
                      "time.sleep(8)")  # fmt: skip

    def lose_patience():
        while not (log.exists() and log.read_text().endswith("\n")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=lose_patience).start()
    with pytest.raises(KeyboardInterrupt):
        uv.Oracle(command + " {input} {output}").sanitize(SURVEY)
    assert dies(int(log.read_text()))


def test_a_command_that_fails_says_why_at_the_end_of_what_it_says(tmp_path):
    command = program(
        tmp_path, 'print("well"); sys.exit("\\n".join(f"line {i}" for i in range(9)))'
    )
    said = said_by(uv.Oracle(command + " {input} {output}", retries=2))
    assert said == (
        f"Oracle({command} {{input}} {{output}}) failed on 6 records: it ended with code 1 and "
        "said line 4 / line 5 / line 6 / line 7 / line 8 (tried 3 times)"
    )


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('no room'); sys.exit(3)", "it ended with code 3 and said no room"),
        ("sys.exit(3)", "it ended with code 3 and said nothing"),
        ("os.kill(os.getpid(), 9)", "it was ended by SIGKILL and said nothing"),
        ("pass", "it ended well but wrote no file to {output}"),
        ("os.mkdir(sys.argv[2])", "it ended well but wrote no file to {output}"),
    ],
)
def test_other_ways_to_fail(tmp_path, body, reason):
    said = said_by(uv.Oracle(program(tmp_path, body) + " {input} {output}", retries=0))
    assert said.endswith(f"failed on 6 records: {reason}")


def test_a_command_that_prints_nothing(tmp_path):
    said = said_by(uv.Oracle(program(tmp_path, "pass") + " {input}", retries=0))
    assert said.endswith("failed on 6 records: it ended well but wrote nothing to standard output")


def test_a_command_that_fails_once_is_asked_again(tmp_path):
    body = f"""
mark = {str(tmp_path / "mark")!r}
if not os.path.exists(mark):
    open(mark, "w").close()
    sys.exit("not in the mood")
os.remove(mark)
publish(decades(read(sys.argv[1])), sys.argv[2])
"""
    command = program(tmp_path, body) + " {input} {output}"
    assert_same(uv.Oracle(command).sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    assert said_by(uv.Oracle(command, retries=0)).endswith("code 1 and said not in the mood")


NONSENSE = {
    "more rows": ("rows.append(rows[1])", "7 records for a table of 6; a release has at most"),
    "fewer rows": ("del rows[3:5]", "4 records for a table of 6; if suppressed records "
                                    "are left out, give may_drop=True (tried 2 times)"),
    "other secrets": ("rows[1][2] = 'b'", "4 records with vote 'b' where the table has 3: "
                      "sensitive values were changed; if that is intended, give "
                      "may_change_sensitive=True (tried 2 times)"),
}  # fmt: skip
UNREADABLE = {
    "other columns": ("rows[0][0] = 'years'", "column 'age' is not in"),
    "unknown secrets": ("rows[1][2] = 'q'", "'q' is not a value of vote in the original"),
    "unknown cells": ("rows[1][0] = 'young'", "cannot read the cell 'young'"),
    "no rows": ("del rows[1:]", "has no rows"),
    "ragged rows": ("rows[2].append('x')", "line 3 of release.csv has 5 cells"),
    "no table": ("rows = [['<html>']]", "has no rows"),
    "binary": ("open(out, 'wb').write(b'\\xff\\x00\\xfe'); sys.exit()", "is not utf-8"),
}


@pytest.mark.parametrize("case", NONSENSE)
def test_an_answer_that_is_no_release_of_the_table(tmp_path, case):
    body, reason = NONSENSE[case]
    command = program(tmp_path, WITHOUT_ONE + f"{body}\npublish(rows, out)") + " {input} {output}"
    assert said_by(uv.Oracle(command)).startswith(f"Oracle({command}) returned {reason}")


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_answer_that_cannot_be_read(tmp_path, case):
    body, reason = UNREADABLE[case]
    command = program(tmp_path, WITHOUT_ONE + f"{body}\npublish(rows, out)") + " {input} {output}"
    said = said_by(uv.Oracle(command, retries=0))
    assert said.startswith(f"the answer of Oracle({command}) cannot be read: ")
    assert reason in said


def test_what_an_oracle_may_do_it_may_do(tmp_path):
    def answered(case, **allowed):
        command = program(tmp_path, WITHOUT_ONE + f"{NONSENSE[case][0]}\npublish(rows, out)")
        return uv.Oracle(command + " {input} {output}", **allowed).sanitize(SURVEY)

    assert len(answered("fewer rows", may_drop=True)) == 4
    assert answered("other secrets", may_change_sensitive=True).totals.tolist() == [2, 4]
    with pytest.raises(OracleError, match="returned 7 records for a table of 6"):
        answered("more rows", may_drop=True, may_change_sensitive=True)


def test_one_record_without_whom_it_fails_is_reported_and_the_others_tested(tmp_path):
    body = """
rows = read(sys.argv[1])
if "38" not in [row[0] for row in rows]:
    sys.exit("I miss 38")
publish(decades(rows), sys.argv[2])
"""
    oracle = uv.Oracle(program(tmp_path, body) + " {input} {output}")
    finding = uv.differential_inference(SURVEY, oracle, jobs=1)
    expected = uv.differential_inference(SURVEY, EXPECTED, jobs=1)
    assert np.flatnonzero(np.isnan(finding.distances)).tolist() == [2]
    rest = [0, 1, 3, 4, 5]
    np.testing.assert_array_equal(finding.distances[rest], expected.distances[rest])
    assert sum(finding.not_tested.values()) == 1
    [(record, said)] = finding.failures
    assert record == 2
    assert said.endswith(
        "failed on 5 records: it ended with code 1 and said I miss 38 (tried 2 times)"
    )
    assert finding.delta == np.nanmax(expected.distances[rest])


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("anonymise-it-all {input}", "there is no program 'anonymise-it-all' on the search path; "
                                     "if it is a file in this folder, write ./anonymise-it-all"),
        ("./nothing {input} {output}", "the program './nothing' is not there (in "),
        ("./notes.txt {input}", "the program './notes.txt' cannot be executed; chmod +x it"),
        ("./broken {input}", "Exec format error"),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_run_is_told_at_once(tmp_path, monkeypatch, command, reason):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("not a program")
    Path("broken").write_bytes(b"\x00\x01\x02")
    Path("broken").chmod(0o700)
    said = said_by(uv.Oracle(command))
    assert said.startswith(f"Oracle({command}) cannot be run: ")
    assert reason in said
    assert "tried" not in said


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("./anonymize {output}", "has no place for the table: write {input} where the program "
                                 "expects the name of the file, as in './anonymize {input} {outpu"),
        ("./anonymize {without}", "has no place for the table"),
        ("./anonymize {input} {ouput}", "has {ouput}; did you mean '{output}'?"),
        ("./anonymize {Input}", "has {Input}; did you mean '{input}'?"),
        ("./anonymize '{input}", "into words: No closing quotation"),
        ("{input} {output}", "must begin with a program"),
    ],
)  # fmt: skip
def test_commands_that_cannot_be_meant(command, reason):
    with pytest.raises(InputError) as error:
        uv.Oracle(command)
    assert reason in str(error.value)


# What is left behind ----------------------------------------------------------------------------


def test_microdata_on_disk_is_private_and_goes_with_the_oracle(temporary, plain):
    oracle = uv.Oracle(plain + " {input} {output}")
    assert list(temporary.iterdir()) == []
    oracle.sanitize(SURVEY)
    [ours] = temporary.iterdir()
    [own] = desks(temporary)
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(own.stat().st_mode) == 0o700
    assert list(own.iterdir()) == []
    del oracle
    assert desks(temporary) == []


def test_an_oracle_that_was_sent_has_a_folder_of_its_own(temporary, plain):
    oracle = uv.Oracle(plain + " {input} {output}")
    oracle.sanitize(SURVEY)
    sent = pickle.loads(pickle.dumps(oracle))
    sent.sanitize(SURVEY)
    assert len(desks(temporary)) == 2
    del oracle
    assert_same(sent.sanitize_without(SURVEY, 1), EXPECTED.sanitize_without(SURVEY, 1))
    assert len(desks(temporary)) == 1
    del sent
    assert desks(temporary) == []


@pytest.mark.parametrize("what", ["desk", "all"])
def test_a_table_that_was_written_once_is_written_again_if_its_folder_is_gone(
    what, temporary, tmp_path
):
    """As where something removes old files from the folder for temporary ones."""
    command = program(
        tmp_path,
        """
rows = read(sys.argv[1])
if sys.argv[3] != "none":
    del rows[1 + int(sys.argv[3])]
publish(decades(rows), sys.argv[2])
""",
    )
    oracle = uv.Oracle(command + " {input} {output} {without}")
    oracle.sanitize(SURVEY)
    for folder in desks(temporary) if what == "desk" else temporary.iterdir():
        shutil.rmtree(folder)
    assert_same(oracle.sanitize_without(SURVEY, 4), EXPECTED.sanitize_without(SURVEY, 4))


def test_nothing_is_left_on_disk_when_the_process_ends(tmp_path, plain):
    code = f"""
import unveil as uv
survey = uv.read_table({{"age": [30, 34], "vote": ["a", "b"]}}, quasi="age", sensitive="vote")
oracle = uv.Oracle({plain + " {input} {output}"!r})
print(oracle.sanitize(survey).n_classes)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"
    assert [p for p in (tmp_path / "temporary").iterdir() if "unveil" in p.name] == []


def test_parquet_answers_are_known_by_their_first_bytes(tmp_path):
    answer = tmp_path / "answer.parquet"
    pq.write_table(EXPECTED.sanitize(SURVEY).to_frame().pipe(_arrow), answer)
    oracle = uv.Oracle(program(tmp_path, f"""
import shutil
shutil.copy({str(answer)!r}, sys.argv[2])
""") + " {input} {output}")  # fmt: skip
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))


def _arrow(frame):
    import pyarrow as pa

    return pa.Table.from_pandas(frame)


def test_a_finding_says_what_went_wrong_with_how_many(tmp_path):
    """Four records, and each of them goes wrong in another way."""
    script = tmp_path / "faulty.py"
    script.write_text(
        "import shutil, sys, time\n"
        "table, release, without = sys.argv[1:]\n"
        "lines = open(table).readlines()\n"
        "if without != 'none':\n"
        "    del lines[1 + int(without)]\n"
        "if without == '0':\n"
        "    sys.exit('no')\n"
        "if without == '1':\n"
        "    time.sleep(60)\n"
        "if without == '2':\n"
        "    lines.append(lines[-1])\n"
        "if without == '3':\n"
        "    hog = bytearray(400_000_000)\n"
        "    time.sleep(60)\n"
        "open(release, 'w').writelines(lines)\n"
    )
    command = f"{sys.executable} {script} {{input}} {{output}} {{without}}"
    oracle = uv.Oracle(command, timeout="5 s", memory="200 MB", retries=0)
    finding = uv.differential_inference(SURVEY, oracle, targets=[0, 1, 2, 3, 4], jobs=1)
    assert finding.not_tested == {
        "the sanitizer failed": 1,
        "the sanitizer took too long": 1,
        "the sanitizer gave an answer that is not a release of the table": 1,
        "the sanitizer took too much memory": 1,
    }
    assert [record for record, _ in finding.failures] == [0, 1, 2, 3]
    assert len(finding.tested) == 1


@pytest.mark.parametrize("word", ["|", ">", "&&"])
def test_there_is_no_shell(word):
    with pytest.raises(InputError, match="there is no shell: write a script"):
        uv.Oracle(f"cat {{input}} {word} more")


def test_parquet_of_numbers_beside_the_word_for_what_is_missing():
    people = uv.read_table(
        {"code": [1, None, 3, 1], "vote": ["a", "b", "a", "b"]},
        quasi="code", sensitive="vote", categorical=["code"], missing="category",
    )  # fmt: skip
    for form in ("csv", "parquet"):
        assert uv.Oracle("cat {input}", format=form).sanitize(people).n_classes == 3
