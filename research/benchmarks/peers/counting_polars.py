import itertools, numpy, polars

SIZES = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
PAIRS = list(itertools.combinations(range(10), 2))
people = polars.DataFrame({f"v{i}": numpy.fromfile(made(f"v{i}.u8"), dtype="uint8") for i in range(10)}).lazy()


def work():
    return polars.collect_all([people.group_by(f"v{l}", f"v{r}").agg(polars.len()) for l, r in PAIRS])


def check(found):
    return sum(
        (left * SIZES[pair[1]] + right + 1) * count
        for pair, cells in zip(PAIRS, found)
        for left, right, count in cells.iter_rows()
    )


emit(work, check)
