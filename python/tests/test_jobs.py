"""Measure, plan, frontier, release, verify and fit say what the command line says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lookalike as ll

from .conftest import run

pl = pytest.importorskip("polars")


@pytest.fixture(scope="module")
def frame(people: dict[str, list[object]]) -> Any:
    return pl.DataFrame(people).drop("id")


@pytest.fixture(scope="module")
def synthetic(frame: Any) -> Any:
    return ll.Sequential(seed=1).fit(frame).sample()


def test_measure(frame: Any, synthetic: Any, binary: Path, tmp_path: Path) -> None:
    found = ll.measure(frame, synthetic, only=["tables", "uniques"], keys=["sex", "age"])
    frame.write_csv(tmp_path / "o.csv")
    synthetic.write_csv(tmp_path / "s.csv")
    run(binary, "measure", tmp_path / "o.csv", tmp_path / "s.csv", "--only", "tables,uniques", "--keys", "sex,age", "--json", tmp_path / "f.json", "--quiet")
    assert found.facts == json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    worst = found.worst(3)
    assert len(worst) == 3 and worst[0].value is not None and worst[0].value >= (worst[1].value or 0)
    assert len(found.to_polars()) == len(found.to_pandas()) == len(found) == len(found.rows())
    assert "Not to leave the house" in found._repr_html_() and "<script" not in found._repr_html_()
    found.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_mode & 0o077 == 0
    for wrong in ({"only": ["table"]}, {"keys": ["nobody"]}, {"keys": "sex"}, {"classes": "none"}, {"seed": -1}, {"permutations": 5, "only": ["tables"]}):
        with pytest.raises(ll.LookalikeError) as raised:
            ll.measure(frame, synthetic, **wrong)
        assert "--" not in str(raised.value)
    with pytest.raises(ll.OptionError) as refused:
        ll.measure(frame, synthetic, only=["table"])
    assert refused.value.option == "only" and "did you mean `tables`?" in str(refused.value)


def test_plan(frame: Any) -> None:
    planned = ll.plan(frame.select("sex", "town", "smokes"), sigma=[0.1, 1.0], m=[1, 2])
    assert planned.facts["records"] == 400 and "Not to leave" in planned._repr_html_()
    with pytest.raises(ll.LookalikeError):
        ll.plan(frame, family="nobody")


def test_frontier_release_verify(frame: Any, tmp_path: Path) -> None:
    small = frame.select("sex", "town", "smokes")
    folder = tmp_path / "f"
    grid = {"a": ll.Catall(), "b": ll.Ipf(margins="all1")}
    front = ll.frontier(small, grid=grid, repeat=1, only=["tables", "uniques"], folder=folder)
    assert [one.name for one in front] == ["a", "b"] and 'margins = "all1"' in front["b"].recipe()
    assert "<img" in front._repr_html_() and "Not to leave" in front._repr_html_()
    assert ll.read_frontier(folder).facts == front.facts
    with pytest.raises(ll.LookalikeError, match="no contestant"):
        front["c"]
    # Nothing judges it, and the schema was learned.
    with pytest.raises(ll.RefusedError):
        front["b"].release(small, tmp_path / "out", accepted_by="the board")
    schema = ll.Schema.draft(small).declare("invented")
    with pytest.raises(ll.RefusedError, match="`no_limits`"):
        ll.release(small, tmp_path / "out", method=ll.Ipf(), schema=schema, accepted_by="the board")
    released = ll.release(small, tmp_path / "out", method=ll.Ipf(), schema=schema, accepted_by="the board", no_limits="a test", only=["tables", "uniques"])
    assert released.verify() and ll.verify(tmp_path / "out").passed
    assert released.decision["accepted_by"] == "the board" and released.files
    with pytest.raises(ll.UsageError, match="replace=True"):
        ll.release(small, tmp_path / "out", method=ll.Ipf(), schema=schema, accepted_by="the board", no_limits="a test")
    released.files[0].write_text("tampered", encoding="utf-8")
    assert not ll.verify(released)
    with pytest.raises(ll.LookalikeError):
        ll.verify(tmp_path / "nothing")


def test_fit_of_tables_in_memory_is_that_of_files(frame: Any, tmp_path: Path, binary: Path) -> None:
    model = ll.Sequential(seed=1, m=3).fit(frame)
    tables = model.sample()
    model.sample_to(tmp_path / "out")
    run(binary, "fit", "income ~ sex + age", tmp_path / "out", "--json", tmp_path / "fit.json", "--quiet")
    expected = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
    for found in (
        ll.fit("income ~ sex + age", tables, model=model),
        ll.fit("income ~ sex + age", tables, release=tmp_path / "out"),
        ll.fit("income ~ sex + age", release=tmp_path / "out"),
    ):
        assert found.facts["answers"] == expected["answers"]
        assert found.facts["original_rows"] == 400 and found.rows()
    shares = ll.fit(None, tables, model=model, estimates=["share(smokes) by sex"], where="age >= 18")
    assert shares.facts["answers"]
    for wrong in ({"rule": "nobody"}, {"level": 2.0}, {"target": "x"}, {"weights": "x"}, {"where": "nobody = 1"}):
        with pytest.raises(ll.LookalikeError) as raised:
            ll.fit("income ~ sex", tables, model=model, **wrong)
        assert "--" not in str(raised.value)


def test_describe(frame: Any) -> None:
    described = ll.describe(frame, keys=["sex", "age"])
    assert described.facts["rows"] == 400 and described.keeps_schema and "Not to leave" in described._repr_html_()


def test_cards() -> None:
    assert {card["name"] for card in ll.methods()} >= {"sequential"} and ll.measures()
    with pytest.raises(ll.LookalikeError, match="did you mean"):
        ll.methods("sequentiel")
