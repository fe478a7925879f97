"""What names and values of columns look like: words in six languages, and forms of texts.

A name is split into its words, however they are joined (``birthDate``, ``birth_date``,
``Native-Country``). Accents are removed, and neighbouring words are joined again, so that one entry
``birthdate`` finds all spellings. Of several entries the longest decides: ``final_weight`` is a
survey weight, not a body weight. To add a word, add it to the table below.

A pattern says whether one text fits. It holds for a column if it fits nearly all rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_PHONE = re.compile(r"(?:\+|00|0|\()[\d\s()./-]{6,20}")
_CARD = re.compile(r"\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}")

_PARTS = re.compile(r"[^\W\d_]+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 4  # words of a name that are joined


class Group(StrEnum):
    """What a topic is to an attacker."""

    PERSON = "names a person"
    PERHAPS_PERSON = "may name a person"
    KNOWN = "is known to others"
    SECRET = "is a secret"
    MONEY = "is about money"
    JOB = "is about work"
    SURVEY = "is about the survey"


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Something that column names stand for.

    Attributes
    ----------
    name : str
        With its article, as in a reason: ``a date of birth``.
    group : Group
    words : frozenset of str
        In English, German, French, Spanish, Italian and Dutch: lower case, no accents, several
        words joined.
    codes : bool
        Whether its numbers are codes, so that a range of them has no meaning.
    """

    name: str
    group: Group
    words: frozenset[str]
    codes: bool = False


def _topic(name: str, group: Group, words: str, *, codes: bool = False) -> Topic:
    return Topic(name=name, group=group, words=frozenset(words.split()), codes=codes)


_TOPICS = (
    # Who a person is.
    _topic("a person's name", Group.PERSON, """
        firstname lastname surname forename fullname givenname familyname middlename maidenname
        personname patientname customername employeename vorname nachname familienname rufname
        vollername patientenname kundenname mitarbeitername prenom nomcomplet nombrecompleto
        nomdefamille nombre apellido apellidos nome cognome voornaam achternaam"""),
    _topic("an e-mail address", Group.PERSON, """
        email mail emailaddress mailadresse correo correoelectronico courriel postaelettronica"""),
    _topic("a telephone number", Group.PERSON, """
        phone telephone phonenumber mobile mobilenumber cellphone fax telefon telefonnummer
        handynummer tel telefono movil cellulare telefoon telefoonnummer"""),
    _topic("a postal address", Group.PERSON, """
        address streetaddress street addressline adresse strasse hausnummer anschrift rue direccion
        calle indirizzo adres straat huisnummer"""),
    _topic("an official number of a person", Group.PERSON, """
        ssn socialsecuritynumber nationalid passport passportnumber taxid driverslicense nhsnumber
        mrn steuernummer steuerid sozialversicherungsnummer ausweisnummer personalausweis dni nif
        nie numerosecu codicefiscale bsn rijksregisternummer ahv insurancenumber"""),
    _topic("an account", Group.PERSON, """
        iban accountnumber cardnumber creditcard creditcardnumber username userid kontonummer
        benutzername compte cuenta conto rekeningnummer gebruikersnaam licenseplate kennzeichen"""),
    _topic("a name", Group.PERHAPS_PERSON, "name names nom naam namen"),
    _topic("an identifier", Group.PERHAPS_PERSON, """
        id uid uuid guid identifier key index rowid recordid caseid nr number no fallnummer
        laufendenummer lfdnr identifiant numero identificador identificativo codice
        login nummer fallnr device cookie ip ipaddress url token hash"""),
    _topic("a person's number", Group.PERHAPS_PERSON, """
        patient patientid patientno patientnumber pid person personid customer customerid client
        clientid member memberid subject subjectid participant participantid respondent
        respondentid insured insuredid user employee employeeid student studentid
        kunde kundennummer kundennr patientennummer patientennr patientnummer personalnummer
        mitarbeiternummer matrikelnummer versichertennummer proband probandennummer
        paciente cliente paziente klant klantnummer patientnr"""),
    # What others know or can find out.
    _topic("an age", Group.KNOWN, """
        age ageinyears ageyears agegroup agerange alter altersgruppe lebensalter edad eta leeftijd
        yearsold"""),
    _topic("a date of birth", Group.KNOWN, """
        birthdate dateofbirth birthday dob birthyear yearofbirth yob born birthmonth geburtsdatum
        geburtstag geburtsjahr gebdat gebdatum datedenaissance anneedenaissance naissance
        fechadenacimiento nacimiento datadinascita nascita geboortedatum geboortejaar"""),
    _topic("a sex", Group.KNOWN, """
        sex gender geschlecht sexe genre sexo genero sesso geslacht""", codes=True),
    _topic("an ethnic origin", Group.KNOWN, """
        race ethnicity ethnic ethnicgroup skincolor skincolour ethnie herkunft origine etnia raza
        razza ras origin migrationbackground migrationshintergrund""", codes=True),
    _topic("a nationality", Group.KNOWN, """
        nationality citizenship citizen nativecountry countryofbirth birthplace placeofbirth
        staatsangehorigkeit nationalitat geburtsland geburtsort nationalite nacionalidad nazionalita
        nationaliteit geboorteland""", codes=True),
    _topic("a place", Group.KNOWN, """
        country state province region county city town municipality district village residence
        location place land bundesland kanton stadt ort wohnort gemeinde bezirk landkreis pays
        departement ville commune pais provincia ciudad municipio regione paese citta comune stad
        gemeente provincie woonplaats latitude longitude lat lon area
        ward campus site""", codes=True),
    _topic("a postcode", Group.KNOWN, """
        zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal cap
        codicepostale""", codes=True),
    _topic("the size of a place", Group.KNOWN, """
        population townsize citysize urbanicity einwohner ortsgrosse habitants habitantes abitanti
        inwoners urbrur urbanrural degurba urban rural"""),
    _topic("a family status", Group.KNOWN, """
        marital maritalstatus married civilstatus familystatus relationship partnership
        familienstand zivilstand etatcivil situationfamiliale estadocivil statocivile
        burgerlijkestaat spouse household""", codes=True),
    _topic("the size of a family or a household", Group.KNOWN, """
        children numberofchildren kids householdsize familysize siblings dependents kinder
        kinderzahl haushaltsgrosse enfants hijos figli kinderen gezinsgrootte"""),
    _topic("an education", Group.KNOWN, """
        education educationlevel educational schooling degree school qualification diploma
        attainment bildung schulabschluss abschluss ausbildung etudes niveaudetudes diplome
        educacion estudios istruzione studio titolodistudio onderwijs opleiding"""),
    _topic("a kind of employment", Group.KNOWN, """
        workclass employment employmentstatus employmenttype employer sector industry branch company
        department unit workstatus arbeitgeber branche beschaftigung erwerbsstatus abteilung
        employeur secteur empleador empresa datoredilavoro settore werkgever sector""", codes=True),
    _topic("hours of work", Group.KNOWN, """
        hoursperweek weeklyhours workinghours workhours hours arbeitszeit wochenstunden
        heuresparsemaine horas ore uren"""),
    _topic("a language", Group.KNOWN, """
        language nativelanguage mothertongue sprache muttersprache langue idioma lingua taal""",
        codes=True),
    _topic("looks", Group.KNOWN, """
        height bodyheight eyecolor eyecolour haircolor haircolour grosse korpergrosse taille
        estatura altezza lengte"""),
    _topic("a date", Group.KNOWN, """
        admissiondate dischargedate dateofdeath deathdate visitdate eintrittsdatum
        entlassungsdatum todesdatum"""),
    _topic("a car or a home", Group.KNOWN, """
        car vehicle housing dwelling homeowner tenure auto wohnung logement vivienda alloggio woning
        """),
    # What the law protects most.
    _topic("health", Group.SECRET, """
        disease diagnosis diagnose diagnoses illness health healthstatus disability
        medication drug drugs treatment symptom hiv cancer diabetes bloodpressure bmi pregnancy
        pregnant smoker smoking alcohol icd mentalhealth depression krankheit gesundheit behinderung
        medikament behandlung raucher schwanger maladie sante diagnostic handicap traitement
        enfermedad salud diagnostico discapacidad malattia salute diagnosi ziekte gezondheid
        aandoening genotype mutation bloodgroup bloodtype systolic diastolic sickdays sickleave
        krankheitstage fehltage"""),
    _topic("politics", Group.SECRET, """
        party partyid vote votedfor voting politics political politicalparty ideology partei wahl
        parteipraferenz wahlabsicht parti opinionpolitique partido voto ideologia partito partij
        union tradeunion unionmember gewerkschaft syndicat sindicato sindacato vakbond"""),
    _topic("religion or belief", Group.SECRET, """
        religion religious faith denomination belief church konfession glaube religiosite croyance
        culte religione fede religie geloof""", codes=True),
    _topic("a sexual life or orientation", Group.SECRET, """
        sexuality sexual sexualorientation sexualpreference orientation sexuelleorientierung
        orientationsexuelle orientacionsexual orientamentosessuale seksuelegeaardheid partners"""),
    _topic("crimes or sentences", Group.SECRET, """
        crime conviction convicted offense offence arrest criminal sentence prison recidivism
        straftat vorstrafe verurteilung delit condamnation delito condena reato condanna
        misdrijf"""),
    _topic("grades or ratings", Group.SECRET, """
        grade grades gpa mark testscore examscore iq rating performance evaluation noten zeugnis
        beurteilung calificacion votoesame cijfer"""),
    _topic("violence or abuse", Group.SECRET, """
        abuse violence victim missbrauch gewalt violencedomestique maltrato violenza geweld"""),
    # Money and work: sensitive to some, known to others.
    _topic("an income", Group.MONEY, """
        income salary wage wages earnings pay payment householdincome salaryclass compensation bonus
        einkommen gehalt lohn verdienst haushaltseinkommen revenu salaire ingresos sueldo salario
        renta reddito stipendio inkomen salaris loon"""),
    _topic("property or debts", Group.MONEY, """
        networth
        capital capitalgain capitalloss wealth assets savings debt debts loan mortgage credit
        creditscore balance default bankruptcy poverty welfare benefits tax rent vermogen schulden
        kredit kontostand sozialhilfe patrimoine dette deuda ahorros debito risparmi schuld vermogen
        hypotheek"""),
    _topic("an occupation", Group.JOB, """
        occupation profession job jobtitle position beruf tatigkeit stelle metier emploi ocupacion
        isco occupationcode
        profesion puesto occupazione professione mestiere lavoro beroep functie"""),
    # About the table itself.
    _topic("a weight in the survey", Group.SURVEY, """
        finalweight fnlwgt samplingweight surveyweight sampleweight weighting gewichtung
        hochrechnung ponderation ponderacion wgt strata stratum psu"""),
)  # fmt: skip


_PEOPLE = _topic(
    "a number of people",
    Group.SURVEY,
    """
    count counts n freq frequency number cases casecount headcount persons people records
    numberofpeople numberofpersons numberofcases numberofrecords noofpeople noofpersons noofcases
    anzahl haufigkeit fallzahl personen personenzahl falle effectif effectifs frequence frecuencia
    casos personas conteo conteggio frequenza casi persone aantal frequentie gevallen""",
)


def is_called_count(name: str) -> bool:
    """Whether a column's name is one of numbers of people.

    >>> is_called_count("n"), is_called_count("Anzahl"), is_called_count("number_of_children")
    (True, True, False)
    """
    return "".join(_words_of(name)) in _PEOPLE.words


def plain(text: str) -> str:
    """A text in lower case, without accents.

    >>> plain("Größe"), plain("Prénom")
    ('grosse', 'prenom')
    """
    if text.isascii():  # most are, and have nothing to be taken apart
        return text.casefold()
    taken_apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in taken_apart if not unicodedata.combining(c))


def _words_of(name: str) -> list[str]:
    """The words that a column's name is made of.

    >>> _words_of("nativeCountry"), _words_of("native-country"), _words_of("Q12_DOB")
    (['native', 'country'], ['native', 'country'], ['q', 'dob'])
    """
    return [plain(part) for run in _PARTS.findall(name) for part in _HUMPS.split(run)]


def topic_of(name: str) -> Topic | None:
    """What a name stands for; None if none of its words is known.

    >>> topic_of("Geburtsdatum").name, topic_of("hours_per_week").name, topic_of("q7")
    ('a date of birth', 'hours of work', None)
    """
    words = _words_of(name)
    for length in range(min(_LONGEST, len(words)), 0, -1):
        # The last word says what it is: a "home country" is a country.
        for start in range(len(words) - length, -1, -1):
            topic = _BY_WORD.get("".join(words[start : start + length]))
            if topic is not None and (
                topic.group is not Group.PERHAPS_PERSON or length == len(words)
            ):
                return topic
    return next((topic for word in reversed(words) if (topic := _BY_WORD.get(word))), None)


def names_family(name: str) -> bool:
    """Whether a column, by its name, has what several people of a family or a house may share.

    >>> names_family("Nachname"), names_family("e-mail"), names_family("patient_id")
    (True, True, False)
    """
    topic = topic_of(name)
    return plain(name) in _FIRST_OR_LAST or (topic is not None and topic.name in _SHARED)


SEVERAL = 20
"""Values from which a column that repeats them is one of people rather than of groups."""


def names_person(name: str) -> bool:
    """Whether a column, by its name, has the number of a person.

    >>> names_person("patient_id"), names_person("PatientenNr"), names_person("patient age")
    (True, True, False)
    """
    topic = topic_of(name)
    return topic is not None and topic.name in _OWN


_STAYS = ("a date of birth", "a sex", "an ethnic origin")
_TIMES = frozenset({
    "year", "yr", "wave", "quarter", "month", "week", "day", "date", "time", "period", "round",
    "visit", "jahr", "welle", "quartal", "monat", "woche", "tag", "datum", "zeit", "runde",
    "annee", "vague", "trimestre", "mois", "semaine", "jour", "ano", "ola", "mes", "semana",
    "fecha", "anno", "onda", "mese", "settimana", "giorno", "jaar", "golf", "kwartaal", "maand",
    "dag",
})  # fmt: skip


def names_what_stays(name: str) -> bool:
    """Whether a column, by its name, has what stays the same in a life.

    >>> names_what_stays("birth_year"), names_what_stays("Geschlecht"), names_what_stays("age")
    (True, True, False)
    """
    topic = topic_of(name)
    return topic is not None and topic.name in _STAYS


def names_time(name: str) -> bool:
    """Whether a column, by its name, says when a row was written.

    >>> names_time("year"), names_time("Welle"), names_time("birth_year"), names_time("n_day")
    (True, True, False, True)
    """
    topic, words = topic_of(name), _words_of(name)
    return bool(words) and words[-1] in _TIMES and (topic is None or topic.name == "a date")


_OWN = ("a person's number", "an official number of a person")
_FIRST_OR_LAST = ("first", "last", "middle", "given", "family")
_SHARED = ("a person's name", "a name", "an e-mail address", "a telephone number",
           "a postal address")  # fmt: skip
_BY_WORD = {word: topic for topic in reversed(_TOPICS) for word in topic.words}


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A form that texts may have.

    Attributes
    ----------
    name : str
        In the plural, as in "they look like e-mail addresses".
    fits : callable
        Whether a text without surrounding blanks has the form.
    share : float
        The share of rows that must fit.
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
    bare = plain(text)
    return bare if bare.isalnum() else "".join(c for c in bare if c.isalnum())


def _is_iban(text: str) -> bool:
    """Whether a text is an IBAN with correct check digits (ISO 13616: remainder 1 modulo 97).

    >>> _is_iban("DE89 3704 0044 0532 0130 00"), _is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    letters = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(letters):
        return False
    return int("".join(str(int(c, 36)) for c in letters[4:] + letters[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    """Whether a text is a payment card number with a correct check digit (Luhn).

    >>> _is_card("4111 1111 1111 1111"), _is_card("4111 1111 1111 1112")
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
    Pattern(name="bank accounts (IBAN)", fits=_is_iban),
    Pattern(name="numbers of payment cards", fits=_is_card),
    Pattern(name="social security numbers", fits=_form(r"\d{3}-\d{2}-\d{4}")),
    Pattern(name="telephone numbers", fits=_is_phone),
    Pattern(name="hashes", fits=_form(
        r"(?=.*[a-f])(?=.*\d)(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})")),
)  # fmt: skip
"""Each of these identifies a person."""

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
    # Five digits may be any number; a leading zero or letters show that it is a postcode.
    Pattern(name="postcodes", share=0.95, fits=_form(
        r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2}"
        r"|[A-Z]{1,2}-\d{4,5}|\d{5}-\d{4}|0\d{3,4}")),
)  # fmt: skip
"""Others know these, or can find them out."""

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
"""An answer to an unknown question."""

MISSING_WORDS = frozenset({
    "?", "??", "-", "--", ".", "..", "na", "n/a", "n.a.", "#n/a", "nan", "null",
    "missing", "<na>", "nat", "k.a.",
})  # fmt: skip
"""Texts, in lower case, that stand for a missing value."""

UNKNOWN_WORDS = frozenset({
    "unknown", "n/k", "n/s", "n.a.", "k.a.", "n.c.", "not known", "not stated", "not specified",
    "not available",
    "undisclosed", "withheld", "suppressed", "masked", "redacted", "hidden", "unbekannt",
    "keine angabe", "nicht bekannt", "ohne angabe", "inconnu", "inconnue", "non renseigné",
    "non précisé", "onbekend", "niet bekend", "desconocido", "desconocida", "no consta",
    "sconosciuto", "sconosciuta", "non noto",
})  # fmt: skip
"""Texts, in lower case, of published cells that say nothing."""

REFUSALS = _words(
    "notsay rathernotsay prefernottosay prefernottoanswer refused refusal refusedtoanswer noanswer "
    "declined keineangabe verweigert nspr refus sansreponse nocontesta nsnc nonrisponde rifiuto "
    "geenantwoord weigert"
)
"""Answers of people who declined to answer."""
