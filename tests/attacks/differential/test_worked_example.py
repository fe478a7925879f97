"""The worked example of the 2019 report: five patients, two anonymous, one by one."""

import numpy as np
import pytest

import unveil as uv
from unveil.microdata import flat_hierarchy

TABLE = {
    "age": [28, 36, 47, 53, 72],
    "gender": ["M", "M", "F", "M", "F"],
    "disease": ["Flu", "Flu", "Cancer", "Flu", "Flu"],
}
ROLES = {"quasi": ["age", "gender"], "sensitive": "disease"}
PATIENTS = uv.read_table(TABLE, **ROLES)
WITH_TREE = uv.read_table(TABLE, **ROLES, hierarchies={"gender": flat_hierarchy})
CUTS = uv.Mondrian(k=2, regions="cut")

PRINTED = [1, 1, 2 / 3, 1 / 3, 1 / 3]
# (Cancer, Flu): the domain is sorted.
WITH_EVERYBODY = [[0, 1], [0, 1], [1 / 3, 2 / 3], [1 / 3, 2 / 3], [1 / 3, 2 / 3]]
WITHOUT_EACH = [[1 / 2, 1 / 2], [1 / 2, 1 / 2], [0, 1], [1 / 2, 1 / 2], [1 / 2, 1 / 2]]


def read_and_sanitize(table):
    return CUTS.sanitize(uv.read_table(table, **ROLES))


def by_hand(table):
    """2-anonymity as one would do it on paper: cut at the median age, publish the cut."""
    ages = sorted(table["age"])
    half = len(ages) // 2
    cut = ages[half - 1]
    return table.assign(
        age=[f"≤ {cut}" if age <= cut else f"> {cut}" for age in table["age"]], gender="*"
    )


def found(microdata, sanitizer, **options):
    return uv.differential_inference(
        microdata, sanitizer, adversary="conditional-frequency", distance="l1", predictions=True,
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("microdata", [PATIENTS, WITH_TREE], ids=["flat", "tree"])
@pytest.mark.parametrize(
    "options",
    [
        {"sanitizer": CUTS},
        {"sanitizer": CUTS, "path": "general"},
        {"sanitizer": uv.Oracle(CUTS)},
        {"sanitizer": lambda m: CUTS.sanitize(m)},
        {"sanitizer": read_and_sanitize},
        {"sanitizer": by_hand},
        {"sanitizer": lambda m: CUTS.sanitize(m).to_frame()},
    ],
    ids=["fast", "general", "oracle", "on microdata", "on table", "by hand", "as table"],
)
def test_distances_and_beliefs_are_the_printed_ones(microdata, options):
    finding = found(microdata, **options)
    np.testing.assert_allclose(finding.distances, PRINTED)
    np.testing.assert_allclose(finding.present, WITH_EVERYBODY)
    np.testing.assert_allclose(finding.absent, WITHOUT_EACH)
    assert finding.delta == 1
    assert finding.n_classes == 2


def test_total_variation_is_half_of_it():
    finding = uv.differential_inference(PATIENTS, CUTS, adversary="conditional-frequency")
    np.testing.assert_allclose(finding.distances, np.array(PRINTED) / 2)


@pytest.mark.parametrize("path", ["fast", "general"])
def test_with_tight_ranges_nobody_covers_47_without_the_third(path):
    finding = found(PATIENTS, uv.Mondrian(k=2), path=path)
    without = uv.Mondrian(k=2).sanitize(PATIENTS.without(2))
    assert without.cells()[0] == ["[28, 36]", "[53, 72]"]
    # So the belief about them falls back to the shares of the whole release, which has no Cancer.
    np.testing.assert_allclose(finding.absent[2], [0, 1])
    np.testing.assert_allclose(finding.present[2], [1 / 3, 2 / 3])
    # Without the first, [36, 47] takes 36 in, but 28 is out of every range.
    np.testing.assert_allclose(finding.absent[0], [1 / 4, 3 / 4])
    np.testing.assert_allclose(finding.absent[1], [1 / 2, 1 / 2])


def test_the_mode_changes_for_nobody_who_keeps_the_flu():
    finding = found(PATIENTS, CUTS)
    # At (½, ½) the flu is still believed as much as anything.
    assert finding.mode_changed.tolist() == [False] * 5
    assert finding.modes_changed == 0
