"""Remedies: who is at risk by the classes of a release, and what coarser columns would change."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Ge

from unveil.errors import Call, Cell, File, InputError, Listed, Message, Option, Text, did_you_mean
from unveil.measures._released import records_of
from unveil.measures.trials._classes import Classes
from unveil.measures.trials._finding import Remedies
from unveil.measures.trials._groups import groups_at_risk
from unveil.measures.trials._trials import risk_of, trials
from unveil.microdata import Release, about_suppressed
from unveil.options import Help, Knows, Shell, by_person, checked


@checked
@by_person
def remedies(
    release: Release,
    *,
    knows: Knows = None,
    least: Annotated[
        int, Ge(2),
        Help("The size that classes should have: whoever is in a smaller one is at risk. Default: "
             "5; in an audit, that of a threshold such as 'k < 10'."),
        Shell(metavar="N"),
    ] = 5,
    together: Annotated[
        int, Ge(1),
        Help("Most columns that are changed at once: besides single columns, promising pairs are "
             "tried, and changes one after the other. 1: single columns alone."),
        Shell(metavar="N"),
    ] = 4,
) -> Remedies:  # fmt: skip
    """Who is at risk by the classes of a release, and which coarser columns would help.

    Every quasi-identifier is tried in coarser forms: bands of round widths, months or years, a
    higher level of its hierarchy, fewer characters of a code, neighbouring levels or bands
    together, the highest or lowest values as one, rare values as one, or left out. Classes are
    merged as classes, so a trial is exact, and quick. Trials are ranked by the people whom they
    protect for the information that they cost.

    A trial counts classes and does nothing else. `Remedies.release` makes the changed release:
    audit it before it is published.

    Parameters
    ----------
    release : Release

    Returns
    -------
    Remedies

    Examples
    --------
    >>> import unveil as uv
    >>> people = uv.read_table(
    ...     {"age": [21, 23, 34, 36, 38, 52, 55, 57], "sex": list("FMFMFMFM"),
    ...      "vote": list("abababab")}, quasi=["age", "sex"], sensitive="vote")
    >>> found = uv.remedies(uv.Identity().sanitize(people), least=2)
    >>> found.now.alone, found.best.changes, found.best.numbers.alone
    (8, {'age': 'in bands of 10'}, 4)
    """
    release = records_of(release, "remedies", true=True)
    known = _known(knows, release)
    classes = Classes(release, known, least)
    by = "below" if classes.now.below or not classes.now.one_value else "one_value"
    nobody = not risk_of(classes.now, by)
    single, several = ([], []) if nobody else trials(classes, by, together)
    return Remedies(
        made_by=release.made_by, known=known, least=least, by=by,
        sensitive=release.sensitive.name, records=classes.records, people=classes.people,
        now=classes.now,
        singles=tuple(single), several=tuple(several),
        groups=() if nobody else tuple(groups_at_risk(classes, by)),
        notes=(*release.notes, *_notes(release, classes)), of=release,
    )  # fmt: skip


def _known(knows: Any, release: Release) -> tuple[str, ...]:
    """The quasi-identifiers that the attacker knows, in the order of the release."""
    there = tuple(column.name for column in release.quasi)
    asked = there if knows is None else (knows,) if isinstance(knows, str) else tuple(knows)
    for name in asked:
        if name not in there:
            raise InputError(
                "{option} names {name}, which is not a quasi-identifier of the release{near} "
                "(those are {there})",
                option=Option("knows"), name=Cell(name), near=did_you_mean(str(name), there),
                there=Listed(there),
            )  # fmt: skip
    if not asked:
        raise InputError("{option} is empty: an attacker who knows nothing finds nobody; name a "
                         "quasi-identifier", option=Option("knows"))  # fmt: skip
    return tuple(name for name in there if name in asked)


def _notes(release: Release, classes: Classes) -> list[Text]:
    notes: list[Text] = list(about_suppressed(classes.now.suppressed, classes.records))
    if release.several is not None:
        notes.append(Message(
            "at risk are people whom an attacker finds who knows one of their records; who knows "
            "several may find more: see k_all_rows and unicity of {measures}",
            measures=Call("measures"),
        ))  # fmt: skip
    if release.sensitive.name in release.perturbed:
        notes.append(Message(
            "{release} publishes values of {secret} that need not be true: a single value in a "
            "class need not be anybody's",
            release=File(release.made_by, bare=True), secret=release.sensitive.name,
        ))  # fmt: skip
    return notes
