"""The command line where little can be relied on: no home, no room, no terminal, odd settings.

Each case runs the program as users do, in another process, and compares what comes out with what
comes out elsewhere: the same verdict by the same exit code, and the same figures.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unveil

PACKAGE = Path(unveil.__file__).parent
ROLES = ["--quasi", "age,town", "--sensitive", "vote"]
AUDIT = ["--sanitizer", "anatomy:l=2", "--attack", "measures", "--attack", "linkage", "--attack",
         "utility", "--fail-on", "k < 3", "--seed", "1"]  # fmt: skip
WRITTEN = ["--report", "r.html", "--json", "a.json", "--plot", "p.png", "--junit", "u.xml"]
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
"""Root may do anything; without its capabilities, modes of files hold for it, too."""
SPACES = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
"""Whoever is not root may have name spaces of its own where it looks like root."""


def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame({
        "age": rng.integers(20, 80, 60), "town": rng.choice(["Rome", "Lyon", "Nice"], 60),
        "vote": rng.choice(["a", "b", "c"], 60),
    })  # fmt: skip


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("survey.csv", index=False)
    return Path("survey.csv")


def command(*words, file="survey.csv"):
    return [sys.executable, "-m", "unveil", "audit", file, *ROLES, *AUDIT, *words]


def ran(words, code=1, env=None, without=(), **options):
    """Run it; the release fails (1), unless something else is said."""
    kept = {name: value for name, value in os.environ.items() if name not in without}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    done = subprocess.run(words, env={**kept, **(env or {})}, timeout=300, **options)
    said = (done.stderr or b"").decode("utf-8", "replace")
    assert done.returncode == code, said
    assert "Traceback" not in said
    assert "internal error" not in said
    return done


def figures(file="a.json"):
    (release,) = json.loads(Path(file).read_text())["secrets"][0]["releases"]
    return release["figures"]


@pytest.fixture(scope="session")
def usual(tmp_path_factory):
    """What comes out where everything is as usual."""
    folder = tmp_path_factory.mktemp("usual")
    people().to_csv(folder / "survey.csv", index=False)
    ran(command("--json", "usual.json"), cwd=folder)
    return figures(folder / "usual.json")


@pytest.fixture
def expected(usual, survey):
    """The same, and the survey in the current folder."""
    return usual


def bounded(cases, kept):
    """All cases, of which `make test` takes one and `make chaos` the others."""
    slow = (pytest.param(one, marks=pytest.mark.chaos) for one in cases if one != kept)
    return [kept, *slow]


NO_SUCH = "/dev/null/nowhere"
SETTINGS = {
    "no home": {"without": ["HOME"]},
    "plain C": {"env": {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}},
    "narrow": {"env": {"COLUMNS": "1", "TERM": "no-such-terminal"}},
    "dumb": {"env": {"COLUMNS": "x", "TERM": "dumb", "NO_COLOR": "1"}},
    "no temporary folder": {"env": dict.fromkeys(["TMPDIR", "TEMP", "TMP"], NO_SUCH)},
    "no such backend": {"env": {"MPLBACKEND": "no-such-backend"}},
}  # fmt: skip


@pytest.mark.parametrize("setting", bounded(SETTINGS, "plain C"))
def test_settings_change_nothing(expected, setting):
    ran(command(*WRITTEN), **SETTINGS[setting])
    assert figures() == expected
    assert all(Path(file).stat().st_size for file in ("r.html", "p.png", "u.xml"))


@pytest.mark.chaos
def test_settings_of_matplotlib_change_nothing(expected):
    folder = Path("settings")
    folder.mkdir()
    ran(command(*WRITTEN))
    plain = Path("p.png").read_bytes()
    (folder / "matplotlibrc").write_text(
        "font.family: No Such Font\ntext.usetex: True\nbackend: TkAgg\nfigure.figsize: 90, 90\n"
        "savefig.dpi: 5\nlines.linewidth: 90\nsavefig.format: pdf\n"
    )
    ran(command(*WRITTEN), env={"MATPLOTLIBRC": str(folder)})
    assert Path("p.png").read_bytes() == plain
    (folder / "matplotlibrc").write_text("backend: [[[\nnonsense\n")
    ran(command(*WRITTEN), env={"MATPLOTLIBRC": str(folder)})
    assert Path("p.png").read_bytes() == plain


CLOSED = {
    "stdout": ">&-", "stderr": "2>&-", "all three": "<&- >&- 2>&-", "a full stdout": ">/dev/full",
    "a full stderr": "2>/dev/full",
}  # fmt: skip


@pytest.mark.parametrize("stream", bounded(CLOSED, "all three"))
def test_closed_and_full_streams(expected, stream):
    ran(["sh", "-c", f'exec "$@" {CLOSED[stream]}', "sh", *command(*WRITTEN)])
    assert figures() == expected
    assert Path("r.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.chaos
def test_results_are_not_lost_in_a_closed_stream(survey):
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command("--json", "-")]
    assert b"--json -: standard output is closed" in ran(closed, code=2).stderr
    full = ["sh", "-c", 'exec "$@" >/dev/full', "sh"]
    assert b"No space left" in ran([*full, *command("--json", "-")]).stderr  # fails all the same
    passes = [*command("--json", "-", "--fail-on", "loss > 1")]
    passes[passes.index("k < 3")] = "k < 1"
    assert b"No space left" in ran([*full, *passes], code=2).stderr
    listed = [sys.executable, "-m", "unveil", "--help"]
    assert b"No space left" in ran([*full, *listed], code=2).stderr


@pytest.mark.chaos
def test_names_that_are_not_unicode(expected):
    folder = os.fsencode("folder") + b"\xff"
    os.mkdir(folder)
    file = folder + b"/survey\xfe.csv"
    shutil.copy("survey.csv", file)
    words = [os.fsencode(word) for word in command(*WRITTEN)]
    words[words.index(b"survey.csv")] = file
    ran(words)
    assert figures() == expected
    words[words.index(b"a.json")] = folder + b"/a\xfd.json"
    ran(words, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert figures(os.fsdecode(folder + b"/a\xfd.json")) == expected
    ran([*map(os.fsencode, command()), b"--fail-on", b"k\xff < 3"], code=2)
    ran([sys.executable.encode(), b"-m", b"unveil", b"\xff\xfe"], code=2)


@pytest.mark.chaos
def test_first_process_of_a_container(expected):
    ran(["unshare", *SPACES, "--pid", "--fork", "--mount-proc", *command(*WRITTEN)])
    assert figures() == expected


@pytest.mark.chaos
def test_a_user_whom_nobody_knows(expected):
    ran(
        ["unshare", "--user", "--map-user=54321", *command(*WRITTEN)],
        without=["HOME", "USER", "LOGNAME"],
    )
    assert figures() == expected


@pytest.fixture
def installed(tmp_path):
    """A copy of the package, without compiled code beside it."""
    place = tmp_path / "installed"
    shutil.copytree(PACKAGE, place / "unveil", ignore=shutil.ignore_patterns("__pycache__"))
    return place


def test_a_read_only_installation_without_a_home(expected, installed):
    for folder, _, files in os.walk(installed):
        for file in files:
            os.chmod(os.path.join(folder, file), 0o444)
        os.chmod(folder, 0o555)
    env = {"PYTHONPATH": str(installed), "HOME": NO_SUCH, "PYTHONDONTWRITEBYTECODE": ""}
    done = ran([*UNPRIVILEGED, *command(*WRITTEN)], env=env,
               without=["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])  # fmt: skip
    assert b"note: compiled code is not kept on disk" in done.stderr
    assert done.stderr.count(b"note: ") == 1
    assert figures() == expected
    assert not [*installed.rglob("*.nbi"), *installed.rglob("*.pyc")]


@pytest.mark.chaos
def test_a_cache_without_room(expected, installed, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = f'mount -t tmpfs -o size=16k none {small} && exec "$@"'
    done = ran(["unshare", *SPACES, "--mount", "sh", "-c", mounted, "sh", *command(*WRITTEN)],
               env={"PYTHONPATH": str(installed), "NUMBA_CACHE_DIR": str(small)})  # fmt: skip
    assert b"compiled code is not kept on disk (No space left on device)" in done.stderr
    assert figures() == expected


@pytest.mark.chaos
def test_a_cache_that_was_cut_off_is_made_again(expected, tmp_path, installed):
    env = {"PYTHONPATH": str(installed), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    ran(command(*WRITTEN), env=env)
    files = [*(tmp_path / "kept").rglob("*.nb?")]
    assert files
    for number, file in enumerate(sorted(files)):
        file.write_bytes(file.read_bytes()[: number % 3 * 100])
    assert b"not kept" not in ran(command(*WRITTEN), env=env).stderr
    assert figures() == expected
    sizes = [file.stat().st_size for file in (tmp_path / "kept").rglob("*.nbc")]
    assert min(sizes) > 1000
