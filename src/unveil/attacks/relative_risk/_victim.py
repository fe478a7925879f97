"""One victim: what the learner and the attacker believe about somebody with these values."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil._text import harmless
from unveil.attacks.relative_risk._domain import Domain
from unveil.errors import InputError, did_you_mean
from unveil.microdata import MISSING, Column, value_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["LEVEL", "Victim", "check_inside", "described", "free_name"]

LEVEL = 0.95
"""Of credible intervals."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Victim:
    """What is believed about the sensitive value of somebody whose other values are known.

    Attributes
    ----------
    who : dict of str to str
        The victim's quasi-identifiers.
    values : tuple of str
        The sensitive values; all arrays are in their order.
    attacker, learner : array
        p_A and p_L: with and without knowing that the victim is in the table. The attacker's are
        nan if no group of the release covers the victim.
    attacker_interval, learner_interval : arrays (low and high × sensitive values)
        Credible intervals of 95 %. The learner's is of the share of people like the victim who
        have the value, in the population. The attacker's is of what he would believe if he saw
        what the sampler sees: all other rows (collapsed), or the population (Gibbs). It has no
        width where these would tell him nothing. Both are nan if the beliefs are exact and chains,
        which have to find the intervals, do not come to an answer.
    error : float
        The largest Monte Carlo standard error of ``attacker`` and ``learner``; 0 if exact.
    converged : bool
        Whether the chains had come to an answer about the victim.
    """

    who: dict[str, str]
    sensitive: str
    values: tuple[str, ...]
    attacker: NDArray[np.float64]
    learner: NDArray[np.float64]
    attacker_interval: NDArray[np.float64]
    learner_interval: NDArray[np.float64]
    error: float
    converged: bool

    @property
    def is_covered(self) -> bool:
        """Whether any group may have the victim's row."""
        return not bool(np.isnan(self.attacker).any())

    @property
    def relative_risk(self) -> NDArray[np.float64]:
        """p_A / p_L of each sensitive value."""
        return self.attacker / self.learner

    def to_frame(self) -> pd.DataFrame:
        """One row a sensitive value."""
        import pandas as pd

        beliefs = pd.DataFrame(
            {
                "attacker": self.attacker,
                "attacker_low": self.attacker_interval[0],
                "attacker_high": self.attacker_interval[1],
                "learner": self.learner,
                "learner_low": self.learner_interval[0],
                "learner_high": self.learner_interval[1],
                "relative_risk": self.relative_risk,
            }
        )
        beliefs.insert(0, free_name(self.sensitive, beliefs.columns), list(self.values))
        return beliefs

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two posteriors side by side; needs matplotlib."""
        from unveil.attacks.relative_risk._pictures import two_posteriors

        return two_posteriors(self, ax)

    def __repr__(self) -> str:
        from unveil.attacks.relative_risk._texts import victim_in_words

        return victim_in_words(self)


def described(
    given: Mapping[str, Any], columns: Sequence[Column], domain: Domain
) -> NDArray[np.int32]:
    """The codes (columns × 1) of a victim who is described by values of the columns.

    Raises
    ------
    InputError
        If a column is lacking or unknown, or the victim is outside of the domain.
    """
    names = [column.name for column in columns]
    for name in given:
        if name not in names:
            raise InputError(
                f"a victim is described by quasi-identifiers, and {name!r} is none"
                f"{did_you_mean(str(name), names)} (there are: {', '.join(names)})"
            )
    lacking = [name for name in names if name not in given]
    if lacking:
        raise InputError(
            f"a victim needs a value of every quasi-identifier; {', '.join(lacking)} "
            f"{'is' if len(lacking) == 1 else 'are'} lacking"
        )
    codes = np.array([[_code(given[column.name], column)] for column in columns], dtype=np.int32)
    check_inside(codes, columns, domain)
    return codes


def check_inside(codes: NDArray[np.int32], columns: Sequence[Column], domain: Domain) -> None:
    """Refuse a victim (columns × 1) whose values are not in the domain together."""
    if domain.has(codes)[0]:
        return
    values = ", ".join(
        harmless(f"{column.name} {column.texts[code]}")
        for column, code in zip(columns, codes[:, 0], strict=True)
    )
    which = {
        "observed": "no record of the table has these values together",
        "covered": "no group of the release covers these values together",
        "product": "",
    }[domain.name]
    raise InputError(
        f"a victim with {values} is outside of the domain {domain.name!r}: {which}; take "
        "domain='product'"
    )


def free_name(name: str, taken: Container[str]) -> str:
    """The name of a column of the table, told apart from those of what is found.

    >>> free_name("learner", ["attacker", "learner"])
    'learner in the table'
    """
    while name in taken:
        name += " in the table"
    return name


def _code(value: Any, column: Column) -> int:
    import pandas as pd

    is_missing = pd.api.types.is_scalar(value) and bool(pd.isna(value))
    text = MISSING if is_missing else value_text(value)
    if text not in column.places:
        near = did_you_mean(text, column.texts)
        shown = ", ".join(column.texts[:5]) + (", …" if column.size > 5 else "")
        raise InputError(
            f"{harmless(repr(text))} is no value of {column.name}, so that a victim with it is "
            f"outside of the domain{near or f' (values: {harmless(shown)})'}"
        )
    return column.places[text]
