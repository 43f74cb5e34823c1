"""Frames of every kind go in, give the same records as the command line, and come out as they are."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import Any

import pytest

import lookalike as ll

from .conftest import run

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def frames_of(path: Path) -> dict[str, Any]:
    """The same file as frames of every kind."""
    import pyarrow.csv

    polars = pl.read_csv(path, infer_schema_length=None)
    frames = {
        "polars": polars,
        "lazy": polars.lazy(),
        "pandas": pd.read_csv(path),
        "pandas with pyarrow": pd.read_csv(path, dtype_backend="pyarrow"),
        "pandas with nullable types": pd.read_csv(path, dtype_backend="numpy_nullable"),
        "pyarrow": pa.csv.read_csv(path, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True)),
        "polars in chunks": pl.concat([polars.slice(0, 7), polars.slice(7, 900), polars.slice(907)], rechunk=False),
        "polars with categories": polars.with_columns(pl.col(pl.String).cast(pl.Categorical)),
    }
    frames["pandas with categories"] = frames["pandas"].astype(
        {name: "category" for name in frames["pandas"].select_dtypes(exclude="number")}
    )
    try:
        import duckdb
    except ImportError:
        return frames
    # Its own reader would take YES and NO for truth values.
    frames["duckdb"] = duckdb.from_arrow(frames["pyarrow"])
    return frames


def test_every_frame_gives_the_bytes_of_the_command_line(sd2011: Path, binary: Path, tmp_path: Path) -> None:
    schema = tmp_path / "s.toml"
    run(binary, "describe", sd2011, "--write-schema", schema, "--quiet")
    run(binary, "synth", sd2011, "--schema", schema, "--seed", 7, "--out", tmp_path / "binary", "--quiet")
    expected = (tmp_path / "binary" / "synthetic-1.csv").read_bytes()
    for name, frame in frames_of(sd2011).items():
        model = ll.Usual(seed=7).fit(frame, schema=schema)
        written = model.sample_to(tmp_path / name)
        assert written.files[0].read_bytes() == expected, name
        made = model.sample()
        assert type(made) is type(frame.collect() if name == "lazy" else frame), name


def test_a_file_is_a_table_too(sd2011: Path) -> None:
    model = ll.Catall(seed=1).fit(sd2011)
    made = model.sample(10)
    assert isinstance(made, ll.Frame) and len(made) == 10
    assert made.to_csv() == model.sample(10).to_csv()
    assert made.to_polars().shape == made.to_pandas().shape == made.to_arrow().shape


def test_types_come_back(people: dict[str, list[object]]) -> None:
    polars = pl.DataFrame(people).with_columns(
        pl.col("age").cast(pl.Int16),
        pl.col("sex").cast(pl.Enum(["M", "F", "X"])),
        born=pl.lit(datetime.date(2000, 1, 1)) + pl.duration(days=pl.col("age")),
        seen=pl.lit(datetime.datetime(2020, 1, 1, 3)) + pl.duration(minutes=pl.col("age")),
    )
    made = ll.Sequential(seed=1).fit(polars).sample()
    assert made.schema["sex"] == pl.Enum(["M", "F"]), "levels that nobody has are not handed on"
    expected = {**polars.schema, "sex": made.schema["sex"]}
    assert dict(made.schema) == expected
    pandas = pd.DataFrame(people).astype({"sex": pd.CategoricalDtype(["M", "F", "X"], ordered=True), "age": "int16"})
    out = ll.Sequential(seed=1).fit(pandas).sample()
    assert list(out["sex"].cat.categories) == ["M", "F"] and out["sex"].cat.ordered
    assert {name: str(out[name].dtype) for name in ("id", "age", "income", "smokes")} == {
        name: str(pandas[name].dtype) for name in ("id", "age", "income", "smokes")
    }


def test_pandas_without_pyarrow(people: dict[str, list[object]], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(people).astype({"sex": "category", "town": object})
    frame["seen"] = pd.Timestamp("2020-01-01 03:00") + pd.to_timedelta(frame["age"], unit="min")
    with_arrow = ll.Sequential(seed=1).fit(frame).sample_to
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    model = ll.Sequential(seed=1).fit(frame)
    made = model.sample()
    assert {name: str(dtype) for name, dtype in made.dtypes.items()} == {name: str(dtype) for name, dtype in frame.dtypes.items()}
    assert made["town"].isna().any() and made.shape == frame.shape
    assert with_arrow is not None


def test_columns_without_a_value_and_odd_names() -> None:
    frame = pl.DataFrame({"nothing": [None] * 60, "": [1, 2, 3] * 20, "x": [True, False] * 30})
    made = ll.Usual(seed=1).fit(frame.rename({"": "="})).sample()
    assert made["nothing"].is_null().all() and made.columns == ["nothing", "=", "x"]
    numbered = ll.Usual(seed=1).fit(pd.DataFrame({0: [1, 2, 3] * 20, 1: [0.5, 0.25] * 30})).sample()
    assert list(numbered.columns) == ["0", "1"]


def test_identifiers_are_never_copied(people: dict[str, list[object]]) -> None:
    frame = pl.DataFrame(people)
    model = ll.Usual(seed=3).fit(frame)
    made = model.sample()
    assert not set(made["id"]) & set(frame["id"])
    assert any("not modelled but made new" in remark and "`id`" in remark for remark in model.remarks_)
    assert model.copies_ == 0


WRONG: dict[str, Any] = {
    "a number": 5,
    "nothing": None,
    "a list": [1, 2, 3],
    "a series": pd.Series([1, 2, 3]),
    "a series of polars": pl.Series([1, 2, 3]),
    "no columns": pl.DataFrame(),
    "no rows": pl.DataFrame({"a": []}),
    "lists": pl.DataFrame({"a": [[1], [2]]}),
    "structs": pl.DataFrame({"a": [{"b": 1}]}),
    "not a number": pl.DataFrame({"x": [1.0, float("nan")]}),
    "infinite": pl.DataFrame({"x": [1.0, float("inf")]}),
    "bytes": pl.DataFrame({"a": [b"x", b"y"]}),
    "durations": pl.DataFrame({"a": [datetime.timedelta(1)]}),
    "one name twice": pa.table([[1], [2]], names=["a", "a"]),
    "no name": pa.table([[1]], names=[""]),
    "mixed": pd.DataFrame({"a": ["secret", 3]}),
    "one name twice in pandas": pd.DataFrame([[1, 2]], columns=["a", "a"]),
    "a file that is not there": "no such file.csv",
    "a folder": Path("/"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_data_is_named(name: str) -> None:
    with pytest.raises(ll.LookalikeError) as raised:
        ll.describe(WRONG[name])
    words = str(raised.value)
    assert "--" not in words and "secret" not in words and words
    if name in ("lists", "structs", "not a number", "infinite", "bytes", "durations"):
        assert getattr(raised.value, "column", None) in ("a", "x"), words


def bad_frame(chance: random.Random) -> Any:
    """A frame that something may be wrong with."""
    rows = chance.choice([0, 1, 2, 40])
    makers = [
        lambda: [None] * rows,
        lambda: [chance.choice(["", " ", "NA", "\0", "é" * 70_000]) for _ in range(rows)],
        lambda: [chance.choice([2**63 - 1, -(2**63), 0]) for _ in range(rows)],
        lambda: [chance.choice([1e308, -1e308, 5e-324, float("nan")]) for _ in range(rows)],
        lambda: [datetime.date(chance.choice([1, 9999]), 1, 1) for _ in range(rows)],
        lambda: [datetime.datetime(2020, 1, 1, microsecond=chance.randrange(10**6)) for _ in range(rows)],
        lambda: [chance.choice([True, False, None]) for _ in range(rows)],
        lambda: [[chance.random()] for _ in range(rows)],
        lambda: [chance.randbytes(3) for _ in range(rows)],
        lambda: [datetime.time(chance.randrange(24)) for _ in range(rows)],
    ]
    names = [chance.choice(["a", "", "a b", "é", "x" * 300, "a", "--force", "`a`", '"', "[t]"]) + str(at) * chance.randrange(2) for at in range(chance.randrange(5))]
    columns = [chance.choice(makers)() for _ in names]
    try:
        return pa.table([pa.array(column) for column in columns], names=names)
    except (pa.ArrowInvalid, OverflowError):
        return pa.table({"a": pa.array([None] * rows)})


def test_200_bad_frames_end_in_an_error_or_in_records() -> None:
    chance = random.Random(18)
    outcomes = {"made": 0, "refused": 0}
    for _ in range(200):
        frame = bad_frame(chance)
        try:
            ll.Usual(seed=1).fit(frame).sample(5)
            outcomes["made"] += 1
        except ll.LookalikeError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 5, outcomes
