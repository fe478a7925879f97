"""The published comparison of encodings: what reproduces, and what the rest tells.

The features of binary–hot-after and the accuracy on Internet Usage follow from cutting categorical
columns along an order; see the page on adversaries.
"""

from dataclasses import replace

import numpy as np
import pytest

import unveil as uv
from unveil.adversary import ENCODINGS
from unveil.attacks.differential import compare_encodings
from unveil.microdata import Kind, Role

pytestmark = pytest.mark.real

SANITIZERS = [uv.Mondrian(k=k) for k in (1, 3, 5, 8, 16, 32, 64, 128)]
PUBLISHED = {  # features of relative–relative, bounds–relative, binary–hot-after
    "adult": {"relative-relative": 5, "bounds-relative": 7, "binary-hot-after": 131},
    "internet": {"relative-relative": 6, "bounds-relative": 7, "binary-hot-after": 322},
}


@pytest.fixture(scope="module")
def published_tables(internet_usage, adult):
    everybody = adult()
    drawn = np.random.default_rng(0).choice(len(everybody), 10_000, replace=False)
    return {"internet": internet_usage(), "adult": everybody.take(np.sort(drawn))}


def along_an_order(table):
    """The table with categorical columns cut like numbers, in the order of their hierarchies."""
    return replace(
        table,
        columns=tuple(
            replace(column, kind=Kind.ORDINAL, hierarchy=None)
            if column.role is Role.QUASI and column.kind is Kind.CATEGORICAL
            else column
            for column in table.columns
        ),
    )


def means(finding):
    """Mean accuracy of each encoding, and mean number of features."""
    names = [str(encoding) for encoding in finding.encodings]
    return (
        dict(zip(names, finding.accuracy.mean(axis=1), strict=True)),
        dict(zip(names, finding.features.mean(axis=1), strict=True)),
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_relative_cells_serve_the_attacker_best(published_tables, name):
    finding = compare_encodings(published_tables[name], SANITIZERS)
    accuracy, features = means(finding)
    assert str(finding.best) == "relative-relative"
    for continuous in {encoding.continuous for encoding in finding.encodings}:
        ways = {e: a for e, a in accuracy.items() if e.startswith(f"{continuous}-")}
        assert max(ways, key=ways.get) == f"{continuous}-relative"
    for encoding in ("relative-relative", "bounds-relative"):
        assert features[encoding] == PUBLISHED[name][encoding]
    assert all(accuracy[e] < accuracy["relative-relative"] for e in ENCODINGS[:-1])


@pytest.mark.parametrize(("name", "apart"), [("internet", 0.06), ("adult", 0.16)])
def test_the_published_features_come_from_cuts_along_an_order(published_tables, name, apart):
    table = published_tables[name]
    nodes = sum(len(column.hierarchy.names) for column in table.quasi if column.hierarchy)
    bits = 7 * sum(column.kind is Kind.NUMERIC for column in table.quasi)
    published = PUBLISHED[name]["binary-hot-after"]
    assert nodes + bits < published  # so they were no nodes
    finding = compare_encodings(along_an_order(table), SANITIZERS, encodings=PUBLISHED[name])
    accuracy, features = means(finding)
    assert features["binary-hot-after"] == pytest.approx(published, rel=apart)
    if name == "internet":
        assert round(accuracy["relative-relative"], 3) == 0.253
