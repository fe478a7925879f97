"""Services as oracles: a real one on this machine, which behaves well or does not."""

import csv
import io
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import urllib3
from oracle_programs import SURVEY, decades
from own_folder import own_temporary_folder

import unveil as uv
from unveil.errors import InputError
from unveil.sanitize import OracleError

EXPECTED = uv.Oracle(decades)
OVER = threading.Event()  # a test's service may rest


class Service(BaseHTTPRequestHandler):
    """One method a path; what has been asked is in the server's ``log``."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.title(): value for name, value in self.headers.items()}
        self.server.log.append((self.path, headers, self.client_address[1]))
        getattr(self, self.path.strip("/").partition("?")[0].replace("-", "_"))()

    def answer(self, body, content_type="text/csv", status=200, **headers):
        self.send_response(status)
        if content_type is not None:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def rows(self):
        return list(csv.reader(io.StringIO(self.body.decode(), newline="")))

    def decades(self):
        rows = self.rows()
        for row in rows[1:]:
            row[0] = f"[{row[0][0]}0, {row[0][0]}9]"
        return rows

    def as_csv(self, rows=None):
        out = io.StringIO()
        csv.writer(out).writerows(self.decades() if rows is None else rows)
        return out.getvalue().encode()

    def good(self):
        self.answer(self.as_csv())

    def no_type(self):
        self.answer(self.as_csv(), None)

    def json(self):
        header, *rows = self.decades()
        records = [dict(zip(header, row, strict=True)) | {"shoe": 7, "x": None} for row in rows]
        self.answer(json.dumps(records).encode(), "application/json; charset=utf-8")

    def parquet(self):
        header, *rows = self.decades()
        columns = zip(*rows, strict=True)
        out = io.BytesIO()
        pq.write_table(pa.table(dict(zip(header, columns, strict=True))), out)
        self.answer(out.getvalue(), "application/vnd.apache.parquet")

    def takes_parquet(self):
        table = pq.read_table(io.BytesIO(self.body)).to_pandas()
        self.answer(decades(table).to_csv(index=False).encode())

    def chunked(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in self.as_csv().splitlines(keepends=True):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def closing(self):
        self.answer(self.as_csv(), Connection="close")
        self.close_connection = True

    def closing_unsaid(self):
        self.good()
        self.close_connection = True

    def error(self):
        self.answer(b"out\nof paper", "text/plain", 500)

    def refusing(self):
        self.answer(b"", None, 422)

    def elsewhere(self):
        self.answer(b"", None, 307, Location="http://example.org/good")

    def garbage(self):
        self.wfile.write(b"\x00\x01\x02 this is not HTTP\r\n\r\n")
        self.close_connection = True

    def unreadable(self):
        self.answer(b"\x89PNG\xff\xff")

    def page(self):
        self.answer(b"<html>welcome</html>", "text/html")

    def no_json(self):
        self.answer(b"{", "application/json")

    def no_records(self):
        self.answer(b'{"age": 1}', "application/json")

    def fewer(self):
        self.answer(self.as_csv(self.rows()[:-1]))

    def empty(self):
        self.answer(b"")

    def cut_short(self):
        body = self.as_csv()
        self.send_response(200)
        self.send_header("Content-Type", "text/csv")
        self.send_header("Content-Length", str(len(body) + 5))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def silent(self):
        OVER.wait(30)
        self.close_connection = True

    def drip(self, head=b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n\r\nage,zip,vote\r\n"):
        """An answer that never ends, a byte at a time: every wait for the next one is short."""
        self.close_connection = True
        try:
            self.wfile.write(head)
            while not OVER.wait(0.02):
                self.wfile.write(b"x")
        except OSError:
            self.server.hung_up.set()

    def drip_head(self):
        self.drip(b"HTTP/1.1 200 OK\r\nX-Patience: ")

    def moody(self):
        if sum(path == self.path for path, _, _ in self.server.log) % 2:
            self.answer(b"come back", "text/plain", 503)
        else:
            self.good()

    def misses_38(self):
        if "38" in [row[0] for row in self.rows()]:
            self.good()
        else:
            self.answer(b"I miss 38", "text/plain", 500)

    def log_message(self, *_):
        pass


@pytest.fixture
def service(tmp_path):
    OVER.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.log, server.hung_up = [], threading.Event()
    server.address = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    with own_temporary_folder(tmp_path):
        yield server
    OVER.set()
    server.shutdown()
    thread.join()
    server.server_close()


def assert_same(release, expected):
    pd.testing.assert_frame_equal(release.to_frame(), expected.to_frame())


def said_by(oracle):
    with pytest.raises(OracleError) as error:
        oracle.sanitize(SURVEY)
    return str(error.value)


GOOD = ["good", "no-type", "json", "parquet", "chunked", "closing", "closing-unsaid", "good?k=5"]


@pytest.mark.parametrize("path", GOOD)
def test_tables_come_back_in_several_ways(service, path):
    oracle = uv.Oracle(service.address + path, retries=0)
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    for record in (0, 5):
        assert_same(
            oracle.sanitize_without(SURVEY, record), EXPECTED.sanitize_without(SURVEY, record)
        )
    assert [asked for asked, _, _ in service.log] == ["/" + path] * 3


def test_what_is_posted(service):
    uv.Oracle(service.address + "good").sanitize(SURVEY)
    [(_, headers, _)] = service.log
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert headers["User-Agent"] == f"unveil/{uv.__version__}"
    assert headers["Accept"].startswith("text/csv, ")
    oracle = uv.Oracle(service.address + "takes-parquet", format="parquet")
    assert_same(oracle.sanitize_without(SURVEY, 2), EXPECTED.sanitize_without(SURVEY, 2))
    assert service.log[1][1]["Content-Type"] == "application/vnd.apache.parquet"


def test_the_connection_is_kept(service):
    oracle = uv.Oracle(service.address + "good")
    for record in range(6):
        oracle.sanitize_without(SURVEY, record)
    assert len({port for _, _, port in service.log}) == 1


def test_a_password_is_sent_and_not_shown(service):
    address = service.address.replace("//", "//ann:s3cret@")
    oracle = uv.Oracle(address + "good")
    oracle.sanitize(SURVEY)
    assert service.log[0][1]["Authorization"] == "Basic YW5uOnMzY3JldA=="
    assert oracle.label == f"Oracle({service.address}good)"
    assert "s3cret" not in said_by(uv.Oracle(address + "error"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("error", "it answered 500 Internal Server Error: out of paper"),
        ("garbage", "the connection broke: "),
        ("page", "its answer is text/html, not a table (text/csv, application/json or "
                 "application/vnd.apache.parquet): <html>welcome</html>"),
        ("empty", "its answer is empty"),
        ("cut-short", "the connection broke: "),
    ],
)  # fmt: skip
def test_answers_that_are_none(service, path, reason):
    said = said_by(uv.Oracle(service.address + path))
    assert said.startswith(f"Oracle({service.address}{path}) failed on 6 records: {reason}")
    assert said.endswith(" (tried 2 times)")
    assert len(service.log) == 2


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("unreadable", "line 1 of answer is not utf-8; it should be CSV in UTF-8"),
        ("no-json", "answer is no JSON: "),
        ("no-records", "answer is JSON, but no list of records such as "),
    ],
)
def test_nonsense(service, path, reason):
    said = said_by(uv.Oracle(service.address + path))
    assert said.startswith(
        f"the answer of Oracle({service.address}{path}) cannot be read: {reason}"
    )
    assert len(service.log) == 2


def test_an_answer_that_is_no_release_of_the_table(service):
    said = said_by(uv.Oracle(service.address + "fewer"))
    assert said.startswith(f"Oracle({service.address}fewer) returned 5 records for a table of 6; ")
    assert len(uv.Oracle(service.address + "fewer", may_drop=True).sanitize(SURVEY)) == 5


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("refusing", "it answered 422 Unprocessable Entity"),
        ("elsewhere", "it answered 307 Temporary Redirect and sends us to http://example.org/good, "
                      "where unveil does not follow with the table; give that address if you "
                      "trust it"),
    ],
)  # fmt: skip
def test_what_would_be_no_better_the_next_time_is_not_asked_again(service, path, reason):
    assert said_by(uv.Oracle(service.address + path)) == (
        f"Oracle({service.address}{path}): {reason}"
    )
    assert len(service.log) == 1


@pytest.mark.parametrize("path", ["silent", "drip", "drip-head"])
def test_a_service_that_never_comes_to_an_end(service, path):
    said = said_by(uv.Oracle(service.address + path, timeout=0.5, retries=0))
    assert said == (
        f"Oracle({service.address}{path}) failed on 6 records: its answer was not complete after "
        "0.5 s"
    )
    if path != "silent":
        assert service.hung_up.wait(10)


def test_after_a_failure_the_next_question_is_answered(service):
    oracle = uv.Oracle(service.address + "moody")
    assert_same(oracle.sanitize(SURVEY), EXPECTED.sanitize(SURVEY))
    assert_same(oracle.sanitize_without(SURVEY, 4), EXPECTED.sanitize_without(SURVEY, 4))
    assert said_by(uv.Oracle(service.address + "moody", retries=0)).endswith("503 Service "
                   "Unavailable: come back")  # fmt: skip


def test_an_answer_that_is_too_large(service):
    assert said_by(uv.Oracle(service.address + "good", memory=50)) == (
        f"Oracle({service.address}good): its answer is larger than 50 bytes; if that is right, "
        "allow more with memory="
    )


def test_an_address_where_nothing_is():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    assert said_by(uv.Oracle(address)) == (
        f"nothing answers at {address}: connection refused; is it running?"
    )


def test_an_address_that_cannot_be_reached(monkeypatch):
    def nobody_there(connection):
        assert connection.timeout <= 2
        raise urllib3.exceptions.ConnectTimeoutError(connection, "timed out")

    monkeypatch.setattr(urllib3.connection.HTTPConnection, "connect", nobody_there)
    assert said_by(uv.Oracle("http://127.0.0.1/", timeout=2)) == (
        "nothing answers at http://127.0.0.1/ within 2 s; is the address right?"
    )


def test_a_service_that_does_not_speak_the_language_of_its_address(service):
    said = said_by(uv.Oracle(service.address.replace("http:", "https:") + "good"))
    assert said.startswith(f"nothing answers at {service.address.replace('http:', 'https:')}good: ")


@pytest.mark.parametrize("address", ["http://", "http://[::1", "https:///path"])
def test_addresses_that_are_none(address):
    with pytest.raises(InputError) as error:
        uv.Oracle(address)
    assert str(error.value) == f"cannot read the address {address!r}"


def test_one_record_without_whom_it_fails_is_reported_and_the_others_tested(service):
    finding = uv.differential_inference(SURVEY, uv.Oracle(service.address + "misses-38"), jobs=1)
    expected = uv.differential_inference(SURVEY, EXPECTED, jobs=1)
    rest = [0, 1, 3, 4, 5]
    np.testing.assert_array_equal(finding.distances[rest], expected.distances[rest])
    assert np.isnan(finding.distances[2])
    assert sum(finding.not_tested.values()) == 1
    [(record, said)] = finding.failures
    assert record == 2
    assert said.endswith("500 Internal Server Error: I miss 38 (tried 2 times)")
