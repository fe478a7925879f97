"""A finding of linkage, written out for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil._text import of_all, percent, table_lines
from unveil.microdata import Permuted

if TYPE_CHECKING:
    from unveil.attacks.linking._finding import Linkage

__all__ = ["content_of", "summary_of", "verdict_of"]


def verdict_of(finding: Linkage, name: str | None = None) -> str:
    """What the attacker achieves, in one sentence."""
    n, secret = len(finding), finding.release.sensitive.name
    unique, one = int(finding.unique.sum()), int(finding.one_value.sum())
    said = (
        f"Of {n:,} {'person' if n == 1 else 'people'}, {of_all(unique, n)} "
        f"{'is' if unique < 2 else 'are'} linked to a single record of the release by "
        f"{name or finding.release.made_by}{_rightly(unique, finding.unique_right)}, and "
        f"{of_all(one, n)} to a single {secret}{_rightly(one, finding.one_value_right)}"
    )
    if finding.right is None:
        return f"{said}; whether these links are right is not known."
    if not finding.in_table:
        return f"{said}; nobody of them is in the table, so all of it is wrong."
    assert finding.record_right is not None
    assert finding.value_right is not None
    assert finding.value_by_chance is not None
    who = f"of the {finding.in_table:,} who are in the table" if finding.in_table > 1 else (
        "of the one who is in the table"
    )  # fmt: skip
    return (
        f"{said}; {who}, an attacker who picks one of the candidates at random names the right "
        f"record for {percent(finding.record_right)}, and the right {secret} for "
        f"{percent(finding.value_right)} ({percent(finding.value_by_chance)} if he picks any "
        "record)."
    )


def _rightly(linked: int, right: int | None) -> str:
    """How many links are right, beside how many there are: one is nothing without the other."""
    return "" if right is None or not linked else f" ({right:,} rightly)"


def content_of(finding: Linkage, *, records: bool) -> dict[str, Any]:
    """What goes into JSON."""
    n = len(finding)
    content: dict[str, Any] = {
        "finding": "linkage",
        "external": finding.people.source,
        "made_by": finding.release.made_by,
        "known": list(finding.known),
        "sensitive": finding.release.sensitive.name,
        "people": n,
        "found": finding.found,
        "unique": int(finding.unique.sum()),
        "one_value": int(finding.one_value.sum()),
        "in_table": finding.in_table,
        "own_among": finding.own_among,
        "unique_right": finding.unique_right,
        "one_value_right": finding.one_value_right,
        "record_right": finding.record_right,
        "value_right": finding.value_right,
        "value_by_chance": finding.value_by_chance,
        "records": len(finding.release),
        "records_of_one": finding.records_of_one,
        "records_of_nobody": finding.records_of_nobody,
        "seconds": finding.seconds,
        "notes": list(finding.notes),
    }
    if records:
        frame = finding.to_frame()
        content["each"] = {name: frame[name].tolist() for name in frame.columns}
    return content


def summary_of(finding: Linkage) -> str:
    """What a finding prints."""
    secret, n = finding.release.sensitive.name, len(finding)
    lines = [
        f"Linkage: {n:,} {'person' if n == 1 else 'people'} of {finding.people.source} against "
        f"{finding.release.in_short}",
        f"  known of them: {', '.join(finding.known)}; {finding.seconds:.2g} s",
        "",
        *table_lines(_rows(finding)),
        "",
        f"  {verdict_of(finding)}",
        f"  {_journalist(finding)}",
        *_explained(finding, secret),
    ]
    return "\n".join([*lines, *(f"  Note: {note}" for note in finding.notes)])


def _rows(finding: Linkage) -> list[list[str]]:
    n, secret, right = len(finding), finding.release.sensitive.name, finding.right
    rows = [["", "people", "share"], ["with candidates", *_counted(finding.found, n)]]
    single = [
        ("linked to a single record", finding.unique, finding.unique_right),
        (f"linked to a single {secret}", finding.one_value, finding.one_value_right),
    ]
    for what, who, rightly in single:
        number = int(who.sum())
        rows.append([what, *_counted(number, n)])
        if right is not None and rightly is not None:
            rows.append(["  and rightly so", *_counted(rightly, number)])
    if right is not None and finding.in_table is not None and finding.own_among is not None:
        rows.append(["in the table", *_counted(finding.in_table, n)])
        rows.append(
            ["  own record among the candidates", *_counted(finding.own_among, finding.in_table)]
        )
    shares = {
        "  right record, a candidate picked at random": finding.record_right,
        f"  right {secret}, a candidate picked at random": finding.value_right,
        f"  right {secret}, any record picked at random": finding.value_by_chance,
    }
    return rows + [[what, "", percent(s)] for what, s in shares.items() if s is not None]


def _counted(number: int, whole: int) -> list[str]:
    return [f"{number:,}", percent(number / whole) if whole else "–"]


def _journalist(finding: Linkage) -> str:
    total = int(finding.index.records.sum())
    return (
        "Records whose cells cover exactly one of these people: "
        f"{of_all(finding.records_of_one, total)}; nobody: "
        f"{of_all(finding.records_of_nobody, total)}."
    )


def _explained(finding: Linkage, secret: str) -> list[str]:
    lines = [
        "  Candidates of a person are the records whose cells cover the person in every column "
        "known."
    ]
    if isinstance(finding.release, Permuted):
        lines.append(
            f"  The release has quasi-identifiers as they are: a record is easily found, and its "
            f"{secret} is one of its group's."
        )
    if finding.right is not None:
        covered_by_none = int((finding.right.in_table & (finding.candidates == 0)).sum())
        if covered_by_none:
            lines.append(
                f"  {covered_by_none:,} of those in the table have no candidate: no cell is true "
                "of them. That does not make them safe, for an attacker may take the nearest "
                "records instead; differential_inference and membership test such releases."
            )
    else:
        lines.append("  Give the original, microdata=, to count which links are right.")
    return lines
