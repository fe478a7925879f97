"""``unveil compare-encodings``: which encoding of cells serves an attacker best?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from unveil.adversary import adversary_named
from unveil.attacks.differential import compare_encodings as compare
from unveil.cli._console import console
from unveil.cli._declared import SHELL
from unveil.cli._guard import guarded
from unveil.cli._outputs import print_text, save_picture, write_rows, write_text
from unveil.cli._sources import OPTIONS, Outputs, Table, typed
from unveil.cli._testing import warm_up
from unveil.sanitize import first_look, sanitizers_named

_NOWHERE = Outputs()


@guarded
def compare_encodings(
    file: Annotated[Path, Parameter(help="The original table, one row per person.")],
    /,
    *,
    table: Table,
    sanitizer: Annotated[
        list[str] | None, typed(OPTIONS, "Whose releases are attacked: mondrian:k=5. May be "
                                "repeated. Default: identity, and mondrian with k = 2, 5, 10 and "
                                "20.", "NAME:OPTIONS"),
    ] = None,
    adversary: Annotated[
        str, typed(OPTIONS, "Who guesses: naive-bayes, tree, forest, logistic, boosting, "
                   "neighbours, gaussian-nb.", "NAME"),
    ] = "naive-bayes",
    seed: Annotated[int, typed(OPTIONS, "Random seed.", "N")] = 0,
    outputs: Outputs = _NOWHERE,
) -> None:  # fmt: skip
    """Compare 24 ways to encode generalized cells as numbers for a classifier."""
    outputs.check(file)
    adversary_named(adversary)
    wanted = [one for text in sanitizer or () for one in sanitizers_named(text)]
    microdata = table.reading(file).read()
    wanted = wanted or first_look(microdata)
    warm_up(wanted, adversary=None)
    finding = compare(microdata, wanted, adversary=adversary, seed=seed)
    out = console(stderr=outputs.to_stdout)
    if outputs.json is not None:
        write_text(outputs.json, finding.to_json(records=outputs.records) + "\n")
    if outputs.csv is not None:
        write_rows(outputs.csv, finding.to_frame())
    if outputs.plot is not None:
        save_picture(outputs.plot, finding.plot(), out)
    print_text(finding.summary(SHELL), out)
