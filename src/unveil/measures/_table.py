"""The table of all measures, in which releases are compared number by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from unveil.errors import Text
from unveil.findings import Table
from unveil.measures._classes import Deciding
from unveil.measures._texts import fine_percent

if TYPE_CHECKING:
    from unveil.measures._measures import Measures
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


def table_of(numbers: Sequence[Measured], name: Text) -> Table:
    """The table of all measures of one release."""
    return Table(
        title="All measures",
        columns=["measure", name, "what it is"],
        rows=[[one.name, (one.value, one.text), one.says] for one in numbers],
        across=True,
    )


def _number_text(value: float) -> str:
    if math.isinf(value):
        return "infinite"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def _number(
    about: str, name: str, value: float, says: str, deciding: Deciding | None = None,
    text: Callable[[float], str] = _number_text,
) -> Measured:  # fmt: skip
    number = None if math.isinf(value) else value
    return Measured(about, name, number, text(value), says, deciding)


def _share(
    about: str, name: str, value: float, says: str, deciding: Deciding | None = None
) -> Measured:
    return _number(about, name, value, says, deciding, fine_percent)


def numbers_of(found: Measures) -> Iterator[Measured]:
    """The numbers of all measures of a table."""
    k = found.k_anonymity
    yield _number("classes", "records", k.records, "")
    yield _number("classes", "classes", k.classes, "combinations of the keys that occur")
    yield _number("classes", "k", k.k, "records in the smallest class", k.deciding)
    if (alone := found.uniqueness) is not None:
        yield _share("classes", "unique", alone.share, "records alone in their class")
    if (alpha := found.alpha_k) is not None:
        says = "largest share of one value in a class"
        yield _number("diversity", "α", alpha.alpha, says, alpha.deciding)
    if (values := found.l_diversity) is not None:
        says = "fewest values in a class"
        yield _number("diversity", "ℓ distinct", values.distinct, says, values.deciding)
        says = "as if this many were equally likely"
        yield _number("diversity", "ℓ entropy", values.entropy, says, values.deciding_entropy)
        c, says = f"c for ℓ = {values.deciding_l}", "recursive (c, ℓ)-diversity for any larger c"
        least = values.recursive(values.deciding_l)
        yield _number("diversity", c, least, says, values.deciding_recursive)
    if (t := found.t_closeness) is not None:
        says = f"furthest class from the table, {t.distance} distance"
        yield _number("closeness", "t", t.t, says, t.deciding)
    if (beta := found.beta_likeness) is not None:
        says = "largest gain of a value's share in a class"
        yield _number("closeness", "β", beta.basic, says, beta.deciding)
        if beta.enhanced is not None:
            says = "the same, and no gain above −ln q"
            yield _number("closeness", "β enhanced", beta.enhanced, says, beta.deciding)
        else:
            says = "a gain is above −ln q"
            yield Measured("closeness", "β enhanced", None, "none", says, beta.beyond)
    if (delta := found.delta_disclosure) is not None:
        says = "largest |ln p/q|; infinite if a class lacks a value"
        yield _number("closeness", "δ-disclosure", delta.delta, says, delta.deciding)
    if (risk := found.reidentification_risk) is not None:
        yield from _risk(risk)
    for rate in (found.discrimination_rate, found.semantic_discrimination_rate):
        if rate is not None:
            yield _discrimination(rate)
    if (size := found.average_class_size) is not None:
        yield _number("utility", "mean class", size.mean, "records in a class, on average")
        yield _number("utility", "C avg", size.normalized, "the same over k; 1 is best")
    if (told := found.discernibility) is not None:
        says = "sum of the squared class sizes"
        yield _number("utility", "discernibility", told.cost, says, told.deciding)


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


def _discrimination(found: DiscriminationRate) -> Measured:
    semantic = found.partition is not None
    name = "SeDR" if semantic else "DR"
    kind = "semantic discrimination rate" if semantic else "discrimination rate"
    says = f"{kind}: what the keys tell of {'the category of ' if semantic else ''}{found.of}"
    if found.rate is None:
        return Measured("discrimination", name, None, "undefined", says)
    return _number("discrimination", name, found.rate, says, found.deciding)
