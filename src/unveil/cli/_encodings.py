"""``unveil compare-encodings``: which encoding of cells serves an attacker best?"""

# Annotations are read by the command line: no strings.
from typing import Annotated, Any

from unveil.adversary import adversary_named
from unveil.attacks.differential import compare_encodings as compare
from unveil.cli._console import console
from unveil.cli._declared import SHELL
from unveil.cli._guard import guarded
from unveil.cli._outputs import print_text
from unveil.cli._sources import OPTIONS, OneFile, Outputs, Table, taking, typed
from unveil.cli._testing import warm_up
from unveil.sanitize import first_look, sanitizers_named

_NOWHERE = Outputs()


@guarded
@taking(compare, without="encodings adversary")
def compare_encodings(
    file: OneFile,
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
    outputs: Outputs = _NOWHERE,
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Compare 24 ways to encode generalized cells as numbers for a classifier."""
    outputs.check(file)
    adversary_named(adversary)
    wanted = [one for text in sanitizer or () for one in sanitizers_named(text)]
    microdata = table.reading(file).read()
    wanted = wanted or first_look(microdata)
    warm_up(wanted, adversary=None)
    finding = compare(microdata, wanted, adversary=adversary, **options)
    out = console(stderr=outputs.to_stdout)
    with outputs.written(finding, out):
        print_text(finding.summary(SHELL), out)
