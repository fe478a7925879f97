"""The 1996 American National Election Study: a small real survey, shipped with unveil.

944 people gave their age, education, household income and party identification. The extract is in
the public domain. The copy was converted from the Python package statsmodels (``anes96``) by
``tools/convert_election_survey.py``: same people, same order, words instead of answer numbers.
``README.md`` beside the data documents the conversion.
"""

from __future__ import annotations

from pathlib import Path

from unveil.microdata import Microdata, read_csv, read_hierarchies

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
