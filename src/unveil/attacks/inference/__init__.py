"""Empirical inference: how well does an adversary guess, and is that a breach?"""

from typing import TYPE_CHECKING

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.inference._finding import Inference
    from unveil.attacks.inference._guesses import Guesses, TwoSides
    from unveil.attacks.inference._inference import inference


ACCURACY = Figure(
    name="accuracy",
    title="guessed",
    says="share of the people whose sensitive value an attacker guesses from the release",
    question=Question.INFERENCE,
    share=True,
    averages=True,
)
GAIN = Figure(
    name="gain",
    title="guessed beyond others",
    says="how much more often an attacker guesses right about people in the data than about people "
    "who are not",
    question=Question.INFERENCE,
    share=True,
    averages=True,
    below_zero=True,
    breach=Breach(
        says="an attacker who learns from the release guesses the sensitive value right {value} of "
        "the time more often about people in the data than about others",
        above=0.05,
    ),
)

DECLARATION = Declaration(
    name="inference",
    function="unveil.attacks.inference._inference:inference",
    title="Empirical inference: what an attacker guesses, and what anybody could",
    help="Test how well an attacker guesses sensitive values, and how much of that is a breach.",
    questions=(Question.INFERENCE,),
    fits=("cells", "groups", "averages", "answers", "counts", "tables"),
    figures=(ACCURACY, GAIN),
    means="An attacker learns from the release and guesses everybody's sensitive value. Some of it "
    "can be guessed by anybody who knows how frequent the values are. Some is true of similar "
    "people, whether they are in the table or not. Only what the attacker guesses better about "
    "people in the table than about others is given away by their own records.",
    assumes="People who are held out are of the same kind as those in the table. The attacker "
    "learns from the release alone.",
    order=20,
    default=True,
    first_look=True,
    original_adds="how often guesses about people are right, and how much better than without the "
    "release",
    examples="""
Everybody is held out once, by folds:

    unveil inference survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --adversary naive-bayes --adversary tree --plot guesses.png

A published file, and people who are not in it:

    unveil inference survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv --held-out others.csv
""",
)


__all__, __getattr__ = lazily(__name__)
