"""``unveil demo``: the real survey that comes with unveil, and what anonymizing it does."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from rich.console import Console

from unveil._text import display_name
from unveil.attacks.differential import (
    DECLARATION,
    DifferentialInference,
    differential_inference,
)
from unveil.cli._console import console, tell
from unveil.cli._declared import SHELL, show_beside, together
from unveil.cli._guard import guarded
from unveil.cli._outputs import (
    Files,
    check_output,
    check_plot,
    check_report,
    is_stdout,
    print_text,
)
from unveil.cli._sources import OUTPUT, typed
from unveil.cli._testing import warm_up
from unveil.datasets import election_survey
from unveil.errors import InputError
from unveil.render import draw, table_text
from unveil.sanitize import Identity, Mondrian, Sanitizer

_ABOUT = (
    "944 people told the American National Election Study of 1996 how old they are, how far they "
    "went to school, what their household earns, how large their town is, and which party they "
    "feel close to. Say an attacker knows the first four and wants to know the party. "
    "European law counts political opinions among the special categories of personal data."
)
_QUESTION = (
    "The survey could be published as it is, k-anonymous (everybody shares their cells with k - 1 "
    "others) or ℓ-diverse (no party has more than 1/ℓ of a class). How much does it still give "
    "away about each respondent that it would not, had they not taken part?"
)
_WHY = (
    "k and ℓ bound what a class shows. They do not bound how much the release changes with one "
    "person in it: a single record can move the cuts, and with them the cells of many."
)
_NEXT = (
    "unveil audit yourfile.csv --quasi age,education,income --sensitive diagnosis "
    "--report report.html"
)

_STORY: tuple[Sanitizer, ...] = (
    Identity(),
    *(Mondrian(k=k) for k in (2, 5, 20, 50)),
    *(Mondrian(l=l) for l in (2, 3)),  # noqa: E741
)


@guarded
def demo(
    *,
    report: Annotated[
        Path | None, typed(OUTPUT, "Write the report of all attacks and measures, a page to read "
                            "in a browser.", "FILE"),
    ] = None,
    plot: Annotated[
        Path | None, typed(OUTPUT, "Draw the distances: .png, .svg or .pdf.", "FILE")
    ] = None,
    json: Annotated[
        Path | None, typed(OUTPUT, "Write the findings as JSON. A dash (-) means standard output.",
                            "FILE"),
    ] = None,
) -> None:  # fmt: skip
    """Try unveil on a real survey of 944 people that comes with it."""
    check_output(json, "--json")
    check_plot(plot)
    check_report(report)
    if is_stdout(report):
        raise InputError("--report needs a file, such as demo.html")
    out = console(stderr=is_stdout(json))
    out.print(_ABOUT)
    out.print()
    out.print(_QUESTION)
    out.print()
    warm_up(_STORY, adversary=Mondrian.attacked_by)
    found = {f.label: differential_inference(election_survey(), f) for f in _STORY}
    if any(finding.interrupted for finding in found.values()):
        raise KeyboardInterrupt  # an unfinished story misleads
    show_beside(DECLARATION, found, out)
    _show_worst(found, out)
    out.print(_WHY)
    out.print()
    with Files(out) as files:
        if json is not None:
            files.findings(json, list(found.values()), records=False)
        if plot is not None:
            files.picture(plot, draw(together(found).charts[0]))
        if report is not None:
            files.text(report, _page(report))
        files.write()
    if report is not None:
        tell(out, f"All attacks and measures, in a browser: {report}")
        out.print()
    out.print("Now yours:", style="bold")
    out.print(f"  {_NEXT}", soft_wrap=True)


def _page(file: Path) -> str:
    """All attacks and measures, on the same releases."""
    from unveil.auditing import audit

    found = audit(election_survey(), _STORY)
    command = shlex.join(["unveil", "demo", "--report", file.name])
    return replace(found, command=command).page()


def _show_worst(found: Mapping[str, DifferentialInference], out: Console) -> None:
    """The survey is in the public domain, and so its people may be shown."""
    worst = max(_STORY[1:], key=lambda f: found[f.label].delta)
    out.print(f"The three worst-placed respondents under {display_name(worst.label)}", style="bold")
    closer = differential_inference(election_survey(), worst, worst=3)
    (people,) = (table for table in closer.story().tables if "people" in str(table.title))
    print_text(table_text(replace(people, title=""), SHELL), out)
    out.print()
