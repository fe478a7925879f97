"""The numbers that an audit compares releases by, and that thresholds can be set on.

Each has one short name, as it is typed (``delta``, ``k``), a title, and a sentence that says what
it is. The three *questions* are those that European guidance asks of an anonymization (Article 29
Working Party, Opinion 05/2014): can somebody be singled out, can records be linked to a person,
can something be inferred about one? The fourth is what is left to use.
"""

from __future__ import annotations

from unveil.attacks.differential import DELTA, MEAN_D, OVER
from unveil.attacks.linkage import LINKED, ONE_VALUE
from unveil.errors import InputError, did_you_mean
from unveil.findings import Figure, Question

__all__ = ["FIGURES", "Figure", "Question", "figure_named"]


def _listed(*figures: Figure) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


_SINGLED, _LINKED, _INFERRED, _USE = Question


FIGURES: dict[str, Figure] = _listed(
    Figure(
        name="k", title="k", question=_SINGLED, lower_is_better=False,
        says="how many records the smallest class has: nobody can be told from fewer",
    ),
    Figure(
        name="unique", title="unique", question=_SINGLED, share=True,
        says="the share of the records that are alone in their class",
    ),
    Figure(
        name="prosecutor", title="worst re-identification risk", question=_SINGLED, share=True,
        says="how likely it is that the worst-placed record is found by somebody who knows that "
        "it is there",
    ),
    Figure(
        name="prosecutor_mean", title="mean re-identification risk", question=_SINGLED, share=True,
        says="the same on average over all records",
    ),
    LINKED,
    ONE_VALUE,
    Figure(
        name="membership", title="told to be in the data", question=_LINKED, at_most_one=True,
        says="how well an attacker tells who is in the data (area under the curve; 0.5 is "
        "guessing, 1 is knowing)",
    ),
    DELTA,
    MEAN_D,
    OVER,
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
    Figure(
        name="l", title="ℓ", question=_INFERRED, lower_is_better=False,
        says="the fewest different sensitive values in a class",
    ),
    Figure(
        name="l_entropy", title="ℓ entropy", question=_INFERRED, lower_is_better=False,
        says="the same, as if so many were equally likely",
    ),
    Figure(
        name="alpha", title="α", question=_INFERRED, share=True,
        says="the largest share of one sensitive value in a class",
    ),
    Figure(
        name="t", title="t", question=_INFERRED, at_most_one=True,
        says="how far the sensitive values of a class are from those of the whole table, at most",
    ),
    Figure(
        name="beta", title="β", question=_INFERRED,
        says="the largest relative gain of a sensitive value's share in a class",
    ),
    Figure(
        name="discrimination", title="discrimination rate", question=_INFERRED, at_most_one=True,
        says="how much the quasi-identifiers narrow down the sensitive value (0: not at all, 1: "
        "to one)",
    ),
    Figure(
        name="loss", title="information loss", question=_USE, share=True,
        says="how much of their domains the published cells cover, on average (0: exact, 100%: "
        "everything)",
    ),
    Figure(
        name="suppressed", title="suppressed", question=_USE, share=True,
        says="the share of the records that are not published, or have no cell that says anything",
    ),
    Figure(
        name="mean_class", title="mean class", question=_USE,
        says="how many records a class has, on average",
    ),
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
