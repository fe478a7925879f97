"""Nine patients, as they are and as three releases publish them.

The running example of the literature on t-closeness and on the discrimination rate. Salaries are
in thousands. Each table is a dict of columns, the people always in the same order.
"""

from __future__ import annotations

__all__ = ["ORIGINAL", "THREE_ANONYMOUS", "THREE_DIVERSE", "T_CLOSE"]

SALARY = [4, 5, 6, 7, 12, 9, 8, 10, 11]
DISEASE = [
    "colon cancer", "stomach cancer", "lung cancer",
    "stomach cancer", "diabetes", "aids",
    "aids", "flu", "lung cancer",
]  # fmt: skip
DECADES = ["2*", "2*", "2*", "≥40", "≥40", "≥40", "3*", "3*", "3*"]

ORIGINAL: dict[str, list[object]] = {
    "ZIP": [
        "35567", "35502", "35560", "35817", "35810", "35812", "35502", "35568", "35505",
    ],
    "Age": [22, 22, 22, 45, 63, 40, 35, 35, 32],
    "Salary": [*SALARY],
    "Disease": [*DISEASE],
}  # fmt: skip

THREE_ANONYMOUS: dict[str, list[object]] = {
    "Age*": [*DECADES],
    "Disease": [
        "lung cancer", "lung cancer", "lung cancer",
        "stomach cancer", "diabetes", "flu",
        "aids", "aids", "diabetes",
    ],
}  # fmt: skip

THREE_DIVERSE: dict[str, list[object]] = {
    "ZIP*": ["355**", "355**", "355**", "3581*", "3581*", "3581*", "355**", "355**", "355**"],
    "Age*": [*DECADES],
    "Salary": [*SALARY],
    "Disease": [*DISEASE],
}

T_CLOSE: dict[str, list[object]] = {
    "ZIP*": ["3556*", "3550*", "3556*", "3581*", "3581*", "3581*", "3550*", "3556*", "3550*"],
    "Age**": ["≤40", "≤40", "≤40", "≥40", "≥40", "≥40", "≤40", "≤40", "≤40"],
    "Salary": [*SALARY],
    "Disease": [*DISEASE],
}
