"""A membership finding: what it prints, writes and draws, and that it keeps people to itself."""

import json
import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from random_tables import random_microdata

import unveil as uv
from unveil.attacks.held_out import split_people
from unveil.attacks.membership._attackers import Scores
from unveil.errors import InputError
from unveil.render import told_together

TABLE = random_microdata(4, 300, ("numeric", "flat"))
FINDING = uv.membership(TABLE, uv.Mondrian(k=3), removals=50)


def with_scores(removal, **others):
    """The finding with scores of the strongest attacker alone."""
    return replace(FINDING, played={"removal": Scores(scores=np.asarray(removal)), **others})


def perfect():
    return with_scores(FINDING.people.is_member.astype(float))


def perfect_about_many():
    many = split_people(random_microdata(4, 1000, ("numeric", "flat")))
    told = {"removal": Scores(scores=many.is_member.astype(float))}
    return replace(FINDING, people=many, played=told)


@pytest.fixture(autouse=True)
def _no_window():
    matplotlib.use("agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_one_row_a_person():
    frame = FINDING.to_frame()
    assert list(frame.columns) == [
        "record", "row", "member", "score: covered", "score: covered-value", "score: release",
        "score: population", "score: removal",
    ]  # fmt: skip
    assert frame["member"].sum() == len(FINDING.people.members) == 120
    assert frame["record"].tolist() == FINDING.people.asked.tolist()
    members = frame.loc[frame["member"], "score: removal"].to_numpy()
    others = frame.loc[~frame["member"], "score: removal"].to_numpy()
    wins = (members[:, None] > others).mean() + (members[:, None] == others).mean() / 2
    assert FINDING.against["removal"].auc.value == pytest.approx(wins)


def test_rows_are_those_of_the_table_that_was_read():
    table = uv.read_table(
        {"q": [None, *range(20)], "s": [*"xyxyx", *"xyxyx", *"xyxyx", *"xyxyx", "x"]},
        quasi="q", sensitive="s", missing="drop",
    )  # fmt: skip
    finding = uv.membership(table, uv.Identity())
    frame = finding.to_frame()
    assert (frame["row"] == frame["record"] + 1).all()
    assert "Note: 1 of 21 records with missing values dropped (q 1)" in finding.summary()


def test_curves():
    curve = FINDING.roc("release")
    assert list(curve.columns) == ["threshold", "fpr", "tpr"]
    assert curve.iloc[0].tolist() == [np.inf, 0, 0]
    assert curve.iloc[-1, 1:].tolist() == [1, 1]
    area = np.trapezoid(curve["tpr"], curve["fpr"])
    assert area == pytest.approx(FINDING.against["release"].auc.value)
    assert FINDING.roc().equals(FINDING.roc("covered-value"))
    assert perfect().roc().equals(perfect().roc("removal"))
    with pytest.raises(InputError) as error:
        FINDING.roc("releases")
    assert str(error.value) == (
        "there is no attacker 'releases'; did you mean 'release'? "
        "(known: covered, covered-value, release, population, removal)"
    )


def test_people_who_could_not_be_scored_do_not_count():
    scores = FINDING.played["release"].scores.copy()
    scores[::3] = np.nan
    finding = with_scores(scores, release=Scores(scores=scores, reasons={"why not": 80}))
    found = finding.against["release"]
    members = int(FINDING.people.is_member[~np.isnan(scores)].sum())
    assert (found.members, found.held_out) == (members, 160 - members)
    assert finding.roc("release")["threshold"].notna().all()
    assert "NOT SCORED by release: 80 people: why not" in finding.summary()


def test_as_json_without_individuals():
    content = json.loads(FINDING.to_json(), parse_constant=pytest.fail)
    assert content["finding"] == "membership"
    assert content["sanitizer"] == "Mondrian(k=3)"
    assert (content["members"], content["held_out"], content["own"]) == (120, 120, 60)
    assert content["strongest"] == "covered-value"
    by_name = {one["attacker"]: one for one in content["attackers"]}
    found = FINDING.against["removal"]
    assert by_name["removal"]["auc"]["value"] == found.auc.value
    assert by_name["removal"]["tpr"]["0.01"]["high"] == found.tpr[0.01].high
    assert by_name["removal"]["tpr"]["0.001"] is None
    assert by_name["removal"]["advantage"] == found.advantage
    assert (by_name["removal"]["held_out"], by_name["removal"]["groups"]) == (120, 50)
    assert by_name["release"]["not_scored"] == {}

    def lengths(value):
        if isinstance(value, dict):
            return max([0, *map(lengths, value.values())])
        if isinstance(value, list):
            return max([len(value), *map(lengths, value)])
        return 0

    assert lengths(content) < 20  # nothing there that could be one value a record


def test_as_json_with_the_scores_of_each_record():
    scores = np.where(FINDING.people.is_member, np.inf, -np.inf)
    scores[0] = np.nan
    finding = with_scores(
        scores, release=Scores.nobody(FINDING.people, "why not"),
    )  # fmt: skip
    content = json.loads(finding.to_json(records=True), parse_constant=pytest.fail)
    _, release = content["attackers"]
    individuals = content["records"]
    assert individuals["record"] == FINDING.people.asked.tolist()
    assert individuals["member"] == FINDING.people.is_member.tolist()
    assert individuals["score: removal"][0] is None
    assert set(individuals["score: removal"][1:]) == {"infinite", "-infinite"}
    assert (release["auc"], release["tpr"], release["advantage"]) == (None, None, None)
    assert release["not_scored"] == {"why not": 240}


def test_numbers_of_numpy_do_not_spoil_the_json():
    finding = uv.membership(
        TABLE, uv.Mondrian(k=np.int32(3)), removals=np.int16(5), seed=np.int64(7),
        held_out=np.float32(0.5),
    )  # fmt: skip
    assert json.loads(finding.to_json(records=True))["seed"] == 7


def test_the_summary_says_what_matters():
    text = FINDING.summary()
    assert repr(FINDING) == text
    found = FINDING.against["removal"]
    for fact in ("Mondrian(k=3) on random table", "120 members, 120 people held out, 60 in "
                 "the attacker's own sample", str(found.auc), found.tpr[0.01].in_percent(),
                 "naive Bayes",
                 "120 people held out cannot show a rate of false alarms of 0.1%; 1,000 can",
                 "at 1% false alarms an interval can begin above 0 only if 368 people are held out "
                 "(those who share a removal count as one); there are 120 for covered, 120 for "
                 "covered-value, 120 for release, 120 for population, 50 for removal.",
                 "The attacker covered knows a person's quasi-identifiers alone.",
                 "All others know a person's quasi-identifiers and secret",
                 "95% intervals"):  # fmt: skip
        assert fact in text
    assert "nan" not in text


def test_what_few_people_cannot_show_is_said_and_no_more():
    assert len(FINDING.too_few) == 2
    (thousandth,) = perfect_about_many().too_few
    assert thousandth.startswith("400 people held out cannot show a rate of false alarms of 0.1%")


def test_verdicts_follow_the_numbers():
    """Those who have one release and those who have two are told apart."""
    one = "Under Mondrian(k=3), it is not known what attackers who have one release can tell."
    two = "An attacker who compares predictions from two releases between which one person left"
    always = f"{one} {two} picks out the member in 100% of the cases"
    assert perfect_about_many().verdict() == (
        f"{always}; at 1% false alarms they find 100% of the members."
    )
    assert perfect().verdict() == f"{always}."  # 120 people held out do not show that
    guessing = "is not known to do better than guessing"
    shown = "as far as 120 people held out can show."
    nothing = Scores(scores=np.zeros(240))
    assert with_scores(np.zeros(240), release=nothing).verdict("this") == (
        "Under this, an attacker who lets a model predict the person's sensitive value from the "
        f"release {guessing} who is a member, {shown} {two} {guessing}, {shown}"
    )
    both = with_scores(np.zeros(240), release=nothing, covered=nothing).verdict()
    assert (
        "none of the attackers who have one release (covered, release) is known to do better than "
        "guessing" in both
    )
    # Most members are above most others, but the highest scores are those of others.
    scores = FINDING.people.is_member.astype(float)
    scores[np.flatnonzero(~FINDING.people.is_member)[:10]] = 2
    assert with_scores(np.zeros(240), release=nothing, covered=Scores(scores=scores)).verdict() == (
        "Under Mondrian(k=3), of a member and somebody who is not, the member is picked out in 92% "
        "of the cases by an attacker who looks whether published cells cover the person. "
        f"{two} {guessing}, {shown}"
    )


# pictures -----------------------------------------------------------------------------------


def labels(legend):
    return [text.get_text() for text in legend.get_texts()]


def test_the_picture_has_a_curve_per_attacker():
    ax = FINDING.plot()
    found = FINDING.against["release"]
    assert labels(ax.get_legend())[2] == f"release: AUC {found.auc}"
    assert len(labels(ax.get_legend())) == 6  # and guessing
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    axes = Figure().subplots()
    assert FINDING.plot(axes) is axes
    assert labels(FINDING.plot(chart=1).get_legend()) == list(FINDING.played)


def curves(finding, release=None):
    return {str(one.name).partition(":")[0]: one for one in finding.story(release).charts[0].series}


def test_a_curve_is_the_share_found_at_each_rate():
    one = curves(perfect())["removal"]
    assert (np.diff(one.x) >= 0).all()
    assert (one.x[0], one.y[0]) == (1 / 240, 1 / 240)
    assert one.y[list(one.x).index(1 / 240) + 1] == 1
    for attacker in FINDING.played:
        drawn, whole = curves(FINDING)[attacker], FINDING.roc(attacker)
        for x, y in zip(drawn.x, drawn.y, strict=True):
            reached, before = (whole.loc[whole["fpr"] < x + e, "tpr"].max() for e in (1e-9, -1e-9))
            assert y <= max(reached, 1 / 240)
            assert y >= before or x == 1 / 240


def test_attackers_who_scored_nobody_are_not_drawn():
    nobody = Scores.nobody(FINDING.people, "why not")
    finding = with_scores(FINDING.played["release"].scores, population=nobody)
    assert list(curves(finding)) == ["removal", "guessing"]
    assert finding.story().charts[1].series[1].y == [None]


def test_several_releases_share_one_picture():
    whole = told_together({name: FINDING.story(name) for name in ("f0", "f1")})
    roc, bars = whole.charts
    assert [str(one.name).partition(":")[0] for one in roc.series] == [
        *(f"f0, {name}" for name in FINDING.played), "guessing",
        *(f"f1, {name}" for name in FINDING.played),
    ]  # fmt: skip
    assert [one.x for one in bars.series] == [["f0", "f1"]] * 5
    assert len(whole.sentences) == 2
