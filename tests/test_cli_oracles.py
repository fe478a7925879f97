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
    [found] = findings(run("audit", table, *ROLES, "--oracle", command, *options))
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
    refused = run("audit", table, *ROLES, *oracle, code=2).stderr
    assert "no release without 58 of the 60 records asked for: without_000000.csv" in refused
    assert "--targets available" in refused
    [found] = findings(
        run("audit", table, *ROLES, *oracle, "--targets", "available", "--json", "-", "--records")
    )
    assert found["record"] == [4, 11]
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    expected = uv.differential_inference(people, uv.Oracle(decades), targets=[4, 11])
    np.testing.assert_allclose(found["distances"], expected.distances, atol=1e-12)


def test_an_oracle_that_fails_loses_nothing(table, command):
    result = run(
        "audit", table, *ROLES, "--oracle", f"{command} sometimes", "--targets", "3",
        "--retries", "0", "--time-limit", "60 s", "--memory-limit", "4 GB", code=2,
    )  # fmt: skip
    assert "not one record could be tested" in result.stderr
    assert "3 records under Oracle(" in result.stdout


def test_several_attackers(table):
    result = run(
        "audit", table, *ROLES, "--sanitizer", "mondrian:k=3", "--adversary", "naive-bayes",
        "--adversary", "conditional-frequency", "--adversary", "tree", "--targets", "5",
    )  # fmt: skip
    assert "Attackers of Mondrian(k=3)" in result.stdout
    assert result.stdout.count("strongest for") == 3


def test_a_budget_a_draw_and_a_distance(table):
    options = ["--sanitizer", "mondrian:k=3", "--json", "-"]
    [found] = findings(run("audit", table, *ROLES, *options, "--budget", "1 h"))
    assert (found["budget_seconds"], found["targets_are"]) == (3600, "all")
    [found] = findings(
        run("audit", table, *ROLES, *options, "--targets", "9", "--draw", "exposed",
            "--distance", "kl")
    )  # fmt: skip
    assert (found["targets"], found["targets_are"]) == (9, "exposed")
    assert "Kullback" in found["distance"]


def test_a_prior_from_a_file(table, tmp_path):
    file = tmp_path / "prior.csv"
    file.write_text("a,b,c\n0.7,0.2,0.1\n")
    options = ["--sanitizer", "mondrian:k=3", "--prior", file, "--json", "-"]
    [found] = findings(run("audit", table, *ROLES, *options))
    people = uv.read_csv(table, quasi=["age", "town"], sensitive="vote")
    expected = uv.differential_inference(
        people, uv.Mondrian(k=3), prior={"a": 0.7, "b": 0.2, "c": 0.1}
    )
    assert found["delta"] == expected.delta
    file.write_text("a,b\n0.7,0.3\n")
    assert "'c'" in run("audit", table, *ROLES, *options, code=2).stderr


def test_a_published_file_is_described_and_what_is_missing_is_said(table, tmp_path):
    published = tmp_path / "published.csv"
    frame = decades(pd.read_csv(table))
    frame.loc[:3, ["age", "town"]] = "*"
    frame.sample(frac=1, random_state=1).to_csv(published, index=False, sep=";")
    result = run("audit", table, *ROLES, "--release", published, "--json", tmp_path / "out.json")
    assert "published.csv" in result.stdout
    assert "4 of 60 records are suppressed" in result.stdout
    assert "guesses the vote of" in result.stdout
    assert "--oracle (a command, a URL, or a folder" in " ".join(result.stdout.split())
    found, risk = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert (found["finding"], risk["finding"]) == ("inference", "relative risk")
    assert found["suppressed"] == 4
    assert found["baseline"] == frame["vote"].value_counts(normalize=True).max()


def test_a_published_file_beside_a_sanitizer(table, tmp_path):
    published = tmp_path / "published.csv"
    decades(pd.read_csv(table)).to_csv(published, index=False)
    result = run("audit", table, *ROLES, "--release", published, "--sanitizer", "mondrian:k=3")
    assert "guesses the vote of" in result.stdout
    assert "Mondrian(k=3)" in result.stdout
    assert "--oracle (a command" not in result.stdout


def test_a_file_that_cannot_be_read_is_no_matter_to_the_others(table, tmp_path):
    good, odd = tmp_path / "good.csv", tmp_path / "odd.csv"
    frame = decades(pd.read_csv(table))
    frame.to_csv(good, index=False)
    frame.assign(town="Atlantis").to_csv(odd, index=False)
    out = tmp_path / "out.json"
    result = run("audit", table, *ROLES, "--release", odd, "--release", good, "--json", out, code=2)
    assert "good.csv" in result.stdout
    assert "error: odd.csv: row 1, column 'town': cannot read the cell 'Atlantis'" in result.stderr
    document = json.loads(out.read_text())
    assert [finding["release"] for finding in document["findings"]] == ["good.csv", "good.csv"]
    assert [failed["release"] for failed in document["failed"]] == ["odd.csv"]


def test_files_of_one_name_are_told_apart(table, tmp_path):
    for folder, row in (("a", 0), ("b", 1)):
        (tmp_path / folder).mkdir()
        frame = decades(pd.read_csv(table))
        frame.loc[:row, ["age", "town"]] = "*"
        frame.to_csv(tmp_path / folder / "r.csv", index=False)
    files = [tmp_path / "a" / "r.csv", tmp_path / "b" / "r.csv"]
    result = run("audit", table, *ROLES, "--release", files[0], "--release", files[1])
    assert "1 of 60 records is suppressed" in result.stdout
    assert "2 of 60 records are suppressed" in result.stdout


def test_how_a_published_file_is_encoded_and_what_may_be_changed_can_be_said(table, tmp_path):
    frame = pd.read_csv(table).assign(town=["Zürich", "Genève"] * 30)
    frame.to_csv(table, index=False, encoding="latin-1")
    changed = frame.assign(vote=frame["vote"].iloc[::-1].to_numpy())
    changed.loc[0, "vote"] = "b" if changed.loc[0, "vote"] == "a" else "a"
    published = tmp_path / "published.csv"
    changed.to_csv(published, index=False, encoding="latin-1")
    audit = ["audit", table, *ROLES, "--encoding", "latin-1", "--release", published]
    assert "--may-change-sensitive" in run(*audit, code=2).stderr
    assert "guesses the vote" in run(*audit, "--may-change-sensitive").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time-limit", "3 s"], "--time-limit is for oracles; give one with --oracle"),
        (["--retries", "3"], "--retries is for oracles"),
        (["--may-drop"], "--may-drop is for oracles"),
        (["--notation", "age=range"], "give it with --oracle or --release"),
        (["--draw", "exposed"], "--draw exposed needs --targets or --budget"),
        (["--release", "p.csv", "--budget", "1 s"], "--budget is for the differential test"),
        (["--release", "p.csv", "--worst", "3"], "--worst is for the differential test"),
        (["--release", "p.csv", "--plot", "p.png"], "--plot is for the differential test"),
    ],
)
def test_options_that_would_mean_nothing_are_refused(table, monkeypatch, options, message):
    monkeypatch.chdir(table.parent)
    assert message in run("audit", table, *ROLES, *options, code=2).stderr


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
        [sys.executable, "-m", "unveil", "audit", str(table), *ROLES, "--oracle", oracle],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        ends = time.monotonic() + 60
        while not any(temporary.glob("unveil-oracle-*/*")) and time.monotonic() < ends:
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
        (["--release", "not-there.csv"], "not-there.csv"),
        (["--prior", "not-there.csv"], "cannot read --prior"),
        (["--scheduler", "tcp://127.0.0.1:9"], "nothing answers at --scheduler"),
    ],
)
def test_what_is_wrong_is_told(table, monkeypatch, options, message):
    monkeypatch.chdir(table.parent)
    result = run("audit", table, *ROLES, *options, code=2)
    assert result.stderr.splitlines()[-1].startswith("error: ")
    assert message in result.stderr


def test_what_is_not_clear_in_a_published_file_can_be_said(table, tmp_path):
    people = pd.DataFrame({
        "zip": [47601, 47602, 47603, 47701] * 3, "vote": ["a", "b", "c"] * 4,
    })  # fmt: skip
    people.to_csv(table, index=False)
    published = tmp_path / "published.csv"
    people.assign(zip=["476*", "476*", "476*", "477*"] * 3).to_csv(published, index=False)
    audit = ["audit", table, "--quasi", "zip", "--sensitive", "vote", "--release", published]
    refused = run(*audit, code=2).stderr
    assert "--notation 'zip=prefix'" in refused
    assert "12 records in 2 classes" in run(*audit, "--notation", "zip=prefix").stdout
    wrong = run(*audit, "--notation", "zip", code=2).stderr
    assert "cannot read --notation 'zip'" in wrong


def test_encodings_are_compared(table, tmp_path):
    result = run(
        "encodings", table, *ROLES, "--sanitizer", "mondrian:k=3", "--json", tmp_path / "e.json",
        "--plot", tmp_path / "e.png",
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
    [alone] = findings(run("audit", table, *ROLES, *options, "--jobs", "1"))
    with dask_cluster(tmp_path) as cluster:
        [found] = findings(run("audit", table, *ROLES, *options, "--scheduler", cluster.address))
    assert (found["delta"], found["mean"]) == (alone["delta"], alone["mean"])
