"""Nothing from outside steers the terminal: what is printed is looked at as bytes.

Escape sequences are planted in cells, names of columns and files, words of programs, keys of
project files and values of options, for every command; what comes out, into pipes and into a
terminal, must not hold one of them.
"""

import json
import os
import pty
import shlex
import subprocess
import sys

import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil._terminal import HarmlessStream, console_on, harmless_output
from unveil.cli._app import command_names
from unveil.errors import Cell, Foreign, Message
from unveil.registry import declarations

PLANTED = (
    "\x1b[5m", "\x1b]0;title\x07", "\x1b]8;;http://a.invalid\x1b\\", "\x9b5m", "\x9d0;t\x9c",
    "\x07",
    "\x08", "\u202e", "\u2066", "\u2028", "\x85", "\x0c",
)  # fmt: skip
"""Rich writes none of these of its own accord."""
ALL = "".join(PLANTED) + "[bold]"
# No file may have these in its name on all systems, but most.
IN_NAMES = "\x1b[5m\x9b5m\u202e\x07[bold]"


def held(output: bytes):
    text = output.decode()
    return [one for one in PLANTED if one in text]


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder of files with escapes in them: a table, a release, a project, an audit, a key."""
    monkeypatch.chdir(tmp_path)
    age, vote = f"age{ALL}", f"vote{ALL}"
    frame = pd.DataFrame({
        age: [20 + i % 40 for i in range(40)], f"town{ALL}": [f"R{ALL}", "Lyon"] * 20,
        vote: [f"a{ALL}", "b", f"c{ALL}", "b"] * 10,
        f"name{ALL}": [f"p{i}{ALL}" for i in range(40)],
    })  # fmt: skip
    table = f"survey{IN_NAMES}.csv"
    frame.to_csv(table, index=False)
    frame.to_csv(f"release{IN_NAMES}.csv", index=False)
    quasi = f'"{age}",town{ALL}'
    return {"table": table, "release": f"release{IN_NAMES}.csv", "quasi": quasi, "age": age,
            "vote": vote, "frame": frame}  # fmt: skip


def roles(hostile):
    return ["--quasi", hostile["quasi"], "--sensitive", hostile["vote"]]


def clean(*words, code=None):
    result = run(*words, code=code)
    assert held(result.stdout_bytes) == [], result.stdout
    assert held(result.stderr.encode()) == [], result.stderr
    assert "\r" not in result.output
    assert result.output
    return result


def test_every_command_that_works(hostile):
    table, named = hostile["table"], roles(hostile)
    release = ["--release", hostile["release"]]
    for name in declarations():
        if name in ("audit",):
            continue
        given = ["--sanitizer", "mondrian:k=4"] if "sanitizer" in declarations()[name].sources() \
            else release  # fmt: skip
        clean(name, table, *named, *given)
    clean("init", table, "-o", f"new{IN_NAMES}.toml", code=0)
    clean("measures", table, *named, "--json", "-", code=0)
    clean("measures", table, hostile["release"], *named, code=0)
    clean("linkage", table, *named, *release, "--json", f"f{IN_NAMES}.json", "--csv",
          f"f{IN_NAMES}.csv", "--plot", f"f{IN_NAMES}.png", "--about", "1", code=0)  # fmt: skip
    clean("compare-encodings", table, *named, "--sanitizer", "mondrian:k=4")
    clean("harden", table, *named, "--sanitizer", "mondrian:k=4", "--delta", "0.9")
    clean("anonymize", table, *named, "--sanitizer", "mondrian:k=4", "-o", f"o{IN_NAMES}.csv")
    audit, key = f"a{IN_NAMES}.json", f"r{IN_NAMES}.key"
    clean("audit", table, *named, *release, "--attack", "measures,linkage", "--jobs", "1",
          "--json", audit, "--report", f"r{IN_NAMES}.html", "--fail-on", "k < 2")  # fmt: skip
    clean("report", audit, "-o", f"again{IN_NAMES}.html", code=0)
    clean("compare", audit, audit, code=0)
    clean("resolve", table, "#0a1b2c3d4e5f6071", "--key", key)
    clean("resume", f"run{IN_NAMES}", code=2)
    assert {"init", "audit", "report", "compare", "resolve", "anonymize", "harden", "measures",
            "compare-encodings", "demo",
            "resume"} | set(declarations()) == set(command_names())  # fmt: skip


@pytest.mark.parametrize("planted", [ALL, "\x1b[5m"])
def test_every_word_of_a_command_that_fails(hostile, planted):
    table, named = hostile["table"], roles(hostile)
    for name in command_names():
        clean(name, f"none{planted}.csv", code=2)
        clean(name, table, f"--no-such{planted}", code=2)
    for words in (
        ["--quasi", planted, "--sensitive", "vote"], [*named, "--sanitizer", f"mond{planted}:k=1"],
        [*named, "--sanitizer", f"mondrian:k={planted}"], [*named, "--release", planted],
        [*named, "--sanitizer", "mondrian:k=2", "--adversary", planted],
        [*named, "--sanitizer", "mondrian:k=2", "--json", f"no{planted}/x.json"],
        [*named, "--ordinal", f"{hostile['vote']}=a{planted}|b"], [*named, "--missing", planted],
        [*named, "--encoding", planted], [*named, "--delimiter", planted],
        [*named, "--cuts", f"{planted}=1"], [*named, "--columns", planted],
    ):  # fmt: skip
        clean("inference", table, *words, code=2)
    clean(f"measure{planted}", code=2)
    clean("audit", table, *named, "--fail-on", f"k {planted} 2", code=2)
    clean("audit", table, *named, "--budget", planted, code=2)


def test_what_programs_and_libraries_say(hostile, tmp_path):
    told = json.dumps(ALL + "\nnot known: passes")
    (tmp_path / "oracle.py").write_text(f"import sys; sys.exit({told})")
    oracle = f"{shlex.quote(sys.executable)} oracle.py {{input}}"
    result = clean("differential-inference", hostile["table"], *roles(hostile), "--oracle",
                   oracle, code=2)  # fmt: skip
    assert "it ended with code 1 and said" in result.stderr
    assert not any(line.startswith("not known: passes") for line in result.output.splitlines())
    (tmp_path / f"bad{IN_NAMES}.parquet").write_bytes(b"PAR1" + ALL.encode())
    clean("measures", f"bad{IN_NAMES}.parquet", *roles(hostile), code=2)


def test_project_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ok = '[data]\nfile = "s.csv"\n'
    for place, text in enumerate((
        f"[data]\nfile = {json.dumps(ALL)}\n", f"{ok}[roles]\n{json.dumps(ALL)} = 'quasy'\n",
        f"{ok}{json.dumps(ALL)} = 1\n", f"[data]\nfile = '{chr(27)}[5m'\n",
        f"{ok}[attacks]\nuse = {json.dumps(ALL)}\n",
        f"{ok}[thresholds]\nfail_on = {json.dumps(ALL)}\n",
        f"{ok}[hierarchies.files]\nx = {json.dumps(ALL)}\n", f"[{json.dumps(ALL)}]\n",
    )):  # fmt: skip
        file = tmp_path / f"p{place}{IN_NAMES}.toml"
        file.write_text(text, encoding="utf-8")
        clean("audit", "--project", file.name, code=2)


def test_a_line_in_a_message_stays_a_line():
    assert str(Message("{a}", a="x\ny\x1b")) == "x\\ny\\x1b"
    assert str(Message("{a}", a=Cell("x\ny", bare=True))) == "x\\ny"
    assert str(Message("{a}", a=Foreign("first\n  second\r\n"))) == "first / second"


def test_whoever_prints(capsys):
    with harmless_output():
        print(ALL)
        sys.stderr.writelines([ALL, "\n"])
        console_on(stderr=False, force_terminal=True, color_system="truecolor").print(
            f"{ALL}[/bold]", style="red"
        )
        assert isinstance(sys.stdout, HarmlessStream)
    out, err = capsys.readouterr()
    assert held(out.encode()) == held(err.encode()) == []
    assert "\x1b[31m" in out  # the colour is ours
    assert "[bold]" in out


def in_a_terminal(words, cwd):
    """What a command writes when both streams are a terminal, and how it ends."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "unveil", *words], stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=theirs, cwd=cwd)  # fmt: skip
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # what Linux says when nobody has the other end
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    return b"".join(pieces), process.wait()


def test_in_a_terminal(hostile, tmp_path):
    table, named = hostile["table"], roles(hostile)
    for words, code in (
        (["linkage", table, *named, "--release", hostile["release"], "--about", "1"], 0),
        (["anonymize", table, *named, "--sanitizer", "mondrian:k=4", "-o", "-"], 0),
        (["init", table], 0), ([f"{ALL}"], 2),
    ):  # fmt: skip
        output, ended = in_a_terminal(words, tmp_path)
        assert ended == code, output.decode()
        assert held(output) == []
        assert len(output) > 100 or code


def test_a_table_in_a_pipe_is_as_it_is(hostile):
    words = ["anonymize", hostile["table"], *roles(hostile), "--sanitizer", "identity", "-o", "-"]
    written = run(*words, code=0).stdout_bytes.decode()
    assert f"R{ALL}" in written


def test_json_holds_what_was_there_and_shows_it_as_escapes(hostile):
    words = ["linkage", hostile["table"], *roles(hostile), "--release", hostile["release"],
             "--json", "-", "--records"]  # fmt: skip
    result = run(*words, code=0)
    assert held(result.stdout_bytes) == []
    assert json.loads(result.stdout)["findings"]


def test_progress_shows_names_harmlessly(monkeypatch):
    with harmless_output():
        from unveil.engine import Forecast, Step, StepsShown

        with StepsShown(Forecast([Step(kind=("x",), seconds=0.1)]), show=True) as steps:
            steps.begin(ALL)
            shown = steps._bar.tasks[0].description
    assert held(shown.encode()) == []


def test_released_cells_are_written_as_they_are(tmp_path):
    table = {"age": [1, 2, 3, 4], "vote": [f"a{ALL}", "b", "a", "b"]}
    survey = uv.read_table(table, quasi="age", sensitive="vote")
    assert f"a{ALL}" in set(uv.Identity().sanitize(survey).to_frame()["vote"])


def test_a_pipe_that_nobody_reads_is_no_bug():
    """`unveil measures … | head` ends quietly, and not with an internal error."""
    from unveil._faults import contained

    with pytest.raises(BrokenPipeError), contained(but=(OSError,)):
        console_on(stderr=False).on_broken_pipe()
