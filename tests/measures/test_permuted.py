"""Permuted releases are measured by group where secrets count, by people where these do."""

import pytest
from hypothesis import given
from permuted_tables import GROUPS, PATIENTS, groupings
from proofs import examples

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Permuted

OF_SECRETS = ["l_diversity", "t_closeness", "alpha_k", "beta_likeness", "delta_disclosure",
              "homogeneity", "discrimination_rate"]  # fmt: skip
OF_PEOPLE = ["k_anonymity", "uniqueness", "reidentification_risk", "average_class_size",
             "discernibility"]  # fmt: skip


def said(finding):
    """A finding without where it comes from."""
    where = ("source", "sensitive", "notes")
    return {key: value for key, value in finding.to_dict().items() if key not in where}


@examples(25)
@given(groupings(max_size=20))
def test_groups_and_people_are_counted_as_in_the_tables_that_are_published(grouping):
    table, groups = grouping
    release = Permuted.from_groups(table, groups)
    rows, people = release.to_frame(), release.tables()[0]
    names = [column.name for column in table.quasi]
    for measure in (uv.l_diversity, uv.alpha_k):
        by_hand = measure(rows.astype({"group": str}), quasi="group", sensitive="secret")
        assert said(measure(release)) == said(by_hand)
    found = uv.measures(release)
    assert found.k_anonymity.k == uv.k_anonymity(people.astype(str), quasi=names).k
    assert found.uniqueness.unique == people[names].astype(str).value_counts().eq(1).sum()


@pytest.fixture(scope="module")
def release():
    return Permuted.from_groups(PATIENTS, GROUPS, made_by="pairs")


@pytest.mark.parametrize("measure", OF_SECRETS)
def test_secrets_are_measured_by_group(release, measure):
    found = getattr(uv, measure)(release)
    assert "a class is a group" in found.summary()
    assert said(getattr(uv, measure)(uv.count(release))) == said(found)


@pytest.mark.parametrize("measure", OF_PEOPLE)
def test_people_are_measured_by_their_quasi_identifiers(release, measure):
    assert said(getattr(uv, measure)(release)) == said(getattr(uv, measure)(PATIENTS))


def test_all_measures_together(release):
    found = uv.measures(release, subsets=2)
    assert (found.k_anonymity.k, found.l_diversity.distinct) == (1, 2)
    assert found.unique_subsets.keys == ("nationality", "zip")
    assert "who can be told apart is measured by 'nationality', 'zip'" in found.summary()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"quasi": "zip", "sensitive": "disease"},
            "does not publish which 'disease' belongs to which",
        ),
        ({"quasi": ["group", "zip"]}, "'group' is not among the keys"),
        ({"quasi": "zpi"}, "did you mean 'zip'"),
        ({"sensitive": "zip"}, "is 'disease', not 'zip'"),
        ({"ordinal": {"disease": ["Flu"]}}, "give ordinal= and hierarchies= when reading them"),
    ],
)
def test_what_is_not_published_cannot_be_counted(release, options, message):
    with pytest.raises(InputError, match=message):
        uv.l_diversity(release, **options)


def test_k_as_a_figure_is_of_people_and_not_of_groups():
    survey = uv.datasets.election_survey()
    found = uv.measures(uv.Anatomy(l=3).sanitize(survey))
    assert {one.figure.name: one.value for one in found.figures}["k"] == found.k_anonymity.k == 1
