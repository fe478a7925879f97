"""The command line on anonymizations of other people: oracles, published files, attackers."""

import json
import os
import shlex
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from command_line import ROLES, run
from dask_cluster import dask_cluster

import unveil as uv

PROGRAM = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
if len(sys.argv) > 3 and len(rows) < 60:
    sys.exit("cannot do it")
with open(sys.argv[2], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    for row in rows:
        low = int(row["age"]) // 10 * 10
        writer.writerow({**row, "age": f"{low}-{low + 9}"})
"""


@pytest.fixture
def command(tmp_path):
    """A program that publishes decades."""
    (tmp_path / "anonymize.py").write_text(PROGRAM)
    return shlex.join([sys.executable, str(tmp_path / "anonymize.py")]) + " {input} {output}"


def decades(frame):
    low = frame["age"] // 10 * 10
    return frame.assign(age=[f"{a}-{a + 9}" for a in low])


def findings(result):
    """Those of the differential test."""
    found = json.loads(result.stdout)["findings"]
    return [one for one in found if one["finding"] != "relative risk"]


def test_a_command_is_tested_like_the_function_it_is(table, command):
    options = ["--targets", "6", "--seed", "3", "--json", "-"]
    [found] = findings(run("differential-inference", table, *ROLES, "--oracle", command, *options))
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    expected = uv.differential_inference(people, uv.Oracle(decades), targets=6, seed=3)
    assert found["delta"] == pytest.approx(expected.delta, abs=1e-12)
    assert found["mean"] == pytest.approx(expected.mean, abs=1e-12)
    assert found["targets_are"] == "random"


def test_a_folder_of_releases(table, tmp_path):
    frame = pd.read_csv(table)
    folder = tmp_path / "releases"
    folder.mkdir()
    decades(frame).to_csv(folder / "full.csv", index=False)
    for record in (4, 11):
        decades(frame.drop(record)).to_csv(folder / f"without_{record:06}.csv", index=False)
    oracle = ["--oracle", str(folder)]
    refused = run("differential-inference", table, *ROLES, *oracle, code=2).stderr
    assert "no release without 58 of the 60 records asked for: without_000000.csv" in refused
    assert "--targets available" in refused
    [found] = findings(
        run(
            "differential-inference",
            table,
            *ROLES,
            *oracle,
            "--targets",
            "available",
            "--json",
            "-",
            "--records",
        )
    )
    assert found["records"]["record"] == [4, 11]
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    expected = uv.differential_inference(people, uv.Oracle(decades), targets=[4, 11])
    np.testing.assert_allclose(found["records"]["distance"], expected.distances, atol=1e-12)


def test_an_oracle_that_fails_loses_nothing(table, command):
    result = run(
        "differential-inference", table, *ROLES, "--oracle", f"{command} sometimes",
        "--targets", "3", "--retries", "0", "--timeout", "60 s", "--memory", "4 GB", code=2,
    )  # fmt: skip
    assert "not one person could be tested" in result.stderr
    assert "NOT TESTED: 3 people: " in result.stdout


def test_several_attackers(table):
    result = run(
        "differential-inference", table, *ROLES, "--sanitizer", "mondrian:k=3",
        "--adversary", "naive-bayes", "--adversary", "conditional-frequency",
        "--adversary", "tree", "--targets", "5",
    )  # fmt: skip
    assert "strongest for" in result.stdout
    assert result.stdout.count(" of 5\n") == 3


def test_a_budget_a_draw_and_a_distance(table):
    options = ["--sanitizer", "mondrian:k=3", "--json", "-"]
    [found] = findings(run("differential-inference", table, *ROLES, *options, "--budget", "1 h"))
    assert (found["budget"], found["targets_are"]) == ("3600 s", "all")
    assert not found["reproducible"]
    [found] = findings(
        run("differential-inference", table, *ROLES, *options, "--targets", "9", "--draw",
            "exposed", "--distance", "kl")
    )  # fmt: skip
    assert (found["targets"], found["targets_are"]) == (9, "exposed")
    assert "Kullback" in found["distance"]


def test_a_prior_from_a_file(table, tmp_path):
    file = tmp_path / "prior.csv"
    file.write_text("a,b,c\n0.7,0.2,0.1\n")
    options = ["--sanitizer", "mondrian:k=3", "--prior", file, "--json", "-"]
    [found] = findings(run("differential-inference", table, *ROLES, *options))
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    expected = uv.differential_inference(
        people, uv.Mondrian(k=3), prior={"a": 0.7, "b": 0.2, "c": 0.1}
    )
    assert found["delta"] == expected.delta
    file.write_text("a,b\n0.7,0.3\n")
    assert "'c'" in run("differential-inference", table, *ROLES, *options, code=2).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--timeout", "3 s"], "--timeout is for programs of others; give one with --oracle"),
        (["--retries", "3"], "--retries is for programs of others"),
        (["--may-drop"], "--may-drop is for programs of others"),
        (["--notation", "age=range"], "--notation is for generalized cells"),
        (["--draw", "exposed"], "--draw exposed needs --targets or --budget"),
    ],
)
def test_options_that_would_mean_nothing_are_refused(table, monkeypatch, options, message):
    monkeypatch.chdir(table.parent)
    assert message in run("differential-inference", table, *ROLES, *options, code=2).stderr


def test_who_is_ended_politely_leaves_nothing_behind(table, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import sys, time\nprint(open(sys.argv[1]).read())\ntime.sleep(2)\n"
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    oracle = shlex.join([sys.executable, str(tmp_path / "slow.py")]) + " {input}"
    environment = {**os.environ, "TMPDIR": str(temporary)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, "-m", "unveil", "differential-inference", str(table), *ROLES,
         "--oracle", oracle],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        ends = time.monotonic() + 60
        while not any(temporary.glob("unveil-*/*/*")) and time.monotonic() < ends:
            time.sleep(0.05)
        process.terminate()
        assert process.wait(60) == 143
    assert [path.name for path in temporary.iterdir() if path.name.startswith("unveil")] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--oracle", "no such thing"], "no such thing"),
        (["--oracle", "./not-there {input} {output}"], "not-there"),
        (["--oracle", "http://127.0.0.1:9/"], "nothing answers at http://127.0.0.1:9/"),
        (["--adversary", "oracle-of-delphi"], "no adversary 'oracle-of-delphi'"),
        (["--targets", "many"], "--targets must be a number"),
        (["--budget", "soon"], "soon"),
        (["--prior", "not-there.csv"], "cannot read --prior"),
        (["--scheduler", "tcp://127.0.0.1:9"], "nothing answers at --scheduler"),
    ],
)
def test_what_is_wrong_is_told(table, monkeypatch, options, message):
    monkeypatch.chdir(table.parent)
    monkeypatch.setattr("unveil.attacks.differential._attack._PATIENCE", "0.2s")
    result = run("differential-inference", table, *ROLES, *options, code=2)
    assert result.stderr.splitlines()[-1].startswith("error: ")
    assert message in result.stderr


def test_encodings_are_compared(table, tmp_path):
    result = run(
        "compare-encodings", table, *ROLES, "--sanitizer", "mondrian:k=3",
        "--json", tmp_path / "e.json", "--plot", tmp_path / "e.png",
    )  # fmt: skip
    assert "relative-relative" in result.stdout
    assert (tmp_path / "e.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((tmp_path / "e.json").read_text())
    assert len(found["encodings"]) == 24
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    [expected] = uv.compare_encodings(
        people, uv.Mondrian(k=3), encodings=["bounds-hot"]
    ).accuracy.tolist()
    assert found["encodings"]["bounds-hot"]["accuracy"] == expected


def test_a_dask_cluster(table, command, tmp_path):
    options = ["--oracle", command, "--targets", "6", "--json", "-"]
    [alone] = findings(run("differential-inference", table, *ROLES, *options, "--jobs", "1"))
    with dask_cluster(tmp_path) as cluster:
        [found] = findings(
            run("differential-inference", table, *ROLES, *options, "--scheduler", cluster.address)
        )
    assert (found["delta"], found["mean"]) == (alone["delta"], alone["mean"])
