"""What follows from tables of totals, beside all tables of people that have these totals."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from proofs import examples
from scipy.sparse import csr_array, eye_array

import unveil as uv
from unveil.attacks.tables import Consistent, ContradictionError
from unveil.errors import InputError
from unveil.microdata import Totals

VILLAGE = uv.read_table(
    {"sex": list("FFFMMMM"), "disease": ["flu"] * 6 + ["HIV"]}, quasi="sex", sensitive="disease"
)


def most_of(release: Totals) -> int:
    """So many people of a combination are tried."""
    return 5 if np.prod(release.sizes_of_columns) <= 6 else 3


@cache
def tried(most: int, combinations: int) -> np.ndarray:
    return np.array(list(product(range(most + 1), repeat=combinations)), dtype=float)


def all_tables(release: Totals) -> np.ndarray:
    """Every table of people that has all published counts, by trying all."""
    every = tried(most_of(release), int(np.prod(release.sizes_of_columns)))
    sums = every @ release.incidence.toarray().T
    return every[((sums >= release.low) & (sums <= release.high)).all(axis=1)]


@st.composite
def small(draw: st.DrawFn) -> tuple[uv.Microdata, Totals]:
    """A few people of 4 to 8 combinations, and tables of them."""
    sizes = draw(st.sampled_from([(2, 2), (2, 3), (2, 2, 2), (4,), (3, 2)]))
    n = draw(st.integers(1, 4))
    cells = [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in sizes]
    names = [*(f"q{place}" for place in range(len(sizes) - 1)), "s"]
    if len(sizes) == 1:
        names, cells = ["q0", "s"], [cells[0], [0] * n]
        sizes = (*sizes, 1)
    levels = {name: [str(value) for value in range(size)]
              for name, size in zip(names, sizes, strict=True)}  # fmt: skip
    table = uv.read_table(
        {name: [str(value) for value in own] for name, own in zip(names, cells, strict=True)},
        quasi=names[:-1], sensitive="s", ordinal=levels,
    )  # fmt: skip
    by = draw(st.lists(st.sets(st.sampled_from(names), min_size=1, max_size=2), min_size=1,
                       max_size=3))  # fmt: skip
    used = {name for one in by for name in one}
    by += [{name} for name in names if name not in used]
    f = uv.CrossTables(
        tables=[sorted(one) for one in by], suppress=draw(st.sampled_from([None, 2, 3])),
        zeros=draw(st.sampled_from(["hidden", "shown"])),
        round=draw(st.sampled_from([None, None, 2, 3])),
        rounding=draw(st.sampled_from(["nearest", "random"])),
        totals=draw(st.booleans()), seed=1,
    )  # fmt: skip
    return table, f.sanitize(table)


@examples(60)
@given(small())
def test_the_true_table_is_among_those_that_are_possible(made):
    table, release = made
    codes = [release.quasi[place].codes for place in range(len(release.quasi))]
    place = np.ravel_multi_index((*codes, table.sensitive.codes), release.sizes_of_columns)
    true = np.bincount(place, minlength=int(np.prod(release.sizes_of_columns)))
    sums = release.incidence @ true
    assert (sums >= release.low).all()
    assert (sums <= release.high).all()


@examples(60)
@given(small())
def test_ends_are_those_of_all_tables(made):
    """Of every cell and of every single combination."""
    _, release = made
    every = all_tables(release)
    consistent = Consistent(release)
    counts = csr_array(np.vstack([release.incidence.toarray(), np.eye(release.incidence.shape[1])]))
    sums = every @ counts.toarray().T
    for side, plain in (("least", sums.min(axis=0)), ("most", sums.max(axis=0))):
        ends = consistent.ends(counts, side)
        assert ends.exact.all()
        # Written down are only tables with few people of each combination.
        told = plain < most_of(release) if side == "most" else np.ones(len(plain), dtype=bool)
        assert ends.outer[told].tolist() == plain[told].tolist()
        assert (ends.outer[~told] >= most_of(release)).all()


@examples(60)
@given(small())
def test_claims_are_what_holds_in_all_tables(made):
    table, release = made
    found = uv.tables(release, table)
    every = all_tables(release).reshape(-1, *release.shape)
    assume(every.max() < most_of(release))  # otherwise there are more
    for q, alone, value in zip(
        found.claims.combinations, found.claims.alone, found.claims.value, strict=True
    ):
        own = every[:, q]
        assert alone == bool((own.sum(axis=1) == 1).all())
        possible = np.flatnonzero((own > 0).any(axis=0))
        assert value == (possible[0] if len(possible) == 1 else -1)
    assert not found.claims.open_alone.any()
    assert not found.claims.open_value.any()


@examples(40)
@given(small())
def test_no_claim_is_false_of_the_people_it_is_about(made):
    table, release = made
    found = uv.tables(release, table)
    of = release.combination_of_quasi(table.codes)
    for q, alone, value in zip(
        found.claims.combinations, found.claims.alone, found.claims.value, strict=True
    ):
        if alone:
            assert (of == q).sum() == 1
        if value >= 0:
            assert set(table.sensitive.codes[of == q]) == {value}


def test_the_village():
    """The inner cells are hidden; the sums of rows and columns are not."""
    release = uv.CrossTables(tables="sex*disease").sanitize(VILLAGE)
    inner = replace(release.tables[0], low=np.zeros((2, 2)), high=np.full((2, 2), 4.0),
                    shown=np.full((2, 2), "<5", dtype=object),
                    hidden=np.ones((2, 2), dtype=bool))  # fmt: skip
    release = replace(release, tables=(inner, *release.tables[1:]))
    found = uv.tables(release, VILLAGE)
    ends = found.cells.set_index(["sex", "disease"])[["least", "most"]].astype(int)
    assert {key: tuple(row) for key, row in ends.T.items()} == {
        ("F", "HIV"): (0, 1), ("F", "flu"): (2, 3), ("M", "HIV"): (0, 1), ("M", "flu"): (3, 4),
    }  # fmt: skip
    assert found.disclosed.sum() == 0
    # Somebody who came later: without them, three women and three men, and nobody has HIV.
    monday = replace(inner, low=np.zeros((2, 2)), high=np.array([[0.0, 3], [0, 3]]))
    both = uv.CrossTables(tables="sex*disease").sanitize(VILLAGE)
    assert (uv.tables(both).cells.empty, monday.high.sum()) == (True, 6)


def test_a_cell_that_is_hidden_alone_in_a_row_follows():
    f = uv.CrossTables(tables="sex*disease", suppress=3, zeros="shown")
    found = uv.tables(f.sanitize(VILLAGE), VILLAGE)
    values = {one.figure.name: one.value for one in found.figures}
    assert values["disclosed_cells"] == 1
    assert "follow from what is published" in found.verdict()
    # With as many hidden as it takes, nothing follows.
    more = uv.CrossTables(tables="sex*disease", suppress=2, secondary=True)
    found = uv.tables(more.sanitize(VILLAGE), VILLAGE)
    assert found.disclosed.sum() < len(found.hidden)


def test_everybody_of_a_row_has_the_same():
    """Women have the flu: whoever knows that somebody is a woman knows what she has."""
    found = uv.tables(uv.CrossTables(tables="sex*disease").sanitize(VILLAGE), VILLAGE)
    values = {one.figure.name: one.value for one in found.figures}
    assert values["surely_told"] == pytest.approx(3 / 7)
    assert values["surely_alone"] == 0


def test_tables_that_contradict_each_other():
    release = uv.CrossTables(tables="sex*disease").sanitize(VILLAGE)
    wrong = replace(release.tables[-1], low=np.array(9.0), high=np.array(9.0))
    release = replace(release, tables=(*release.tables[:-1], wrong))
    with pytest.raises(ContradictionError, match="contradict each other"):
        Consistent(release).ends(eye_array(4, format="csr"), "least")
    with pytest.raises(InputError, match="contradict each other, or are too many"):
        _ = release.beliefs


def test_what_is_not_solved_in_time_is_not_known(monkeypatch):
    """Nothing is disclosed for sure, and nothing passes."""
    solve = Consistent._program

    def slow(self, cost, among, *, whole):
        return None if whole else solve(self, cost, among, whole=False)

    monkeypatch.setattr(Consistent, "_program", slow)
    table = uv.datasets.census(40)
    names = [column.name for column in table.quasi]
    f = uv.CrossTables(tables=[[names[0], table.sensitive.name], names[1:3]], suppress=4)
    found = uv.tables(f.sanitize(table), table)
    values = {one.figure.name: one for one in found.figures}
    assert found.open.any()
    for name in ("disclosed_cells", "surely_alone", "surely_told"):
        assert values[name].value is None
        assert values[name].high > values[name].low
    audit = uv.audit(table, f, attacks="tables", fail_on="surely_told > 0", progress=False)
    assert audit.state == "not known"


def test_what_is_refused():
    with pytest.raises(InputError, match="tables needs tables of totals"):
        uv.tables(uv.Identity().sanitize(VILLAGE))
    with pytest.raises(InputError, match="names 'age', which is neither"):
        uv.CrossTables(tables="age*sex").sanitize(VILLAGE)
    with pytest.raises(InputError, match="nothing is hidden otherwise"):
        uv.CrossTables(tables="sex", secondary=True)


# Beliefs


@examples(40)
@given(small())
def test_beliefs_have_the_published_counts(made):
    _, release = made
    sums = release.incidence @ release.beliefs.ravel()
    assert (sums >= release.low - 1e-2).all()
    assert (sums <= release.high + 1e-2).all()


def test_everybody_is_tested_through_tables():
    """Without her record the cell of a woman alone in it is empty, and nobody there has HIV."""
    people = {"sex": list("FFFMMMM"), "town": list("aabbbba"), "ill": list("nynnnyn")}
    table = uv.read_table(people, quasi=["sex", "town"], sensitive="ill")
    every = uv.differential_inference(table, uv.CrossTables(tables="sex*town*ill"))
    rows = uv.differential_inference(table, uv.Identity(), adversary="conditional-frequency")
    assert every.distances == pytest.approx(rows.distances, abs=2e-3)
    fewer = uv.differential_inference(table, uv.CrossTables(tables="sex*town|ill"))
    assert fewer.delta < every.delta


def test_an_audit_asks_what_fits_tables():
    """Attacks on records say nothing of tables; with both, all are asked."""
    table = uv.datasets.census(60)
    names = [column.name for column in table.quasi]
    f = uv.CrossTables(tables=[[names[0], table.sensitive.name], [names[1]]], suppress=4)
    audit = uv.audit(table, f, fail_on="surely_told > 0", progress=False)
    assert {"tables", "differential-inference"} <= {part.name for part in audit.parts}
    assert not {"linkage", "measures", "relative-risk"} & {part.name for part in audit.parts}
    assert audit.state is not None
    both = uv.audit(table, [f, uv.Mondrian(k=3)], attacks=None, progress=False)
    assert {"tables", "linkage", "measures"} <= {part.name for part in both.parts}
    alone = uv.audit(table, uv.Mondrian(k=3), progress=False)
    assert "tables" not in {part.name for part in alone.parts}


@examples(40)
@given(small())
def test_beliefs_say_no_more_than_the_tables_do(made):
    """Of all expected counts they are nearest to even ones: beside those of any possible table."""
    _, release = made
    every, fitted = all_tables(release), release.beliefs.ravel()
    assume(len(every) > 0)
    possible = release.incidence.T @ (release.high <= 0) == 0
    even = max(1.0, release.low.max()) / possible.sum()

    def away(counts: np.ndarray) -> float:
        some = counts[possible]
        logs = np.log(np.maximum(some, 1e-300) / even)
        return float((some * logs - some + even).sum())

    others = [every.mean(axis=0), *every[:: max(1, len(every) // 20)]]
    assert all(away(fitted) <= away(one) + 1e-2 for one in others)
    assert all(away(fitted) <= away(fitted + (one - fitted) / 10) + 1e-2 for one in others)
