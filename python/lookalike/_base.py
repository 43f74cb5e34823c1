"""Methods as estimators: settings in the constructor, `fit` learns, `sample` draws; the manners are those of scikit-learn."""

from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Union

from . import _native
from ._errors import ConfidentialWarning, LookalikeError, OptionError, Remark, UsageError
from ._frames import Kind, frame_out, kind_of, native_data
from ._html import block, escape, table
from ._progress import Progress, listener
from ._results import Ledger, SpendingPlan, Written
from ._schema import Schema, _plain

Option = Union[bool, int, float, str, Sequence[Any], Mapping[str, Any], None]

# Settings of a recipe that every method has; the others are options of the method.
_COMMON = ("m", "rows", "seed", "strata", "groups")
_PRIVATE = ("epsilon", "delta", "rho", "neighbours", "records")
# What the command line writes, by the endings of its files.
_FORMATS = ("csv", "csv.gz", "csv.zst", "jsonl", "parquet", "arrow", "sav", "zsav", "dta", "xlsx")
_BESIDE = ("after", "learned_schema", "small_table", "resume", "memory", "insecure_test_seed")



def _is_whole(value: object) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__index__") and bool(value.__index__() >= 0)


def _is_number(value: object) -> bool:
    return not isinstance(value, (bool, str)) and hasattr(value, "__float__")


def _is_list_of_names(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


_TYPES: tuple[tuple[tuple[str, ...], str, Callable[[object], bool]], ...] = (
    (("m", "rows", "seed", "groups", "records", "memory", "insecure_test_seed"), "a whole number from 0 on", _is_whole),
    (("epsilon", "delta", "rho"), "a number", _is_number),
    (("strata",), "a list of names, such as [\"sex\"]", _is_list_of_names),
    (("variables", "auxiliary", "after"), "a dictionary", lambda value: isinstance(value, Mapping)),
    (("learned_schema", "small_table", "neighbours"), "a text", lambda value: isinstance(value, str)),
)

_SEEDED = (
    "the seed was chosen: whoever guesses it can make these records again and test guesses at original records; for your own work, do not publish them"
)


class Synthesizer:
    """What all methods have in common. Use a class of a method, such as `Sequential`, or `Usual`."""

    _method: ClassVar[str | None] = None
    _options: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def _names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        return sorted(one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Synthesizer:
        """Changes settings."""
        names = self._names()
        for name, value in params.items():
            if name not in names:
                raise OptionError(f"{type(self).__name__} has no setting `{name}`; it has {', '.join(names)}", name)
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __repr__(self) -> str:
        usual = {one.name: one.default for one in inspect.signature(type(self).__init__).parameters.values()}
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not usual[name] and value != usual[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    def recipe(self) -> dict[str, Any]:
        """The settings as a recipe: what a recipe file says."""
        recipe: dict[str, Any] = {"method": self._method or ""}
        said = {name: _plain(value) for name, value in self.get_params().items() if value is not None}
        for name in _COMMON:
            if name in said and said[name] != []:
                recipe[name] = said[name]
        privacy = {name: said[name] for name in _PRIVATE if name in said}
        if privacy:
            recipe["privacy"] = privacy
        if "after" in said:
            recipe["after"] = said["after"]
        options = {written: said[name] for name, written in self._options.items() if name in said}
        for section in ("variables", "auxiliary"):
            if section in options:
                recipe[section] = options.pop(section)
        if options:
            recipe["options"] = options
        return recipe

    def _stated(self) -> str:
        reasons = {name: getattr(self, name, None) for name in ("learned_schema", "small_table")}
        beside = {name: getattr(self, name, None) for name in ("resume", "memory", "insecure_test_seed")}
        if beside["resume"] is not None:
            beside["resume"] = os.fspath(beside["resume"])
        return json.dumps({**beside, "reasons": reasons, "usual_method": self._method is None})

    def _check_types(self) -> None:
        """Names the setting that is of a wrong type; what it means is judged by the library."""
        for names, words, right in _TYPES:
            for name in names:
                value = getattr(self, name, None)
                if value is not None and not right(value):
                    raise OptionError(f"setting `{name}`: give {words}", name)

    def _checked_recipe(self) -> str:
        self._check_types()
        try:
            return json.dumps(self.recipe())
        except (TypeError, ValueError) as error:
            raise UsageError(f"{type(self).__name__}: a setting is of a type that no recipe can hold ({error})") from None

    def fit(
        self,
        X: object,
        y: None = None,
        *,
        schema: Schema | str | os.PathLike[str] | None = None,
        missing: Iterable[str] = (),
        name: str = "data",
        separator: str | None = None,
        decimal: str | None = None,
        progress: Progress = None,
    ) -> Synthesizer:
        """Learns from a frame, a file, or `Counts`. A private fit needs a declared schema. What it has to say is warned of (`Remark`) and kept in
        `remarks_`. Returns the estimator itself."""
        if y is not None:
            raise UsageError("argument `y`: a synthesizer has no target; pass the whole table as X")
        kind = kind_of(X)
        native = native_data(X, schema=schema, missing=missing, name=name, separator=separator, decimal=decimal)
        with listener(progress) as told:
            model = _native.synthesise(native, self._checked_recipe(), self._stated(), told)
        self._take(model, kind)
        if self.remarks_:
            warnings.warn("\n".join(f"- {remark}" for remark in self.remarks_), Remark, stacklevel=2)
        return self

    def spending(
        self, X: object, *, schema: Schema | str | os.PathLike[str] | None = None, missing: Iterable[str] = ()
    ) -> SpendingPlan:
        """What a private fit would spend on what. The records are not looked at."""
        native = native_data(X, schema=schema, missing=missing)
        return SpendingPlan(*_native.spending(native, self._checked_recipe(), self._stated()))

    def _take(self, model: _native.Model, kind: Kind) -> None:
        self.model_ = model
        self.kind_ = kind
        self._facts: dict[str, Any] = json.loads(model.facts())
        self.n_records_ = int(self._facts["original_rows"])
        self.remarks_: list[str] = list(self._facts["remarks"])
        if self._facts["recipe"].get("seed") is not None:
            self.remarks_.append(_SEEDED)
        self.notes_: list[str] = list(self._facts["inside_remarks"])
        self.recipe_: dict[str, Any] = self._facts["recipe"]
        self.copies_: int | None = None
        self._drawn = False

    def _fitted(self) -> _native.Model:
        if not hasattr(self, "model_"):
            raise UsageError(f"this {type(self).__name__} is not fitted; call `fit` with the data first")
        return self.model_

    @property
    def ledger_(self) -> Ledger | None:
        """What a private fit spent on what."""
        page = self._fitted().ledger_page()
        return None if page is None else Ledger(page, self._facts["ledger"])

    @property
    def schema_(self) -> Schema:
        """The schema that synthetic records keep; confidential where it was learned from the records."""
        self._fitted()
        return Schema(self._facts["schema"])

    def _amount(self, rows: int | None, num_rows: int | None, m: int | None, seed: int | None) -> tuple[int | None, int | None, int | None, bool]:
        if rows is not None and num_rows is not None:
            raise OptionError("argument `num_rows`: it is another name of `rows`; give one of the two", "num_rows")
        rows = num_rows if rows is None else rows
        for what, value, least in (("rows", rows, 1), ("m", m, 1), ("seed", seed, 0)):
            if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__") or value < least):
                raise OptionError(f"argument `{what}`: give a whole number from {least} on", what)
        if seed is not None and self.recipe_.get("privacy") is not None:
            raise OptionError("argument `seed`: the draws of a private model are not to be replayed; leave it out", "seed")
        given = seed if seed is not None else None
        fresh = given is None and self.recipe_.get("seed") is None and self._drawn
        return m, rows, given, fresh

    def sample(
        self,
        rows: int | None = None,
        *,
        num_rows: int | None = None,
        m: int | None = None,
        seed: int | None = None,
        progress: Progress = None,
    ) -> Any:
        """Synthetic records, as many as the data had if `rows` (or SDV's name, `num_rows`) does not say: a frame of the kind that was fitted, or a list
        of them where `m`, here or in the constructor, asks for several. Without a seed, every call draws anew; with one, the same again.
        `copies_` then says how many records equal a unique original one."""
        model = self._fitted()
        amount = self._amount(rows, num_rows, m, seed)
        with listener(progress) as told:
            frames, self.copies_ = model.sample(*amount, told)
        self._drawn = True
        if self.copies_:
            records = "1 record equals" if self.copies_ == 1 else f"{self.copies_} records equal"
            warnings.warn(f"{records} an original record that is unique in all variables", Remark, stacklevel=2)
        made = [frame_out(frame, self.kind_) for frame in frames]
        return made if m is not None or len(made) > 1 else made[0]

    def sample_to(
        self,
        out: str | os.PathLike[str],
        *,
        rows: int | None = None,
        num_rows: int | None = None,
        m: int | None = None,
        seed: int | None = None,
        format: str = "csv",
        keep_formulas: bool = False,
        replace: bool = False,
        progress: Progress = None,
    ) -> Written:
        """Writes data sets to a new folder, with schema, recipe and manifest: what the command `synth` writes."""
        model = self._fitted()
        amount = self._amount(rows, num_rows, m, seed)
        if format not in _FORMATS:
            raise OptionError(f"argument `format`: say one of {', '.join(_FORMATS)}", "format")
        with listener(progress) as told:
            text, document = model.write(os.fspath(out), *amount, format, keep_formulas, replace, told)
        self._drawn = True
        return Written(Path(out), text, json.loads(document))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command `sample` reads too. A confidential one is for its owner alone."""
        bytes_, _ = self._bytes()
        mode = 0o600 if self._facts["confidential"] else 0o644
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.write(bytes_)
        except FileExistsError:
            raise UsageError(f"{os.fspath(path)} exists; choose another name") from None

    def _bytes(self) -> tuple[bytes, bytes | None]:
        model = self._fitted()
        if self._facts["confidential"] and self._facts["refuses_saving"] is None:
            because = self._facts["confidential_because"]
            warnings.warn(f"the saved model is confidential: {because}", ConfidentialWarning, stacklevel=3)
        bytes_, types = model.dump()
        return bytes(bytes_), None if types is None else bytes(types)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"params": self.get_params()}
        if hasattr(self, "model_"):
            state["model"], state["types"] = self._bytes()
            state["kind"] = self.kind_.without_levels()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["params"])
        if "model" in state:
            self._take(_native.Model.load(state["model"], state["types"]), state["kind"])

    def _repr_html_(self) -> str:
        rows = [[name, value] for name, value in self.get_params().items() if value is not None and value != ()]
        parts = [f"<p><b>{escape(type(self).__name__)}</b></p>", table(["setting", "value"], rows)]
        if hasattr(self, "model_"):
            parts += [f"<p>{escape(remark)}</p>" for remark in self.remarks_]
        return block(*parts)


class Usual(Synthesizer):
    """The method that is usual for the data, where nobody names one: variable by variable by CART; with a budget, what suits the declared schema.

    `epsilon`, with or without `delta`, or `rho` makes the fit differentially private, and then a declared schema is needed.
    """

    def __init__(
        self,
        *,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        insecure_test_seed: int | None = None,
    ) -> None:
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.insecure_test_seed = insecure_test_seed


def load(path: str | os.PathLike[str]) -> Synthesizer:
    """The model of a file that `save`, or the command `synth --save-model`, wrote."""
    from . import _methods

    try:
        bytes_ = Path(path).read_bytes()
    except OSError as error:
        raise LookalikeError(f"{os.fspath(path)}: {error.strerror}") from None
    native = _native.Model.load(bytes_, None)
    recipe = json.loads(native.facts())["recipe"]
    method = _methods.CLASSES.get(recipe["method"])
    if method is None:
        raise LookalikeError(f"{os.fspath(path)}: there is no class for the method `{recipe['method']}`")
    made: Synthesizer = method()
    names = {written: name for name, written in made._options.items()}
    said = {name: recipe[name] for name in _COMMON if recipe.get(name) is not None}
    said.update(recipe.get("privacy") or {})
    said.update({names[key]: value for key, value in recipe.get("options", {}).items() if key in names})
    said.update({key: recipe[key] for key in ("variables", "auxiliary") if recipe.get(key) and key in names})
    known = made._names()
    made.set_params(**{name: value for name, value in said.items() if name in known})
    made._take(native, Kind("frame"))
    return made
