"""What ARX, anjana, anonypy and sdcMicro publish of the same people, each in its own notation."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unveil as uv
from unveil.errors import InputError
from unveil.microdata import Hierarchy, read_release

HERE = Path(__file__).parent / "published"
CITIES = Hierarchy.from_paths(
    [
        ("Lyon", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*"),
        ("Milan", "Italy", "*"), ("Bonn", "Germany", "*"), ("Kiel", "Germany", "*"),
    ]
)  # fmt: skip
NAMES = [line.split(",")[0] for line in (HERE / "people.csv").read_text().splitlines()[1:]]


def people(*quasi, **options):
    return uv.read_csv(
        HERE / "people.csv",
        quasi=list(quasi),
        sensitive="disease",
        identifier="name",
        hierarchies=options.pop("hierarchies", {"city": CITIES} if "city" in quasi else None),
        **options,
    )


def covers_own(release, original, rows):
    """For each released record, made from those rows of the original: do its cells cover them?"""
    return np.array(
        [
            [bool(r.covers(int(code))[g]) for r, code in zip(release.regions, codes, strict=True)]
            for g, codes in zip(release.class_of, original.codes[:, rows].T, strict=True)
        ]
    )


def words(release):
    return {name: str(how) for name, how in release.notations.items()}


def test_arx():
    original = people("age", "sex", "city", "zip", "pay")
    release = read_release(HERE / "arx.csv", original, made_by="ARX")
    assert words(release) == {
        "age": "intervals like [20, 40[, suppressed cells",
        "sex": "suppressed cells",
        "city": "hierarchy nodes like France, suppressed cells",
        "zip": "masks like 69***, suppressed cells",
        "pay": "sets like {21.5, 23, 31, 35.5}, suppressed cells",
    }
    assert (release.suppressed, release.dropped) == (2, 0)
    assert release.notes == (
        "2 of 16 records are suppressed and form no class: all their quasi-identifiers are hidden",
    )
    assert covers_own(release, original, np.arange(16)).all()
    # Gil is 40, lives in Rome and earns 38: of those who are not suppressed, himself.
    gil = original.codes[:, [NAMES.index("Gil")]]
    assert release.joint_counts(gil)[0].tolist() == [1, 1, 1]


def test_arx_without_its_hierarchies():
    original = people("age", "zip", "pay")
    release = read_release(HERE / "arx.csv", original)
    assert covers_own(release, original, np.arange(16)).all()


def test_anjana():
    original = people("age", "sex", "city")
    release = read_release(HERE / "anjana.csv", original, made_by="anjana")
    kept = pd.read_csv(HERE / "anjana.csv")["index"].to_numpy()
    assert (len(release), release.suppressed, release.dropped) == (12, 0, 4)
    assert release.notes == (
        "4 of 16 records are not in the release, or in it without a sensitive value",
    )
    assert words(release)["city"] == "hierarchy nodes like France"
    own = covers_own(release, original, kept)
    # anjana puts 40 in an interval that it calls [20, 40).
    assert own.sum() == own.size - 1
    assert not own[list(kept).index(NAMES.index("Gil")), 0]


def test_what_anjana_means_by_its_intervals_is_said_with_a_hierarchy():
    ages = [23, 27, 29, 31, 34, 38, 40, 41, 45, 46, 52, 55, 58, 63, 67, 71]
    tens = {age: -(-age // 20) * 20 for age in ages}
    tree = Hierarchy.from_paths([(str(a), f"[{top - 20}, {top})", "*") for a, top in tens.items()])
    original = people("age", "sex", "city", hierarchies={"age": tree, "city": CITIES})
    with pytest.raises(InputError) as error:
        read_release(HERE / "anjana.csv", original)
    assert str(error.value) == (
        "row 1, column 'age': the cell '[20, 40)' can be read in 2 ways: as a node it covers 23 "
        "to 40, as an interval it covers 23 to 38; give the one that is meant: notation={'age': "
        "'node'} or notation={'age': 'interval'}"
    )
    release = read_release(HERE / "anjana.csv", original, notation={"age": "node"})
    kept = pd.read_csv(HERE / "anjana.csv")["index"].to_numpy()
    assert covers_own(release, original, kept).all()


def test_anonypy():
    original = people("age", "sex", "city", "pay")
    release = read_release(HERE / "anonypy.csv", original, made_by="anonypy")
    assert (len(release), release.n_classes, release.dropped) == (16, 4, 0)
    assert release.notes == (
        "the column 'count' gives the number of records of each row: 10 rows, 16 records",
    )
    assert words(release) == {
        "age": "ranges like ['23-41']",
        "sex": "lists like ['F']",
        "city": "sets like ['Nice,Rome,Milan,Lyon']",
        "pay": "ranges like ['21.5-51.0']",
    }
    joint = release.joint_counts(original.codes)
    assert (joint[np.arange(16), original.sensitive.codes] > 0).all()
    assert release.totals.tolist() == original.sensitive_counts.tolist()


def test_anonypy_in_memory():
    """As anonypy returns it: lists in the cells."""
    original = people("age", "sex", "city", "pay")
    text = pd.read_csv(HERE / "anonypy.csv")
    frame = text.assign(**{c: text[c].map(lambda t: [t[2:-2]]) for c in ("age", "sex", "city")})
    release = read_release(frame, original)
    again = read_release(HERE / "anonypy.csv", original)
    assert (release.joint_counts(original.codes) == again.joint_counts(original.codes)).all()


def test_sdcmicro():
    original = people("age", "sex", "city")
    release = read_release(HERE / "sdcmicro.csv", original, made_by="sdcMicro")
    assert words(release) == {
        "age": "intervals like (20,40], suppressed cells",
        "sex": "values, suppressed cells",
        "city": "values, suppressed cells",
    }
    assert (release.suppressed, release.dropped) == (1, 0)
    assert covers_own(release, original, np.arange(16)).all()
    assert release.to_frame()["city"].tolist()[4] == "*"


def test_means_cover_nobody_and_that_is_told():
    original = people("age", "pay")
    release = read_release(HERE / "sdcmicro.csv", original)
    assert release.notes == (
        "pay: no cell covers the values of 16 of 16 records, such as 21.5; cells are read as they "
        "are written",
    )
