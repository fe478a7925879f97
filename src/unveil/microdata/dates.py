"""Dates as people write them: ``16.11.1961``, ``11/16/1961``, ``16nov1961``, ISO, with times.

A form says how a date is written, in words: ``dd.mm.yyyy``, ``mm/dd/yyyy``, ``dd-mon-yy``,
``yyyy-mm-dd hh:mm:ss``. Many texts fit several forms. All that fit are told, and none is chosen
here: ``12/11/1961`` may be in November or in December.

Years of two digits lie in a hundred years that begin with 1930, or as the form says:
``dd.mm.yy since 1910``.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SINCE = 1930
"""The first of the hundred years that years of two digits lie in, if the form says no other."""

_MONTHS = (
    "jan january januar janvier janv januari enero ene gennaio gen jaenner",
    "feb february februar fevrier fevr februari febrero febbraio",
    "mar march marz maerz mrz mars maart mrt marzo",
    "apr april avril avr abril abr aprile",
    "may mai mei mayo maggio mag",
    "jun june juni juin junio giugno giu",
    "jul july juli juillet juil julio luglio lug",
    "aug august aout augustus agosto ago",
    "sep sept september septembre septiembre set settembre",
    "oct october okt oktober octobre octubre ott ottobre",
    "nov november novembre noviembre",
    "dec december dez dezember decembre diciembre dic dicembre",
)
_MONTH_OF = {word: number for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_LETTERS = r"[^\W\d_]{3,12}"

_TIME = re.compile(r"h{1,2}:mm(:ss(\.f)?)?( ?AM)?(Z|[+-][0-9][0-9]:?[0-9][0-9])?\Z")
_WORD = re.compile(r"yyyy|yy|mon|mm?|dd?|[^a-z]+|[a-z]")
_FIELD = {
    "yyyy": r"(?P<y>[0-9]{4})",
    "yy": r"(?P<y>[0-9]{2})",
    "mon": r"(?P<m>[^0-9\s.,:;/_()+-]{3,12}\.?)",
    "mm": r"(?P<m>[0-9]{1,2})",
    "dd": r"(?P<d>[0-9]{1,2})",
    "m": r"(?P<m>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
}
_GLUED = re.compile("(?:yy|mm|dd)(?:yy|mm|dd)(?<!yyyy)")
_SINCE = re.compile(r"(.*?) since ([0-9]{4})\Z")


class _Form(NamedTuple):
    """A form, ready to be read."""

    pattern: str
    since: int | None
    """The first of a hundred years, for years of two digits."""
    has_names: bool
    has_time: bool


@lru_cache(maxsize=256)
def _form(words: str) -> _Form | None:
    """A form from its words; None if they are none."""
    since = SINCE
    if (said := _SINCE.match(words)) is not None:
        words, since = said[1], int(said[2])
    time, clock = "", _TIME.search(words)
    if clock is not None:
        words = words[: clock.start()]
        time = r"(?P<H>[0-9]{1,2}):(?P<M>[0-9][0-9])"
        if clock[1]:
            time += r":(?P<S>[0-9][0-9])(?:[.,](?P<f>[0-9]{1,9}))?"
        if clock[3]:
            time += r" ?(?P<half>[AaPp])\.?[Mm]\.?"
        time += re.escape(clock[4] or "")
    parts = _WORD.findall(words)
    fields = [part for part in parts if part in _FIELD]
    if sorted(field[0] for field in fields) != ["d", "m", "y"]:
        return None
    if any(part.isalpha() and part not in _FIELD and part != "T" for part in parts):
        return None
    short = "yy" in fields
    if said is not None and not short:
        return None
    pattern = "".join(_FIELD.get(part) or re.escape(part) for part in parts) + time
    if _GLUED.search(words) is not None:
        pattern = pattern.replace("{1,2}", "{2}", 2)
    return _Form(pattern, since if short else None, "mon" in fields, clock is not None)


def is_date_form(words: str) -> bool:
    """Whether words are a form of dates.

    >>> is_date_form("dd.mm.yyyy"), is_date_form("mm/dd/yy since 1910"), is_date_form("1,234.56")
    (True, True, False)
    """
    return _form(words) is not None


def has_short_years(words: str) -> bool:
    """Whether a form has years of two digits.

    >>> has_short_years("dd.mm.yy"), has_short_years("dd.mm.yyyy")
    (True, False)
    """
    form = _form(words)
    return form is not None and form.since is not None


def date_forms(texts: Sequence[str] | NDArray[Any]) -> tuple[str, ...]:
    """Every form that fits all of some texts; the most usual first.

    Dates with dots have the day first wherever people write them, so ``mm.dd.yyyy`` is told only
    if that cannot be. Whole numbers such as ``19611116`` are no dates by themselves; they can be
    read with the form ``yyyymmdd``.

    Examples
    --------
    >>> date_forms(["16.11.1961", "03.04.1984"]), date_forms(["11/16/1961"])
    (('dd.mm.yyyy',), ('mm/dd/yyyy',))
    >>> date_forms(["12/11/1961", "03/04/1984"])
    ('dd/mm/yyyy', 'mm/dd/yyyy')
    >>> date_forms(["5.4.61", "17.12.84"]), date_forms(["30.02.1961"])
    (('d.m.yy',), ())
    """
    return tuple(dates_by_form(texts))


def dates_by_form(texts: Sequence[str] | NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Every form that fits all of some texts, and the dates that they are then.

    >>> {form: str(dates[0]) for form, dates in dates_by_form(["12/11/1961"]).items()}
    {'dd/mm/yyyy': '1961-11-12', 'mm/dd/yyyy': '1961-12-11'}
    """
    found: dict[str, NDArray[Any]] = {}
    if not len(texts) or not isinstance(texts[0], str):
        return found
    for words in _possible(texts[0].strip()):
        # With dots the day comes first, and a year in front is rather one of four digits.
        if "." in words and found and not words.startswith("dd"):
            continue
        read = _read(texts, words)
        if read is not None:
            found[_as_written(words, read)] = read.dates
    return found


def parse_dates(texts: Sequence[str] | NDArray[Any], form: str) -> NDArray[Any] | None:
    """The dates that texts are in a form: days, or moments if they have times; None if not all fit.

    Days and months may be written with one digit or two, and names of months in English, German,
    French, Dutch, Spanish or Italian.

    Examples
    --------
    >>> parse_dates(["16.11.1961", "3.4.1984"], "dd.mm.yyyy")
    array(['1961-11-16', '1984-04-03'], dtype='datetime64[D]')
    >>> parse_dates(["16NOV1961"], "ddmonyyyy"), parse_dates(["31.04.1961"], "dd.mm.yyyy")
    (array(['1961-11-16'], dtype='datetime64[D]'), None)
    >>> parse_dates(["01.02.25"], "dd.mm.yy"), parse_dates(["01.02.25"], "dd.mm.yy since 1910")
    (array(['2025-02-01'], dtype='datetime64[D]'), array(['1925-02-01'], dtype='datetime64[D]'))
    """
    read = _read(texts, form)
    return None if read is None else read.dates


def date_of(text: str, form: str) -> np.datetime64 | None:
    """The date that a single text is in a form, as `parse_dates` reads it; or None.

    >>> date_of("3.4.1984", "dd.mm.yyyy"), date_of("April", "dd.mm.yyyy")
    (np.datetime64('1984-04-03'), None)
    """
    known = _form(form)
    found = None if known is None else _compiled(known.pattern).fullmatch(text.strip())
    if known is None or found is None:
        return None
    part = {name: value or "0" for name, value in found.groupdict().items()}
    month = month_of(part["m"]) if known.has_names else int(part["m"])
    year, hour = int(part["y"]), int(part.get("H", 0))
    nanos = int(part.get("f", "0").ljust(9, "0"))
    if "half" in part:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (part["half"] in "Pp")
    if known.since is not None:
        year = known.since + (year - known.since) % 100
    if month is None or nanos % 1000:
        return None
    try:
        moment = datetime.datetime(
            year, month, int(part["d"]), hour, int(part.get("M", 0)), int(part.get("S", 0)),
            nanos // 1000,
        )  # fmt: skip
    except ValueError:  # the 30th of February
        return None
    if not known.has_time:
        return np.datetime64(moment.date())
    one: np.datetime64 = coarsest(np.array([moment], dtype="datetime64[us]"))[0]
    return one


def forms_of_few(texts: Sequence[str]) -> tuple[str, ...]:
    """Every form that fits all of a few texts, with two letters for days and months.

    As `date_forms`, but text by text, which is faster for a few.

    >>> forms_of_few(["12/11/1961"]), forms_of_few(["5.4.1961", "1.12.1984"])
    (('dd/mm/yyyy', 'mm/dd/yyyy'), ('dd.mm.yyyy',))
    """
    found: list[str] = []
    for words in _possible(texts[0].strip()):
        if "." in words and found and not words.startswith("dd"):
            continue
        if all(date_of(text, words) is not None for text in texts):
            found.append(words)
    return tuple(found)


def padded(form: str) -> str:
    """A form with two letters for days and months, which is read in the same way.

    >>> padded("d.m.yyyy h:mm"), padded("d mon yyyy")
    ('dd.mm.yyyy h:mm', 'dd mon yyyy')
    """
    date, hours, time = form.partition("h")
    if "mon" not in date:
        date = re.sub("m+", "mm", date)
    return re.sub("d+", "dd", date) + hours + time


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_WRITTEN = {
    "yyyy": "{0.year:04}", "yy": "{1:02}", "mon": "{2}", "mm": "{0.month:02}", "m": "{0.month}",
    "dd": "{0.day:02}", "d": "{0.day}",
}  # fmt: skip


def write_dates(dates: NDArray[Any], form: str) -> list[str]:
    """Dates in a form; months by their short English names.

    >>> days = np.array(["1961-11-16", "1984-04-03"], dtype="datetime64[D]")
    >>> write_dates(days, "d.m.yyyy"), write_dates(days, "ddmonyy since 1900")
    (['16.11.1961', '3.4.1984'], ['16nov61', '03apr84'])
    >>> write_dates(days[:1], "mm/dd/yyyy hh:mm:ss AM")
    ['11/16/1961 12:00:00 AM']
    """
    said = _SINCE.match(form)
    words, _, clock = (said[1] if said else form).partition("hh:")
    parts = [_WRITTEN.get(part) or part for part in _WORD.findall(words)]
    if clock:
        hours = "{3:02}" if clock.endswith("AM") else "{0.hour:02}"
        clock = clock.replace("mm", "{0.minute:02}").replace("ss", "{0.second:02}")
        clock = clock.replace(".f", ".{0.microsecond:06}").replace("AM", "{4}")
        parts.append(f"{hours}:{clock}")
    template = "".join(parts)
    return [
        template.format(one, one.year % 100, _MONTHS[one.month - 1][:3],
                        (one.hour - 1) % 12 + 1, "AM" if one.hour < 12 else "PM")
        for one in dates.astype("datetime64[us]").tolist()
    ]  # fmt: skip


_NUMBERS = re.compile(r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})(?![0-9])")
_NAMED = re.compile(
    rf"([0-9]{{1,2}})(\.? ?|[-/.])({_LETTERS})(\.?)([ ./-]?)([0-9]{{4}}|[0-9]{{2}})(?![0-9])"
)
_NAME_FIRST = re.compile(rf"({_LETTERS})(\.? ?)([0-9]{{1,2}})(,? )([0-9]{{4}})(?![0-9])")
_YEAR_FIRST = re.compile(rf"([0-9]{{4}})([ ./-]?)({_LETTERS})([ ./-]?)([0-9]{{1,2}})(?![0-9])")
_CLOCK = re.compile(
    r"([ T:]|, )([0-9]{1,2}):[0-9][0-9](:[0-9][0-9](?:[.,][0-9]{1,9})?)?( ?)([AaPp]\.?[Mm]\.?)?"
    r"(Z|[+-][0-9][0-9]:?[0-9][0-9])?\Z"
)  # fmt: skip


def _possible(text: str) -> Iterator[str]:
    """The forms that a text may have, by its shape."""
    for words, rest in _possible_days(text):
        clock = _CLOCK.match(rest)
        if clock is not None:
            time = "hh:mm:ss" if clock[3] else "hh:mm"
            half = f"{clock[4]}AM" if clock[5] else ""
            yield f"{words}{clock[1]}{time}{half}{clock[6] or ''}"
        elif not rest:
            yield words


def _possible_days(text: str) -> Iterator[tuple[str, str]]:
    """The forms of the date in a text, and what comes after it."""
    if (found := _NUMBERS.match(text)) is not None:
        first, mark, _, last = found.groups()
        rest = text[found.end() :]
        if len(first) == 4 and len(last) <= 2:
            yield f"yyyy{mark}mm{mark}dd", rest
        elif len(first) <= 2 and len(last) in (2, 4):
            year = "y" * len(last)
            yield f"dd{mark}mm{mark}{year}", rest
            yield f"mm{mark}dd{mark}{year}", rest
        if len(first) == 2 and len(last) <= 2:
            yield f"yy{mark}mm{mark}dd", rest
    elif (found := _NAMED.match(text)) is not None:
        _, one, name, dot, other, year = found.groups()
        if month_of(name):
            other = other or (dot if one == "." else "")
            yield f"dd{one}mon{other}{'y' * len(year)}", text[found.end() :]
    elif (found := _NAME_FIRST.match(text)) is not None:
        if month_of(found[1]):
            yield f"mon{found[2].lstrip('.')}dd{found[4]}yyyy", text[found.end() :]
    elif (found := _YEAR_FIRST.match(text)) is not None and month_of(found[3]):
        yield f"yyyy{found[2]}mon{found[4]}dd", text[found.end() :]


class _Read(NamedTuple):
    """Dates, and what of the form only the texts tell."""

    dates: NDArray[Any]
    is_padded: bool
    has_fractions: bool


def _as_written(words: str, read: _Read) -> str:
    """The form with single letters where days or months have one digit, and with fractions."""
    if not read.is_padded:
        date, hours, time = words.partition("hh:")
        words = date.replace("dd", "d").replace("mm", "m") + hours + time
    return words.replace(":ss", ":ss.f") if read.has_fractions else words


def _read(texts: Sequence[str] | NDArray[Any], words: str) -> _Read | None:
    """Read all texts in one form; None if one does not fit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    form = _form(words)
    if form is None or not len(texts):
        return None
    array = pc.utf8_trim_whitespace(pa.array(texts, type=pa.large_string()))
    names = re.findall(r"\?P<(\w+)>", form.pattern)
    fields = pc.extract_regex(array, f"^(?:{form.pattern})$")
    if fields.null_count:
        return None
    of = {name: pc.struct_field(fields, name) for name in names}
    number = {name: _whole(of[name]) for name in of if name in ("y", "d", "H", "M", "S")}
    months = _named_months(of["m"]) if form.has_names else _whole(of["m"])
    days = None if months is None else _days(_years(number["y"], form.since), months, number["d"])
    if days is None:
        return None
    short = [pc.min(pc.binary_length(of[name])).as_py() == 1
             for name in (("d",) if form.has_names else ("d", "m"))]  # fmt: skip
    if not form.has_time:
        return _Read(days, not any(short), False)
    seconds = _seconds(number, of.get("half"))
    micros = _micros(of.get("f"), len(days))
    if seconds is None or micros is None:
        return None
    moments = days.astype("datetime64[s]") + seconds
    has_fractions = "f" in of and bool(pc.any(pc.not_equal(of["f"], "")).as_py())
    if micros.any():
        moments = moments.astype("datetime64[us]") + micros
    return _Read(coarsest(moments), not any(short), has_fractions)


def coarsest(moments: NDArray[Any]) -> NDArray[Any]:
    """Days if all are days, else seconds: so dates are the same from every table."""
    for unit in ("D", "s"):
        coarse = moments.astype(f"datetime64[{unit}]")
        if (coarse == moments).all():
            return coarse
    return moments


def _whole(texts: Any) -> NDArray[np.int64]:
    import pyarrow as pa

    numbers: NDArray[np.int64] = texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return numbers


def _years(years: NDArray[np.int64], since: int | None) -> NDArray[np.int64]:
    return years if since is None else since + (years - since) % 100


def _days(
    years: NDArray[np.int64], months: NDArray[np.int64], days: NDArray[np.int64]
) -> NDArray[Any] | None:
    """Days of the calendar; None if one is not in it."""
    if months.min() < 1 or months.max() > 12 or days.min() < 1 or years.min() < 1:
        return None
    month = ((years - 1970) * 12 + months - 1).astype("datetime64[M]")
    found = month.astype("datetime64[D]") + (days - 1)
    return found if (found.astype("datetime64[M]") == month).all() else None


def _seconds(number: dict[str, NDArray[np.int64]], halves: Any) -> NDArray[np.timedelta64] | None:
    """Times of the day; None if one is not on the clock."""
    import pyarrow.compute as pc

    hours, minutes = number["H"], number["M"]
    seconds = number.get("S", np.zeros_like(hours))
    if halves is not None:
        if hours.min() < 1 or hours.max() > 12:
            return None
        late = pc.equal(pc.utf8_lower(halves), "p").to_numpy(zero_copy_only=False)
        hours = hours % 12 + 12 * late
    if hours.max() > 23 or minutes.max() > 59 or seconds.max() > 59:
        return None
    found: NDArray[np.timedelta64] = (hours * 3600 + minutes * 60 + seconds).astype("m8[s]")
    return found


def _micros(fractions: Any, n: int) -> NDArray[np.timedelta64] | None:
    """Fractions of seconds; None if they are finer than a millionth."""
    import pyarrow.compute as pc

    if fractions is None:
        return np.zeros(n, dtype="m8[us]")
    nanos = _whole(pc.utf8_rpad(fractions, 9, "0"))
    return None if (nanos % 1000).any() else (nanos // 1000).astype("m8[us]")


def _named_months(names: Any) -> NDArray[np.int64] | None:
    """The months of some names; None if one is not the name of a month."""
    coded = names.dictionary_encode()
    months = [month_of(name) for name in coded.dictionary.to_pylist()]
    if None in months:
        return None
    return np.array(months, dtype=np.int64)[coded.indices.to_numpy(zero_copy_only=False)]


def month_of(name: str) -> int | None:
    """The number of a month by its name.

    >>> month_of("MAY"), month_of("März"), month_of("févr."), month_of("Mon")
    (5, 3, 2, None)
    """
    letters = unicodedata.normalize("NFKD", name.rstrip(".").casefold())
    return _MONTH_OF.get("".join(c for c in letters if not unicodedata.combining(c)))
