"""Regenerate the election survey that unveil ships, from the extract statsmodels carries.

Run it where statsmodels is installed (unveil itself does not need it)::

    pip install statsmodels
    python tools/convert_election_survey.py

It writes ``election_survey.csv`` and ``hierarchies/`` into ``src/unveil/datasets`` (or into the
folder given as its only argument). The source is the 1996 American National Election Study:
944 respondents who named a vote for Clinton or Dole and left no question open. It is in the
public domain. Records keep the order of the source; numbered answers become words and five
columns are left out (days of television news, three left-right placements, and ``logpopul``,
which is ``popul`` again).

The words follow the note that statsmodels prints, but for one place: the note calls the education
codes 5, 6 and 7 college, master's and PhD, which would give 13 % of the respondents a doctorate.
The other public copy of this extract (``nes96`` in the R package faraway) has community-college,
bachelor's and master's-or-above degrees for them, and so has this one.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

# Code: the value and what it generalizes to. Two wide nodes beneath the top, because an algorithm
# that cuts a group into a node's children can only do so while every child is large enough.
EDUCATION = {
    1: ("8 grades or less", "No high school diploma", "No college degree"),
    2: ("Some high school", "No high school diploma", "No college degree"),
    3: ("High school", "High school or some college", "No college degree"),
    4: ("Some college", "High school or some college", "No college degree"),
    5: ("Associate degree", "Undergraduate degree", "College degree"),
    6: ("Bachelor's degree", "Undergraduate degree", "College degree"),
    7: ("Advanced degree", "Advanced degree", "College degree"),
}

LOWER_BOUNDS = (
    0, 3_000, 5_000, 7_000, 9_000, 10_000, 11_000, 12_000, 13_000, 14_000, 15_000, 17_000,
    20_000, 22_000, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000, 60_000, 75_000, 90_000,
    105_000,
)  # fmt: skip
# Coarser brackets must begin where a finer one begins, or the tree would not be one.
COARSER_BOUNDS = (
    (0, 10_000, 15_000, 25_000, 35_000, 50_000, 75_000),
    (0, 25_000, 50_000),
)

PARTY = {
    0: "Strong Democrat",
    1: "Weak Democrat",
    2: "Independent Democrat",
    3: "Independent",
    4: "Independent Republican",
    5: "Weak Republican",
    6: "Strong Republican",
}
VOTE = {0: "Clinton", 1: "Dole"}


def bracket(amount: int, bounds: tuple[int, ...]) -> str:
    """Name the bracket that an amount of dollars falls into.

    >>> [bracket(a, (0, 25_000, 50_000)) for a in (9_000, 25_000, 60_000)]
    ['Under $25,000', '$25,000-$49,999', '$50,000 and over']
    """
    at = max(i for i, bound in enumerate(bounds) if bound <= amount)
    if at == 0:
        return f"Under ${bounds[1]:,}"
    if at == len(bounds) - 1:
        return f"${bounds[at]:,} and over"
    return f"${bounds[at]:,}-${bounds[at + 1] - 1:,}"


INCOME = {
    code: tuple(bracket(bound, bounds) for bounds in (LOWER_BOUNDS, *COARSER_BOUNDS))
    for code, bound in enumerate(LOWER_BOUNDS, start=1)
}


def write(folder: Path) -> None:
    """Write the table and its two hierarchies into a folder."""
    from statsmodels.datasets import anes96

    survey = anes96.load_pandas().data.astype({"popul": int, "age": int})
    hierarchies = folder / "hierarchies"
    hierarchies.mkdir(parents=True, exist_ok=True)

    with (folder / "election_survey.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["age", "education", "income", "population", "party", "vote"])
        for person in survey.itertuples():
            rows.writerow(
                [
                    person.age,
                    EDUCATION[int(person.educ)][0],
                    INCOME[int(person.income)][0],
                    person.popul,
                    PARTY[int(person.PID)],
                    VOTE[int(person.vote)],
                ]
            )

    for name, paths in (("education", EDUCATION), ("income", INCOME)):
        lines = [";".join([*paths[code], "*"]) for code in sorted(paths)]
        (hierarchies / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent / "src" / "unveil" / "datasets"
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
