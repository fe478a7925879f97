"""Check what unveil installs: known vulnerabilities by pip-audit, licences by pip-licenses.

    python tools/audit_dependencies.py .venv .venv-audit

The first environment is looked at; the tools are installed into the second, so that they are not
among what is looked at. A found vulnerability or licence that is not allowed fails. A check that
cannot reach its source (the package index, for the tools; PyPI's advisories, and OSV if these
cannot be had) fails nothing and says that nothing was checked: an answer that nobody gave is no
good answer.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOOLS = ("pip-audit>=2.7", "pip-licenses>=5.0")
SERVICES = ("pypi", "osv")
_LONGEST = 300  # seconds for one tool

ALLOWED = frozenset({
    "0BSD", "Apache License, Version 2.0", "Apache Software License", "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception", "BSD", "BSD License", "BSD-2-Clause", "BSD-3-Clause",
    "CC0-1.0", "HPND", "ISC", "ISC License (ISCL)", "MIT", "MIT License", "MIT-0", "MIT-CMU",
    "NCSA",
    "PSF-2.0", "Python Software Foundation License", "The Unlicense (Unlicense)", "Unlicense",
    "Zlib", "3-Clause BSD License",
})  # fmt: skip
"""Licences that ask for no more than a notice."""

ONLY_FOR_DEVELOPMENT = {
    "hypothesis": ("MPL-2.0",),
    "pathspec": ("Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
    "psycopg": ("LGPL-3.0-only",),
}
"""Packages that unveil does not need, with the licences that they may have: tests and linters."""


@dataclass
class Outcome:
    """What came of a check."""

    checked: int = 0
    faults: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    why_not: str | None = None
    """Why nothing could be checked."""

    def told(self, what: str) -> list[str]:
        """The lines that say it."""
        if self.why_not is not None or not self.checked:
            why = self.why_not or "no package could be looked up"
            return [f"{what}: NOT CHECKED: {why}"]
        lines = [f"{what}: {self.checked} packages checked, {len(self.faults)} found"]
        lines += [f"  FOUND: {fault}" for fault in self.faults]
        return lines + [f"  not checked: {one}" for one in self.unchecked]


def vulnerabilities(report: Mapping[str, Any], own: str = "unveil") -> Outcome:
    """What pip-audit's JSON says; packages that it skipped were not checked.

    >>> found = vulnerabilities({"dependencies": [
    ...     {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]},
    ...     {"name": "b", "version": "1", "vulns": []}, {"name": "c", "skip_reason": "no answer"}]})
    >>> found.checked, found.faults, found.unchecked
    (2, ['a 1: PYSEC-1; mended in 2'], ['c: no answer'])
    """
    outcome = Outcome()
    for one in report["dependencies"]:
        if one["name"] == own:
            continue
        if "skip_reason" in one:
            outcome.unchecked.append(f"{one['name']}: {one['skip_reason']}")
            continue
        outcome.checked += 1
        for fault in one["vulns"]:
            mended = ", ".join(fault.get("fix_versions") or ()) or "no version yet"
            outcome.faults.append(
                f"{one['name']} {one['version']}: {fault['id']}; mended in {mended}"
            )
    return outcome


def licences(listed: Sequence[Mapping[str, str]], own: str = "unveil") -> Outcome:
    """What pip-licenses' JSON says.

    >>> found = licences([{"Name": "a", "License": "MIT"}, {"Name": "b", "License": "GPL-3.0-only"},
    ...                   {"Name": "psycopg", "License": "LGPL-3.0-only"}])
    >>> found.checked, found.faults
    (3, ["b: 'GPL-3.0-only' is not allowed"])
    """
    outcome = Outcome()
    for one in listed:
        name, licence = one["Name"], one["License"]
        if name == own:
            continue
        outcome.checked += 1
        if not is_allowed(licence) and licence not in ONLY_FOR_DEVELOPMENT.get(name, ()):
            outcome.faults.append(f"{name}: {licence!r} is not allowed")
    return outcome


def is_allowed(licence: str) -> bool:
    """Whether a licence is: one of several to choose from, or all of those that hold together.

    >>> [is_allowed(one) for one in ("GPL-3.0-only OR MIT", "MIT AND GPL-3.0-only", "UNKNOWN", "")]
    [True, False, False, False]
    """
    if licence in ALLOWED:
        return True
    if " OR " in licence:
        return any(is_allowed(one.strip(" ()")) for one in licence.split(" OR "))
    together = [one.strip(" ()") for one in re.split(r" AND |; ", licence)]
    return len(together) > 1 and all(map(is_allowed, together))


def installed_tools(place: Path) -> Path | None:
    """The folder of the tools' programs; None if they cannot be installed."""
    programs = place / ("Scripts" if sys.platform == "win32" else "bin")
    if not (programs / "pip-audit").exists():
        venv.create(place, with_pip=True)
        pip = [str(programs / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        if subprocess.run([*pip, "install", *TOOLS], check=False).returncode:
            return None
    return programs


def asked(command: Sequence[str]) -> tuple[Any, str]:
    """What a tool answers as JSON, or None and the last line of what it said instead.

    pip-audit says by its exit code whether it found anything, so the code alone means nothing.
    """
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True,
                              timeout=_LONGEST)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"no answer in {_LONGEST} seconds"
    try:
        return json.loads(done.stdout), ""
    except ValueError:
        return None, (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:100]


def check_vulnerabilities(ask: Callable[[str], tuple[Any, str]]) -> Outcome:
    """The answer of the first service that knows any package; ``ask`` asks one."""
    reasons = []
    for service in SERVICES:
        report, why = ask(service)
        outcome = Outcome() if report is None else vulnerabilities(report)
        if outcome.checked:
            return outcome
        reasons.append(f"{service}: {why or 'it knows none of the packages'}")
    return Outcome(why_not=f"no source of advisories could be reached ({'; '.join(reasons)})")


def main(given: Sequence[str] | None = None) -> int:
    """Check, say what came of it, and whether anything was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("environment", type=Path, help="the environment that is looked at")
    parser.add_argument("tools", type=Path, help="the environment that the tools are put into")
    paths = parser.parse_args(given)
    programs = installed_tools(paths.tools)
    if programs is None:
        print("NOT CHECKED, neither vulnerabilities nor licences: the tools cannot be installed")
        return 0
    python = next(paths.environment.glob("bin/python"), paths.environment / "Scripts/python.exe")
    packages = next(iter(paths.environment.glob("[Ll]ib/**/site-packages")))

    def ask(service: str) -> tuple[Any, str]:
        return asked([
            str(programs / "pip-audit"), "--path", str(packages), "--format", "json",
            "--vulnerability-service", service, "--progress-spinner", "off", "--timeout", "10",
        ])  # fmt: skip

    outcomes = {"known vulnerabilities": check_vulnerabilities(ask)}
    listed, why = asked([
        str(programs / "pip-licenses"), "--python", str(python), "--with-system",
        "--format", "json",
    ])  # fmt: skip
    outcomes["licences"] = Outcome(why_not=why) if listed is None else licences(listed)
    for what, outcome in outcomes.items():
        print("\n".join(outcome.told(what)))
    return int(any(outcome.faults for outcome in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
