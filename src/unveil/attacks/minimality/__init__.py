"""Minimality: what the way a sanitizer works tells beyond its output."""

from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.minimality._finding import Minimality
    from unveil.attacks.minimality._minimality import minimality


ABOVE_PROMISE = Figure(
    name="above_promise",
    title="above what was promised",
    says="share of the people about whom more is believed than the goal promised, by those who "
    "know how the release was made",
    question=Question.INFERENCE,
    share=True,
    averages=True,
    breach=Breach(
        says="an attacker who knows how the release was made believes more about {value} of the "
        "people than was promised",
    ),
)

DECLARATION = Declaration(
    name="minimality",
    function="unveil.attacks.minimality._minimality:minimality",
    title="Minimality: what the way a sanitizer works tells",
    help="Count what is believed about people by those who also know how the release was made.",
    questions=(Question.INFERENCE,),
    fits=("cells",),
    figures=(ABOVE_PROMISE,),
    means="A sanitizer generalizes no more than its goal demands. Where it did not cut further, a "
    "finer cut must have missed the goal, and that says something about who has which sensitive "
    "value. Of all ways to give the published values to the people of each class, those are kept "
    "of which the sanitizer makes the same release. The goal promises that no belief about a "
    "person exceeds a bound; for some people it may.",
    assumes="The attacker knows everybody's quasi-identifiers, the program, and its goal.",
    order=50,
    original_adds="what follows from knowing how the release was made",
    examples="""
What a sanitizer would publish:

    unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5,l=2

What was published, and what is believed about the person in row 17:

    unveil minimality survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5,l=2 --published published.csv --about 17
""",
)


__all__, __getattr__ = lazily(__name__)
