"""No false alarm: the public tables have no names, neither as they are nor as we publish them."""

import numpy as np
import pytest

import unveil as uv

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", ["adult", "adult_arx", "internet_usage"])
def test_no_column_names_anybody(request, name):
    microdata = request.getfixturevalue(name)()
    for sanitizer in ("identity", "mondrian:k=5", "microaggregation:k=5",
                      "randomized-response:epsilon=2"):  # fmt: skip
        [made] = uv.sanitize.sanitizers_named(sanitizer)
        release = made.sanitize(microdata)
        finding = uv.identifiers(release, microdata)
        assert (finding.found, finding.unroled) == ({}, ())
    # The whole file: other columns have no role, and name nobody.
    finding = uv.identifiers(uv.read_release(microdata.to_frame(), microdata), microdata)
    assert finding.found == {}


def test_rows_numbered_anew(adult_arx):
    microdata = adult_arx()
    n = len(microdata)
    frame = microdata.to_frame().assign(number=np.arange(n))
    original = uv.read_table(
        frame, quasi=[c.name for c in microdata.quasi], sensitive=microdata.sensitive.name,
        identifier="number",
    )  # fmt: skip
    for order, names in ((np.arange(n), True), (np.random.default_rng(0).permutation(n), False)):
        published = frame.iloc[order].drop(columns="number").assign(row=np.arange(n))
        finding = uv.identifiers(uv.read_release(published, original), original)
        assert ("row" in finding.found) is names
        assert "row" in finding.unroled
