import itertools, duckdb, numpy, pyarrow

SIZES = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
PAIRS = list(itertools.combinations(range(10), 2))
arrow = pyarrow.table({f"v{i}": numpy.fromfile(made(f"v{i}.u8"), dtype="uint8") for i in range(10)})
database = duckdb.connect(":memory:")
database.execute("CREATE TABLE people AS SELECT * FROM arrow")
names = ", ".join(f"v{i}" for i in range(10))
sets = ", ".join(f"(v{left}, v{right})" for left, right in PAIRS)
query = f"SELECT {names}, count(*) FROM people GROUP BY GROUPING SETS ({sets})"


def check(found):
    total = 0
    for *levels, count in found:
        left, right = (i for i, level in enumerate(levels) if level is not None)
        total += (levels[left] * SIZES[right] + levels[right] + 1) * count
    return total


emit(lambda: database.execute(query).fetchall(), check)
