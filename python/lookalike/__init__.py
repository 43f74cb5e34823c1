"""Synthetic versions of confidential tables, with the evidence of how useful and how risky each one is.

>>> import lookalike as ll
>>> synthetic = ll.Usual().fit(frame).sample()                      # doctest: +SKIP
>>> print(ll.measure(frame, synthetic))                             # doctest: +SKIP
"""

from ._base import Option, Synthesizer, Usual, load
from ._counts import Counts
from ._errors import (
    BudgetError,
    ConfidentialWarning,
    LimitsError,
    LookalikeError,
    OptionError,
    RefusedError,
    Remark,
    SchemaError,
    SchemaNotDeclared,
    UsageError,
    ViolationsError,
)
from ._frames import Frame
from ._jobs import describe, fit, frontier, measure, measures, methods, plan, read_frontier, release, verify
from ._methods import *  # noqa: F403
from ._methods import __all__ as _method_names
from ._native import __version__, set_threads, threads
from ._results import (
    Contestant,
    Estimates,
    Finding,
    Findings,
    Frontier,
    Ledger,
    Plan,
    Release,
    SpendingPlan,
    Verification,
    Written,
)
from ._schema import Description, Schema

__all__ = [
    "BudgetError",
    "ConfidentialWarning",
    "Contestant",
    "Counts",
    "Description",
    "Estimates",
    "Finding",
    "Findings",
    "Frame",
    "Frontier",
    "Ledger",
    "LimitsError",
    "LookalikeError",
    "Option",
    "OptionError",
    "Plan",
    "RefusedError",
    "Release",
    "Remark",
    "Schema",
    "SchemaError",
    "SchemaNotDeclared",
    "SpendingPlan",
    "Synthesizer",
    "UsageError",
    "Usual",
    "Verification",
    "ViolationsError",
    "Written",
    "__version__",
    "describe",
    "fit",
    "frontier",
    "load",
    "measure",
    "measures",
    "methods",
    "plan",
    "read_frontier",
    "release",
    "set_threads",
    "threads",
    "verify",
]
__all__ += _method_names
