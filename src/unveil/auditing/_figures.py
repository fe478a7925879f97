"""The numbers that an audit compares releases by, and that thresholds can be set on.

Each has one short name, as it is typed (``delta``, ``k``), a title, and a sentence that says what
it is. The three *questions* are those that European guidance asks of an anonymization (Article 29
Working Party, Opinion 05/2014): can somebody be singled out, can records be linked to a person,
can something be inferred about one? The fourth is what is left to use.
"""

from __future__ import annotations

from unveil.attacks.linkage import LINKED, ONE_VALUE
from unveil.errors import InputError, did_you_mean
from unveil.findings import Figure, Question
from unveil.measures import (
    ALPHA,
    BETA,
    DISCRIMINATION,
    L_ENTROPY,
    LOSS,
    MEAN_CLASS,
    PROSECUTOR,
    PROSECUTOR_MEAN,
    SUPPRESSED,
    UNIQUE,
    K,
    L,
    T,
)

__all__ = ["FIGURES", "Figure", "Question", "figure_named", "one_in"]


def _listed(*figures: Figure) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


_SINGLED, _LINKED, _INFERRED, _USE = Question


FIGURES: dict[str, Figure] = _listed(
    K,
    UNIQUE,
    PROSECUTOR,
    PROSECUTOR_MEAN,
    LINKED,
    ONE_VALUE,
    Figure(
        name="membership", title="told to be in the data", question=_LINKED, at_most_one=True,
        says="how well an attacker tells who is in the data (area under the curve; 0.5 is "
        "guessing, 1 is knowing)",
    ),
    Figure(
        name="delta", title="δ", question=_INFERRED, at_most_one=True, of_the_worst=True,
        says="how far the belief about the worst-placed person moves by that person's own record "
        "(0: not at all, 1: entirely)",
    ),
    Figure(
        name="mean_d", title="mean d", question=_INFERRED, at_most_one=True,
        says="how far beliefs move by people's own records, on average",
    ),
    Figure(
        name="over", title="moved by over 0.05", question=_INFERRED, share=True,
        says="the share of the people whose own record moves the belief about them by more than "
        "0.05",
    ),
    Figure(
        name="gr", title="GR", question=_INFERRED, share=True,
        says="how many more people's true value is the likeliest, or as likely as another, to an "
        "attacker who knows that they are in the table than to one who only learns from it",
    ),
    Figure(
        name="relative_risk", title="worst relative risk", question=_INFERRED,
        says="for the worst-placed person, the attacker's belief in the true value over the "
        "learner's",
    ),
    Figure(
        name="accuracy", title="guessed", question=_INFERRED, share=True,
        says="the share of the people whose sensitive value an attacker guesses from the release",
    ),
    Figure(
        name="gain", title="guessed beyond others", question=_INFERRED, share=True,
        says="how much more often he guesses right about the people in the data than about those "
        "who are not",
    ),
    Figure(
        name="reweighted", title="guessed within groups", question=_INFERRED, share=True,
        says="the share of the people whose sensitive value is guessed by what groups tell about "
        "each other",
    ),
    Figure(
        name="above_promise", title="above what was promised", question=_INFERRED, share=True,
        says="the share of the people of whom more is believed than the goal promised, by those "
        "who know how the release was made",
    ),
    L,
    L_ENTROPY,
    ALPHA,
    T,
    BETA,
    DISCRIMINATION,
    LOSS,
    SUPPRESSED,
    MEAN_CLASS,
)  # fmt: skip
"""All of them by name, in the order in which they are shown."""


def figure_named(name: str) -> Figure:
    """A figure by its name.

    >>> figure_named("delta").title
    'δ'
    >>> figure_named("detla")
    Traceback (most recent call last):
    unveil.errors.InputError: no figure 'detla'; did you mean 'delta'? (known: k, unique, ...
    """
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = {"δ": "delta", "ℓ": "l", "α": "alpha", "β": "beta"}.get(plain, plain)
    if plain not in FIGURES:
        raise InputError(
            f"no figure {name.strip()!r}{did_you_mean(plain, FIGURES)} (known: "
            f"{', '.join(FIGURES)})"
        )
    return FIGURES[plain]


def one_in(share: float, people: int) -> str:
    """A share as people say it.

    >>> one_in(0.05, 1000), one_in(0.4, 10), one_in(0.001, 1000), one_in(1.0, 10)
    ('1 person in 20', '4 people in 10', '1 person in 1,000', 'everybody')
    >>> one_in(0, 10), one_in(0.13, 1000), one_in(0.96, 1000)
    ('nobody', '1 person in 8', 'nearly everybody')
    """
    if share in (0, 1):
        return "everybody" if share else "nobody"
    if share > 0.15:
        tenths = round(10 * share)
        return "nearly everybody" if tenths == 10 else f"{tenths} people in 10"
    return f"1 person in {min(people, round(1 / share)):,}"
