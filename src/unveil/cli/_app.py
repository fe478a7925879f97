"""The application: commands of its own, and one for every declared attack and measure.

Commands import what they need when they are called: ``unveil --help`` does not wait for numba.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cyclopts import App, Parameter

from unveil._exits import exit_codes
from unveil._terminal import console_on
from unveil._text import harmless
from unveil._version import __version__
from unveil.registry import KINDS, Declaration, Plugin, declarations

_EXAMPLES = """
    unveil demo
    unveil audit survey.csv --quasi age,zip,sex --sensitive income
    unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 -o released.csv
"""


class _Own(NamedTuple):
    """A command that belongs to no attack: where it is, what it does, and examples.

    The first paragraph of the help stands in the list of commands.
    """

    home: str
    help: str
    examples: str
    codes: str = exit_codes()


_OWN = {
    "demo": _Own(
        "_demo",
        "Try unveil on a real survey of 944 people that comes with it.",
        """
    unveil demo
    unveil demo --plot distances.png

All attacks and measures, as a page to read in a browser:

    unveil demo --report demo.html
""",
    ),
    "init": _Own(
        "_init",
        """Look at a table, propose the roles of its columns, and write a project file.

It is a proposal: read it, and correct it. Neither what is printed nor the file shows a
value of an identifier, or one that fewer than five people have.
""",
        """
    unveil init survey.csv

A file without a header, and where the project goes:

    unveil init survey.data --columns age,zip,sex,income -o survey.toml
""",
    ),
    "audit": _Own(
        "_audit",
        """Attack releases in every way that fits, and give one verdict and one report.

All releases meet the same attacker, who knows the quasi-identifiers and wants to know
the sensitive value, so that their figures can be compared. Without thresholds there is
no verdict, only what was found.

The report shows no original record: people have references that unveil resolve makes
out, for whoever has the table and the key.
""",
        """
A first look, with nothing to configure; then a report, with roles:

    unveil audit survey.csv
    unveil audit survey.csv --quasi age,zip,sex --sensitive income --report report.html

What somebody else published, beside what we could publish:

    unveil audit survey.csv --quasi age,zip,sex --sensitive income \\
           --published published.csv --sanitizer mondrian:k=5 --report report.html

A series of sanitizers, and two sensitive columns:

    unveil audit survey.csv --quasi age,zip,sex --sensitive income,diagnosis \\
           --sanitizer mondrian:k=2..64 --report report.html

As a gate in CI:

    unveil audit --project unveil.toml --fail-on 'delta > 0.05' --fail-on 'k < 5' \\
           --junit unveil.xml
""",
        exit_codes(
            "done, and every release passes",
            "a release fails",
            "none fails, but it is not known whether one passes, or one was not tested",
        ),
    ),
    "report": _Own(
        "_audits_read",
        "Make the report of an earlier audit from its JSON.",
        """
    unveil report audit.json
    unveil report audit.json -o for-the-board.html
""",
    ),
    "compare": _Own(
        "_audits_read",
        "Compare two audits: what got better, and what got worse.",
        """
    unveil compare before.json after.json

In CI, against the last version that was published:

    unveil compare published.json audit.json --strict
""",
        exit_codes(fails="something got worse, with --strict"),
    ),
    "resolve": _Own(
        "_audits_read",
        """Tell the owner of a table who is behind the references of a report.

Prints original records.
""",
        """
    unveil resolve survey.csv '#0a1b2c3d4e5f6071' '#ffeeddccbbaa9988' --key report.key
    unveil resolve --project unveil.toml 0a1b2c3d4e5f6071 --key report.key
""",
    ),
    "resume": _Own(
        "_runs",
        """Go on with a run that was interrupted.

Commands that attack or harden have --run: they keep in a folder what they have found, and
after an interruption, a crash or a power failure they go on from there. What comes out is
what would have come without it, byte for byte. Where a file that is read, or unveil
itself, is not what it was, resume refuses and says what has changed.
""",
        """
    unveil audit survey.csv --quasi age,zip --sensitive income --report report.html \\
           --run audit-run
    unveil resume audit-run
""",
    ),
    "anonymize": _Own(
        "_anonymize",
        """Anonymize a table and write the release.

Only the quasi-identifiers, generalized, and the sensitive column are written.
""",
        """
    unveil anonymize survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 -o released.csv

    unveil anonymize survey.parquet --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5,l=2 --hierarchies trees/ -o released.parquet
""",
    ),
    "harden": _Own(
        "_harden",
        """Change what is worst and test again, until a goal for differential inference holds.

People over --delta are left out of the table (remove), or kept in larger classes
(merge). It may not be possible: the report says how far it got, and the best round is
written.
""",
        """
    unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --delta 0.05 -o released.csv

Which costs less, leaving people out or larger classes?

    unveil harden survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --strategy both --plot rounds.png
""",
        exit_codes("the goal holds", "it does not"),
    ),
    "compare-encodings": _Own(
        "_encodings",
        """Compare 24 ways to encode generalized cells as numbers for a classifier.

How well does an attacker guess with each of them, how many features does it have, and
how long does it take?
""",
        """
    unveil compare-encodings survey.csv --quasi age,zip,sex --sensitive income \\
           --sanitizer mondrian:k=5 --sanitizer mondrian:k=20 --plot encodings.png
""",
    ),
    "measures": _Own(
        "_measures",
        """Measure tables by their classes: k, ℓ, t, re-identification risk, discrimination rate.

k, ℓ, t, re-identification risk, the discrimination rate and what else follows from
counts. All of it comes from one grouped count, which an engine makes, whatever the size
of the file. Missing values are values like any other.
""",
        """
    unveil measures published.csv --quasi age,zip,sex --sensitive income

Two releases side by side, and an attacker who only wants to know whether the income is low:

    unveil measures a.csv b.csv --quasi age,zip --sensitive income \\
           --partition low:0-20,high:20-

Which columns single people out? A file larger than memory, within 4 GB:

    unveil measures survey.parquet --quasi age,zip,sex,job,car --subsets 3 --memory 4GB

What it has lost against the original; everything for a machine to read:

    unveil measures published.csv --quasi age,zip,sex --sensitive income \\
           --original survey.csv --json -
""",
    ),
}


def _paragraphs(text: str) -> str:
    """A text whose lines the terminal breaks."""
    return "\n\n".join(" ".join(one.split()) for one in text.strip().split("\n\n"))


def _works_on(one: Declaration) -> str:
    return f"Works on: {', '.join(KINDS[kind] for kind in one.fits)}."


_WIDE = 78  # of a line of an example


def _examples(text: str) -> str:
    """Examples, with commands broken between their options where they are long.

    >>> print(_examples("\\n    unveil audit a.csv --quasi age,zip,sex --sensitive income "
    ...                 "--report report.html --seed 5"))
    Examples
    <BLANKLINE>
        unveil audit a.csv --quasi age,zip,sex --sensitive income \\
               --report report.html --seed 5
    """
    lines = []
    for line in text.replace("\\\n", "").splitlines():
        if not line.startswith("    "):
            lines.append(line)
            continue
        first, *options = re.split(r" +(?=-)", line)
        for option in options:
            if len(first) + len(option) + 3 > _WIDE:
                lines.append(f"{first} \\")
                first = f"           {option}"
            else:
                first += f" {option}"
        lines.append(first)
    return "\n".join(["Examples", *lines])


def made_app() -> App:
    """The application with all its commands."""
    app = App(
        name="unveil",
        help="Penetration testing for anonymized data: how much does each person's own record "
        "give them away?",
        version=f"unveil {__version__}",
        help_flags=["--help", "-h"],
        help_epilogue=_examples(_EXAMPLES),
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        console=console_on(stderr=False),
        error_console=console_on(stderr=True),
        error_formatter=lambda error: f"error: {harmless(' '.join(str(error).split()))}",
        default_parameter=Parameter(
            negative=(),
            consume_multiple=False,
            show_default=lambda value: None if value is None or value is False else value,
        ),
    )
    for name, own in _OWN.items():
        app.command(
            f"unveil.cli.{own.home}:{name.replace('-', '_')}", name=name,
            help=f"{_paragraphs(own.help)}\n\n{own.codes}", help_epilogue=_examples(own.examples),
        )  # fmt: skip
    for one in declarations().values():
        if one.name in _OWN:
            if one.plugin is not None:
                Plugin(one.name, one, one.plugin).refuse("there is a command of that name")
            continue
        app.command(
            f"unveil.cli._declared:{one.name.replace('-', '_')}", name=one.name,
            help=f"{one.help}\n\n{one.means}\n\n{_works_on(one)}\n\n{exit_codes()}",
            help_epilogue=_examples(one.examples) if one.examples else "",
        )  # fmt: skip
    return app


def command_names() -> list[str]:
    """The names of all commands."""
    return [name for name in made_app() if not name.startswith("-")]
