"""What a column's name says: words in six languages, by what they stand for.

A name is split into its words, however they were put together (``birthDate``, ``birth_date``,
``Native-Country``), accents are taken off, and neighbouring words are joined again: so one entry
``birthdate`` finds all spellings. Of several entries the longest decides: a ``final_weight`` is a
weight in the survey, not on the scales. The table below is all there is to it; a word that is
missing there can be added there.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["TOPICS", "Group", "Topic", "plain", "topic_of", "words_of"]

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
        With its article, as it stands in a reason: ``a date of birth``.
    group : Group
    words : frozenset of str
        In English, German, French, Spanish, Italian and Dutch; small letters, no accents, several
        words joined.
    codes : bool
        Whether its numbers are only names of something, so that no range of them has a meaning.
    """

    name: str
    group: Group
    words: frozenset[str]
    codes: bool = False


def _topic(name: str, group: Group, words: str, *, codes: bool = False) -> Topic:
    return Topic(name=name, group=group, words=frozenset(words.split()), codes=codes)


TOPICS = (
    # Who it is.
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
        id uid uuid guid identifier key index rowid recordid patientid customerid personid
        respondent respondentid caseid nr number no pid kunde kundennummer fallnummer
        laufendenummer lfdnr identifiant numero identificador identificativo codice klantnummer
        login nummer patientennummer patientnummer fallnr personalnummer
        mitarbeiternummer matrikelnummer device cookie ip ipaddress url token hash"""),
    # What others know, or can find out.
    _topic("an age", Group.KNOWN, """
        age ageinyears ageyears agegroup agerange alter altersgruppe lebensalter edad eta leeftijd
        yearsold"""),
    _topic("a date of birth", Group.KNOWN, """
        birthdate dateofbirth birthday dob birthyear yearofbirth yob born birthmonth geburtsdatum
        geburtstag geburtsjahr gebdat gebdatum datedenaissance anneedenaissance naissance
        fechadenacimiento nacimiento datadinascita nascita geboortedatum geboortejaar"""),
    _topic("a sex", Group.KNOWN, """
        sex gender geschlecht sexe genre sexo genero sesso geslacht""", codes=True),
    _topic("an origin that others can see", Group.KNOWN, """
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
        gemeente provincie woonplaats latitude longitude lat lon area""", codes=True),
    _topic("a postcode", Group.KNOWN, """
        zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal cap
        codicepostale""", codes=True),
    _topic("the size of a place", Group.KNOWN, """
        population townsize citysize urbanicity einwohner ortsgrosse habitants habitantes abitanti
        inwoners"""),
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
        department workstatus arbeitgeber branche beschaftigung erwerbsstatus abteilung employeur
        secteur empleador empresa datoredilavoro settore werkgever sector""", codes=True),
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
    _topic("what stands at a door or a garage", Group.KNOWN, """
        car vehicle housing dwelling homeowner tenure auto wohnung logement vivienda alloggio woning
        """),
    # What the law protects most.
    _topic("health", Group.SECRET, """
        disease diagnosis diagnose diagnoses illness health healthstatus disability
        medication drug drugs treatment symptom hiv cancer diabetes bloodpressure bmi pregnancy
        pregnant smoker smoking alcohol icd mentalhealth depression krankheit gesundheit behinderung
        medikament behandlung raucher schwanger maladie sante diagnostic handicap traitement
        enfermedad salud diagnostico discapacidad malattia salute diagnosi ziekte gezondheid
        aandoening genotype mutation bloodgroup bloodtype"""),
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
    _topic("marks or judgements", Group.SECRET, """
        grade grades gpa mark testscore examscore iq rating performance evaluation noten zeugnis
        beurteilung calificacion votoesame cijfer"""),
    _topic("violence or abuse", Group.SECRET, """
        abuse violence victim missbrauch gewalt violencedomestique maltrato violenza geweld"""),
    # Money and work: secret to some, known to others.
    _topic("an income", Group.MONEY, """
        income salary wage wages earnings pay payment householdincome salaryclass compensation bonus
        einkommen gehalt lohn verdienst haushaltseinkommen revenu salaire ingresos sueldo salario
        renta reddito stipendio inkomen salaris loon"""),
    _topic("property or debts", Group.MONEY, """
        capital capitalgain capitalloss wealth assets savings debt debts loan mortgage credit
        creditscore balance default bankruptcy poverty welfare benefits tax rent vermogen schulden
        kredit kontostand sozialhilfe patrimoine dette deuda ahorros debito risparmi schuld vermogen
        hypotheek"""),
    _topic("an occupation", Group.JOB, """
        occupation profession job jobtitle position beruf tatigkeit stelle metier emploi ocupacion
        profesion puesto occupazione professione mestiere lavoro beroep functie"""),
    # About the table itself.
    _topic("a weight in the survey", Group.SURVEY, """
        finalweight fnlwgt samplingweight surveyweight sampleweight weighting gewichtung
        hochrechnung ponderation ponderacion wgt strata stratum psu"""),
)  # fmt: skip


def plain(text: str) -> str:
    """Small letters without accents.

    >>> plain("Größe"), plain("Prénom")
    ('grosse', 'prenom')
    """
    taken_apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in taken_apart if not unicodedata.combining(c))


def words_of(name: str) -> list[str]:
    """The words that a column's name is made of.

    >>> words_of("nativeCountry"), words_of("native-country"), words_of("Q12_DOB")
    (['native', 'country'], ['native', 'country'], ['q', 'dob'])
    """
    return [plain(part) for run in _PARTS.findall(name) for part in _HUMPS.split(run)]


def topic_of(name: str) -> Topic | None:
    """What a name stands for; None if it has no word that we know.

    >>> topic_of("Geburtsdatum").name, topic_of("hours_per_week").name, topic_of("q7")
    ('a date of birth', 'hours of work', None)
    """
    words = words_of(name)
    for length in range(min(_LONGEST, len(words)), 0, -1):
        # The last word of a name is what it is about: a "home country" is a country.
        for start in range(len(words) - length, -1, -1):
            topic = _BY_WORD.get("".join(words[start : start + length]))
            if topic is not None and (
                topic.group is not Group.PERHAPS_PERSON or length == len(words)
            ):
                return topic
    return next((topic for word in reversed(words) if (topic := _BY_WORD.get(word))), None)


_BY_WORD = {word: topic for topic in reversed(TOPICS) for word in topic.words}
