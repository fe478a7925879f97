"""Relative risk as users ask for it: the worked example, who is at risk, victims, bad input."""

import json
import sys

import malaysian
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_risks import loosely_grouped, small_table

import unveil as uv
from unveil.attacks.relative_risk import _beliefs, _chains
from unveil.attacks.relative_risk._beliefs import AtRisk
from unveil.errors import InputError, MissingExtraError

OTHERS = ("Diabetes", "HIV", "Stomach")
BOTH = ("nationality", "zip")
MALAYSIAN = {"nationality": "Malaysia", "zip": "45501"}


def example(*quasi, **options):
    return uv.relative_risk(malaysian.recoded(*quasi), malaysian.patients(*quasi), **options)


def permuted(*quasi, **options):
    table = malaysian.patients(*quasi)
    return uv.relative_risk(uv.Permuted.from_groups(table, malaysian.GROUPS), table, **options)


def by_value(victim, of):
    return dict(zip(victim.values, getattr(victim, of).tolist(), strict=True))


# The worked example ---------------------------------------------------------------------------

EQ4_WHOLE = {"Heart": 297 / 1097, "Flu": 360 / 1097, **dict.fromkeys(OTHERS, 440 / 3291)}
EQ5_WHOLE = {"Heart": 0.264874, "Flu": 0.313735, **dict.fromkeys(OTHERS, 0.140464)}
EQ4_NATION = {"Heart": 77 / 241, "Flu": 80 / 241, **dict.fromkeys(OTHERS, 28 / 241)}
EQ5_NATION = {"Heart": 0.312254, "Flu": 0.320994, **dict.fromkeys(OTHERS, 0.122251)}
NOBODY = dict.fromkeys(OTHERS, 0.0)
PUBLISHED = [
    (BOTH, "saturated", "joint", {"Heart": 1 / 2, "Flu": 1 / 2}, EQ4_WHOLE),
    (BOTH, "saturated", "conditional", {"Heart": 1 / 2, "Flu": 1 / 2}, EQ5_WHOLE),
    (BOTH[:1], "saturated", "joint", {"Heart": 6 / 11, "Flu": 5 / 11}, EQ4_NATION),
    (BOTH[:1], "saturated", "conditional", {"Heart": 6 / 11, "Flu": 5 / 11}, EQ5_NATION),
    (BOTH, "naive-bayes", "joint", {"Heart": 7 / 12, "Flu": 5 / 12}, None),
]


@pytest.mark.parametrize(("quasi", "likelihood", "learner", "p_attacker", "p_learner"), PUBLISHED)
@pytest.mark.parametrize("sampler", [None, "collapsed", "gibbs"])
def test_the_worked_example(quasi, likelihood, learner, p_attacker, p_learner, sampler):
    how = {} if sampler is None else {"exact": "never", "sampler": sampler}
    domain = "product" if likelihood == "naive-bayes" else "observed"
    finding = example(*quasi, likelihood=likelihood, learner=learner, domain=domain, **how)
    victim = finding.victim({name: MALAYSIAN[name] for name in quasi})
    assert finding.converged
    assert (finding.chains is None) == (sampler is None)
    # Five standard errors of what was sampled, and the digits that are printed.
    allowed = 5 * max(victim.error, finding.error) + (6e-7 if learner == "conditional" else 1e-12)
    for found, expected in (
        (by_value(victim, "attacker"), {**NOBODY, **p_attacker}),
        (by_value(victim, "learner"), p_learner or by_value(victim, "learner")),
    ):
        assert found == pytest.approx(expected, abs=allowed)
    assert sum(by_value(victim, "learner").values()) == pytest.approx(1.0)


def test_without_the_original_table_a_victim_can_be_asked_about():
    finding = uv.relative_risk(malaysian.recoded(*BOTH))
    assert finding.domain == "covered"
    victim = finding.victim(**MALAYSIAN)
    assert by_value(victim, "attacker") == pytest.approx({**NOBODY, "Heart": 0.5, "Flu": 0.5})
    assert (
        "Ask about a person with victim={'nationality': '...', 'zip': '...'}" in finding.summary()
    )
    assert "risk" not in finding.to_dict()
    assert set(finding.to_frame().columns) == {*BOTH, "disease", "attacker", "learner"}
    with pytest.raises(InputError, match="only the people of the original table can be at risk"):
        finding.n_attacker  # noqa: B018
    with pytest.raises(InputError, match="there is no record 0 without microdata"):
        finding.victim(0)


def test_anatomy_without_the_original_table():
    release = uv.Permuted.from_groups(malaysian.patients(*BOTH), malaysian.GROUPS)
    finding = uv.relative_risk(release)
    assert finding.kind == "vertical"
    assert finding.domain == "observed"
    with_table = permuted(*BOTH).victim(**MALAYSIAN)
    assert np.allclose(finding.victim(**MALAYSIAN).attacker, with_table.attacker)
    assert np.allclose(finding.victim(**MALAYSIAN).learner, with_table.learner)


# Who is at risk -------------------------------------------------------------------------------


def plainly_at_risk(beliefs, tuple_of, secrets, ties):
    counted = []
    for r, s in zip(tuple_of, secrets, strict=True):
        column = [round(float(x), 9) for x in beliefs[:, r]]
        top = [v for v, x in enumerate(column) if x == max(column)]
        share = {"full": 1.0, "fraction": 1 / len(top), "none": float(len(top) == 1)}[ties]
        counted.append(share if s in top else 0.0)
    return counted


@given(seed=st.integers(0, 2**32 - 1), ties=st.sampled_from(["full", "fraction", "none"]))
@examples(30)
def test_everything_that_is_counted_follows_from_the_two_beliefs(seed, ties):
    rng = np.random.default_rng(seed)
    table = small_table(rng, 14, (3, 2), 3)
    group_of = np.unique(rng.integers(4, size=14), return_inverse=True)[1]
    release = loosely_grouped(rng, table, group_of, 0.2)
    finding = uv.relative_risk(release, table, ties=ties)
    secrets = table.sensitive.codes
    n_attacker = sum(plainly_at_risk(finding.attacker, finding.tuple_of, secrets, ties))
    n_learner = sum(plainly_at_risk(finding.learner, finding.tuple_of, secrets, ties))
    assert finding.n_attacker == pytest.approx(n_attacker)
    assert finding.n_learner == pytest.approx(n_learner)
    assert finding.gr_raw == pytest.approx((n_attacker - n_learner) / 14)
    assert finding.gr == max(0.0, finding.gr_raw)
    right = plainly_at_risk(finding.attacker, finding.tuple_of, secrets, "fraction")
    assert finding.accuracy == pytest.approx(sum(right) / 14)
    frame = finding.to_frame()
    ratio = [finding.attacker[s, r] / finding.learner[s, r]
             for s, r in zip(secrets, finding.tuple_of, strict=True)]  # fmt: skip
    assert np.allclose(frame["ratio"], ratio)
    assert finding.largest_ratio == max(ratio)
    # Only records at risk under the attacker have a relative risk.
    risky = plainly_at_risk(finding.attacker, finding.tuple_of, secrets, ties)
    risks = [one for one, counted in zip(ratio, risky, strict=True) if counted]
    expected = [one if counted else np.nan for one, counted in zip(ratio, risky, strict=True)]
    assert np.allclose(frame["relative_risk"], expected, equal_nan=True)
    assert finding.at_risk.tolist() == [counted > 0 for counted in risky]
    assert finding.worst_relative_risk == max(risks, default=None)
    assert finding.figures[1].value == finding.worst_relative_risk
    found = finding.quantiles
    if risks:
        assert np.allclose(found.to_numpy(), np.quantile(risks, found.index))
    else:
        assert found.isna().all()
    at_least_half = frame["at_risk_attacker"][frame["attacker"] >= 0.5 - 1e-9].sum()
    assert finding.levels.loc[0.5, "attacker"] == pytest.approx(at_least_half)
    assert finding.levels.loc[0.0, "learner"] == pytest.approx(n_learner)
    worst = finding.worst(3)
    assert worst["relative_risk"].tolist() == sorted(risks, reverse=True)[:3]
    for place, record in enumerate(worst["record"]):
        assert worst["q0"][place] == table["q0"].decode()[record]
        assert worst["secret"][place] == table["secret"].decode()[record]


def test_a_ratio_of_somebody_who_is_not_at_risk_is_no_relative_risk():
    """The one rare value gains most, and is not what the attacker would guess."""
    people = uv.read_table(
        {"zip": [*"11112222333344445555"], "ill": ["HIV"] + ["Flu"] * 19}, quasi="zip",
        sensitive="ill",
    )  # fmt: skip
    finding = uv.relative_risk(uv.Identity().sanitize(people), people)
    # p_L(s, r) = (α + γ_s) / (α. + N) · (β + A(s, r)) / (β. + γ_s)
    here = {"Flu": 20 / 22 * (1 + 3) / (5 + 19), "HIV": 2 / 22 * (1 + 1) / (5 + 1)}
    elsewhere = {"Flu": 20 / 22 * (1 + 4) / (5 + 19), "HIV": 2 / 22 * (1 + 0) / (5 + 1)}
    hiv = 0.25 / (here["HIV"] / sum(here.values()))
    flu = 0.75 / (here["Flu"] / sum(here.values()))
    others = 1 / (elsewhere["Flu"] / sum(elsewhere.values()))
    assert finding.ratios == pytest.approx(np.array([hiv] + [flu] * 3 + [others] * 16))
    assert finding.at_risk.tolist() == [False] + [True] * 19
    assert np.isnan(finding.relative_risks[0])
    assert finding.largest_ratio == pytest.approx(1.5)
    assert finding.worst_relative_risk == pytest.approx(1.08)
    assert finding.worst(1)["record"].tolist() == [4]
    assert json.loads(finding.to_json())["risk"]["at_risk"] == 19
    assert "of the 19 of 20 records that are at risk under the attacker" in finding.summary()


def test_if_nobody_is_at_risk_the_relative_risk_is_undefined():
    """With two values that are tied for everybody and ties that do not count."""
    finding = example(*BOTH, ties="none")
    assert finding.n_attacker == 0
    assert finding.worst_relative_risk is None
    assert finding.largest_ratio > 2
    assert finding.quantiles.isna().all()
    assert len(finding.worst(5)) == 0
    gr, risk = finding.figures
    assert (gr.value, gr.why_not) == (0, None)
    assert risk.value is None
    plain = json.loads(finding.to_json())
    assert plain["figures"]["relative_risk"]["value"] is None
    assert "nobody is at risk" in plain["figures"]["relative_risk"]["why_not"]
    assert plain["risk"]["worst_relative_risk"] is None
    text = finding.summary()
    assert "Nobody is at risk under the attacker, so the relative risk is undefined." in text
    assert "times as credible" not in text
    assert f"at risk or not, the largest p_A/p_L is {finding.largest_ratio:.2f}" in text
    assert [chart.kind for chart in finding.story().charts] == []
    assert [chart.kind for chart in finding.story().closer] == ["heatmap"]


def test_ties_move_the_result_and_sampled_ones_are_recognized():
    exact = example(*BOTH, ties="full")
    assert exact.n_attacker == 8
    assert example(*BOTH, ties="none").n_attacker == 0
    assert example(*BOTH, ties="fraction").n_attacker == 4
    assert exact.accuracy == 0.5
    table = malaysian.patients(*BOTH[:1])
    release = uv.read_release(
        {"nationality": ["*"] * 8, "disease": malaysian.PATIENTS["disease"]}, table
    )
    sampled = uv.relative_risk(release, table, exact="never", likelihood="naive-bayes", seed=3)
    # Heart and the three rarer diseases differ; those that occur once are tied by symmetry.
    tied = {"Stomach", "HIV", "Diabetes"}
    at = [sampled.sensitive.places[one] for one in tied]
    assert np.ptp(sampled.attacker[at], axis=0).max() == 0


@pytest.mark.parametrize("given", ["all", "some"])
def test_beliefs_are_looked_at_some_tuples_at_a_time(given, monkeypatch):
    monkeypatch.setattr(_beliefs, "_AT_A_TIME", 3)
    rng = np.random.default_rng(5)
    beliefs = rng.integers(0, 3, (4, 10)) / 3
    beliefs[:, 6] = np.nan
    tuples, secrets = rng.integers(0, 10, 60), rng.integers(0, 4, 60)
    party = AtRisk(beliefs=beliefs if given == "all" else lambda some: beliefs[:, some],
                   tuple_of=tuples, secret=secrets, within=1e-9)  # fmt: skip
    best = [np.flatnonzero(beliefs[:, t] == beliefs[:, t].max()) for t in tuples]
    expected = [1 / len(b) if s in b else 0.0 for s, b in zip(secrets, best, strict=True)]
    assert party.counted("fraction").tolist() == expected
    assert np.array_equal(party.of_truth, beliefs[secrets, tuples], equal_nan=True)


def test_beliefs_that_are_not_there_are_nobodys_risk():
    beliefs = np.array([[0.5, np.nan], [0.5, np.nan]])
    party = AtRisk(beliefs=beliefs, tuple_of=np.array([0, 1]), secret=np.array([0, 0]), within=0)
    assert party.counted("full").tolist() == [1.0, 0.0]
    assert party.counted("fraction").tolist() == [0.5, 0.0]
    assert party.tied.tolist() == [True, False]


def test_records_that_no_group_covers_are_said_and_lose_nothing():
    table = malaysian.patients("nationality")
    kept = {name: malaysian.LOCAL_RECODING[name][2:] for name in ("nationality", "disease")}
    kept["nationality"][4:] = ["India", "India"]
    release = uv.read_release(kept, table)
    finding = uv.relative_risk(release, table)
    assert finding.not_covered == 2  # both from Malaysia
    assert "Not covered: 2 records have values that no group" in finding.summary()
    assert len(finding.to_frame()) == 8
    assert np.isnan(finding.to_frame()["attacker"]).sum() == 2
    assert json.loads(finding.to_json(records=True))["records"]["attacker"].count(None) == 2
    victim = finding.victim(nationality="Malaysia")
    assert not victim.is_covered
    assert "no group of the release covers this victim" in repr(victim)
    assert victim.learner.sum() == pytest.approx(1.0)


# Victims and their intervals ------------------------------------------------------------------


def test_the_learners_interval_is_that_of_the_population():
    """Disjoint sets: given the release, π is Dirichlet in the sets and within them."""
    table = small_table(np.random.default_rng(0), 30, (4,), 2)
    group_of = table["q0"].codes // 2
    release = uv.read_release(
        {"q0": [["{v0, v1}", "{v2, v3}"][g] for g in group_of], "secret": table["secret"].decode()},
        table,
    )
    finding = uv.relative_risk(release, table)
    assert finding.how == "closed form"
    found = finding.victim(q0="v0")
    counts = np.array([[((group_of == g) & (table.sensitive.codes == s)).sum() for g in (0, 1)]
                       for s in (0, 1)])  # fmt: skip
    rng = np.random.default_rng(1)
    n = 200_000
    population = rng.dirichlet(1 + counts.sum(axis=1), n)
    joint = np.stack([
        population[:, s] * rng.beta(2 + counts[s, 0], 2 + counts[s, 1], n) * rng.beta(1, 1, n)
        for s in (0, 1)
    ])  # fmt: skip
    shares = joint / joint.sum(axis=0)
    expected = np.quantile(shares, [0.025, 0.975], axis=1)
    assert np.abs(found.learner_interval - expected).max() < 0.02
    assert np.array_equal(found.attacker_interval, np.stack([found.attacker] * 2))


@pytest.mark.parametrize(
    "options", [{}, {"exact": "never"}, {"exact": "never", "sampler": "gibbs"}]
)
@pytest.mark.parametrize("likelihood", ["saturated", "naive-bayes"])
def test_intervals_hold_the_beliefs_of_whoever_is_asked_about(options, likelihood):
    finding = permuted(*BOTH, likelihood=likelihood, **options)
    for record in range(8):
        victim = finding.victim(record)
        for of in ("attacker", "learner"):
            low, high = getattr(victim, f"{of}_interval")
            belief = getattr(victim, of)
            assert (low - 0.02 <= belief).all()
            assert (belief <= high + 0.02).all()
    again = finding.victim(3)
    assert np.array_equal(again.learner_interval, finding.victim(3).learner_interval)
    frame = again.to_frame()
    assert frame["disease"].tolist() == list(finding.sensitive.texts)
    assert np.allclose(frame["relative_risk"], frame["attacker"] / frame["learner"])


def test_a_victim_who_was_not_watched_is_asked_about_after_all():
    """The chains go on, and find what enumeration does."""
    sampled = uv.relative_risk(
        malaysian.recoded("nationality"), exact="never", panel=1, domain="product", seed=2
    )
    exact = uv.relative_risk(malaysian.recoded("nationality"), domain="product")
    assert sampled.problem.watched.shape[1] == 1
    for nationality in ("Malaysia", "Japan", "China", "India"):
        found, expected = (f.victim(nationality=nationality) for f in (sampled, exact))
        allowed = 5 * max(found.error, 0.002)
        assert np.abs(found.attacker - expected.attacker).max() < allowed
        assert np.abs(found.learner - expected.learner).max() < allowed
        assert found.converged


def test_victims_outside_of_the_domain():
    finding = example(*BOTH)
    with pytest.raises(InputError, match="'Malasia' is not a value of 'nationality', so a victim"):
        finding.victim(nationality="Malasia", zip="45501")
    with pytest.raises(InputError, match=r"not a value of 'zip'.*\(values: '45501', '45502'"):
        finding.victim(nationality="Malaysia", zip="99999")
    with pytest.raises(InputError, match="'nationality' 'Malaysia', 'zip' '55503' is outside the "
                       "domain 'observed': no record of the table has these values"):  # fmt: skip
        finding.victim(nationality="Malaysia", zip="55503")
    with pytest.raises(InputError, match="a value of every quasi-identifier; 'zip' is missing"):
        finding.victim(nationality="Malaysia")
    with pytest.raises(InputError, match="'nation' is not one of them; did you mean 'nationality'"):
        finding.victim(nation="Malaysia", zip="45501")
    with pytest.raises(InputError, match=r"no record 8 \(records are counted from 0 to 7\)"):
        finding.victim(8)
    with pytest.raises(InputError, match="describe a victim by values"):
        finding.victim(["Malaysia", "45501"])
    covered = example(*BOTH, domain="covered")
    with pytest.raises(InputError, match="'covered': no group of the release covers these values"):
        covered.victim(nationality="India", zip="55503")
    everything = example(*BOTH, domain="product")
    assert not everything.victim(nationality="India", zip="55503").is_covered


# How it was found, and what it says -----------------------------------------------------------


def test_it_says_how_it_was_found():
    assert example(*BOTH).how == "closed form"
    assert "Exact (closed form): no two sets" in example(*BOTH).summary()
    assert example("nationality").how == "enumeration"
    sampled = example("nationality", exact="never")
    assert sampled.how == "sampling"
    assert "Sampled (collapsed): 4 chains of" in sampled.summary()
    assert "Sampled (gibbs)" in example("nationality", exact="never", sampler="gibbs").summary()


def test_what_has_not_converged_says_so_first():
    finding = example("nationality", exact="never", sweeps=40, chains=2)
    assert not finding.converged
    lines = finding.summary().splitlines()
    assert lines[1].startswith("  NOT CONVERGED after 40 sweeps: worst R-hat")
    assert "the limit of sweeps was reached; give more with sweeps=." in lines[1]
    assert "NOT CONVERGED" in repr(finding.victim(nationality="Malaysia"))
    assert finding.to_dict()["converged"] is False
    assert finding.to_dict()["sampling"]["stopped"] == "sweeps"


def test_an_interrupt_leaves_a_finding(monkeypatch):
    real, rounds = _chains._round, []

    def interrupted(*args):
        rounds.append(1)
        if len(rounds) > 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(_chains, "_round", interrupted)
    finding = example("nationality", exact="never")
    assert finding.chains.stopped == "interrupted"
    assert "it was interrupted" in finding.summary()
    assert finding.n_attacker > 0


def test_json_speaks_of_nobody_unless_asked():
    finding = example("nationality", exact="never")
    plain = json.loads(finding.to_json())
    assert "records" not in plain
    assert "Malaysia" not in finding.to_json()
    assert plain["finding"] == "relative-risk"
    assert plain["risk"]["gr"] == finding.gr
    assert plain["sampling"]["worst_rhat"] == finding.chains.diagnostics.worst_rhat
    assert len(plain["risk"]["levels"]) == 6
    records = json.loads(finding.to_json(records=True))["records"]
    risks = np.array(records["relative_risk"], dtype=float)
    assert np.allclose(risks, finding.relative_risks, equal_nan=True)
    assert np.allclose(records["ratio"], finding.ratios)


def test_the_verdict_is_in_words():
    text = example(*BOTH).verdict("the recoding")
    assert text.startswith(
        "Under the recoding, an attacker who knows that a person is in the table"
    )
    assert "50.00% of the records" in text
    assert "at most 2.43 times as credible" in text
    assert "nobody can be said" in uv.relative_risk(malaysian.recoded(*BOTH)).verdict()


def test_traces_are_saved_for_arviz(tmp_path):
    import xarray as xr

    finding = example("nationality", exact="never", panel=3, chains=2)
    saved = finding.save_traces(tmp_path / "traces.nc")
    tree = xr.open_datatree(saved, engine="h5netcdf")
    shape = (2, finding.chains.infos[0].kept, 5, 3)
    for name in ("attacker", "learner", "rows", "population"):
        assert tree["posterior"][name].shape == shape
        assert tree["posterior"][name].dims == ("chain", "draw", "value", "victim")
    assert np.allclose(tree["posterior"]["attacker"].sum("value"), 1.0)
    assert np.array_equal(tree["posterior"]["rows"].values, finding.chains.trace("rows"))
    assert set(tree["posterior"]["victim"].values) <= {"Malaysia", "Japan", "China", "India"}
    assert tree.attrs["sampler"] == "collapsed"
    tree.close()


def test_no_traces_where_nothing_was_sampled_or_arviz_is_lacking(monkeypatch, tmp_path):
    with pytest.raises(
        InputError, match="the answer is exact \\(closed form\\); use exact='never'"
    ):
        example(*BOTH).traces()
    finding = example("nationality", exact="never")
    for module in ("h5netcdf", "arviz_base"):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtraError, match=r"unveil\[arviz\]"):
            finding.save_traces(tmp_path / "x.nc")
    assert not (tmp_path / "x.nc").exists()


# Bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha= is 0, but must be above 0"),
        ({"alpha": -1.0}, "alpha= is -1, but must be above 0"),
        ({"alpha": [1, 2]}, "alpha= must be one number or one for each of the 5 values"),
        ({"beta": 0.0}, "beta=0.0 is not possible: it must be a number above 0"),
        ({"beta": float("inf")}, "beta=inf is not possible: it must be a number above 0"),
        ({"chains": 0}, "chains=0 is not possible: it must be a whole number from 1 up"),
        ({"panel": 0}, "panel=0 is not possible"),
        ({"sweeps": 2.5}, "sweeps=2.5 is not possible"),
        ({"thin": True}, "thin=True is not possible"),
        ({"rhat": 1.0}, "rhat=1.0 is not possible: it must be a number above 1"),
        ({"ess": "many"}, "ess='many' is not possible: it must be a number above 0"),
        ({"budget": "soon"}, "cannot read 'soon' as a duration"),
        ({"likelihood": "saturate"}, "did you mean 'saturated'"),
        ({"domain": "products"}, "did you mean 'product'"),
        (
            {"learner": "joined"},
            "learner='joined' is not possible: it must be 'joint' or 'conditional'",
        ),
        ({"ties": "half"}, "it must be 'full', 'fraction' or 'none'"),
        ({"sampler": "gibs"}, "did you mean 'gibbs'"),
        ({"seed": -1}, "seed=-1 is not possible: it must be a whole number from 0 up"),
        ({"jobs": 0}, "jobs=? must be a whole number from 1 up"),
    ],
)
def test_bad_options_are_told(options, message):
    with pytest.raises(InputError, match=message):
        example(*BOTH, **options)


def test_what_is_not_a_release_in_groups():
    table = malaysian.patients("nationality")
    with pytest.raises(InputError, match="is a sanitizer; give what it publishes"):
        uv.relative_risk(uv.Mondrian(k=2), table)
    with pytest.raises(InputError, match=r"got a DataFrame; read one with unveil\.read_release"):
        uv.relative_risk(table.to_frame(), table)
    counts = uv.LaplaceCounts(epsilon=1).sanitize(table)
    with pytest.raises(InputError, match="needs records in groups, but the release by"):
        uv.relative_risk(counts, table)
    with pytest.raises(InputError, match="needs microdata, a table whose columns have roles"):
        uv.relative_risk(malaysian.recoded("nationality"), table.to_frame())


def test_a_release_of_another_table():
    table = malaysian.patients("nationality")
    other = table.take([0, 1, 2])
    with pytest.raises(InputError, match="8 records"):
        uv.relative_risk(malaysian.recoded("nationality"), other)
    with pytest.raises(InputError, match="the original table, which was not given"):
        uv.relative_risk(malaysian.recoded("nationality"), domain="observed")


def test_exact_or_nothing():
    rng = np.random.default_rng(1)
    table = small_table(rng, 300, (6, 5), 4)
    release = loosely_grouped(rng, table, rng.integers(40, size=300), 0.4)
    with pytest.raises(InputError, match="there is no exact answer: the groups' sets overlap"):
        uv.relative_risk(release, table, exact="always")
    finding = uv.relative_risk(release, table, ess=200, rhat=1.05)
    assert finding.how == "sampling"
    low, high = finding.gr_interval
    assert low <= finding.gr <= high < 0.5


def test_tuples_of_a_permuted_release_are_known_without_the_original():
    release = uv.Permuted.from_groups(malaysian.patients(*BOTH), malaysian.GROUPS)
    assert "tuples: those of the published records." in uv.relative_risk(release).summary()
    assert "tuples: those of the original table" in permuted(*BOTH).summary()
