"""The report is itself a release: what it may say of individuals, and how.

By default no value of an original record is shown that could point to a person. People appear as
*references*: the first letters of a keyed hash (HMAC-SHA-256) of a table's mark and their row's
number, under a key that stays with the owner of the data. Whoever has the key and the table can
tell who is meant; whoever has the report cannot even try, as the key is random and as long as the
hash. Every audit has a key of its own unless it is given one, so references of two reports do not
match. Nor do those of two tables of a report: how many people are among the worst of two attacks
would tell something about them. The mark of its table is the beginning of a reference.

Messages mark what may point to a person (`unveil.errors`), and a report leaves out what is marked.
Groups of fewer people than a limit (five by default) are masked, and so are values that fewer
people have. How *many* people are in small groups is told: that is what an audit is for. Masking
errs on the side of silence: a harmless number that happens to be somebody's is masked, too.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from unveil.errors import MASK, InputError, Option, Text, View, shown
from unveil.microdata import Column, Microdata

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w%])")
_WORD = re.compile(r"\w+")
_EDGES = re.compile(r"^\W+|\W+$")
_OUR_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a all an and another any are as at be but by cell cells class column every false for
        from group has have he in into is it its missing more nan no none not of one only or out
        people record records release row rows say sensitive so such table than that the their
        them there these they this to true two value values was what where which who with without
        yes""",
    )
)  # of messages: as values they are masked where they are quoted
_LONGEST = 8  # words of a value that are looked for
_SEVERAL = re.compile(rf"{re.escape(MASK)}(?:, {re.escape(MASK)}){{2,}}")


class Masking:
    """What may not be said of one table.

    Parameters
    ----------
    table : Microdata, or sequence of Column
        The original; without it what was published, column by column.
    smallest : int
        What fewer people have is masked.
    public : iterable of str
        Names that may be quoted, such as those of releases; those of columns may anyway.
    instead : mapping of str to str
        Names with what stands for them, such as the command of an oracle and its short name.
    shows_all : bool
        Whether original records may be shown: then nothing is masked but such names.
    """

    def __init__(
        self, table: Microdata | Sequence[Column], smallest: int, *, public: Iterable[str] = (),
        instead: Mapping[str, str] | None = None, shows_all: bool = False,
    ) -> None:  # fmt: skip
        self._columns, self._smallest = _columns_of(table), 0 if shows_all else smallest
        self.shows_all = shows_all
        self._public = {*public, *(column.name for column in self._columns)}
        # The longest first: one may be a part of another.
        self._instead = sorted((instead or {}).items(), key=lambda pair: -len(pair[0]))

    def named(self, text: str) -> str:
        """A text of our own, with names as they are shown."""
        for name, public in self._instead:
            text = text.replace(name, public)
        return text

    def text(self, text: Text) -> str:
        """A note, or a reason why something could not be done: without what is marked in it.

        >>> import unveil as uv
        >>> from unveil.errors import Cell, Column, Message, Row
        >>> people = uv.read_table({"age": [40] * 9 + [97], "vote": ["a", "b"] * 5},
        ...                        quasi="age", sensitive="vote")
        >>> note = Message("{row}, column {column}: the cell {cell} covers nobody", row=Row(10),
        ...                column=Column("age"), cell=Cell("97 y"))
        >>> Masking(people, 5).text(note)
        "a row, column 'age': the cell (masked) covers nobody"
        """
        return self.named(shown(text, self.view))

    @property
    def view(self) -> View:
        """How texts of the table are worded."""
        return View("report", smallest=self._smallest, shows_all=self.shows_all, region=self.cell)

    def cell(self, text: str) -> str:
        """What a class publishes: of a range or a set, without what few people have.

        >>> import unveil as uv
        >>> people = uv.read_table({"age": [40] * 9 + [51, 68, 97], "vote": ["a", "b"] * 6},
        ...                        quasi="age", sensitive="vote")
        >>> Masking(people, 5).cell("[40, 97]"), Masking(people, 5).cell("{40, 51, 68, 97}")
        ('[40, (masked)]', '{40, (3 masked)}')
        """
        masked = _NUMBER.sub(lambda found: self._of_few(found[0]), self.values(text))
        return _SEVERAL.sub(lambda found: f"({found[0].count(MASK)} masked)", masked)

    def values(self, text: str) -> str:
        """A text without the words that few people have as a value."""
        words = list(_WORD.finditer(text))
        shown, done = [], 0
        at = 0
        while at < len(words):
            upto = self._last_of_value(text, words, at)
            if upto is None:
                at += 1
                continue
            shown += [text[done : words[at].start()], MASK]
            done, at = words[upto].end(), upto + 1
        return "".join([*shown, text[done:]])

    def _last_of_value(self, text: str, words: list[re.Match[str]], at: int) -> int | None:
        """The last word of the longest value that begins with a word."""
        for upto in range(min(at + _LONGEST, len(words)) - 1, at - 1, -1):
            piece = text[words[at].start() : words[upto].end()]
            if piece.casefold() in self._rare_words and piece not in self._public:
                return upto
        return None

    def _of_few(self, number: str) -> str:
        value = float(number.replace(",", "").replace("−", "-"))
        return MASK if {value, abs(value)} & self._rare_numbers else number

    @cached_property
    def _rare_texts(self) -> tuple[set[str], set[float]]:
        """What few people have: words, without what stands around them, and numbers."""
        words: set[str] = set()
        numbers: set[float] = set()
        for column in self._columns:
            for text in _rare(column, self._smallest):
                if text[:1].isalpha() and text[-1].isalnum():  # nearly all, and there may be many
                    words.add(text.casefold())
                elif (number := _number_of(text)) is not None:
                    numbers.add(number)
                else:
                    words.add(_EDGES.sub("", text).casefold())
        return words - _OUR_WORDS - {""}, numbers

    @property
    def _rare_words(self) -> set[str]:
        return self._rare_texts[0]

    @property
    def _rare_numbers(self) -> set[float]:
        return self._rare_texts[1]


def _columns_of(table: Microdata | Sequence[Column]) -> Sequence[Column]:
    return table.columns if isinstance(table, Microdata) else table


def numbers_in(text: str) -> list[str]:
    """The numbers in a cell, without what parts their thousands.

    >>> numbers_in("[40, 1,097]"), numbers_in("40-49")
    (['40', '1097'], ['40', '49'])
    """
    return [found[0].replace(",", "") for found in _NUMBER.finditer(text)]


def _rare(column: Column, smallest: int) -> Iterator[str]:
    """The texts that fewer people than so many have: values, and names above them."""
    people = np.bincount(column.codes, minlength=column.size)
    yield from (column.texts[code] for code in np.flatnonzero(people < smallest))
    if column.given is not None:
        yield from (str(column.given[code]) for code in np.flatnonzero(people < smallest))
    yield from (text for text, n in (column.bounds or {}).items() if n < smallest)
    tree = column.hierarchy
    if tree is not None:
        upto = np.concatenate([[0], np.cumsum(people)])
        beneath = upto[tree.last + 1] - upto[tree.first]
        yield from (tree.names[node] for node in np.flatnonzero(beneath < smallest))


def _number_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


PRIVATE = "Private: exact numbers and original records, for the owner of the data. Do not hand on."
"""What every form of a private audit says."""

SMALLEST = 5
"""Groups of fewer people are masked, unless told otherwise."""

_LETTERS = 12  # of a person: of a million rows, two share them in one table out of 500
_MARK = 4  # letters of the table that a reference stands in
_RARE = "(rare value)"


def new_key() -> str:
    """A key for references."""
    return secrets.token_hex(32)


def reference_to(row: int, key: str, place: str = "") -> str:
    """What a row is called under a key, in one place of a report.

    >>> one = reference_to(7, "00" * 32, "the worst-placed")
    >>> one == reference_to(7, "00" * 32, "the worst-placed") != reference_to(7, "00" * 32)
    True
    >>> len(one), marked(7, mark_of(one), "00" * 32) == one
    (17, True)
    """
    return marked(row, under_key(f"place {place}", key)[:_MARK], key)


def mark_of(reference: str) -> str:
    """The mark of the place that a reference stands in."""
    return reference.strip().lower().removeprefix("#")[:_MARK]


def marked(row: int, mark: str, key: str) -> str:
    """What a row is called where this mark stands."""
    return f"#{mark}{under_key(f'{mark} {row}', key)[:_LETTERS]}"


def which_key(key: str) -> str:
    """A name for a key, by which two audits tell whether they have the same one."""
    return under_key("which key", key)[:_LETTERS]


def under_key(text: str, key: str) -> str:
    """The keyed hash of a text."""
    return hmac.new(
        bytes.fromhex(key), text.encode(errors="surrogatepass"), hashlib.sha256
    ).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Discretion:
    """What may be said.

    Attributes
    ----------
    key : str
        Of the references. It is never written into a report.
    private : bool
        Whether all of it is for the owner of the table alone: exact numbers, and original
        records.
    smallest : int
        The smallest group, or number of people with a value, that is shown.
    """

    key: str = field(repr=False)
    private: bool = False
    smallest: int = SMALLEST

    def __post_init__(self) -> None:
        if not re.fullmatch("[0-9a-f]{64}", str(self.key)):
            raise InputError(
                "a key must be 64 hexadecimal digits, as unveil.auditing.write_key writes it; "
                "leave it out for a new one"
            )
        whole = isinstance(self.smallest, int | np.integer) and not isinstance(self.smallest, bool)
        if not whole or self.smallest < 1:
            raise InputError("{option} is not possible: it must be a whole number from 1 up",
                             option=Option("smallest", self.smallest))  # fmt: skip

    def person(self, microdata: Microdata, record: int) -> str:
        """What a record is called: its reference, or its row as people count."""
        row = int(microdata.rows[record])
        return f"row {row + 1:,}" if self.private else self.reference(row)

    def reference(self, row: int) -> str:
        """What a row of the source, counted from 0, is called in a report."""
        return reference_to(row, self.key)

    def values_of(self, column: Column, codes: Iterable[int]) -> list[str]:
        """The texts of some of a column's values; those that few people have are masked.

        Several that are masked stay apart, as in ``(rare value 2)``. They are numbered as they are
        shown, not as they are sorted: the order of numbers would tell how large they are.
        """
        people = np.bincount(column.codes, minlength=column.size)
        shown = list(codes)
        hidden = [not self.private and people[code] < self.smallest for code in shown]
        which = np.cumsum(hidden)
        several = sum(hidden) > 1
        return [
            column.texts[code] if not rare else (f"(rare value {n})" if several else _RARE)
            for code, rare, n in zip(shown, hidden, which.tolist(), strict=True)
        ]

    def group(self, texts: Iterable[str], size: int, masking: Masking) -> str:
        """The cells of a group without what few people have; or that it is too small for that."""
        if size < self.smallest and not self.private:
            return f"(a class of fewer than {self.smallest})"
        return ", ".join(masking.cell(text) for text in texts)

    def masking(
        self, table: Microdata | Sequence[Column], names: Mapping[str, str] | None = None
    ) -> Masking:
        """What is taken out of texts from elsewhere; ``names`` and what stands for them."""
        return Masking(
            table, self.smallest, public=(names or {}).values(), instead=names,
            shows_all=self.private,
        )  # fmt: skip


def fingerprint_of(table: Microdata | Sequence[Column], key: str) -> str:
    """A keyed hash (HMAC-SHA-256) of what was read: names, roles, domains and codes of all columns.

    Without the key it says nothing. A plain hash would: who knows all of a table but one cell could
    try each value that may stand there.

    >>> import unveil as uv
    >>> one = uv.read_table({"a": [1, 2], "b": ["x", "y"]}, quasi="a", sensitive="b")
    >>> two = uv.read_table({"a": [1, 2], "b": ["x", "z"]}, quasi="a", sensitive="b")
    >>> key = new_key()
    >>> fingerprint_of(one, key) == fingerprint_of(one, key) != fingerprint_of(two, key)
    True
    >>> fingerprint_of(one, key) == fingerprint_of(one, new_key())
    False
    """
    told = hmac.new(bytes.fromhex(key), b"table:", hashlib.sha256)
    for column in _columns_of(table):
        for part in (column.name, str(column.role), str(column.size), *column.texts):
            told.update(f"{len(part)}:{part}".encode(errors="surrogatepass"))
        told.update(column.codes.astype("<i8").tobytes())
    return told.hexdigest()
