"""The assertion."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unveil.testing import _reports

if TYPE_CHECKING:
    from unveil.auditing import Audit


def assert_release(
    microdata: Any = None,
    release: Any = None,
    *requirements: str,
    project: str | os.PathLike[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    adversary: Any = None,
    strict_columns: bool = False,
    key: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
) -> Audit:
    """Assert what must hold of a release.

    Only the attacks and measures that give the required figures are run. What cannot be known
    does not hold: nothing would be proved.

    Parameters
    ----------
    microdata : Microdata, or sequence of Microdata
        The original table, as for `audit`; None where there is none.
    release
        What is tested: a release, a sanitizer, a name such as ``"mondrian:k=5"``, or several, as
        for `audit`. All requirements must hold of each.
    *requirements : str
        What must hold: ``"k >= 5"``, ``"delta <= 0.05"``, ``"unique < 1%"``. Mind that
        ``fail_on`` of `audit` says the opposite, what must not be.
    project : path, optional
        In place of all these: a file ``unveil.toml``, whose thresholds are what must not be.
    options : mapping of names to mapping, optional
        What attacks and measures are told besides, such as ``{"relative-risk": {"beta": 0.1}}``.
    adversary, strict_columns, key, seed, jobs
        As for `audit`. A release that publishes identifiers fails, whatever is required.

    Returns
    -------
    Audit
        What was found.

    Raises
    ------
    AssertionError
        That says of each requirement whether it holds, what was found, and what it means.
    InputError
        Where the test itself is wrong, such as a requirement that cannot be read.
    InternalError
        Where unveil itself failed, and nothing is known to be wrong with the release.

    Examples
    --------
    >>> import unveil as uv
    >>> from unveil.testing import assert_release
    >>> survey = uv.datasets.election_survey()
    >>> assert_release(survey, uv.Mondrian(k=5), "k >= 5").passed
    True
    >>> assert_release(survey, uv.Mondrian(k=5), "k >= 10", "unique <= 1%")
    Traceback (most recent call last):
    AssertionError: Mondrian(k=5): 1 of 2 requirements does not hold
      ✗ k >= 10: k is 5, which is below 10
        k is the number of records in the smallest class, of people where a person has several:
        nobody can be told from fewer
      ✓ unique <= 1%: unique is 0%, which is not above 1.0%
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not of this function
    # Here, and not above: pytest loads this module whether or not a release is tested.
    from unveil._faults import contained
    from unveil.errors import InternalError

    with contained():
        from unveil.testing._required import audited, failures

        audit, required = audited(
            microdata, release, requirements, project=project, options=options,
            adversary=adversary, strict_columns=strict_columns, key=key, seed=seed, jobs=jobs,
        )  # fmt: skip
        saved = [] if audit.interrupted else _reports.save(audit)
        said = failures(audit, required)
    if audit.interrupted:
        raise KeyboardInterrupt
    if said:
        text = "\n".join([*said, *(f"  report: {file}" for file in saved[:1])])
        # A crash is not a verdict: it does not say that a requirement is violated.
        raise InternalError(text) if audit.only_crashed else AssertionError(text)
    return audit
