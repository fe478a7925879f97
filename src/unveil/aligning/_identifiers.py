"""Which published columns still name people, or tell nearly all of them apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from unveil.aligning._pairing import Pairing
from unveil.aligning._sheets import Cells, Sheet
from unveil.measures.published import HASHES, form_of, hash_of
from unveil.microdata import Role
from unveil.roles import Settled

_APART = 0.5  # of the cells are somebody's alone


def identifiers_left(
    pairings: Iterable[Pairing], settled: Mapping[str, Settled], original: Sheet
) -> dict[str, str]:
    """Published columns that name people, and how that is known."""
    names = {name for name, one in settled.items() if one.role is Role.IDENTIFIER}
    named = [o for o in original.columns.values() if o.name in names]
    return {one.p.name: why for one in pairings for why in _signs(one, named)}


def _signs(one: Pairing, named: Iterable[Cells]) -> Iterator[str]:
    """Signs that a published column names people; the last is told."""
    p = one.p
    if one.o is None:
        yield from _hashes(p, named)
    elif one.how in ("unchanged", "recoded", "perturbed") and p.alone >= _APART:
        what = "is" if one.how == "unchanged" else "follows from"
        if any(one.o.name == o.name for o in named):
            yield f'it {what} the original\'s identifier "{one.o.name}"'
    usable = [place for place, text in enumerate(p.texts) if "*" not in text]
    form = form_of(p.name, [p.texts[i] for i in usable], p.counts[usable])
    if form is not None:
        yield f"it looks like {form}"


def _hashes(p: Cells, named: Iterable[Cells]) -> Iterator[str]:
    """Whether nearly all texts are hashes, without salt, of an identifier."""
    texts = {text.casefold() for text in p.filled_texts}
    for kind, length in HASHES.items():
        if not texts or any(len(text) != length for text in texts):
            continue
        for o in named:
            made = {hash_of(kind, text) for text in o.filled_texts}
            if 2 * len(made & texts) >= len(texts):
                yield f'it is {kind} hashes of the original\'s identifier "{o.name}"'
