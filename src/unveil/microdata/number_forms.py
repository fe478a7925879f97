"""Numbers as people write them: ``34,5``, ``1,234,567``, ``1.234,50 €``, ``1 234,5``, ``12 %``.

A form is the number 1234.56 as it is written in the column: ``1,234.56`` or ``1.234,56``, perhaps
with a sign of money or percent. All forms that fit some texts are told, and none is chosen here:
``45,250`` may be more than 45 thousand, or little more than 45.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unveil.microdata._microdata import value_text

_SIGNS = "$€£¥%"
_SPACES = "\u00a0\u202f\u2009"  # that printers and spreadsheets put between thousands
_FORM = re.compile(rf"([{_SIGNS}] ?)?1([,. ']?)234([.,])56( ?[{_SIGNS}])?")
_SIGN = re.compile(rf"[+-]?([{_SIGNS}] ?)?[+-]?[^{_SIGNS}]*?( ?[{_SIGNS}])?")
_MARKED = (",", ".", " ", "'", "")


class _Form(NamedTuple):
    before: str
    mark: str
    """Between thousands."""
    point: str
    after: str


@lru_cache(maxsize=256)
def _form(words: str) -> _Form | None:
    """A form from its words; None if they are none."""
    found = _FORM.fullmatch(words)
    if found is None or found[2] == found[3]:
        return None
    return _Form(found[1] or "", found[2], found[3], found[4] or "")


def is_number_form(words: str) -> bool:
    """Whether words are a form of numbers.

    >>> is_number_form("1.234,56"), is_number_form("$1,234.56"), is_number_form("dd.mm.yyyy")
    (True, True, False)
    """
    return _form(words) is not None


def _pattern(form: _Form) -> str:
    """What fits a form. Codes such as 01234 do not, and thousands may have no mark."""
    whole = "(?:0|[1-9][0-9]{0,17}"
    if form.mark:
        whole += f"|[1-9][0-9]{{0,2}}(?:{re.escape(form.mark)}[0-9]{{3}}){{1,5}}"
    point = re.escape(form.point)
    before, after = re.escape(form.before.strip()), re.escape(form.after.strip())
    number = f"{whole})(?:{point}[0-9]+)?|{point}[0-9]+"
    sign = f"(?:[+-]?{before} ?|{before} ?[+-])" if before else "[+-]?"
    after = f" ?{after}" if after else ""
    return f"{sign}(?:{number}){after}"


def numbers_by_form(texts: Sequence[str] | NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Every form that fits all of some texts, and the numbers that they are then.

    Forms that say the same of all texts are told once.

    Examples
    --------
    >>> {form: numbers.tolist() for form, numbers in numbers_by_form(["34,5", "7"]).items()}
    {'1.234,56': [34.5, 7.0]}
    >>> {form: numbers.tolist() for form, numbers in numbers_by_form(["45,250"]).items()}
    {'1,234.56': [45250], '1.234,56': [45.25]}
    >>> list(numbers_by_form(["1.234,50 €"])), numbers_by_form(["01234"])
    (['1.234,56 €'], {})
    """
    found: dict[str, NDArray[Any]] = {}
    if not len(texts) or not isinstance(texts[0], str):
        return found
    sign = _SIGN.fullmatch(texts[0].strip())
    before, after = (sign[1] or "", sign[2] or "") if sign is not None else ("", "")
    for mark in _MARKED:
        for point in ".,":
            if mark == point or (mark == "" and point == ","):
                continue
            words = f"{before}1{mark}234{point}56{after}"
            numbers = parse_numbers(texts, words)
            if numbers is not None and not any(
                np.array_equal(numbers, other) for other in found.values()
            ):
                found[words] = numbers
    return found


def parse_numbers(texts: Sequence[str] | NDArray[Any], form: str) -> NDArray[Any] | None:
    """The numbers that texts are in a form; None if not all fit.

    >>> parse_numbers(["1.234,50", "-7", "0,25"], "1.234,56")
    array([ 1.2345e+03, -7.0000e+00,  2.5000e-01])
    >>> parse_numbers(["1 234", "12\u202f345"], "1 234,56"), parse_numbers(["a"], "1,234.56")
    (array([ 1234, 12345]), None)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = _form(form)
    if known is None or not len(texts):
        return None
    fits = _compiled(_pattern(known))
    if fits.fullmatch(plain_marks(texts[0])) is None:
        return None
    array = pa.array(texts, type=pa.large_string())
    array = pc.utf8_trim_whitespace(pc.replace_substring_regex(array, f"[{_SPACES}]", " "))
    array = pc.replace_substring(pc.replace_substring(array, "−", "-"), "’", "'")
    if not pc.all(pc.match_substring_regex(array, f"^(?:{fits.pattern})$")).as_py():
        return None
    array = pc.replace_substring_regex(array, f"[ {_SIGNS}+]", "")
    if known.mark.strip():
        array = pc.replace_substring(array, known.mark, "")
    if known.point == ",":
        array = pc.replace_substring(array, ",", ".")
    has_decimals = pc.any(pc.match_substring(array, ".")).as_py()
    numbers: NDArray[Any] = array.cast(pa.float64() if has_decimals else pa.int64()).to_numpy(
        zero_copy_only=False
    )
    return numbers


def number_of(text: str, form: str) -> float | None:
    """The number that a single text is in a form, as `parse_numbers` reads it; or None.

    >>> number_of("1.234,5", "1.234,56"), number_of("1.234,5", "1,234.56")
    (1234.5, None)
    """
    known, text = _form(form), plain_marks(text)
    if known is None or _compiled(_pattern(known)).fullmatch(text) is None:
        return None
    plain = re.sub(rf"[ {_SIGNS}+]", "", text)
    plain = plain.replace(known.mark, "") if known.mark.strip() else plain
    return float(plain.replace(",", "."))


def write_numbers(numbers: NDArray[Any], form: str) -> list[str]:
    """Numbers in a form.

    >>> write_numbers(np.array([1234.5, -7.0]), "1.234,56 €")
    ['1.234,5 €', '-7 €']
    """
    known = _form(form)
    assert known is not None
    written = []
    for text in map(value_text, numbers):
        sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
        whole, point, decimals = digits.partition(".")
        if known.mark:
            whole = f"{int(whole):,}".replace(",", known.mark)
        point = known.point if point else ""
        written.append(f"{sign}{known.before}{whole}{point}{decimals}{known.after}")
    return written


def plain_marks(text: str) -> str:
    """A text with the usual blank, minus and apostrophe.

    >>> plain_marks("−1\u202f234"), plain_marks("1’234")
    ('-1 234', "1'234")
    """
    return re.sub(f"[{_SPACES}]", " ", text).strip().replace("−", "-").replace("’", "'")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
