"""Roles proposed for real tables are those of the experiments that were published with them.

What has to hold: no identifier is taken for a quasi-identifier; the quasi-identifiers of the
experiments are among the proposed ones; and so are their sensitive attributes.

- Adult: Kassem et al. test the occupation, known age, education, marital status, hours a week and
  native country; Boreale et al. the occupation, known sex, race, marital status, education, native
  country and work class. The class of the salary is what ARX's own examples call sensitive.
- Internet Usage: Kassem et al. test the household's income, known age, country, education, major
  occupation, marital status and race.
- The election survey: the party, known age, education, income and the size of the place.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import unveil as uv
from unveil import datasets
from unveil.datasets._surveys import _ADULT_COLUMNS, _INTERNET_COLUMNS, ADULT_QUASI, INTERNET_QUASI
from unveil.microdata import Kind

ARX_COLUMNS = {"sex", "age", "race", "marital-status", "education", "native-country", "workclass"}


def test_adult(real_data: Path) -> None:
    proposal = uv.propose(real_data / "adult" / "adult.data", columns=_ADULT_COLUMNS)
    assert set(proposal.quasi) == {
        *ADULT_QUASI, "sex", "race", "workclass", "relationship",
    }  # fmt: skip
    assert proposal.sensitive == ("income_level", "occupation")
    assert proposal["education_num"].reason == "it has the same content as 'education'"
    assert proposal["final_weight"].reason.startswith("a weight in the survey")
    assert "'?' in 6% of the rows" in proposal["occupation"].reason
    assert proposal.missing == "drop"
    assert {name for name, tree in proposal.hierarchies.items() if tree.is_file()} == {
        *proposal.quasi, *proposal.sensitive,
    } - {"age", "hours_per_week"}  # fmt: skip


def test_adult_as_arx_ships_it(real_data: Path) -> None:
    proposal = uv.propose(real_data / "adult_arx" / "adult.csv")
    assert set(proposal.quasi) == ARX_COLUMNS
    assert proposal.sensitive == ("salary-class", "occupation")


def test_adult_reads_as_its_own_reader_has_it(real_data: Path) -> None:
    project = uv.propose(real_data / "adult" / "adult.data", columns=_ADULT_COLUMNS).project()
    tables = {table.sensitive.name: table for table in project.microdata()}
    assert {len(table) for table in tables.values()} == {30_162}  # the complete ones of this file
    of_reader = datasets.adult(real_data).take(range(30_162))
    for name in (*ADULT_QUASI, "occupation"):
        ours, theirs = tables["occupation"][name], of_reader[name]
        assert ours.kind is theirs.kind
        assert (ours.decode() == theirs.decode()).all()


def test_internet_usage(real_data: Path) -> None:
    file = real_data / "internet_usage" / "internet.data"
    proposal = uv.propose(file, columns=_INTERNET_COLUMNS, delimiter="\t")
    assert set(proposal.quasi) == {*INTERNET_QUASI, "gender"}
    assert proposal.sensitive == ("household_income",)
    assert proposal["age"].missing_values == ("Not-Say",)
    assert proposal["household_income"].reason.endswith("16% declined to answer")
    project = proposal.project()
    read, known = project.microdata()[0], datasets.internet_usage(real_data)
    assert len(read) == 9_799
    for name in (*INTERNET_QUASI, "household_income"):
        assert read[name].texts == known[name].texts
        assert (read[name].codes == known[name].codes).all()


def test_all_of_internet_usage(real_data: Path) -> None:
    names = [_INTERNET_COLUMNS.get(place, f"q{place}") for place in range(72)]
    proposal = uv.propose(real_data / "internet_usage" / "internet.data", columns=names,
                          delimiter="\t")  # fmt: skip
    assert proposal.identifier == ("q71",)
    # q31 has countries and continents; q60 has sexual orientations: nobody named these columns.
    assert set(proposal.quasi) == {*INTERNET_QUASI, "gender", "q31"}
    assert proposal.sensitive == ("q60", "household_income")


@pytest.mark.parametrize("name", ["adult/adult.data", "internet_usage/internet.data"])
def test_files_without_a_header_are_refused(real_data: Path, name: str) -> None:
    with pytest.raises(uv.UnveilError, match="columns="):
        uv.propose(real_data / name)


def test_the_election_survey() -> None:
    file = Path(datasets.__file__).parent / "election_survey.csv"
    proposal = uv.propose(file)
    assert proposal.quasi == ("age", "education", "income", "population")
    assert proposal.sensitive == ("party", "vote")
    read, known = proposal.project().microdata()[0], datasets.election_survey()
    for name in (*proposal.quasi, "party"):
        assert (read[name].decode() == known[name].decode()).all()
    for name in proposal.quasi:
        assert read[name].texts == known[name].texts
    assert proposal["income"].kind is Kind.ORDINAL
