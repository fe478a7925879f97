"""Which published columns still name people, or tell nearly all of them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unveil.aligning._pairing import Pairing
from unveil.aligning._sheets import Sheet
from unveil.measures.published import form_of
from unveil.microdata import Role
from unveil.roles import Settled

_APART = 0.5  # of the cells are somebody's alone


def identifiers_left(
    pairings: Iterable[Pairing], settled: Mapping[str, Settled], published: Sheet
) -> dict[str, str]:
    """Published columns that name people, and how that is known."""
    found: dict[str, str] = {}
    for one in pairings:
        p = one.p
        usable = [place for place, text in enumerate(p.texts) if "*" not in text]
        form = form_of(p.name, [p.texts[i] for i in usable], p.counts[usable])
        if form is not None:
            found[p.name] = f"it looks like {form}"
        elif one.o is not None and one.how in ("unchanged", "recoded", "perturbed"):
            role = settled.get(one.o.name)
            if role is None or role.role is not Role.IDENTIFIER or p.alone < _APART:
                continue
            what = "is" if one.how == "unchanged" else "follows from"
            found[p.name] = f'it {what} the original\'s identifier "{one.o.name}"'
    return found
