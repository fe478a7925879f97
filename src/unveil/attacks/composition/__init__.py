"""Composition: several releases about the same people, put together."""

from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily
from unveil.findings import Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.composition._composition import composition
    from unveil.attacks.composition._finding import Composition


DETERMINED = Figure(
    name="determined",
    title="one value left",
    says="share of the people whose sensitive value follows from all releases together",
    question=Question.LINKABILITY,
    share=True,
)
BELOW_K = Figure(
    name="below_k",
    title="below k",
    says="share of the people who are left with fewer than k candidates",
    question=Question.LINKABILITY,
    share=True,
)

DECLARATION = Declaration(
    name="composition",
    function="unveil.attacks.composition._composition:composition",
    title="Composition: what several releases reveal together",
    help="Put two or more releases about the same people together: who is left with fewer than k "
    "candidates, or with one sensitive value?",
    questions=(Question.LINKABILITY, Question.INFERENCE),
    fits=("cells", "groups"),
    figures=(DETERMINED, BELOW_K),
    means="An attacker who knows that a person is in all the tables keeps only what fits all "
    "releases. Each release may meet its goal while all of them together do not. The original "
    "table has people who are in all the tables; a release may be of that table, or of a larger "
    "one.",
    assumes="Everybody is in all the tables, with the same sensitive value in each, and published "
    "values are true.",
    order=75,
    examples="""
Two hospitals, and a table of people who were in both:

    unveil composition --published city=city.csv --published county=county.csv \\
           --quasi age,zip,sex --sensitive disease --external people.csv --identifier name

The same table published twice:

    unveil composition patients.csv --quasi age,zip,sex --sensitive disease \\
           --sanitizer mondrian:k=5 --sanitizer recoding:k=5,suppression=0.05 --plot left.png

If a column tells which records are the same person's, the numbers are exact:

    unveil composition both.csv --quasi age,zip,sex --sensitive disease \\
           --published city.csv --published county.csv --pseudonym id --k 5
""",
)


__all__, __getattr__ = lazily(__name__)
