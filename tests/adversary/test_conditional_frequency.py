"""Conditional frequency: shares among the records that fit, or in the whole release."""

import numpy as np
from hypothesis import given
from proofs import examples
from random_tables import tables_and_goals

import unveil as uv
from unveil.adversary import ConditionalFrequency


@examples(60)
@given(tables_and_goals())
def test_it_is_the_share_in_the_targets_class(case):
    microdata, options = case
    release = uv.Mondrian(**options).sanitize(microdata)
    belief = ConditionalFrequency().predict(release, microdata.codes)
    shares = release.counts / release.sizes[:, None]
    np.testing.assert_allclose(belief, shares[release.class_of])


def test_whom_nobody_covers_gets_the_overall_shares():
    counts, totals = np.array([[0, 0], [1, 3]]), np.array([[6, 4], [9, 1]])
    belief = ConditionalFrequency().from_counts(counts, totals)
    np.testing.assert_allclose(belief, [[0.6, 0.4], [0.25, 0.75]])


def test_classes_that_overlap_count_together():
    table = uv.read_table({"q": [1, 2, 2], "s": ["a", "b", "b"]}, quasi="q", sensitive="s")
    cells = {"q": ["[1, 2]", "1", "2"], "s": ["a", "b", "b"]}
    release = uv.read_release(cells, table)
    belief = ConditionalFrequency().predict(release, table.codes)
    np.testing.assert_allclose(belief, [[0.5, 0.5]] * 3)
