"""Differential inference: what a person's own record gives away.

A. Kassem, G. Ács, C. Castelluccia (2018) and, with C. Palamidessi, 2019; and their comparison of
encodings.
"""

from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.attacks.differential._attack import Error, HowFar, Samples, differential_inference
    from unveil.attacks.differential._bounds import ShareBound, share_bound
    from unveil.attacks.differential._distances import DISTANCES, distance_named
    from unveil.attacks.differential._earth_movers import BoundDistance, Distance, EarthMovers
    from unveil.attacks.differential._encodings import EncodingComparison, compare_encodings
    from unveil.attacks.differential._finding import MAIN_THRESHOLD, DifferentialInference
    from unveil.attacks.differential._forecast import Forecast
    from unveil.attacks.differential._sampling import Sampling, TailProbabilities
    from unveil.attacks.differential._story import compared
    from unveil.attacks.differential._targets import chosen_targets


DELTA = Figure(
    name="delta",
    title="δ",
    says="how far belief about the worst-placed person moves by that person's own record (0: not "
    "at all, 1: entirely)",
    question=Question.INFERENCE,
    at_most_one=True,
    of_the_worst=True,
    breach=Breach(
        says="an attacker who learns from the release changes their belief about the worst-placed "
        "person by {value} of 1 because of that person's own record",
        above=0.05,
    ),
)
MEAN_D = Figure(
    name="mean_d",
    title="mean d",
    says="how far beliefs move by people's own records, on average",
    question=Question.INFERENCE,
    averages=True,
    at_most_one=True,
)
OVER = Figure(
    name="over",
    title="moved by over 0.05",
    says="share of the people whose own record moves belief about them by more than 0.05",
    question=Question.INFERENCE,
    averages=True,
    beyond_a_limit=True,
    share=True,
)
OVER_BOUND = Figure(
    name="over_bound",
    title="moved by over 0.05, at most",
    says="with 95 % confidence, at most this share of all people, tested or not, have a record "
    "that moves belief about them by more than 0.05",
    question=Question.INFERENCE,
    averages=True,
    beyond_a_limit=True,
    share=True,
    is_bound=True,
)

DECLARATION = Declaration(
    name="differential-inference",
    function="unveil.attacks.differential._attack:differential_inference",
    title="Differential inference: what a person's own record gives away",
    help="Test how much each person's own record gives them away, by leaving it out.",
    questions=(Question.INFERENCE,),
    fits=("cells", "groups", "averages", "answers", "counts", "tables"),
    figures=(DELTA, MEAN_D, OVER, OVER_BOUND),
    means="The sanitizer is run with and without each person's record, and both times an attacker "
    "says what they believe about the person's sensitive value. d is how far the belief moves; δ "
    "is the d of the worst-placed person. Where a person has several records, all of them are left "
    "out together, and the one about which belief moves most counts. What the attacker would have "
    "believed anyway, because it is true of similar people, is not counted.",
    assumes="The attacker knows the person's quasi-identifiers and learns from the release alone, "
    "and the same sanitizer would have been run without the person. Other attackers may be moved "
    "further, so try several.",
    order=10,
    default=True,
    budget="auto",
    first_look=True,
    compare="unveil.attacks.differential._story:compared",
    in_audit="unveil.attacks.differential._attack:audit_options",
    original_adds="how far a person's own record moves what is believed about them",
    examples="""
A first look:

    unveil differential-inference survey.csv --quasi age,zip,sex --sensitive income

A program of others, and three attackers:

    unveil differential-inference survey.csv --quasi age,zip,sex --sensitive income \\
           --oracle './anonymize {input} {output}' --budget '10 min' \\
           --adversary naive-bayes --adversary forest --adversary logistic

Two sanitizers, and the ten people whom each protects worst:

    unveil differential-inference survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --sanitizer mondrian:k=5,l=2 --worst 10

Missing values marked by a question mark, left out; everything as JSON:

    unveil differential-inference survey.csv --quasi age,zip,sex --sensitive income \\
           --missing drop --missing-values '?' --json - --records
""",
)


__all__, __getattr__ = lazily(__name__)
