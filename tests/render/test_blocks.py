"""Distributions in a terminal: one line per release, the dot where the worst-placed person is."""

import math
from dataclasses import replace

import numpy as np
import pytest

import unveil as uv
from unveil.errors import View
from unveil.render import blocks, told_together


@pytest.fixture(scope="module")
def finding():
    return uv.differential_inference(
        uv.datasets.election_survey(), uv.Mondrian(k=5), adversary="naive-bayes"
    )


def picture(findings, width):
    stories = {str(number): one.story() for number, one in enumerate(findings)}
    return blocks(told_together(stories).charts[0], width=width, view=View("shell"))


def with_distances(finding, distances):
    n = len(distances)
    return replace(finding, distances=np.asarray(distances, dtype=float),
                   mode_changed=np.zeros(n, dtype=bool), targets=np.arange(n))  # fmt: skip


@pytest.mark.parametrize("width", [40, 80, 100])
def test_lines_axis_and_width(finding, width):
    plain = replace(finding, sanitizer="Identity()")
    lines = picture([plain, finding], width=width).plain.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("  no anonymiz")
    assert all(line.count("●") == 1 for line in lines[:2])
    assert "┴" in lines[2]
    assert "0.1" in lines[3]
    assert max(map(len, lines)) <= width


def test_the_dot_is_at_delta(finding):
    for delta in (0.002, 0.01, 0.05, 0.999):
        one = with_distances(finding, [0.001, 0.0015, delta])
        bars, axis, numbers = picture([one], width=100).plain.splitlines()
        start, ticks = axis.index("┴"), axis.count("┴")
        columns = axis.index("┴", start + 1) - start
        high = math.ceil(math.log10(delta))
        low = high - ticks + 1
        assert f"{10.0**high:g}" in numbers
        place = (math.log10(delta) - low) * columns
        assert bars.index("●") - start == min(math.floor(place + 1e-9), (ticks - 1) * columns - 1)


@pytest.mark.parametrize("distances", [[0.0, 0.0], [1.0], [2.0, 1e-9], [1e-9, 0.5], [0.3] * 5])
def test_extremes_are_drawn(finding, distances):
    text = picture([with_distances(finding, distances)], width=80).plain
    assert text.count("●") == 1
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_tested_nothing_drawn(finding):
    assert not picture([with_distances(finding, [np.nan])], width=80)


def test_one_person_among_many_is_visible(finding):
    many = with_distances(finding, [0.01] * 100_000 + [0.1, 0.5])
    line = picture([many], width=80).plain.splitlines()[0]
    assert "█" in line
    assert "▁" in line
