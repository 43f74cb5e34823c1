"""Counts of records that stay where they are: a function that runs SQL stands for a table of DuckDB, Spark, PostgreSQL or SQLite."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._errors import OptionError, SchemaNotDeclared, UsageError
from ._schema import Schema

# How names are quoted, and what text is called.
_DIALECTS: Mapping[str, tuple[str, str]] = {
    "duckdb": ('"', "VARCHAR"),
    "postgres": ('"', "TEXT"),
    "sqlite": ('"', "TEXT"),
    "spark": ("`", "STRING"),
}

Cells = list[tuple[list[int], int]]


class _CannotCount(Exception):
    """What the function answered is not of the schema. `for_people` quotes no value."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.for_people = words


class Counts:
    """A table elsewhere, known by its counts in the classes of a declared schema.

    `run` takes a SELECT statement and gives its rows: a list of tuples, or what has `fetchall` (DuckDB, database cursors) or `collect` (Spark).
    It is called on the thread that asked. No text of the data enters a statement: levels are grouped as they are and looked up here. Methods
    that need only counts, `plan`, `measure(only=["tables"])` and `release` take counts; what needs the records is refused by name.
    """

    def __init__(
        self,
        run: Callable[[str], Any],
        table: str,
        schema: Schema,
        *,
        dialect: str = "duckdb",
        groups: int = 5,
        name: str | None = None,
    ) -> None:
        if not callable(run):
            raise OptionError("argument `run`: give a function that takes SQL and gives rows", "run")
        if dialect not in _DIALECTS:
            raise OptionError(f"argument `dialect`: there is no dialect `{dialect}`; say one of {', '.join(_DIALECTS)}", "dialect")
        if not isinstance(schema, Schema) or not schema.declared:
            raise SchemaNotDeclared(
                "counts need a declared schema, for nothing is read off the records: load or write one and declare it with `schema.declare(reason=...)`"
            )
        self._run, self._dialect, self._groups = run, dialect, groups
        self.schema, self.table, self.name = schema, table, name or table
        self._classes: list[dict[str, Any]] = json.loads(_native.schema_classes(schema.to_toml(), groups))
        self._levels = [self._lookup(classes) for classes in self._classes]
        self.queries = 0
        self.records = int(self._rows(f"SELECT count(*) FROM {self._source()}")[0][0])
        self._native: _native.Data | None = None

    def _data(self) -> _native.Data:
        if self._native is None:
            self._native = _native.Data.of_counts(self.schema.to_toml(), self._groups, self.records, self._answer, self.name)
        return self._native

    def _name(self, name: str) -> str:
        quote = _DIALECTS[self._dialect][0]
        if "\0" in name:
            raise UsageError("a name holds a NUL byte")
        return quote + name.replace(quote, quote * 2) + quote

    def _source(self) -> str:
        return ".".join(self._name(part) for part in self.table.split("."))

    @staticmethod
    def _lookup(classes: Mapping[str, Any]) -> dict[str, int] | None:
        levels = classes["partition"].get("Levels")
        return None if levels is None else {level: at for at, level in enumerate(levels)}

    def _expression(self, at: int) -> str:
        """A level as text, or the class of a number; -1 where it has none."""
        classes = self._classes[at]
        column = self._name(classes["name"])
        if self._levels[at] is not None:
            return f"CAST({column} AS {_DIALECTS[self._dialect][1]})"
        partition, form = classes["partition"], classes["numbers"]
        size = len(partition["Values"]) if "Values" in partition else len(partition["Intervals"]["limits"]) - 1
        cases = [f"WHEN {column} IS NULL THEN {size + len(classes['codes']) if classes['missing'] else -1}"]
        for place, code in enumerate(classes["codes"]):
            cases.append(f"WHEN {column} = {_literal(code['value'], form)} THEN {size + place}")
        if "Values" in partition:
            cases += [f"WHEN {column} = {_literal(value, form)} THEN {place}" for place, value in enumerate(partition["Values"])]
        else:
            cases += self._intervals(column, partition["Intervals"]["limits"], form)
        return f"CASE {' '.join(cases)} ELSE -1 END"

    @staticmethod
    def _intervals(column: str, limits: Sequence[float], form: Any) -> list[str]:
        """Closed on the left, the last one on both sides; a limit that comes twice is a class of its own."""
        cases = []
        for place, (low, high) in enumerate(zip(limits, limits[1:], strict=False)):
            if low == high:
                cases.append(f"WHEN {column} = {_literal(low, form)} THEN {place}")
                continue
            above = ">" if place > 0 and limits[place - 1] == low else ">="
            below = "<=" if place + 2 == len(limits) else "<"
            cases.append(f"WHEN {column} {above} {_literal(low, form)} AND {column} {below} {_literal(high, form)} THEN {place}")
        return cases

    def _rows(self, sql: str) -> list[Sequence[Any]]:
        self.queries += 1
        found = self._run(sql)
        for door in ("fetchall", "collect"):
            if hasattr(found, door):
                return [tuple(row) for row in getattr(found, door)()]
        return [tuple(row) for row in found]

    def _answer(self, sets: Iterable[Sequence[int]]) -> list[Cells]:
        return [self._cells(list(positions)) for positions in sets]

    def _cells(self, positions: Sequence[int]) -> Cells:
        expressions = [self._expression(at) for at in positions]
        if not expressions:
            return [([], self.records)]
        chosen = ", ".join(f"{one} AS c{place}" for place, one in enumerate(expressions))
        named = ", ".join(f"c{place}" for place in range(len(expressions)))
        sql = f"SELECT {named}, count(*) AS n FROM (SELECT {chosen} FROM {self._source()}) AS t GROUP BY {named}"
        return [([self._class(at, value) for at, value in zip(positions, row, strict=False)], int(row[-1])) for row in self._rows(sql)]

    def _class(self, at: int, value: Any) -> int:
        classes, levels = self._classes[at], self._levels[at]
        if levels is None:
            if int(value) < 0:
                raise _CannotCount(f"column `{classes['name']}` holds a number, or a missing value, that the schema does not declare")
            return int(value)
        if value is None or value == "":
            if not classes["missing"]:
                raise _CannotCount(f"column `{classes['name']}` is missing in some records, and the schema does not say that it may be")
            return len(levels) + len(classes["codes"])
        found = levels.get(str(value))
        if found is None:
            raise _CannotCount(f"column `{classes['name']}` holds a level that the schema does not declare")
        return found

    def __repr__(self) -> str:
        return f"<lookalike.Counts of {self.records} records of {self.name}, {len(self._classes)} variables>"


def _literal(value: float, form: Any) -> str:
    """A number, a day or a time as SQL has it; nothing else ever enters a statement."""
    if form == "Day":
        return f"DATE '{datetime.date(1970, 1, 1) + datetime.timedelta(days=int(value))}'"
    if isinstance(form, Mapping):
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=int(value))
        return f"TIMESTAMP '{moment.isoformat(sep=' ')}'"
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)
