"""pytest within pytest, as somebody has it who tests releases."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

import unveil as uv

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def loaded() -> None:
    """What a test within a test imports is forgotten, and NumPy cannot be loaded twice."""
    table = uv.read_table({"age": [1, 2], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    uv.audit(table, "mondrian:k=2", attacks="all", progress=False).page()


@pytest.fixture
def run(loaded: None, pytester: pytest.Pytester):
    """Run the tests of a file with the plugin, which is found by itself where it is installed."""
    found = entry_points(group="pytest11", name="unveil")
    plugin = [] if found else ["-p", "unveil.testing.plugin"]

    def runs(text: str, *options: str, anew: bool = False) -> pytest.RunResult:
        pytester.makepyfile(test_survey=text)
        how = pytester.runpytest_subprocess if anew else pytester.runpytest_inprocess
        return how(*plugin, "-p", "no:cacheprovider", *options)

    return runs
