"""Which encoding a file is in: the same answer everywhere, or the same question."""

import random

import pytest

import unveil as uv
from unveil.errors import InputError, View
from unveil.microdata import encoding_of
from unveil.microdata._encodings import in_utf8

ROLES = {"quasi": ["age", "town"], "sensitive": "vote"}
TEXT = "age,town,vote\n31,Zürich,a\n45,Genève,b\n31,Zürich,b\n45,Genève,a\n"


def written(tmp_path, data, name="people.csv"):
    file = tmp_path / name
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_everything_that_reads_a_table_finds_its_encoding(tmp_path, encoding):
    file = written(tmp_path, TEXT.encode(encoding))
    table = uv.read_csv(file, **ROLES)
    assert table["town"].texts == ("Genève", "Zürich")
    assert any("is read as cp1252" in str(note) for note in table.notes) == (encoding == "cp1252")
    assert uv.propose(file).project().microdata()[0]["town"].texts == ("Genève", "Zürich")

    release = uv.read_release(file, table)
    assert "4 records in 2 classes" in repr(release)
    assert uv.read_release(file, **ROLES).quasi[1].texts == ("Genève", "Zürich")

    counts = uv.count(str(file), quasi="town")
    assert counts.where({"town": "Genève"}).tolist() == [2]
    assert any("cp1252" in str(note) for note in counts.notes) == (encoding == "cp1252")

    tree = written(tmp_path, "Zürich;CH;*\nGenève;CH;*\n".encode(encoding), "town.csv")
    assert uv.read_hierarchy(tree).leaves == ("Zürich", "Genève")

    people = "name,age,town\nAnn,31,Zürich\n".encode(encoding)
    found = uv.linkage(release, written(tmp_path, people, "people2.csv"), identifier="name")
    assert found.people.columns["town"].texts == ("Zürich",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("town\nM\u00fcnchen\n".encode("cp850"), "neither UTF-8 nor Western Windows"),
        ("town\nK\u00f6ln\n".encode("cp850"), "neither UTF-8 nor Western Windows"),
        ("town\nM\u00e4rz\n".encode("mac-roman"), "neither UTF-8 nor Western Windows"),
        # UTF-8 with one byte of something else: not the mojibake that cp1252 makes of it.
        ("town\nMünchen\nZürich\n".encode() + b"Gen\xe8ve\n", "line 4 is neither UTF-8"),
        ("town\nK\u00f6ln\n".encode("utf-16-le"), "looks like UTF-16 without a byte order mark"),
        ("town\nK\u00f6ln\n".encode("utf-16-be"), "encoding='utf-16-be'"),
        (b"\xff\xfet\x00o\x00\x00", r"line 1 of people\.csv is not utf-16"),
    ],
)
def test_what_is_in_doubt_is_asked_about(tmp_path, data, message):
    with pytest.raises(InputError, match=message):
        in_utf8(data, "people.csv", None)
    with pytest.raises(InputError, match=message):
        uv.propose(written(tmp_path, data))


def test_given_encodings_are_strict(tmp_path):
    file = written(tmp_path, TEXT.encode("cp1252"))
    with pytest.raises(InputError, match=r"line 2 of people\.csv is not utf-8") as error:
        uv.read_csv(file, encoding="utf-8", **ROLES)
    assert "--encoding cp1252, or save it as UTF-8" in error.value.shown(View("shell"))


def test_large_files_are_looked_at_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("unveil.microdata._encodings._PIECE", 7)
    assert encoding_of(written(tmp_path, TEXT.encode())) == "utf-8"
    assert encoding_of(written(tmp_path, TEXT.encode("cp1252"))) == "cp1252"
    with pytest.raises(InputError, match="line 3 is neither"):
        encoding_of(written(tmp_path, "a\nb\nm\u00fcn\n".encode("cp850")))


def test_random_tables_are_read_as_written_or_refused(tmp_path):
    """Never other letters, whatever the encoding: Western ones are found, others are told."""
    random.seed(5)
    western = "äöüßéèàçñåøÄÖÜÉ’–"
    others = {
        "cp850": "äöüéèàçñ",
        "mac-roman": "äöüéèàçñ",
        "utf-16-le": western,
        "utf-8": western + "łőč東",
        "utf-16": western + "łőč東",
        "cp1252": western,
    }
    read = 0
    for encoding, letters in others.items():
        for _ in range(30):
            words = ["".join(random.choices("abcdefghij", k=3)) + random.choice(letters)
                     + random.choice("klmnop") for _ in range(6)]  # fmt: skip
            text = "town,vote\n" + "".join(f"{word},{i % 2}\n" for i, word in enumerate(words))
            data = text.encode(encoding)
            try:
                found, name = in_utf8(data, "a.csv", None)
            except InputError:
                assert encoding in ("cp850", "mac-roman", "utf-16-le")
                continue
            if found.decode() != text:  # only with the note that asks to look
                assert (name, encoding) in [("cp1252", "cp850"), ("cp1252", "mac-roman")]
            else:
                read += 1
    assert read >= 90
