"""One call for everything: the attacks and measures that fit, on every release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unveil.attacks import adversaries_named, seed_number
from unveil.auditing._discretion import SMALLEST, Discretion, new_key
from unveil.auditing._finding import Audit
from unveil.auditing._running import Run
from unveil.auditing._subjects import subjects_of
from unveil.auditing._threat import known_of, of_their_secrets, partitions_of, tables_of
from unveil.auditing._thresholds import Threshold, thresholds_of
from unveil.auditing.parts import DEFAULT, PARTS, Asked, Part
from unveil.errors import InputError, did_you_mean
from unveil.microdata import Microdata

__all__ = ["audit"]


def audit(
    microdata: Microdata | Sequence[Microdata],
    releases: Any = None,
    *,
    attacks: Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None,
    fail_on: str | Threshold | Iterable[str | Threshold] | None = None,
    knows: str | Sequence[str] | None = None,
    partitions: Mapping[str, Any] | None = None,
    adversary: Any = None,
    include_records: bool = False,
    smallest: int = SMALLEST,
    key: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Audit:
    """Attack and measure every release, under one threat model.

    Parameters
    ----------
    microdata : Microdata, or sequence of Microdata
        The original table: what the attacker knows are its quasi-identifiers, what he wants is its
        sensitive column. Several are the same table with other sensitive columns, each tested in
        turn: the others are then neither known to the attacker nor published.
    releases : optional
        What is audited: a release, a sanitizer, a name such as ``"mondrian:k=5"``, a series such
        as ``"mondrian:k=2..64"``, a list of these, or a mapping of names to them. By default a
        first look: the table as it is, and Mondrian with some k.
    attacks : names, or mapping of names to options, optional
        Which attacks and measures, or ``"all"``; by default those that are quick and fit. Options
        are those of the attack's own function, such as ``{"relative-risk": {"beta": 0.1}}``.
    fail_on : str, Threshold, or several, optional
        What makes a release fail: ``"delta > 0.05"``, ``"k < 5"``. Without thresholds there is no
        verdict, only what was found.
    knows : str or sequence of str, optional
        The quasi-identifiers that the attacker knows, of those that are published; by default all.
        Attacks that have no form for an attacker who knows fewer say so, and give no number.
    partitions : mapping of str to any, optional
        Categories of sensitive columns, by their names, for the discrimination rate; see
        `Partition.of`.
    adversary : optional
        Who guesses; see `differential_inference`.
    include_records : bool
        Let the report show original records; otherwise they have references that only the owner
        can resolve.
    smallest : int
        Groups of fewer people, and values that fewer people have, are masked in the report.
    key : str, optional
        Of the references, 64 hexadecimal digits; by default a new one (`Audit.key`).
    seed, n_jobs, progress
        As for the attacks.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import unveil as uv
    >>> survey = uv.datasets.election_survey()
    >>> found = uv.audit(survey, "mondrian:k=5,20", attacks=["measures", "utility"],
    ...                  fail_on=["k < 10", "loss > 50%"])
    >>> found.passed
    False
    >>> [(one.name, one.passed) for one in found.releases]
    [('Mondrian(k=5)', False), ('Mondrian(k=20)', True)]
    """
    tables = tables_of(microdata)
    seed = seed_number(seed)
    if adversary is not None:  # refused now, not in each attack
        adversaries_named(adversary, seed)
    wanted, options = _parts(attacks)
    thresholds = thresholds_of(fail_on)
    _check_thresholds(thresholds, wanted)
    discretion = Discretion(
        key=key or new_key(), include_records=include_records, smallest=smallest
    )
    asked = Asked(
        adversary=adversary, seed=seed, n_jobs=n_jobs, progress=progress, discretion=discretion,
        options=options, knows=known_of(knows, tables[0]),
        partitions=partitions_of(partitions, tables),
    )  # fmt: skip
    subjects = of_their_secrets([subjects_of(releases, table) for table in tables], tables)
    run = Run(asked=asked, parts=wanted, thresholds=thresholds, progress=progress)
    secrets = run.over(tables, subjects)
    return Audit(
        secrets=tuple(sorted(secrets, key=lambda one: one.badness(), reverse=True)),
        parts=tuple(wanted), thresholds=tuple(thresholds), asked=asked,
        interrupted=run.interrupted, seconds=run.seconds,
    )  # fmt: skip


_MANY = {"all": tuple(PARTS), "default": DEFAULT}


def _parts(attacks: Any) -> tuple[list[Part[Any]], Mapping[str, Mapping[str, Any]]]:
    if attacks is None:
        return [PARTS[name] for name in DEFAULT], {}
    options = attacks if isinstance(attacks, Mapping) else {}
    if not isinstance(attacks, Iterable):
        raise InputError(f"attacks must be names, such as {DEFAULT[0]!r}, or all, got {attacks!r}")
    asked = [attacks] if isinstance(attacks, str) else list(attacks)
    # Options are of one attack each, so whoever gives some names each.
    names = asked if options else [one for name in asked for one in _MANY.get(str(name), (name,))]
    if not names:
        raise InputError(
            "there is no attack to run; name one, or leave attacks out for those that are quick"
        )
    for name in names:
        if name not in PARTS:
            raise InputError(
                f"no attack {name!r}{did_you_mean(str(name), PARTS)} (known: {', '.join(PARTS)})"
            )
    for name, given in options.items():
        PARTS[name].check_options(given)
    # In the order in which they are told, whatever the user's.
    return [part for name, part in PARTS.items() if name in names], options


def _check_thresholds(thresholds: Sequence[Threshold], parts: Sequence[Part[Any]]) -> None:
    given = {figure for part in parts for figure in part.figures}
    for threshold in thresholds:
        name = threshold.figure.name
        if name not in given:
            giver = next(part.name for part in PARTS.values() if name in part.figures)
            raise InputError(
                f"the threshold '{threshold}' needs {giver}, which is not among the attacks asked "
                f"for ({', '.join(part.name for part in parts)})"
            )
