"""What a column's values look like: texts of a known form, and words that are known.

A pattern says of one text whether it fits. Of a column it holds if it fits nearly all rows; which
share is "nearly all" is the rules' business. Only distinct values are looked at, and of very many
only some, evenly from all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from unveil.projects._names import plain

__all__ = [
    "DATES",
    "IDENTIFYING",
    "KNOWN",
    "MISSING_WORDS",
    "REFUSALS",
    "SECRET",
    "YES_NO",
    "Pattern",
]

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_PHONE = re.compile(r"(?:\+|00|0|\()[\d\s()./-]{6,20}")
_CARD = re.compile(r"\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}")


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A form that texts may have.

    Attributes
    ----------
    name : str
        In the plural, as in "they look like e-mail addresses".
    fits : callable
        Of a text without blanks around it.
    share : float
        The share of the rows that it has to fit.
    """

    name: str
    fits: Callable[[str], bool]
    share: float = 0.9


def _form(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda text: compiled.fullmatch(text) is not None


def _words(listed: str) -> Callable[[str], bool]:
    known = frozenset(listed.split())
    return lambda text: _joined(text) in known


def _joined(text: str) -> str:
    return "".join(c for c in plain(text) if c.isalnum())


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN whose check digits are right (ISO 13616: the rest by 97 is 1).

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    letters = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(letters):
        return False
    return int("".join(str(int(c, 36)) for c in letters[4:] + letters[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Whether a text is the number of a payment card whose check digit is right (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    if not _CARD.fullmatch(text):
        return False
    digits = [int(c) for c in text if c.isdigit()][::-1]
    doubled = [d * 2 - 9 * (d > 4) for d in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and 7 <= sum(c.isdigit() for c in text) <= 15


IDENTIFYING = (
    Pattern(name="e-mail addresses", fits=_form(r"[^@\s]+@[^@\s]+\.[^@\s.]+")),
    Pattern(name="UUIDs", fits=_form(r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?")),
    Pattern(name="IP addresses", fits=_form(
        r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)"
        r"|(?=.*::|(?:.*:){7})[0-9a-f:]{3,39}")),
    Pattern(name="web addresses", fits=_form(r"(?:https?://|www\.)\S+")),
    Pattern(name="bank accounts (IBAN)", fits=is_iban),
    Pattern(name="numbers of payment cards", fits=is_card),
    Pattern(name="social security numbers", fits=_form(r"\d{3}-\d{2}-\d{4}")),
    Pattern(name="telephone numbers", fits=_is_phone),
    Pattern(name="hashes", fits=_form(
        r"(?=.*[a-f])(?=.*\d)(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")),
)  # fmt: skip
"""Whoever has one of these has the person."""

_COUNTRIES = """
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas
bahrain bangladesh barbados belarus belgium belize benin bhutan bolivia bosnia bosniaandherzegovina
botswana brazil brunei bulgaria burkinafaso burundi cambodia cameroon canada chad chile china
colombia congo costarica croatia cuba cyprus czechia czechrepublic denmark dominicanrepublic ecuador
egypt elsalvador england eritrea estonia ethiopia fiji finland france gabon gambia georgia germany
ghana greece guatemala guinea guyana haiti honduras hongkong hungary iceland india indonesia iran
iraq ireland israel italy ivorycoast jamaica japan jordan kazakhstan kenya korea kosovo kuwait
kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg madagascar
malawi malaysia maldives mali malta mauritania mauritius mexico moldova monaco mongolia montenegro
morocco mozambique myanmar namibia nepal netherlands newzealand nicaragua niger nigeria
northernireland northkorea northmacedonia norway oman pakistan palestine panama paraguay peru
philippines poland portugal puertorico qatar romania russia rwanda samoa saudiarabia scotland
senegal serbia sierraleone singapore slovakia slovenia somalia southafrica southkorea spain
srilanka sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo
tunisia turkey turkmenistan uganda ukraine unitedarabemirates unitedkingdom unitedstates
unitedstatesofamerica uruguay usa uk us uzbekistan venezuela vietnam wales yemen yugoslavia zambia
zimbabwe
deutschland osterreich schweiz frankreich italien spanien polen turkei niederlande belgien danemark
schweden norwegen finnland griechenland ungarn tschechien russland grossbritannien vereinigtestaaten
allemagne autriche suisse espagne italie paysbas belgique danemark royaumeuni etatsunis maroc
algerie alemania francia italia espana suiza reinounido estadosunidos marruecos
germania svizzera spagna regnounito statiuniti duitsland oostenrijk zwitserland frankrijk spanje
nederland belgie verenigdkoninkrijk"""

DATES = Pattern(
    name="dates",
    fits=_form(
        r"\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{2}:\d{2}.*)?|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})"
        r"|\d{4}/\d{1,2}/\d{1,2}"
    ),
)

KNOWN = (
    Pattern(name="sexes", share=0.95, fits=_words(
        "male female man woman men women m f w mannlich weiblich divers mann frau homme femme "
        "masculin feminin hombre mujer masculino femenino maschio femmina uomo donna maschile "
        "femminile vrouw mannelijk vrouwelijk nonbinary diverse boy girl")),
    Pattern(name="countries", share=0.8, fits=_words(_COUNTRIES)),
    Pattern(name="family statuses", share=0.9, fits=_words(
        "single married divorced widowed separated nevermarried unmarried partnered cohabiting "
        "ledig verheiratet geschieden verwitwet getrennt celibataire marie mariee divorce divorcee "
        "veuf veuve soltero soltera casado casada divorciado divorciada viudo viuda celibe nubile "
        "sposato sposata divorziato divorziata vedovo vedova ongehuwd gehuwd gescheiden verweduwd "
        "marriedcivspouse marriedspouseabsent marriedafspouse registeredpartnership")),
    DATES,
    # Plain five digits are numbers until their name tells; a leading zero or letters tell, too.
    Pattern(name="postcodes", share=0.95, fits=_form(
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}"
        r"|[A-Z]{1,2}-\d{4,5}|\d{5}-\d{4}|0\d{3,4}")),
)  # fmt: skip
"""Others know them, or can find them out."""

SECRET = (
    Pattern(name="sexual orientations", share=0.7, fits=_words(
        "heterosexual homosexual bisexual gay lesbian straight queer asexual pansexual gaymale "
        "heterosexuell homosexuell bisexuell schwul lesbisch heterosexuel homosexuel bisexuel "
        "eterosessuale omosessuale bisessuale heteroseksueel homoseksueel biseksueel")),
    Pattern(name="religions", share=0.7, fits=_words(
        "catholic protestant christian muslim jewish hindu buddhist sikh orthodox atheist agnostic "
        "christianity islam judaism hinduism buddhism lutheran evangelical anglican mormon "
        "katholisch evangelisch muslimisch judisch konfessionslos catholique musulman juif athee "
        "catolico protestante musulmano ebreo cattolico ateo katholiek protestants moslim")),
    Pattern(name="illnesses", share=0.7, fits=_words(
        "flu influenza cancer lungcancer coloncancer stomachcancer breastcancer hiv aids diabetes "
        "asthma bronchitis pneumonia gastritis ulcer gastriculcer hepatitis heartdisease stroke "
        "hypertension obesity depression epilepsy tuberculosis dyspepsia covid covid19 migraine "
        "arthritis dementia schizophrenia krebs grippe asthme cancro influenza viralinfection")),
)  # fmt: skip
"""The law protects these most."""

YES_NO = Pattern(
    name="yes or no",
    share=0.8,
    fits=_words("yes no y n true false t f ja nein oui non si ja nee wahr falsch vrai faux 0 1"),
)
"""An answer to a question of which nobody can tell what it was."""

MISSING_WORDS = frozenset({
    "?", "??", "-", "--", ".", "..", "na", "n/a", "n.a.", "#n/a", "nan", "null",
    "missing", "<na>", "nat", "k.a.",
})  # fmt: skip
"""Texts, in small letters, that tools and people write where there is no value."""

REFUSALS = _words(
    "notsay rathernotsay prefernottosay prefernottoanswer refused refusal refusedtoanswer noanswer "
    "declined keineangabe verweigert nspr refus sansreponse nocontesta nsnc nonrisponde rifiuto "
    "geenantwoord weigert"
)
"""Answers of people who would not say."""
