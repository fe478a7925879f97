"""One threat model for all attacks: what the attacker knows, and what he wants to know.

Of several sensitive columns each is tested in turn. The attacker then knows no other, and what is
published has no other: what two of them would tell together is not tested, and the report says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unveil.auditing._subjects import Subject
from unveil.errors import InputError, did_you_mean
from unveil.measures import Partition, secret_of
from unveil.microdata import AnyRelease, Microdata
from unveil.sanitize import as_microdata

__all__ = ["in_words", "known_of", "of_their_secrets", "partitions_of", "tables_of"]


def tables_of(microdata: Any) -> list[Microdata]:
    """The table, once for each sensitive column."""
    many = microdata if isinstance(microdata, list | tuple) else [microdata]
    tables = [as_microdata(table, "audit") for table in many]
    if not tables:
        raise InputError("audit needs microdata, and got an empty list")
    names = [table.sensitive.name for table in tables]
    for table in tables[1:]:
        same_columns = [c.name for c in table.quasi] == [c.name for c in tables[0].quasi]
        if not same_columns or table.rows.tolist() != tables[0].rows.tolist():
            raise InputError(
                f"audit got two tables that are not the same: {tables[0].source} and "
                f"{table.source} differ in their quasi-identifiers or their records; audit them "
                "one after the other"
            )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"the sensitive column {twice!r} is to be audited twice")
    return tables


def known_of(knows: str | Sequence[str] | None, microdata: Microdata) -> tuple[str, ...] | None:
    """What the attacker knows, in the table's order; None if that is every quasi-identifier."""
    if knows is None:
        return None
    asked = [knows] if isinstance(knows, str) else list(knows)
    names = [column.name for column in microdata.quasi]
    for name in asked:
        if name not in names:
            raise InputError(
                f"the attacker cannot know {name!r}, which is no quasi-identifier of "
                f"{microdata.source}{did_you_mean(str(name), names)} (known: {', '.join(names)})"
            )
    if not asked:
        raise InputError("an attacker who knows nothing finds nobody; name a quasi-identifier")
    return None if set(asked) == set(names) else tuple(name for name in names if name in asked)


def partitions_of(given: Mapping[str, Any] | None, tables: Sequence[Microdata]) -> dict[str, Any]:
    """Categories by the names of sensitive columns; those that do not fit are refused."""
    secrets = {table.sensitive.name: table.sensitive for table in tables}
    for name, categories in (given or {}).items():
        if name not in secrets:
            raise InputError(
                f"partitions are of sensitive columns, and {name!r} is none of "
                f"{', '.join(secrets)}{did_you_mean(str(name), secrets)}"
            )
        Partition.of(categories, secret_of(secrets[name]))  # refused now, not in each attack
    return dict(given or {})


def of_their_secrets(
    subjects: Sequence[Sequence[Subject]], tables: Sequence[Microdata]
) -> list[list[Subject]]:
    """Releases that were read are of one sensitive column, and belong to the table that has it."""
    secrets = [table.sensitive.name for table in tables]
    for subject in subjects[0]:
        secret = _secret_of(subject)
        if secret is not None and secret not in secrets:
            raise InputError(
                f"{subject.name} publishes {secret}, and what is audited is "
                f"{' and '.join(secrets)}; read it with that as its sensitive column"
            )
    found = [
        [one for one in some if _secret_of(one) in (None, secret)]
        for some, secret in zip(subjects, secrets, strict=True)
    ]
    bare = next((secret for secret, some in zip(secrets, found, strict=True) if not some), None)
    if bare is not None:
        raise InputError(
            f"no release publishes {bare}, so there is nothing to audit it by; give one that does, "
            "or leave that column out"
        )
    return found


def _secret_of(subject: Subject) -> str | None:
    """What a release publishes; None if it is made or read for whichever is asked for."""
    published = subject.published
    return published.sensitive.name if isinstance(published, AnyRelease) else None


def in_words(quasi: Sequence[str], knows: Sequence[str] | None, wants: Sequence[str]) -> str:
    """The threat model, for people.

    >>> print(in_words(["age", "sex"], None, ["income"]))
    An attacker knows age and sex of a person, reads what is published, and wants to know income.
    >>> print(in_words(["age", "sex"], ["age"], ["income"]))
    An attacker knows age of a person, and not sex, reads what is published, and wants to know ...
    """
    unknown = [name for name in quasi if knows is not None and name not in knows]
    but = f", and not {_listed(unknown, 'or')}" if unknown else ""
    said = (
        f"An attacker knows {_listed(knows or quasi, 'and')} of a person{but}, reads what is "
        f"published, and wants to know {_listed(wants, 'or')}."
    )
    if len(wants) > 1:
        said += (
            " Each of these is tested in turn, and meanwhile the others are neither known to him "
            "nor published; what they would tell together is not tested."
        )
    return said


def _listed(names: Sequence[str], word: str) -> str:
    *firsts, last = names
    return f"{', '.join(firsts)} {word} {last}" if firsts else last
