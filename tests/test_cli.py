"""The command line: what it prints, writes, refuses, and how it exits."""

import functools
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest
from command_line import ROLES, run

import unveil as uv
from unveil.cli import _console
from unveil.engine import Compiling
from unveil.errors import InputError
from unveil.sanitize import SANITIZERS


def shell(*args, code=0, env=None, text=True):
    """Run as users do, in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    source = str(Path(uv.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-m", "unveil", *map(str, args)],
        capture_output=True,
        env={**kept, "PYTHONPATH": source, "PYTHONUTF8": "1", **(env or {})},
        text=text,
        encoding="utf-8" if text else None,
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


# demo ---------------------------------------------------------------------------------------


def test_demo_tells_the_story(tmp_path):
    result = run("demo", "--json", tmp_path / "demo.json", "--plot", tmp_path / "demo.svg")
    assert result.stdout.startswith("944 people told the American National Election Study")
    for part in ("no anonymization", "Mondrian(k=5)", "Mondrian(l=2)", "●", "An average can hide",
                 "age 22", "unveil audit yourfile.csv"):  # fmt: skip
        assert part in result.stdout
    findings = json.loads((tmp_path / "demo.json").read_text(encoding="utf-8"))["findings"]
    again = uv.differential_inference(uv.datasets.election_survey(), uv.Mondrian(k=5))
    (k5,) = (f for f in findings if f["sanitizer"] == "Mondrian(k=5)")
    assert (k5["delta"], k5["mean"]) == (again.delta, again.mean)
    assert (tmp_path / "demo.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_demo_piped_is_plain_and_not_too_wide():
    done = shell("demo")
    assert "\x1b" not in done.stdout + done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 100


# audit --------------------------------------------------------------------------------------


def test_audit_of_nothing_but_roles_is_a_first_look(table):
    text = run("differential-inference", table, *ROLES).stdout
    for name in ("no anonymization", *(f"Mondrian(k={k})" for k in (2, 5, 10, 20))):
        assert name in text
    assert "row " not in text  # nothing about individuals unless asked


def test_a_first_look_at_few_records_leaves_out_what_they_cannot_meet(tmp_path):
    (tmp_path / "few.csv").write_text("age,vote\n20,a\n30,b\n40,a\n")
    text = run(
        "differential-inference", tmp_path / "few.csv", "--quasi", "age", "--sensitive", "vote"
    ).stdout
    assert "Mondrian(k=2)" in text
    assert "Mondrian(k=5)" not in text


def test_json_has_the_python_numbers(table, tmp_path):
    out = tmp_path / "out.json"
    run("differential-inference", table, "--quasi", "age", "--quasi", "town", "--sensitive", "vote",
        "--identifier", "name", "--sanitizer", "identity", "--sanitizer", "mondrian:k=3,l=2",
        "--sanitizer", "identity", "--adversary", "conditional-frequency", "--distance", "l1",
        "--targets", 20, "--seed", 7, "--jobs", 1, "--json", out, "--records")  # fmt: skip
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["unveil"] == uv.__version__
    assert document["failed"] == []
    survey = uv.read_csv(table, quasi=["age", "town"], sensitive="vote", identifier="name")
    sanitizers = [uv.Identity(), uv.Mondrian(k=3, l=2)]  # named twice, tested once
    for found, sanitizer in zip(document["findings"], sanitizers, strict=True):
        expected = uv.differential_inference(
            survey, sanitizer, adversary="conditional-frequency", distance="l1", targets=20, seed=7
        ).to_dict(records=True)
        assert found == json.loads(json.dumps(expected))


def test_json_says_nothing_about_individuals_unless_asked(table):
    result = run("differential-inference", table, *ROLES, "--sanitizer", "identity", "--json", "-")
    [found] = json.loads(result.stdout)["findings"]
    assert "distances" not in found
    assert "no anonymization" in result.stderr  # the report has made room


def test_worst_lists_records(table):
    text = run(
        "differential-inference", table, *ROLES, "--sanitizer", "mondrian:k=2", "--worst", 2
    ).stdout
    survey = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    worst = uv.differential_inference(survey, uv.Mondrian(k=2)).worst(2)
    assert re.findall(r"row (\d+) .* age", text) == [str(row + 1) for row in worst["row"]]
    assert "belief:" in text


def test_a_goal_out_of_reach_loses_nothing(table, tmp_path):
    out = tmp_path / "out.json"
    result = run("differential-inference", table, *ROLES, "--sanitizer", "mondrian:k=500",
                 "--sanitizer", "mondrian:k=3", "--json", out, "--plot", tmp_path / "p.png",
                 code=2)  # fmt: skip
    assert "Mondrian(k=3)" in result.stdout
    assert result.stderr.startswith("error: Mondrian(k=500) cannot be met")
    document = json.loads(out.read_text(encoding="utf-8"))
    assert [found["sanitizer"] for found in document["findings"]] == ["Mondrian(k=3)"]
    assert [f["sanitizer"] for f in document["failed"]] == ["Mondrian(k=500)"]
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_no_goal_within_reach(table):
    result = run("differential-inference", table, *ROLES, "--sanitizer", "mondrian:k=500", code=2)
    assert result.stderr.startswith("error: Mondrian(k=500) cannot be met: survey.csv has 60")


def test_reader_options(tmp_path):
    file = tmp_path / "odd.csv"
    file.write_bytes(
        "31;low;M\xfcnchen;a\n45;mid;Rome;b\n?;high;Rome;a\n62;low;Rome;b\n".encode("latin-1")
    )
    text = run("differential-inference", file, "--columns", "age,school,town,vote",
               "-q", "age, school,town", "-s", "vote", "--encoding", "latin-1", "--delimiter", ";",
               "--missing", "drop", "--missing-values", "?", "--numeric", "age",
               "--categorical", "town", "--ordinal", "school=low|mid|high",
               "--sanitizer", "mondrian:k=2").stdout  # fmt: skip
    assert "3 of 3 people tested" in text
    assert "Note: 1 of 4 records with missing values dropped (age 1)" in text


def test_hierarchies_tabs_and_parquet(tmp_path):
    people = {"town": ["Rome", "Lyon", "Nice", "Lyon"], "vote": ["a", "b", "a", "b"]}
    pd.DataFrame(people).to_csv(tmp_path / "p.csv", sep="\t", index=False)
    pd.DataFrame(people).to_parquet(tmp_path / "p.parquet")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "town.csv").write_text("Rome;Italy;*\nLyon;France;*\nNice;France;*\n")
    roles = ("--quasi", "town", "--sensitive", "vote", "--hierarchies", tmp_path / "trees",
             "--sanitizer", "mondrian:k=1,regions=cut", "-o", "-")  # fmt: skip
    csv = run("anonymize", tmp_path / "p.csv", *roles, "--delimiter", "\\t").stdout
    assert csv == run("anonymize", tmp_path / "p.parquet", *roles).stdout
    result = run("anonymize", tmp_path / "p.parquet", *roles, "--encoding", "utf-8", code=2)
    assert result.stderr == "error: --encoding is for CSV files; p.parquet is Parquet\n"


# what is refused ----------------------------------------------------------------------------

REFUSED = [
    (["--sanitizer", "mondrain:k=5"], "no sanitizer 'mondrain'; did you mean 'mondrian'?"),
    (["--sanitizer", "mondrian:kk=5"], "mondrian has no option 'kk'; did you mean 'k'?"),
    (["--sanitizer", "mondrian:k=x"], "'mondrian:k=x' is not possible: it must be a whole number"),
    (["--adversary", "naive-bayse"], "did you mean 'naive-bayes'? (known: naive-bayes, "
                                     "conditional-frequency, smoothed"),
    (["--distance", "l2"], "--distance l2 is not known (known: total-variation, l1, emd:unit"),
    (["--targets", "61"], "--targets 61: the table has 60 records to choose from"),
    (["--quasi", "agee"], "column 'agee' is not in survey.csv; did you mean 'age'?"),
    (["--numeric", "nome"], "column 'nome' is not in survey.csv; did you mean 'name'?"),
    (["--ordinal", "town"], "cannot read --ordinal town; write it like 'education=low|mid|high'"),
    (["--ordinal", "town="], "cannot read --ordinal town=; write it like"),
    (["--ordinal", "town=a|b", "--ordinal", "town=b"], "--ordinal names the column 'town' twice"),
    (["--ordinal", "town=Rome|Nice"], "which is not among its levels"),
    (["--delimiter", "::"], "delimiter must be one ASCII character"),
    (["--encoding", "utf-99"], "encoding 'utf-99' is unknown"),
    (["--columns", "a,b"], "--columns has 2 names, but survey.csv has 4 columns\n"),
    (["--hierarchies", "nowhere"], "the folder of hierarchies 'nowhere' does not exist"),
    (["--json", "nowhere/out.json"], "--json 'nowhere/out.json': the folder 'nowhere' does not"),
    (["--json", "."], "--json '.' is a folder; name a file in it"),
    (["--plot", "out.gif"], "--plot 'out.gif' must end in .png, .svg or .pdf"),
    (["--plot", "out"], "--plot 'out' must end in"),
    (["--plot", "-"], "--plot needs a file, such as picture.png"),
    (["--plot", "o.png", "--json", "o.png"], "--json and --plot name the same file, 'o.png'"),
    (["--records"], "--records adds to the JSON; say where that goes with --json"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_is_wrong_is_told(table, monkeypatch, options, message):
    monkeypatch.chdir(table.parent)
    result = run("differential-inference", table, *ROLES, *options, code=2)
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert [path.name for path in table.parent.iterdir()] == ["survey.csv"]


@pytest.mark.parametrize(
    "options",
    [["--missing", "perhaps"], ["--targets", "0"], ["--targets", "x"], ["--worst", "-1"],
     ["--nonsense"]],
)  # fmt: skip
def test_usage_errors_exit_with_2_as_well(table, options):
    assert options[0] in run("differential-inference", table, *ROLES, *options, code=2).stderr


def test_no_such_file(tmp_path):
    result = run("differential-inference", tmp_path / "none.csv", *ROLES, code=2)
    assert result.stderr == f"error: the file {str(tmp_path / 'none.csv')!r} does not exist\n"


@pytest.mark.parametrize(
    ("content", "options", "remedy"),
    [
        ("age,vote\n,a\n30,b\n", (), "--missing drop drops all these records, --missing category"),
        ("age,vote\n,a\n30,b\n", ("--missing", "category"), "with --categorical age"),
        ("age,vote\n?,a\n30,b\n", ("--numeric", "age"), "give --missing-values '?'"),
        ("age,vote\nM\xfc,a\nb,b\n", ("--encoding", "utf-8"), "instance --encoding cp1252"),
        ("age,vote\n1,a\n1,2,3\n", (), "give --delimiter"),
    ],
)
def test_remedies_are_options(tmp_path, content, options, remedy):
    file = tmp_path / "t.csv"
    file.write_bytes(content.encode("latin-1"))
    result = run(
        "differential-inference", file, "--quasi", "age", "--sensitive", "vote", *options, code=2
    )
    assert remedy in result.stderr
    assert '="' not in result.stderr


def test_the_table_is_not_written_over(table):
    before = table.read_bytes()
    for command in (
        ("differential-inference", table, *ROLES, "--json", table),
        ("anonymize", table, *ROLES, "--sanitizer", "identity", "-o", table),
        ("anonymize", table, *ROLES, "--sanitizer", "identity", "-o",
         table.parent / "." / table.name),
    ):  # fmt: skip
        assert "is the table that is read" in run(*command, code=2).stderr
    assert table.read_bytes() == before


def test_a_picture_without_matplotlib_is_refused_at_once(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("differential-inference", table, *ROLES, "--plot", table.parent / "p.png", code=2)
    assert "pip install 'unveil[plot]'" in result.stderr


# anonymize ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_anonymize_writes_the_release(table, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    result = run("anonymize", table, *ROLES, "--identifier", "name", "--sanitizer", "mondrian:k=5",
                 "-o", out)  # fmt: skip
    assert result.stdout == ""
    assert "60 records by Mondrian(k=5) in" in result.stderr
    assert "columns left out, neither quasi-identifiers nor sensitive: name" in result.stderr
    released = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)
    original = pd.read_csv(table)
    assert list(released.columns) == ["age", "town", "vote"]
    assert sorted(released["vote"]) == sorted(original["vote"])
    # Class by class, and sorted within: the order tells nothing of the original's.
    cells = released[["age", "town"]].agg("|".join, axis=1)
    assert cells.ne(cells.shift()).sum() == cells.nunique()
    assert all(votes.is_monotonic_increasing for _, votes in released["vote"].groupby(cells))
    assert released.groupby(["age", "town"]).size().min() >= 5
    survey = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    uv.read_release(released, survey)  # what was written can be read
    assert not list(tmp_path.glob(".*"))


def test_anatomy_writes_its_two_tables_into_a_folder(table, tmp_path):
    out = tmp_path / "published"
    for _ in range(2):  # the second time it is there already
        run("anonymize", table, *ROLES, "--sanitizer", "anatomy:l=2", "-o", out)
    names = sorted(path.name for path in out.iterdir())
    assert names == ["quasi_table.csv", "sensitive_table.csv"]
    for wrong in ("published.csv", "-"):
        done = run("anonymize", table, *ROLES, "--sanitizer", "anatomy:l=2", "-o", wrong, code=2)
        assert "publishes two tables" in done.stderr
        assert "name a folder for them, such as -o released" in done.stderr


def test_anonymize_to_standard_output_is_csv_alone(table):
    done = shell("anonymize", table, *ROLES, "--sanitizer", "mondrian:k=5", "-o", "-")
    assert done.stdout.startswith("age,town,vote\n")
    assert len(done.stdout.splitlines()) == 61
    assert "standard output: 60 records by Mondrian(k=5)" in done.stderr


def test_anonymize_out_of_reach_leaves_the_old_file(table, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")
    result = run("anonymize", table, *ROLES, "--sanitizer", "mondrian:k=99", "-o", out, code=2)
    assert result.stderr.startswith("error: Mondrian(k=99) cannot be met")
    assert out.read_text() == "old"


def test_anonymize_refuses_names_it_cannot_write(table, tmp_path):
    result = run("anonymize", table, *ROLES, "--sanitizer", "identity", "-o", tmp_path / "o.txt",
                 code=2)  # fmt: skip
    assert "must end in .csv, .parquet, .pq or .parq" in result.stderr


# files --------------------------------------------------------------------------------------


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    from unveil.cli._outputs import write

    file = tmp_path / "out.json"
    file.write_text("old")

    def fails(stream):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write(file, fails)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="no such device there")
def test_devices_are_written_to_and_not_replaced(table):
    run("differential-inference", table, *ROLES, "--sanitizer", "identity", "--json", os.devnull)
    assert not Path(os.devnull).is_file()


# start, end, and the terminal ---------------------------------------------------------------


def test_version_and_help():
    assert run("--version").stdout == f"unveil {uv.__version__}\n"
    for command in ((), ("demo",), ("differential-inference",), ("anonymize",)):
        text = run(*command, "--help").stdout
        assert "Examples" in text
        assert f"unveil {' '.join(command)}" in text.split("Examples")[1]


@pytest.mark.parametrize("command", [["--help"], ["--version"]])
def test_help_waits_for_nothing_heavy(command):
    code = (
        "import sys\nfrom unveil.cli import main\n"
        f"try: main({command!r})\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'numba', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    source = str(Path(uv.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                   env={**os.environ, "PYTHONPATH": source, "PYTHONUTF8": "1"})  # fmt: skip


def test_errors_in_a_process_of_its_own(table):
    done = shell("differential-inference", table, *ROLES, "--sanitizer", "nothing", code=2)
    assert done.stdout == ""
    known = ", ".join(SANITIZERS)
    assert "mondrian" in known
    assert done.stderr.split() == f"error: no sanitizer 'nothing' (known: {known})".split()


def test_an_encoding_without_blocks_is_no_reason_to_fail(table):
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = shell("differential-inference", table, *ROLES, "--sanitizer", "identity", env=env)
    assert "?" in done.stdout
    done = shell(
        "differential-inference", table, *ROLES, "--sanitizer", "identity", "--json", "-", env=env
    )
    assert json.loads(done.stdout)["findings"]


def test_interrupted_before_anything_was_found(table, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("unveil.microdata.read_table", interrupted)
    assert run("differential-inference", table, *ROLES, code=130).stderr == "interrupted\n"


def test_interrupted_keeps_what_was_found(table, monkeypatch):
    from unveil.attacks.differential import _attack

    test = _attack.differential_inference

    @functools.wraps(test)
    def one_then_stop(*, sanitizer, **options):
        if sanitizer == uv.Mondrian(k=5):
            raise KeyboardInterrupt
        return test(sanitizer=sanitizer, **options)

    monkeypatch.setattr(_attack, "differential_inference", one_then_stop)
    result = run(
        "differential-inference", table, *ROLES, "--json", table.parent / "out.json", code=130
    )
    assert "Mondrian(k=2)" in result.stdout
    assert result.stderr == "interrupted: 2 of 5 releases were looked at to the end\n"
    assert not (table.parent / "out.json").exists()
    document = json.loads((table.parent / "out.interrupted.json").read_text(encoding="utf-8"))
    assert len(document["findings"]) == 2
    assert document["failed"] == [{"sanitizer": "Mondrian(k=5)", "error": "interrupted"}]


def test_a_slow_start_is_explained_and_a_quick_one_is_not(monkeypatch, capsys):
    with _console.slow_start():
        pass
    assert capsys.readouterr().err == ""
    told = threading.Event()
    monkeypatch.setattr(_console, "_PATIENCE", 0.0)
    monkeypatch.setattr(_console, "say", lambda text: (print(text, file=sys.stderr), told.set()))
    with _console.slow_start():
        assert not told.wait(timeout=0.1)  # it takes long, but nothing is compiled
    monkeypatch.setattr(Compiling, "now", True)
    with _console.slow_start():
        assert told.wait(timeout=30)
    assert "first run only" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal_unless_forbidden(monkeypatch, env, coloured):
    import pty

    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal, os.fdopen(ours, "rb") as screen:
        monkeypatch.setattr(sys, "stdout", terminal)
        out = _console.console()
        out.print("word", style="bold red")
        terminal.flush()
        assert (b"\x1b[" in screen.read1(100)) is coloured
    assert out.width <= 100


def test_one_table_one_sanitizer(table, tmp_path):
    result = run("anonymize", table, *ROLES, "--sanitizer", "mondrian:k=2", "--sanitizer",
                 "mondrian:k=5", "-o", tmp_path / "out.csv", code=2)  # fmt: skip
    assert result.stderr == "error: give one --sanitizer; got mondrian:k=2, mondrian:k=5\n"
    assert not (tmp_path / "out.csv").exists()


def test_a_dash_is_standard_input(table):
    options = ["--sanitizer", "mondrian:k=5", "--json", "-"]
    from_file = run("differential-inference", table, *ROLES, *options).stdout
    piped = run("differential-inference", "-", *ROLES, *options, input=table.read_bytes()).stdout
    first, second = (json.loads(text)["findings"][0] for text in (from_file, piped))
    assert second["source"] == "standard input"
    assert first["delta"] == second["delta"]


def test_nothing_tested_is_no_pass(table):
    result = run("differential-inference", table, *ROLES, "--sanitizer", "mondrian:k=60", code=2)
    assert "error: Mondrian(k=60): not one person could be tested" in result.stderr


def test_what_was_decided_while_reading_is_said_first(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("age,vote\n" + "".join(f"{age},a\n{age},b\n" for age in [30, 31, 32, "?"]))
    text = run("differential-inference", path, "--quasi", "age", "--sensitive", "vote").stdout
    note = "Note: age is read as words, not as numbers, because of '?'"
    assert text.count(note) == 1
    assert text.index(note) < text.index("no anonymization")
    assert "--missing-values" in text


def test_cells_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("town,vote\n\x1b[31mred,a\n\x1b[31mred,b\nRome,a\nRome,b\n")
    text = run(
        "differential-inference", path, "--quasi", "town", "--sensitive", "vote", "--worst", 4
    ).stdout
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text


def test_whoever_stops_reading_gets_the_files_all_the_same(table, tmp_path):
    out = tmp_path / "audit.json"
    command = shlex.join([sys.executable, "-m", "unveil", "differential-inference", str(table),
                          *ROLES, "--sanitizer", "mondrian:k=5", "--json", str(out)])  # fmt: skip
    source = str(Path(uv.__file__).parents[1])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -n 1"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert json.loads(out.read_text())["findings"]
