"""The tolerance in every attack that guesses, beside plain searches; in Python, shell, project."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run
from plain_guesses import plainly

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Role
from unveil.projects import Data, Project, ReleaseAsked

WORDS = "must be a number from 0 up, or a share of the true value from 0% to below 100%"


def columns(n=160, seed=0):
    rng = np.random.default_rng(seed)
    age, town = rng.integers(20, 60, n), rng.choice(["A", "B", "C"], n)
    income = np.round(np.exp(9 + age / 50 + rng.normal(0, 0.3, n)), 2)
    vote = rng.choice(["x", "y", "z"], n)
    return {"age": age, "town": town, "income": income, "vote": vote}


def people(n=160, seed=0, sensitive="income"):
    return uv.read_table(columns(n, seed), quasi=["age", "town"], sensitive=sensitive)


def guessed(finding, beliefs, true):
    """The share of guesses that are right, by a plain search; beliefs have a row per person."""
    near = finding.near
    values = finding.microdata.sensitive.values.tolist() if hasattr(finding, "microdata") else (
        finding.release.sensitive.values.tolist()
    )  # fmt: skip
    found = []
    for row, x in zip(np.asarray(beliefs).tolist(), true, strict=True):
        _, guesses, off = plainly(values, row, near.amount, near.of_value)
        found.append(np.mean([abs(g - values[x]) <= off[x] * (1 + 1e-9) for g in guesses]))
    return float(np.mean(found))


@pytest.mark.parametrize("tolerance", [None, "5%", 2000])
def test_relative_risk_and_inference_count_the_same_guesses(tolerance):
    table = people()
    release = uv.Mondrian(k=5).sanitize(table)
    risk = uv.relative_risk(release, table, tolerance=tolerance, ties="fraction")
    true = table.sensitive.codes
    for accuracy, beliefs in (
        (risk.accuracy, risk.attacker),
        (risk.learner_accuracy, risk.learner),
    ):
        assert accuracy == pytest.approx(guessed(risk, beliefs.T[risk.tuple_of], true))
    assert risk.gr == pytest.approx(risk.accuracy - risk.learner_accuracy)
    # The same attacker guesses the same, whichever attack counts.
    found = uv.inference(release, table, adversary="conditional-frequency", tolerance=tolerance)
    assert found.accuracy == pytest.approx(risk.accuracy)
    shares = np.tile(table.sensitive_counts / len(table), (len(table), 1))
    assert found.baseline == pytest.approx(guessed(found, shares, true))
    exact = uv.relative_risk(release, table, tolerance=0, ties="fraction")
    assert risk.accuracy > exact.accuracy
    assert f"income ({risk.near.words})" in str(risk.verdict())
    assert f"income ({found.near.words})" in str(found.verdict())
    assert found.facts["tolerance"] == risk.facts["tolerance"] == risk.near.fact
    # Own beliefs are those in values near the own one.
    values = table.sensitive.positions
    off = risk.near.amount * (values[true] if risk.near.of_value else 1)
    near = np.abs(values - values[true][:, None]) <= np.asarray(off).reshape(-1, 1) * (1 + 1e-12)
    own = (risk.attacker.T[risk.tuple_of] * near).sum(axis=1)
    np.testing.assert_allclose(risk.under_attacker.of_truth, own)
    np.testing.assert_allclose(found.inside.beliefs, own)


def test_definetti_guesses_within_the_tolerance():
    table = people(90)
    release = uv.Anatomy(l=3).sanitize(table)
    found = uv.definetti(release, table, tolerance="10%")
    beliefs = [found.belief_about(one)["reweighted"].to_numpy() for one in range(len(table))]
    assert found.reweighted.accuracy == pytest.approx(
        guessed(found, beliefs, table.sensitive.codes)
    )
    assert found.reweighted.accuracy > uv.definetti(release, table, tolerance=0).reweighted.accuracy
    assert "right (within 10%), compared" in str(found.verdict())
    with pytest.raises(InputError, match="without the original no guess can be checked"):
        uv.definetti(release, tolerance="10%")
    with pytest.raises(InputError, match="without the original no guess can be checked"):
        uv.relative_risk(release, tolerance="10%")


@pytest.mark.parametrize("tolerance", ["30%", 4000, 0])
def test_linkage_and_composition_to_numbers_that_one_guess_is_near_to(tolerance):
    table = people(120, seed=3)
    releases = [uv.Mondrian(k=k).sanitize(table) for k in (2, 3)]
    linked = uv.linkage(releases[0], table, microdata=table, tolerance=tolerance)
    both = uv.composition(releases, table, tolerance=tolerance)
    values, true = table.sensitive.values, table.sensitive.codes
    relative = isinstance(tolerance, str)

    def plain(candidates, own):
        """Whether one guess fits all, and the share of the candidates that are near the own."""
        x = np.asarray(candidates, dtype=float)
        off = 0.3 * x if relative else np.full(len(x), float(tolerance))
        one = (x - off).max() <= (x + off).min() * (1 + 1e-12)
        within = 0.3 * own if relative else tolerance
        return one, float(np.mean(np.abs(x - own) <= within * (1 + 1e-12)))

    for one in range(len(table)):
        mine = linked.candidates_of(one)
        each = np.repeat(mine["value"].to_numpy(dtype=float), mine["records"])
        fits, share = plain(each, values[true[one]])
        assert linked.one_value[one] == fits
        assert linked.right.value[one] == pytest.approx(share)
        left = both.candidates_of(one)
        left = left[left["together"] > 0]["value"].astype(float)
        assert both.determined[one] == plain(left, values[true[one]])[0]
        shown = both.to_frame()["income"][one]
        assert (shown is not None) == both.determined[one]
        if both.determined[one]:
            assert shown in (f"{left.min():g} to {left.max():g}", f"{left.min():g}") or (
                [float(x) for x in shown.split(" to ")] == sorted({left.min(), left.max()})
            )
    assert linked.one_value_right == linked.one_value.sum()  # everybody is in it
    assert linked.figures[1].value == linked.one_value.mean()
    assert both.figures[0].value == both.determined.mean()
    if tolerance:
        assert linked.one_value.any()
        assert both.determined.sum() > 0
        assert not linked.one_value.all()


def test_numbers_that_are_near_each_other_are_certain_for_minimality():
    table = uv.read_table(
        {"age": [20, 21, 60, 61], "income": [50_000.0, 50_010.0, 10.0, 90_000.0]},
        quasi="age", sensitive="income",
    )  # fmt: skip
    near, exact = (uv.minimality(uv.Mondrian(k=2), table, tolerance=t) for t in (10, 0))
    assert near.determined.tolist() == [True, True, False, False]
    assert near.determined_before.tolist() == [True, True, False, False]
    assert not exact.determined.any()
    np.testing.assert_allclose(near.believed_own, [1, 1, 0.5, 0.5])
    np.testing.assert_allclose(exact.believed_own, 0.5)
    np.testing.assert_allclose(near.released_own, near.believed_own)
    # What was promised is about single values.
    assert np.array_equal(near.above, exact.above)


def test_words_are_guessed_as_before():
    table = people(sensitive="vote")
    release = uv.Mondrian(k=5).sanitize(table)
    for found in (uv.inference(release, table), uv.relative_risk(release, table),
                  uv.linkage(release, table, microdata=table)):  # fmt: skip
        assert found.near.is_exact
        assert found.facts["tolerance"] is None
        assert not [note for note in found.notes if "guess" in str(note)]
    with pytest.raises(InputError, match="'vote' is categorical; leave it out"):
        uv.inference(release, table, tolerance=1)


def test_the_same_error_in_python_and_shell(tmp_path):
    table = people()
    for wrong in ("near", "-5%", "120%", -1, float("nan")):
        for attack in (uv.inference, uv.relative_risk, uv.definetti):
            with pytest.raises(InputError, match=WORDS):
                attack(uv.Mondrian(k=5).sanitize(table), table, tolerance=wrong)
        with pytest.raises(InputError, match=WORDS):
            uv.audit(table, "mondrian:k=5", tolerance=wrong)
    file = tmp_path / "people.csv"
    pd.DataFrame(columns()).to_csv(file, index=False)
    roles = ("--quasi", "age,town", "--sensitive", "income", "--sanitizer", "mondrian:k=5")
    for command in ("inference", "relative-risk", "audit", "linkage"):
        failed = run(command, file, *roles, "--tolerance", "near", code=2)
        said = " ".join((failed.stdout + failed.stderr).split())
        assert f"--tolerance near is not possible: it {WORDS}" in said or (
            "--tolerance" in said and WORDS in said
        )


def test_shell_python_and_project_agree(tmp_path):
    file, out = tmp_path / "people.csv", tmp_path / "out.json"
    pd.DataFrame(columns()).to_csv(file, index=False)
    table = uv.read_csv(file, quasi=["age", "town"], sensitive="income")
    run("inference", file, "--quasi", "age,town", "--sensitive", "income", "--sanitizer",
        "mondrian:k=5", "--tolerance", "8%", "--json", out)  # fmt: skip
    (shell,) = json.loads(out.read_text(encoding="utf-8"))["findings"]
    python = uv.inference(uv.Mondrian(k=5), table, tolerance="8%")
    assert shell["accuracy"] == pytest.approx(python.accuracy)
    assert shell["tolerance"] == {"amount": 0.08, "of_value": True, "unit": None}
    roles = {"age": Role.QUASI, "town": Role.QUASI, "income": Role.SENSITIVE,
             "vote": Role.SENSITIVE}  # fmt: skip
    project = Project(
        data=Data(file="people.csv"), roles=roles, tolerance="8%", folder=tmp_path,
        releases=(ReleaseAsked(sanitizer="mondrian:k=5"),),
        attacks=("inference", "relative-risk", "linkage"),
    )  # fmt: skip
    again = Project.read(project.write(tmp_path / "unveil.toml"))
    assert again.tolerance == "8%"
    audits = again.audit(), uv.audit(
        [uv.read_csv(file, quasi=["age", "town"], sensitive=s) for s in ("income", "vote")],
        "mondrian:k=5", attacks=["inference", "relative-risk", "linkage"], tolerance="8%",
    )  # fmt: skip
    for audit in audits:
        for secret in audit.secrets:
            numeric = secret.microdata.sensitive.name == "income"
            (release,) = secret.audited
            guessing = {"inference", "relative-risk", "linkage"}
            assert release.looked.keys() - guessing == {"identifiers"}  # which is always looked at
            for finding in (release.looked[name].finding for name in guessing):
                assert (finding.near.words == "within 8%") == numeric
            if numeric:
                assert release.looked["inference"].finding.accuracy > 0.1
    run("audit", "--project", tmp_path / "unveil.toml", "--tolerance", "20%", "--json", out)
    assert "within 20%" in out.read_text(encoding="utf-8")
    assert "within 8%" not in out.read_text(encoding="utf-8")
