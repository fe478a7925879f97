"""Oracles that publish something else than a release of the table: told before any figure.

All kinds of oracles are checked in one place, so most lies are told by functions; a few by each
kind.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest
from command_line import run
from hypothesis import given
from hypothesis import strategies as st
from oracle_programs import SURVEY, decades, program
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.errors import File, InputError
from unveil.microdata import check_truth
from unveil.sanitize import OracleError

NOT_THEIRS = "returned records that are not those of the table"
FORMER = "returned a release that still has the record that was left out"
REMEDY = "give may_change_quasi=True"


def lie(answer, **options):
    """What is said of a function that gives this answer."""
    with pytest.raises(OracleError) as error:
        uv.Oracle(answer, **options).sanitize(SURVEY)
    return str(error.value)


@pytest.mark.parametrize(
    ("answer", "lacking"),
    [
        (lambda t: t.assign(age="[80, 99]"), 6),
        (lambda t: t.assign(age="[30, 31]"), 5),
        (lambda t: decades(t).assign(age=lambda d: d["age"].iloc[::-1].tolist()), 4),
        (lambda t: decades(t).assign(zip="{007, 012}"), 2),
    ],
)
def test_cells_that_do_not_cover_the_people(answer, lacking):
    said = lie(answer)
    assert f"{NOT_THEIRS}: {lacking} of 6 people have no record that covers them" in said
    assert said.endswith(REMEDY)


def test_more_records_in_a_class_than_people():
    def answer(table):
        ages = ["[30, 39]"] * 4 + ["*"] * 2
        return table.assign(age=ages, zip="*", vote=list("aabbab"))

    said = lie(answer)
    assert f"{NOT_THEIRS}: its classes have 1 record more than there are people whom they cover" \
        in said  # fmt: skip


def test_the_answer_of_a_former_call():
    kept = {}

    def stale(table):
        return kept.setdefault("answer", decades(table)).tail(len(table)).assign(zip="*")

    oracle = uv.Oracle(stale)
    oracle.sanitize(SURVEY)
    # Without the first one it is right by accident: just that row is lacking.
    assert len(oracle.sanitize_without(SURVEY, 0)) == 5
    with pytest.raises(OracleError, match=FORMER):
        oracle.sanitize_without(SURVEY, 3)
    kept.clear()
    finding = uv.differential_inference(SURVEY, stale, jobs=1)
    assert finding.not_tested == {
        "the sanitizer gave an answer that is not a release of the table": 4
    }
    kept.clear()
    found = uv.audit(SURVEY, {"stale": uv.Oracle(stale)}, attacks=["differential-inference"],
                     fail_on="delta > 0.99", jobs=1, progress=False)  # fmt: skip
    assert str(found.state) == "not known"


def test_a_release_of_another_table():
    theirs = uv.read_table({"age": [51, 52, 58, 61, 62, 67], "zip": ["9"] * 6,
    "vote": list("abaabb")},
                           quasi=["age", "zip"], sensitive="vote")  # fmt: skip
    published = decades(theirs.to_frame()).assign(zip="*")
    said = lie(lambda table: published)
    assert "6 of 6 people have no record" in said or "cannot be read" in said


def test_values_that_are_changed_on_purpose():
    def means(table):
        return table.assign(age=np.repeat([table["age"].mean()], len(table)), zip="*")

    assert REMEDY in lie(means)
    release = uv.Oracle(means, may_change_quasi=True).sanitize(SURVEY)
    assert release.perturbed == ("age", "zip")
    found = uv.audit(SURVEY, {"means": uv.Oracle(means, may_change_quasi=True)},
                     attacks=["linkage"], fail_on="linked > 50%", jobs=1,
                     progress=False)  # fmt: skip
    assert str(found.state) == "not known"


def test_sensitive_values_of_others():
    said = lie(lambda t: decades(t).assign(vote=list("bbaaba")))  # right in number
    assert f"{NOT_THEIRS}: 2 of 6 people have no record that covers them with their own" in said
    assert said.endswith("if the program changes sensitive values on purpose, give "
                         "may_change_sensitive=True")  # fmt: skip


def test_what_a_function_declares_as_changed_stays_so():
    made = uv.Oracle(uv.Microaggregation(k=3)).sanitize(SURVEY)
    assert set(made.perturbed) == {"age", "zip"}

    def elsewhere(table):
        read = uv.read_table(table, quasi=["age", "zip"], sensitive="vote")
        return uv.Microaggregation(k=3).sanitize(read)

    assert set(uv.Oracle(elsewhere).sanitize(SURVEY).perturbed) == {"age", "zip"}


def test_changed_sensitive_values_are_not_taken_for_true():
    def noisy(table):
        return decades(table).assign(vote="a")

    release = uv.Oracle(noisy, may_change_sensitive=True).sanitize(SURVEY)
    assert release.perturbed == ("vote",)
    with pytest.raises(InputError, match="values of vote that need not be"):
        uv.relative_risk(release, SURVEY)


def test_a_program_that_spoils_its_input_spoils_no_other_run(tmp_path):
    body = """
table, release, without = sys.argv[1:]
rows = read(table)
open(table, "w").write("age,zip,vote\\n1,2,3\\n")
if without != "none":
    del rows[int(without) + 1]
publish(decades(rows), release)
"""
    oracle = uv.Oracle(program(tmp_path, body) + " {input} {output} {without}")
    for record in (None, 0, 3, 3):
        made = (oracle.sanitize(SURVEY) if record is None
                else oracle.sanitize_without(SURVEY, record))  # fmt: skip
        assert len(made) == 6 - (record is not None)


def test_output_that_is_the_input_is_the_table_as_it_is():
    for line in (
        "cat {input}",
        "cp {input} {output}",
        "mv {input} {output}",
        "ln -s {input} {output}",
    ):
        assert uv.Oracle(line).sanitize(SURVEY).n_classes == 6


@pytest.fixture
def files(tmp_path):
    """A table, and last run's release of other people, by every kind of oracle."""
    ages = range(20, 60)
    frame = pd.DataFrame({"age": ages, "town": ["Rome", "Lyon"] * 20, "vote": list("abba") * 10})
    frame.to_csv(tmp_path / "survey.csv", index=False)
    old = frame.assign(age=[f"[{a}, {a + 9}]" for a in frame["age"] // 10 * 10 % 20 + 70])
    (tmp_path / "releases").mkdir()
    for name in ("old.csv", "releases/full.csv"):
        old.to_csv(tmp_path / name, index=False)
    return tmp_path


@pytest.fixture
def service(files):
    class Service(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/csv")
            self.end_headers()
            self.wfile.write((files / "old.csv").read_bytes())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("kind", ["command", "service", "folder"])
def test_in_a_shell_no_figure_is_shown_and_nothing_passes(files, service, kind):
    body = f"import shutil; shutil.copy({str(files / 'old.csv')!r}, sys.argv[2])"
    given = {"command": program(files, body) + " {input} {output}", "service": service,
             "folder": str(files / "releases")}[kind]  # fmt: skip
    table = [files / "survey.csv", "--quasi", "age,town", "--sensitive", "vote", "--oracle", given]
    result = run("audit", *table, "--fail-on", "linked > 50%", "--attack", "linkage", "--jobs", "1",
                 "--json", files / "audit.json", code=None)  # fmt: skip
    assert result.exit_code in (2, 3)
    assert NOT_THEIRS in result.stderr
    assert "--may-change-quasi" in result.stderr
    if (files / "audit.json").exists():
        [secret] = json.loads((files / "audit.json").read_text())["secrets"]
        assert secret["releases"][0]["figures"] == {}
    if kind != "folder":  # where it lacks the release without somebody, that is told first
        said = run("differential-inference", *table, "--jobs", "1", code=2)
        assert NOT_THEIRS in said.stderr


@examples(60)
@given(table=tables(), k=st.integers(2, 4), data=st.data())
def test_what_unveil_itself_makes_is_always_true(table, k, data):
    if len(table) < 2 * k:
        return
    for sanitizer in (uv.Identity(), uv.Mondrian(k=k), uv.Mondrian(k=k, regions="cut")):
        release = sanitizer.sanitize(table)
        check_truth(release, table, File("f", bare=True))
        i = data.draw(st.integers(0, len(table) - 1))
        without = sanitizer.sanitize_without(table, i)
        known = table.codes[:, i], int(table.sensitive.codes[i])
        check_truth(without, table.without(i), File("f", bare=True), record=known)
        if sanitizer != uv.Mondrian(k=k):  # whose tight regions may overlap
            with pytest.raises(InputError, match=FORMER):
                check_truth(release, table.without(i), File("f", bare=True), record=known)
