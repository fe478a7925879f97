"""What tests of every room share: the public microdata, read once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from proofs import register_profiles

from unveil import datasets
from unveil.microdata import Microdata, read_csv

ARX_QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass",
             "occupation")  # fmt: skip

Loader = Callable[..., Microdata]

register_profiles()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Workers of one run compile kernels together, not each on its own."""
    # nohup and jobs in the background ignore some, and so would the programs that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGHUP", "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        # Here because whoever runs without workers should not wait for what they do not test.
        from compiling import compile_together

        number = int(worker["workerid"].removeprefix("gw"))
        compile_together(number, session.config.cache.mkdir("compiling"))


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of public microdata; tests that need it are skipped where it is not."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("UNVEIL_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no public microdata at {folder}; say where it is with UNVEIL_DATA")
    return folder


def _remembering(load: Loader) -> Loader:
    """The loader, taking the quasi-identifiers as first argument and reading each table once."""
    remembered = cache(load)

    def reader(quasi: tuple[str, ...] | list[str] | None = None, **options: object) -> Microdata:
        return remembered(**options) if quasi is None else remembered(quasi=tuple(quasi), **options)

    return reader


@pytest.fixture(scope="session")
def internet_usage(real_data: Path) -> Loader:
    """A function that reads the 9,799 records of the GVU survey with a known age."""
    return _remembering(lambda **options: datasets.internet_usage(real_data, **options))


@pytest.fixture(scope="session")
def adult(real_data: Path) -> Loader:
    """A function that reads the 45,222 complete records of Adult."""
    return _remembering(lambda **options: datasets.adult(real_data, **options))


@pytest.fixture(scope="session")
def adult_arx(real_data: Path) -> Loader:
    """A function that reads the 30,162 records of Adult as ARX ships them."""
    folder = real_data / "adult_arx"
    return _remembering(
        lambda quasi=ARX_QUASI, sensitive="salary-class": read_csv(
            folder / "adult.csv",
            quasi=quasi,
            sensitive=sensitive,
            hierarchies=folder / "hierarchies",
        )
    )


@pytest.fixture
def table(tmp_path):
    """A survey of 60 people in a CSV file."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "name": [f"p{i}" for i in range(60)],
        "age": rng.integers(20, 80, 60),
        "town": rng.choice(["Rome", "Lyon", "Nice"], 60),
        "vote": rng.choice(["a", "b", "c"], 60),
    })  # fmt: skip
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    return path
