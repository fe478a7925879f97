"""What is published besides the columns that attacks use: identifiers, and columns without a role.

Light imports only: ``unveil --help`` reads this module.
"""

from typing import TYPE_CHECKING

from unveil._lazy import lazily
from unveil.findings import Figure, Follows, Question
from unveil.registry import Declaration

if TYPE_CHECKING:
    from unveil.measures.published._forms import form_of
    from unveil.measures.published._matching import HASHES, hash_of

IDENTIFIERS = Figure(
    name="identifiers", title="published identifiers", question=Question.SINGLING_OUT,
    never_above=0, follows_from=Follows.COLUMNS,
    says="the number of published columns that name people: their values are identifiers of the "
    "original, or look like names, e-mail addresses, telephone, account or official numbers",
)  # fmt: skip
REPEATED = Figure(
    name="repeated", title="repeated columns", question=Question.SINGLING_OUT, never_above=0,
    follows_from=Follows.COLUMNS,
    says="the number of published columns without a role that have the values of a "
    "quasi-identifier or of the sensitive column, which is published less exactly under its own "
    "name: generalizing it was for nothing",
)  # fmt: skip
EXTRA_ROWS = Figure(
    name="extra_rows", title="rows of unknown people", question=Question.SINGLING_OUT,
    never_above=0, follows_from=Follows.COLUMNS,
    says="0 if each row is another person's, or it is known whose the published rows are; "
    "otherwise not known: figures count rows, and say nothing about people who have several",
)  # fmt: skip
UNTRUE = Figure(
    name="untrue", title="untrue records", question=Question.SINGLING_OUT, never_above=0,
    follows_from=Follows.COLUMNS,
    says="0 if the published records can be those of the original; otherwise not known: attacks "
    "take published values to be true, and their figures are too small where they are not",
)  # fmt: skip
UNROLED = Figure(
    name="unroled", title="columns without a role", question=Question.SINGLING_OUT,
    follows_from=Follows.COLUMNS,
    says="the number of published columns that are neither quasi-identifiers nor sensitive: "
    "attacks assume that the attacker does not know them",
)  # fmt: skip

DECLARATION = Declaration(
    name="identifiers",
    function="unveil.measures.published._identifiers:identifiers",
    title="Identifiers: published columns that name people",
    help="Look for identifiers among all published columns, and list columns without a role.",
    questions=(Question.SINGLING_OUT,),
    fits=("cells", "groups", "averages", "answers", "counts", "tables"),
    figures=(IDENTIFIERS, REPEATED, EXTRA_ROWS, UNTRUE, UNROLED),
    means="A column that names people undoes any anonymization: whoever reads it needs no attack. "
    "So a release that publishes one fails, whatever the thresholds. The same goes for a column "
    "that repeats a quasi-identifier as it is. Other columns without a role are published as well, "
    "and no attack uses them.",
    assumes="Identifiers are recognized by their values: those of the original, or forms such as "
    "e-mail addresses. Names within longer texts, and pseudonyms that only others can resolve, are "
    "not recognized.",
    order=110,
    always=True,
    original_adds="whether a column repeats names or codes of the original under another name, "
    "whether somebody has several records, and whether the published values are true",
    examples="""
    unveil identifiers --published published.csv --quasi age,zip,sex --sensitive income

Compared with the original's identifiers, too:

    unveil identifiers survey.csv --quasi age,zip,sex --sensitive income --identifier name \\
           --published published.csv
""",
)

__all__, __getattr__ = lazily(__name__)
