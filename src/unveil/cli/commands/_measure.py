"""The command ``unveil measure``."""

from __future__ import annotations

from unveil.cli import _measure_options as counting
from unveil.cli import _options as options
from unveil.cli import _reading_options as reading_options
from unveil.cli._guard import guarded
from unveil.cli._typed import app

__all__ = ["measure"]


@app.command(
    # Paragraphs are not wrapped again: each is one line here.
    help="Measure a table by its classes: k, ℓ, t, re-identification risk, discrimination rate and "
    "what else follows from counts.\n\n"
    "All of it comes from one grouped count, which an engine makes, whatever the size of the "
    "file. Missing values are values like any other.\n\n"
    "Exit codes: 0 done, 2 wrong input, 130 interrupted.",
    epilog="""[bold]Examples[/bold]

  unveil measure published.csv --quasi age,zip,sex --sensitive income

Two releases side by side, and an attacker who only wants to know whether the income is low:
  unveil measure a.csv b.csv --quasi age,zip --sensitive income \\
         --partition 'income=low:0-20,high:20-'

Which columns single people out? A file larger than memory, within 4 GB:
  unveil measure survey.parquet --quasi age,zip,sex,job,car --subsets 3 --memory 4GB

What it has lost against the original; everything for a machine to read:
  unveil measure published.csv --quasi age,zip,sex --sensitive income \\
         --original survey.csv --json -""",
)
@guarded
def measure(
    files: counting.Tables,
    quasi: counting.Quasi = None,
    sensitive: counting.Sensitive = None,
    partition: counting.Partition = None,
    distance: counting.Distance = None,
    l: counting.Ell = 2,  # noqa: E741  (it is called l everywhere in this field)
    threshold: counting.Threshold = 0.2,
    subsets: counting.Subsets = 0,
    population: counting.Population = None,
    population_size: counting.PopulationSize = None,
    recode: counting.Recode = None,
    original: counting.Original = None,
    hierarchies: counting.Hierarchies = None,
    ordinal: reading_options.Ordinal = None,
    wildcard: counting.Wildcard = None,
    engine: counting.Engine = counting.Named.DUCKDB,
    memory: counting.Memory = None,
    delimiter: reading_options.Delimiter = None,
    encoding: reading_options.Encoding = None,
    columns: reading_options.Columns = None,
    classes: counting.Classes = False,
    json: options.Json = None,
    records: counting.Records = False,
    plot: options.Plot = None,
) -> None:
    """Measure tables by their classes."""
    from unveil.cli._measure import Measure

    Measure(
        files=files, quasi=quasi or (), sensitive=sensitive, partition=partition or (),
        distance=distance, l=l, threshold=threshold, subsets=subsets, population=population,
        population_size=population_size, recode=recode or (), original=original,
        hierarchies=hierarchies, ordinal=ordinal, wildcard=wildcard, engine=engine, memory=memory,
        delimiter=delimiter, encoding=encoding, columns=columns, classes=classes, json=json,
        records=records, plot=plot,
    ).run()  # fmt: skip
