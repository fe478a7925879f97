"""Commands that go wrong in every way, and what is said about each."""

import sys

import pytest
from oracle_programs import SURVEY

import unveil as uv
from unveil.errors import InputError


def test_a_finding_says_what_went_wrong_with_how_many(tmp_path):
    """Four records, and each of them goes wrong in another way."""
    script = tmp_path / "faulty.py"
    script.write_text(
        "import shutil, sys, time\n"
        "table, release, without = sys.argv[1:]\n"
        "lines = open(table).readlines()\n"
        "if without != 'none':\n"
        "    del lines[1 + int(without)]\n"
        "if without == '0':\n"
        "    sys.exit('no')\n"
        "if without == '1':\n"
        "    time.sleep(60)\n"
        "if without == '2':\n"
        "    lines.append(lines[-1])\n"
        "if without == '3':\n"
        "    hog = bytearray(400_000_000)\n"
        "    time.sleep(60)\n"
        "open(release, 'w').writelines(lines)\n"
    )
    command = f"{sys.executable} {script} {{input}} {{output}} {{without}}"
    oracle = uv.Oracle(command, timeout="5 s", memory="200 MB", retries=0)
    finding = uv.differential_inference(SURVEY, oracle, targets=[0, 1, 2, 3, 4], n_jobs=1)
    assert finding.not_tested == {
        "the sanitizer failed": 1,
        "the sanitizer took too long": 1,
        "the sanitizer gave an answer that is no release of the table": 1,
        "the sanitizer took too much memory": 1,
    }
    assert [record for record, _ in finding.failures] == [0, 1, 2, 3]
    assert len(finding.tested) == 1


@pytest.mark.parametrize("word", ["|", ">", "&&"])
def test_there_is_no_shell(word):
    with pytest.raises(InputError, match="there is no shell: write a script"):
        uv.Oracle(f"cat {{input}} {word} more")


def test_parquet_of_numbers_beside_the_word_for_what_is_missing():
    people = uv.read_table(
        {"code": [1, None, 3, 1], "vote": ["a", "b", "a", "b"]},
        quasi="code", sensitive="vote", categorical=["code"], missing="category",
    )  # fmt: skip
    for form in ("csv", "parquet"):
        assert uv.Oracle("cat {input}", format=form).sanitize(people).n_classes == 3
