"""Why a job was not done. Every exception of the package is a `LookalikeError`; its message names the column or the argument and the way out,
and never a value of the data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ._wording import in_python


class LookalikeError(Exception):
    """Why a job was not done."""


class UsageError(LookalikeError, ValueError):
    """Arguments that do not fit together, or that mean nothing here."""


class OptionError(UsageError):
    """An argument, or an option of a method, that cannot be used as it is given."""

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option


class SchemaError(LookalikeError, ValueError):
    """A column or a schema that cannot be used as it is."""

    def __init__(self, message: str, column: str | None = None) -> None:
        super().__init__(message)
        self.column = column


class ViolationsError(SchemaError):
    """The data do not keep their schema; `counts` says what is broken, how often, and in which row first."""

    def __init__(self, message: str, counts: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message)
        self.counts = list(counts)


class RefusedError(LookalikeError):
    """Refused, because it would disclose what nobody allowed to be disclosed."""


class SchemaNotDeclared(RefusedError):
    """A private run needs a schema that a person has declared public: a domain read off the records is itself a leak."""

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = list(columns)


class BudgetError(RefusedError):
    """A budget that cannot be spent as asked."""


class LimitsError(RefusedError):
    """The version that was made breaks a limit; nothing was released."""


class ConfidentialWarning(UserWarning):
    """What is written or pickled holds confidential material."""


class Remark(UserWarning):
    """What a fit or its draws have to say: what was made new, left inside or replaced, and what a reader should know. `remarks_` keeps it."""


def exception(kind: str, message: str, facts: str) -> BaseException:
    """The exception for an error of the native part, which calls this."""
    about = json.loads(facts)
    words = in_python(message)
    if kind == "cancelled":
        return KeyboardInterrupt(words)
    if kind == "option":
        return OptionError(words, about["option"].lstrip("-").replace("-", "_"))
    if kind == "column":
        return SchemaError(words, about["column"])
    if kind == "schema":
        return SchemaError(words)
    if kind == "violations":
        return ViolationsError(words, about["counts"])
    if kind == "not declared":
        columns = ", ".join(about["columns"])
        return SchemaNotDeclared(
            "a private run needs a declared schema: a domain read off the records is itself a leak, and nobody has declared public what may be in "
            f"{columns}. Draft one with `schema = Schema.draft(data)`, review it against the code book (`print(schema)`, `schema.edit(...)`), declare "
            "it with `schema = schema.declare(reason=...)`, and pass `schema=schema`",
            about["columns"],
        )
    if kind == "budget":
        return BudgetError(words)
    if kind == "refused":
        return RefusedError(words)
    if kind == "limits":
        return LimitsError(words)
    if kind == "usage":
        return UsageError(words)
    return LookalikeError(words)
