"""Lookalike beside DuckDB and polars: the same data, the same threads, one after the other.

Called by `peers.sh`. Every measurement is a process of its own, so that its peak memory is its own. Seconds are the least of at
least RUNS runs in at least SECONDS, wall and CPU apart, since other programs on the machine can only add to them. CPU seconds
are user + system of all threads and hardly depend on who else is running.
"""

import itertools
import json
import os
import platform
import resource
import subprocess
import sys
import time
from importlib import metadata, util
from pathlib import Path

SIZES = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
PAIRS = list(itertools.combinations(range(len(SIZES)), 2))
RUNS, SECONDS = 3, 5
THREADS = 2


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_rss_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def least(work):
    """The least wall and CPU seconds of a few runs, and the last result."""
    wall = cpu = float("inf")
    began, runs = time.perf_counter(), 0
    while runs < RUNS or time.perf_counter() - began < SECONDS:
        result, runs = None, runs + 1
        start, cpu_start = time.perf_counter(), cpu_seconds()
        result = work()
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, cpu_seconds() - cpu_start)
    return {"wall_s": wall, "cpu_s": cpu}, result


def weigh(pair, cells):
    """Σ (cell + 1) · count, as `measure count` sums it: whoever counts the same gets the same number."""
    return sum((left * SIZES[pair[1]] + right + 1) * count for left, right, count in cells)


def columns(folder):
    import numpy

    return {f"v{i}": numpy.fromfile(Path(folder) / f"v{i}.u8", dtype="uint8") for i in range(len(SIZES))}


def duckdb_database(folder):
    import duckdb
    import pyarrow

    database = duckdb.connect(":memory:")
    database.execute(f"SET threads={THREADS}")
    arrow = pyarrow.table(columns(folder))
    database.execute("CREATE TABLE people AS SELECT * FROM arrow")
    return database


def duckdb_group_by_each(folder):
    database = duckdb_database(folder)

    def work():
        query = "SELECT v{0}, v{1}, count(*) FROM people GROUP BY v{0}, v{1}"
        return [(pair, database.execute(query.format(*pair)).fetchall()) for pair in PAIRS]

    seconds, found = least(work)
    return seconds | {"checksum": sum(weigh(pair, cells) for pair, cells in found)}


def duckdb_grouping_sets(folder):
    database = duckdb_database(folder)
    names = ", ".join(f"v{i}" for i in range(len(SIZES)))
    sets = ", ".join(f"(v{left}, v{right})" for left, right in PAIRS)
    query = f"SELECT {names}, count(*) FROM people GROUP BY GROUPING SETS ({sets})"
    seconds, found = least(lambda: database.execute(query).fetchall())
    checksum = 0
    for *levels, count in found:
        left, right = (i for i, level in enumerate(levels) if level is not None)
        checksum += weigh((left, right), [(levels[left], levels[right], count)])
    return seconds | {"checksum": checksum}


def polars_pairs(folder, collect):
    import polars

    people = polars.DataFrame(columns(folder))
    assert polars.thread_pool_size() == THREADS

    def work():
        return collect(polars, people)

    seconds, found = least(work)
    return seconds | {"checksum": sum(weigh(pair, cells.iter_rows()) for pair, cells in zip(PAIRS, found))}


def polars_lazy(folder):
    def collect(polars, people):
        lazy = people.lazy()
        return polars.collect_all([lazy.group_by(f"v{l}", f"v{r}").agg(polars.len()) for l, r in PAIRS])

    return polars_pairs(folder, collect)


def polars_eager(folder):
    def collect(polars, people):
        return [people.group_by(f"v{l}", f"v{r}").agg(polars.len()) for l, r in PAIRS]

    return polars_pairs(folder, collect)


def polars_read(file, **options):
    import polars

    assert polars.thread_pool_size() == THREADS
    seconds, table = least(lambda: polars.read_csv(file, **options))
    return seconds | {"rows": table.height, "table_mb": table.estimated_size() / 1e6}


def polars_read_dates(file):
    return polars_read(file, try_parse_dates=True)


# Each peer's ways to do the task; the quickest counts.
COUNTING = {
    "DuckDB": [("one GROUP BY a pair", duckdb_group_by_each), ("one query with GROUPING SETS", duckdb_grouping_sets)],
    "polars": [("45 lazy group_bys, collect_all", polars_lazy), ("45 eager group_bys", polars_eager)],
}
READING = {
    "polars": [("read_csv", polars_read), ("read_csv, try_parse_dates", polars_read_dates)],
}
WAYS = {way.__name__: way for peers in (COUNTING, READING) for ways in peers.values() for _, way in ways}


def apart(command):
    """Runs a measurement in a process of its own that may use THREADS threads."""
    limits = {"RAYON_NUM_THREADS": str(THREADS), "POLARS_MAX_THREADS": str(THREADS)}
    done = subprocess.run(command, env=os.environ | limits, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compare(task, ours, peers, data):
    """One line for each way of each peer, with how many times longer than ours it takes."""
    print(f"\n{task}\n  {'lookalike':44} wall {ours['wall_s']:7.3f} s   CPU {ours['cpu_s']:7.3f} s")
    results = {"lookalike": ours}
    for peer, ways in peers.items():
        if util.find_spec(peer.lower()) is None:
            print(f"  {peer}: peer not installed: skipped")
            continue
        for name, way in ways:
            found = apart([sys.executable, __file__, "--way", way.__name__, str(data)])
            for same in ("checksum", "rows"):
                assert same not in found or found[same] == ours[same], f"{peer}: another {same} than ours"
            found["wall_ratio"] = found["wall_s"] / ours["wall_s"]
            found["cpu_ratio"] = found["cpu_s"] / ours["cpu_s"]
            results[f"{peer}: {name}"] = found
            print(
                f"  {peer + ': ' + name:44} wall {found['wall_s']:7.3f} s   CPU {found['cpu_s']:7.3f} s"
                f"   {found['wall_ratio']:6.2f} x ours (wall) {found['cpu_ratio']:6.2f} x ours (CPU)"
            )
    return results


def main():
    if sys.argv[1] == "--way":
        found = WAYS[sys.argv[2]](sys.argv[3])
        print(json.dumps(found | {"peak_rss_mb": peak_rss_mb()}))
        return
    measure, cache = sys.argv[1], Path(sys.argv[2])
    versions = {p: metadata.version(p) for p in ("duckdb", "polars") if util.find_spec(p)}
    machine = {"cpus": os.cpu_count(), "machine": platform.machine(), "load_before": os.getloadavg()[0]}
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, {THREADS} threads, peers {versions}")
    folder, file = cache / "columns", cache / "people.csv"
    counting = compare(
        "All 45 pairs of 10 million rows x 10 columns", apart([measure, "count"]), COUNTING, folder
    )
    ours = apart([measure, "read", str(file)])
    reading = compare(f"Reading a CSV file of {ours['file_mb']:.0f} MB", ours, READING, file)
    print(
        f"\nMemory of reading: peak {ours['peak_rss_mb']:.0f} MB"
        f" = {ours['peak_less_buffers_over_coded']:.2f} x the coded table of {ours['coded_mb']:.0f} MB"
        f" + buffers of {ours['buffers_mb']:.0f} MB"
    )
    results = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine,
        "threads": THREADS,
        "peers": versions,
        "counting": counting,
        "reading": reading,
    }
    (cache / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nWritten to {cache / 'results.json'}")


if __name__ == "__main__":
    main()
