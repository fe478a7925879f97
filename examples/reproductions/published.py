"""What the reports of 2018 (v1) and 2019 (v2) print, digit by digit, and the paper of 2020.

A. Kassem, G. Ács and C. Castelluccia (report, 2018), and with C. Palamidessi (2019). δ by k and by
ℓ; 1 is no sanitization.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ADULT",
    "DELTA",
    "INTERNET",
    "MINUTES",
    "OVER",
    "RELATIVE_RISK",
    "SAMPLES",
    "THRESHOLD",
    "THRESHOLD_TEXT",
    "Risk",
]

ADULT, INTERNET = "Adult", "Internet Usage"

DELTA: dict[str, dict[str, dict[int, str]]] = {
    ADULT: {
        "k": {1: "0.32", 2: "0.197", 5: "0.137", 7: "0.126", 20: "0.178", 64: "0.234", 80: "0.235"},
        "l": {1: "0.32", 2: "0.21", 3: "0.213", 4: "0.04", 5: "0.028", 6: "0.0018", 7: "9.8e-5"},
    },
    INTERNET: {
        "k": {1: "0.2", 2: "0.257", 5: "0.305", 7: "0.398", 20: "0.512", 64: "0.459", 80: "0.424"},
        "l": {1: "0.2", 2: "0.15", 3: "0.43", 4: "0.17", 5: "9.6e-5", 6: "9.6e-5", 7: "9.6e-5"},
    },
}
"""The largest distance (v1, Tables 1 to 4)."""

THRESHOLD, THRESHOLD_TEXT = 10**-2.5, "10^-2.5"

OVER: dict[str, dict[str, dict[int, str]]] = {
    ADULT: {"k": {5: "54 %"}, "l": {5: "3 %"}},
    INTERNET: {"k": {5: "35 %"}, "l": {5: "0 %"}},
}
"""The share of the records with a distance over the threshold (v1)."""

MINUTES: dict[str, dict[str, int]] = {
    ADULT: {"k": 60, "l": 76, "epsilon": 5 * 60 + 42},
    INTERNET: {"k": 48, "l": 50, "epsilon": 4 * 60 + 23},
}
"""Computing time for one value of k, ℓ or ε (v2)."""

SAMPLES = 25_000
"""With and without each record, to test noisy counts (v2)."""


class Risk(NamedTuple):
    """Of one table; ranges are over all three."""

    gr: str
    accuracy: str
    largest: str
    rows: str


_OF_ALL = {"accuracy": "27.3 to 29.4 %", "largest": "1.9 to 3.93", "rows": "38 to 355"}

RELATIVE_RISK: dict[int, Risk] = {
    4: Risk(gr="3.98 %", **_OF_ALL),
    5: Risk(gr="1.7 %", **_OF_ALL),
    10: Risk(gr="1.86 %", **_OF_ALL),
}
"""M. Boreale, F. Corradi and C. Viscardi: 5,692 rows of Adult, by k."""
