"""A budget of time bounds every call of an oracle, also the first without a limit of its own."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from command_line import run
from oracle_programs import SURVEY, TABLE, decades, dies, program

import unveil as uv
from unveil.sanitize import OracleError

NEVER = """
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
WITHOUT_NEVER = """
rows = read(sys.argv[1])
if len(rows) < 7:
    time.sleep(600)
publish(decades(rows))
"""
ENDED = "was ended when the time of"


def test_the_first_call_of_a_command_ends_with_its_children(tmp_path):
    pids = tmp_path / "pids"
    oracle = uv.Oracle(f"{program(tmp_path, NEVER)} {pids} {{input}}")
    with pytest.raises(OracleError, match=ENDED) as error:
        uv.differential_inference(SURVEY, oracle, budget="2 s", jobs=1)
    assert "give it more time, or a limit for each run" in str(error.value)
    for pid in pids.read_text().split():
        assert dies(int(pid))


def test_later_calls_are_not_waited_for(tmp_path):
    oracle = uv.Oracle(f"{program(tmp_path, WITHOUT_NEVER)} {{input}}")
    found = uv.differential_inference(SURVEY, oracle, budget="2 s", jobs=1)
    assert set(found.not_tested) == {"the sanitizer was ended with the budget of time"}
    assert not len(found.tested)


def test_the_first_call_of_a_service():
    gone = threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self):
            gone.wait(30)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/"
        with pytest.raises(OracleError, match=ENDED):
            uv.differential_inference(SURVEY, uv.Oracle(address), budget="1 s", jobs=1)
    finally:
        gone.set()
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_function_beside_us_is_ended_and_one_in_this_process_says_that_it_cannot_be():
    def slow(table):
        import time

        time.sleep(600)
        return table

    with pytest.raises(OracleError, match=ENDED):
        uv.differential_inference(SURVEY, uv.Oracle(slow, timeout="5 min"), budget="2 s", jobs=1)
    found = uv.differential_inference(SURVEY, decades, budget="30 s", jobs=1)
    assert any("cannot be ended" in str(note) for note in found.notes)
    beside = uv.differential_inference(
        SURVEY, uv.Oracle(lambda table: table, timeout="5 min"), budget="30 s", jobs=1
    )
    assert not any("cannot be ended" in str(note) for note in beside.notes)


def test_a_limit_of_one_run_that_is_shorter_is_told_as_such(tmp_path):
    oracle = uv.Oracle(f"{program(tmp_path, NEVER)} {tmp_path / 'pids'} {{input}}",
                       timeout="0.5 s", retries=0)  # fmt: skip
    with pytest.raises(OracleError, match=r"longer than 0\.5 s"):
        uv.differential_inference(SURVEY, oracle, budget="1 min", jobs=1)


def test_an_audit_does_not_wait_for_a_release_that_is_never_made(tmp_path):
    oracle = f"{program(tmp_path, NEVER)} {tmp_path / 'pids'} {{input}}"
    table = tmp_path / "survey.csv"
    table.write_text("age,vote\n" + "".join(
        f"{a},{v}\n" for a, v in zip(TABLE["age"], TABLE["vote"], strict=True)
    ))  # fmt: skip
    begun = time.monotonic()
    done = run("audit", table, "--quasi", "age", "--sensitive", "vote", "--oracle", oracle,
               "--budget", "2 s", "--attack", "differential-inference", code=2)  # fmt: skip
    assert time.monotonic() - begun < 300  # the program sleeps for ten minutes
    assert "was ended when the time of --budget was over" in " ".join(done.output.split())
