"""What would take more memory than there is, is refused before it is begun."""

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil._memory import TooLargeError, room_for


def continuous(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "age": rng.integers(20, 80, n), "zip": rng.integers(0, 200, n),
        "income": rng.normal(size=n).round(9),
    })  # fmt: skip


def test_what_would_not_fit_is_refused_with_an_estimate(monkeypatch):
    monkeypatch.setattr("unveil._memory.left", lambda: 10**9)
    with pytest.raises(TooLargeError, match=r"about 29 GB, for 60,000 rows by 60,000 .* has 1 GB"):
        room_for(60_000, 60_000)
    room_for(1000, 1000)  # nobody has to ask for so little


def test_a_part_that_would_not_fit_costs_itself(monkeypatch):
    table = uv.read_table(continuous(600), quasi=["age", "zip"], sensitive="income")
    monkeypatch.setattr("unveil._memory._SMALL", 1)
    monkeypatch.setattr("unveil._memory.left", lambda: 1)
    audit = uv.audit(table, "mondrian:k=5", attacks=["measures", "inference"], progress=False,
                     fail_on="accuracy > 99%", baseline=False)  # fmt: skip
    (one,) = audit.releases
    assert one.looked["measures"].status == "done"
    assert one.looked["inference"].status == "failed"
    assert str(audit.state) == "not known"
    assert "values of the sensitive column" in audit.summary()


def test_steps_do_not_change_what_is_guessed(monkeypatch):
    table = uv.read_table(continuous(400), quasi=["age", "zip"], sensitive="income")
    release = uv.Mondrian(k=5).sanitize(table)
    whole = uv.inference(release, table, progress=False).to_dict()
    monkeypatch.setattr("unveil.attacks.inference._guesses._ENTRIES", 7 * 400)
    stepped = uv.inference(release, table, progress=False).to_dict()
    for name in ("figures", "facts"):
        assert stepped.get(name) == whole.get(name)
