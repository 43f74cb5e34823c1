"""Data frames in and out: whatever has `__arrow_c_stream__` comes in, and the kind of frame that came in goes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import LookalikeError, OptionError, SchemaError
from ._html import escape

if TYPE_CHECKING:
    from ._schema import Schema


@dataclass(frozen=True)
class Kind:
    """The kind of a frame, and what of its columns Arrow does not carry. Levels of categories are kept in memory only, for their order."""

    name: str
    arrow: bool = False
    dtypes: Mapping[str, Any] = field(default_factory=dict)

    def without_levels(self) -> Kind:
        """What may be pickled: no level of the data."""
        return Kind(self.name, self.arrow, {})


def root_of(data: object) -> str:
    """The package that a value comes from."""
    return type(data).__module__.partition(".")[0]


def kind_of(data: object) -> Kind:
    """The kind of frame that a value is."""
    root = root_of(data)
    if root == "polars" and hasattr(data, "collect_schema"):
        return Kind("polars", dtypes=dict(data.collect_schema()))
    if root == "pandas" and hasattr(data, "columns"):
        dtypes = dict(zip(map(str, data.columns), data.dtypes, strict=True))  # type: ignore[attr-defined]
        arrow = bool(dtypes) and all(type(dtype).__name__ == "ArrowDtype" for dtype in dtypes.values())
        return Kind("pandas", arrow, dtypes)
    if root in ("pyarrow", "duckdb"):
        return Kind(root)
    return Kind("frame")


def native_data(
    data: object,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    missing: Iterable[str] = (),
    name: str = "data",
    separator: str | None = None,
    decimal: str | None = None,
) -> _native.Data:
    """Data as a request takes them."""
    from ._counts import Counts
    from ._schema import Schema

    if isinstance(missing, str):
        raise OptionError("argument `missing`: give a list of texts, such as [\"NA\"]", "missing")
    if isinstance(data, Counts):
        if schema is not None:
            raise OptionError("argument `schema`: the counts have a declared schema of their own; leave it out", "schema")
        return data._data()
    if schema is not None and not isinstance(schema, Schema):
        schema = Schema.load(schema)
    text = None if schema is None else schema.to_toml()
    if isinstance(data, (str, os.PathLike)):
        native = _native.Data.of_file(os.fspath(data))
    else:
        if separator is not None or decimal is not None:
            raise OptionError("argument `separator`: it is for CSV files, and a frame has none; leave it and `decimal` out", "separator")
        native = _of_frame(data, name)
    return native.read_with(text, None, list(missing), separator, decimal)


def _of_frame(data: object, name: str) -> _native.Data:
    root = root_of(data)
    if root == "polars":
        data = _of_polars(data)
    if root == "pandas":
        if not hasattr(data, "columns"):
            raise SchemaError("a pandas Series is one column; pass a DataFrame, such as `series.to_frame()`")
        return _of_pandas(data, name)
    if isinstance(data, Frame):
        return _native.Data.of_stream(data._native, name)
    if not hasattr(data, "__arrow_c_stream__"):
        raise LookalikeError(
            f"{type(data).__name__} is no table: pass a frame of polars, pandas, pyarrow or DuckDB, anything else with `__arrow_c_stream__`, or the "
            "path of a file"
        )
    try:
        return _native.Data.of_stream(data, name)
    except LookalikeError:
        raise
    except Exception as error:
        # Its words may quote a value.
        raise LookalikeError(f"the frame cannot be read by Arrow's C stream ({type(error).__name__})") from None


def _of_polars(data: Any) -> Any:
    """A frame of polars whose columns without any value are text: its stream of columns without a type is not read everywhere."""
    import polars

    frame = data.collect() if hasattr(data, "collect") else data
    if not isinstance(frame, polars.DataFrame):
        raise SchemaError(f"a polars {type(frame).__name__} is one column; pass a DataFrame")
    empty = [column for column, dtype in frame.schema.items() if dtype == polars.Null]
    return frame.with_columns(polars.col(column).cast(polars.String) for column in empty) if empty else frame


def _of_pandas(data: Any, name: str) -> _native.Data:
    names = [str(column) for column in data.columns]
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise SchemaError(f"the name `{twice}` stands for several columns; rename all but one", twice)
    if not names:
        raise SchemaError("the frame has no columns")
    try:
        import pyarrow
    except ImportError:
        return _native.Data.of_columns([_column(str(column), data[column]) for column in data.columns], name)
    arrays = []
    for at in range(len(names)):
        try:
            arrays.append(pyarrow.Array.from_pandas(data.iloc[:, at]))
        except Exception as error:
            raise SchemaError(
                f"column `{names[at]}`: its values are of several types ({type(error).__name__}); cast it to text, a number or a date", names[at]
            ) from None
    chunked = [array if isinstance(array, pyarrow.ChunkedArray) else pyarrow.chunked_array([array]) for array in arrays]
    return _native.Data.of_stream(pyarrow.Table.from_arrays(chunked, names=names), name)


def _column(name: str, series: Any) -> dict[str, Any]:
    """A column of pandas without Arrow."""
    missing = series.isna().to_numpy()
    marks = missing.astype("uint8").tobytes() if missing.any() else None
    found: dict[str, Any] = {"name": name, "values": None, "missing": marks, "texts": None}
    dtype, kind = series.dtype, getattr(series.dtype, "kind", "O")
    if str(dtype) == "category":
        texts = [str(category) for category in series.cat.categories]
        codes = series.cat.codes.to_numpy().astype("int64")
        return {**found, "kind": "category", "values": codes.tobytes(), "texts": texts}
    if kind in "iub":
        plain = series.fillna(0) if marks else series
        word = "uint64" if kind == "u" else "int64"
        values = plain.to_numpy().astype(word).tobytes()
        return {**found, "kind": {"i": "integer", "u": "unsigned", "b": "truth"}[kind], "values": values}
    if kind == "f":
        return {**found, "kind": "real", "values": series.to_numpy(dtype="float64", na_value=0.0).tobytes()}
    if kind == "M":
        if getattr(dtype, "tz", None) is not None:
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        values = series.to_numpy().astype("datetime64[ns]").astype("int64").tobytes()
        return {**found, "kind": "nanoseconds", "values": values}
    present = [value for value, gap in zip(series, missing, strict=True) if not gap]
    if all(isinstance(value, bool) for value in present) and present:
        words = [0 if gap else int(value) for value, gap in zip(series, missing, strict=True)]
        return {**found, "kind": "truth", "values": _words(words)}
    if not all(isinstance(value, str) for value in present):
        raise SchemaError(f"column `{name}`: its values are of several types; cast it to text, a number or a date", name)
    return {**found, "kind": "text", "texts": [None if gap else value for value, gap in zip(series, missing, strict=True)]}


def _words(numbers: Sequence[int]) -> bytes:
    from array import array

    return array("q", numbers).tobytes()


class Frame:
    """Synthetic records, for whatever takes Arrow's C stream; `to_polars`, `to_pandas` and `to_arrow` make frames of them."""

    def __init__(self, native: _native.Frame) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.names

    def to_polars(self) -> Any:
        """The records as a polars DataFrame."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> Any:
        """The records as a pyarrow Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs no pyarrow."""
        return _pandas_frame(self, Kind("pandas"))

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, replace: bool = False) -> str | None:
        """The records as the command line writes them: to a file, or as text. Texts that a spreadsheet would run as a formula are guarded."""
        return self._written("csv", path, replace)

    def to_parquet(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """The records as a Parquet file."""
        self._written("parquet", path, replace)

    def _written(self, form: str, path: str | os.PathLike[str] | None, replace: bool) -> str | None:
        if path is None:
            return bytes(self._native.text(form)).decode()
        self._native.write(os.fspath(path), form, replace)
        return None

    def __repr__(self) -> str:
        return f"<lookalike.Frame of {len(self)} records and {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        return f"<p>{len(self)} synthetic records of {escape(', '.join(self.columns))}</p>"


def frame_out(native: _native.Frame, kind: Kind) -> Any:
    """Records as a frame of this kind."""
    frame = Frame(native)
    makers: Mapping[str, Callable[[Frame, Kind], Any]] = {
        "polars": _polars_frame,
        "pandas": _pandas_frame,
        "pyarrow": lambda frame, _: frame.to_arrow(),
        "duckdb": _duckdb_frame,
    }
    make = makers.get(kind.name)
    return frame if make is None else make(frame, kind)


def _polars_frame(frame: Frame, kind: Kind) -> Any:
    import polars

    made = polars.DataFrame(frame)
    casts = []
    for name, dtype in kind.dtypes.items():
        if name not in made.columns or made.schema[name] == dtype:
            continue
        if isinstance(dtype, polars.Enum):
            # In the order of the frame, and only what the synthetic records show.
            shown = set(made[name].drop_nulls().cast(polars.String).unique())
            dtype = polars.Enum([level for level in dtype.categories if level in shown])
            casts.append(polars.col(name).cast(polars.String).cast(dtype))
        elif dtype == polars.Null:
            continue
        else:
            casts.append(polars.col(name).cast(dtype, strict=False))
    return made.with_columns(casts) if casts else made


def _pandas_frame(frame: Frame, kind: Kind) -> Any:
    import pandas

    try:
        import pyarrow
    except ImportError:
        made = pandas.DataFrame({name: values for name, values in _pandas_columns(frame)})
    else:
        table = pyarrow.table(frame)
        if kind.arrow:
            return table.to_pandas(types_mapper=pandas.ArrowDtype)
        made = table.to_pandas()
    for name, dtype in kind.dtypes.items():
        if name not in made.columns or made[name].dtype == dtype:
            continue
        if isinstance(dtype, pandas.CategoricalDtype):
            column = made[name].astype("category")
            order = {str(level): level for level in dtype.categories}
            shown = {str(level) for level in column.cat.categories}
            column = column.cat.rename_categories({level: order.get(str(level), level) for level in column.cat.categories})
            levels = [level for text, level in order.items() if text in shown]
            made[name] = column.cat.set_categories(levels, ordered=bool(dtype.ordered))
            continue
        try:
            made[name] = made[name].astype(dtype)
        except (TypeError, ValueError):
            # Such as a whole number where a value is missing now.
            continue
    return made


def _pandas_columns(frame: Frame) -> Iterator[tuple[str, Any]]:
    """Columns for pandas without Arrow."""
    import numpy
    import pandas

    for name, kind, given, marks, texts in frame._native.columns():
        values = given or b""
        missing = numpy.frombuffer(marks, dtype="uint8").astype(bool)
        if kind == "category":
            codes = numpy.frombuffer(values, dtype="int64").copy()
            yield name, pandas.Categorical.from_codes(codes, categories=texts)
        elif kind == "text":
            yield name, pandas.Series(texts, dtype=object)
        else:
            word = {"integer": "int64", "real": "float64", "truth": "int64", "nanoseconds": "datetime64[ns]"}[kind]
            column = pandas.Series(numpy.frombuffer(values, dtype=word).copy())
            if kind == "truth":
                column = column.astype(bool)
            yield name, column.astype("float64" if kind == "integer" else column.dtype).mask(missing) if missing.any() else column


def _duckdb_frame(frame: Frame, _: Kind) -> Any:
    import duckdb

    try:
        table = frame.to_arrow()
    except ImportError:
        return frame
    return duckdb.from_arrow(table)
