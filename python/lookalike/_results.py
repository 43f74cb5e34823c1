"""What jobs find, for programs and for notebooks. What holds figures of the original says so."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from . import _native
from ._errors import SchemaError, UsageError
from ._html import banner, block, escape, folded, picture, table, text


class _Told:
    """An outcome with its text for people and its facts for programs."""

    def __init__(self, words: str, document: str) -> None:
        self.text = words
        self.facts: Any = json.loads(document)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding:
    """One number of one measure, or the reason why there is none."""

    measure: str
    on: tuple[str, ...]
    value: float | None
    null: float | None
    better: str
    because: str | None
    detail: Mapping[str, Any]


class Findings(Sequence[Finding]):
    """What synthetic tables are worth and what they disclose. It holds exact figures of the original: confidential."""

    def __init__(self, native: _native.Measured) -> None:
        self._native = native
        self.text = native.text
        self.facts: list[dict[str, Any]] = json.loads(native.json)
        self._all = tuple(
            Finding(
                one["measure"], tuple(one["on"]), one["value"], one["null"], one["better"], one.get("because"), one.get("detail", {})
            )
            for one in self.facts
        )

    @overload
    def __getitem__(self, at: int) -> Finding: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Finding]: ...

    def __getitem__(self, at: int | slice) -> Finding | Sequence[Finding]:
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def of(self, measure: str, *on: str) -> list[Finding]:
        """The findings of one measure or of one family, on these variables if some are named."""
        asked = [one for one in self._all if one.measure == measure or one.measure.startswith(measure + ".")]
        return [one for one in asked if not on or set(one.on) == set(on)]

    def worst(self, n: int = 5, measure: str | None = None) -> list[Finding]:
        """The findings of one measure that are furthest on its bad side; of the one with most findings if none is named."""
        able = [one for one in self._all if one.value is not None and one.better in ("lower", "higher") and one.on]
        if measure is None:
            names = [one.measure for one in able]
            measure = max(dict.fromkeys(names), key=names.count) if names else ""
        chosen = [one for one in able if one.measure == measure]
        return sorted(chosen, key=lambda one: (one.value or 0.0) * (-1 if one.better == "lower" else 1))[:n]

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each finding, for whatever makes frames of such."""
        return [
            {"measure": one.measure, "on": " × ".join(one.on), "value": one.value, "null": one.null, "better": one.better, "because": one.because}
            for one in self._all
        ]

    def to_pandas(self) -> Any:
        """The findings as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The findings as a polars DataFrame."""
        import polars

        return polars.DataFrame(self.rows(), infer_schema_length=None)

    def report(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Writes a page with pictures, which only its owner can read: it holds exact figures of the original."""
        _write_private(path, self._native.page(), replace)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<lookalike.Findings: {len(self)} of {len({one.measure for one in self._all})} measures; print it to read them>"

    def _repr_html_(self) -> str:
        rows = [[one.measure, " × ".join(one.on), one.value, one.null] for one in self.worst(10)]
        head = ["the ten worst", "on", "value", "expected of a right generator"]
        return block(banner(), table(head, rows), folded("All of it in words", text(self.text)))


class Ledger(_Told):
    """What a private fit spent on what. It may be published with the release."""

    def __init__(self, page: str, record: Mapping[str, Any]) -> None:
        super().__init__(page, json.dumps(record))

    def __getitem__(self, key: str) -> Any:
        return self.facts[key]

    def _repr_html_(self) -> str:
        warning = self.facts.get("warning")
        return block(banner(warning) if warning else "", text(self.text))


class SpendingPlan(_Told):
    """What a private fit would spend on what."""

    def _repr_html_(self) -> str:
        return block(text(self.text))


class Plan(_Told):
    """What the saturated mechanism would give and cost. It is computed from the sizes of the original's cells: confidential."""

    def _repr_html_(self) -> str:
        return block(banner(), text(self.text))


class Written(_Told):
    """Data sets in a folder, with schema, recipe and manifest."""

    def __init__(self, folder: Path, words: str, manifest: Mapping[str, Any]) -> None:
        super().__init__(words, json.dumps(manifest))
        self.folder = folder

    @property
    def files(self) -> list[Path]:
        """The data files."""
        return [self.folder / one["name"] for one in self.facts["files"] if one.get("rows") is not None]

    def _repr_html_(self) -> str:
        rows = [[one["name"], one["bytes"], one.get("rows")] for one in self.facts["files"]]
        return block(f"<p>{escape(self.facts['label'])}</p>", table(["file", "bytes", "records"], rows))


class Release(Written):
    """A release with its evidence; `decision` is the record of who accepted it, by which limits."""

    def __init__(self, folder: Path, words: str, document: str) -> None:
        both = json.loads(document)
        super().__init__(folder, words, both["manifest"])
        self.decision: dict[str, Any] = both["decision"]

    def verify(self) -> Verification:
        """Whether it still is what its manifest says."""
        return Verification(*_native.verify(os.fspath(self.folder)))


class Verification(_Told):
    """Whether a release is what its manifest says; true where it is."""

    def __init__(self, words: str, document: str, passed: bool) -> None:
        super().__init__(words, document)
        self.passed = passed

    def __bool__(self) -> bool:
        return self.passed

    def _repr_html_(self) -> str:
        return block(text(self.text))


class Estimates(_Told):
    """Estimates from synthetic tables, with intervals that are valid for how they were made."""

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each quantity."""
        return [
            {"question": answer.get("estimand", answer.get("question")), **quantity}
            for answer in self.facts["answers"]
            for quantity in answer["quantities"]
        ]

    def to_pandas(self) -> Any:
        """The estimates as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """The estimates as a polars DataFrame."""
        import polars

        return polars.DataFrame(self.rows(), infer_schema_length=None, strict=False)

    def _repr_html_(self) -> str:
        return block(text(self.text))


class Contestant:
    """A recipe, or a table of another tool, on a frontier."""

    def __init__(self, frontier: Frontier, facts: Mapping[str, Any]) -> None:
        self._frontier = frontier
        self.facts = dict(facts)
        self.name = str(facts["name"])

    def recipe(self) -> str:
        """The recipe as its file says it."""
        found = self._frontier._native.recipe(self.name)
        if found is None:
            raise UsageError(f"`{self.name}` is no recipe but a table of another tool")
        return found

    def release(self, data: object, out: str | os.PathLike[str], **settings: Any) -> Release:
        """Releases this contestant: `lookalike.release(data, out, frontier=..., choose=...)`."""
        from ._jobs import release

        return release(data, out, frontier=self._frontier, choose=self.name, **settings)

    def __repr__(self) -> str:
        return f"<contestant {self.name}>"


class Frontier:
    """What each method and setting gives and costs. It is computed from the original: confidential."""

    def __init__(self, native: _native.Mapped, folder: Path | None) -> None:
        self._native = native
        self.folder = folder
        self.text = native.text
        self.facts: dict[str, Any] = json.loads(native.json)

    @property
    def points(self) -> list[Contestant]:
        """The contestants."""
        return [Contestant(self, one) for one in self.facts["contestants"]]

    def __iter__(self) -> Iterator[Contestant]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.facts["contestants"])

    def __getitem__(self, name: str) -> Contestant:
        for one in self.points:
            if one.name == name:
                return one
        raise SchemaError(f"the frontier has no contestant `{name}`; it has {', '.join(one.name for one in self.points)}")

    @property
    def recommended(self) -> Contestant | None:
        """The contestant that is recommended: the most useful one that keeps the limits."""
        name = self.facts["recommendation"].get("name")
        return None if name is None else self[name]

    @property
    def map(self) -> str:
        """The map of risk and utility as SVG."""
        pictures = self._native.pictures()
        if not pictures:
            raise UsageError("there is nothing to draw: no contestant has both numbers")
        return next((svg for name, svg in pictures if "map" in name), pictures[0][1])

    def report(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Writes the page with the map, which only its owner can read."""
        _write_private(path, self._native.page(), replace)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        best = self.recommended
        return f"<lookalike.Frontier of {len(self)} contestants, recommended: {'none' if best is None else best.name}>"

    def _repr_html_(self) -> str:
        try:
            drawn = picture(self.map, "risk and utility of every contestant")
        except UsageError:
            drawn = ""
        return block(banner(), drawn, text(self.text))


def _write_private(path: str | os.PathLike[str], page: str, replace: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if replace else os.O_EXCL)
    try:
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(page)
    except FileExistsError:
        raise UsageError(f"{os.fspath(path)} exists; choose another name, or say `replace=True`") from None
