"""The original table and its columns, hierarchies, cells and regions, and kinds of releases."""

from unveil.microdata._cell_columns import column_cells, open_release
from unveil.microdata._cells import Domain, Line, cell_reader
from unveil.microdata._checks import (
    check_permuted,
    check_release,
    has_true_cells,
    refuse_perturbed,
    same_domains,
    with_records,
)
from unveil.microdata._csv import CsvLayout, csv_fault, csv_layout, from_csv, is_utf8
from unveil.microdata._distinct import Distinct, distinct_values, listed_values
from unveil.microdata._encode import MISSING, Wish, encode
from unveil.microdata._hierarchies import (
    flat_hierarchy,
    interval_hierarchy,
    match_files,
    prefix_hierarchy,
    read_hierarchies,
    read_hierarchy,
)
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._messages import ValueOption, Worded, value_meant, values_listed
from unveil.microdata._microdata import CellCounts, Column, Kind, Microdata, Role, value_text
from unveil.microdata._notations import EMPTY_WORDS, EVERYTHING, span
from unveil.microdata._other_tables import (
    Mapped,
    as_values,
    checked_mapping,
    lacking_codes,
    likely_mapping,
    mapping_said,
    numbers_among,
    other_codes,
    read_again,
    read_cells,
    recoded,
    same_in_other_words,
    values_of,
)
from unveil.microdata._permuted import Permuted
from unveil.microdata._permuted_reader import read_anatomy
from unveil.microdata._quantize import equal_width, quantize
from unveil.microdata._readers import Missing, read_csv, read_parquet, read_table
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._release import AnyRelease, NoisyCounts, Release, Statistic
from unveil.microdata._release_reader import read_release
from unveil.microdata._sources import (
    PARQUET,
    Source,
    existing_file,
    from_parquet,
    from_table,
    is_parquet,
)

__all__ = [
    "EMPTY_WORDS", "EVERYTHING", "MISSING", "PARQUET", "AnyRelease", "CellCounts", "Column",
    "CsvLayout", "Distinct", "Domain", "Hierarchy", "Intervals", "Kind", "Line", "Mapped",
    "Microdata", "Missing", "NoisyCounts", "Permuted", "Regions", "Release", "Role", "Sets",
    "Source", "Statistic", "ValueOption", "Wish", "Worded", "as_values", "cell_reader",
    "check_permuted", "check_release", "checked_mapping", "column_cells", "csv_fault",
    "csv_layout", "distinct_values", "encode", "equal_width", "existing_file", "flat_hierarchy",
    "from_csv", "from_parquet", "from_table", "has_true_cells", "interval_hierarchy", "is_parquet",
    "is_utf8", "lacking_codes", "likely_mapping", "listed_values", "mapping_said", "match_files",
    "numbers_among", "open_release", "other_codes", "prefix_hierarchy", "quantize", "read_again",
    "read_anatomy", "read_cells", "read_csv", "read_hierarchies", "read_hierarchy", "read_parquet",
    "read_release", "read_table", "recoded", "refuse_perturbed", "same_domains",
    "same_in_other_words", "span", "value_meant", "value_text", "values_listed", "values_of",
    "with_records",
]  # fmt: skip
