"""Counts and releases beyond memory, measured: CPU seconds and peak memory of every step (docs/beyond-memory.md).

    python3 benches/beyond_memory.py LOOKALIKE FOLDER [large]

LOOKALIKE is an optimised binary, FOLDER what benches/large_table.py made. With `large`, the private run is drawn as often as there are records, in parts. DuckDB counts the same
pairs beside it where its Python package is installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(name, arguments, out=subprocess.DEVNULL):
    process = subprocess.Popen([str(argument) for argument in arguments], stdout=out)
    _, status, used = os.wait4(process.pid, 0)
    cpu = used.ru_utime + used.ru_stime
    print(f"{name:<60} {cpu:8.2f} CPU s {used.ru_maxrss / 1000:8.0f} MB" + ("" if status == 0 else f"  FAILED {status}"), flush=True)


DUCKDB = """
import sys, duckdb
from itertools import combinations
connection = duckdb.connect()
connection.execute("SET threads = 2")
names = [f"t{{at}}" for at in range(8)] + ["age_class", "income_class"]
age = "CASE " + " ".join(f"WHEN age < {{cut}} THEN {{at}}" for at, cut in enumerate([6, 16, 25, 40, 55, 65])) + " ELSE 6 END"
cuts = [2000, 5000, 8000, 12000, 18000, 27000, 40000, 80000]
income = "CASE WHEN income IS NULL THEN NULL WHEN income = -8 THEN 9 " + " ".join(f"WHEN income < {{cut}} THEN {{at}}" for at, cut in enumerate(cuts)) + " ELSE 8 END"
texts = ", ".join(f"t{{at}}" for at in range(8))
connection.execute(f"CREATE VIEW people AS SELECT {{texts}}, {{age}} AS age_class, {{income}} AS income_class FROM '{folder}/*.parquet'")
cells = 0
for one, other in combinations(names, 2):
    cells += len(connection.execute(f"SELECT {{one}}, {{other}}, count(*) FROM people GROUP BY ALL").fetchall())
print(f"DuckDB {{duckdb.__version__}}: {{cells}} occupied cells of pairs", flush=True)
"""


def main(lookalike, folder, *more):
    folder = Path(folder)
    schema = ["--schema", folder.with_suffix(".schema.toml"), "--quiet"]
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    memory = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        counts = lambda data, out, *options: [lookalike, "counts", data, *schema, "--out", out, *options]
        run("all pairs, one pass", counts(folder, work / "pairs.counts", "--stream"))
        if "memory" in more:
            run("all pairs, records in memory", counts(folder, memory / "pairs.counts"))
            same = (work / "pairs.counts").read_bytes() == (memory / "pairs.counts").read_bytes()
            print(f"count files of the two are {'equal' if same else 'DIFFERENT'} byte for byte")
        run("all pairs and all variables together", counts(folder, work / "cross.counts", "--stream", "--cross"))
        files = sorted(folder.glob("*.parquet"))
        quarter = (len(files) + 3) // 4
        parts = []
        for part in range(4):
            place = work / f"quarter{part}"
            place.mkdir()
            for file in files[part * quarter : (part + 1) * quarter]:
                os.link(file, place / file.name)
            parts.append(work / f"quarter{part}.counts")
            run(f"pairs of quarter {part + 1}", counts(place, parts[-1], "--stream"))
        private = ["--method", "ipf", "--epsilon", "1", "--insecure-test-seed", "1", "--quiet"]
        small = ["--rows", "100000"]
        source = [folder, "--schema", folder.with_suffix(".schema.toml"), "--stream"]
        run("private ipf, pass, fit and 100,000 records", [lookalike, "synth", *source, *private, *small, "--out", work / "one"])
        run("the same from four count files", [lookalike, "synth", "--counts", *parts, *private, *small, "--out", work / "four"])
        same = (work / "one/synthetic-1.csv").read_bytes() == (work / "four/synthetic-1.csv").read_bytes()
        print(f"releases from one pass and from four count files are {'equal' if same else 'DIFFERENT'} byte for byte")
        if "large" in more:
            run("private ipf, as many records as there are, in 16 parts", [lookalike, "synth", *source, *private, "--parts", "16", "--format", "parquet", "--out", work / "large"])
        if shutil.which("python3") and not subprocess.run([sys.executable, "-c", "import duckdb"], capture_output=True).returncode:
            run("all pairs by DuckDB, 45 GROUP BYs", [sys.executable, "-c", DUCKDB.format(folder=folder)], out=None)
    finally:
        shutil.rmtree(work)
        shutil.rmtree(memory)


if __name__ == "__main__":
    main(*sys.argv[1:])
