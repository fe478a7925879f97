"""The package as a whole: its public names, and how little it loads to say hello."""

import subprocess
import sys

import pytest

import unveil as uv

HEAVY = (
    "numba", "numpy", "pandas", "pyarrow", "polars", "sklearn", "scipy", "matplotlib", "rich",
    "ibis", "duckdb", "pyspark",
)  # fmt: skip


def in_a_new_python(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(code):
    """Which of the heavy packages a piece of code loads."""
    return in_a_new_python(
        f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    ).split()


def test_importing_it_loads_nothing_heavy():
    assert loaded_by("import unveil; unveil.__version__; dir(unveil)") == []


def test_microdata_needs_no_numba():
    assert "numba" not in loaded_by("import unveil; unveil.read_table; unveil.Release")


def test_measures_need_no_engine_until_they_count():
    engines = {"ibis", "duckdb", "pyspark"}
    loaded = set(loaded_by("import unveil.measures; unveil.measures.count"))
    assert not (engines | {"sklearn"}) & loaded
    microdata = "unveil.read_table({'k': [1], 's': ['x']}, quasi='k', sensitive='s')"
    assert not engines & set(loaded_by(f"import unveil; unveil.k_anonymity({microdata})"))


@pytest.mark.parametrize("name", uv.__all__)
def test_public_names_are_there(name):
    assert getattr(uv, name) is not None
    assert name in dir(uv)


def test_the_names_people_use():
    assert {
        "read_csv", "read_parquet", "read_table", "read_release", "Identity", "Mondrian", "Oracle",
        "differential_inference", "UnveilError",
    } <= set(uv.__all__)  # fmt: skip


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'unveil' has no attribute 'Mondrain'"):
        uv.Mondrain  # noqa: B018


def test_every_error_is_one_of_the_family():
    from unveil import errors, sanitize

    kinds = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    for kind in (*kinds, sanitize.OracleError, sanitize.NeedsMicrodataError):
        assert issubclass(kind, uv.UnveilError)


@pytest.mark.parametrize(
    "package",
    [
        "unveil.microdata",
        "unveil.sanitize",
        "unveil.adversary",
        "unveil.attacks.linkage",
        "unveil.attacks.relative_risk",
        "unveil.engine",
        "unveil.measures",
        "unveil.hardening",
        "unveil.auditing",
        "unveil.projects",
        "unveil.render.page",
    ],
)
def test_rooms_can_be_entered_by_themselves(package):
    names = in_a_new_python(
        f"import {package} as p; print(*[getattr(p, n) and n for n in p.__all__])"
    )
    assert names.split()


def test_its_rooms_are_there_without_being_imported():
    named = "unveil.adversary.Adversary.__name__, unveil.sanitize.Sanitizer.__name__"
    assert in_a_new_python(f"import unveil; print({named})") == "Adversary Sanitizer\n"
