"""Linkage: people with names against a release."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Follows, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.linkage._finding import Linkage, Links, Right
    from unveil.attacks.linkage._linkage import linkage
    from unveil.attacks.linkage._people import PersonLinkage, RightPeople, RowLinks


LINKED = Figure(
    name="linked",
    title="linked to one person",
    says="share of the people who are linked to a single record by their quasi-identifiers; where "
    "a person has several rows, to a single person by one of them",
    question=Question.LINKABILITY,
    share=True,
    follows_from=Follows.QUASI,
    breach=Breach(
        says="an attacker with a list of names and quasi-identifiers links {value} of the people "
        "to a single record or person",
    ),
)
LINKED_ALL_ROWS = Figure(
    name="linked_all_rows",
    title="linked, all rows known",
    says="share of the people who are linked to a single person by all of their rows together",
    question=Question.LINKABILITY,
    share=True,
    follows_from=Follows.QUASI,
    of_several=True,
    breach=Breach(
        says="an attacker with a list of names and all rows of the people links {value} of them to "
        "a single person",
    ),
)
ONE_VALUE = Figure(
    name="one_value",
    title="linked to one value",
    says="share of the people who are linked to a single sensitive value; where a person has "
    "several rows, also to those of a single person",
    question=Question.LINKABILITY,
    share=True,
    follows_from=Follows.RELEASE,
    averages=True,
    breach=Breach(
        says="an attacker with a list of names and quasi-identifiers finds the sensitive value of "
        "{value} of the people",
        question=Question.INFERENCE,
    ),
)

DECLARATION = Declaration(
    name="linkage",
    function="unveil.attacks.linkage._linkage:linkage",
    title="Linkage: who can be found with a list of names",
    help="Look for people with names in a release: who is linked to one record or one value?",
    questions=(Question.LINKABILITY,),
    fits=("cells", "groups", "answers"),
    figures=(LINKED, ONE_VALUE, LINKED_ALL_ROWS),
    means="An attacker has a list with the names and the quasi-identifiers of all people of the "
    "table, such as a register. A person's candidates are the records whose cells cover that "
    "person. With one candidate the record is found. With several that all have the same sensitive "
    "value, the value is found.",
    assumes="The list is right and complete. With people on it who are not in the table, links are "
    "less certain.",
    order=60,
    default=True,
    original_adds="which links are right",
    examples="""
A register of voters against a published file; nothing else is known:

    unveil linkage --published published.csv --quasi age,zip,sex --sensitive disease \\
           --external voters.csv --identifier name

The same with the original, to count which links are right:

    unveil linkage patients.csv --quasi age,zip,sex --sensitive disease \\
           --published published.csv --external voters.csv --identifier name

The worst case, an attacker who knows everybody in the table, and two sanitizers:

    unveil linkage patients.csv --quasi age,zip,sex --sensitive disease \\
           --sanitizer mondrian:k=5 --sanitizer anatomy:l=3 --plot candidates.png

A register with other names for columns and values, and one person of it:

    unveil linkage --published published.csv --quasi age,zip,sex --sensitive disease \\
           --external voters.csv --identifier name --rename zip=postcode \\
           --recode 'sex=F->Female|M->Male' --about 'Ann Smith'
""",
)


__all__, __getattr__ = lazily(__name__)
