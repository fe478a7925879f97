"""``unveil demo``: the real survey that comes with unveil, and what anonymizing it does."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from unveil.attacks.differential import DifferentialInference
from unveil.cli._console import console
from unveil.cli._differential import show
from unveil.cli._outputs import check_output, check_plot, check_report, is_stdout, write_text
from unveil.cli._testing import Trial, draw, findings_of, warm_up, was_interrupted, write_json
from unveil.datasets import election_survey
from unveil.errors import InputError
from unveil.report import display_name, worst_records
from unveil.sanitize import Identity, Mondrian, Sanitizer

__all__ = ["demo"]

_ABOUT = (
    "944 people told the American National Election Study of 1996 how old they are, how far they "
    "went to school, what their household earns, how large their town is, and which party they "
    "feel close to. Say an attacker knows the first four; the party is what he wants to know, and "
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
_LEGEND = "(d; their answers; belief without their record → with it)"
_NEXT = (
    "unveil audit yourfile.csv --quasi age,education,income --sensitive diagnosis "
    "--report report.html"
)

_STORY: tuple[Sanitizer, ...] = (
    Identity(),
    *(Mondrian(k=k) for k in (2, 5, 20, 50)),
    *(Mondrian(l=l) for l in (2, 3)),  # noqa: E741
)


def demo(plot: Path | None, json: Path | None, report: Path | None) -> None:
    """Test several anonymizations of the survey and tell what comes out."""
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
    trial = Trial(microdata=election_survey(), options={})
    warm_up(_STORY, adversary="naive-bayes")
    outcomes = trial.run(_STORY)
    if was_interrupted(outcomes):
        raise KeyboardInterrupt  # half a story is none
    show(outcomes, out)
    findings = findings_of(outcomes)
    _show_worst(trial, findings, out)
    out.print(_WHY)
    out.print()
    if json is not None:
        write_json(json, outcomes, records=False)
    if plot is not None:
        draw(plot, findings, out)
    if report is not None:
        _write_report(report)
        out.print(f"All attacks and measures, in a browser: {report}\n", soft_wrap=True)
    out.print("Now yours:", style="bold")
    out.print(f"  {_NEXT}", soft_wrap=True)


def _write_report(file: Path) -> None:
    """All attacks and measures, on the same releases."""
    from unveil.auditing import audit

    found = audit(election_survey(), _STORY)
    command = shlex.join(["unveil", "demo", "--report", file.name])
    write_text(file, replace(found, command=command).page())


def _show_worst(trial: Trial, findings: list[DifferentialInference], out: Console) -> None:
    """The survey is in the public domain, and so its people may be shown."""
    sanitizer, finding = max(
        zip(_STORY[1:], findings[1:], strict=True), key=lambda pair: pair[1].delta
    )
    out.print(f"Who they are: the three worst-placed respondents under "
              f"{display_name(finding.sanitizer)}", style="bold")  # fmt: skip
    out.print(_LEGEND)
    closer = trial.look_closer(finding, sanitizer, 3)
    out.print(worst_records(closer, 3))
    out.print()
