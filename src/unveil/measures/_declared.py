"""What an audit measures: the figures and declarations of three measures.

Light imports only: ``unveil --help`` reads this module.
"""

from unveil.findings import Breach, Figure, Follows, Question
from unveil.registry import Declaration

_SINGLED, _INFERRED, _USE = Question.SINGLING_OUT, Question.INFERENCE, Question.UTILITY
_QUASI, _RELEASE = Follows.QUASI, Follows.RELEASE

K = Figure(
    name="k", title="k", question=_SINGLED, lower_is_better=False,
    follows_from=_QUASI,
    says="the number of records in the smallest class, of people where a person has several: "
    "nobody can be told from fewer",
)  # fmt: skip
K_ALL_ROWS = Figure(
    name="k_all_rows", title="k, all rows known", question=_SINGLED, lower_is_better=False,
    follows_from=_QUASI, of_several=True,
    says="the fewest people who have as many rows in the same classes, for an attacker who knows "
    "all rows of a person: k, where each has one row",
)  # fmt: skip
UNICITY = Figure(
    name="unicity", title="alone with four rows", question=_SINGLED, share=True,
    follows_from=_QUASI, of_several=True,
    says="the share of the people whom four of their rows, drawn at random, single out (all rows "
    "of those who have fewer)",
    breach=Breach(
        says="whoever knows four rows of a person, drawn at random, singles out {value} of the "
        "people",
    ),
)  # fmt: skip
UNIQUE = Figure(
    name="unique", title="unique", question=_SINGLED, share=True,
    follows_from=_QUASI,
    says="the share of the records that are alone in their class",
    breach=Breach(
        says="{value} of the records are alone in their class, so whoever knows the "
        "quasi-identifiers of such a person isolates the record",
    ),
)  # fmt: skip
PROSECUTOR = Figure(
    name="prosecutor", title="worst re-identification risk", question=_SINGLED, share=True,
    follows_from=_QUASI,
    says="the probability that the worst-placed record is found by an attacker who knows that it "
    "is in the table",
    breach=Breach(
        says="an attacker who knows a person's quasi-identifiers, and that they are in the table, "
        "picks their record with a probability of up to {value}",
        above=0.5,
    ),
)  # fmt: skip
PROSECUTOR_MEAN = Figure(
    name="prosecutor_mean", title="mean re-identification risk", question=_SINGLED, share=True,
    follows_from=_QUASI,
    says="the same on average over all records",
)  # fmt: skip
L = Figure(
    name="l", title="ℓ", question=_INFERRED, lower_is_better=False,
    follows_from=_RELEASE,
    says="the fewest different sensitive values in a class",
)  # fmt: skip
L_ENTROPY = Figure(
    name="l_entropy", title="ℓ entropy", question=_INFERRED, lower_is_better=False,
    follows_from=_RELEASE,
    says="the same, as if so many were equally likely",
)  # fmt: skip
ALPHA = Figure(
    name="alpha", title="α", question=_INFERRED, share=True,
    follows_from=_RELEASE,
    says="the largest share of one sensitive value in a class",
    # Of shares below 1 it says nothing: most of a class may have what most people have.
    breach=Breach(
        says="in some class all are published with the same sensitive value, so whoever knows the "
        "quasi-identifiers of such a person, and that they are in the table, reads off what is "
        "published of them",
        above=1 - 1e-6, only_yes=True,
    ),
)  # fmt: skip
T = Figure(
    name="t", title="t", question=_INFERRED, at_most_one=True,
    follows_from=_RELEASE,
    says="the largest distance of the sensitive values of a class from those of the whole table",
)  # fmt: skip
BETA = Figure(
    name="beta", title="β", question=_INFERRED,
    follows_from=_RELEASE,
    says="the largest relative gain of a sensitive value's share in a class",
)  # fmt: skip
MEAN_CLASS = Figure(
    name="mean_class", title="mean class", question=_USE,
    follows_from=_QUASI,
    says="the number of records in a class, on average",
)  # fmt: skip
DISCRIMINATION = Figure(
    name="discrimination", title="discrimination rate", question=_INFERRED, at_most_one=True,
    follows_from=_RELEASE,
    says="how much the quasi-identifiers narrow down the sensitive value (0: not at all, 1: to "
    "one)",
)  # fmt: skip
LOSS = Figure(
    name="loss", title="information loss", question=_USE, share=True,
    follows_from=_QUASI,
    says="how much of their domains the published cells cover, on average (0: exact, 100%: "
    "everything)",
)  # fmt: skip
SUPPRESSED = Figure(
    name="suppressed", title="suppressed", question=_USE, share=True,
    follows_from=_QUASI,
    says="the share of the records that are not published, or have no cell that says anything",
)  # fmt: skip

CLASSICAL = (
    K, UNIQUE, PROSECUTOR, PROSECUTOR_MEAN, L, L_ENTROPY, ALPHA, T, BETA, MEAN_CLASS,
)  # fmt: skip

BY_PERSON = (K_ALL_ROWS, UNICITY)
"""Besides, where a person has several rows."""

_MEASURES = Declaration(
    name="measures",
    function="unveil.measures._measures:measures",
    title="Classes: how many people look alike",
    help="Measure tables by their classes: k, ℓ, t, re-identification risk, discrimination rate.",
    questions=(_SINGLED, _INFERRED),
    fits=("cells", "groups", "averages", "answers"),
    figures=(*CLASSICAL, *BY_PERSON),
    means="Records with the same published cells form a class. Nobody can be told from the others "
    "in a class (k-anonymity: the smallest class has k records). If nearly all of them have the "
    "same sensitive value, it is known all the same (ℓ-diversity: the fewest different values in a "
    "class; t-closeness: how far a class is from the whole table). Re-identification risk is one "
    "over the size of a person's class.",
    assumes="The attacker knows the quasi-identifiers, and that the person is in the table. What "
    "else they know is not taken into account.",
    order=80,
    default=True,
)

_DISCRIMINATION_RATE = Declaration(
    name="discrimination-rate",
    function="unveil.measures.discrimination._ranking:discrimination_rates",
    title="Discrimination rate: how much the known attributes tell",
    help="Rank sets of quasi-identifiers by how much they tell of the sensitive value.",
    questions=(_INFERRED,),
    fits=("cells", "groups", "averages", "answers"),
    figures=(DISCRIMINATION,),
    means="The discrimination rate is the share of the uncertainty about the sensitive value that "
    "is gone for an attacker who knows the published cells of some columns: 0 if they say nothing, "
    "1 if they say all.",
    assumes="The attacker knows which published record is the person's. What is true of the whole "
    "population is counted as well: a rate alone is no breach.",
    order=90,
    default=True,
    in_audit={"at_most": None},  # all keys together, too: that is the figure
    examples="""
    unveil discrimination-rate --published published.csv --quasi age,zip,sex --sensitive income

Pairs of columns of two releases, for an attacker who wants to know whether the income is low:

    unveil discrimination-rate survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --at-most 2 \\
           --partition low:0-20,high:20-
""",
)

_UTILITY = Declaration(
    name="utility",
    function="unveil.measures._utility:utility",
    title="Utility: what is left to use",
    help="Measure what a release has lost: information, entropy, records, what a model learns.",
    questions=(_USE,),
    fits=("cells", "answers"),
    figures=(LOSS, SUPPRESSED),
    means="Information loss is how much of a column's domain the published cells cover, on "
    "average: 0 if every value is published as it is, 100% if every cell covers everything.",
    assumes="All values of a column, and all columns, matter alike.",
    order=100,
    default=True,
    original_adds="how much was lost, and how many records were left out",
    examples="""
    unveil utility survey.csv --quasi age,zip,sex --sensitive income --published published.csv

What a classifier still learns from two sanitizers:

    unveil utility survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --classifier
""",
)

DECLARATION = (_MEASURES, _DISCRIMINATION_RATE, _UTILITY)
