"""``unveil harden``: change what is worst and test again, until the goal holds."""

# Annotations are read by the command line: no strings.
import sys
from pathlib import Path
from typing import Annotated, Any

from unveil._exits import Exit, ExitCode
from unveil.attacks.differential import distance_named
from unveil.attacks.shared import adversaries_named
from unveil.cli._anonymize import check_place
from unveil.cli._console import console, say, tell
from unveil.cli._declared import SHELL
from unveil.cli._guard import guarded
from unveil.cli._outputs import beside, is_stdout, print_text
from unveil.cli._runs import resumable
from unveil.cli._sources import OPTIONS, OUTPUT, OneFile, Outputs, Table, taking, typed
from unveil.cli._testing import warm_up
from unveil.errors import InputError, Option
from unveil.hardening import Hardening, Round, round_line
from unveil.hardening import harden as hardened
from unveil.sanitize import sanitizer_named

_NOWHERE = Outputs()


@guarded
@resumable
@taking(hardened, without="at_a_time prior backend watch run")
def harden(
    file: OneFile,
    /,
    *,
    table: Table,
    sanitizer: Annotated[
        list[str], typed(OPTIONS, "What to harden: mondrian:k=5, mondrian:k=5,l=2 …",
                         "NAME:OPTIONS"),
    ],
    out: Annotated[
        Path | None, typed(OUTPUT, "Where the hardened release goes, class by class: .csv or "
                           ".parquet. A dash (-) means standard output, as CSV.", "FILE", "--out",
                           "-o"),
    ] = None,
    outputs: Outputs = _NOWHERE,
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Change what is worst and test again, until nobody's own record gives them away too much."""
    if len(sanitizer) != 1:
        raise InputError("give one {option}; got {given}",
                         option=Option("sanitizer"), given=", ".join(sanitizer))  # fmt: skip
    # Everything that can be wrong without the table is told before it is read.
    outputs.check(file)
    if is_stdout(out) and outputs.to_stdout:
        raise InputError("-o and --json cannot both go to standard output; name a file")
    adversary = options.get("adversary")
    f = sanitizer_named(sanitizer[0])
    reading = table.reading(file)
    if out is not None:
        check_place(out, f, reading)
    if adversary:
        adversaries_named(adversary)
    if "distance" in options:
        distance_named(options["distance"])
    microdata = reading.read()
    sampled = bool({"samples", "error"} & options.keys())
    warm_up([f], adversary=adversary or f.adversaries, sampled=sampled,
            several=microdata.several is not None)  # fmt: skip
    watch = _say_round if sys.stderr.isatty() else _nothing
    finding = hardened(microdata, f, watch=watch, **options)
    _tell(finding, out, outputs)
    if finding.interrupted:
        say("interrupted; the rounds that were finished are above")
        raise Exit(ExitCode.INTERRUPTED)
    if not finding.holds:
        raise Exit(ExitCode.FAILS)


def _tell(finding: Hardening, out: Path | None, outputs: Outputs) -> None:
    terminal = console(stderr=outputs.to_stdout or is_stdout(out))
    release = None if out is None else (out, finding.release)
    with outputs.written(finding, terminal, release) as files:
        print_text(finding.summary(SHELL), terminal)
        if out is not None and not is_stdout(out) and not files.failed:
            place = beside(out) if finding.interrupted else out
            tell(terminal, f"release: {place}, that of round {finding.best.number} "
                           f"({finding.strategy})")  # fmt: skip


def _say_round(strategy: str, done: Round) -> None:
    say(round_line(strategy, done))


def _nothing(strategy: str, done: Round) -> None:
    pass
