"""Messages name options as each medium writes them, and a report masks what is somebody's."""

import pytest

import unveil as uv
from unveil.errors import InputError, View
from unveil.microdata import lacking_codes, other_codes

SECRET = "Xanthippe"
SURVEY = uv.read_table(
    {"town": ["Rome", "Rome", SECRET], "age": [30, 41, 97], "vote": ["a", "b", "a"]},
    quasi=["town", "age"], sensitive="vote",
)  # fmt: skip
SHELL, REPORT = View("shell"), View("report")


def refused(act):
    with pytest.raises(InputError) as error:
        act()
    return error.value


@pytest.mark.parametrize(
    ("act", "typed"),
    [
        (lambda: uv.read_table({"age": ["1", "2", "3", SECRET], "s": list("aabb")}, quasi="age",
                               sensitive="s", numeric="age"), f"--missing-values {SECRET}"),
        (lambda: uv.read_table({"age": [SECRET], "s": ["a"]}, quasi="age", sensitive="s",
                               ordinal={"age": ["low"]}), "row 1"),
        (lambda: uv.read_release({"town": [SECRET + "a"] * 3, "age": [30] * 3, "vote": list("aba")},
                                 SURVEY), "did you mean"),
        (lambda: uv.read_release({"town": ["*"] * 3, "age": ["*"] * 3, "vote": [SECRET] * 3},
                                 SURVEY), "in the original"),
        (lambda: uv.read_release({"q": [f"{SECRET}*"], "s": ["a"]}, quasi="q", sensitive="s"),
         "--domains 'q=…|…'"),
        (lambda: uv.Hierarchy.from_paths([(SECRET,)]), "path 1"),
    ],
)  # fmt: skip
def test_errors(act, typed):
    error = refused(act)
    assert SECRET in str(error)
    assert typed in error.shown(SHELL)
    assert SECRET not in error.shown(REPORT)
    assert "row 1" not in error.shown(REPORT)


def test_other_codes():
    ours = SURVEY["town"]
    for message in (
        other_codes(ours, [SECRET.upper()], source="people.csv", where="1 person", who="is new"),
        lacking_codes(ours, [SECRET.upper()], source="a.csv", there="b.csv"),
    ):
        assert SECRET in str(message)
        assert "--recode" in message.shown(SHELL)
        assert SECRET.lower() not in message.shown(REPORT).lower()


def test_notes():
    release = uv.read_release({"town": ["Rome"] * 3, "age": ["[30, 97]"] * 3, "vote": list("aba")},
                              SURVEY)  # fmt: skip
    (note,) = release.notes
    assert SECRET in note
    assert SECRET not in note.shown(REPORT)
