"""Measures what the package promises of its speed: CPU seconds of an import and of a frame of 10,000,000 x 10 on its way to a table.

    python3 python/bench.py [RECORDS]

It takes pyarrow; the library is the one beside the package (`make python`, or an installed wheel). Figures are worth reading of a release build alone."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

IMPORT = "import time; s = time.process_time(); import lookalike; print(time.process_time() - s)"


def frame(records: int) -> object:
    """Three categories, a truth value, a date, two whole and three real numbers."""
    import numpy
    import pyarrow

    chance = numpy.random.default_rng(1)
    category = lambda levels: pyarrow.DictionaryArray.from_arrays(chance.integers(0, levels, records, dtype="int32"), [f"level {at}" for at in range(levels)])  # noqa: E731
    columns = {
        "sex": category(2),
        "region": category(16),
        "occupation": category(300),
        "smokes": pyarrow.array(chance.random(records) < 0.3),
        "born": pyarrow.array(chance.integers(0, 20_000, records, dtype="int32")).cast(pyarrow.date32()),
        "age": pyarrow.array(chance.integers(16, 90, records)),
        "children": pyarrow.array(chance.poisson(1.2, records)),
        "height": pyarrow.array(chance.normal(172, 9, records).round(1)),
        "weight": pyarrow.array(chance.normal(75, 14, records).round(1)),
        "income": pyarrow.array(chance.lognormal(7, 0.5, records).round(2)),
    }
    return pyarrow.table(columns)


def main() -> None:
    records = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    imports = (subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True).stdout for _ in range(9))
    print(f"import: {1000 * min(map(float, imports)):.0f} ms of CPU")
    from lookalike import _frames

    table = frame(records)
    size = table.nbytes  # type: ignore[attr-defined]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    data = _frames.data_of(table)
    seconds, passed = time.process_time() - start, time.perf_counter() - wall
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    print(f"{records:,} x 10, {size / 1e6:.0f} MB, to {type(data).__name__}: {seconds:.2f} CPU s, {passed:.2f} s, at most {more / 1e6:.0f} MB more")


if __name__ == "__main__":
    main()
