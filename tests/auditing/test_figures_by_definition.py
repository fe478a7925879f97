"""Every figure of an audit beside its definition on the page about the audit, in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import accumulate, combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_definetti import plain_definetti
from plain_discrimination import plain_rate
from plain_inference import right_of
from plain_linkage import candidates
from plain_utility import covered_codes, says_nothing
from proofs import examples
from random_tables import random_microdata, tables_and_goals

import unveil as uv

COUNTED = ["measures", "linkage", "discrimination-rate", "utility"]
NEAR = {"rel": 1e-9, "abs": 1e-12}


def agree(figures: Any, expected: dict[str, float | None]) -> None:
    assert {name: figures[name] for name in expected} == {
        name: value if value is None else pytest.approx(value, **NEAR)
        for name, value in expected.items()
    }


def figures_of(table: uv.Microdata, sanitizer: Any, attacks: Any, **options: Any) -> Any:
    audit = uv.audit(table, sanitizer, attacks=attacks, progress=False, jobs=1, **options)
    return audit.releases[0].figures


# What follows from counts: from the published cells as they are written


def by_classes(release: uv.Release) -> dict[str, float | None]:
    frame = release.to_frame()
    keys = [column.name for column in release.quasi]
    secrets = frame[release.sensitive.name].tolist()
    cells = list(frame[keys].astype(str).itertuples(index=False, name=None))
    n, whole = len(cells), Counter(secrets)
    classes: dict[Any, Counter[str]] = {}
    for cell, secret in zip(cells, secrets, strict=True):
        classes.setdefault(cell, Counter())[secret] += 1
    sizes = [one.total() for one in classes.values()]
    pairs = [
        (one[value] / one.total(), whole[value] / n) for one in classes.values() for value in whole
    ]
    entropies = [
        -sum(m / one.total() * math.log(m / one.total()) for m in one.values())
        for one in classes.values()
    ]
    rates = [
        plain_rate(secrets, list(frame[list(some)].astype(str).itertuples(index=False, name=None)))
        for size in range(1, len(keys) + 1)
        for some in combinations(keys, size)
    ]
    return {
        "k": min(sizes),
        "unique": sum(size == 1 for size in sizes) / n,
        "prosecutor": max(1 / size for size in sizes),
        "prosecutor_mean": sum(size * (1 / size) for size in sizes) / n,
        "mean_class": n / len(sizes),
        "l": min(len(one) for one in classes.values()),
        "l_entropy": math.exp(min(entropies)),
        "alpha": max(p for p, _ in pairs),
        "beta": max((p - q) / q for p, q in pairs),
        "t": max(_apart(one, whole, release.sensitive) for one in classes.values()),
        "discrimination": max((rate for rate in rates if rate is not None), default=None),
    }


def _apart(one: Counter[str], whole: Counter[str], secret: Any) -> float:
    """How much has to be moved how far: by rank if values have an order, else all alike."""
    extra = [one[text] / one.total() - whole[text] / whole.total() for text in secret.texts]
    if secret.kind == "categorical":
        return sum(abs(share) for share in extra) / 2
    return sum(abs(share) for share in accumulate(extra)) / (len(extra) - 1)


def by_people(release: uv.Release, table: uv.Microdata) -> dict[str, float | None]:
    found = [candidates(release, person) for person in table.codes.T.tolist()]
    n = len(table)
    open_cells = [
        _left_open(column, covered_codes(release, record, j))
        for record in range(n)
        for j, column in enumerate(release.quasi)
    ]
    return {
        "linked": sum(len(records) == 1 for records, _, _ in found) / n,
        "one_value": sum(len(values) == 1 for _, _, values in found) / n,
        "loss": sum(open_cells) / len(open_cells),
        "suppressed": sum(says_nothing(release, record) for record in range(n)) / n,
    }


def _left_open(column: Any, covered: list[int]) -> float:
    if column.size == 1:
        return 0.0
    if column.kind == "categorical":
        return (len(covered) - 1) / (column.size - 1)
    ends = [float(x) for x in column.values] if column.kind == "numeric" else range(column.size)
    return (ends[covered[-1]] - ends[covered[0]]) / (ends[-1] - ends[0])


@given(tables_and_goals(max_size=16))
@examples(40, derandomize=True)
def test_what_follows_from_counts(table_and_goal: tuple[uv.Microdata, dict[str, Any]]) -> None:
    table, goal = table_and_goal
    sanitizer = uv.Mondrian(**goal)
    release = sanitizer.sanitize(table)
    figures = figures_of(table, sanitizer, COUNTED)
    agree(figures, by_classes(release) | by_people(release, table))


def test_what_follows_from_counts_in_the_survey() -> None:
    whole = uv.datasets.election_survey()
    survey = whole.take(range(0, len(whole), 3))
    for sanitizer in (uv.Identity(), uv.Mondrian(k=5)):
        release = sanitizer.sanitize(survey)
        figures = figures_of(survey, sanitizer, COUNTED)
        agree(figures, by_classes(release) | by_people(release, survey))


# Attacks: with an adversary who counts who covers a person


def shares(release: uv.Release, person: list[int]) -> list[float]:
    """Of each value among the records that cover a person, or among all if none does."""
    _, _, values = candidates(release, person)
    if not values:
        values = Counter(release.sensitive.codes.tolist())
    return [values[s] / values.total() for s in range(release.sensitive.size)]


def numeric(seed: int, n: int, values: int = 3) -> uv.Microdata:
    return random_microdata(seed, n, ("numeric", "numeric"), values)


@given(st.integers(0, 10**6), st.integers(4, 14), st.integers(1, 3))
@examples(25, derandomize=True)
def test_own_records(seed: int, n: int, k: int) -> None:
    table, sanitizer = numeric(seed, n), uv.Mondrian(k=k)
    whole, moved = sanitizer.sanitize(table), []
    for i, person in enumerate(table.codes.T.tolist()):
        other = sanitizer.sanitize(table.take([j for j in range(n) if j != i]))
        pairs = zip(shares(whole, person), shares(other, person), strict=True)
        moved.append(sum(abs(p - q) for p, q in pairs) / 2)
    # On the very bound a last digit decides.
    assume(all(abs(d - 0.05) > 1e-9 for d in moved))
    figures = figures_of(
        table, sanitizer, ["differential-inference"], adversary="conditional-frequency"
    )
    expected = {
        "delta": max(moved), "mean_d": sum(moved) / n, "over": sum(d > 0.05 for d in moved) / n,
    }  # fmt: skip
    agree(figures, expected)


@given(st.integers(0, 10**6), st.integers(6, 16), st.integers(1, 2))
@examples(25, derandomize=True)
def test_guesses_about_people_in_it_and_others(seed: int, n: int, k: int) -> None:
    table, sanitizer = numeric(seed, n), uv.Mondrian(k=k)
    out = list(range(0, n, 3))
    inside = [i for i in range(n) if i not in out]
    release = sanitizer.sanitize(table.take(inside))
    secrets, people = table.sensitive.codes.tolist(), table.codes.T.tolist()
    right = [right_of(shares(release, p), s) for p, s in zip(people, secrets, strict=True)]
    accuracy = sum(right[i] for i in inside) / len(inside)
    figures = figures_of(
        table, sanitizer, {"inference": {"held_out": out}}, adversary="conditional-frequency"
    )
    others = sum(right[i] for i in out) / len(out)
    agree(figures, {"accuracy": accuracy, "gain": accuracy - others})


@given(st.integers(0, 10**6), st.integers(2, 16), st.integers(1, 3))
@examples(25, derandomize=True)
def test_attacker_and_learner(seed: int, n: int, k: int) -> None:
    """Classes of Mondrian do not overlap on a line, so all tuples of a class are alike."""
    table, sanitizer = numeric(seed, n), uv.Mondrian(k=min(k, n))
    release = sanitizer.sanitize(table)
    secrets, width = table.sensitive.codes.tolist(), table.sensitive.size
    people = [tuple(person) for person in table.codes.T.tolist()]
    tuples = set(people)
    all_of = Counter(secrets)
    risks, at_risk = [], Counter()
    for person, secret in zip(people, secrets, strict=True):
        records, _, values = candidates(release, person)
        alike = {people[i] for i in records}
        attacker = [values[s] / len(records) for s in range(width)]
        learner = [
            (1 + all_of[s]) * (1 + values[s] / len(alike)) / (len(tuples) + all_of[s])
            for s in range(width)
        ]
        for who, belief in (("attacker", attacker), ("learner", learner)):
            top = [s for s in range(width) if belief[s] >= max(belief) - 1e-9]
            at_risk[who] += (secret in top) / len(top)
        if attacker[secret] >= max(attacker) - 1e-9:
            risks.append(attacker[secret] / (learner[secret] / sum(learner)))
    figures = figures_of(table, sanitizer, ["relative-risk"])
    gr = max(0, (at_risk["attacker"] - at_risk["learner"]) / n)
    agree(figures, {"gr": gr, "relative_risk": max(risks, default=None)})


@given(st.integers(0, 10**6), st.integers(4, 9))
@examples(15, derandomize=True)
def test_guesses_within_groups(seed: int, n: int) -> None:
    table, sanitizer = numeric(seed, n), uv.Mondrian(k=2)
    release = sanitizer.sanitize(table)
    beliefs, _ = plain_definetti(table.codes.T, release.class_of, release.counts, 1, 2)
    secrets = table.sensitive.codes.tolist()
    right = [right_of(one.tolist(), s) for one, s in zip(beliefs, secrets, strict=True)]
    options = {"smoothing": 1, "rounds": 2, "settled": 0, "steps": 10**6}
    figures = figures_of(table, sanitizer, {"definetti": options})
    agree(figures, {"reweighted": sum(right) / n})


@pytest.mark.parametrize("secrets", ["aabcde", "abacde", "aabbcd", "aabccd", "abcdea"])
def test_worlds_of_which_the_release_is_made(secrets: str) -> None:
    """Two are young; if they have the same, that is why they were not cut off."""
    table = uv.read_table(
        {"age": [20, 30, 60, 60, 60, 60], "secret": list(secrets)}, quasi="age", sensitive="secret"
    )
    sanitizer, own = uv.Mondrian(l=2), table.sensitive.codes
    release = sanitizer.sanitize(table)
    members = [np.flatnonzero(release.class_of == g) for g in range(release.n_classes)]
    ways = [sorted(set(permutations(own[some].tolist()))) for some in members]
    believed, kept = np.zeros((6, table.sensitive.size)), 0
    for world in product(*ways):
        dealt = own.copy()
        for some, given_to in zip(members, world, strict=True):
            dealt[some] = given_to
        columns = tuple(
            replace(column, codes=dealt) if column is table.sensitive else column
            for column in table.columns
        )
        other = sanitizer.sanitize(replace(table, columns=columns))
        if other.cells() == release.cells() and np.array_equal(other.class_of, release.class_of):
            kept += 1
            believed[np.arange(6), dealt] += 1
    above = (believed / kept > 1 / 2 + 1e-9).any(axis=1).mean()
    # With two values twice, either may be theirs.
    assert (above > 0) == (secrets == "aabcde")
    agree(figures_of(table, sanitizer, ["minimality"]), {"above_promise": float(above)})


def test_members_are_ranked_above_others() -> None:
    survey = uv.datasets.election_survey()
    table = survey.take(range(0, len(survey), 12))
    audit = uv.audit(
        table, "mondrian:k=3", attacks={"membership": {"removals": 5}}, progress=False, jobs=1
    )
    frame = audit.releases[0].looked["membership"].finding.to_frame()
    areas = {}
    for attacker in (name for name in frame.columns if name.startswith("score: ")):
        asked = frame.dropna(subset=[attacker])
        inside, outside = (asked.loc[asked.member == is_in, attacker] for is_in in (True, False))
        ranked = [(a > b) + (a == b) / 2 for a in inside for b in outside]
        areas[attacker] = sum(ranked) / len(ranked)
    removal = areas.pop("score: removal")
    agree(
        audit.releases[0].figures,
        {"membership": max(areas.values()), "membership_removal": removal},
    )
