"""All forms of oracles: the same sanitizer in any of them gives the same finding, anywhere."""

import csv
import io
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_programs import program
from proofs import examples
from random_tables import random_microdata, tables

import unveil as uv
from unveil.microdata import Role
from unveil.sanitize.oracle._form import Written

TABLE = random_microdata(7, 12, ("fine", "tree", "ordinal"))
MONDRIAN = uv.Mondrian(k=3)


def releases(record):
    return (MONDRIAN.sanitize(TABLE) if record is None
            else MONDRIAN.sanitize_without(TABLE, record)).to_frame()  # fmt: skip


def read(text):
    """The rows of a CSV file."""
    return list(csv.reader(io.StringIO(text, newline="")))[1:]


ROWS = read(b"".join(Written.of(TABLE, "csv").pieces(None)).decode())


class Service(BaseHTTPRequestHandler):
    """Mondrian as a service, on whichever records it gets."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        given = [ROWS.index(row) for row in read(text)]
        answer = MONDRIAN.sanitize(TABLE.take(given)).to_frame()
        body = answer.to_csv(index=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def service():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("releases")
    releases(None).to_csv(folder / "full.csv", index=False)
    for record in range(len(TABLE)):
        releases(record).to_csv(folder / f"without_{record:06d}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    parts = [pa.Table.from_pandas(releases(record)).append_column(
        "without", pa.array([record] * (len(TABLE) - (record is not None)), type=pa.int64()))
        for record in (None, *range(len(TABLE)))]  # fmt: skip
    file = tmp_path_factory.mktemp("one") / "releases.parquet"
    pq.write_table(pa.concat_tables(parts), file, row_group_size=50)
    return file


@pytest.fixture(scope="module")
def commands(folder, tmp_path_factory):
    """A program that finds out who is missing and publishes what Mondrian would."""
    body = f"""
import shutil
if len(sys.argv) > 3:
    without = sys.argv[3]
else:
    given = read(sys.argv[1])
    missing = [i for i, row in enumerate({ROWS!r}) if row not in given]
    without = missing[0] if missing else "none"
name = "full.csv" if without == "none" else f"without_{{int(without):06d}}.csv"
shutil.copy(os.path.join({str(folder)!r}, name), sys.argv[2])
"""
    command = program(tmp_path_factory.mktemp("program"), body) + " {input} {output}"
    return {"command": command, "command that leaves out": command + " {without}"}


FORMS = ["function", "function with limits", "command", "command that leaves out", "service",
         "folder", "one file"]  # fmt: skip


@pytest.fixture
def oracle(request, service, folder, archive, commands):
    made = {
        "function": lambda: uv.Oracle(MONDRIAN),
        "function with limits": lambda: uv.Oracle(MONDRIAN, timeout="1 min"),
        "command": lambda: uv.Oracle(commands["command"]),
        "command that leaves out": lambda: uv.Oracle(commands["command that leaves out"]),
        "service": lambda: uv.Oracle(service),
        "folder": lambda: uv.Oracle(folder),
        "one file": lambda: uv.Oracle(archive),
    }
    return made[request.param]()


every_form = pytest.mark.parametrize("oracle", FORMS, indirect=True)
EXPECTED = uv.differential_inference(TABLE, MONDRIAN)


def test_the_records_are_all_different():
    assert len(TABLE.distinct) == len(TABLE) == len(set(map(tuple, ROWS)))


@every_form
def test_every_form_finds_what_the_sanitizer_itself_does(oracle):
    finding = uv.differential_inference(TABLE, oracle, jobs=1)
    np.testing.assert_allclose(finding.distances, EXPECTED.distances, rtol=0, atol=1e-12)
    assert finding.not_tested == {}
    assert finding.failures == ()
    assert finding.delta == pytest.approx(EXPECTED.delta, abs=1e-12)
    assert finding.sanitizer == oracle.label


@every_form
@pytest.mark.parametrize("module", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_an_oracle_can_be_sent_elsewhere_even_after_use(oracle, module):
    oracle.sanitize(TABLE)
    sent = pickle.loads(module.dumps(oracle))
    assert sent == oracle
    assert sent.label == oracle.label
    for record in (0, 11):
        pd.testing.assert_frame_equal(
            sent.sanitize_without(TABLE, record).to_frame(), releases(record)
        )


@every_form
def test_in_other_processes_and_threads(oracle):
    oracle.sanitize(TABLE)
    there = joblib.Parallel(n_jobs=2)(
        joblib.delayed(oracle.sanitize_without)(TABLE, record) for record in (1, 9)
    )
    with ThreadPoolExecutor(2) as pool:
        here = list(pool.map(lambda record: oracle.sanitize_without(TABLE, record), (1, 9)))
    for record, one, other in zip((1, 9), there, here, strict=True):
        pd.testing.assert_frame_equal(one.to_frame(), releases(record))
        pd.testing.assert_frame_equal(other.to_frame(), releases(record))


@every_form
def test_equal_oracles_are_one(oracle):
    twin = uv.Oracle(oracle.source, timeout=oracle.timeout)
    other = uv.Oracle(oracle.source, timeout=oracle.timeout, may_drop=True)
    assert list(dict.fromkeys([oracle, twin, other])) == [oracle, other]


# Writing tables ---------------------------------------------------------------------------------


@examples(80)
@given(tables(), st.data())
def test_a_table_is_written_without_a_record_as_if_it_had_never_been_there(table, data):
    record = data.draw(st.integers(0, len(table) - 1))
    quick = b"".join(Written.of(table, "csv").pieces(record))
    assert quick == b"".join(Written.of(table.without(record), "csv").pieces(None))
    header, *rows = csv.reader(io.StringIO(quick.decode()))
    assert header == [column.name for column in table.columns]
    rest = table.without(record)
    texts = zip(*([c.texts[code] for code in c.codes] for c in rest.columns), strict=True)
    assert rows == [list(row) for row in texts]


@examples(40)
@given(tables(), st.data())
def test_and_so_it_is_as_parquet(table, data):
    record = data.draw(st.integers(0, len(table) - 1))
    [content] = Written.of(table, "parquet").pieces(record)
    frame = pq.read_table(pa.BufferReader(content)).to_pandas()
    pd.testing.assert_frame_equal(frame, table.without(record).to_frame(), check_dtype=False)


@examples(80)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])
                        | st.sampled_from(',";\n\r\t'), min_size=1)
                .filter(str.strip), min_size=1, max_size=5))  # fmt: skip
def test_texts_come_through_whatever_they_are(texts):
    table = uv.read_table({'a "b", c': texts, "vote": ["x"] * len(texts)},
                          quasi='a "b", c', sensitive="vote")  # fmt: skip
    written = b"".join(Written.of(table, "csv").pieces(None)).decode()
    header, *rows = csv.reader(io.StringIO(written, newline=""))
    assert header == ['a "b", c', "vote"]
    assert [row[0] for row in rows] == texts


def test_what_is_missing_is_left_empty_and_identifiers_are_left_out():
    table = uv.read_table(
        {"id": [1, 2], "age": [30, 40], "vote": ["a", "b"], "weight": [None, 71.5],
         "born": pd.to_datetime(["1984-05-23", None])},
        quasi="age", sensitive="vote", identifier="id",
    )  # fmt: skip
    assert [c.name for c in table.columns if c.role is Role.IDENTIFIER] == ["id"]
    written = b"".join(Written.of(table, "csv").pieces(None))
    assert written == b"age,vote,weight,born\n30,a,,1984-05-23\n40,b,71.5,\n"
