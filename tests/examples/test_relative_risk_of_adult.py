"""The published experiment on relative risk, in small: settings, printed rows, numbers."""

import json

from reproduction import run

import relative_risk


def test_several_ways_to_anonymize_side_by_side(real_data, tmp_path, capsys):
    words = ["--records", "150", "--draws", "1", "--k", "5,11", "--beta", "1,0.1", "--data",
             str(real_data), "--json", str(tmp_path / "numbers.json"),
             "--schemes", "recoding,mondrian,anatomy"]  # fmt: skip
    assert run(relative_risk.main, words) == 0
    printed = capsys.readouterr().out
    assert "Relative risk on 150 random rows of Adult, 1 draw; alpha 1.0" in printed
    assert "3.98 %" in printed
    assert "Anatomy, ℓ instead of k, k = 11: " in printed  # which is not possible
    found = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))["results"]
    hows = {(one["scheme"], one["how"]) for one in found}
    assert ("recoding", "closed form") in hows
    assert ("mondrian", "closed form") in hows
    for one in found:
        assert one["groups"] * (2 if one["scheme"] != "anatomy" else 1) <= 150
        assert 0 <= one["accuracy"] <= 1
    largest = {
        beta: max(o["largest"] for o in found if (o["scheme"], o["beta"]) == ("mondrian", beta))
        for beta in (1.0, 0.1)
    }
    assert largest[1.0] > largest[0.1] > 1


def test_wrong_settings_are_told(real_data, capsys):
    for words, message in (
        (["--schemes", "mondrain"], "did you mean 'mondrian'"),
        (["--beta", "0"], "--beta: '0' is no number above 0"),
        (["--records", "100000"], "the table has 30,162 records to draw from"),
    ):
        assert run(relative_risk.main, [*words, "--data", str(real_data)]) == 2
        assert message in capsys.readouterr().err
