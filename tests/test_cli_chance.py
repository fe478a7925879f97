"""Chance on the command line: noisy counts, samples, and numbers in parts."""

import json
import sys

import pytest
from command_line import ROLES, run

PARTS = ["--cuts", "age=30,50"]
COUNTS = ["--sanitizer", "laplace-counts:epsilon=1"]


def test_noisy_counts_are_worked_out(table):
    done = run("differential-inference", str(table), *ROLES, *PARTS, *COUNTS, "--json", "-")
    [finding] = json.loads(done.stdout)["findings"]
    assert done.exit_code == 0
    assert finding["sanitizer"] == "LaplaceCounts(epsilon=1.0)"
    assert finding["adversary"] == "smoothed frequency"
    assert finding["path"] == "direct"
    assert finding["classes"] is None
    assert any("without sampling" in note for note in finding["notes"])


def test_nobody_is_told_that_values_from_the_data_are_private(table, tmp_path):
    out = tmp_path / "counts.csv"
    said = "not differentially private: which combinations are published comes from the data"
    done = run("anonymize", str(table), *ROLES, *PARTS, *COUNTS, "-o", str(out))
    assert said in " ".join(done.output.split())
    done = run("differential-inference", str(table), *ROLES, *PARTS, *COUNTS)
    assert said in " ".join(done.output.split())
    done = run("audit", str(table), *ROLES, *PARTS, *COUNTS, "--json", str(tmp_path / "audit.json"))
    assert said in (tmp_path / "audit.json").read_text()
    counts = [COUNTS[0], f"{COUNTS[1]},domains=declared"]
    done = run("anonymize", str(table), *ROLES, *PARTS, *counts, "-o", str(out), code=2)
    assert "domains=declared is not true of" in " ".join(done.output.split())
    assert "'age'" not in done.output  # it was cut


def test_beside_others_each_has_its_own_attacker(table):
    done = run("differential-inference", str(table), *ROLES, *COUNTS, "--sanitizer", "mondrian:k=2",
               "--json", "-")  # fmt: skip
    counts, records = json.loads(done.stdout)["findings"]
    assert (counts["adversary"], records["adversary"]) == (
        "smoothed frequency", "the strongest of Bernoulli naive Bayes and conditional frequency",
    )  # fmt: skip


def test_samples_say_how_exact_they_are(table):
    done = run("differential-inference", str(table), *ROLES, *PARTS, *COUNTS, "--samples", "200")
    assert done.exit_code == 0
    assert "Sampled: 200 releases with and as many without each record" in " ".join(
        done.output.split()
    )


def test_until_it_is_exact_enough(table):
    options = ["--error", "0.02", "--json", "-"]
    done = run("differential-inference", str(table), *ROLES, *PARTS, *COUNTS, *options)
    [finding] = json.loads(done.stdout)["findings"]
    assert finding["sampling"]["error_most"] <= 0.02
    assert finding["sampling"]["too_coarse"] == 0


def test_counts_are_written(table, tmp_path):
    out = tmp_path / "counts.csv"
    done = run("anonymize", str(table), *ROLES, *PARTS, *COUNTS, "-o", str(out))
    assert done.exit_code == 0
    assert "counts by LaplaceCounts(epsilon=1.0)" in " ".join(done.output.split())
    lines = out.read_text().splitlines()
    assert lines[0].endswith(",count")
    assert any(line.startswith("< 30,") for line in lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--samples", "1"], "it must be a whole number from 2 up"),
        (["--error", "0"], "it must be a number above 0 below 1"),
        (["--cuts", "age"], "cannot read --cuts age; write it like 'age=20,40,60', with numbers"),
        (["--cuts", "age=40,20"], "in ascending order"),
        (
            ["--cuts", "age=x"],
            "cannot read --cuts age=x; write it like 'age=20,40,60'",
        ),
        (["--cuts", "age=inf"], "cannot read --cuts age=inf; write it like"),
        (["--cuts", "agee=20"], "did you mean 'age'?"),
        (
            ["--parts", "age=many"],
            "from 1 up; to say where they begin, use --cuts",
        ),
        (["--parts", "age=2", "--quantiles", "age=2"], "one way only"),
        (["--quantiles", "age=3", "--quantiles", "age=2"], "names the column 'age' twice"),
        (
            ["--sanitizer", "laplace-counts:epsilon=0"],
            "--epsilon 0.0 is not possible: it must be a number above 0",
        ),
        (["--sanitizer", "laplace-counts"], "laplace-counts needs epsilon"),
    ],
)
def test_bad_input(table, options, message):
    done = run("differential-inference", str(table), *ROLES, *options, code=2)
    assert message in " ".join(done.output.split())


@pytest.mark.parametrize("option", ["--parts", "--quantiles"])
def test_parts_of_equal_width_or_share(table, option):
    done = run(
        "differential-inference", str(table), *ROLES, option, "age=2", "--sanitizer", "mondrian:k=2"
    )
    assert done.exit_code == 0
    assert "age was grouped into 2 parts" in " ".join(done.output.split())


def test_the_worst_are_those_the_audit_found(table, tmp_path):
    """A random oracle says something else the next time; nobody asks it again."""
    program = tmp_path / "noise.py"
    program.write_text(
        "import random, sys\n"
        "lines = open(sys.argv[1]).read().splitlines()\n"
        "head, rows = lines[0], [line.split(',') for line in lines[1:]]\n"
        "at = head.split(',').index('age')\n"
        "for row in rows: row[at] = random.choice(rows)[at]\n"
        "open(sys.argv[2], 'w').write('\\n'.join([head, *map(','.join, rows)]))\n"
    )
    out = tmp_path / "audit.json"
    oracle = f"{sys.executable} {program} {{input}} {{output}}"
    done = run(
        "differential-inference", table, *ROLES, "--oracle", oracle, "--targets", "3",
        "--may-change-quasi", "--samples", "4", "--worst", "1", "--json", out, "--records",
    )  # fmt: skip
    [finding] = json.loads(out.read_text())["findings"]
    worst = max(finding["records"]["distance"])
    listed = done.output.split("belief without → with")[1]
    assert f"{worst:.3g}"[:4] in listed


def test_samples_beside_what_needs_none(table):
    done = run(
        "differential-inference",
        table,
        *ROLES,
        *PARTS,
        *COUNTS,
        "--sanitizer",
        "mondrian:k=2",
        "--samples",
        "50",
    )
    said = " ".join(done.output.split())
    assert "nothing here is random, so nothing was sampled" in said
    assert said.count("as far as sampling can tell") == 1
