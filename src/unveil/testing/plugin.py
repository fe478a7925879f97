"""What pytest loads by itself where unveil is installed: a fixture, and ``--unveil-report``.

Whoever tests no release pays nothing for it: no number crunching is loaded before `assert_release`
is called.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from unveil._exits import ExitCode
from unveil.testing import _reports
from unveil.testing._assert_release import assert_release as asserting

if TYPE_CHECKING:
    from unveil.auditing import Audit

__all__ = ["assert_release"]

_REPORTS = pytest.StashKey[_reports.Reports]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("unveil", "penetration testing for anonymized data").addoption(
        "--unveil-report",
        metavar="DIR",
        help="save the report (HTML) and the numbers (JSON) of every assert_release in DIR",
    )


class _Crashes:
    """How often tests failed because unveil did: that is no verdict, and has an exit code.

    With pytest-xdist, reports come from the workers.
    """

    def __init__(self) -> None:
        self.failed = self.internal = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        self.internal += getattr(report, _INTERNAL, False)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self.internal == self.failed > 0:
            session.exitstatus = ExitCode.INTERNAL_ERROR


_INTERNAL = "unveil_internal"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Mark the report of a test that failed because unveil did."""
    report = yield
    if call.excinfo is not None and report.failed:
        from unveil.errors import InternalError

        setattr(report, _INTERNAL, issubclass(call.excinfo.type, InternalError))
    return report


def pytest_configure(config: pytest.Config) -> None:
    """Begin to save reports, if asked to."""
    config.pluginmanager.register(_Crashes())
    folder = config.getoption("--unveil-report")
    if folder is None:
        return
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        raise pytest.UsageError(
            f"--unveil-report needs {' and '.join(missing)}; install with: "
            "pip install 'unveil[report]'"
        )
    path = config.invocation_params.dir / folder
    if path.exists() and not path.is_dir():
        raise pytest.UsageError(f"--unveil-report needs a folder, and {folder!r} is a file")
    config.stash[_REPORTS] = _reports.begin(path)


def pytest_unconfigure(config: pytest.Config) -> None:
    """No more reports."""
    reports = config.stash.get(_REPORTS, None)
    if reports is not None:
        _reports.end(reports)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say where the reports go."""
    reports = config.stash.get(_REPORTS, None)
    return [] if reports is None else [f"unveil: reports into {reports.folder}"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name reports by the test that runs."""
    reports = item.config.stash.get(_REPORTS, None)
    if reports is not None:
        _reports.started(reports, item.nodeid)
    return (yield)


@pytest.fixture(scope="session")
def assert_release() -> Callable[..., Audit]:
    """Assert what must hold of a release: ``assert_release(table, release, "k >= 5")``."""
    return asserting
