"""From a release to the arrays that samplers work on, and what cannot be made into them."""

import itertools
import re

import malaysian
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_risks import loosely_grouped, small_table
from random_tables import tables_and_goals

import unveil as uv
from unveil.attacks.relative_risk import _domain, horizontal_problem, vertical_problem
from unveil.attacks.relative_risk._boxes import boxes_of
from unveil.attacks.relative_risk._domain import observed_domain
from unveil.errors import InputError
from unveil.microdata import Intervals, Release

PATIENTS = malaysian.patients("nationality", "zip")
RECODED = malaysian.recoded("nationality", "zip")
ANATOMIZED = malaysian.anatomized("nationality", "zip")


def covered(release, cls, codes):
    """Whether a class covers a tuple in every column."""
    each = zip(release.regions, codes, strict=True)
    return all(regions.covers(int(code))[cls] for regions, code in each)


def tuples_of(problem, group):
    start, members = problem.members
    numbers = members[start[group] : start[group + 1]]
    return {tuple(codes) for codes in problem.domain.codes[:, numbers].T.tolist()}


@given(case=tables_and_goals(max_size=15))
@examples(40)
def test_groups_have_the_tuples_that_their_regions_cover(case):
    table, options = case
    release = uv.Mondrian(**options).sanitize(table)
    observed = set(map(tuple, table.codes.T.tolist()))
    for domain in ("observed", "covered", "product"):
        if domain != "observed" and np.prod([c.size for c in table.quasi]) > 2000:
            continue
        problem = horizontal_problem(release, table, domain=domain)
        everything = observed
        if domain != "observed":
            everything = set(itertools.product(*(range(c.size) for c in table.quasi)))
        for cls in range(release.n_classes):
            expected = {codes for codes in everything if covered(release, cls, codes)}
            assert tuples_of(problem, problem.group_of_class[cls]) == expected
        union = set().union(*(tuples_of(problem, g) for g in range(len(problem.counts))))
        sizes = {"observed": len(observed), "covered": len(union), "product": len(everything)}
        assert problem.domain.size == sizes[domain]
        assert problem.counts.sum(axis=0).tolist() == release.totals.tolist()
        assert (problem.domain.find(problem.watched) == np.arange(problem.watched.shape[1])).all()


@given(seed=st.integers(0, 2**32 - 1), groups=st.integers(1, 5), more=st.sampled_from([0.1, 0.5]))
@examples(40)
def test_atoms_are_tuples_that_no_group_with_such_a_row_tells_apart(seed, groups, more):
    rng = np.random.default_rng(seed)
    table = small_table(rng, 12, (3, 4), 3)
    group_of = np.unique(rng.integers(groups, size=12), return_inverse=True)[1]
    problem = horizontal_problem(loosely_grouped(rng, table, group_of, more), table)
    lumps = problem.lumped
    start, members = problem.members
    for s in range(problem.values):
        active = [g for g in range(len(problem.counts)) if problem.counts[g, s]]
        sets = [set(members[start[g] : start[g + 1]].tolist()) for g in active]
        signature = [tuple(r in one for one in sets) for r in range(problem.domain.size)]
        for r, q in itertools.combinations(range(problem.domain.size), 2):
            same = lumps.atom_of[s, r] == lumps.atom_of[s, q]
            assert same == (signature[r] == signature[q])
        cells = range(*lumps.cells.value_start[s : s + 2])
        for cell, one in zip(cells, sets, strict=True):
            atoms = lumps.of_cell(cell)
            assert set(np.flatnonzero(np.isin(lumps.atom_of[s], atoms)).tolist()) == one
            assert lumps.volume[cell] == len(one)
            assert (np.diff(atoms) > 0).all()


def test_large_products_are_not_written_out():
    rng = np.random.default_rng(0)
    table = small_table(rng, 50, (40,) * 6, 3)
    release = loosely_grouped(rng, table, np.arange(50) // 5, 0.6)
    problem = horizontal_problem(release, table, domain="product")
    assert problem.members is None
    assert problem.domain.codes is None
    assert problem.domain.size == 40**6
    assert problem.domain.has(table.codes).all()
    with pytest.raises(InputError, match=r"tuples in all.*domain='product'.*'observed'"):
        horizontal_problem(release, table, domain="covered")
    assert horizontal_problem(release, table).domain.size == 50


@pytest.mark.parametrize("options", [
    {"alpha": 0.0}, {"alpha": -1.0}, {"alpha": float("nan")}, {"beta": 0}, {"beta": -0.5},
    {"beta": float("nan")}, {"alpha": np.array([1, 1, 0, 1, 1.0])},
])  # fmt: skip
def test_priors_are_above_nought(options):
    (name,) = options
    with pytest.raises(InputError, match=f"{name}=.* must be (a number )?above 0"):
        horizontal_problem(RECODED, PATIENTS, **options)
    with pytest.raises(InputError, match=f"{name}=.* must be (a number )?above 0"):
        vertical_problem(ANATOMIZED, **options)


def trouble(match):
    return pytest.raises(InputError, match=re.escape(match))


def test_priors_are_as_many_as_there_are_values():
    with trouble("one for each of the 5 values of 'disease', but 2 were given"):
        horizontal_problem(RECODED, PATIENTS, alpha=np.array([1.0, 2.0]))
    with trouble("alpha= is inf, but must be finite"):
        horizontal_problem(RECODED, PATIENTS, alpha=float("inf"))
    with trouble("beta=inf is not possible: it must be a number above 0"):
        horizontal_problem(RECODED, PATIENTS, beta=float("inf"))


def test_a_group_that_covers_no_tuple_is_named():
    others = uv.read_table(
        {name: [*values[1:], "x" if name == "zip" else values[0]]
         for name, values in malaysian.PATIENTS.items()},
        quasi=["nationality", "zip"], sensitive="disease",
        categorical=["zip"],
    )  # fmt: skip
    table = {**malaysian.LOCAL_RECODING, "zip": ["45502"] * 2 + ["x"] * 6}
    release = uv.read_release(table, others)
    with trouble("the group ('nationality' 'Japan', 'zip' 'x') of 2 records covers no tuple"):
        horizontal_problem(release, others)
    assert horizontal_problem(release, others, domain="covered").domain.size > 0


def test_domains_have_names():
    with trouble("domain='observed' means the tuples of the original table"):
        horizontal_problem(RECODED)
    assert horizontal_problem(RECODED, domain="covered").domain.size == 10


def test_release_and_table_must_fit():
    with trouble("returned 8 records for a table of 7"):
        horizontal_problem(RECODED, PATIENTS.take(range(7)))
    swapped = PATIENTS.take([0, 0, 2, 3, 4, 5, 6, 7])
    with trouble("sensitive values were changed"):
        horizontal_problem(RECODED, swapped)


def test_groups_with_the_same_cells_are_one():
    classes = np.array([0, 0, 1, 1, 2, 2, 3, 3], dtype=np.int32)
    twice = Release(
        quasi=RECODED.quasi, sensitive=RECODED.sensitive, class_of=classes,
        regions=tuple(regions.take(np.array([0, 0, 2, 3])) for regions in RECODED.regions),
    )  # fmt: skip
    problem = horizontal_problem(twice, domain="covered")
    assert len(problem.counts) == 3
    assert problem.group_of_class[0] == problem.group_of_class[1]
    assert problem.counts[problem.group_of_class[0]].sum() == 4


def test_a_panel_leaves_what_is_prepared():
    problem = horizontal_problem(RECODED, PATIENTS)
    prepared = problem.lumped
    watching = problem.with_panel(np.array([1, 2]))
    assert watching.lumped is prepared
    assert watching.panel.tolist() == [1, 2]
    assert problem.panel.tolist() == []


@given(case=tables_and_goals(max_size=15))
@examples(30)
def test_it_does_not_matter_which_boxes_are_looked_up(case):
    table, options = case
    release = uv.Mondrian(**options).sanitize(table)
    found = []
    for most in (0, 2, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_domain, "_LOOKED_UP", most)
            found.append(horizontal_problem(release, table).members)
    for start, members in found[1:]:
        assert start.tolist() == found[0][0].tolist()
        assert members.tolist() == found[0][1].tolist()


@given(st.integers(0, 2**32 - 1))
def test_tuples_of_many_boxes_are_those_of_a_scan(seed):
    rng = np.random.default_rng(seed)
    n, sizes = 25, [5, 7, 3]
    table = uv.read_table(
        {f"q{c}": rng.integers(0, size, n) for c, size in enumerate(sizes)}
        | {"s": rng.choice(["a", "b"], n)},
        quasi=[f"q{c}" for c in range(len(sizes))], sensitive="s",
    )  # fmt: skip
    regions = []
    for column in table.quasi:
        low = column.codes - rng.integers(0, 2, n)
        high = column.codes + rng.integers(0, 3, n)
        whole = rng.random(n) < 0.2
        regions.append(Intervals(np.where(whole, 0, low.clip(0)).astype(np.int32),
                       np.where(whole, column.size - 1, high.clip(max=column.size - 1)
                                ).astype(np.int32)))  # fmt: skip
    boxes, _ = boxes_of(table.quasi, regions)
    domain = observed_domain(table.codes, np.array([column.size for column in table.quasi]))
    everything = np.ones(boxes.number, dtype=bool)
    scanned = _domain._scanned(boxes, domain, everything)
    lookup = _domain._lookup(boxes, domain, boxes.region)
    found = _domain._by_box(lookup, domain.codes)
    assert [part.tolist() for part in found] == [part.tolist() for part in scanned]
