"""The stories of several releases told as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unveil.findings import Chart, Matrix, Series, Story, Table


def told_together(stories: Mapping[str, Story]) -> Story:
    """The stories of several releases as one: a sentence each, and their charts and tables joined.

    Charts and tables with the same title belong together.
    """
    tables: dict[str, list[tuple[str, Table]]] = {}
    for name, story in stories.items():
        for table in story.tables:
            if table.title:  # one without a title repeats what the sentences and figures say
                tables.setdefault(str(table.title), []).append((name, table))
    return Story(
        title="",
        sentences=[story.verdict for story in stories.values() if story.verdict],
        charts=_charts_together(story.charts for story in stories.values()),
        closer=_charts_together(story.closer for story in stories.values()),
        tables=[_joined_tables(some) for some in tables.values()],
    )


def _charts_together(stories: Iterable[Sequence[Chart]]) -> list[Chart]:
    alike: dict[tuple[str, str], list[Chart]] = {}
    for charts in stories:
        for chart in charts:
            alike.setdefault((chart.kind, str(chart.title)), []).append(chart)
    return [_joined_charts(some) for some in alike.values()]


def _joined_charts(charts: Sequence[Chart]) -> Chart:
    first = charts[0]
    if first.rank is not None:
        return max(charts, key=lambda chart: chart.rank or 0.0)
    if first.matrix is not None:
        matrices = [chart.matrix for chart in charts if chart.matrix is not None]
        matrix = Matrix(
            rows=[row for one in matrices for row in one.rows], columns=first.matrix.columns,
            cells=[cells for one in matrices for cells in one.cells],
        )  # fmt: skip
        return replace(first, matrix=matrix)
    series: dict[str, list[Series]] = {}
    for chart in charts:
        for one in chart.series:
            series.setdefault(str(one.name), []).append(one)
    says = list(dict.fromkeys(str(chart.says) for chart in charts))
    joined = [_joined_series(some) for some in series.values()]
    return shortened(replace(
        first,
        says=first.says if len(says) == 1 else "; ".join(says),
        series=_aligned(joined) if first.kind == "bars" else joined,
    ))  # fmt: skip


def _aligned(series: Sequence[Series]) -> list[Series]:
    """Series of bars over the same names: what a release does not have is left empty."""
    names = {str(name): name for one in series for name in one.x}
    return [_over(list(names.values()), one) for one in series]


def _over(names: Sequence[Any], one: Series) -> Series:
    """Bars over these names, with the ends of each."""

    def filled(values: Sequence[Any]) -> list[Any]:
        known = dict(zip(map(str, one.x), values, strict=bool(values)))
        return [known.get(str(name)) for name in names] if values else []

    return replace(one, x=list(names), y=filled(one.y), low=filled(one.low), high=filled(one.high))


def shortened(chart: Chart) -> Chart:
    """Bars with as many names as the chart may have: those with the largest values."""
    if chart.most is None:
        return chart
    values = [dict(zip(one.x, one.y, strict=True)) for one in chart.series]
    names = sorted(
        dict.fromkeys(name for one in values for name in one),
        key=lambda name: (-max(one.get(name) or 0.0 for one in values), str(name)),
    )[: chart.most]
    series = [_over(names, one) for one in chart.series]
    return replace(chart, series=series, most=None)


def _joined_series(some: Sequence[Series]) -> Series:
    def chained(values: Callable[[Series], Iterable[Any]]) -> list[Any]:
        return [value for one in some for value in values(one)]

    return replace(
        some[0], x=chained(lambda one: one.x), y=chained(lambda one: one.y),
        low=chained(lambda one: one.low), high=chained(lambda one: one.high),
        marks=chained(lambda one: one.marks),
    )  # fmt: skip


def _joined_tables(tables: Sequence[tuple[str, Table]]) -> Table:
    first = tables[0][1]
    if not first.across:
        return replace(
            first,
            columns=["release", *first.columns],
            rows=[[name, *row] for name, table in tables for row in table.rows],
        )
    # The first column names the rows, the last may explain them; between them the numbers.
    by_row = [{str(row[0]): row for row in table.rows} for _, table in tables]
    keys = list(dict.fromkeys(key for rows in by_row for key in rows))
    last = list(first.columns[2:])
    rows = [
        [
            key,
            *(rows[key][1] if key in rows else (None, "–") for rows in by_row),
            *next(rows[key][2:] for rows in by_row if key in rows),
        ]
        for key in keys
    ]
    return replace(
        first,
        columns=[first.columns[0], *(name for name, _ in tables), *last],
        rows=rows,
    )
