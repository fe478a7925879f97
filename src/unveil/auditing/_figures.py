"""The figures that an audit compares releases by, and that thresholds can be set on.

Each is declared beside the attack or measure that gives it. They are grouped by the questions that
European guidance asks of an anonymization (Article 29 Working Party, Opinion 05/2014): can somebody
be singled out, can records be linked to a person, can something be inferred about one? The fourth
is what the release is still good for.
"""

from __future__ import annotations

from unveil.errors import InputError, did_you_mean
from unveil.findings import Figure, Question
from unveil.registry import audited

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for question in Question
    for one in audited().values()
    for figure in one.figures
    if figure.question is question
}
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
            "no figure {name}{near} (known: {known})",
            name=repr(name.strip()), near=did_you_mean(plain, FIGURES), known=", ".join(FIGURES),
        )  # fmt: skip
    return FIGURES[plain]
