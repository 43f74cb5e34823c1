"""A large table in Parquet files, for timings of counts and releases beyond memory (docs/beyond-memory.md).

    python3 benches/large_table.py FOLDER [FILES] [ROWS A FILE]

Needs numpy and pyarrow. Eight texts of 2 to 60 levels (one with 5 % missing), a whole number with declared cuts, a real number with a special code and 4 % missing; the schema lies
beside the folder. 20 files of a million records are 210 MB.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LEVELS = [2, 3, 5, 8, 12, 20, 37, 60]


def table(rows, rng):
    columns = {}
    first = rng.integers(0, 60, rows)
    for at, levels in enumerate(LEVELS):
        # Every text leans on the first draw, so that pairs are associated.
        code = np.where(rng.random(rows) < 0.5, first % levels, rng.integers(0, levels, rows))
        names = np.array([f"v{at}_level{level:02}" for level in range(levels)])
        missing = rng.random(rows) < 0.05 if at == 5 else None
        columns[f"t{at}"] = pa.array(names[code], mask=missing)
    age = rng.integers(0, 100, rows)
    columns["age"] = pa.array(age, pa.int64())
    income = np.round(np.exp(rng.normal(9.5 + age / 100, 0.8, rows)), 2).clip(0, 999_999)
    income[rng.random(rows) < 0.03] = -8.0
    columns["income"] = pa.array(income, mask=rng.random(rows) < 0.04)
    return pa.table(columns)


def schema():
    lines = ["[table]", "declared = true", 'reason = "invented for timings"']
    for at, levels in enumerate(LEVELS):
        names = ", ".join(f'"v{at}_level{level:02}"' for level in range(levels))
        lines += [f"[variables.t{at}]", 'kind = "categorical"', f"levels = [{names}]"]
        lines += ["missing = true"] if at == 5 else []
    lines += ["[variables.age]", 'kind = "integer"', "range = [0, 99]", "cuts = [0, 6, 16, 25, 40, 55, 65, 99]"]
    cuts = "0, 2000, 5000, 8000, 12000, 18000, 27000, 40000, 80000, 1000000"
    lines += ["[variables.income]", 'kind = "real"', "range = [0, 1000000]", f"cuts = [{cuts}]"]
    lines += ['codes = { -8 = "refused" }', "missing = true", ""]
    return "\n".join(lines)


def main(folder, files=20, rows=1_000_000):
    folder = Path(folder)
    folder.mkdir(parents=True)
    folder.with_suffix(".schema.toml").write_text(schema())
    for part in range(files):
        rng = np.random.default_rng(part)
        pq.write_table(table(rows, rng), folder / f"part-{part:03}.parquet", row_group_size=250_000)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
