"""One function a job: describe, measure, plan, frontier, release, verify, fit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _native
from ._base import Synthesizer
from ._counts import Counts
from ._errors import OptionError, UsageError
from ._frames import native_data
from ._progress import Progress, listener
from ._results import Estimates, Findings, Frontier, Plan, Release, Verification
from ._schema import Description, Schema, _plain

SchemaLike = Schema | str | os.PathLike[str] | None


def describe(
    data: object,
    *,
    schema: SchemaLike = None,
    keys: Sequence[str] = (),
    missing: Iterable[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    progress: Progress = None,
) -> Description:
    """What a table is and what is risky about it. `keys` are variables by which an intruder might know people."""
    native = native_data(data, schema=schema, missing=missing, separator=separator, decimal=decimal)
    with listener(progress) as told:
        words, document, _, _, keeps = _native.describe(native, _names("keys", keys), told)
    return Description(words, json.loads(document), keeps)


def measure(
    original: object,
    synthetic: object,
    *,
    schema: SchemaLike = None,
    missing: Iterable[str] = (),
    holdout: object = None,
    only: Sequence[str] = (),
    tables: Sequence[Sequence[str]] = (),
    ways: Sequence[int] | None = None,
    groups: int | None = None,
    classes: str | None = None,
    without_missing: bool = False,
    keys: Sequence[str] | Sequence[Sequence[str]] = (),
    targets: Sequence[str] = (),
    models: Sequence[str] = (),
    families: Sequence[str] = (),
    orders: Sequence[int] | None = None,
    permutations: int | None = None,
    resamples: int | None = None,
    attacks: int | None = None,
    predict: Sequence[str] = (),
    random_size: bool = False,
    seed: int | None = None,
    mechanism: str | None = None,
    regions: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Findings:
    """What synthetic tables are worth and what they disclose. Several tables, in a list, are data sets of one release. The arguments are the
    options of the command `measure`; `only` names families (`lookalike.measures()` lists them)."""
    read = {"schema": schema, "missing": list(missing)}
    # Synthetic versions of counts are read in the classes of the counts.
    beside = {**read, "schema": original.schema} if isinstance(original, Counts) and schema is None else read
    files = synthetic if isinstance(synthetic, (list, tuple)) else [synthetic]
    if not files:
        raise UsageError("no synthetic table is given")
    stated = {
        "questions": _questions(locals()),
        "random_size": random_size,
        "seed": seed,
        "mechanism": mechanism,
        "regions": _path(regions),
    }
    many = len(files) > 1
    made = [native_data(one, name=f"synthetic {at}" if many else "synthetic", **beside) for at, one in enumerate(files, 1)]  # type: ignore[arg-type]
    fresh = None if holdout is None else native_data(holdout, name="holdout", **beside)  # type: ignore[arg-type]
    with listener(progress) as told:
        native = native_data(original, name="original", **read)  # type: ignore[arg-type]
        return Findings(_native.measure(native, made, fresh, _json(stated), told))


def plan(
    data: object,
    *,
    schema: SchemaLike = None,
    missing: Iterable[str] = (),
    family: str = "nbi",
    sigma: Sequence[float] | float | None = None,
    m: Sequence[int] | int = (1, 5, 10),
    nu: float | None = None,
    alpha: float = 0.0,
    scale: float = 1.0,
    near: Sequence[tuple[int, float]] = ((1, 0.5),),
    clt: bool = False,
    solve: str | None = None,
    solve_m: bool = False,
    groups: int = 5,
    progress: Progress = None,
) -> Plan:
    """What the saturated mechanism would give and cost, without generating. `solve` is a bound such as "tau4(1,0.5) <= 0.1"."""
    stated = {
        "family": family,
        "sigma": [sigma] if isinstance(sigma, (int, float)) else sigma,
        "m": [m] if isinstance(m, int) else m,
        "nu": nu,
        "alpha": alpha,
        "scale": scale,
        "near": near,
        "clt": clt,
        "solve": solve,
        "solve_m": solve_m,
        "groups": groups,
    }
    native = native_data(data, schema=schema, missing=missing)
    with listener(progress) as told:
        return Plan(*_native.plan(native, _json(stated), told))


def frontier(
    data: object,
    *,
    schema: SchemaLike = None,
    missing: Iterable[str] = (),
    grid: Sequence[Synthesizer] | Mapping[str, Synthesizer] | str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    repeat: int = 5,
    holdout_share: float | None = None,
    contestants: Mapping[str, object] | None = None,
    risk: str | None = None,
    utility: str | None = None,
    limits: Sequence[str] = (),
    regions: str | os.PathLike[str] | None = None,
    seed: int = 1,
    only: Sequence[str] = (),
    tables: Sequence[Sequence[str]] = (),
    ways: Sequence[int] | None = None,
    groups: int | None = None,
    classes: str | None = None,
    without_missing: bool = False,
    keys: Sequence[str] | Sequence[Sequence[str]] = (),
    targets: Sequence[str] = (),
    models: Sequence[str] = (),
    families: Sequence[str] = (),
    orders: Sequence[int] | None = None,
    permutations: int | None = None,
    resamples: int | None = None,
    attacks: int | None = None,
    predict: Sequence[str] = (),
    progress: Progress = None,
) -> Frontier:
    """Runs many methods and settings, and shows which are dominated, which keep the limits, and which is best. `grid` names methods, such as
    `[Sequential(), Ipf(epsilon=1)]`, or the file of a grid; what suits the table is tried if it is left out. The same `folder` again goes on where an
    interrupted frontier stopped; it is as confidential as the data."""
    stated = {
        "grid": _grid(grid),
        "repeat": repeat,
        "holdout_share": holdout_share,
        "risk": risk,
        "utility": utility,
        "limits": _names("limits", limits),
        "regions": _path(regions),
        "seed": seed,
        "out": _path(folder),
        "questions": _questions(locals()),
    }
    read = {"schema": schema, "missing": list(missing)}
    others = []
    for name, made in (contestants or {}).items():
        files = made if isinstance(made, (list, tuple)) else [made]
        others.append((name, [native_data(one, name=name, **read) for one in files]))  # type: ignore[arg-type]
    with listener(progress) as told:
        native = native_data(data, **read)  # type: ignore[arg-type]
        mapped = _native.frontier(native, others, _json(stated), told)
    return Frontier(mapped, None if folder is None else Path(folder))


def read_frontier(folder: str | os.PathLike[str]) -> Frontier:
    """The frontier that was written to a folder."""
    return Frontier(_native.read_frontier(os.fspath(folder)), Path(folder))


def release(
    data: object,
    out: str | os.PathLike[str],
    *,
    accepted_by: str,
    method: Synthesizer | None = None,
    frontier: Frontier | str | os.PathLike[str] | None = None,
    choose: str | None = None,
    schema: SchemaLike = None,
    missing: Iterable[str] = (),
    limits: Sequence[str] = (),
    regions: str | os.PathLike[str] | None = None,
    note: str | None = None,
    exception: str | None = None,
    unpaid_look: str | None = None,
    learned_schema: str | None = None,
    no_limits: str | None = None,
    small_table: str | None = None,
    keep_copies: str | None = None,
    reproducible: bool = False,
    publish: Sequence[str] = (),
    because: str | None = None,
    name: str | None = None,
    m: int | None = None,
    rows: int | None = None,
    seed: int | None = None,
    format: str | None = None,
    keep_formulas: bool = False,
    replace: bool = False,
    insecure_test_seed: int | None = None,
    only: Sequence[str] = (),
    tables: Sequence[Sequence[str]] = (),
    ways: Sequence[int] | None = None,
    groups: int | None = None,
    classes: str | None = None,
    without_missing: bool = False,
    keys: Sequence[str] | Sequence[Sequence[str]] = (),
    targets: Sequence[str] = (),
    models: Sequence[str] = (),
    families: Sequence[str] = (),
    orders: Sequence[int] | None = None,
    permutations: int | None = None,
    resamples: int | None = None,
    attacks: int | None = None,
    predict: Sequence[str] = (),
    progress: Progress = None,
) -> Release:
    """Draws the chosen version again, measures it, holds it against the limits, and releases it with reports and a decision record. Name a
    `method`, or a `frontier` with its folder and perhaps whom to `choose`. What would disclose something that nobody allowed is refused unless a
    reason is given (`exception`, `unpaid_look`, `learned_schema`, `no_limits`, `small_table`, `keep_copies`); reasons are recorded."""
    if (method is None) == (frontier is None):
        raise UsageError("name a `method`, such as Sequential(), or a `frontier`: one of the two")
    if publish and because is None:
        raise OptionError("argument `because`: say why the measures of `publish` may be shown outside", "because")
    chosen = _recipe(method) if method is not None else None
    folder = frontier.folder if isinstance(frontier, Frontier) else frontier
    if frontier is not None and folder is None:
        raise UsageError("the frontier was not kept: compute it with `folder=`, which a release reads")
    stated = {
        "frontier": _path(folder),
        "choose": choose,
        "recipe": chosen,
        "out": _path(out),
        "accepted_by": accepted_by,
        "note": note,
        "limits": _names("limits", limits),
        "regions": _path(regions),
        "reasons": {
            "exception": exception,
            "unpaid_look": unpaid_look,
            "learned_schema": learned_schema,
            "no_limits": no_limits,
            "small_table": small_table,
        },
        "keep_copies": keep_copies,
        "reproducible": reproducible,
        "publish": _names("publish", publish),
        "because": because,
        "name": name,
        "m": m,
        "rows": rows,
        "seed": seed,
        "format": format,
        "keep_formulas": keep_formulas,
        "replace": replace,
        "insecure_test_seed": insecure_test_seed,
        "questions": _questions(locals()),
    }
    native = native_data(data, schema=schema, missing=missing)
    with listener(progress) as told:
        words, document = _native.release(native, _json(stated), told)
    return Release(Path(out), words, document)


def verify(folder: str | os.PathLike[str] | Release) -> Verification:
    """Whether a release is what its manifest says."""
    return Verification(*_native.verify(os.fspath(folder.folder if isinstance(folder, Release) else folder)))


def fit(
    formula: str | None,
    data: object = None,
    *,
    release: str | os.PathLike[str] | Release | None = None,
    model: Synthesizer | None = None,
    family: str | None = None,
    estimates: Sequence[str] = (),
    where: str | None = None,
    original_rows: int | None = None,
    rule: str | None = None,
    target: str = "population",
    level: float = 0.95,
    weights: str | None = None,
    bootstrap_t: int | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    schema: SchemaLike = None,
    missing: Iterable[str] = (),
    progress: Progress = None,
) -> Estimates:
    """Estimates from synthetic tables, with intervals that are valid for how they were made. `formula` is a model such as "income ~ sex + age", or None
    where `estimates` asks for means, shares or tables ("mean(income) by sex"). `data` is a table or a list of them; how they were made is said by
    the folder of their `release` or by the `model` that drew them. Without `data`, the files of the release are read."""
    tables = [] if data is None else list(data) if isinstance(data, (list, tuple)) else [data]
    folder = release.folder if isinstance(release, Release) else release
    if release is not None and model is not None:
        raise UsageError("the tables are of a `release` or of a `model`; give one of the two")
    if not tables and folder is None:
        raise UsageError("pass synthetic tables, or the folder of their `release`")
    if model is not None and schema is not None:
        raise OptionError("argument `schema`: the model has a schema of its own; leave it out", "schema")
    stated = {
        "formula": formula,
        "family": family,
        "estimates": _names("estimates", estimates),
        "files": [] if folder is None else [_path(folder)],
        "only_where": where,
        "original_rows": original_rows,
        "rule": rule,
        "target": target,
        "level": level,
        "weights": weights,
        "bootstrap_t": bootstrap_t,
        "replicates": replicates,
        "seed": seed,
    }
    made = [native_data(one, schema=schema, missing=missing, name=f"table {at}") for at, one in enumerate(tables, 1)]
    with listener(progress) as told:
        return Estimates(*_native.fit(made, None if model is None else model._fitted(), _json(stated), told))


def methods(name: str | None = None) -> Any:
    """The cards of the methods, or of one of them: what it does, when to take it, its options with their defaults."""
    return json.loads(_native.methods(name)[1])


def measures(name: str | None = None) -> Any:
    """The cards of the measures: what they ask, in which direction and range, and what to expect."""
    return json.loads(_native.measures(name)[1])


def _names(argument: str, names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise OptionError(f"argument `{argument}`: give a list, such as [{names!r}]", argument)
    return [str(name) for name in names]


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def _recipe(method: Synthesizer) -> dict[str, Any]:
    recipe = method.recipe()
    if not recipe["method"]:
        raise UsageError("a release names its method; pass one such as Sequential() instead of Usual()")
    return recipe


def _questions(given: Mapping[str, Any]) -> dict[str, Any]:
    keys = given["keys"]
    if isinstance(keys, str):
        raise OptionError(f"argument `keys`: give a list of names, such as [{keys!r}], or a list of such lists", "keys")
    keys = list(keys)
    if keys and all(isinstance(one, str) for one in keys):
        keys = [keys]
    lists = {name: _names(name, given[name]) for name in ("only", "targets", "models", "families", "predict")}
    plain = {name: given[name] for name in ("ways", "groups", "classes", "without_missing", "orders", "permutations", "resamples", "attacks")}
    return {**lists, **plain, "tables": [list(table) for table in given["tables"]], "keys": [list(one) for one in keys]}


def _grid(grid: Any) -> str | None:
    if grid is None:
        return None
    if isinstance(grid, (str, os.PathLike)):
        return Path(grid).read_text(encoding="utf-8")
    named = grid.items() if isinstance(grid, Mapping) else ((None, method) for method in grid)
    recipes = []
    for name, method in named:
        recipe = _recipe(method)
        recipes.append(recipe if name is None else {"name": name, **recipe})
    return _native.grid_toml(json.dumps({"recipe": recipes}))


def _json(stated: Mapping[str, Any]) -> str:
    try:
        return json.dumps(_plain(stated))
    except (TypeError, ValueError) as error:
        raise UsageError(f"an argument is of a type that cannot be meant ({error})") from None
