"""Anatomy's two tables, from their files to the attacker and the learner."""

import re
from dataclasses import replace

import malaysian
import numpy as np
import pytest
from chain_means import assert_chains_find, chain_means
from plain_risk import plain_answer

import unveil as uv
from unveil.attacks.relative_risk import (
    LIKELIHOODS,
    attacker,
    exact_answer,
    given_tuple,
    joint_learner,
    vertical_problem,
)
from unveil.attacks.relative_risk.samplers import ALGORITHMS, sampler_for
from unveil.errors import InputError

COLUMNS = ("nationality", "zip")
PATIENTS = malaysian.patients(*COLUMNS)
ANATOMIZED = malaysian.anatomized(*COLUMNS)
VICTIM = ("Malaysia", "45501")

QUASI_TABLE = """\
group,nationality,zip
1,Malaysia,45501
1,Japan,45502
2,Japan,55503
2,Japan,55504
3,China,66601
3,Japan,66601
4,India,77701
4,Malaysia,77701
"""
SENSITIVE_TABLE = """\
group,disease,count
1,Heart,1
1,Flu,1
2,Flu,1
2,Stomach,1
3,HIV,1
3,Diabetes,1
4,Flu,1
4,Heart,1
"""


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "records.csv", tmp_path / "diseases.csv"
    for path, text in zip(paths, (QUASI_TABLE, SENSITIVE_TABLE), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def read(files, microdata=None):
    """The release, with the original or without it."""
    if microdata is not None:
        return uv.read_anatomy(*files, microdata=microdata)
    return uv.read_anatomy(*files, categorical=list(COLUMNS))


def believed(problem, release, answer):
    """Of the victim, disease → (p_A, p_L by eq. 4)."""
    codes = [column.places[text] for column, text in zip(release.quasi, VICTIM, strict=True)]
    which = np.flatnonzero(np.equal(problem.watched.T, codes).all(axis=1))[0]
    tables = attacker(answer.rows), given_tuple(joint_learner(problem, answer.density))
    both = zip(*(table[:, which] for table in tables), strict=True)
    return dict(zip(release.sensitive.texts, both, strict=True))


# Eq. 4 of the saturated model hangs on how many tuples there are; naive Bayes does not.
MALAYSIAN = {
    ("saturated", "observed"): {
        "Heart": (1 / 2, 297 / 1097), "Flu": (1 / 2, 360 / 1097), "HIV": (0, 440 / 3291),
    },
    ("saturated", "product"): {
        "Heart": (1 / 2, 2025 / 7433), "Flu": (1 / 2, 2600 / 7433), "HIV": (0, 936 / 7433),
    },
    ("naive-bayes", "observed"): {
        "Heart": (2 / 3, 945 / 2233), "Flu": (1 / 3, 640 / 2233), "HIV": (0, 216 / 2233),
    },
}  # fmt: skip
MALAYSIAN["saturated", "covered"] = MALAYSIAN["saturated", "observed"]
for other in ("product", "covered"):
    MALAYSIAN["naive-bayes", other] = MALAYSIAN["naive-bayes", "observed"]


@pytest.mark.parametrize("original", [None, PATIENTS], ids=["alone", "with the original"])
@pytest.mark.parametrize(("likelihood", "domain"), MALAYSIAN)
def test_from_two_files_to_a_malaysian(files, likelihood, domain, original):
    release = read(files, original)
    problem = vertical_problem(release, original, domain=domain)
    answer = exact_answer(problem, likelihood)
    found = believed(problem, release, answer)
    expected = MALAYSIAN[likelihood, domain]
    assert {disease: found[disease] for disease in expected} == {
        disease: pytest.approx(numbers, abs=1e-12) for disease, numbers in expected.items()
    }
    assert found["Stomach"] == found["Diabetes"] == pytest.approx(expected["HIV"], abs=1e-12)
    rows, density = plain_answer(problem, likelihood)
    np.testing.assert_allclose(answer.rows, rows, atol=1e-12)
    np.testing.assert_allclose(answer.density, density, rtol=1e-12)


def test_the_other_learner_is_not_that_of_local_recoding():
    """Eq. 5 hangs on how rows go together, and here a Japanese has what the Malaysian has not."""
    problem = vertical_problem(ANATOMIZED, PATIENTS)
    shares = exact_answer(problem, conditional=True).conditional
    codes = [column.places[text] for column, text in zip(PATIENTS.quasi, VICTIM, strict=True)]
    found = shares[:, problem.domain.find(np.array(codes)[:, None])[0]]
    expected = {"Heart": 0.269075, "Flu": 0.317178, "HIV": 0.137916}
    for disease, share in expected.items():
        assert found[PATIENTS.sensitive.places[disease]] == pytest.approx(share, abs=5e-7)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_from_two_files_by_every_sampler(files, likelihood, algorithm):
    problem = vertical_problem(read(files))
    answer = exact_answer(problem, likelihood, conditional=True)
    sampler = sampler_for(problem, likelihood, algorithm)
    chains = chain_means(problem, sampler, kept=400, thin=4, conditional="watched")
    assert_chains_find(answer, chains)


def test_a_release_that_was_written_is_the_same_problem(tmp_path):
    ANATOMIZED.write(tmp_path)
    again = uv.read_anatomy(tmp_path, microdata=PATIENTS)
    ours, theirs = (vertical_problem(one, PATIENTS) for one in (ANATOMIZED, again))
    for name in ("counts", "start", "tuples", "watched"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_its_tuples_are_known_without_the_original():
    for microdata in (None, PATIENTS):
        problem = vertical_problem(ANATOMIZED, microdata)
        assert problem.domain.size == 8
        for g in range(4):
            numbers = problem.tuples[problem.start[g] : problem.start[g + 1]]
            here = PATIENTS.codes[:, np.equal(malaysian.GROUPS, g)]
            assert sorted(problem.domain.codes[:, numbers].T.tolist()) == sorted(here.T.tolist())
    assert vertical_problem(ANATOMIZED, domain="product").domain.size == 24


def test_groups_come_in_any_order():
    """A release made by hand need not have its records sorted by group."""
    order = np.array([7, 0, 4, 2, 1, 6, 3, 5])
    shuffled = replace(
        ANATOMIZED, quasi=tuple(column.take(order) for column in ANATOMIZED.quasi),
        group_of=ANATOMIZED.group_of[order],
    )  # fmt: skip
    for likelihood in LIKELIHOODS:
        ours, theirs = (
            exact_answer(vertical_problem(one), likelihood, conditional=True)
            for one in (ANATOMIZED, shuffled)
        )
        np.testing.assert_allclose(theirs.rows, ours.rows, atol=1e-12)
        np.testing.assert_allclose(theirs.conditional, ours.conditional, atol=1e-9)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_a_group_without_records_changes_nothing(files, likelihood):
    files[1].write_text(SENSITIVE_TABLE + "5,Flu,0\n", encoding="utf-8")
    release = read(files)
    assert release.sizes.tolist() == [2, 2, 2, 2, 0]
    problem, without = vertical_problem(release), vertical_problem(ANATOMIZED)
    answer = exact_answer(problem, likelihood, conditional=True)
    expected = exact_answer(without, likelihood, conditional=True)
    np.testing.assert_allclose(answer.rows, expected.rows, atol=1e-12)
    np.testing.assert_allclose(answer.conditional, expected.conditional, atol=1e-12)
    for algorithm in ALGORITHMS:
        sampler = sampler_for(problem, likelihood, algorithm)
        _, info = sampler.kernel(problem, sampler.init(problem, 1), kept=3)
        np.testing.assert_allclose(info.answer.rows.sum(axis=1), problem.totals, atol=1e-9)


def trouble(message):
    return pytest.raises(InputError, match=f"^{re.escape(message)}")


def test_records_that_are_left_out_must_be_said_to_be(files):
    fewer = uv.Permuted.from_groups(PATIENTS.take(range(6)), malaysian.GROUPS[:6])
    assert vertical_problem(fewer).domain.size == 6
    assert vertical_problem(replace(fewer, dropped=2), PATIENTS).domain.size == 8
    assert vertical_problem(replace(fewer, dropped=2), PATIENTS, domain="covered").domain.size == 6
    with trouble("the release by somebody has 6 records, table has 8, and the release does not say "
                 "that records were dropped: if they were, read it with unveil.read"):  # fmt: skip
        vertical_problem(fewer, PATIENTS)
    for path, text in zip(files, (QUASI_TABLE, SENSITIVE_TABLE), strict=True):
        path.write_text("".join(text.splitlines(keepends=True)[:7]), encoding="utf-8")
    assert vertical_problem(read(files, PATIENTS), PATIENTS).domain.size == 8


def test_release_and_table_must_fit():
    with trouble("the release by Anatomy has 8 records, where table has 7: it is not a release"):
        vertical_problem(ANATOMIZED, PATIENTS.take(range(7)))
    with trouble("the release by Anatomy has 1 record with nationality 'Japan', zip '45502', where "
                 "table has none: it is not a release of this table"):  # fmt: skip
        vertical_problem(ANATOMIZED, PATIENTS.take([0, 0, 2, 3, 4, 5, 6, 7]))
    with trouble("the release by Anatomy is not one of table: their columns or values differ"):
        vertical_problem(ANATOMIZED, malaysian.patients("nationality"))
    cured = uv.read_table(
        {**malaysian.PATIENTS, "disease": ["Flu", *malaysian.PATIENTS["disease"][1:]]},
        quasi=list(COLUMNS), sensitive="disease", categorical=list(COLUMNS),
    )  # fmt: skip
    with trouble("the release by Anatomy has 2 records with disease 'Heart', where table has 1: it "
                 "is not a release of this table"):  # fmt: skip
        vertical_problem(ANATOMIZED, cured)
