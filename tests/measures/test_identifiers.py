"""Published identifiers: what is recognized, what is not, and why."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.errors import InputError
from unveil.measures.published._forms import form_of
from unveil.measures.published._matching import Shown, _agree, key_of
from unveil.microdata import from_table

N = 120
FIRST = ["Anna", "Ben", "Carlos", "Dora", "Emil", "Fatima", "Greta", "Hans", "Ivan", "Jose"]
LAST = ["Ahlers", "Brandt", "Cortez", "Dietz", "Ek", "Fox", "Gross", "Hill", "Ito", "Jung",
        "Klein", "Lopez"]  # fmt: skip


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    pairs = list(itertools.product(FIRST, LAST))
    rng.shuffle(pairs)
    return pd.DataFrame({
        "id": rng.permutation(N) + 1, "first": [a for a, _ in pairs], "last": [b for _, b in pairs],
        "device": [f"D{n:04d}" for n in rng.permutation(N)],
        "age": rng.integers(20, 70, N), "sex": rng.choice(["m", "f"], N),
        "vote": rng.choice(["left", "right", "none"], N), "hobby": rng.choice(["a", "b"], N),
    })  # fmt: skip


def read(people: pd.DataFrame, identifier=("id", "first", "last")) -> uv.Microdata:
    return uv.read_table(
        people, quasi=["age", "sex"], sensitive="vote", identifier=list(identifier)
    )


def found(people: pd.DataFrame, order=None, **extras: object) -> dict[str, str]:
    """What is found if these columns are published besides the decades."""
    original = read(people)
    decade = people["age"] // 10 * 10
    published = pd.DataFrame({
        "age": [f"{a}-{a + 9}" for a in decade], "sex": people["sex"], "vote": people["vote"],
        **extras,
    })  # fmt: skip
    if order is not None:
        published = published.iloc[order]
    release = uv.read_release(published.reset_index(drop=True), original)
    return uv.identifiers(release, original).found


def test_nothing_is_found_where_nothing_is(people):
    assert found(people) == {}
    assert found(people, hobby=people["hobby"], score=np.linspace(0, 1, N)) == {}


@pytest.mark.parametrize("name", ["first and last", "who"])
def test_two_columns_published_as_one(people, name):
    joined = people["last"].str.upper() + ", " + people["first"]
    assert found(people, **{name: joined}) == {
        name: 'is equal to the original\'s columns "first" and "last" together'
    }


def test_an_identifier_under_another_name_or_its_own(people):
    assert found(people, id=people["id"]) == {"id": 'is equal to the original\'s column "id"'}
    assert found(people, nr=people["id"].map("{:06d}".format)) == {
        "nr": 'is equal to the original\'s column "id"'
    }
    order = np.random.default_rng(0).permutation(N)
    assert "nr" in found(people, order=order, nr=people["id"])  # rows move with their numbers


def test_a_column_without_a_role_that_tells_people_apart(people):
    assert found(people, tag=people["device"].str.lower()) == {
        "tag": 'is equal to the original\'s column "device", which tells nearly everybody apart'
    }


def test_numbers_that_name_nobody(people):
    """Numbered anew in another order, rows with equal numbers are not the same person's."""
    order = np.random.default_rng(1).permutation(N)
    fresh = np.empty(N, dtype=int)
    fresh[order] = np.arange(1, N + 1)
    assert found(people, order=order, nr=fresh) == {}
    assert found(people, years=people["age"], kids=people["age"] % 4) == {}


def test_a_share_is_enough_and_hidden_cells_do_not_count(people):
    few = people["device"].where(np.arange(N) < 7, "*")
    assert "tag" in found(people, tag=few)
    assert found(people, tag=["*"] * N, other=people["device"].str[:2] + "***") == {}
    invented = pd.Series([f"X{n}" for n in range(N)])
    assert "tag" in found(people, tag=people["device"].where(np.arange(N) < 30, invented))
    assert found(people, tag=people["device"].where(np.arange(N) < 3, invented)) == {}
    assert "device" in found(people, device=people["device"].where(np.arange(N) < 1, invented))


def test_a_category_with_words_that_are_also_names(people):
    assert found(people, town=[["Fox", "Hill", "Brandt"][n % 3] for n in range(N)]) == {}


@pytest.mark.parametrize(
    ("kind", "name"), [("md5", "MD5"), ("sha1", "SHA-1"), ("sha256", "SHA-256")]
)
def test_hashes_without_a_salt(people, kind, name):
    def hashed(salt: str) -> list[str]:
        return [hashlib.new(kind, (salt + text).encode()).hexdigest() for text in people["device"]]

    assert found(people, code=hashed("")) == {
        "code": f'is equal to {name} hashes of the original\'s column "device"'
    }
    assert found(people, code=hashed("salt")) == {}


def test_joined_rows_agree_as_often_as_by_counting(people):
    """Beside the vectorized comparison: each pair of rows, one after the other."""
    rng = np.random.default_rng(7)
    original = read(people)
    for _ in range(20):
        n = int(rng.integers(5, N))
        here = rng.permutation(N)[:n]
        share = rng.random()
        votes = [people["vote"][h] if rng.random() < share else rng.choice(["left", "right"])
                 for h in here]  # fmt: skip
        source = from_table({"vote": votes})
        pairs = [(votes[i], people["vote"][h]) for i, h in enumerate(here)]
        every = list(itertools.product([a for a, _ in pairs], [b for _, b in pairs]))
        chance = sum(a == b for a, b in every) / len(every)
        agree = sum(a == b for a, b in pairs) / n
        told = agree == 1 or agree > chance + 2.5 * (chance * (1 - chance) / n) ** 0.5
        more = any(votes.count(v) > (people["vote"] == v).sum() for v in set(votes))
        answer = _agree(original.sensitive, source, np.arange(n), here)
        assert answer is (None if more or chance == 1 else told)


def test_shown_cells_are_counted_as_one_by_one():
    rng = np.random.default_rng(2)
    texts = ["a", "*", "b*", "", "n/a", "c ", "refused"]
    codes = rng.integers(-1, len(texts), 200)
    shown = Shown.of(texts, codes)
    rows = [texts[c].strip() if c >= 0 and texts[c] in ("a", "c ") else None for c in codes]
    assert [shown.texts[c] if c >= 0 else None for c in shown.code_of] == rows
    assert dict(zip(shown.texts, shown.counts.tolist(), strict=True)) == {
        text: rows.count(text) for text in ("a", "c")
    }


FORMS = {
    "e-mail addresses": [f"p{n}@mail.example.org" for n in range(9)],
    "telephone numbers": ["+49 511 762 1234", "(212) 555-0142", "0511 / 7621234", "030-1234567"],
    "official numbers of people": ["123-45-6789", "12345678Z", "756.9217.0769.85"],
    "bank accounts (IBAN)": ["DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32"],
    "numbers of payment cards": ["4111 1111 1111 1111", "5500 0000 0000 0004"],
    "full names": ["Anna Schmidt", "Lopez, Maria", "John F. Hill", "Wei Zhang", "Bo Ek"],
}
NO_FORMS = {
    "categories": ["Never-married", "United States", "Private", "Self-emp-not-inc"],
    "countries": ["United States", "Costa Rica", "New Zealand", "South Korea", "Sri Lanka"],
    "cities": ["New York", "Los Angeles", "San Francisco", "Santa Rosa", "Saint Paul"],
    "jobs": ["Software Engineer", "Nurse Practitioner", "Truck Driver", "High School Teacher"],
    "postcodes": ["01234-5678", "30167", "SW1A 1AA", "01067"],
    "dates": ["01.02.2020", "2020-02-01", "1/2/2020", "05-06-1999"],
    "numbers": ["0001234", "0123456789", "2125550142", "1234567890123456", "+12.5"],
    "ranges": ["20-29", "[20, 29]", ">= 40", "100-200-300"],
    "wrong check digits": ["DE88 3704 0044 0532 0130 00", "4111 1111 1111 1112", "000-12-3456"],
}


@pytest.mark.parametrize("form", FORMS)
def test_what_looks_like_an_identifier(form):
    texts = FORMS[form]
    assert form_of("x", texts, np.ones(len(texts), dtype=int)) == form
    # Few who share each: a contact of the office, not of a person.
    assert form_of("x", texts, np.full(len(texts), 1000)) is None


@pytest.mark.parametrize("name", NO_FORMS)
def test_what_does_not(name):
    texts = NO_FORMS[name]
    assert form_of("x", texts, np.ones(len(texts), dtype=int)) is None


def test_the_name_of_a_column_helps():
    numbers, once = ["2125550142", "2125550143"], np.ones(2, dtype=int)
    assert form_of("phone", numbers, once) == "telephone numbers"
    assert form_of("surname", ["Ek", "Fox"], once) == "names"
    assert form_of("colour", ["Ek", "Fox"], once) is None


def test_keys_of_texts():
    assert key_of("Müller,  Anna") == key_of("anna MULLER")
    assert key_of("2020-01-02") != key_of("2020-02-01")
    assert key_of("007") == key_of("7.0") == "7"


def test_a_column_with_a_role_that_names_people(people):
    """Somebody calls it a quasi-identifier; who reads it needs no attack all the same."""
    mails = people.assign(mail=[f"p{n}@example.org" for n in range(N)])
    original = uv.read_table(mails, quasi=["age", "mail"], sensitive="vote")
    finding = uv.identifiers(uv.Identity().sanitize(original), original)
    assert finding.found == {"mail": "looks like e-mail addresses"}
    assert finding.unroled == ()
    assert uv.identifiers(uv.Mondrian(k=5).sanitize(original), original).found == {}


def test_without_the_original(people):
    published = people[["age", "sex", "vote"]].assign(
        who=people["first"] + " " + people["last"], id=people["id"]
    )
    finding = uv.identifiers(uv.read_release(published, quasi=["age", "sex"], sensitive="vote"))
    assert finding.found == {"who": "looks like full names"}
    assert finding.unroled == ("who", "id")
    assert finding.assumed == ("id",)


def test_anatomy_has_two_tables(people):
    original = read(people)
    release = uv.Anatomy(l=2, seed=0).sanitize(original)
    records, secrets = release.tables()
    read_again = uv.read_anatomy(
        records.assign(mail=[f"p{n}@example.org" for n in range(N)]), secrets.assign(note="x"),
        microdata=original,
    )  # fmt: skip
    finding = uv.identifiers(read_again, original)
    assert finding.found == {"mail": "looks like e-mail addresses"}
    assert finding.unroled == ("mail", "note")


def test_row_names_without_a_name_are_published_too(people, tmp_path):
    original, file = read(people), tmp_path / "published.csv"
    people[["age", "sex", "vote"]].set_index(people["id"].rename(None)).to_csv(file)
    finding = uv.identifiers(uv.read_release(file, original), original)
    assert finding.found == {"(column 1)": 'is equal to the original\'s column "id"'}
    file = tmp_path / "published.parquet"
    people[["age", "sex", "vote"]].set_index(people["id"].rename(None)).to_parquet(file)
    finding = uv.identifiers(uv.read_release(file, original), original)
    assert list(finding.found.values()) == ['is equal to the original\'s column "id"']


def test_what_cannot_be_read_is_not_known(people):
    original = read(people)
    published = people[["age", "sex", "vote"]].assign(picture=[b"\x00\x01"] * N)
    release = uv.read_release(published, original)
    finding = uv.identifiers(release, original)
    assert finding.unread == ("picture",)
    [check] = uv.audit(original, release, attacks=["measures"], fail_on="k < 1",
                       progress=False).releases[0].checks[1:]  # fmt: skip
    assert str(check.state) == "not known"
    assert "the cells of 'picture' cannot be read" in str(check)


def test_only_releases_are_looked_at(people):
    with pytest.raises(InputError, match=r"identifiers needs a release, but got a DataFrame"):
        uv.identifiers(people)
