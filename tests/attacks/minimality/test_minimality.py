"""Minimality: worlds of which the real sanitizer makes the same release, by hand and by force."""

import re
from dataclasses import replace
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_recoding import recodable_tables
from proofs import examples

import unveil as uv
from unveil.attacks.minimality import _minimality, _solving
from unveil.attacks.minimality._attempts import Attempt, binding, components, tried
from unveil.attacks.minimality._solving import (
    Tries,
    _averaged,
    _drawn,
    _walked,
    put_together,
    solved,
)
from unveil.errors import GoalError, InputError, View, shown

# Two have HIV; six are cut between 30 and 60 if both parts have no disease in more than a half.
CLINIC = uv.read_table(
    {
        "age": [20, 30, 60, 60, 60, 60],
        "disease": ["HIV", "HIV", "Flu", "Cold", "Gout", "Mumps"],
    },
    quasi="age", sensitive="disease",
)  # fmt: skip


def with_secrets(table, secrets):
    own = table.sensitive
    return replace(
        table,
        columns=tuple(replace(c, codes=secrets) if c is own else c for c in table.columns),
    )


def by_force(sanitizer, table, most=400):
    """Beliefs by the definition, and the share of worlds kept; None if there are too many."""
    release = sanitizer.sanitize(table)
    people = [np.flatnonzero(release.class_of == g) for g in range(release.n_classes)]
    if any(len(some) > 6 for some in people):
        return None
    own = table.sensitive.codes
    ways = [sorted(set(permutations(own[some].tolist()))) for some in people]
    if prod(map(len, ways)) > most:
        return None
    kept, total = 0, 0
    number = np.zeros((len(table), table.sensitive.size))
    for world in product(*ways):
        secrets = own.copy()
        for some, given_to in zip(people, world, strict=True):
            secrets[some] = given_to
        other = sanitizer.sanitize(with_secrets(table, secrets))
        total += 1
        if (
            other.class_of.tolist() == release.class_of.tolist()
            and other.cells() == release.cells()
            and other.notes == release.notes
        ):
            kept += 1
            number[np.arange(len(table)), secrets] += 1
    return number / kept, kept / total


# By hand


def test_a_class_that_had_to_be_joined():
    """Of 180 worlds / the 2 in 30 in which both HIV are young are kept: P = 1/15."""
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC)
    assert finding.release.n_classes == 1
    assert finding.kept == pytest.approx(1 / 15)
    assert finding.released_own.tolist() == [1 / 3, 1 / 3, 1 / 6, 1 / 6, 1 / 6, 1 / 6]
    assert finding.believed_own == pytest.approx([1, 1, 1 / 4, 1 / 4, 1 / 4, 1 / 4])
    assert finding.determined.tolist() == [True, True, False, False, False, False]
    assert finding.excluded.tolist() == [4, 4, 1, 1, 1, 1]
    assert finding.above.tolist() == [True, True, False, False, False, False]
    assert not finding.above_before.any()
    assert finding.change == pytest.approx([2 / 3] * 2 + [1 / 3] * 4)
    assert finding.kept == pytest.approx(by_force(uv.Mondrian(l=2), CLINIC, 400)[1])


def test_a_refusal_that_tells_nothing():
    """ℓ = 2 of six, three by three: one half has two with HIV, of three people."""
    table = uv.read_table(
        {"age": [1, 2, 3, 4, 5, 6], "s": ["HIV", "HIV", "a", "HIV", "b", "c"]},
        quasi="age", sensitive="s",
    )  # fmt: skip
    finding = uv.minimality(uv.Mondrian(l=2), table)
    # All three in one half, or two: every world is kept, for three fall into two halves.
    assert finding.kept == 1
    assert finding.change.max() == pytest.approx(0)
    assert "makes the same release of every world" in finding.verdict()


def test_k_alone_tells_nothing():
    survey = uv.datasets.election_survey()
    finding = uv.minimality(uv.Mondrian(k=5), survey)
    assert finding.kept == 1
    assert (finding.believed_own == finding.released_own).all()
    assert "sizes of classes alone" in finding.verdict()
    assert re.search(r"people above what was promised +– +–\n", repr(finding))
    towns = uv.Recoding(k=3, suppression=0.2)
    assert uv.minimality(towns, survey.take(range(60))).change.max() == 0


def test_a_goal_about_sizes_alone_runs_nothing(monkeypatch):
    survey = uv.datasets.election_survey()
    monkeypatch.setattr(_minimality, "_by_running", None)
    finding = uv.minimality(uv.Recoding(k=5, scheme="local"), survey)
    assert finding.change.max() == 0
    assert "sizes of classes alone" in finding.verdict()


def test_what_is_published_as_it_is_is_certain_already(monkeypatch):
    survey = uv.datasets.election_survey()
    monkeypatch.setattr(_minimality, "_by_running", None)
    finding = uv.minimality(uv.Identity(), survey)
    alone = (finding.released_most == 1).sum()
    assert finding.determined.sum() == alone > 900
    assert finding.change.max() == 0
    assert "published as it is" in finding.verdict()
    assert finding.verdict("ours").startswith("Under ours, how the sanitizer works tells nothing")


def test_a_recoding_that_had_to_be_coarser():
    """Publishing the sex would have been fine by size; the women all have HIV."""
    table = uv.read_table(
        {"sex": list("FFMMMM"), "s": ["HIV", "HIV", "a", "b", "c", "d"]}, quasi="sex", sensitive="s"
    )
    finding = uv.minimality(uv.Recoding(l=2), table)
    assert finding.determined.tolist() == [True, True, False, False, False, False]
    assert "did not publish sex at level 0" in finding.why(0)


# By force


@st.composite
def goals(draw, table, *, suppression):
    secret, options = table.sensitive, {}
    asked = draw(st.sampled_from(["l", "kl", "t", "kt", "klt"]))
    if "k" in asked:
        options["k"] = draw(st.integers(1, 3))
    if "l" in asked:
        options["l"] = draw(st.integers(2, 3))
    if "t" in asked:
        options["t"] = draw(st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.5]))
        distances = [None, "equal"]
        distances += ["ordered"] if secret.is_ordered else []
        distances += ["hierarchical"] if secret.hierarchy is not None else []
        options["t_distance"] = draw(st.sampled_from(distances))
    if suppression:
        options["suppression"] = draw(st.sampled_from([0.0, 0.2, 0.4]))
        options["loss"] = draw(st.sampled_from(["values", "width"]))
    else:
        options["regions"] = draw(st.sampled_from(["tight", "cut"]))
    return options


@examples(40, derandomize=True)
@given(st.data(), recodable_tables(8), st.booleans())
def test_like_running_the_sanitizer_on_all_worlds(data, table, recoded):
    options = data.draw(goals(table, suppression=recoded))
    sanitizer = (uv.Recoding if recoded else uv.Mondrian)(**options)
    try:
        plain = by_force(sanitizer, table)
    except GoalError:
        plain = None
    assume(plain is not None)
    finding = uv.minimality(sanitizer, table)
    assert finding.belief[finding.group_of] == pytest.approx(plain[0], abs=1e-9)
    assert finding.kept == pytest.approx(plain[1])
    assert finding.path == "fast"
    assert (finding.believed_own > 0).all()


def test_crowds_tell_nothing_of_secrets():
    """A part that is too small for a member's crowd is refused in all worlds."""
    for crowd in (2, 4):
        sanitizer = uv.Mondrian(l=2, crowds={(20,): crowd})
        finding = uv.minimality(sanitizer, CLINIC)
        plain = by_force(sanitizer, CLINIC, 400)
        assert finding.belief[finding.group_of] == pytest.approx(plain[0])
        assert finding.determined.any() == (crowd == 2)


@pytest.mark.parametrize("sanitizer", [uv.Mondrian(l=2), uv.Recoding(l=2, scheme="local")])
def test_any_sanitizer_is_run(sanitizer):
    finding = uv.minimality(sanitizer, CLINIC, path="general")
    beliefs, kept = by_force(sanitizer, CLINIC, 400)
    assert finding.belief[finding.group_of] == pytest.approx(beliefs)
    assert finding.kept == pytest.approx(kept)
    assert finding.path == "general"


def test_worlds_that_are_drawn_by_running():
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC, path="general", draws=200)
    assert finding.people_by("drawn") == 6
    assert (finding.error_of > 0).all()
    exact = by_force(uv.Mondrian(l=2), CLINIC, 400)[0]
    off = np.abs(finding.belief - exact).max(axis=1)
    assert (off < 5 * finding.error_of).all()


# Each class alone


def by_force_alone(sanitizer, table):
    """Beliefs of who looks at one class at a time: its own worlds, by what was refused within it.

    For Mondrian with ℓ. Whoever is not in the class has the secret that is published for the class
    they are in; an attempt counts that can come out otherwise only by who has what in this class.
    """
    release = sanitizer.sanitize(table)
    attempts, own = tried(sanitizer, table)[1], table.sensitive.codes

    def refused(attempt, secrets):
        parts = [secrets[attempt.people[attempt.part_of == p]] for p in range(len(attempt.sizes))]
        return any(
            len(part) < (sanitizer.k or 1) or np.bincount(part).max() * sanitizer.l > len(part)
            for part in parts
        )

    def with_these(secrets, people, way):
        found = secrets.copy()
        found[people] = way
        return found

    beliefs = np.zeros((len(table), table.sensitive.size))
    classes = [np.flatnonzero(release.class_of == g) for g in range(release.n_classes)]
    for people in classes:
        # One that cuts through this class and no other.
        within = [
            attempt
            for attempt in attempts
            if all(
                len(set(attempt.part_of[np.isin(attempt.people, some)])) == 1
                for some in classes
                if some is not people and np.isin(some, attempt.people).any()
            )
            and np.isin(people, attempt.people).all()
        ]
        kept = [
            way
            for way in set(permutations(own[people].tolist()))
            if all(refused(attempt, with_these(own, people, way)) for attempt in within)
        ]
        for way in kept:
            beliefs[people, list(way)] += 1 / len(kept)
    return beliefs


@examples(25, derandomize=True)
@given(st.data())
def test_classes_that_are_looked_at_alone(data):
    n = data.draw(st.integers(4, 12))
    column = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    secrets = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    table = uv.read_table(
        {"a": data.draw(column), "b": data.draw(column), "s": data.draw(secrets)},
        quasi=["a", "b"], sensitive="s", categorical=["s"],
    )  # fmt: skip
    sanitizer = uv.Mondrian(k=2, l=2)
    try:
        release = sanitizer.sanitize(table)
    except GoalError:
        assume(False)
    assume(release.sizes.max() <= 6)
    finding = uv.minimality(sanitizer, table, scope="class")
    assert finding.belief[finding.group_of] == pytest.approx(by_force_alone(sanitizer, table))
    whole = uv.minimality(sanitizer, table, scope="all")
    apart = ~finding.looked_at_alone
    assert finding.belief[finding.group_of][apart] == pytest.approx(
        whole.belief[whole.group_of][apart]
    )
    assert not whole.alone.any()


def test_too_many_classes_together_are_looked_at_alone(monkeypatch):
    survey = uv.datasets.election_survey().take(range(0, 944, 4))
    sanitizer = uv.Mondrian(k=3, l=2)
    monkeypatch.setattr(_solving, "_TOGETHER", 1)
    finding = uv.minimality(sanitizer, survey)
    alone = uv.minimality(sanitizer, survey, scope="class")
    assert finding.looked_at_alone.any()
    assert (finding.belief == alone.belief).all()
    assert np.isnan(finding.kept)
    assert "were looked at alone" in finding.verdict()
    assert finding.to_dict()["looked_at_alone"] == finding.looked_at_alone.sum()
    with pytest.raises(InputError, match=r"scope=.* it must be"):
        uv.minimality(sanitizer, survey, scope="classes")
    with pytest.raises(InputError, match="is run on worlds; leave it out"):
        uv.minimality(sanitizer, survey, scope="class", path="general")


# Where worlds are drawn


@pytest.mark.parametrize("goal", [{"l": 2}, {"t": 0.3}, {"k": 2, "l": 2, "t": 0.4}])
def test_drawn_and_walked_worlds_agree_with_all(goal):
    rng = np.random.default_rng(1)
    table = uv.read_table(
        {"a": rng.integers(0, 9, 40), "b": rng.integers(0, 4, 40), "s": rng.integers(0, 3, 40)},
        quasi=["a", "b"], sensitive="s", categorical=["s"],
    )  # fmt: skip
    sanitizer = uv.Mondrian(**goal)
    release = sanitizer.sanitize(table)
    asked, attempts = tried(sanitizer, table)
    bindings = [one for one in (binding(a, release, asked) for a in attempts) if one is not None]
    looked_at = 0
    for one in components(bindings, release, asked):
        exact = solved(one, Tries(steps=10**6, draws=1, seed=0))
        if exact.how != "exact":
            continue
        looked_at += 1
        for how in (_drawn, _walked):
            some = how(one, 20_000, np.random.SeedSequence(3))
            assert np.abs(some.belief - exact.belief).max() < 0.05
            assert some.belief.sum(axis=1) == pytest.approx(1)
            if some.how == "drawn":
                assert some.kept == pytest.approx(exact.kept, abs=0.02)
                assert (np.abs(some.belief - exact.belief).max(axis=1) < 5 * some.error).all()
    assert looked_at > 0


def test_steps_that_are_not_enough():
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC, steps=1, draws=4_000)
    assert finding.people_by("exact") == 0
    assert finding.believed_own[0] == pytest.approx(1, abs=0.06)
    assert not finding.determined.any()
    again = uv.minimality(uv.Mondrian(l=2), CLINIC, steps=1, draws=4_000)
    assert (again.belief == finding.belief).all()
    assert "standard error" in finding.summary()


def test_what_no_chain_came_by_is_not_called_safe():
    shares = np.full((2, 3), 1 / 3)
    found = _averaged(np.zeros((1, 40, 2, 3)), shares)
    assert (found.error == 1).all()
    assert found.rhat == np.inf
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC)
    doubtful = replace(finding, error=np.ones_like(finding.error))
    assert doubtful.unknown.all()
    assert not doubtful.above.any()
    assert "About all 6 nothing could be found out" in doubtful.verdict()


def test_attempts_are_refused_by_size_or_loss():
    attempt = Attempt(
        what="publish", people=np.arange(5), part_of=np.array([0, 0, 1, 1, 1]),
        sizes=np.array([2, 3]), small=np.zeros(2, dtype=bool), extra=np.array([10, 1]), limit=2,
        margin=9,
    )  # fmt: skip
    refused = [attempt.is_refused(np.array(fails)) for fails in product([False, True], repeat=2)]
    assert refused == [False, True, True, True]
    assert not attempt.tells_nothing


# What was published


def test_a_release_read_back(tmp_path):
    sanitizer = uv.Mondrian(k=3, l=2)
    survey = uv.datasets.election_survey().take(range(200))
    path = tmp_path / "released.csv"
    sanitizer.sanitize(survey).to_frame(by_class=True).to_csv(path, index=False)
    release = uv.read_release(path, survey)
    finding = uv.minimality(sanitizer, survey, release=release)
    assert (
        finding.summary().splitlines()[2:]
        == (uv.minimality(sanitizer, survey).summary().splitlines()[2:])
    )
    with pytest.raises(InputError, match=r"not what Mondrian\(k=4\) makes of") as told:
        uv.minimality(uv.Mondrian(k=4), survey, release=release)
    assert "the release has a class" in str(told.value)
    assert "give the goal and options that it was made with" in str(told.value)


def test_a_release_without_the_suppressed():
    table = uv.read_table(
        {"sex": list("FFFM"), "s": ["a", "b", "c", "d"]}, quasi="sex", sensitive="s"
    )
    sanitizer = uv.Recoding(k=2, suppression=0.5)
    frame = sanitizer.sanitize(table).to_frame()
    release = uv.read_release(frame[frame["sex"] != "*"], table)
    with pytest.raises(InputError, match="3 of the 4 records"):
        uv.minimality(sanitizer, table, release=release)


# The finding


def test_what_it_says():
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC)
    assert "for 2 (33%) of 6 people (from the release alone: none)" in finding.verdict()
    said = finding.summary()
    assert "All worlds counted for 6 of 6 people" in said
    assert "the belief that somebody in it has HIV is 100% instead of 33%" in said
    content = finding.to_dict()
    assert content["above"] == 2
    assert content["determined"] == 2
    assert "records" not in content
    each = finding.to_dict(records=True)["records"]
    assert each["likeliest"][0] == "HIV"
    assert finding.to_json()
    assert finding.worst(2)["row"].tolist() == [0, 1]
    assert finding.beliefs_of(0)["believed"].tolist() == pytest.approx([0, 0, 0, 1, 0])
    assert finding.plot().get_title().startswith("How far beliefs move")
    labels = finding.plot(chart=1).get_legend().get_texts()
    assert [text.get_text() for text in labels] == ["the release alone", "and how it was made"]


def test_one_person():
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC)
    table = finding.of_person(0)
    assert str(table.title).startswith("row 1 of table. The class age [20, 60] (6 people): ")
    beliefs = {str(value): belief for value, _, (belief, _) in table.rows}
    assert beliefs == pytest.approx({"Cold": 0, "Flu": 0, "Gout": 0, "HIV": 1, "Mumps": 0})
    report = View("report", smallest=5)
    assert "HIV" not in shown(table.title, report)
    assert "30" not in shown(table.title, report)


def test_nothing_toput_together():
    release = uv.Mondrian(k=2).sanitize(CLINIC)
    found = put_together(release)
    assert found["kept"] == 1.0
    assert found["components"] == 0


# Bad input


@pytest.mark.parametrize(
    ("sanitizer", "options", "message"),
    [
        (uv.Anatomy(l=2), {}, "is random; unveil.differential_inference and unveil.membership"),
        (uv.RandomizedResponse(epsilon=1.0), {}, "is random"),
        (uv.Oracle(lambda table: table), {}, "may be random; if it is not, say so"),
        (uv.Microaggregation(k=2), {}, "assumes that published values are true"),
        (uv.Recoding(l=2, scheme="local"), {"path": "fast"}, "path='general' runs it on worlds"),
        (uv.Mondrian(l=2), {"path": "fats"}, "did you mean 'fast'"),
        (uv.Mondrian(l=2), {"steps": 0}, "steps=0 .* must be a whole number from 1 up"),
        (uv.Mondrian(l=2), {"draws": 1.5}, "draws=1.5 .* must be a whole number from 1 up"),
        (uv.Mondrian(l=2), {"seed": -1}, "seed=-1 .* must be a whole number from 0 up"),
        ("mondrian", {}, "needs a sanitizer"),
    ],
)
def test_what_cannot_be_done_is_said(sanitizer, options, message):
    with pytest.raises(InputError, match=message):
        uv.minimality(sanitizer, CLINIC, **options)


def test_people_who_are_not_there():
    finding = uv.minimality(uv.Mondrian(l=2), CLINIC)
    with pytest.raises(InputError, match="numbered from 0 to 5"):
        finding.beliefs_of(6)
