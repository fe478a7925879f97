"""The form of an audit's JSON, declared as models: its schema and the check of a file follow."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

FORM = 5
"""The version of the form; grows when something changes its meaning or goes."""

_Number = float | None
_Exactly = float | Literal["infinite", "-infinite"] | None
_FigureValue = Annotated[
    _Exactly | tuple[float, float],
    Field(description="A number; or the ends of the range it lies in, in an audit for others."),
]
_State = Literal["passes", "fails", "not known", "not tested"]
_Question = Literal["singling out", "linkability", "inference", "utility"]


class _Closed(BaseModel):
    """An object that has what is declared, and nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Axis(_Closed):
    """What stands along an axis."""

    label: str
    scale: Literal["linear", "log", "names"]
    share: bool


class Series(_Closed):
    """What belongs together in a chart."""

    name: str
    x: list[float | str | None]
    y: list[_Number]
    low: list[_Number]
    high: list[_Number]
    marks: list[str]


class Matrix(_Closed):
    """The cells of a heat map."""

    rows: list[str]
    columns: list[str]
    cells: list[list[_Number]]


class Chart(_Closed):
    """A picture as data."""

    kind: Literal["distribution", "histogram", "bars", "points", "curves", "heatmap"]
    title: str
    says: str
    x: Axis
    y: Axis
    series: list[Series]
    matrix: Matrix | None
    coarse: Annotated[bool, Field(description="Whether bars are ranges, drawn at their middle.")]


class Column(_Closed):
    """The head of a table's column."""

    title: str
    number: bool


class Table(_Closed):
    """Rows of texts, and of numbers with their texts."""

    title: str
    says: str
    columns: list[Column]
    rows: list[list[str | tuple[_Number, str]]]


class Looked(_Closed):
    """What became of one attack for one release."""

    release: str
    shown: str
    status: Literal["done", "not applicable", "failed", "interrupted"]
    why: str | None
    diagnostics: list[str]
    notes: list[str]


class Section(_Closed):
    """One attack or measure, and what it says about all releases."""

    part: str
    title: str
    questions: list[_Question]
    means: str
    assumes: str
    page: str
    sentences: list[str]
    charts: list[Chart]
    tables: list[Table]
    looked: list[Looked]


class Check(_Closed):
    """What became of a threshold."""

    threshold: str
    figure: str
    value: _FigureValue
    state: _State
    passed: bool
    says: str


class Answer(_Closed):
    """The answer to one of the three questions of European guidance."""

    question: _Question
    answer: Literal["yes", "not known", "to a degree", "not by the attackers tried here"]
    figure: Annotated[str | None, Field(description="That decides; null if there is none.")]
    says: Annotated[str, Field(description="The figure and its attacker in a sentence.")]
    not_tried: Annotated[
        list[str], Field(description="Figures that could answer it, and were not asked for.")
    ]


class Release(_Closed):
    """One release: its figures and checks."""

    name: str
    shown: str
    kind: Literal["sanitizer", "release"]
    error: Annotated[str | None, Field(description="Why there is no such release.")]
    state: Annotated[
        _State | None,
        Field(description="Null if there are no thresholds, and it does not fail without any."),
    ]
    passed: Annotated[bool | None, Field(description="Whether the state is 'passes'.")]
    untouched: Annotated[
        bool, Field(description="Whether the table is published as it is: a baseline.")
    ]
    identifiers: Annotated[list[str], Field(description="Published columns that name people.")]
    unroled: Annotated[
        list[str],
        Field(description="Published columns without a role: assumed unknown to the attacker."),
    ]
    figures: dict[str, _FigureValue]
    intervals: Annotated[
        dict[str, tuple[_Exactly, _Exactly]],
        Field(description="The 95 % intervals of figures that are estimates."),
    ]
    among: Annotated[dict[str, str], Field(description="Of whom a figure is, if not of everybody.")]
    by: Annotated[dict[str, str], Field(description="The attacker who attains a figure.")]
    checks: list[Check]
    answers: Annotated[
        list[Answer], Field(description="Empty if the release could not be made or read.")
    ]
    says: str | None = None
    notes: list[str] = []


class Secret(_Closed):
    """What was found about one sensitive column."""

    sensitive: str
    baseline: Annotated[
        Release | None,
        Field(description="The table as it is; null if it is one of the releases."),
    ]
    releases: list[Release]
    sections: list[Section]


class FigureForm(_Closed):
    """What a figure is."""

    title: str
    says: str
    question: _Question
    lower_is_better: bool
    share: bool
    shown: Annotated[bool, Field(description="Whether it says more than others about this table.")]


class Data(_Closed):
    """The table; without the original, what was published."""

    source: str
    records: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(description="Null where published files have different numbers of them."),
    ]
    people: Annotated[
        Annotated[int, Field(ge=0)] | None,
        Field(description="Whose records they are; null without the original."),
    ]
    says: Annotated[
        str, Field(description="Both in words, with what is taken for granted if it is not known.")
    ]
    quasi: list[str]
    sensitive: list[str]
    notes: list[str]


class Unanswered(_Closed):
    """A question that only the original answers."""

    title: str
    adds: str


class Alone(_Closed):
    """An audit of what was published, without the original."""

    assumed: Annotated[list[str], Field(description="What is taken for granted.")]
    unanswered: Annotated[list[Unanswered], Field(description="What the original would add.")]


class Threat(_Closed):
    """What the attacker knows and wants, in all attacks."""

    knows: list[str]
    wants: list[str]
    says: str


class Verdict(_Closed):
    """The verdict; ``state`` and ``passed`` are null if there are no thresholds.

    Without any a release fails all the same if it publishes identifiers.
    """

    state: _State | None
    passed: bool | None
    heading: str
    sentences: list[str]
    of_all: Annotated[
        int, Field(description="How many sentences, the first, are about every release.")
    ]
    besides: Annotated[
        list[str],
        Field(description="Whose sensitive value is found, and which columns have no role."),
    ]


class Reproduce(_Closed):
    """What it takes to run the audit again."""

    version: str
    python: str
    seed: int
    command: str | None
    key: Annotated[
        str,
        Field(
            pattern="^[0-9a-f]{12}$",
            description="Which key the references and fingerprints depend on; not the key itself.",
        ),
    ]
    fingerprints: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]


class AuditForm(_Closed):
    """What all attacks and measures of an audit found in all releases."""

    unveil: Annotated[str, Field(description="The version that made it.")]
    schema_: Annotated[int, Field(alias="schema", description="The form of findings.")]
    finding: Literal["audit"]
    form: Literal[5]
    data: Data
    alone: Annotated[
        Alone | None,
        Field(description="Of an audit without the original; null or missing if it was given."),
    ] = None
    threat: Threat
    verdict: Verdict
    thresholds: list[str]
    figures: dict[str, FigureForm]
    secrets: Annotated[list[Secret], Field(min_length=1)]
    private: Annotated[
        bool,
        Field(description="Whether it is for the owner of the table alone, with exact numbers."),
    ]
    masked_below: Annotated[int, Field(ge=1)]
    interrupted: bool
    reproduce: Reproduce


def schema() -> dict[str, Any]:
    """The JSON Schema of an audit's JSON (draft 2020-12).

    >>> schema()["properties"]["form"]["const"] == FORM
    True
    """
    return AuditForm.model_json_schema()


def first_fault(text: str) -> str | None:
    """Where a JSON text is not of the form, and how; None if it is.

    >>> first_fault('{"finding": "audit"}')
    "the audit lacks 'unveil'"
    """
    try:
        AuditForm.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        if not fault["loc"]:  # half a character, which JSON can write and no text can have
            return f"it cannot be read: {fault['msg'].lower()}"
        *outer, last = fault["loc"]
        if fault["type"] == "missing":
            return f"{_place(outer)} lacks {str(last)!r}"
        if fault["type"] == "extra_forbidden":
            return f"{_place(outer)} has {str(last)!r}, which is not known"
        return f"{_place(fault['loc'])} is {_told(fault['input'])}: {fault['msg'].lower()}"
    return None


def _place(loc: Any) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return text.removeprefix(".") or "the audit"


def _told(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value) if len(repr(value)) < 60 else f"{repr(value)[:57]}…"
