"""The 2019 report: noisy counts, k, ℓ and ε side by side, and outliers taken out."""

import doctest
import json
from pathlib import Path

import computing_times
import experiment
import k_l_epsilon
import matplotlib.image
import noisy_experiment
import numpy as np
import outliers
import published_sampling
import pytest
import reproduction
from hypothesis import given
from hypothesis import strategies as st
from noisy_experiment import CUTS, Noise, cuts_for, in_parts, measure_noise
from published_sampling import apart, beliefs, cases_of, sample_all
from reproduction import run
from two_tables import TwoTables

import noisy_counts

SCRIPTS = {
    module.__name__: module.main
    for module in (computing_times, k_l_epsilon, noisy_counts, outliers)
}


@pytest.fixture(scope="module")
def survey(real_data):
    table = TwoTables.asked("internet_usage", None, str(real_data), 0).read("internet_usage")
    return in_parts(table, cuts_for(table, {}, CUTS))


def test_the_survey_has_2926_distinct_records_in_927_cases(survey):
    assert survey["age"].texts == ("< 21", "[21, 41)", "[41, 61)", "≥ 61")
    cases = cases_of(survey, survey.distinct)
    assert (len(survey), len(survey.distinct), len(cases.counts)) == (9_799, 2_926, 927)
    assert (cases.counts[:, 0] >= 1).all()  # everybody is counted
    assert (np.diff(cases.counts[:, 1:], axis=1) >= 0).all()


def test_records_of_a_case_have_the_same_distance(survey):
    direct = measure_noise(survey, Noise(0.5, 0), None).distances["direct"]
    which = cases_of(survey, survey.distinct).which
    low, high = np.full(which.max() + 1, np.inf), np.zeros(which.max() + 1)
    np.minimum.at(low, which, direct)
    np.maximum.at(high, which, direct)
    assert (high - low).max() < 1e-12


def test_direct_is_within_the_error_of_sampling(survey):
    found = measure_noise(survey, Noise(1.0, 400, seed=3), None)
    direct, corrected = found.distances["direct"], found.distances["corrected"]
    assert found.outside == np.mean(np.abs(direct - corrected) > found.error + 1e-12)
    # The cases share their noise, so that many may be outside together; but not far.
    assert (np.abs(direct - corrected) <= 2.5 * found.error).all()
    assert found.floor.mean() > 0.3 * found.distances["published"].mean()
    assert found.of("mean", "published") > found.of("mean")  # biased upwards
    assert found.of("over", "published") >= found.of("over")


def test_without_noise_all_three_agree(survey):
    found = measure_noise(survey.take(range(500)), Noise(np.inf, 3), 1)
    direct = found.distances["direct"]
    assert found.distances["published"] == pytest.approx(direct, abs=1e-12)
    assert found.distances["corrected"] == pytest.approx(direct, abs=1e-12)
    assert found.floor.max() == 0
    assert found.to_dict()["epsilon"] == "∞"


@given(
    counts=st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(lambda c: c[0] > 0),
    epsilon=st.sampled_from([0.1, 1.0, np.inf]),
    seed=st.integers(0, 99),
)
def test_what_was_published_is_never_below_the_difference_of_means(counts, epsilon, seed):
    rng = np.random.default_rng(seed)
    with_it = np.array(counts)
    without = with_it - np.eye(len(counts), dtype=int)[0]
    x, y = (beliefs(c, epsilon, 50, rng) for c in (with_it, without))
    assert x.sum(axis=0) == pytest.approx(np.ones(50))
    by_hand = 0.0  # one value, one order statistic after the other
    for p, q in zip(x.tolist(), y.tolist(), strict=True):
        pairs = zip(sorted(p), sorted(q), strict=True)
        by_hand += sum(abs(a - b) for a, b in pairs) / 50 / 2
    assert apart(x, y) == pytest.approx(by_hand, abs=1e-12)
    # Beliefs sum to one: what the own value gains, the others lose.
    assert apart(x, y) >= x[0].mean() - y[0].mean() - 1e-12


def test_samples_depend_on_the_seed_alone(survey):
    few = survey.take(range(60))
    cases = cases_of(few, few.distinct)
    one, other = (sample_all(cases, 1.0, 50, seed=4, jobs=jobs) for jobs in (1, 2))
    assert one.distance.tolist() == other.distance.tolist()
    assert one.floor.tolist() != sample_all(cases, 1.0, 50, seed=5).floor.tolist()


def test_the_counts_are_those_of_the_noisy_counts(survey):
    """The published method on a cell's counts, found by looking at every record."""
    few = survey.take(range(300))
    record = int(few.distinct[7])
    alike = (few.codes == few.codes[:, [record]]).all(axis=0)
    secrets = few.sensitive.codes
    counts = np.bincount(secrets[alike], minlength=few.sensitive.size)
    cases = cases_of(few, np.array([record]))
    assert sorted(cases.counts[0]) == sorted(counts)
    assert cases.counts[0, 0] == counts[secrets[record]]


# The scripts --------------------------------------------------------------------------------------


def _numbers(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def _pictures(folder: Path) -> list[str]:
    paths = sorted(folder.glob("*.png"))
    for path in paths:
        assert np.ptp(matplotlib.image.imread(path)) > 0.9  # not blank
    return [path.stem for path in paths]


def test_noisy_counts_side_by_side(real_data, tmp_path, capsys):
    words = ["--table", "internet_usage", "--samples", "50", "--epsilon", "0.5,inf", "--seed", "1"]
    words += ["--data", str(real_data), "--out", str(tmp_path), "--json", str(tmp_path / "n.json")]
    assert run(noisy_counts.main, words) == 0
    assert "2,926 distinct records in 927 cases" in capsys.readouterr().out
    results = _numbers(tmp_path / "n.json")["results"]
    assert [(r["table"], r["epsilon"]) for r in results] == [
        ("internet_usage", "0.5"), ("internet_usage", "∞"),
    ]  # fmt: skip
    assert results[0]["direct"]["delta"] == pytest.approx(0.0354, abs=5e-5)
    assert results[1]["published"]["delta"] == pytest.approx(results[1]["direct"]["delta"])
    assert results[0]["published"]["floor"] > 0
    assert _pictures(tmp_path) == [
        f"noisy_counts-{what}" for what in ("distributions", "summaries", "tails")
    ]


def test_parts_columns_and_draws_of_ones_own(real_data, tmp_path, capsys):
    words = ["--quick", "--table", "adult", "--columns", "age,education", "--cuts", "age=30"]
    words += ["--draws", "2", "--samples", "20", "--epsilon", "inf", "--data", str(real_data)]
    words += ["--out", str(tmp_path), "--json", str(tmp_path / "n.json")]
    assert run(noisy_counts.main, words) == 0
    printed = capsys.readouterr().out
    assert "Adult by age, education, noisy counts" in printed
    assert "median and range over 2 draws" in printed
    content = _numbers(tmp_path / "n.json")
    assert content["settings"]["cuts"] == {"age": [30]}
    table = TwoTables.asked("adult", ("age", "education"), str(real_data), 0).read("adult")
    parts = in_parts(table, {"age": (30,)})
    young = np.asarray(table["age"].decode()) <= 30
    assert (parts["age"].codes == 0).tolist() == young.tolist()  # a part ends with its cut
    assert content["results"][0]["tested"] == len(parts.distinct)


def test_k_l_epsilon(real_data, tmp_path, capsys):
    words = ["--table", "internet_usage", "--k", "128", "--epsilon", "0.5", "--compare", "number"]
    words += ["--data", str(real_data), "--out", str(tmp_path), "--json", str(tmp_path / "n.json")]
    assert run(k_l_epsilon.main, words) == 0
    printed = capsys.readouterr().out
    assert "Internet Usage without country: noisy counts, without sampling" in printed
    assert "published" not in printed.splitlines()[1]  # nothing was, for these
    results = _numbers(tmp_path / "n.json")["results"]
    variants = [r.get("variant", "noise") for r in results]
    assert variants == ["number", "unveil", "unveil-cut", "noise"]
    assert results[0]["delta"] == pytest.approx(0.0517, abs=5e-5)
    assert results[-1]["direct"]["delta"] == pytest.approx(0.0354, abs=5e-5)
    assert _pictures(tmp_path) == [
        f"k_l_epsilon-internet_usage-{what}"
        for what in ("distances", "distributions", "families", "noisy-distributions", "shares")
    ]


def test_outliers(real_data, tmp_path, capsys):
    words = ["--table", "internet_usage", "--k", "5", "--delta", "0.1", "--rounds", "1"]
    words += ["--compare", "text", "--data", str(real_data), "--out", str(tmp_path)]
    assert run(outliers.main, [*words, "--json", str(tmp_path / "n.json")]) == 0
    printed = capsys.readouterr().out
    assert "as text: NOT REACHED after 1 round; the best is round 1 with 2 of 9,799" in printed
    found = {r["variant"]: r for r in _numbers(tmp_path / "n.json")["results"]}
    assert [round(one["delta"], 3) for one in found["text"]["rounds"]] == [0.531, 0.523]
    assert found["unveil"]["holds"]
    assert found["unveil-cut"]["rounds"][-1]["removed"] == 0  # it was not over the goal
    assert _pictures(tmp_path) == ["outliers-internet_usage-k5"]


def test_times_of_noisy_counts(real_data, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(computing_times, "SAMPLES", 200)
    words = ["--epsilon", "1", "--sample", "2", "--data", str(real_data), "--out", str(tmp_path)]
    assert run(computing_times.main, [*words, "--json", str(tmp_path / "times.json")]) == 0
    assert "Computing time for one value of ε" in capsys.readouterr().out
    results = _numbers(tmp_path / "times.json")["results"]
    assert [(r["data"], r["published_minutes"]) for r in results] == [
        ("Adult", 342), ("Internet Usage", 263),
    ]  # fmt: skip
    assert all(r["direct_seconds"] > 0 for r in results)


WRONG = [
    ("noisy_counts", ["--epsilon", "0"], "--epsilon: '0' is no number above 0; give one, or several"
     " with commas, such as --epsilon 0.1,1,inf"),
    ("noisy_counts", ["--epsilon", "nan"], "--epsilon: 'nan' is no number above 0"),
    ("noisy_counts", ["--epsilon", ""], "nothing to do: give values of ε"),
    ("noisy_counts", ["--samples", "1"], "--samples: '1' is no whole number from 2 up"),
    ("noisy_counts", ["--cuts", "age"], "cannot read --cuts 'age'; write it like --cuts age=20"),
    ("noisy_counts", ["--cuts", "age=20,x"], "--cuts age: 'x' is no whole number from 0 up"),
    ("noisy_counts", ["--cuts", "age=1", "--cuts", "age=2"], "names the column 'age' twice"),
    ("noisy_counts", ["--cuts", "agee=20"], "there is no quasi-identifier 'agee'; did you mean"),
    ("noisy_counts", ["--cuts", "race=20"], "--cuts: 'race' has no numbers"),
    ("noisy_counts", ["--table", "adlt"], "--table must be internet_usage or adult, got 'adlt'; did"
     " you mean 'adult'?"),
    ("noisy_counts", ["--columns", "age"], "--columns needs --table"),
    ("k_l_epsilon", ["--k", "", "--epsilon", ""], "nothing to do"),
    ("outliers", ["--delta", "2"], "--delta: '2' is no number between 0 and 1, such as 0.1"),
    ("outliers", ["--at-a-time", "x"], "--at-a-time: 'x' is no number between 0 and 1"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "words", "message"), WRONG)
def test_wrong_settings(script, words, message, real_data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(SCRIPTS[script], [*words, "--data", str(real_data)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("module", [experiment, noisy_experiment, published_sampling, reproduction])
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
