"""The numbers that an audit compares releases by, and that thresholds can be set on.

Each has one short name, as it is typed (``delta``, ``k``), a title, and a sentence that says what
it is. The three *questions* are those that European guidance asks of an anonymization (Article 29
Working Party, Opinion 05/2014): can somebody be singled out, can records be linked to a person,
can something be inferred about one? The fourth is what is left to use.
"""

from __future__ import annotations

from unveil.attacks.definetti import REWEIGHTED
from unveil.attacks.differential import DELTA, MEAN_D, OVER
from unveil.attacks.inference import ACCURACY, GAIN
from unveil.attacks.linkage import LINKED, ONE_VALUE
from unveil.attacks.membership import MEMBERSHIP
from unveil.attacks.minimality import ABOVE_PROMISE
from unveil.attacks.relative_risk import GR, RELATIVE_RISK
from unveil.errors import InputError, did_you_mean
from unveil.findings import Figure, Question
from unveil.measures import (
    PROSECUTOR,
    PROSECUTOR_MEAN,
    UNIQUE,
    K,
)
from unveil.registry import audited

__all__ = ["FIGURES", "Figure", "Question", "figure_named"]


def _listed(*figures: Figure) -> dict[str, Figure]:
    """The figures by name, and those of plug-ins with the others of the same question."""
    added = [figure for one in audited().values() if one.plugin for figure in one.figures]
    listed = [*figures, *added]
    return {one.name: one for question in Question for one in listed if one.question is question}


_SINGLED, _LINKED, _INFERRED, _USE = Question


FIGURES: dict[str, Figure] = _listed(
    K,
    UNIQUE,
    PROSECUTOR,
    PROSECUTOR_MEAN,
    LINKED,
    ONE_VALUE,
    MEMBERSHIP,
    DELTA,
    MEAN_D,
    OVER,
    GR,
    RELATIVE_RISK,
    ACCURACY,
    GAIN,
    REWEIGHTED,
    ABOVE_PROMISE,
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
