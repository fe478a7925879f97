"""Tables of counts by every way in: asked about, and then read as the people they count.

As cells, each person would be one of seven; as people, one of 34. The verdict must be of people.
"""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import unveil as uv
from unveil.errors import CountsError, InputError
from unveil.testing import assert_release

CELLS = pd.DataFrame(
    [("f", 20, "flu", 12), ("f", 20, "hiv", 3), ("f", 40, "flu", 7), ("m", 20, "flu", 9),
     ("m", 20, "hiv", 0), ("m", 40, "flu", 1), ("m", 40, "hiv", 2)],
    columns=["sex", "age", "disease", "n"],
)  # fmt: skip
PEOPLE = CELLS.loc[CELLS.index.repeat(CELLS["n"])].drop(columns="n")
ROLES = {"quasi": ["sex", "age"], "sensitive": "disease"}
SHELL = ["--quasi", "sex,age", "--sensitive", "disease"]
AUDIT = ["--attack", "measures", "--fail-on", "k < 5"]
ASKED = "looks like a table of counts"
REMEDIES = "give --count n; if each row is one person, give --count none"
SHORT = CELLS.assign(n=[11, 3, 7, 9, 0, 1, 2])  # one person was left out


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CELLS.to_csv("cells.csv", index=False)
    SHORT.to_csv("short.csv", index=False)
    PEOPLE.to_csv("people.csv", index=False)


def squeezed(text):
    return " ".join(text.split())


def test_in_python():
    with pytest.raises(CountsError, match=ASKED):
        uv.read_csv("cells.csv", **ROLES)
    table = uv.read_csv("cells.csv", **ROLES, count="n")
    audit = uv.audit(table, "identity", fail_on="k < 3", attacks=["measures"])
    assert (audit.releases[0].figures["k"], audit.passed) == (3, True)
    assert uv.audit(table, "identity", fail_on="k < 4", attacks=["measures"]).passed is False
    plain = uv.audit(uv.read_csv("people.csv", **ROLES), "identity")
    assert dict(uv.audit(table, "identity").releases[0].figures) == dict(plain.releases[0].figures)


def test_in_a_shell():
    for command in (["audit", "cells.csv", *SHELL, *AUDIT], ["measures", "cells.csv", *SHELL],
                    ["inference", "cells.csv", *SHELL, "--sanitizer", "mondrian:k=2"]):  # fmt: skip
        done = run(*command, code=2)
        assert ASKED in squeezed(done.stderr)
        assert REMEDIES in squeezed(done.stderr)
    for command in ("audit", "linkage", "inference", "harden"):
        assert "--count" in run(command, "--help").stdout
    what = ["--sanitizer", "identity"]
    done = run("audit", "cells.csv", *SHELL, "--count", "n", *what, *AUDIT, code=1)
    assert "7 rows, 34 records" in squeezed(done.stdout)
    assert "k is 3, which is below 5" in squeezed(done.stdout)
    done = run("audit", "cells.csv", *SHELL, "--count", "none", *what, *AUDIT, code=1)
    assert "k is 1, which is below 5" in squeezed(done.stdout)
    run("measures", "cells.csv", *SHELL, "--count", "n", "--json", "measures.json")
    [found] = json.loads(Path("measures.json").read_text())["findings"]
    assert found["figures"]["k"]["value"] == 3
    run("measures", "cells.csv", *SHELL, "--count", "n", "--population", "cells.csv")


def test_a_file_that_was_published():
    """One person less does not add up, so nobody can know what a row is."""
    release = ["--release", "short.csv"]
    run("audit", "people.csv", *SHELL, *AUDIT, *release, "--json", "audit.json", code=3)
    [secret] = json.loads(Path("audit.json").read_text())["secrets"]
    [one] = secret["releases"]
    assert one["state"] == "not tested"
    for table in ("people.csv", "cells.csv"):
        done = run("audit", table, *SHELL, *AUDIT, *release, "--count", "n", code=1)
        assert "k is 3, which is below 5" in squeezed(done.stdout)
    # That of everybody adds up.
    done = run("audit", "people.csv", *SHELL, *AUDIT, "--release", "cells.csv", code=1)
    assert "k is 3, which is below 5" in squeezed(done.stdout)
    done = run("audit", "people.csv", *SHELL, "--count", "nn", "--sanitizer", "identity", code=2)
    assert "column 'nn' is not in people.csv" in squeezed(done.stderr)


PROJECT = """
[data]
file = "cells.csv"
[roles]
sex = "quasi"
age = "quasi"
disease = "sensitive"
{count}
[attacks]
use = ["measures"]
[thresholds]
fail_on = ["k < 3"]
[[releases]]
sanitizer = "identity"
"""


def project(count=""):
    file = Path("unveil.toml")
    file.write_text(PROJECT.format(count=count))
    return file


def test_in_a_project():
    done = run("audit", "--project", project(), code=2)
    assert "unveil.toml, [roles]: cells.csv looks like a table of counts" in squeezed(done.stderr)
    assert 'give n = "count"; if each row is one person, give n = "other"' in squeezed(done.stderr)
    done = run("audit", "--project", project('n = "count"'), code=0)
    assert "7 rows, 34 records" in squeezed(done.stdout)
    run("audit", "--project", project('n = "other"'), code=1)
    done = run("audit", "--project", project('n = "count"\nage = "count"'), code=2)
    two = PROJECT.replace('age = "quasi"', 'age = "count"').format(count='n = "count"')
    Path("unveil.toml").write_text(two)
    assert "are both count" in squeezed(run("audit", "--project", "unveil.toml", code=2).stderr)


def test_a_published_file_in_a_project():
    more = PROJECT.format(count='n = "count"').replace(
        'sanitizer = "identity"', 'file = "short.csv"\ncount = "n"'
    )
    Path("unveil.toml").write_text(more)
    run("audit", "--project", "unveil.toml", code=0)


def test_proposed_roles():
    done = run("audit", "cells.csv", code=0)
    assert "each row counts as that many people" in squeezed(done.stdout)
    assert "7 rows, 34 records" in squeezed(done.stdout)
    run("init", "cells.csv", "-o", "proposed.toml")
    assert 'n = "count"' in Path("proposed.toml").read_text()
    done = run("audit", "cells.csv", "--count", "none", code=2)
    assert "--count goes with --quasi and --sensitive" in squeezed(done.stderr)


def test_in_a_test():
    with pytest.raises(InputError, match=ASKED):
        assert_release(project=project())
    assert assert_release(project=project('n = "count"')).passed
    with pytest.raises(AssertionError, match="k is 1, which is below 3"):
        assert_release(project=project('n = "other"'))
    table = uv.read_csv("cells.csv", **ROLES, count="n")
    assert assert_release(table, uv.Identity(), "k >= 3").passed
