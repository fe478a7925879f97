"""The original table and its columns, hierarchies, cells and regions, and kinds of releases."""

from typing import TYPE_CHECKING

from unveil._lazy import lazily

if TYPE_CHECKING:
    from unveil.microdata._cell_columns import column_cells, open_release
    from unveil.microdata._cells import Domain, cell_reader
    from unveil.microdata._covering import Layers, Lookup
    from unveil.microdata._csv import CsvLayout, csv_fault, csv_layout, from_csv
    from unveil.microdata._distinct import Distinct, distinct_values, listed_values
    from unveil.microdata._encode import MISSING, Wish, encode
    from unveil.microdata._encodings import UTF8, encoding_of
    from unveil.microdata._excel import is_workbook
    from unveil.microdata._extras import Extras, cells_of
    from unveil.microdata._forms import is_form
    from unveil.microdata._hierarchies import (
        flat_hierarchy,
        interval_hierarchy,
        match_files,
        prefix_hierarchy,
        read_hierarchies,
        read_hierarchy,
    )
    from unveil.microdata._hierarchy import Hierarchy
    from unveil.microdata._levels import Level, at_published_level, refuse_other_level
    from unveil.microdata._messages import ValueOption, Worded, must, value_meant, values_listed
    from unveil.microdata._microdata import (
        CellCounts,
        Column,
        Kind,
        Microdata,
        Role,
        distinct_rows,
        histograms_at,
        value_text,
    )
    from unveil.microdata._notations import EMPTY_WORDS, EVERYTHING, is_hidden, one_sided, span
    from unveil.microdata._numbers import Line, as_values, numbers_among
    from unveil.microdata._other_tables import (
        Mapped,
        checked_mapping,
        lacking_codes,
        likely_mapping,
        mapping_said,
        other_codes,
        read_again,
        read_cells,
        recoded,
        same_in_other_words,
        values_of,
    )
    from unveil.microdata._period_cells import number_cells
    from unveil.microdata._permuted import Permuted
    from unveil.microdata._permuted_reader import check_permuted, read_anatomy
    from unveil.microdata._persons import (
        Persons,
        check_person,
        numbered_people,
        refuse_unknown_persons,
        unknown_persons,
        whose_rows,
    )
    from unveil.microdata._quantize import equal_width, quantize
    from unveil.microdata._readers import (
        Missing,
        open_table,
        read_csv,
        read_in_form,
        read_parquet,
        read_table,
    )
    from unveil.microdata._regions import Intervals, Regions, Sets, joint_counts, one_value
    from unveil.microdata._release import (
        AnyRelease,
        NoisyCounts,
        Release,
        Statistic,
        has_true_cells,
        refuse_perturbed,
        same_domains,
        with_records,
    )
    from unveil.microdata._release_reader import check_release, read_release
    from unveil.microdata._repeats import Pairs, is_repeated, names_repeat, says_whose, sign_of
    from unveil.microdata._row_counts import (
        check_count,
        counted_note,
        is_combinations,
        looks_counted,
        suspected,
    )
    from unveil.microdata._sources import (
        PARQUET,
        Source,
        existing_file,
        from_parquet,
        from_table,
        is_parquet,
    )
    from unveil.microdata._suppressed import Silence, about_suppressed, hidden_cells, silence
    from unveil.microdata._suspicions import suspicions
    from unveil.microdata._totals import CrossTable, Totals
    from unveil.microdata._truth import check_truth, untruth
    from unveil.microdata.vocabulary import is_called_count

__all__, __getattr__ = lazily(__name__)
