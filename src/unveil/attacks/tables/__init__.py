"""Tables of totals: what follows from them about hidden cells and about people."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Follows, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.tables._consistent import Consistent, ContradictionError, Ends
    from unveil.attacks.tables._finding import TablesFinding
    from unveil.attacks.tables._tables import tables

DISCLOSED = Figure(
    name="disclosed_cells",
    title="hidden cells that follow",
    says="share of the hidden cells whose number follows exactly from what is published",
    question=Question.SINGLING_OUT,
    share=True,
    follows_from=Follows.RELEASE,
    breach=Breach(says="the numbers of {value} of the hidden cells follow from what is published"),
)
ALONE = Figure(
    name="surely_alone",
    title="surely alone",
    says="share of the people of whom it follows that nobody else has their quasi-identifiers",
    question=Question.SINGLING_OUT,
    share=True,
    follows_from=Follows.RELEASE,
    breach=Breach(
        says="it follows from the tables that {value} of the people are the only ones with their "
        "quasi-identifiers",
    ),
)
TOLD = Figure(
    name="surely_told",
    title="value that follows",
    says="share of the people whose sensitive value follows from the tables, for somebody who "
    "knows their quasi-identifiers and that they are counted",
    question=Question.INFERENCE,
    share=True,
    follows_from=Follows.RELEASE,
    breach=Breach(
        says="the sensitive value of {value} of the people follows from the tables, for an "
        "attacker who knows their quasi-identifiers",
    ),
)

DECLARATION = Declaration(
    name="tables",
    function="unveil.attacks.tables._tables:tables",
    title="Tables of totals: what follows from them",
    help="Find out which hidden cells, and what about people, follows from tables of totals.",
    questions=(Question.SINGLING_OUT, Question.INFERENCE),
    fits=("tables",),
    figures=(DISCLOSED, ALONE, TOLD),
    means="A hidden or rounded cell may still follow from totals and from other tables. An "
    "attacker considers every table of people that has all the published counts. What holds in "
    "all of them holds for sure: how small and how large a hidden cell can be, that somebody is "
    "alone, that everybody with some quasi-identifiers has the same sensitive value.",
    assumes="The tables are about the same people, and nothing in them is untrue. The attacker "
    "knows how cells were hidden and rounded, and who is counted.",
    order=105,
    original_adds="how many people a combination of quasi-identifiers stands for",
    examples="""
All tables of two columns, with cells under 5 hidden and the others rounded to 5:

    unveil tables patients.csv --quasi age,zip,sex --sensitive disease \\
           --sanitizer 'cross-tables:tables=age*disease|zip*disease|age*sex,suppress=5,round=5'
""",
)


__all__, __getattr__ = lazily(__name__)
