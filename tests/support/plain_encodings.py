"""The 24 encodings as one would explain them: record by record, cell by cell, in plain Python.

Shares no code with the package's own. A cell is the set of codes that it covers; a numeric one
also has two bounds.
"""

from __future__ import annotations

from math import floor, log10

from unveil.microdata import Intervals, Kind


def plain_records(release, encoding, target):
    """The released records as (features, sensitive code), sorted; and the target's features."""
    columns = range(len(release.quasi))
    encoded = [_column(release, encoding, j, int(target[j])) for j in columns]
    records = []
    for g, secret in zip(release.class_of, release.sensitive.codes, strict=True):
        features = [number for of_class, _ in encoded for number in of_class[int(g)]]
        records.append((features, int(secret)))
    point = [number for _, own in encoded for number in own]
    return sorted(records), point


def _column(release, encoding, j, value):
    """The features of each class in one column, and those of the target."""
    column, regions = release.quasi[j], release.regions[j]
    cells = [
        frozenset(code for code in range(column.size) if regions.covers(code)[g])
        for g in range(release.n_classes)
    ]
    numeric = column.kind is Kind.NUMERIC
    how = encoding.continuous if numeric else encoding.categorical
    if how == "relative":
        return [[int(value in cell)] for cell in cells], [1]
    if numeric:
        bounds = [_bounds(column, regions, g, cell) for g, cell in enumerate(cells)]
        own = float(column.positions[value])
        numbers = _NUMERIC[how]
        return [numbers(column, low, high, encoding) for low, high in bounds], numbers(
            column, own, own, encoding
        )
    if how == "hot":
        return [_hot(column, cell) for cell in cells], _hot(column, {value})
    distinct = sorted(
        set(cells), key=lambda cell: [code not in cell for code in range(column.size)]
    )
    fitting = [cell for cell in distinct if value in cell]
    own = min(fitting, key=len) if fitting else None  # the first of the narrowest
    if how == "hot-after":
        return (
            [[int(cell == one) for one in distinct] for cell in cells],
            [int(own == one) for one in distinct],
        )
    numbers = {cell: number for number, cell in enumerate(distinct, start=1)}
    return (
        [_bits(numbers[cell], len(distinct)) for cell in cells],
        _bits(numbers.get(own, 0), len(distinct)),
    )


def _bounds(column, regions, g, cell):
    line = column.positions.tolist()
    if cell:
        return line[min(cell)], line[max(cell)]
    if isinstance(regions, Intervals):
        below, above = int(regions.high[g]), int(regions.low[g])
        return line[max(below, 0)], line[min(above, len(line) - 1)]
    return line[0], line[-1]


def _scaled(column, number):
    low, high = column.positions[0], column.positions[-1]
    return float((number - low) / (high - low)) if high > low else 0.0


def _scaling(column, low, high, encoding):
    return [_scaled(column, (low + high) / 2)]


def _two_bounds(column, low, high, encoding):
    return [_scaled(column, low), _scaled(column, high)]


def _binary(column, low, high, encoding):
    first, last = floor(column.positions[0]), floor(column.positions[-1])
    return _bits(floor((low + high) / 2) - first, last - first)


def _quantiles(column, low, high, encoding):
    first, last = float(column.positions[0]), float(column.positions[-1])
    if first == last:
        return [1]
    width = (last - first) / encoding.quantiles
    digits = 4 - floor(log10(width))
    edges = [round(first + i * width, digits) for i in range(1, encoding.quantiles)]
    first_met = sum(low >= edge for edge in edges)
    last_met = sum(high >= edge for edge in edges)
    return [int(first_met <= part <= last_met) for part in range(encoding.quantiles)]


def _hot(column, cell):
    return [int(code in cell) for code in range(column.size)]


def _bits(number, largest):
    width = max(1, len(f"{largest:b}"))
    return [int(bit) for bit in f"{number:0{width}b}"]


_NUMERIC = {
    "scaling": _scaling,
    "bounds": _two_bounds,
    "binary": _binary,
    "quantiles-after": _quantiles,
}
