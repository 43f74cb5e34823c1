"""Counts of an engine stand for its records: the same cells, the same model."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

import lookalike as ll

pl = pytest.importorskip("polars")

SCHEMA = """
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.age]
kind = "integer"
range = [0, 120]
cuts = [0, 18, 30, 30, 65, 120]
[variables.town]
kind = "categorical"
levels = ["Łódź", "a, b", "c \\"d\\""]
missing = true
[variables.income]
kind = "real"
range = [0, 100000]
codes = { -8 = "refused" }
cuts = [0, 800, 1200.5, 100000]
"""


@pytest.fixture
def frame(people: dict[str, list[object]]) -> Any:
    spoiled = pl.DataFrame(people).select("sex", "age", "town", "income")
    return spoiled.with_columns(income=pl.when(pl.int_range(pl.len()) % 9 == 0).then(-8.0).otherwise("income"))


@pytest.fixture
def schema() -> ll.Schema:
    return ll.Schema(SCHEMA).declare("invented")


def sqlite_of(frame: Any) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE "pe""ople" (sex TEXT, age INTEGER, town TEXT, income REAL)')
    connection.executemany('INSERT INTO "pe""ople" VALUES (?, ?, ?, ?)', frame.rows())
    return connection


def test_sqlite_gives_the_cells_of_the_frame(frame: Any, schema: ll.Schema) -> None:
    # SQLite refuses to be asked from another thread than its own.
    counts = ll.Counts(sqlite_of(frame).execute, 'pe"ople', schema, dialect="sqlite")
    assert counts.records == 400
    settings: dict[str, Any] = {"margins": "all2", "seed": 3}
    from_counts, from_frame = ll.Ipf(**settings).fit(counts), ll.Ipf(**settings).fit(frame, schema=schema)
    one, other = from_counts.sample().to_polars(), from_frame.sample()
    assert one.select("sex", "town").cast(pl.String).equals(other.select("sex", "town").cast(pl.String))
    assert counts.queries > 1
    assert ll.Usual(epsilon=1.0).fit(counts).ledger_ is not None
    assert ll.plan(counts).facts["records"] == 400
    found = ll.measure(counts, one, only=["tables"])
    assert found.facts


def test_duckdb(frame: Any, schema: ll.Schema) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("people", frame.to_arrow())
    counts = ll.Counts(connection.execute, "people", schema)
    a = ll.Ipf(seed=3).fit(counts).sample()
    b = ll.Ipf(seed=3).fit(ll.Counts(sqlite_of(frame).execute, 'pe"ople', schema, dialect="sqlite")).sample()
    assert a.to_csv() == b.to_csv()


def test_what_needs_records_and_what_is_not_declared_is_refused(frame: Any, schema: ll.Schema) -> None:
    counts = ll.Counts(sqlite_of(frame).execute, 'pe"ople', schema, dialect="sqlite")
    with pytest.raises(ll.LookalikeError, match="records"):
        ll.Sequential().fit(counts)
    with pytest.raises(ll.SchemaNotDeclared):
        ll.Counts(sqlite_of(frame).execute, 'pe"ople', ll.Schema(SCHEMA))
    with pytest.raises(ll.OptionError):
        ll.Counts(sqlite_of(frame).execute, 'pe"ople', schema, dialect="oracle")
    strange = frame.with_columns(sex=pl.lit("secret"))
    counts = ll.Counts(sqlite_of(strange).execute, 'pe"ople', schema, dialect="sqlite")
    with pytest.raises(ll.LookalikeError, match="`sex` holds a level") as raised:
        ll.Ipf().fit(counts)
    assert "secret" not in str(raised.value)

    def broken(sql: str) -> list[tuple[int]]:
        if "GROUP" in sql:
            raise OSError("secret")
        return [(400,)]

    with pytest.raises(ll.LookalikeError, match="OSError") as failed:
        ll.Ipf().fit(ll.Counts(broken, "people", schema))
    assert "secret" not in str(failed.value)
