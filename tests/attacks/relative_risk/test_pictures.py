"""Charts of relative risk: what is drawn is what was found."""

import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from malaysian import patients, recoded
from matplotlib.figure import Figure
from scipy.stats import rankdata

import unveil as uv
from unveil.attacks.relative_risk._finding import _edges
from unveil.attacks.relative_risk._traces import _ranks
from unveil.errors import InputError, View, shown
from unveil.microdata import Permuted
from unveil.render import told_together

SURVEY = uv.datasets.election_survey()
EXACT = uv.relative_risk(uv.Mondrian(k=5).sanitize(SURVEY), SURVEY)
PATIENTS = patients("nationality")
SAMPLED = uv.relative_risk(
    recoded("nationality"), PATIENTS, exact="never", chains=3, sweeps=400, seed=5
)
LONG = "what an uncommonly long name for such a short illness"


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def saved(ax, tmp_path):
    ax.get_figure(root=True).savefig(tmp_path / "picture.png")
    return (tmp_path / "picture.png").stat().st_size > 1000


@pytest.mark.parametrize("chart", [0, 1, 2, 3, 4, "times as credible", "learner", "traces", "Rank"])
def test_every_chart_is_drawn_on_axes_given_or_new(chart, tmp_path):
    ax = Figure().subplots()
    assert SAMPLED.plot(ax, chart=chart) is ax
    assert saved(SAMPLED.plot(chart=chart), tmp_path)


@pytest.mark.parametrize("finding", [EXACT, SAMPLED])
def test_the_histogram_has_every_record_at_risk_on_its_side_of_1(finding):
    (series,) = finding.story().charts[0].series
    edges, shares = np.array(series.x), np.array(series.y)
    risks = finding.relative_risks[finding.at_risk]
    assert 0 < len(risks) < len(finding.at_risk)
    assert 1.0 in edges
    assert shares.sum() == pytest.approx(1)
    assert shares[edges[:-1] < 1].sum() == pytest.approx((risks < 1 - 1e-9).mean())
    assert edges[0] < risks.min() <= risks.max() < edges[-1]


def test_releases_share_their_bins():
    other = uv.relative_risk(uv.Mondrian(k=40).sanitize(SURVEY), SURVEY)
    whole = told_together({"a": EXACT.story("a"), "b": other.story("b")})
    first, second = (np.array(series.x) for series in whole.charts[0].series)
    assert len(first) != len(second)
    for edges in (first, second):
        assert np.array_equal(edges, np.exp2(np.round(8 * np.log2(edges)) / 8))


def test_bins_where_there_is_nothing_or_next_to_nothing():
    assert _edges(np.ones(3)).tolist() == pytest.approx([2 ** (n / 8) for n in (-1, 0, 1)])
    assert _edges(np.zeros(3)).tolist() == _edges(np.ones(0)).tolist()
    assert _edges(np.array([1e-300, 2.0]))[0] == 2 ** (-81 / 8)


def test_a_single_record_whose_value_is_certain():
    one = uv.read_table({"q": ["a"], "s": ["x"]}, quasi="q", sensitive="s")
    finding = uv.relative_risk(uv.Identity().sanitize(one), one)
    (series,) = finding.story().charts[0].series
    assert series.y == [0, 1]  # from 1 up
    cells = finding.story().chart("learner (columns)").matrix.cells
    assert cells[-1][-1] == 1
    assert [bar.get_width() for bar in finding.victim(0).plot().patches] == [1.0, 1.0]


def test_records_that_are_not_covered_are_left_out_and_told():
    table = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]}, quasi="age",
                          sensitive="vote")  # fmt: skip
    release = uv.read_release({"age": ["30-35", "30-35", "30-35"], "vote": ["a", "b", "a"]}, table)
    finding = uv.relative_risk(release, table)
    assert finding.not_covered == 1
    assert "Not covered: 1 records" in finding.summary()
    assert sum(finding.story().charts[0].series[0].y) == 1


def test_learner_against_attacker_has_every_record():
    chart = EXACT.story().chart("learner (columns)")
    cells = np.array([[cell or 0.0 for cell in row] for row in chart.matrix.cells])
    learner, attacker = EXACT.under_learner.of_truth, EXACT.under_attacker.of_truth
    edges = np.linspace(0, 1, 11)
    assert (cells == np.histogram2d(attacker, learner, bins=(edges, edges))[0] / 944).all()
    assert f"the attacker believes it more for {(attacker > learner).mean():.1%}" in chart.says


def test_traces_and_ranks_are_those_of_the_worst_victim():
    worst = int(np.argmax(SAMPLED.chains.diagnostics.rhat))
    rows = SAMPLED.chains.trace("rows")[..., worst]
    shares = rows / rows.sum(axis=2, keepdims=True)
    chart = SAMPLED.story().chart("traces")
    assert len(chart.series) == 3
    value = int(np.argmin(np.abs(shares[0] - np.array(chart.series[0].y)[:, None]).max(axis=0)))
    moving = np.flatnonzero(np.ptp(shares, axis=(0, 1)) > 0)
    assert value == moving[np.argmax(shares.mean(axis=(0, 1))[moving])]
    for line, chain in zip(chart.series, shares, strict=True):
        assert line.y == chain[:, value].tolist()
        assert line.x[-1] == SAMPLED.chains.sweeps
    assert f"R-hat {SAMPLED.chains.diagnostics.rhat[worst]:.3f}" in chart.says
    ranks = _ranks(shares[:, :, value])
    for own, series in zip(ranks, SAMPLED.story().chart("ranks").series, strict=True):
        assert series.x[-1] == ranks.size
        assert series.y == (np.histogram(own + 0.5, bins=series.x)[0] / len(own)).tolist()


def test_ranks_are_over_all_chains_and_favour_none():
    drawn = np.random.default_rng(3).normal(size=(4, 50))
    assert (_ranks(drawn) == rankdata(drawn).reshape(4, 50) - 1).all()
    ranks = _ranks(np.ones((4, 500)))
    assert sorted(ranks.ravel()) == list(range(2000))
    assert np.abs(ranks.mean(axis=1) - 999.5).max() < 100  # the standard error is 22


def test_a_report_has_no_chains_and_nobodys_values():
    whole = told_together({"a": SAMPLED.story("a")})
    assert [chart.kind for chart in whole.charts] == ["histogram", "bars"]
    assert [chart.kind for chart in whole.closer] == ["heatmap", "curves", "histogram"]
    report = View("report", person=lambda row: f"#{row}")
    assert "of #4 under a" in shown(whole.charts[1].says, report)
    assert {shown(name, report) for name in whole.charts[1].series[0].x} == {"(masked)"}
    said = shown(SAMPLED.victim(nationality="India").chart().title, report)
    assert "India" not in said


def test_an_exact_answer_has_no_chains():
    with pytest.raises(InputError, match="no chart 'traces'; choose from: 0 How many times"):
        EXACT.plot(chart="traces")
    with pytest.raises(InputError, match="there is no chart 3;"):
        EXACT.plot(chart=3)


def test_without_the_original_there_is_nobody_to_draw():
    finding = uv.relative_risk(recoded("nationality"))
    with pytest.raises(InputError, match="there is nothing to draw"):
        finding.plot()
    asked = uv.relative_risk(recoded("nationality"), victim={"nationality": "India"})
    assert "a person with nationality India" in asked.plot().get_title()


def test_what_has_not_converged_says_so_in_its_picture():
    assert not SAMPLED.converged
    assert "NOT CONVERGED" in str(SAMPLED.story().charts[0].series[0].name)
    assert "NOT CONVERGED" in SAMPLED.victim(nationality="India").plot().get_title()
    assert "NOT CONVERGED" not in str(EXACT.story().charts[0].series[0].name)


def test_a_victims_two_posteriors():
    victim = uv.relative_risk(recoded("nationality"), PATIENTS).victim(nationality="Malaysia")
    learner, attacker = victim.chart().series
    order = np.argsort(-victim.attacker, kind="stable")
    assert [str(name) for name in learner.x] == [victim.values[s] for s in order]
    assert attacker.y == victim.attacker[order].tolist()
    assert learner.y == victim.learner[order].tolist()
    assert [learner.low, learner.high] == victim.learner_interval[:, order].tolist()


def test_many_values_with_long_names(tmp_path):
    rng = np.random.default_rng(0)
    values = [f"{LONG}, number ${n}$" for n in range(40)]
    table = uv.read_table(
        {"age": rng.integers(20, 30, 500), "ill": rng.choice(values, 500)}, quasi="age",
        sensitive="ill",
    )  # fmt: skip
    victim = uv.relative_risk(uv.Mondrian(k=20).sanitize(table), table).victim(0)
    _, attacker = victim.chart().series
    assert len(attacker.x) == 13
    assert attacker.x[-1] == "28 others together"
    assert attacker.y[-1] == pytest.approx(1 - np.sort(victim.attacker)[-12:].sum())
    assert saved(victim.plot(), tmp_path)
    thirteen = replace(
        victim, values=victim.values[:13], attacker=victim.attacker[:13],
        learner=victim.learner[:13], attacker_interval=victim.attacker_interval[:, :13],
        learner_interval=victim.learner_interval[:, :13],
    )  # fmt: skip
    assert "other" not in str(thirteen.chart().series[0].x[-1])  # none of them is "1 other"
    assert len(thirteen.chart().series[0].x) == 13


def test_a_victim_whom_no_group_covers():
    people = patients("nationality", "zip")
    release = Permuted.from_groups(people.take([0, 1]), [1, 1])
    victim = uv.relative_risk(release, domain="product").victim(nationality="India", zip="45501")
    chart = victim.chart()
    assert [series.name for series in chart.series] == ["learner"]
    assert "no group of the release covers this victim" in str(chart.title)


def test_a_release_that_covers_nobody_has_no_charts():
    table = uv.read_table({"age": [41, 42], "vote": ["a", "b"]}, quasi="age", sensitive="vote")
    release = uv.read_release({"age": ["41", "41"], "vote": ["a", "b"]}, table)
    finding = uv.relative_risk(release, table)
    alone = replace(finding, tuple_of=np.array([1, 1]))
    assert np.isnan(alone.relative_risks).all()
    assert [*alone.story().charts, *alone.story().closer] == []
    assert alone.figures[1].value is None
    assert alone.largest_ratio is None
