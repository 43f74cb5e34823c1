"""What a table may hold: drafted from records, completed and declared public by a person."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _native
from ._errors import LookalikeError, SchemaError, UsageError
from ._html import banner, block, escape, table, text
from ._progress import Progress, listener


class Description:
    """What a table is and what is risky about it. It holds figures of the data."""

    def __init__(self, words: str, facts: dict[str, Any], keeps_schema: bool) -> None:
        self.text = words
        self.facts = facts
        self.keeps_schema = keeps_schema

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return block(banner(), text(self.text))


class Schema:
    """A schema: the variables with their kinds and domains, rules and impossible cells.

    A schema that was drafted from records is *learned*: its levels and ranges are theirs. A private run takes only one that a person has
    declared public with `declare`. Schemas are not changed; `edit`, `rule`, `impossible` and `declare` give new ones.
    """

    def __init__(self, toml: str) -> None:
        # Parsed once, so that what is wrong is said here.
        self._table: dict[str, Any] = json.loads(_native.schema_json(toml))
        self._toml = toml

    @classmethod
    def draft(
        cls,
        data: object,
        *,
        missing: Iterable[str] = (),
        for_publication: bool = False,
        separator: str | None = None,
        decimal: str | None = None,
        progress: Progress = None,
    ) -> Schema:
        """The schema that the records show. `for_publication` rounds ranges outwards and leaves a gap, which a person must fill in, for levels that
        fewer than three records have."""
        from ._frames import native_data

        native = native_data(data, missing=missing, separator=separator, decimal=decimal)
        with listener(progress) as told:
            _, _, draft, public, _ = _native.describe(native, [], told)
        return cls(public if for_publication else draft)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """A schema file: TOML, SDV metadata (JSON) or a private-PGM domain (JSON)."""
        try:
            written = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LookalikeError(f"{os.fspath(path)}: {getattr(error, 'strerror', None) or 'it is not text in UTF-8'}") from None
        if written.lstrip().startswith("{"):
            return cls(_native.schema_of_other_tool(written))
        return cls(written)

    @classmethod
    def from_sdv(cls, metadata: object) -> Schema:
        """SDV's metadata (version 1): a dictionary, an object with `to_dict`, or a path. What SDV leaves open, such as levels, stays open until
        the schema is completed by `edit` or by the data."""
        if isinstance(metadata, (str, os.PathLike)):
            return cls.load(metadata)
        if not isinstance(metadata, Mapping):
            to_dict = getattr(metadata, "to_dict", None)
            if to_dict is None:
                raise UsageError("pass SDV's metadata as a dictionary, as an object with `to_dict`, or as the path of its file")
            metadata = to_dict()
        assert isinstance(metadata, Mapping)
        document = dict(metadata)
        # `to_dict` leaves the version out in some releases of SDV.
        document.setdefault("METADATA_SPEC_VERSION", "V1")
        return cls(_native.schema_of_other_tool(json.dumps(document)))

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """What is said of each variable."""
        return json.loads(json.dumps(self._table.get("variables", {})))  # type: ignore[no-any-return]

    @property
    def declared(self) -> bool:
        """Whether a person has declared it public."""
        return bool(self._table.get("table", {}).get("declared", False))

    @property
    def reason(self) -> str | None:
        """Why it may be taken as public."""
        found = self._table.get("table", {}).get("reason")
        return None if found is None else str(found)

    def edit(self, variable: str, **changes: object) -> Schema:
        """The schema with something else said of one variable, such as `edit("age", range=[0, 120], cuts=[16, 25, 65])`; None takes a key away."""
        if variable not in self._table.get("variables", {}):
            raise SchemaError(f"there is no variable `{variable}` in the schema", variable)
        changed = self._copy()
        section = changed["variables"][variable]
        for key, value in changes.items():
            if value is None:
                section.pop(key, None)
            else:
                section[key] = _plain(value)
                if key in ("levels", "range"):
                    # A person said so.
                    section.pop("domain", None)
        return self._of(changed)

    def rule(self, when: str, then: str) -> Schema:
        """The schema with a rule: when the one condition holds, the other must."""
        changed = self._copy()
        changed.setdefault("rules", []).append({"when": when, "then": then})
        return self._of(changed)

    def impossible(self, where: str) -> Schema:
        """The schema with a condition that no record can meet."""
        changed = self._copy()
        changed.setdefault("impossible", []).append({"where": where})
        return self._of(changed)

    def of_table(self, **facts: object) -> Schema:
        """The schema with something else said of the whole table, such as `unit="person"` or `unit_id="household"`."""
        changed = self._copy()
        section = changed.setdefault("table", {})
        for key, value in facts.items():
            if value is None:
                section.pop(key, None)
            else:
                section[key] = _plain(value)
        return self._of(changed)

    def declare(self, reason: str) -> Schema:
        """The schema, declared public by a person for this reason, which is published. It must leave nothing to be read off the records."""
        if not isinstance(reason, str) or not reason.strip():
            raise UsageError("argument `reason`: say in words why the domain may be taken as public, such as \"code book 2024\"")
        declared = self.of_table(declared=True, reason=reason)
        _native.schema_check(declared.to_toml())
        return declared

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Writes the schema file, which only its owner can read: a draft holds levels and ranges of the records."""
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if replace else os.O_EXCL)
        try:
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
                file.write(self._toml)
        except FileExistsError:
            raise UsageError(f"{os.fspath(path)} exists; choose another name, or say `replace=True`") from None

    def to_toml(self) -> str:
        """The schema as its file."""
        return self._toml

    def _copy(self) -> dict[str, Any]:
        return json.loads(json.dumps(self._table))  # type: ignore[no-any-return]

    def _of(self, changed: dict[str, Any]) -> Schema:
        return Schema(_native.schema_toml(json.dumps(changed)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._table == other._table

    def __hash__(self) -> int:
        return hash(self._toml)

    def __str__(self) -> str:
        return self._toml

    def __repr__(self) -> str:
        state = "declared" if self.declared else "not declared"
        return f"<lookalike.Schema of {len(self._table.get('variables', {}))} variables, {state}>"

    def _repr_html_(self) -> str:
        rows = []
        for name, said in self._table.get("variables", {}).items():
            domain = said.get("levels", said.get("range", said.get("formula", "")))
            shown = ", ".join(map(str, domain)) if isinstance(domain, list) else str(domain)
            rows.append([name, said.get("kind", ""), shown if len(shown) < 80 else shown[:77] + "…", bool(said.get("missing"))])
        if self.declared:
            head = f"<p>Declared public: {escape(self.reason)}</p>"
        else:
            head = banner("Not declared: what was learned from records is theirs. Review it, then declare it with a reason.")
        return block(head, table(["variable", "kind", "domain", "may be missing"], rows))


def _plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value
