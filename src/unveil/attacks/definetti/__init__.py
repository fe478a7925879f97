"""The deFinetti attack and foreground knowledge: what groups tell about each other."""

from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily
from unveil.findings import Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.definetti._definetti import definetti
    from unveil.attacks.definetti._finding import DeFinetti


REWEIGHTED = Figure(
    name="reweighted",
    title="guessed within groups",
    says="share of the people whose sensitive value is guessed by what groups tell about each "
    "other",
    question=Question.INFERENCE,
    share=True,
    averages=True,
)

DECLARATION = Declaration(
    name="definetti",
    function="unveil.attacks.definetti._definetti:definetti",
    title="deFinetti attack: what groups tell about each other",
    help="Learn across the groups of a release who in a group has which of its values.",
    questions=(Question.INFERENCE,),
    fits=("cells", "groups"),
    figures=(REWEIGHTED,),
    means="A group has as many sensitive values as people, and the release does not say whose is "
    "which. An attacker who knows all people learns across groups what kind of people have which "
    "values, and re-weighs the values within each group. Their guesses are compared with the "
    "shares of each group, which is all that ℓ-diversity allows, and with the model alone.",
    assumes="Columns are about independent given the sensitive value (naive Bayes), and the "
    "attacker knows everybody's quasi-identifiers.",
    order=40,
    first_look=True,
    original_adds="how many people this attacker guesses right",
    examples="""
What a sanitizer would publish:

    unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer anatomy:l=3

The two tables of Anatomy alone, and the five records that are worst off:

    unveil definetti --quasi age,zip,sex --sensitive income \\
           --anatomy records.csv --sensitive-table secrets.csv --worst 5

A published file, and what ages alone tell:

    unveil definetti survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv --method foreground --by age
""",
)


__all__, __getattr__ = lazily(__name__)
