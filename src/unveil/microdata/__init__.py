"""The original table and what is known about its columns: roles, kinds, domains, hierarchies."""

from unveil.microdata._cell_counts import CellCounts
from unveil.microdata._column import Column, Kind, Role, value_text
from unveil.microdata._csv import CsvLayout, csv_fault, csv_layout, from_csv, is_utf8
from unveil.microdata._derived import listed_values
from unveil.microdata._distinct import distinct_values
from unveil.microdata._encode import MISSING, Wish, encode
from unveil.microdata._hierarchy import Hierarchy
from unveil.microdata._hierarchy_files import read_hierarchies, read_hierarchy
from unveil.microdata._hierarchy_makers import (
    flat_hierarchy,
    interval_hierarchy,
    prefix_hierarchy,
)
from unveil.microdata._microdata import Microdata
from unveil.microdata._noisy_counts import NoisyCounts
from unveil.microdata._other_codes import (
    Mapped,
    checked_mapping,
    lacking_codes,
    likely_mapping,
    mapping_said,
    other_codes,
    recoded,
    same_in_other_words,
    values_listed,
    values_of,
)
from unveil.microdata._permuted import Permuted
from unveil.microdata._permuted_checks import check_permuted
from unveil.microdata._permuted_reader import read_anatomy
from unveil.microdata._quantize import quantize
from unveil.microdata._readers import read_csv, read_parquet, read_table
from unveil.microdata._reading_again import as_values, numbers_among, read_again, read_cells
from unveil.microdata._regions import Intervals, Regions, Sets
from unveil.microdata._release import AnyRelease, Release, Statistic
from unveil.microdata._release_checks import (
    check_release,
    has_true_cells,
    refuse_perturbed,
    same_domains,
    with_records,
)
from unveil.microdata._release_reader import read_release
from unveil.microdata._sources import (
    PARQUET,
    existing_file,
    from_parquet,
    from_table,
    is_parquet,
)

__all__ = [
    "MISSING",
    "PARQUET",
    "AnyRelease",
    "CellCounts",
    "Column",
    "CsvLayout",
    "Hierarchy",
    "Intervals",
    "Kind",
    "Mapped",
    "Microdata",
    "NoisyCounts",
    "Permuted",
    "Regions",
    "Release",
    "Role",
    "Sets",
    "Statistic",
    "Wish",
    "as_values",
    "check_permuted",
    "check_release",
    "checked_mapping",
    "csv_fault",
    "csv_layout",
    "distinct_values",
    "encode",
    "existing_file",
    "flat_hierarchy",
    "from_csv",
    "from_parquet",
    "from_table",
    "has_true_cells",
    "interval_hierarchy",
    "is_parquet",
    "is_utf8",
    "lacking_codes",
    "likely_mapping",
    "listed_values",
    "mapping_said",
    "numbers_among",
    "other_codes",
    "prefix_hierarchy",
    "quantize",
    "read_again",
    "read_anatomy",
    "read_cells",
    "read_csv",
    "read_hierarchies",
    "read_hierarchy",
    "read_parquet",
    "read_release",
    "read_table",
    "recoded",
    "refuse_perturbed",
    "same_domains",
    "same_in_other_words",
    "value_text",
    "values_listed",
    "values_of",
    "with_records",
]
