"""No sanitization: classes are the distinct combinations, and say exactly that."""

import pytest
from hypothesis import given
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.errors import GoalError


@examples(60)
@given(tables())
def test_records_publish_their_own_values(microdata):
    release = uv.Identity().sanitize(microdata)
    assert len(release) == len(microdata)
    frame = release.to_frame()
    for column in microdata.quasi:
        assert frame[column.name].tolist() == [column.texts[code] for code in column.codes]
    rows = list(zip(*(frame[c.name] for c in microdata.quasi), strict=True))
    assert release.n_classes == len(set(rows))


def test_nothing_cannot_be_published():
    one = uv.read_table({"age": [30], "vote": ["a"]}, quasi="age", sensitive="vote")
    with pytest.raises(GoalError) as error:
        uv.Identity().sanitize(one.without(0))
    assert str(error.value) == "Identity() cannot be met: table has no records"
