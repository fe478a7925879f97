"""What to change: who is at risk, and which coarser columns would help.

Light imports only: ``unveil --help`` reads this module.
"""

from unveil.findings import Question
from unveil.registry import Declaration

DECLARATION = Declaration(
    name="remedies",
    function="unveil.measures.trials._remedies:remedies",
    title="What to change: who is at risk, and which coarser columns would help",
    help="Say who is at risk by the classes of a release, and try coarser columns one by one.",
    questions=(Question.SINGLING_OUT, Question.INFERENCE, Question.UTILITY),
    fits=("cells", "answers"),
    figures=(),
    means="People are at risk who look like few others, or whose class has a single sensitive "
    "value. Each published column is tried in coarser forms: wider bands, a higher level of its "
    "hierarchy, fewer characters, the highest, lowest or rare values as one, or left out. A trial "
    "counts the classes that would be left, and the information that it costs. Nothing else is "
    "tried: audit the changed release before it is published.",
    assumes="The attacker knows the published cells of a person and no more. A trial coarsens all "
    "cells of a column alike, after everything else was done; a sanitizer that is told to coarsen "
    "the column may do better. All columns matter alike for the information loss.",
    order=120,
    default=True,
    examples="""
    unveil remedies --published published.csv --quasi age,zip,sex --sensitive income

With the original, and classes of at least 10:

    unveil remedies survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv --least 10
""",
)
