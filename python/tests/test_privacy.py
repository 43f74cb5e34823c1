"""A private fit is held to what the command line holds it to."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike as ll

pl = pytest.importorskip("polars")


@pytest.fixture
def frame(people: dict[str, list[object]]) -> Any:
    return pl.DataFrame(people).select("sex", "age")


def test_a_learned_schema_is_refused_with_the_way_out(frame: Any) -> None:
    for schema in (None, ll.Schema.draft(frame)):
        with pytest.raises(ll.SchemaNotDeclared, match=r"Schema\.draft.*declare") as raised:
            ll.Ipf(epsilon=1.0).fit(frame, schema=schema)
        assert "--" not in str(raised.value) and raised.value.columns


def test_a_declared_one_is_paid_for(frame: Any, declared: ll.Schema) -> None:
    model = ll.Usual(epsilon=1.0).fit(frame, schema=declared)
    assert model.ledger_ is not None and model.ledger_["events"]
    assert "<pre" in model.ledger_._repr_html_()
    assert set(model.sample(100)["sex"]) <= {"F", "M"}
    assert model.sample(100)["age"].max() <= 120
    planned = ll.Ipf(epsilon=1.0).spending(frame, schema=declared)
    assert planned.text and planned.facts


def test_what_must_not_be_is_refused(frame: Any, declared: ll.Schema) -> None:
    with pytest.raises(ll.RefusedError):
        ll.Ipf(epsilon=1.0, seed=1).fit(frame, schema=declared)
    with pytest.raises(ll.LookalikeError):
        ll.Ipf(epsilon=-1.0).fit(frame, schema=declared)
    with pytest.raises(ll.LookalikeError, match="`epsilon"):
        ll.Dirichlet().fit(frame, schema=declared)
    with pytest.raises(ll.OptionError):
        ll.Ipf(epsilon=1.0).fit(frame, schema=declared).sample(seed=1)
    with pytest.raises(ll.SchemaNotDeclared):
        ll.Ipf(epsilon=1.0).spending(frame, schema=ll.Schema.draft(frame))


def test_noise_that_can_be_replayed_voids_the_guarantee_and_says_so(frame: Any, declared: ll.Schema) -> None:
    model = ll.Ipf(epsilon=1.0, insecure_test_seed=1).fit(frame, schema=declared)
    assert model.ledger_ is not None and model.ledger_["warning"]
    assert "role=\"note\"" in model.ledger_._repr_html_()


def test_violations_are_counted_and_not_quoted(frame: Any, declared: ll.Schema) -> None:
    strange = frame.with_columns(sex=pl.lit("secret"))
    with pytest.raises(ll.ViolationsError) as raised:
        ll.Catall().fit(strange, schema=declared)
    assert raised.value.counts and "secret" not in str(raised.value)


def test_schemas(frame: Any, tmp_path: Any) -> None:
    draft = ll.Schema.draft(frame)
    assert not draft.declared and draft.variables["age"]["kind"] == "integer"
    edited = draft.edit("age", range=[0, 120], cuts=[0, 18, 65, 120]).edit("sex", levels=["F", "M", "X"])
    declared = edited.declare("code book")
    assert declared.declared and declared.reason == "code book"
    declared.save(tmp_path / "s.toml")
    assert ll.Schema.load(tmp_path / "s.toml") == declared
    assert (tmp_path / "s.toml").stat().st_mode & 0o077 == 0
    with pytest.raises(ll.UsageError, match="replace=True"):
        declared.save(tmp_path / "s.toml")
    with pytest.raises(ll.SchemaError) as raised:
        draft.edit("aeg", range=[0, 1])
    assert raised.value.column == "aeg"
    with pytest.raises(ll.LookalikeError):
        draft.edit("age", raneg=[0, 1])
    with pytest.raises(ll.LookalikeError):
        draft.declare("  ")
    assert "not declared" in repr(draft).lower() and "Not declared" in draft._repr_html_()
    ruled = declared.rule("age < 18", "sex = 'F'").impossible("sex = 'X' and age > 100")
    assert "impossible" in ruled.to_toml()


def test_sdv_metadata(tmp_path: Any) -> None:
    metadata = {"METADATA_SPEC_VERSION": "V1", "tables": {"people": {"primary_key": "id", "columns": {
        "id": {"sdtype": "id"}, "sex": {"sdtype": "categorical"}, "age": {"sdtype": "numerical", "computer_representation": "Int64"}}}}}
    schema = ll.Schema.from_sdv(metadata)
    assert schema.variables["id"]["kind"] == "text-id" and not schema.declared
    with pytest.raises(ll.LookalikeError, match="levels"):
        schema.declare("SDV leaves levels open")
    done = schema.edit("sex", levels=["F", "M"]).edit("age", range=[0, 120]).declare("code book")
    rows = pl.DataFrame({"id": [str(1000 + at) for at in range(60)], "sex": ["F", "M"] * 30, "age": list(range(20, 80))})
    assert ll.Usual(epsilon=5.0).fit(rows, schema=done).sample().columns == ["id", "sex", "age"]
