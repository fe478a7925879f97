"""Membership inference: can an attacker tell whose records are in the data?"""

from typing import TYPE_CHECKING

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.membership._finding import Membership
    from unveil.attacks.membership._membership import membership
    from unveil.attacks.membership._roc import Separation


ATTACKERS = {
    "covered": "looks whether published cells cover the person",
    "covered-value": "looks whether published cells cover the person and come with their "
    "sensitive value",
    "release": "lets a model predict the person's sensitive value from the release",
    "population": "compares such predictions with those from a sample of other people, sanitized "
    "the same way",
    "removal": "compares predictions from two releases between which one person left",
}
"""The attackers, those who need least first; the texts continue "an attacker who …"."""

MEMBERSHIP = Figure(
    name="membership",
    title="told to be in the data",
    says="how well an attacker who has the release, and perhaps a sample of other people, tells "
    "who is in the data (area under the ROC curve; 0.5 is guessing, 1 is certainty)",
    question=Question.LINKABILITY,
    at_most_one=True,
    averages=True,
    breach=Breach(
        says="an attacker with one release tells people who are in the data from others with an "
        "area under the ROC curve of {value}, where 0.5 is guessing",
        above=0.55, chance=0.5,
    ),
)  # fmt: skip

REMOVAL = Figure(
    name="membership_removal",
    title="told to have left the data",
    says="how well an attacker who compares predictions from two releases between which one person "
    "left tells who was in the data (area under the ROC curve; 0.5 is guessing, 1 is certainty)",
    question=Question.LINKABILITY,
    at_most_one=True,
    averages=True,
    breach=Breach(
        says="an attacker with two releases tells that a person has left the data with an area "
        "under the ROC curve of {value}, where 0.5 is guessing",
        above=0.55, chance=0.5,
    ),
)  # fmt: skip

THREATS = {
    MEMBERSHIP: tuple(name for name in ATTACKERS if name != "removal"),
    REMOVAL: ("removal",),
}
"""Which attackers a figure is about. One release and two are different threats."""

DECLARATION = Declaration(
    name="membership",
    function="unveil.attacks.membership._membership:membership",
    title="Membership inference: can attackers tell who is in the data",
    help="Test whether an attacker can tell whose records are in the data.",
    questions=(Question.LINKABILITY,),
    fits=("cells", "groups", "averages", "answers", "counts", "tables"),
    figures=(MEMBERSHIP, REMOVAL),
    means="Some people's records are anonymized and published, others are held out. Attackers who "
    "know a person must say which of the two it is. The simplest look whether published cells "
    "cover the person. Others compare what models predict, also with a sample of other people. All "
    "of these need one release. A different threat is an attacker who has a second release that "
    "one person has left. The area under the ROC curve is how often an attacker ranks somebody who "
    "is in the data above somebody who is not. One half is guessing.",
    assumes="People who are held out are of the same kind as those in the table.",
    order=70,
    first_look=True,
    original_adds="whether an attacker can tell who is in the table",
    examples="""
All attackers against one sanitizer:

    unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --plot roc.png

A program of others, and attackers that need two runs of it instead of one per person:

    unveil membership survey.csv --quasi age,zip,sex --sensitive income \\
           --oracle './anonymize {input} {output}' \\
           --attackers covered,covered-value,release,population

Members in one file, other people in another:

    unveil membership members.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --held-out others.csv --recode 'sex=F->Female|M->Male'
""",
)


__all__, __getattr__ = lazily(__name__)
