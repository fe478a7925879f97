"""The table of all measures, in which releases are compared number by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from unveil.errors import Text
from unveil.findings import Finding, Table
from unveil.measures._classes import Deciding
from unveil.measures._discernibility import Discernibility
from unveil.measures._diversity import AlphaK, LDiversity
from unveil.measures._likeness import BetaLikeness, DeltaDisclosure
from unveil.measures._sizes import AverageClassSize, KAnonymity, Uniqueness
from unveil.measures._t_closeness import TCloseness
from unveil.measures.discrimination._rate import DiscriminationRate
from unveil.measures.reidentification._risk_finding import ReidentificationRisk


class Measured(NamedTuple):
    """One number of the table of all measures.

    Attributes
    ----------
    about : str
        Its topic: ``"classes"``, ``"diversity"``, …
    name : str
    value : float or None
        None if undefined or infinite.
    text : str
        The number, or why there is none.
    says : str
        What it means, in a few words.
    deciding : Deciding, optional
        The classes that decide it.
    """

    about: str
    name: str
    value: float | None
    text: str
    says: str
    deciding: Deciding | None = None


def numbers_of(finding: Finding) -> Iterator[Measured]:
    """The numbers of a measure's finding that the table has."""
    for kind, measured in _NUMBERS.items():
        if isinstance(finding, kind):
            yield from measured(finding)


def table_of(numbers: Sequence[Measured], name: Text) -> Table:
    """The table of all measures of one release."""
    return Table(
        title="All measures",
        columns=["measure", name,
                 "what it is"],
        rows=[[one.name, (one.value, one.text), one.says] for one in numbers],
        across=True,
    )  # fmt: skip


def _number_text(value: float) -> str:
    if math.isinf(value):
        return "infinite"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _share_text(share: float) -> str:
    """A share of all records, never rounded to none or all.

    >>> _share_text(0.1234), _share_text(1e-6), _share_text(1 - 1e-9), _share_text(0)
    ('12.34%', '<0.01%', '>99.99%', '0%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share < 5e-5:
        return "<0.01%"
    return ">99.99%" if share >= 1 - 5e-5 else f"{share:.2%}"


def _number(
    about: str, name: str, value: float, says: str, deciding: Deciding | None = None,
    text: Callable[[float], str] = _number_text,
) -> Measured:  # fmt: skip
    number = None if math.isinf(value) else value
    return Measured(about, name, number, text(value), says, deciding)


def _share(
    about: str, name: str, value: float, says: str, deciding: Deciding | None = None
) -> Measured:
    return _number(about, name, value, says, deciding, _share_text)


def _k_anonymity(found: KAnonymity) -> Iterator[Measured]:
    yield _number("classes", "records", found.records, "")
    yield _number("classes", "classes", found.classes, "combinations of the keys that occur")
    yield _number("classes", "k", found.k, "records in the smallest class", found.deciding)


def _uniqueness(found: Uniqueness) -> Iterator[Measured]:
    yield _share("classes", "unique", found.share, "records alone in their class")


def _mean_class(found: AverageClassSize) -> Iterator[Measured]:
    yield _number("utility", "mean class", found.mean, "records in a class, on average")
    yield _number("utility", "C avg", found.normalized, "the same over k; 1 is best")


def _discernibility(found: Discernibility) -> Iterator[Measured]:
    says = "sum of the squared class sizes"
    yield _number("utility", "discernibility", found.cost, says, found.deciding)


def _alpha_k(found: AlphaK) -> Iterator[Measured]:
    says = "largest share of one value in a class"
    yield _number("diversity", "α", found.alpha, says, found.deciding)


def _l_diversity(found: LDiversity) -> Iterator[Measured]:
    says = "fewest values in a class"
    yield _number("diversity", "ℓ distinct", found.distinct, says, found.deciding)
    says = "as if this many were equally likely"
    yield _number("diversity", "ℓ entropy", found.entropy, says, found.deciding_entropy)
    name, says = f"c for ℓ = {found.deciding_l}", "recursive (c, ℓ)-diversity for any larger c"
    c = found.recursive(found.deciding_l)
    yield _number("diversity", name, c, says, found.deciding_recursive)


def _t_closeness(found: TCloseness) -> Iterator[Measured]:
    says = f"furthest class from the table, {found.distance} distance"
    yield _number("closeness", "t", found.t, says, found.deciding)


def _beta_likeness(found: BetaLikeness) -> Iterator[Measured]:
    says = "largest gain of a value's share in a class"
    yield _number("closeness", "β", found.basic, says, found.deciding)
    name, says = "β enhanced", "the same, and no gain above −ln q"
    if found.enhanced is not None:
        yield _number("closeness", name, found.enhanced, says, found.deciding)
    else:
        yield Measured("closeness", name, None, "none", "a gain is above −ln q", found.beyond)


def _delta_disclosure(found: DeltaDisclosure) -> Iterator[Measured]:
    says = "largest |ln p/q|; infinite if a class lacks a value"
    yield _number("closeness", "δ-disclosure", found.delta, says, found.deciding)


def _risk(found: ReidentificationRisk) -> Iterator[Measured]:
    for attacker in (found.prosecutor, found.journalist, found.marketer):
        if attacker.basis == "upper bound":
            continue  # it repeats the prosecutor's risk
        basis = "" if attacker.basis == "exact" else f", {attacker.basis}"
        name = attacker.name
        if attacker.highest is not None:
            says = f"risk of the worst record{_KNOWS[name]}{basis}"
            yield _share("risk", f"{name} highest", attacker.highest, says, attacker.deciding)
        says = f"the same on average{basis}"
        if attacker.highest is None:
            says = f"share of all records named right{_KNOWS[name]}{basis}"
        yield _share("risk", f"{name} average", attacker.average, says)
        if attacker.over is not None:
            says = f"records whose risk is above {found.threshold:.0%}{basis}"
            yield _share("risk", f"{name} over", attacker.over, says)
    if found.k_map is not None:
        yield _number("risk", "k-map", found.k_map, "people in the population's smallest class")


_KNOWS = {
    "prosecutor": ", if the attacker knows it is in the table",
    "journalist": ", if they do not know",
    "marketer": "",
}


def _discrimination(found: DiscriminationRate) -> Iterator[Measured]:
    semantic = found.partition is not None
    name = "SeDR" if semantic else "DR"
    kind = "semantic discrimination rate" if semantic else "discrimination rate"
    of = f"{'the category of ' if semantic else ''}{found.of}"
    says = f"{kind}: what the keys tell of {of}"
    if found.rate is None:
        yield Measured("discrimination", name, None, "undefined", says)
        return
    yield _number("discrimination", name, found.rate, says, found.deciding)


_NUMBERS: dict[type, Callable[[Any], Iterator[Measured]]] = {
    KAnonymity: _k_anonymity,
    Uniqueness: _uniqueness,
    AlphaK: _alpha_k,
    LDiversity: _l_diversity,
    TCloseness: _t_closeness,
    BetaLikeness: _beta_likeness,
    DeltaDisclosure: _delta_disclosure,
    ReidentificationRisk: _risk,
    DiscriminationRate: _discrimination,
    AverageClassSize: _mean_class,
    Discernibility: _discernibility,
}
