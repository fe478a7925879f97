"""The adversaries that can be asked for by name."""

from __future__ import annotations

from unveil.adversary._adversary import Adversary
from unveil.adversary._conditional_frequency import ConditionalFrequency
from unveil.adversary._naive_bayes import NaiveBayes
from unveil.errors import InputError, did_you_mean

__all__ = ["ADVERSARIES", "adversary_named"]

ADVERSARIES: dict[str, type[Adversary]] = {
    "naive-bayes": NaiveBayes,
    "conditional-frequency": ConditionalFrequency,
}


def adversary_named(adversary: Adversary | str) -> Adversary:
    """An adversary, or the built-in one of that name.

    >>> adversary_named("naive-bayes")
    NaiveBayes()
    """
    if isinstance(adversary, Adversary):
        return adversary
    if isinstance(adversary, str) and adversary in ADVERSARIES:
        return ADVERSARIES[adversary]()
    if isinstance(adversary, type) and issubclass(adversary, Adversary):
        raise InputError(
            f"{adversary.__name__} is a kind of adversary; make one: {adversary.__name__}()"
        )
    near = did_you_mean(adversary, ADVERSARIES) if isinstance(adversary, str) else ""
    raise InputError(
        f"no adversary {adversary!r}{near} (known: {', '.join(ADVERSARIES)}; "
        "or an unveil.adversary.Adversary of your own)"
    )
