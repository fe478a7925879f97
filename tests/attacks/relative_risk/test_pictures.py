"""Pictures of relative risk: what is drawn is what was found."""

import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from malaysian import GROUPS, patients, recoded
from matplotlib.figure import Figure
from scipy.stats import rankdata

import unveil as uv
from unveil.attacks.relative_risk import KINDS, _pictures, panels
from unveil.errors import InputError
from unveil.microdata import Permuted

SURVEY = uv.datasets.election_survey()
EXACT = uv.relative_risk(uv.Mondrian(k=5).sanitize(SURVEY), SURVEY)
PATIENTS = patients("nationality")
SAMPLED = uv.relative_risk(
    recoded("nationality"), PATIENTS, exact=False, chains=3, sweeps=400, seed=5
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


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def areas(ax):
    """How many records the bars below and above 1 have."""
    left = right = 0.0
    for bars in ax.containers:
        for bar in bars:
            if bar.get_x() < 1 - 1e-9:
                left += bar.get_height()
            else:
                right += bar.get_height()
    return left, right


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_on_axes_given_or_new(kind, tmp_path):
    ax = Figure().subplots()
    assert SAMPLED.plot(ax, kind=kind) is ax
    assert saved(SAMPLED.plot(kind=kind), tmp_path)


@pytest.mark.parametrize("finding", [EXACT, SAMPLED])
def test_the_histogram_has_every_record_on_its_side_of_1(finding):
    ax = finding.plot()
    risks = finding.relative_risks
    assert areas(ax) == ((risks < 1 - 1e-9).sum(), (risks >= 1 - 1e-9).sum())
    assert f"above 1: {(risks > 1 + 1e-9).mean():.1%} of the records" in labels(ax)
    low, high = ax.get_xlim()
    assert low < risks.min() <= risks.max() < high


def test_the_axis_is_logarithmic_where_risks_span_much():
    assert EXACT.relative_risks.max() / EXACT.relative_risks.min() > 3
    assert EXACT.plot().get_xscale() == "log"
    alike = uv.relative_risk(uv.Mondrian(k=944).sanitize(SURVEY), SURVEY)
    assert alike.relative_risks.max() / alike.relative_risks.min() < 3
    assert alike.plot().get_xscale() == "linear"


def test_a_single_record_whose_value_is_certain():
    one = uv.read_table({"q": ["a"], "s": ["x"]}, quasi="q", sensitive="s")
    finding = uv.relative_risk(uv.Identity().sanitize(one), one)
    assert "just 1: 100.0% of the records" in labels(finding.plot())
    assert finding.plot(kind="scatter").collections[0].get_offsets().tolist() == [[1.0, 1.0]]
    assert [bar.get_width() for bar in finding.victim(0).plot().patches] == [1.0, 1.0]


def test_records_that_are_not_covered_are_said():
    table = uv.read_table({"age": [30, 34, 41], "vote": ["a", "b", "a"]}, quasi="age",
                          sensitive="vote")  # fmt: skip
    release = uv.read_release({"age": ["30-35", "30-35", "30-35"], "vote": ["a", "b", "a"]}, table)
    finding = uv.relative_risk(release, table)
    assert finding.not_covered == 1
    for kind in ("histogram", "scatter"):
        ax = finding.plot(kind=kind)
        assert ax.get_legend().get_title().get_text() == "1 records are not covered"
    assert sum(areas(finding.plot())) == 2


def test_the_scatter_has_every_pair_of_beliefs():
    ax = SAMPLED.plot(kind="scatter")
    drawn = {tuple(point) for point in np.round(ax.collections[0].get_offsets(), 9)}
    learner, attacker = SAMPLED.under_learner.of_truth, SAMPLED.under_attacker.of_truth
    assert drawn == set(zip(np.round(learner, 9), np.round(attacker, 9), strict=True))
    texts = [text.get_text() for text in ax.texts]
    assert f"{(attacker > learner).mean():.1%} of the records" in texts[0]
    assert texts[0].startswith("the attacker believes it more")


def test_many_records_are_drawn_as_hexagons(monkeypatch):
    monkeypatch.setattr(_pictures, "_FEW", 5)
    ax = EXACT.plot(kind="scatter")
    assert ax.collections[0].get_array().sum() == 944


def test_traces_and_ranks_are_those_of_the_worst_victim():
    worst = int(np.argmax(SAMPLED.chains.diagnostics.rhat))
    rows = SAMPLED.chains.trace("rows")[..., worst]
    shares = rows / rows.sum(axis=2, keepdims=True)
    ax = SAMPLED.plot(kind="trace")
    assert len(ax.lines) == 3
    value = int(np.argmin(np.abs(shares[0] - ax.lines[0].get_ydata()[:, None]).max(axis=0)))
    moving = np.flatnonzero(np.ptp(shares, axis=(0, 1)) > 0)
    assert value == moving[np.argmax(shares.mean(axis=(0, 1))[moving])]
    for line, chain in zip(ax.lines, shares, strict=True):
        assert line.get_ydata().tolist() == chain[:, value].tolist()
        assert line.get_xdata()[-1] == SAMPLED.chains.sweeps
    assert f"R-hat {SAMPLED.chains.diagnostics.rhat[worst]:.3f}" in ax.get_title()
    ranks = _pictures._ranks(shares[:, :, value])
    for own, bars in zip(ranks, SAMPLED.plot(kind="rank").containers, strict=True):
        edges = [*(bar.get_x() for bar in bars), ranks.size]
        expected = np.histogram(own + 0.5, bins=edges)[0] / (len(own) / len(bars))
        assert [bar.get_height() / 0.4 for bar in bars] == pytest.approx(expected.tolist())


def test_ranks_are_over_all_chains_and_favour_none():
    drawn = np.random.default_rng(3).normal(size=(4, 50))
    assert (_pictures._ranks(drawn) == rankdata(drawn).reshape(4, 50) - 1).all()
    ranks = _pictures._ranks(np.ones((4, 500)))
    assert sorted(ranks.ravel()) == list(range(2000))
    assert np.abs(ranks.mean(axis=1) - 999.5).max() < 100  # the standard error is 22


def test_an_exact_answer_has_no_chains():
    for kind in ("trace", "rank"):
        with pytest.raises(InputError, match=r"no chains to draw: the answer is exact \(closed"):
            EXACT.plot(kind=kind)


def test_kinds_that_there_are_not():
    with pytest.raises(InputError, match=r"got 'histogramm'; did you mean 'histogram'\?"):
        EXACT.plot(kind="histogramm")
    with pytest.raises(InputError, match="kind= must be 'histogram', 'scatter', 'trace' or 'rank'"):
        EXACT.plot(kind=3)


def test_without_the_original_there_is_nobody_to_draw():
    finding = uv.relative_risk(recoded("nationality"))
    for kind in ("histogram", "scatter"):
        with pytest.raises(InputError, match="only the people of the original table"):
            finding.plot(kind=kind)


def test_what_has_not_converged_says_so_in_its_picture():
    assert not SAMPLED.converged
    assert "NOT CONVERGED" in SAMPLED.plot().get_title()
    assert "NOT CONVERGED" in SAMPLED.victim(nationality="India").plot().get_title()
    assert "NOT CONVERGED" not in EXACT.plot().get_title()


def test_a_victims_two_posteriors():
    victim = uv.relative_risk(recoded("nationality"), PATIENTS).victim(nationality="Malaysia")
    ax = victim.plot()
    order = np.argsort(-victim.attacker, kind="stable")
    assert [text.get_text() for text in ax.get_yticklabels()] == [victim.values[s] for s in order]
    attacker, learner = (bars for bars in ax.containers if hasattr(bars[0], "get_width"))
    assert [bar.get_width() for bar in attacker] == victim.attacker[order].tolist()
    assert [bar.get_width() for bar in learner] == victim.learner[order].tolist()
    whiskers = ax.collections[-1].get_segments()  # the learner's
    assert [list(whisker[:, 0]) for whisker in whiskers] == [
        pytest.approx(limits) for limits in victim.learner_interval[:, order].T.tolist()
    ]


def test_many_values_with_long_names(tmp_path):
    rng = np.random.default_rng(0)
    values = [f"{LONG}, number ${n}$" for n in range(40)]
    table = uv.read_table(
        {"age": rng.integers(20, 30, 500), "ill": rng.choice(values, 500)}, quasi="age",
        sensitive="ill",
    )  # fmt: skip
    victim = uv.relative_risk(uv.Mondrian(k=20).sanitize(table), table).victim(0)
    ax = victim.plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert len(names) == 13
    assert names[-1] == "28 others together"
    assert all(len(name) <= 42 and name.endswith(r"\$") for name in names[:-1])
    assert ax.containers[0][-1].get_width() == pytest.approx(
        1 - np.sort(victim.attacker)[-12:].sum()
    )
    assert saved(ax, tmp_path)
    thirteen = replace(
        victim, values=victim.values[:13], attacker=victim.attacker[:13],
        learner=victim.learner[:13], attacker_interval=victim.attacker_interval[:, :13],
        learner_interval=victim.learner_interval[:, :13],
    )  # fmt: skip
    assert len(thirteen.plot().get_yticklabels()) == 13  # none of them is "1 other"


def test_a_victim_whom_no_group_covers():
    people = patients("nationality", "zip")
    release = Permuted.from_groups(people.take([0, 1]), [1, 1])
    victim = uv.relative_risk(release, domain="product").victim(nationality="India", zip="45501")
    ax = victim.plot()
    assert len(ax.containers[0]) == 5
    assert labels(ax) == ["learner: asks about anybody like the victim"]
    assert "no group of the release covers this victim" in ax.get_title()


def test_several_side_by_side():
    vertical = uv.relative_risk(Permuted.from_groups(PATIENTS, GROUPS), PATIENTS)
    first = panels([SAMPLED, vertical, SAMPLED, vertical], "histogram", ["a", "b", "c", "d"])
    axes = first.figure.axes
    assert [ax.get_title().split("\n")[0] for ax in axes] == ["a", "b", "c", "d"]
    assert "NOT CONVERGED" in axes[0].get_title()
    assert panels([vertical], "scatter").get_title() == "somebody"
