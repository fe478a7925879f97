"""``unveil encodings``: which way to write cells as numbers serves an attacker best?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

from unveil._text import harmless
from unveil.adversary import adversary_named
from unveil.attacks.differential import compare_encodings
from unveil.cli._console import console, folded
from unveil.cli._outputs import check_output, check_plot, is_stdout, save_picture, write
from unveil.cli._reading import Reading
from unveil.cli._testing import warm_up
from unveil.sanitize import first_look, sanitizer_named

__all__ = ["encodings"]


def encodings(
    reading: Reading,
    sanitizers: Sequence[str],
    *,
    adversary: str,
    seed: int,
    json: Path | None,
    plot: Path | None,
) -> None:
    """Compare the encodings and tell what comes out."""
    check_output(json, "--json", source=reading.file)
    check_plot(plot, source=reading.file)
    adversary_named(adversary)
    wanted = [sanitizer_named(text) for text in sanitizers]
    microdata = reading.read()
    wanted = wanted or first_look(microdata)
    warm_up(wanted, adversary=None)
    finding = compare_encodings(microdata, wanted, adversary=adversary, seed=seed)
    out = console(stderr=is_stdout(json))
    if json is not None:
        text = finding.to_json() + "\n"

        def into(file: IO[bytes]) -> None:
            file.write(text.encode())

        write(json, into)
    if plot is not None:
        save_picture(plot, finding.plot(), out)
    for line in finding.summary().splitlines():
        out.print(folded(harmless(line), out.width), soft_wrap=True)
