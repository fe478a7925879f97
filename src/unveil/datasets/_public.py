"""Public microdata of published experiments, which unveil does not ship.

Get the folders ``adult`` and ``internet_usage``, each with the archive's files and a folder
``hierarchies``. Pass the folder above them, or set the environment variable UNVEIL_DATA to it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unveil.errors import File, InputError
from unveil.microdata import Microdata, read_csv, read_table

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
    import pandas as pd

    here = public_folder(folder) / "adult"
    parts = [
        pd.read_csv(
            here / name,
            names=list(_ADULT_COLUMNS),
            skipinitialspace=True,
            skiprows=skip,
            na_values=["?"],
            keep_default_na=False,
        )
        for name, skip in (("adult.data", 0), ("adult.test", 1))  # the latter begins with a comment
    ]
    table = pd.concat(parts).dropna()
    table["income_level"] = table["income_level"].str.removesuffix(".")
    read = read_table(
        table,
        quasi=quasi,
        sensitive=sensitive,
        hierarchies=here / "hierarchies" if with_hierarchies else None,
    )
    return replace(read, source="Adult")
