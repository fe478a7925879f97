"""Exact answers: the printed values, every table behind small releases, and disjoint sets."""

import malaysian
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given
from plain_risk import plain_answer, tables_behind
from proofs import examples
from random_risks import problems
from scipy import integrate
from scipy.special import hyp2f1

import unveil as uv
from unveil.attacks.relative_risk import (
    LIKELIHOODS,
    _domain,
    _expectations,
    attacker,
    exact_answer,
    given_tuple,
    horizontal_problem,
    is_settled,
    joint_learner,
    vertical_problem,
)
from unveil.attacks.relative_risk._expectations import Part, Ratios

OTHERS = ("Diabetes", "HIV", "Stomach")


def about(problem, answer, microdata, **victim):
    """What is found about one victim: disease → (p_A, eq. 4, eq. 5)."""
    codes = [column.places[victim[column.name]] for column in microdata.quasi]
    which = np.flatnonzero((problem.watched == np.array(codes)[:, None]).all(axis=0))
    learned = given_tuple(joint_learner(problem, answer.density))
    tables = (attacker(answer.rows), learned, answer.conditional)
    columns = zip(*(table[:, which[0]] for table in tables), strict=True)
    return dict(zip(microdata.sensitive.texts, columns, strict=True))


def malaysian_victim(quasi, likelihood="saturated", make=None, **options):
    table = malaysian.patients(*quasi)
    problem = (make or horizontal_problem)(
        malaysian.recoded(*quasi) if make is None else malaysian.anatomized(*quasi),
        table, **options,
    )  # fmt: skip
    answer = exact_answer(problem, likelihood, conditional=True)
    victim = {"nationality": "Malaysia", "zip": "45501"}
    return about(problem, answer, table, **{name: victim[name] for name in quasi})


def test_whole_tuples_leave_a_malaysian_even():
    found = malaysian_victim(("nationality", "zip"))
    assert found["Heart"] == pytest.approx((1 / 2, 297 / 1097, 0.264874), abs=5e-7)
    assert found["Flu"] == pytest.approx((1 / 2, 360 / 1097, 0.313735), abs=5e-7)
    for disease in OTHERS:
        assert found[disease] == pytest.approx((0, 440 / 3291, 0.140464), abs=5e-7)


def test_nationality_alone_links_a_malaysian():
    found = malaysian_victim(("nationality",))
    assert found["Heart"] == pytest.approx((6 / 11, 77 / 241, 0.312254), abs=5e-7)
    assert found["Flu"] == pytest.approx((5 / 11, 80 / 241, 0.320994), abs=5e-7)
    for disease in OTHERS:
        assert found[disease] == pytest.approx((0, 28 / 241, 0.122251), abs=5e-7)


@pytest.mark.parametrize("domain", ["observed", "product", "covered"])
def test_naive_bayes_links_a_malaysian(domain):
    found = malaysian_victim(("nationality", "zip"), "naive-bayes", domain=domain)
    assert found["Heart"][0] == pytest.approx(7 / 12, abs=1e-12)
    assert found["Flu"][0] == pytest.approx(5 / 12, abs=1e-12)


def test_anatomy_with_naive_bayes_links_a_malaysian_more():
    found = malaysian_victim(("nationality", "zip"), "naive-bayes", vertical_problem)
    assert found["Heart"][0] == pytest.approx(2 / 3, abs=1e-12)
    even = malaysian_victim(("nationality", "zip"), "saturated", vertical_problem)
    assert even["Heart"][0] == pytest.approx(1 / 2, abs=1e-12)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@given(problem=problems(most_rows=5))
@examples(30, suppress_health_check=[HealthCheck.too_slow])
def test_every_table_behind_the_release_is_counted(problem, likelihood):
    assume(sum(1 for _ in zip(tables_behind(problem), range(1000), strict=False)) < 1000)
    answer = exact_answer(problem, likelihood, conditional=True, steps=10**6)
    rows, density = plain_answer(problem, likelihood)
    np.testing.assert_allclose(answer.rows, rows, atol=1e-12)
    np.testing.assert_allclose(answer.density, density, rtol=1e-10)
    np.testing.assert_allclose(answer.conditional.sum(axis=0), 1, atol=1e-9)
    assert answer.rows.sum() <= problem.totals.sum() + 1e-9


@pytest.mark.parametrize("shapes", [
    [(3.0, 1.0, 4.0), (1.0, 2.0, 2.5)], [(0.5, 0.3, 2.0), (4.0, 1.3, 9.0), (1.5, 2.0, 0.7)],
    [(1.0, 0.1, 0.9), (1.0, 0.1, 0.9)],
])  # fmt: skip
def test_expected_ratios_against_an_integral_of_hypergeometric_functions(shapes):
    """E[exp(-tGX)] is 2F1(c, a; a + b; -t) for a Gamma(c) and a Beta(a, b) variable."""
    laws = [(c, ((a, b),)) for c, a, b in shapes]
    parts = [Part([s], np.ones(1), [[law]]) for s, law in enumerate(laws)]
    found = Ratios(set(laws)).of(parts, len(laws))

    def integrand(x, s):
        t = np.exp(x)
        value = t
        for u, (c, a, b) in enumerate(shapes):
            if u == s:
                value *= c * a / (a + b) * hyp2f1(c + 1, a + 1, a + b + 1, -t)
            else:
                value *= hyp2f1(c, a, a + b, -t)
        return value

    for s in range(len(laws)):
        whole = integrate.quad(integrand, -30, 130, args=(s,), limit=2000, epsabs=1e-11)[0]
        assert found[s] == pytest.approx(whole, abs=1e-8)
    assert found.sum() == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("small", [1e-6, 1e-3, 0.02, 1.0, 300.0])
def test_expected_ratios_that_are_known_however_small_the_prior(small):
    """Gamma(a + b) times Beta(a, b) is Gamma(a), and these have the shares of their shapes."""
    shapes = [small, 3 * small, 0.7, 5000.0]
    laws = [
        (small + 0.4, ((small, 0.4),)),
        (3 * small + 7.0, ((3 * small + 2.0, 5.0), (3 * small, 2.0))),
        (0.7, ()),
        (5000.0 + small, ((5000.0, small),)),
    ]
    for some in ([0, 1], [0, 2], [0, 1, 2], [1, 3], [0, 1, 2, 3]):
        parts = [Part([i], np.ones(1), [[laws[s]]]) for i, s in enumerate(some)]
        found = Ratios({laws[s] for s in some}).of(parts, len(some))
        expected = np.array([shapes[s] for s in some])
        np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-10)


def test_mixed_parts_against_draws():
    """Values whose latent rows hang together, and more than one Beta variable."""
    rng = np.random.default_rng(5)
    states = [[(2.0, ((1.0, 2.0), (3.0, 1.0))), (4.0, ((2.0, 2.0), (0.5, 3.0)))],
              [(2.0, ((2.0, 1.0), (1.0, 3.0))), (4.0, ((1.0, 3.0), (2.5, 1.0)))]]  # fmt: skip
    alone = (3.0, ((0.7, 1.0),))
    parts = [Part([0, 2], np.array([0.3, 0.7]), states), Part([1], np.ones(1), [[alone]])]
    found = Ratios({alone, *states[0], *states[1]}).of(parts, 3)
    n = 400_000
    which = rng.random(n) < 0.7

    def drawn(law):
        shape, betas = law
        return rng.gamma(shape, size=n) * np.prod([rng.beta(a, b, n) for a, b in betas], axis=0)

    y = np.stack([
        np.where(which, drawn(states[1][0]), drawn(states[0][0])), drawn(alone),
        np.where(which, drawn(states[1][1]), drawn(states[0][1])),
    ])  # fmt: skip
    shares = y / y.sum(axis=0)
    assert np.abs(found - shares.mean(axis=1)).max() < 5 * shares.std() / np.sqrt(n)
    assert found.sum() == pytest.approx(1, abs=1e-10)


def test_disjoint_sets_need_no_sampling_at_any_size():
    rng = np.random.default_rng(3)
    n = 2000
    survey = uv.read_table(
        {"age": rng.integers(18, 90, n), "town": rng.integers(0, 30, n),
         "vote": rng.choice(list("abc"), n)},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip
    release = uv.Mondrian(k=4, regions="cut").sanitize(survey)
    for domain in ("observed", "product", "covered"):
        problem = horizontal_problem(release, survey, domain=domain, alpha=2.0, beta=0.5)
        assert is_settled(problem, "saturated")
        answer = exact_answer(problem, steps=0)
        believed = attacker(answer.rows)[:, problem.domain.find(survey.codes)]
        groups = release.class_of
        share = release.counts[groups] / release.sizes[groups][:, None]
        np.testing.assert_allclose(believed, share.T, atol=1e-12)
    assert exact_answer(problem, "naive-bayes", steps=1000) is None


def test_sets_of_one_sensitive_value_alone_have_to_be_disjoint():
    """Groups overlap, but no two that overlap have a sensitive value in common."""
    survey = uv.read_table(
        {"age": [1, 2, 2, 3, 3, 3], "vote": list("aabbcc")}, quasi="age", sensitive="vote",
        categorical="age",
    )  # fmt: skip
    release = uv.read_release(
        {"age": ["{1, 2}", "{1, 2}", "{2, 3}", "{2, 3}", "*", "*"], "vote": list("aabbcc")}, survey
    )
    problem = horizontal_problem(release, survey)
    assert is_settled(problem, "saturated")
    answer = exact_answer(problem, steps=0, conditional=True)
    expected = [[1, 1, 0], [0, 1, 1], [2 / 3, 2 / 3, 2 / 3]]
    np.testing.assert_allclose(answer.rows, expected, atol=1e-12)
    np.testing.assert_allclose(answer.rows, plain_answer(problem, "saturated")[0], atol=1e-12)


def test_more_than_can_be_written_down_is_not_tried():
    problem = horizontal_problem(
        malaysian.recoded("nationality"), malaysian.patients("nationality")
    )
    assert exact_answer(problem, steps=3) is None
    assert exact_answer(problem, "naive-bayes", steps=3) is None
    assert exact_answer(problem) is not None


def test_nothing_is_written_down_where_the_ways_are_too_many(monkeypatch):
    """Rows that may have any of many tuples: as with records that are suppressed."""
    survey = uv.read_table(
        {"town": [*range(40), *range(60)], "vote": ["a"] * 100}, quasi="town", sensitive="vote",
        categorical="town",
    )  # fmt: skip
    towns = [str(town) for town in range(60)] + ["*"] * 40
    release = uv.read_release({"town": towns, "vote": ["a"] * 100}, survey)
    problem = horizontal_problem(release, survey)
    tried = []
    monkeypatch.setattr(
        _expectations, "_rows_within", lambda n, limits: tried.append(n) or iter(())
    )
    assert exact_answer(problem) is None
    assert not tried


def test_disjoint_boxes_need_no_sampling_however_large_they_are(monkeypatch):
    """The same answer whether or not the tuples of boxes are written out."""
    rng = np.random.default_rng(4)
    n = 300
    survey = uv.read_table(
        {"age": rng.integers(18, 40, n), "town": rng.integers(0, 12, n),
         "vote": rng.choice(list("abc"), n)},
        quasi=["age", "town"], sensitive="vote",
    )  # fmt: skip
    release = uv.Mondrian(k=20, regions="cut").sanitize(survey)

    def posed(release):
        return horizontal_problem(release, survey, domain="product", beta=0.3).watching(
            survey.codes[:, :40]
        )

    written = posed(release)
    monkeypatch.setattr(_domain, "_MOST_NUMBERED", 0)
    large = posed(release)
    assert large.members is None
    assert is_settled(large, "saturated")
    expected, found = (exact_answer(p, conditional=True) for p in (written, large))
    for name in ("rows", "density", "conditional"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-10)
    overlapping = uv.Mondrian(k=20, regions="tight").sanitize(survey)
    loose = uv.read_release(
        {"age": ["*"] * 20 + ["18"] * (n - 20), "town": ["*"] * n,
         "vote": survey.sensitive.decode()}, survey,
    )  # fmt: skip
    assert is_settled(posed(overlapping), "saturated")
    assert not is_settled(posed(loose), "saturated")
    assert exact_answer(posed(loose)) is None
