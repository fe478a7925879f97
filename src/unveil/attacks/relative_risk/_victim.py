"""One victim: what the learner and the attacker believe about a person with given values."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unveil._text import harmless
from unveil.attacks.relative_risk._beliefs import attacker, learner_of, mean_answer
from unveil.attacks.relative_risk._chains import Sampling, continued, diagnosed
from unveil.attacks.relative_risk._domain import Domain
from unveil.attacks.relative_risk._exact import atoms_of_watched, exact_answer, is_settled
from unveil.attacks.relative_risk._problem import Horizontal, Problem
from unveil.attacks.relative_risk.samplers import draw_population
from unveil.errors import Cell, InputError, Listed, Message, Option, Text, View, did_you_mean
from unveil.errors import Column as ColumnName
from unveil.findings import Axis, Chart, Series, Table, cell, numbers
from unveil.microdata import MISSING, Column, value_text
from unveil.options import Help, Shell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unveil.attacks.relative_risk._finding import RelativeRisk

_LEVEL = 0.95  # of credible intervals
_MOST_DIGITS = 4
_SHOWN = 12  # sensitive values of a victim

_LOOKS = 250  # records of each chain about one victim, unless that takes too long
_VISITS = 100_000_000  # of rows by all chains: about 15 s on a usual machine
_MIXED = 1.05  # R-hat for chains that have converged before, or serve only for intervals
_WARM_UP = 1000  # sweeps, if the answer is exact and chains serve only for intervals
_DRAWS = 4000  # of π, if nothing else has to be sampled


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Victim:
    """What is believed about the sensitive value of a person whose other values are known.

    Attributes
    ----------
    who : dict of str to str
        The victim's quasi-identifiers.
    values : tuple of str
        The sensitive values; all arrays are in their order.
    attacker, learner : array
        p_A and p_L: beliefs with and without knowing that the victim is in the table. The
        attacker's are nan if no group of the release covers the victim.
    attacker_interval, learner_interval : arrays (low and high × sensitive values)
        Credible intervals of 95 %. The learner's is for the share of people like the victim in the
        population who have the value. The attacker's is for their belief if they also knew what
        the sampler conditions on: all other rows (collapsed), or the population (Gibbs). It has no
        width where that would change nothing. Both are nan if the beliefs are exact and the
        chains, which are needed for intervals, do not converge.
    error : float
        The largest Monte Carlo standard error of ``attacker`` and ``learner``; 0 if exact.
    converged : bool
        Whether the chains have converged for this victim.
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
        """Whether a group may have the victim's row."""
        return not bool(np.isnan(self.attacker).any())

    @property
    def relative_risk(self) -> NDArray[np.float64]:
        """p_A / p_L of each sensitive value."""
        return self.attacker / self.learner

    def to_frame(self) -> pd.DataFrame:
        """One row per sensitive value."""
        beliefs = pd.DataFrame({
            "attacker": self.attacker, "attacker_low": self.attacker_interval[0],
            "attacker_high": self.attacker_interval[1], "learner": self.learner,
            "learner_low": self.learner_interval[0], "learner_high": self.learner_interval[1],
            "relative_risk": self.relative_risk,
        })  # fmt: skip
        beliefs.insert(0, free_name(self.sensitive, beliefs.columns), list(self.values))
        return beliefs

    @property
    def in_words(self) -> Message:
        """The victim's values. They may point to a person, so a report masks them."""
        values = [
            Message("{column} {value}", column=column, value=Cell(harmless(value), bare=True))
            for column, value in self.who.items()
        ]
        return Message("{values}", values=Listed(values))

    def _most_likely_first(self) -> NDArray[np.intp]:
        return np.argsort(-(self.attacker if self.is_covered else self.learner), kind="stable")

    def table(self) -> Table:
        """What is believed, the most likely values first."""
        places, order = _digits(self.error), self._most_likely_first()
        level, form = f"{_LEVEL:.0%}", f".{places}f"
        rows: list[list[Any]] = [
            [
                Cell(harmless(self.values[s]), bare=True),
                cell(self.attacker[s], form), _range(self.attacker_interval[:, s]),
                cell(self.learner[s], form), _range(self.learner_interval[:, s]),
                cell(self.relative_risk[s], f".{min(places, 2)}f"),
            ]
            for s in order[:_SHOWN]
        ]  # fmt: skip
        if len(order) > _SHOWN:
            rows.append([f"… and {len(order) - _SHOWN} values less likely", *[""] * 5])
        return Table(
            title=Message("Victim: {who}{rough}{outside}", who=self.in_words, **self._remarks()),
            columns=[self.sensitive, "attacker", level, "learner", level, "ratio"],
            rows=rows,
        )  # fmt: skip

    def _remarks(self) -> dict[str, str]:
        outside = "; no group of the release covers this victim, so the attacker's belief p_A is "
        return {
            "rough": "" if self.converged else "; NOT CONVERGED: the numbers are rough",
            "outside": "" if self.is_covered else f"{outside}not defined",
        }

    def chart(self, release: Text | None = None) -> Chart:
        """The two posteriors side by side."""
        order = self._most_likely_first()
        # One more value fits in place of "1 other".
        shown = order if len(order) == _SHOWN + 1 else order[:_SHOWN]
        others = order[len(shown) :]
        names: list[Text | Cell] = [Cell(harmless(self.values[s]), bare=True) for s in shown]
        names += [f"{len(others)} others together"] if len(others) else []
        parties = [("learner", self.learner, self.learner_interval)]
        if self.is_covered:
            parties.append(("attacker", self.attacker, self.attacker_interval))
        more = [None] if len(others) else []
        under = "" if release is None else Message(" under {release}", release=release)
        return Chart(
            kind="bars",
            title=Message("What is believed about a person with {who}{under}{rough}{outside}",
                          who=self.in_words, under=under, **self._remarks()),
            says=f"beliefs with {_LEVEL:.0%} credible intervals: the learner's about anyone with "
            "these values, and the attacker's, who knows that the person is in the table",
            x=Axis(label=self.sensitive, scale="names"), y=Axis(label="belief", share=True),
            series=[
                Series(
                    name=name, x=names,
                    y=numbers([*beliefs[shown], *([beliefs[others].sum()] if len(others) else [])]),
                    low=[*numbers(limits[0, shown]), *more],
                    high=[*numbers(limits[1, shown]), *more],
                )
                for name, beliefs, limits in parties
            ],
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The beliefs as plain values, for JSON."""
        frame = self.to_frame().iloc[:, 1:].to_dict("records")
        return {
            "who": self.who, "covered": self.is_covered, "converged": self.converged,
            "error": self.error if math.isfinite(self.error) else None,
            "beliefs": [
                {"value": value, **one} for value, one in zip(self.values, frame, strict=True)
            ],
        }  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the two posteriors side by side; needs matplotlib."""
        from unveil.render import draw

        return draw(self.chart(), ax)

    def __repr__(self) -> str:
        from unveil.render import table_text

        return table_text(self.table(), View())


def _digits(error: float) -> int:
    """How many digits after the point a number with this standard error has.

    >>> [_digits(error) for error in (0.0, 0.0004, 0.003, 0.03, 0.3)]
    [4, 3, 2, 1, 0]
    """
    if error <= 0:
        return _MOST_DIGITS
    if not math.isfinite(error):
        return 0
    return min(max(math.floor(-math.log10(2 * error)), 0), _MOST_DIGITS)


def _range(limits: NDArray[np.float64]) -> str:
    low, high = limits.tolist()
    return "–" if math.isnan(low) else f"{low:.2f} to {high:.2f}"


# Whom a question is about -----------------------------------------------------------------------

_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)')  # not within double quotes


def _typed(texts: Sequence[str]) -> list[dict[str, str]]:
    """Victims as they are typed in a shell.

    >>> _typed(['town="Paris, Texas", age=30'])
    [{'town': 'Paris, Texas', 'age': '30'}]
    """
    return [_typed_one(text) for text in texts]


def _typed_one(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in _COMMA.split(text.rstrip().removesuffix(",")):
        column, _, value = (one.strip() for one in _unquoted(part.strip()).partition("="))
        if not column or not value or part.count('"') % 2:
            raise InputError(
                "cannot read {victim}; write column=value, with commas between several, and a "
                "value with a comma in double quotes",
                victim=Option("victim", text),
            )
        if column in found:
            raise InputError("{victim} names {column} twice", victim=Option("victim", text),
                             column=ColumnName(column))  # fmt: skip
        found[column] = _unquoted(value)
    return found


def _unquoted(text: str) -> str:
    whole = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('""', '"') if whole else text


Victims = Annotated[
    Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
    Help(
        "People to tell about, described by their quasi-identifiers, such as {'nationality': "
        "'Malaysia', 'zip': '45501'}; in a shell nationality=Malaysia,zip=45501, with a value that "
        "has a comma in double quotes. May be several."
    ),
    Shell(parse=_typed, metavar="COLUMN=VALUE,…"),
]
"""The option ``victim``."""


def described(
    given: Mapping[str, Any], columns: Sequence[Column], domain: Domain
) -> NDArray[np.int32]:
    """The codes (columns × 1) of a victim who is described by values of the columns.

    Raises
    ------
    InputError
        If a column is missing or unknown, or the victim is outside the domain.
    """
    names = [column.name for column in columns]
    for name in given:
        if name not in names:
            raise InputError(
                "a victim is described by quasi-identifiers, and {name} is not one of them{near} "
                "(they are: {names})",
                name=Cell(name), near=did_you_mean(str(name), names),
                names=Listed([ColumnName(one) for one in names]),
            )  # fmt: skip
    missing = [ColumnName(name) for name in names if name not in given]
    if missing:
        raise InputError(
            "a victim needs a value of every quasi-identifier; {missing} {is_} missing",
            missing=Listed(missing, "and"), is_="is" if len(missing) == 1 else "are",
        )  # fmt: skip
    codes = np.array([[_code(given[column.name], column)] for column in columns], dtype=np.int32)
    check_inside(codes, columns, domain)
    return codes


def check_inside(codes: NDArray[np.int32], columns: Sequence[Column], domain: Domain) -> None:
    """Refuse a victim (columns × 1) whose values are not in the domain together."""
    if domain.has(codes)[0]:
        return
    values = [
        Message("{column} {value}", column=ColumnName(column.name), value=Cell(column.texts[code]))
        for column, code in zip(columns, codes[:, 0], strict=True)
    ]
    which = {
        "observed": "no record of the table has these values together",
        "covered": "no group of the release covers these values together",
        "product": "",
    }[domain.name]
    raise InputError(
        "a victim with {values} is outside the domain {name}: {which}; use {product}",
        values=Listed(values), name=repr(domain.name), which=which,
        product=Option("domain", "product"),
    )  # fmt: skip


def _code(value: Any, column: Column) -> int:
    is_missing = pd.api.types.is_scalar(value) and bool(pd.isna(value))
    text = MISSING if is_missing else value_text(value)
    if text in column.places:
        return column.places[text]
    few = column.texts[:5]
    known = Listed([*(Cell(one) for one in few), *["…"] * (column.size > len(few))])
    near = did_you_mean(text, column.texts)
    raise InputError(
        "{value} is not a value of {column}, so a victim with it is outside the domain{more}",
        value=Cell(text), column=ColumnName(column.name),
        more=Cell(near, bare=True) if near else Message(" (values: {known})", known=known),
    )  # fmt: skip


def free_name(name: str, taken: Container[str]) -> str:
    """A name for a column of the table that differs from those of the result.

    >>> free_name("learner", ["attacker", "learner"])
    'learner in the table'
    """
    while name in taken:
        name += " in the table"
    return name


# Answers about victims --------------------------------------------------------------------------


def told(finding: RelativeRisk, codes: NDArray[np.int32]) -> Victim:
    """What is believed about a victim (columns × 1).

    Of victims of the panel the chains have recorded all. For others they continue. If the answer
    is exact, they serve only for intervals.
    """
    problem, chains, sampling = finding.problem.watching(codes), finding.chains, finding.sampling
    conditional, exact = finding.learner_is == "conditional", chains is None
    place = np.flatnonzero((finding.problem.watched == codes).all(axis=0))
    answer = finding.answer.about(int(place[0])) if len(place) else None
    if answer is None and exact:
        answer = exact_answer(problem, finding.likelihood, conditional=conditional)
    mixed, error = True, 0.0
    if exact and is_settled(problem, finding.likelihood):
        # Every row's atom is certain, and so is the attacker's belief; only π is drawn.
        assert answer is not None
        assert isinstance(problem, Horizontal)
        there, size = (table[:, 0].astype(np.float64) for table in atoms_of_watched(problem))
        seen = attacker(answer.rows).T
        shares = draw_population(problem, there, size, finding.seed, _DRAWS)
    else:
        in_panel = np.flatnonzero(np.isin(finding.problem.panel, place))
        infos = chains.about(int(in_panel[0])) if chains and len(in_panel) else continued(
            problem, sampling, finding.warmed_up, looks=_LOOKS, visits=_VISITS
        )  # fmt: skip
        found = diagnosed(problem, infos, conditional=conditional)
        rows = np.concatenate([info.rows[:, :, 0] for info in infos])
        shares = np.concatenate(
            [info.conditional[:, :, 0] for info in infos if info.conditional is not None]
        )
        if answer is None:
            answer = mean_answer([info.answer for info in infos], [1.0] * len(infos))
        total = rows.sum(axis=1, keepdims=True)
        seen = rows[total[:, 0] > 0] / total[total[:, 0] > 0]
        # Chains that have converged for the panel need only agree about this victim.
        mixed = found.worst_rhat <= max(sampling.goal.rhat, _MIXED)
        error = 0.0 if exact else found.largest_error
        if exact and not mixed:  # no intervals of exact beliefs rather than wrong ones
            seen, shares = seen[:0], shares[:0]
    quasi = zip(finding.quasi, codes[:, 0], strict=True)
    return Victim(
        who={column.name: column.texts[code] for column, code in quasi},
        sensitive=finding.sensitive.name, values=finding.sensitive.texts,
        attacker=attacker(answer.rows)[:, 0],
        learner=learner_of(problem, answer, finding.learner_is)[:, 0],
        attacker_interval=_interval(seen), learner_interval=_interval(shares), error=error,
        converged=(exact or mixed) and finding.converged,
    )  # fmt: skip


def warmed_up(problem: Problem, sampling: Sampling) -> tuple[Any, ...]:
    """States of chains that serve only for intervals."""
    nobody = problem.watching(problem.watched[:, :0])
    kernel = sampling.sampler.kernel
    return tuple(
        kernel(nobody, state, kept=1, thin=_WARM_UP)[0] for state in sampling.started(nobody)
    )


def _interval(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(draws) == 0:
        return np.full((2, draws.shape[1]), np.nan)
    return np.quantile(draws, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
