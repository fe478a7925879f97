"""The picture of a finding, on axes given or new."""

import builtins
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from random_tables import random_microdata

import unveil as uv
from unveil.errors import MissingExtraError, UnveilError

TABLE = random_microdata(4, 60, ("numeric", "flat"))
FINDING = uv.differential_inference(TABLE, uv.Mondrian(k=3))


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_the_line_is_the_share_of_records_below_each_distance():
    [line] = FINDING.story().charts[0].series
    x, y = np.array([0, *line.x]), np.array([0, *line.y])
    assert (np.diff(x) > 0).all()
    assert (x[-1], y[-1]) == (FINDING.delta, 1)
    for distance in (0.01, 0.05, 0.1):
        share = y[np.searchsorted(x, distance, side="right") - 1]
        assert share == pytest.approx(1 - FINDING.share_over(distance))


def test_distances_that_go_beyond_1_stay_in_the_picture():
    both = uv.read_table({"q": [1, 1, 2], "s": ["a", "a", "b"]}, quasi="q", sensitive="s")
    finding = uv.differential_inference(
        both, uv.Identity(), adversary="conditional-frequency", distance="l1"
    )
    assert finding.delta == 2
    assert finding.plot().get_xlim()[1] >= 2


def test_a_test_that_tested_nobody_can_be_drawn():
    finding = uv.differential_inference(TABLE, uv.Mondrian(k=60))
    assert len(finding.tested) == 0
    finding.plot(Figure().subplots())


def test_it_is_saved(tmp_path):
    FINDING.plot().figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    real_import = builtins.__import__

    def without_matplotlib(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(MissingExtraError) as error:
        FINDING.plot()
    assert str(error.value) == (
        "pictures need matplotlib; install it with: pip install 'unveil[plot]'"
    )
    assert isinstance(error.value, UnveilError)


def test_it_joins_in_where_the_user_plots_already():
    import matplotlib.pyplot as plt

    ax = FINDING.plot()
    assert plt.gcf() is ax.figure
