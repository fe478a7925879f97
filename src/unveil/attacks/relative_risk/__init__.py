"""Relative risk: what an attacker learns about a person beyond what anyone can learn."""

from typing import TYPE_CHECKING, Any

from unveil._lazy import lazily
from unveil.findings import Breach, Figure, Question
from unveil.registry import Declaration, Output

if TYPE_CHECKING:
    from unveil.attacks.relative_risk._beliefs import (
        ROUNDING,
        Answer,
        attacker,
        given_tuple,
        joint_learner,
    )
    from unveil.attacks.relative_risk._boxes import boxes_of
    from unveil.attacks.relative_risk._chains import Chains
    from unveil.attacks.relative_risk._exact import (
        LIKELIHOODS,
        Likelihood,
        exact_answer,
        is_settled,
    )
    from unveil.attacks.relative_risk._finding import RelativeRisk
    from unveil.attacks.relative_risk._problem import (
        Horizontal,
        Problem,
        Vertical,
        horizontal_problem,
        vertical_problem,
    )
    from unveil.attacks.relative_risk._relative_risk import relative_risk
    from unveil.attacks.relative_risk._victim import Victim


GR = Figure(
    name="gr",
    title="GR",
    says="how many more people's true value is guessed by an attacker who knows that they are in "
    "the table than by someone who only learns from it, if each guesses the most likely value",
    question=Question.INFERENCE,
    share=True,
    averages=True,
    below_zero=True,
    breach=Breach(
        says="an attacker who knows that people are in the table guesses the sensitive value of "
        "{value} more of them than someone who only learns from it",
        above=0.05,
    ),
)
RELATIVE_RISK = Figure(
    name="relative_risk",
    title="worst relative risk",
    says="for the worst-placed of those whose true value is the most likely one to the attacker, "
    "the attacker's belief in it divided by the learner's",
    question=Question.INFERENCE,
)

DECLARATION = Declaration(
    name="relative-risk",
    function="unveil.attacks.relative_risk._relative_risk:relative_risk",
    title="Relative risk: what knowing that a person is in the table adds",
    help="Compare the beliefs of an attacker, who knows that a person is in the table, with what "
    "anyone learns from the release.",
    questions=(Question.INFERENCE,),
    fits=("cells", "groups"),
    figures=(GR, RELATIVE_RISK),
    means="Two people read the release. The learner asks about anyone with certain "
    "quasi-identifiers. The attacker knows that the victim is in the table. A "
    "person is at risk if the own sensitive value is the most likely one to the attacker. Their "
    "relative risk is how many times as credible it is to the attacker; of others there is none, "
    "and if nobody is at risk it is undefined. GR counts the "
    "people whose true value is the most likely one: how many more there are under the attacker, "
    "as a share of all. If several values are equally likely, one of them has to be picked, so "
    "each counts by its share. Where the model had to be sampled, GR and the worst relative risk "
    "have intervals, and are not known if the samples have not converged.",
    assumes="Every combination of the table's own values has its own probability, and both have "
    "priors worth one record each (α = β = 1). Among equally likely values one is picked at "
    "random.",
    order=30,
    default=True,
    budget="auto",
    outputs=(
        Output(
            name="traces",
            help="Save the traces of the panel for ArviZ (NetCDF).",
            suffixes=(".nc",),
            method="save_traces",
            needs=("arviz_base", "h5netcdf"),
            extra="arviz",
        ),
    ),
    first_look=True,
    original_adds="the risk of the people of the table, instead of people who may be in it",
    examples="""
What a published file gives away:

    unveil relative-risk survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv

Two candidates side by side, and the five worst-placed people of each:

    unveil relative-risk survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --worst 5

The two tables of Anatomy; the model shares strength between the columns' values:

    unveil relative-risk survey.csv --quasi age,zip,sex --sensitive income \\
           --anatomy records.csv --sensitive-table secrets.csv --likelihood naive-bayes

A person whom you know, from what was published alone:

    unveil relative-risk --published published.csv --quasi age,sex --sensitive income \\
           --victim age=34,sex=female --plot beliefs.png

Sampled in any case, and the chains drawn:

    unveil relative-risk survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv --exact never --traces traces.nc --plot chains.png \\
           --chart traces
""",
)


__all__, __getattr__ = lazily(__name__)
