"""What the reproductions share: options, tables side by side, and where pictures and numbers go."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

import unveil as uv
from unveil.errors import InputError, MissingExtraError, UnveilError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "agreement",
    "check_outputs",
    "column_names",
    "data_folder",
    "epsilons",
    "new_figure",
    "new_parser",
    "one_number",
    "percent",
    "run",
    "save_json",
    "save_picture",
    "shown",
    "side_by_side",
    "whole_numbers",
]

_OUT = "reproductions-out"
_NOTHING = "–"
_WIDTH = 150


# Options ----------------------------------------------------------------------------------------


def new_parser(description: str) -> argparse.ArgumentParser:
    """The options that every reproduction takes."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument(
        "--data", metavar="FOLDER",
        help="where the public microdata is (default: UNVEIL_DATA, or ../shared/data)",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FOLDER", default=_OUT, help=f"where pictures go (default: {_OUT})"
    )
    parser.add_argument("--json", metavar="OUT", help="also write all numbers to this file")
    parser.add_argument("--jobs", metavar="N", help="threads (default: all cores)")
    parser.add_argument("--quick", action="store_true", help="a few settings, to have a look")
    return parser


def whole_numbers(text: str, option: str, *, least: int = 1) -> tuple[int, ...]:
    """The numbers in ``2,5,7``, each once; none in an empty text.

    >>> whole_numbers("2, 5,2", "--k")
    (2, 5)
    """
    found: dict[int, None] = {}
    for word in text.split(",") if text.strip() else ():
        try:
            number = int(word)
        except ValueError:
            number = least - 1
        if number < least:
            raise InputError(
                f"{option}: {word.strip()!r} is no whole number from {least} up; "
                f"give one, or several with commas, such as {option} 2,5"
            )
        found[number] = None
    return tuple(found)


def one_number(text: str | None, option: str, *, least: int = 1) -> int | None:
    """A whole number, or none where none was given."""
    if text is None:
        return None
    numbers = whole_numbers(text, option, least=least)
    if len(numbers) != 1:
        raise InputError(f"{option} takes one whole number, got {text!r}")
    return numbers[0]


def epsilons(text: str, option: str = "--epsilon") -> tuple[float, ...]:
    """The privacy parameters in ``0.1,1,inf``, each once.

    >>> epsilons("0.5, inf,0.5")
    (0.5, inf)
    """
    found: dict[float, None] = {}
    for word in text.split(",") if text.strip() else ():
        try:
            number = float(word)
        except ValueError:
            number = 0.0
        if not number > 0:  # which "nan" is not, either
            raise InputError(
                f"{option}: {word.strip()!r} is no number above 0; give one, or several with "
                f"commas, such as {option} 0.1,1,inf (inf is no noise)"
            )
        found[number] = None
    return tuple(found)


def column_names(text: str | None) -> tuple[str, ...] | None:
    """The columns in ``age,race``, or none where none were given."""
    if text is None:
        return None
    columns = tuple(name.strip() for name in text.split(",") if name.strip())
    if not columns:
        raise InputError("--columns is empty; name at least one, such as --columns age,race")
    return columns


def data_folder(given: str | None, *needed: str) -> Path:
    """The folder with public microdata: as given, as UNVEIL_DATA says, or beside the project.

    ``needed`` are the files in it without which there is nothing to do.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(given or os.environ.get("UNVEIL_DATA") or beside)
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {str(folder)!r} with public microdata; say where it is with "
            "--data FOLDER or the environment variable UNVEIL_DATA. It must have the folders "
            "adult and internet_usage, each with the archive's files and a folder hierarchies"
        )
    for name in needed:
        if not (folder / name).is_file():
            raise InputError(
                f"there is no file {name!r} in {str(folder)!r}, where the public microdata should "
                "be; say where it is with --data FOLDER or the environment variable UNVEIL_DATA"
            )
    return folder


def run(main: Callable[[Sequence[str] | None], None], words: Sequence[str] | None = None) -> int:
    """Run a script; wrong settings are told without a traceback. Returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without δ must not stop us
    try:
        main(words)
    except UnveilError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


# Tables -----------------------------------------------------------------------------------------


def shown(value: float | None, digits: int = 3) -> str:
    """A distance with so many decimals; a tiny one with two digits; a dash for none.

    >>> shown(0.25679), shown(9.61e-5), shown(None), shown(0.0)
    ('0.257', '9.6e-5', '–', '0.000')
    """
    if value is None or value != value:
        return _NOTHING
    if 0 < value < 10 ** (1 - digits):
        return f"{value:.1e}".replace("e-0", "e-")
    return f"{value:.{digits}f}"


def percent(share: float | None) -> str:
    """A share in percent, a dash for none.

    >>> percent(0.3636), percent(None)
    ('36.4 %', '–')
    """
    return _NOTHING if share is None or share != share else f"{100 * share:.1f} %"


def agreement(published: str, value: float) -> str:
    """Whether a value is what was printed, to the printed digit.

    >>> agreement("0.257", 0.256797), agreement("9.6e-5", 9.61e-5), agreement("0.43", 0.4353)
    ('same', 'same', 'same, cut off')
    >>> agreement("0.43", 0.41)
    'differs'
    """
    mantissa, _, exponent = published.partition("e")
    scaled = value / 10 ** int(exponent or 0)
    digits = len(mantissa.partition(".")[2])
    if f"{scaled:.{digits}f}" == mantissa:
        return "same"
    # Whoever cuts digits off, or rounds twice (0.4353 to 0.435 to 0.43), prints one less.
    cut_off = int(scaled * 10**digits) / 10**digits
    return "same, cut off" if f"{cut_off:.{digits}f}" == mantissa else "differs"


def side_by_side(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    remarks: Sequence[str] = (),
    *,
    emphasis: Sequence[str] = (),
) -> None:
    """Print a table; the first column stands left, the others right."""
    console = Console()
    # A narrow terminal wraps the lines, but loses no column.
    console.width = max(console.width, _WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, head in enumerate(heads):
        style = "bold" if head in emphasis else None
        table.add_column(head, justify="right" if number else "left", style=style, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(title, style="bold", highlight=False)
    console.print(table)
    for remark in remarks:
        console.print(f"  {remark}", highlight=False)
    console.print()


# Pictures and numbers ---------------------------------------------------------------------------


def new_figure(width: float, height: float) -> Figure:
    """A figure that no window shows."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            "pictures need matplotlib; install it with: pip install 'unveil[plot]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def save_picture(figure: Figure, out: str, name: str) -> Path:
    """Write a picture into the folder for them, and say where it is."""
    path = _folder(Path(out)) / f"{name}.png"
    figure.savefig(path, dpi=130)
    print(f"picture: {path}")
    return path


def save_json(path: str | None, name: str, settings: dict[str, Any], results: list[Any]) -> None:
    """Write the numbers, if anybody wants them."""
    if path is None:
        return
    content = {
        "unveil": uv.__version__, "reproduction": name, "settings": settings, "results": results,
    }  # fmt: skip
    _folder(Path(path).resolve().parent)
    Path(path).write_text(
        json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    print(f"numbers: {path}")


def check_outputs(out: str, json_path: str | None) -> None:
    """Find out before long work whether its results have a place."""
    new_figure(1, 1)
    _folder(Path(out))
    if json_path is not None:
        if Path(json_path).is_dir():
            raise InputError(f"--json: {json_path!r} is a folder; name a file in it")
        _folder(Path(json_path).resolve().parent)


def _folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {str(folder)!r} cannot be made: {error.strerror}") from error
    return folder
