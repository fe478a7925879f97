"""What a report may not show of a table: values that few people have.

Messages mark what may point to a person (`unveil.errors`: cells, rows, people, words of other
programs), and a report leaves out what is marked. What a class publishes, such as ``[40, 97]``, is
shown with those bounds and members masked that fewer people have than the limit.

Masking errs on the side of silence: a harmless number that happens to be somebody's is masked, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np

from unveil.errors import MASK, Text, View, shown
from unveil.microdata import Column, Microdata

__all__ = ["Masking"]

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
    microdata : Microdata
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
        self, microdata: Microdata, smallest: int, *, public: Iterable[str] = (),
        instead: Mapping[str, str] | None = None, shows_all: bool = False,
    ) -> None:  # fmt: skip
        self._columns, self._smallest = microdata.columns, 0 if shows_all else smallest
        self.shows_all = shows_all
        self._public = {*public, *(column.name for column in microdata.columns)}
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
        view = View("report", smallest=self._smallest, shows_all=self.shows_all)
        return self.named(shown(text, view))

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


def _rare(column: Column, smallest: int) -> Iterator[str]:
    """The texts that fewer people than so many have: values, and names above them."""
    people = np.bincount(column.codes, minlength=column.size)
    yield from (column.texts[code] for code in np.flatnonzero(people < smallest))
    if column.given is not None:
        yield from (str(column.given[code]) for code in np.flatnonzero(people < smallest))
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
