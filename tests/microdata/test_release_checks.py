"""A release that cannot be one of its original is refused, with the way to allow it."""

import pytest

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import check_release, read_release

PEOPLE = uv.read_table(
    {"age": [20, 25, 31, 38], "disease": ["flu", "flu", "flu", "cold"]},
    quasi="age",
    sensitive="disease",
)


def release_of(*diseases, original=PEOPLE, **options):
    return read_release(
        {"age": ["*"] * len(diseases), "disease": diseases}, original, made_by="f", **options
    )


def test_a_release_of_the_table():
    release = release_of("flu", "cold", "flu", "flu")
    check_release(release, PEOPLE, may_drop=False, may_change=False)
    assert release.dropped == 0


def test_more_records_than_there_are():
    with pytest.raises(InputError) as error:
        release_of("flu", "cold", "flu", "flu", "flu", may_change=True)
    assert str(error.value) == (
        "f returned 5 records for a table of 4; a release has at most one record for each of "
        "the original"
    )


@pytest.mark.parametrize("diseases", [("flu", "cold", "flu"), ("flu", "cold", "flu", None)])
def test_fewer_records_only_if_they_may_be_dropped(diseases):
    release = release_of(*diseases)
    assert release.dropped == 1
    with pytest.raises(InputError) as error:
        check_release(release, PEOPLE, may_drop=False, may_change=False)
    assert str(error.value) == (
        "f returned 3 records for a table of 4; if suppressed records are left out, give "
        "may_drop=True"
    )


@pytest.mark.parametrize("diseases", [("flu", "flu", "cold", "cold"), ("cold", "cold")])
def test_changed_secrets_only_if_they_may_be_changed(diseases):
    with pytest.raises(InputError) as error:
        release_of(*diseases)
    assert str(error.value) == (
        "f returned 2 records with disease 'cold' where the table has 1: sensitive values were "
        "changed; if that is intended, give may_change=True"
    )
    assert len(release_of(*diseases, may_change=True)) == len(diseases)


def test_other_columns():
    release = release_of("flu", "cold", "flu", "flu")
    renamed = uv.read_table(
        {"aged": [20, 25, 31, 38], "disease": ["flu", "flu", "flu", "cold"]},
        quasi="aged", sensitive="disease",
    )  # fmt: skip
    with pytest.raises(InputError) as error:
        check_release(release, renamed, may_drop=True, may_change=True)
    assert str(error.value) == (
        "column 'aged' is not in the release by f; did you mean 'age'? (columns: age, disease)"
    )


def test_more_columns():
    wider = uv.read_table(
        {"age": [20, 25], "sex": ["f", "m"], "disease": ["flu", "cold"]},
        quasi=["age", "sex"], sensitive="disease",
    )  # fmt: skip
    narrower = uv.read_table(
        {"age": [20, 25], "disease": ["flu", "cold"]}, quasi="age", sensitive="disease"
    )
    with pytest.raises(InputError) as error:
        check_release(uv.Identity().sanitize(wider), narrower, may_drop=True, may_change=True)
    assert str(error.value) == (
        "the release by Identity() has a column 'sex' that is neither a quasi-identifier nor "
        "sensitive in the original (those are age, disease)"
    )


def test_the_same_columns_with_other_values():
    other = uv.read_table(
        {"age": [20, 26, 31, 38], "disease": ["flu", "flu", "flu", "cold"]},
        quasi="age", sensitive="disease",
    )  # fmt: skip
    with pytest.raises(InputError) as error:
        check_release(uv.Identity().sanitize(other), PEOPLE, may_drop=True, may_change=True)
    assert str(error.value) == (
        "column 'age' of the release by Identity() has other values than the original's; read "
        "it as a release of this original"
    )
