"""The numbers of all measures in one list, for tables that compare them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unveil.findings import Finding
from unveil.measures._alpha_k import AlphaK
from unveil.measures._average_class_size import AverageClassSize
from unveil.measures._beta_likeness import BetaLikeness
from unveil.measures._classes import Deciding
from unveil.measures._delta_disclosure import DeltaDisclosure
from unveil.measures._discernibility import Discernibility
from unveil.measures._k_anonymity import KAnonymity
from unveil.measures._l_diversity import LDiversity
from unveil.measures._t_closeness import TCloseness
from unveil.measures.discrimination._rate import DiscriminationRate
from unveil.measures.reidentification._risk_finding import ReidentificationRisk
from unveil.measures.reidentification._uniqueness import Uniqueness

__all__ = ["Figure", "figures_of"]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number.

    Attributes
    ----------
    group : str
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

    group: str
    name: str
    value: float | None
    text: str
    says: str
    deciding: Deciding | None = None


def figures_of(finding: Finding) -> Iterator[Figure]:
    """The numbers that matter of a measure's finding."""
    for kind, figures in _FIGURES.items():
        if isinstance(finding, kind):
            yield from figures(finding)


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


def _figure(
    group: str, name: str, value: float, says: str, deciding: Deciding | None = None,
    text: Callable[[float], str] = _number_text,
) -> Figure:  # fmt: skip
    number = None if math.isinf(value) else value
    return Figure(
        group=group, name=name, value=number, text=text(value), says=says, deciding=deciding
    )


def _share(
    group: str, name: str, value: float, says: str, deciding: Deciding | None = None
) -> Figure:
    return _figure(group, name, value, says, deciding, _share_text)


def _k_anonymity(found: KAnonymity) -> Iterator[Figure]:
    yield _figure("classes", "records", found.records, "")
    yield _figure("classes", "classes", found.classes, "combinations of the keys that occur")
    yield _figure("classes", "k", found.k, "records in the smallest class", found.deciding)


def _uniqueness(found: Uniqueness) -> Iterator[Figure]:
    yield _share("classes", "unique", found.share, "records alone in their class")


def _mean_class(found: AverageClassSize) -> Iterator[Figure]:
    yield _figure("utility", "mean class", found.mean, "records in a class, on average")
    yield _figure("utility", "C avg", found.normalized, "the same over k; 1 is best")


def _discernibility(found: Discernibility) -> Iterator[Figure]:
    says = "sum of the squared class sizes"
    yield _figure("utility", "discernibility", found.cost, says, found.deciding)


def _alpha_k(found: AlphaK) -> Iterator[Figure]:
    says = "largest share of one value in a class"
    yield _figure("diversity", "α", found.alpha, says, found.deciding)


def _l_diversity(found: LDiversity) -> Iterator[Figure]:
    says = "fewest values in a class"
    yield _figure("diversity", "ℓ distinct", found.distinct, says, found.deciding)
    says = "as if this many were equally likely"
    yield _figure("diversity", "ℓ entropy", found.entropy, says, found.deciding_entropy)
    name, says = f"c for ℓ = {found.deciding_l}", "recursive (c, ℓ)-diversity for any larger c"
    c = found.recursive(found.deciding_l)
    yield _figure("diversity", name, c, says, found.deciding_recursive)


def _t_closeness(found: TCloseness) -> Iterator[Figure]:
    says = f"furthest class from the table, {found.distance} distance"
    yield _figure("closeness", "t", found.t, says, found.deciding)


def _beta_likeness(found: BetaLikeness) -> Iterator[Figure]:
    says = "largest gain of a value's share in a class"
    yield _figure("closeness", "β", found.basic, says, found.deciding)
    name, says = "β enhanced", "the same, and no gain above −ln q"
    if found.enhanced is not None:
        yield _figure("closeness", name, found.enhanced, says, found.deciding)
    else:
        yield Figure(
            group="closeness", name=name, value=None, text="none", says="a gain is above −ln q",
            deciding=found.beyond,
        )  # fmt: skip


def _delta_disclosure(found: DeltaDisclosure) -> Iterator[Figure]:
    says = "largest |ln p/q|; infinite if a class lacks a value"
    yield _figure("closeness", "δ-disclosure", found.delta, says, found.deciding)


def _risk(found: ReidentificationRisk) -> Iterator[Figure]:
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
        yield _figure("risk", "k-map", found.k_map, "people in the population's smallest class")


_KNOWS = {
    "prosecutor": ", if the attacker knows it is in the table",
    "journalist": ", if they do not know",
    "marketer": "",
}


def _discrimination(found: DiscriminationRate) -> Iterator[Figure]:
    semantic = found.partition is not None
    name = "SeDR" if semantic else "DR"
    kind = "semantic discrimination rate" if semantic else "discrimination rate"
    of = f"{'the category of ' if semantic else ''}{found.of}"
    says = f"{kind}: what the keys tell of {of}"
    if found.rate is None:
        yield Figure(group="discrimination", name=name, value=None, text="undefined", says=says)
        return
    yield _figure("discrimination", name, found.rate, says, found.deciding)


_FIGURES: dict[type, Callable[[Any], Iterator[Figure]]] = {
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
