"""What follows from tables of totals.

After the literature on cell suppression (M. Fischetti and J. J. Salazar 2001, on the bounds of
hidden cells) and on reconstruction (I. Dinur and K. Nissim 2003; S. Garfinkel, J. Abowd and C.
Martindale 2019): the published counts are constraints, and what holds in every table of people that
meets them is known.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unveil.attacks.tables._claims import Claims, claims
from unveil.attacks.tables._consistent import Consistent
from unveil.attacks.tables._finding import TablesFinding
from unveil.errors import Call, InputError
from unveil.microdata import AnyRelease, Microdata, Totals
from unveil.options import Help, by_row, checked


@checked
@by_row("a cell of many rows may be one person", instead="measures")
def tables(
    release: AnyRelease,
    microdata: Microdata | None = None,
    *,
    only_cells: Annotated[bool, Help(
        "Ask only how small and how large cells can be, and nothing about people: it is faster."
    )] = False,
) -> TablesFinding:  # fmt: skip
    """Find out what follows from tables of totals.

    Parameters
    ----------
    release : Totals
        As `CrossTables` makes it.
    microdata : Microdata, optional
        The original, which says how many people have which quasi-identifiers. Without it every
        combination that may have somebody counts as one.

    Returns
    -------
    TablesFinding

    Examples
    --------
    The table of a village: of seven people six have the flu and one has HIV. Cells under 3 are
    hidden, but the totals of women and men are not.

    >>> import unveil as uv
    >>> village = uv.read_table(
    ...     {"sex": list("FFFMMMM"), "disease": ["flu"] * 6 + ["HIV"]},
    ...     quasi="sex", sensitive="disease")
    >>> f = uv.CrossTables(tables="sex*disease", suppress=3, zeros="shown")
    >>> uv.tables(f.sanitize(village), village).cells[["sex", "disease", "shown", "least", "most"]]
      sex disease shown  least  most
    0   M     HIV    <3    1.0   1.0
    1         HIV    <3    1.0   1.0
    """
    if not isinstance(release, Totals):
        raise InputError(
            "tables needs tables of totals, and {maker} publishes none; {inference} and "
            "{membership} test such releases",
            maker=release.maker, inference=Call("differential_inference"),
            membership=Call("membership"),
        )  # fmt: skip
    consistent = Consistent(release)
    hidden = np.flatnonzero(release.is_hidden)
    rows = release.incidence[hidden]
    least, most = consistent.ends(rows, "least"), consistent.ends(rows, "most")
    found = None if only_cells else _about_people(consistent, release, microdata)
    return TablesFinding(
        release=release, hidden=hidden, least=least, most=most,
        claims=None if found is None else found[0],
        counts=None if found is None else found[1],
        programs=consistent.programs, notes=tuple(release.notes),
        people=len(microdata) if microdata is not None else None,
    )  # fmt: skip


def _about_people(
    consistent: Consistent, release: Totals, microdata: Microdata | None
) -> tuple[Claims, NDArray[np.int64]]:
    """What follows about combinations of quasi-identifiers, and how many people have them."""
    shape = release.shape
    if microdata is None:
        possible = np.zeros(shape[0] * shape[1], dtype=bool)
        possible[consistent.possible] = True
        asked = np.flatnonzero(possible.reshape(shape).any(axis=1))
        return claims(consistent, shape, asked), np.ones(len(asked), dtype=np.int64)
    of = release.combination_of_quasi(microdata.codes)
    asked, counts = np.unique(of, return_counts=True)
    return claims(consistent, shape, asked), counts
