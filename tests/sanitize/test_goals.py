"""What is published meets its goal by the measures, or the error names the largest possible."""

import re
from dataclasses import replace

import pytest
from command_line import ROLES, run
from hypothesis import given
from hypothesis import strategies as st
from proofs import examples
from random_tables import tables

import unveil as uv
from unveil.errors import GoalError

LARGEST = re.compile(r"cannot be met: .*; the largest possible ([kl]) is (\d+)")
SIZES = st.integers(1, 9)


@st.composite
def asked(draw):
    """A sanitizer with a goal that a small table may or may not meet."""
    k, l = draw(SIZES), draw(st.integers(1, 5))  # noqa: E741
    t = draw(st.sampled_from([0.0, 0.2, 0.5]))
    scheme = draw(st.sampled_from(["global", "local"]))
    goals = [{"k": k}, {"l": l}, {"k": k, "l": l}, {"k": k, "t": t}, {"k": k, "l": l, "t": t}]
    goal = draw(st.sampled_from(goals))
    share = draw(st.sampled_from([0.0, 0.2]))
    return draw(
        st.sampled_from(
            [
                uv.Mondrian(**goal),
                uv.Recoding(**goal, scheme=scheme),
                uv.Recoding(**goal, scheme=scheme, suppression=share),
                uv.Anatomy(l=l, seed=1),
                uv.Microaggregation(k=k),
            ]
        )
    )


def assert_met(f, release):
    """The measures find at least what was asked for."""
    if getattr(f, "k", None) is not None:
        assert uv.k_anonymity(release).k >= f.k
    if getattr(f, "l", None) is not None:
        assert uv.l_diversity(release).distinct >= f.l
        assert uv.alpha_k(release).alpha <= 1 / f.l + 1e-12
    if getattr(f, "t", None) is not None:
        assert uv.t_closeness(release).t <= f.t + 1e-9


def too_much(f, table):
    """The goal that the table cannot meet and the largest possible; None if it meets them all."""
    try:
        f.sanitize(table)
    except GoalError as error:
        found = LARGEST.search(str(error))
        return found[1], int(found[2])
    return None


@examples(100, derandomize=True)
@given(tables(max_size=14), asked())
def test_the_measures_find_the_goal_or_the_error_names_the_largest(table, f):
    told = too_much(f, table)
    if told is None:
        release = f.sanitize(table)
        if not getattr(release, "suppressed", 0):  # nothing is asked of those
            assert_met(f, release)
        return
    name, largest = told
    assert largest < getattr(f, name)
    assert too_much(replace(f, **{name: largest + 1}), table) == told
    if largest:
        then = too_much(replace(f, **{name: largest}), table)
        # k and ℓ may both be too much, and are told one by one.
        assert then is None or then[0] != name


EVERYWHERE = [("mondrian:k=61", "k is"), ("anatomy:l=30", "l is")]
ONCE = [
    ("mondrian:l=30", "l is"),
    ("recoding:k=61,suppression=0.05", "k is"),
    ("recoding:l=30", "l is"),
    ("recoding:l=30,scheme=local", "l is"),
    ("microaggregation:k=61", "k is"),
]


@pytest.mark.parametrize(
    ("command", "sanitizer", "largest"),
    [
        *((command, *goal)
          for command in ("anonymize", "harden", "differential-inference", "membership",
                          "compare-encodings", "relative-risk")
          for goal in EVERYWHERE),
        *(("anonymize", *goal) for goal in ONCE),
    ],
)  # fmt: skip
def test_every_command_says_what_could_be(table, tmp_path, command, sanitizer, largest):
    out = tmp_path / ("released" if sanitizer.startswith("anatomy") else "released.csv")
    options = ["-o", out] if command == "anonymize" else []
    result = run(command, table, *ROLES, "--sanitizer", sanitizer, *options, code=2)
    assert f"the largest possible {largest}" in " ".join(result.output.split())
    assert not out.exists()
