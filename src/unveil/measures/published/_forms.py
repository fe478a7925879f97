"""Forms that identify a person, strict enough to fail a release by them.

A proposal of roles may err on the side of caution (`microdata.vocabulary`); here a wrong guess
fails a release. So numbers need their check digits, telephone numbers their separators or country
code, and full names a first name that is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.microdata.vocabulary import DATES, IDENTIFYING, Pattern, plain, topic_of

_FORMS = {pattern.name: pattern for pattern in IDENTIFYING}

_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", re.ASCII)
_DNI = re.compile(r"([XYZ]?\d{7,8})-?([A-Z])", re.ASCII)
_FISCAL = re.compile(r"[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", re.ASCII)
_AHV = re.compile(r"756\.\d{4}\.\d{4}\.\d{2}", re.ASCII)
_INTERNATIONAL = re.compile(r"\+[1-9](?:[ ()./-]*\d){6,14}", re.ASCII)
_AMERICAN = re.compile(
    r"(?:1[-. ])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[-. ])[2-9]\d\d[-. ]\d{4}", re.ASCII
)
_NATIONAL = re.compile(r"\(?0[1-9]\d{0,4}\)?(?: ?[/-] ?| )\d{2,}(?:[ -]?\d{2,})*", re.ASCII)
_POSTCODE = re.compile(r"\d{5}-\d{4}", re.ASCII)
_DIGITS = re.compile(r"[\d ()./+-]+", re.ASCII)
_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_WORD}(?:,? {_WORD}){{1,4}}")
_ONE_NAME = re.compile(rf"{_WORD}(?: {_WORD})?")


def _is_official(text: str) -> bool:
    """Whether a text is an official number of a person, by its form and check digits.

    >>> _is_official("123-45-6789"), _is_official("000-45-6789"), _is_official("12345678Z")
    (True, False, True)
    >>> _is_official("756.9217.0769.85"), _is_official("756.9217.0769.84")
    (True, False)
    """
    upper = text.upper()
    if _SSN.fullmatch(upper) or _FISCAL.fullmatch(upper):
        return True
    if (spanish := _DNI.fullmatch(upper)) is not None:
        digits = spanish[1].translate(str.maketrans("XYZ", "012"))
        return len(spanish[1]) == 8 and "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == spanish[2]
    if _AHV.fullmatch(upper):
        swiss = [int(digit) for digit in upper if digit.isdigit()]
        return (sum(swiss[:-1:2]) + 3 * sum(swiss[1:-1:2]) + swiss[-1]) % 10 == 0
    return False


def _is_telephone(text: str) -> bool:
    """Whether a text can hardly be anything but a telephone number.

    >>> [_is_telephone(text) for text in ("+49 511 762-0", "(212) 555-0142", "0511 / 7620123")]
    [True, True, True]
    >>> [_is_telephone(text) for text in ("01.02.2020", "01234-5678", "0012345", "2125550142")]
    [False, False, False, False]
    """
    if DATES.fits(text) or _POSTCODE.fullmatch(text) or _SSN.fullmatch(text):
        return False
    if _INTERNATIONAL.fullmatch(text) or _AMERICAN.fullmatch(text):
        return True
    return _NATIONAL.fullmatch(text) is not None and 9 <= sum(map(str.isdigit, text)) <= 13


_FIRST_NAMES = """
aaron abdullah abigail adam agnieszka ahmed aisha alain alan albert alberto alejandro aleksandr
alessandro alessia alexander alexei alexis ali alice alistair alvaro amanda amber amelia amina
amit amy ana anastasia anders andre andrea andreas andrei andres andrew andrzej angel angela
angelika anil anja anjali ann anna anne anouk anthony antoine antonia antonio arjun arthur ashley
astrid aurelie austin ava ayse barbara beatriz benjamin bernard bernd betty beverly billy birgit
bjorn bobby bram brandon brenda brian brigitte brittany bruce bryan camille carl carlos carmen
carol carolyn catherine celine charles charlotte cheryl chiara chloe christa christian christina
christine christophe christopher claudia colin concepcion cornelis cristina cynthia daan daniel
danielle david davide deborah debra deepak denise dennis diana diane diego dieter dirk dmitri
dolores donald donna doris dorothy douglas edward ekaterina elena elif elisabeth elizabeth emily
emma emre enrique eric erik erika ethan eugene eva evelyn fatima fatma federica federico felix
femke fernando finn fiona florian frances francesca francesco francisca francisco francois
francoise frank franziska frederic freja gabriel gabriele gary george gerald gerhard gerrit
gillian giorgio giovanna giovanni gisela giulia giuseppe gloria grace graham gregory guillaume
gunter hakan hannah hans harold harry haruto hassan heather heike heinz helen helene helga helmut
hendrik henry herbert hildegard hiroshi horst hugo hussein ian ibrahim igor ines ingrid irina
isabel isabella isabelle isla ivan jack jacob jacqueline jacques jade james jan jane janet janice
jason jean jean-pierre jeffrey jennifer jens jeremy jeroen jerry jesse jessica jesus jiwoo joan
joanna joaquin joe johanna johannes john johnny jonas jonathan jorge jose josefa joseph joshua
joyce juan judith judy julia julie julien juliette jun jurgen justin karen karin karl katarzyna
katharina katherine kathleen kathryn katrin kayla keith kelly kenji kenneth kevin khaled kimberly
klaus krzysztof kyle lara larry lars laura lauren laurent lawrence layla lea lena leon leonie liam
linda lisa logan lorenzo lori lotte louis luca lucas lucia lucy luigi luis lukas madison magdalena
malgorzata manfred manon manuel marco margaret margaretha margaux maria marie marijke marilyn
mario mark markus marta martha martin martina mary maryam matteo matthew matthias maximilian megan
mehmet melissa mercedes mia michael michal michel michelle miguel mikhail ming minjun mohamed
mohammed monika monique moritz muhammad murat mustafa nancy natalia natalie nathalie nathan neil
nicholas nicolas nicole nigel niklas nikolai nils noah ola ole oleg olga oliver olivia olivier
omar pablo pamela paola paolo pascal patricia patrick paul paula pauline pawel pedro per peter
petra philip philipp philippe pierre pieter pietro pilar piotr priya rachel rafael rahul rainer
raj ralf ralph ramon randy raquel raul raymond rebecca renate riccardo richard robert roberto
rocio roger ronald rosa roy russell ruth ryan sabine sakura salvatore samantha samuel sander
sandra sandrine sanjay sanne sara sarah scott sean sebastian sem sergei sergio sharon shirley
silke silvia simon simone sofia sophia sophie stefan stefano stephane stephanie stephen steven
stuart sunita susan susanne sven svetlana sylvie takashi tatiana teresa terry theresa thierry
thomas tim timothy tobias tomasz trevor tyler ursula uwe valentina valerie veronique vicente
victoria vijay vincent vincenzo virginia vladimir walter wayne wei werner wilhelmina willem
william willie wolfgang yuki yusuf zachary zainab zeynep"""
_FIRST = frozenset(_FIRST_NAMES.split())


def _is_full_name(text: str) -> bool:
    """Whether a text is made of two to five capitalized words, as a name is.

    >>> _is_full_name("Anna Schmidt"), _is_full_name("O'Neill, John F."), _is_full_name("never")
    (True, True, False)
    """
    if _NAME.fullmatch(text) is None:
        return False
    words = text.replace(",", "").split()
    return sum(word[:1].isupper() for word in words) >= 2


def _has_first_name(text: str) -> bool:
    """Whether the first word, or the one after a comma, is a known first name.

    >>> _has_first_name("Anna Schmidt"), _has_first_name("Schmidt, Anna"), _has_first_name("New X")
    (True, True, False)
    """
    last, comma, first = text.partition(",")
    return plain((first if comma else last).split()[0]) in _FIRST


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form, and when a column is said to have it.

    Attributes
    ----------
    pattern : Pattern
    share : float
        The least share of the cells, without hidden ones, that must have it.
    distinct : float
        The least share of these cells that must be different: people differ, categories do not.
    """

    pattern: Pattern
    share: float
    distinct: float

    def fits(self, texts: Sequence[str], counts: NDArray[np.int64]) -> bool:
        """Whether a column of these different texts, each in so many cells, has it."""
        fitting = np.array([self.pattern.fits(text) for text in texts], dtype=bool)
        rows, every = int(counts[fitting].sum()), int(counts.sum())
        return rows > 0 and rows >= self.share * every and fitting.sum() >= self.distinct * rows


# Few cells are enough where a form leaves no doubt; the others of the column may be typing errors.
FORMS = (
    Form(pattern=_FORMS["e-mail addresses"], share=0.05, distinct=0.1),
    Form(pattern=_FORMS["bank accounts (IBAN)"], share=0.05, distinct=0.1),
    Form(pattern=_FORMS["numbers of payment cards"], share=0.5, distinct=0.1),
    Form(pattern=Pattern(name="official numbers of people", fits=_is_official),
         share=0.5, distinct=0.1),
    Form(pattern=Pattern(name="telephone numbers", fits=_is_telephone), share=0.5, distinct=0.1),
)  # fmt: skip
_NAMES = Form(pattern=Pattern(name="full names", fits=_is_full_name), share=0.8, distinct=0.5)
_KNOWN_NAMES = 0.2  # of the texts of the form, with a known first name
_CALLED = {
    "a telephone number": Form(
        pattern=Pattern(
            name="telephone numbers",
            fits=lambda text: _DIGITS.fullmatch(text) is not None
            and 7 <= sum(map(str.isdigit, text)) <= 15,
        ), share=0.5, distinct=0.5),
    "an official number of a person": Form(
        pattern=Pattern(
            name="official numbers of people",
            fits=lambda text: 7 <= sum(map(str.isdigit, text)) <= 15,
        ), share=0.5, distinct=0.5),
    "a person's name": Form(
        pattern=Pattern(name="names", fits=lambda text: _ONE_NAME.fullmatch(text) is not None),
        share=0.8, distinct=0.5),
}  # fmt: skip
"""What a column's name says, with the form that then is enough."""


def form_of(name: str, texts: Sequence[str], counts: NDArray[np.int64]) -> str | None:
    """What the cells of a column look like, if that identifies people; else None.

    >>> form_of("contact", ["anna@example.org", "b@example.org"], np.array([1, 1]))
    'e-mail addresses'
    >>> form_of("country", ["United States", "Costa Rica"], np.array([1, 1])) is None
    True
    """
    for form in FORMS:
        if form.fits(texts, counts):
            return form.pattern.name
    if _NAMES.fits(texts, counts):
        names = [text for text in texts if _is_full_name(text)]
        if sum(map(_has_first_name, names)) >= _KNOWN_NAMES * len(names):
            return _NAMES.pattern.name
    topic = topic_of(name)
    called = None if topic is None else _CALLED.get(topic.name)
    return called.pattern.name if called is not None and called.fits(texts, counts) else None
