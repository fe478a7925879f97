"""Look at a table and propose what is what: who is named, what is known, what is secret.

A proposal is a first word, not the last: nobody can tell from a table what an attacker knows. So
every role comes with its reason, and what is doubtful is said. Evidence is a column's name, in six
languages (`_names`), what its values look like (`_patterns`), how often they occur (`_profile`),
and what else is in the table (`_settling`). Nothing is learned, nothing is asked anywhere: the same
table gets the same answer.

A proposal is meant to be shown around. It has no value that fewer than five people have, and none
of an identifier at all.
"""

from __future__ import annotations

from typing import Any

from unveil.microdata import Role
from unveil.projects._kinds import USED, KindOf, hierarchies_beside, kind_of, meaning_of_missing
from unveil.projects._looking import ColumnNames, LookedAt, look_at
from unveil.projects._profile import profiles_of
from unveil.projects._proposal import ColumnProposal, Proposal
from unveil.projects._rules import Leaning, share
from unveil.projects._settling import Settled, settle

__all__ = ["propose"]

_FIRST = (Leaning.SECRET, Leaning.MONEY, Leaning.JOB)


def propose(
    table: Any,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    columns: ColumnNames | None = None,
) -> Proposal:
    """Propose a role for every column of a table, and say why.

    Parameters
    ----------
    table : path, pandas, polars or Arrow table, or a mapping of columns
        A path leads to a Parquet file (``.parquet``, ``.pq``) or a CSV file. Of a large table a
        sample from all over it is looked at, which the notes say. A folder ``hierarchies`` beside
        a file is looked at, too.
    delimiter, encoding, columns
        Of a CSV file, as in `read_csv`. A file that is not in UTF-8 is taken for latin-1, which
        the notes say.

    Returns
    -------
    Proposal

    Examples
    --------
    >>> import unveil as uv
    >>> people = {"name": ["Ann", "Bob", "Cem"], "age": [34, 28, 61],
    ...           "disease": ["flu", "hiv", "flu"]}
    >>> uv.propose(people)
    Proposal for table: 3 rows, 3 columns
      name: identifier; a name, by its name, and almost every value occurs once
      age: quasi-identifier; an age, by its name: whole numbers
      disease: sensitive; health, by its name: 2 values
    """
    seen = look_at(table, delimiter=delimiter, encoding=encoding, columns=columns)
    settled = settle(profiles_of(seen))
    used = [one for one in settled if one.role in USED]
    kinds = {one.name: kind_of(one, whole=not seen.is_sample) for one in settled}
    trees, kinds, about_trees = hierarchies_beside(seen.file, settled, kinds)
    missing, kinds, about_missing = meaning_of_missing(used, kinds)
    notes = [*seen.notes, *about_trees, *([about_missing] if about_missing else [])]
    return Proposal(
        source=seen.name, rows=seen.rows,
        columns=tuple(_column(one, kinds[one.name]) for one in settled),
        sensitive=_secrets(settled), missing=missing, hierarchies=trees,
        notes=(*notes, *_about_roles(settled, seen)), file=seen.file, delimiter=delimiter,
        encoding=seen.encoding, names=columns,
    )  # fmt: skip


def _column(one: Settled, kind: KindOf) -> ColumnProposal:
    profile = one.profile
    reason = one.reason
    if profile.missing and profile.filled:
        codes = " and ".join(repr(marker) for marker in profile.markers)
        reason += f"; {codes or 'missing'} in {share(profile.missing)} of the rows"
    return ColumnProposal(
        name=one.name, role=one.role, reason=reason, kind=kind.kind, levels=kind.levels,
        missing_values=profile.markers, missing=profile.missing, unsure=one.unsure,
    )  # fmt: skip


def _secrets(settled: list[Settled]) -> tuple[str, ...]:
    """The most protected first; of equals, as they stand in the table."""
    secrets = [one for one in settled if one.role is Role.SENSITIVE]
    rank = {leaning: place for place, leaning in enumerate(_FIRST)}
    return tuple(one.name for one in sorted(secrets, key=lambda o: rank.get(o.leaning, len(rank))))


def _about_roles(settled: list[Settled], seen: LookedAt) -> list[str]:
    notes = []
    secrets = _secrets(settled)
    if len(secrets) > 1:
        notes.append(
            f"{len(secrets)} columns may be sensitive ({', '.join(secrets)}): each is tested in "
            "turn, and none of them is known to the attacker meanwhile"
        )
    for role, what in ((Role.QUASI, "known to an attacker (quasi)"),
                       (Role.SENSITIVE, "sensitive")):  # fmt: skip
        if not any(one.role is role for one in settled):
            notes.append(f"no column of {seen.name} looks {what}: say which one is")
    return notes
