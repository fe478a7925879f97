"""Sensitive values published as parts of their domain, or changed; beside a plain brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Column, Kind, Role
from unveil.microdata._levels import coarsened

AGES = ["30-39", "30-39", "40-49", "40-49"]


def staff(pay: list[object], **options: object) -> uv.Microdata:
    table = {"age": [31, 34, 41, 48], "pay": pay}
    return uv.read_table(table, quasi="age", sensitive="pay", **options)


def published(pay: list[object], original: uv.Microdata, **options: object) -> uv.Release:
    return uv.read_release({"age": AGES, "pay": pay}, original, **options)


@given(
    st.integers(2, 9).flatmap(
        lambda size: st.tuples(
            st.just(size), st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1)
        )
    ),
    st.booleans(),
)
def test_parts_are_what_overlapping_cells_cover_together(
    case: tuple[int, list[set[int]]], is_ordered: bool
) -> None:
    size, cells = case
    kind = Kind.NUMERIC if is_ordered else Kind.CATEGORICAL
    values = np.arange(size) if is_ordered else np.array([f"v{i}" for i in range(size)])
    column = Column(name="s", role=Role.SENSITIVE, kind=kind, codes=np.zeros(0, np.int32),
                    values=values)  # fmt: skip
    spans = [tuple((code, code) for code in sorted(cell)) for cell in cells]
    spans = [uv.microdata._notations.spans_of(code for code, _ in one) for one in spans]
    told = [cell for cell in cells if len(cell) < size]
    together: list[set[int]] = []
    for cell in told:  # plainly: whatever shares a value is one part
        touching = [part for part in together if part & cell]
        together = [part for part in together if not part & cell] + [cell.union(*touching)]
    texts = [f"cell {n}" for n in range(len(cells))]
    if len(together) < 2:
        with pytest.raises(InputError, match="no two groups"):
            coarsened(column, texts, spans)
        return
    level, codes = coarsened(column, texts, spans)
    for cell, code in zip(cells, codes, strict=True):
        if len(cell) == size:
            assert code == -1
        else:
            (part,) = (one for one in together if cell <= one)
            assert set(np.flatnonzero(level.part_of == code)) == part
    assert len(set(level.column.texts)) == level.column.size
    assert set(level.part_of) == set(range(level.column.size))
    if level.column.is_ordered:
        assert (np.diff(level.part_of) >= 0).all()


def test_bands_are_values_in_their_order() -> None:
    original = staff([2100, 2900, 3500, 990])
    release = published(["2000-2999", "2000-2999", "≥3000", "<1000"], original)
    banded = uv.at_published_level(original, release)
    assert banded.sensitive.texts == ("<1000", "2000-2999", "≥3000")
    assert banded.sensitive.kind is Kind.ORDINAL
    assert banded.sensitive.codes.tolist() == release.sensitive.codes.tolist() == [1, 1, 2, 0]
    assert str(release.notes[0]) == str(banded.notes[0])
    assert "3 bands" in str(release.notes[0])
    assert uv.at_published_level(banded, release) is banded


def test_sets_of_words_and_exact_words_beside_them() -> None:
    original = staff(["flu", "cold", "hiv", "flu"])
    release = published(["{flu, cold}", "{flu, cold}", "hiv", "*"], original)
    banded = uv.at_published_level(original, release)
    assert banded.sensitive.texts == ("hiv", "{flu, cold}")
    assert release.sensitive.decode().tolist() == ["{flu, cold}", "{flu, cold}", "hiv"]
    assert release.dropped == 1


def test_cells_that_overlap_are_taken_together_and_that_is_said() -> None:
    original = staff([2100, 2900, 3500, 990])
    release = published(["2000-2999", "2500-3999", "3000-3999", "<1000"], original)
    assert uv.at_published_level(original, release).sensitive.texts == ("<1000", "[2100, 3500]")
    assert "the finer ones tell is not tested" in str(release.notes[0])


def test_values_that_no_cell_covers_are_parts_by_themselves() -> None:
    table = {"age": [31, 34, 41, 48], "pay": [2100, 2900, 3500, 9000]}
    original = uv.read_table(table, quasi="age", sensitive="pay")
    cells = {"age": AGES[:3], "pay": ["2000-2499", "2500-2999", "3000-3999"]}
    banded = uv.at_published_level(original, uv.read_release(cells, original))
    assert banded.sensitive.texts == ("2000-2499", "2500-2999", "3000-3999", "9000")


def test_exact_values_stay_as_they_are() -> None:
    original = staff([2100, 2900, 3500, 990])
    release = published([2100, 2900, 3500, 990], original)
    assert release.level is None
    assert uv.at_published_level(original, release) is original


def test_a_cell_that_covers_nobody_is_no_value() -> None:
    original = staff([2100, 2900, 3500, 990])
    with pytest.raises(InputError, match="'5000-5999' is not a value of pay in the original"):
        published(["2000-2999", "5000-5999", "≥3000", "<1000"], original)


def test_more_people_in_a_band_than_there_are_is_refused() -> None:
    original = staff([2100, 2900, 3500, 990])
    with pytest.raises(InputError, match="sensitive values were changed"):
        published(["2000-2999", "≥3000", "≥3000", "<1000"], original)


def test_the_exact_original_is_refused_by_name() -> None:
    original = staff([2100, 2900, 3500, 990])
    release = published(["2000-2999", "2000-2999", "≥3000", "<1000"], original)
    banded = uv.at_published_level(original, release)
    for attack in (uv.inference, uv.relative_risk, uv.definetti, uv.utility):
        with pytest.raises(InputError, match="at_published_level"):
            attack(release, original)
        attack(release, banded)
    other = staff([2100, 2900, 3500, 991])
    release = published([2100, 2900, 3500, "≥900"], other)
    with pytest.raises(InputError, match="was not read with table"):
        uv.at_published_level(staff([1, 2, 3, 3]), release)


def test_changed_numbers_widen_the_domain_and_need_not_be_true() -> None:
    original = staff([2100, 2900, 3500, 990])
    noisy = [2111.5, 2890, 3500, 1000]
    with pytest.raises(InputError, match="is not a value of pay"):
        published(noisy, original)
    release = published(noisy, original, may_change=True)
    table = uv.at_published_level(original, release)
    assert table.sensitive.decode().tolist() == [2100, 2900, 3500, 990]
    assert release.sensitive.decode().tolist() == noisy
    assert release.perturbed == ("pay",)
    for attack in (uv.definetti, uv.relative_risk):
        with pytest.raises(InputError, match="assumes that published values are true"):
            attack(release, table)
    exact = uv.inference(release, table, tolerance=0.5)
    near = uv.inference(release, table, tolerance=20)
    assert near.accuracy > exact.accuracy


def test_columns_with_other_names() -> None:
    original = staff([2100, 2900, 3500, 990])
    cells = {"group": AGES, "band": ["2000-2999", "2000-2999", "≥3000", "<1000"]}
    release = uv.read_release(cells, original, rename={"group": "age", "band": "pay"})
    assert release.extras.names == ()
    with pytest.raises(InputError, match="did you mean 'group'"):
        uv.read_release(cells, original, rename={"grup": "age"})
    with pytest.raises(InputError, match="would be called 'pay'"):
        uv.read_release({**cells, "pay": [1] * 4}, original, rename={"band": "pay"})


def test_an_audit_is_about_the_bands_and_says_so_first() -> None:
    original = staff([2100, 2900, 3500, 990])
    release = published(["2000-2999", "2000-2999", "≥3000", "<1000"], original)
    audit = uv.audit(original, release, attacks=["measures", "linkage"], progress=False)
    said = "pay is published in 3 bands; all figures are about the band, not the exact pay"
    assert audit.to_dict()["data"]["notes"][0] == said
    (one,) = audit.secrets
    assert one.baseline is not None
    assert one.baseline.name == "the table as it is, with pay in 3 bands"
    assert one.audited[0].figures["one_value"] == 0.5  # both in their thirties
    assert one.baseline.figures["one_value"] == 1.0

    both = uv.audit(original, {"bands": release, "exact": uv.Identity()},
                    attacks=["measures"], progress=False)  # fmt: skip
    assert both.to_dict()["data"]["notes"][0] == f"bands: {said}"
    changed = published([2111.5, 2890, 3500, 1000], original, may_change=True)
    audit = uv.audit(original, {"bands": release, "noise": changed}, attacks=["linkage"],
                     progress=False)  # fmt: skip
    assert audit.secrets[0].baseline is not None
    assert audit.secrets[0].baseline.name == "the table as it is, with exact pay"


GAPS = {
    "age": ["31", "", "41", "48", "52"], "hiv": ["no", "yes", None, "no", "yes"],
    "mood": ["low", None, None, "high", "low"],
}  # fmt: skip


def test_missing_values_that_are_kept_lose_nobody_who_has_the_secret() -> None:
    tables = [
        uv.read_table(GAPS, quasi="age", sensitive=secret, missing="keep")
        for secret in ("hiv", "mood")
    ]
    assert [len(table) for table in tables] == [4, 3]
    assert [table.rows.tolist() for table in tables] == [[0, 1, 3, 4], [0, 3, 4]]
    assert [str(note) for note in tables[1].notes] == [
        "1 of 5 records have no age, kept as '(missing)'".replace("have", "has"),
        "2 of 5 people have no value of mood and are left out: it is tested over the other 3",
    ]
    published = {**GAPS, "mood": ["low", None, None, None, "low"]}
    releases = [uv.read_release(published, table, made_by=table.sensitive.name) for table in tables]
    assert [(len(one), one.dropped) for one in releases] == [(4, 0), (2, 1)]
    audit = uv.audit(tables, releases, attacks=["measures", "linkage"], progress=False)
    assert {one.sensitive: len(one.microdata) for one in audit.secrets} == {"hiv": 4, "mood": 3}
    assert audit.records == 4
    said = [str(note) for note in audit.notes]
    assert "1 of 5 people have no value of hiv and are left out" in " ".join(said)


def test_advice_about_gaps_does_not_contradict_itself() -> None:
    """Each remedy that a message names works, or its message names another."""
    published = {name: values for name, values in GAPS.items() if name != "hiv"}
    published["mood"] = ["low", None, None, None, "low"]
    given, tried = "error", []
    for _ in range(4):
        tried.append(given)
        try:
            table = uv.read_table(GAPS, quasi="age", sensitive="mood", missing=given)
            uv.read_release(published, table)
            break
        except InputError as error:
            named = [way for way in ("keep", "category", "drop") if f"'{way}'" in str(error)]
            given = next(way for way in named if way not in tried)
    assert given == "keep"
    table = uv.read_table(GAPS, quasi="age", sensitive="mood", missing="category")
    with pytest.raises(InputError, match="leave these people out with missing='keep'"):
        uv.read_release(published, table)


def test_how_columns_were_coarsened_can_be_said() -> None:
    born = ["1961-05-01", "1961-11-16", "1970-01-02", "1972-02-03"]
    table = {
        "born": np.array(born, dtype="M8[D]"),
        "sex": ["f", "m", "f", "m"],
        "pay": [2100, 2900, 3500, 990],
    }
    original = uv.read_table(table, quasi=["born", "sex"], sensitive="pay")
    cells = {"year": [1961, 1961, 1970, 1972], "sex": ["v", "k", "v", "*"],
             "pay": [2000, 3000, 4000, 1000]}  # fmt: skip
    release = uv.read_release(
        cells, original, rename={"year": "born"}, how={"born": "year", "pay": "rounded 1000"},
        cells={"sex": {"v": ["f"], "k": "m"}},
    )  # fmt: skip
    assert release.cells() == [["1961", "1961", "1970", "1972"], ["v", "k", "v", "*"]]
    assert [release.regions[0].covers(code).tolist() for code in (0, 2)] == [
        [True, True, False, False], [False, False, True, False],
    ]  # fmt: skip
    banded = uv.at_published_level(original, release)
    assert banded.sensitive.texts == ("1000", "2000", "3000", "4000")
    assert str(release.notations["born"]) == "year"
    with pytest.raises(InputError, match="the cell '1961' is not 'month'"):
        uv.read_release({**cells, "year": ["1961"] * 4}, original, rename={"year": "born"},
                        how={"born": "month", "pay": "rounded 1000"})  # fmt: skip
    with pytest.raises(InputError, match="needs a table"):
        uv.read_release(
            {**cells, "born": born, "pay": [2100] * 4}, original, how={"sex": "recoded"}
        )
    with pytest.raises(InputError, match="neither a quasi-identifier nor"):
        uv.read_release(cells, original, how={"name": "year"})
    with pytest.raises(InputError, match="an audit needs it"):
        uv.read_release(cells, original, how={"sex": "unclear"})


@given(st.lists(st.integers(0, 40), min_size=4, max_size=30), st.booleans())
def test_halves_go_where_the_records_are(pay: list[int], upwards: bool) -> None:
    """Rounded to tens: numpy rounds halves to even, people mostly up."""
    numbers = np.array(pay)
    rounded = (numbers + 5) // 10 * 10 if upwards else np.round(numbers / 10).astype(int) * 10
    if len(set(pay)) < 2 or len(set(rounded)) < 2:
        return
    original = uv.read_table({"age": ["a"] * len(pay), "pay": pay}, quasi="age", sensitive="pay")
    cells = {"age": ["a"] * len(pay), "pay": rounded}
    release = uv.read_release(cells, original, how={"pay": "rounded 10"})
    assert release.level is not None
    banded = uv.at_published_level(original, release)
    assert banded.sensitive.decode().tolist() == [str(one) for one in rounded]


def test_words_for_words_are_the_values_themselves() -> None:
    original = staff(["flu", "cold", "hiv", "flu"])
    table = {"pay": {"griep": "flu", "koud": "cold", "hiv": "hiv"}}
    release = published(["griep", "koud", "hiv", "griep"], original, cells=table)
    assert release.level is None
    assert release.sensitive.decode().tolist() == ["flu", "cold", "hiv", "flu"]
