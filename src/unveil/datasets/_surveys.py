"""Real surveys: one that is shipped with unveil, and public ones of published experiments.

The 1996 American National Election Study: 944 people gave their age, education, household income
and party identification. The extract is in the public domain. The copy was converted from the
Python package statsmodels (``anes96``) by ``tools/convert_election_survey.py``: same people, same
order, words instead of answer numbers. ``README.md`` beside the data documents the conversion.

The public tables are not shipped. Get the folders ``adult`` and ``internet_usage``, each with the
archive's files and a folder ``hierarchies``. Pass the folder above them, or set the environment
variable UNVEIL_DATA to it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from unveil.errors import File, InputError
from unveil.microdata import Microdata, read_csv, read_hierarchies, read_table

_FOLDER = Path(__file__).parent

_PARTIES = (
    "Strong Democrat",
    "Weak Democrat",
    "Independent Democrat",
    "Independent",
    "Independent Republican",
    "Weak Republican",
    "Strong Republican",
)


def election_survey() -> Microdata:
    """Read the 1996 election survey.

    Income was asked for in brackets, so it is ordinal: a range of brackets is a range of incomes.
    Education is categorical, because coarser words ("College degree") are published of it rather
    than ranges. Both have a hierarchy whose leaves ascend, and so their codes ascend.

    ============ ================ =========== ==============================================
    column       role             kind        values
    ============ ================ =========== ==============================================
    age          quasi-identifier numeric     19 to 91
    education    quasi-identifier categorical 7, hierarchy 7 - 4 - 2 - 1
    income       quasi-identifier ordinal     of the household, hierarchy 24 - 7 - 3 - 1
    population   quasi-identifier numeric     of the place, in thousands; 0 in the smallest
    party        sensitive        ordinal     7, from strong Democrat to strong Republican
    vote         other            categorical Clinton or Dole
    ============ ================ =========== ==============================================

    Returns
    -------
    Microdata
        944 records.

    Notes
    -----
    Source: the American National Election Study of 1996, in the public domain, converted from
    statsmodels' ``anes96``. Its three highest education levels have other names than in
    statsmodels; the README beside the data says why.

    Examples
    --------
    >>> from unveil.datasets import election_survey
    >>> survey = election_survey()
    >>> survey
    Microdata: 944 records from election_survey.csv
      age: quasi-identifier, numeric, 71 values
      education: quasi-identifier, categorical, 7 values, hierarchy of 4 levels
      income: quasi-identifier, ordinal, 24 values, hierarchy of 4 levels
      population: quasi-identifier, numeric, 99 values
      party: sensitive, ordinal, 7 values
      vote: other, categorical, 2 values
    >>> dict(zip(survey.sensitive.texts, survey.sensitive_counts.tolist()))
    {'Strong Democrat': 200, 'Weak Democrat': 180, 'Independent Democrat': 108,
     'Independent': 37, 'Independent Republican': 94, 'Weak Republican': 150,
     'Strong Republican': 175}
    """
    trees = read_hierarchies(_FOLDER / "hierarchies", ["education", "income"])
    return read_csv(
        _FOLDER / "election_survey.csv",
        quasi=("age", "education", "income", "population"),
        sensitive="party",
        numeric=("age", "population"),
        ordinal={"income": trees["income"].leaves, "party": _PARTIES},
        hierarchies=trees,
    )


INTERNET_QUASI = (
    "age", "country", "education_attainment", "major_occupation", "marital_status", "race",
)  # fmt: skip
ADULT_QUASI = ("age", "education", "marital_status", "hours_per_week", "native_country")

_INTERNET_COLUMNS = {
    1: "age",
    11: "country",
    18: "education_attainment",
    20: "gender",
    21: "household_income",
    32: "major_occupation",
    33: "marital_status",
    39: "race",
}
_ADULT_COLUMNS = (
    "age", "workclass", "final_weight", "education", "education_num", "marital_status",
    "occupation", "relationship", "race", "sex", "capital_gain", "capital_loss",
    "hours_per_week", "native_country", "income_level",
)  # fmt: skip


def public_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """The folder with public microdata: as given, or from UNVEIL_DATA."""
    given = folder if folder is not None else os.environ.get("UNVEIL_DATA")
    if given is None:
        raise InputError("the folder of public microdata is not known; give it, or set UNVEIL_DATA")
    if not Path(given).is_dir():
        raise InputError("the folder {folder} of public microdata does not exist",
                         folder=File(given))  # fmt: skip
    return Path(given)


def internet_usage(
    folder: str | os.PathLike[str] | None = None,
    *,
    quasi: Sequence[str] = INTERNET_QUASI,
    sensitive: str = "household_income",
    with_hierarchies: bool = True,
) -> Microdata:
    """The GVU survey of Internet users (1997): 9,799 respondents who gave their age.

    Parameters
    ----------
    folder : path, optional
        The folder that has ``internet_usage/internet.data`` (10,108 lines, tab separated);
        default: the environment variable UNVEIL_DATA.
    """
    here = public_folder(folder) / "internet_usage"
    return read_csv(
        here / "internet.data",
        quasi=quasi,
        sensitive=sensitive,
        hierarchies=here / "hierarchies" if with_hierarchies else None,
        missing="drop",
        missing_values={"age": ["Not-Say"]},
        delimiter="\t",
        encoding="latin-1",
        columns=_INTERNET_COLUMNS,
    )


def adult(
    folder: str | os.PathLike[str] | None = None,
    *,
    quasi: Sequence[str] = ADULT_QUASI,
    sensitive: str = "occupation",
    with_hierarchies: bool = True,
) -> Microdata:
    """The Adult extract of the 1994 census: the 45,222 complete records of both files.

    Parameters
    ----------
    folder : path, optional
        The folder that has ``adult/adult.data`` and ``adult/adult.test``; default: the
        environment variable UNVEIL_DATA.
    """
    here = public_folder(folder) / "adult"
    parts = [
        pd.read_csv(here / name, names=list(_ADULT_COLUMNS), skipinitialspace=True, skiprows=skip,
                    na_values=["?"], keep_default_na=False)
        for name, skip in (("adult.data", 0), ("adult.test", 1))  # the latter begins with a comment
    ]  # fmt: skip
    table = pd.concat(parts).dropna()
    table["income_level"] = table["income_level"].str.removesuffix(".")
    trees = here / "hierarchies" if with_hierarchies else None
    read = read_table(table, quasi=quasi, sensitive=sensitive, hierarchies=trees)
    return replace(read, source="Adult")
