"""Messages of the library in the words of Python: arguments instead of the options of a command line."""

from __future__ import annotations

import re

# Options whose argument has another name here.
_ARGUMENTS = {
    "force": "replace",
    "limit": "limits",
    "model": "models",
    "family": "family",
    "order": "orders",
    "estimate": "estimates",
    "contestant": "contestants",
    "save-model": "save",
    "write-schema": "schema",
}

# Sentences that name commands.
_SENTENCES = (
    (re.compile(r"`lookalike describe DATA(?: --schema \w+)? --write-schema(?: \w+)?`"), "`Schema.draft(data)`"),
    (re.compile(r"`lookalike describe --write-schema`"), "`Schema.draft(data)`"),
    (re.compile(r"see `lookalike measures`"), "see `lookalike.measures()`"),
    (re.compile(r"`lookalike methods`"), "`lookalike.methods()`"),
    (re.compile(r"say --force"), "say `replace=True`"),
    (re.compile(r"--force must not"), "`replace=True` must not"),
    (re.compile(r"such as --epsilon 1\b"), "such as `epsilon=1`"),
    (re.compile(r"the file lacks"), "the data lack"),
    (re.compile(r"for example with `tr [^`]*`"), "for example with a text editor"),
)

_QUOTED_OPTION = re.compile(r"`--([a-z][a-z-]*)(?: ([^`]*))?`")
_OPTION = re.compile(r"(?<![\w`-])--([a-z][a-z-]*)")
_NAMED_OPTION = re.compile(r"option `([^`]+)`")


def argument(option: str) -> str:
    """The argument that an option of the command line is here; names of variables stay as they are."""
    return option if not re.fullmatch(r"[a-z-]+", option) else _ARGUMENTS.get(option, option).replace("-", "_")


def in_python(message: str) -> str:
    """The message in the words of Python."""
    for pattern, words in _SENTENCES:
        message = pattern.sub(words, message)
    message = _QUOTED_OPTION.sub(lambda found: f"`{argument(found[1])}={found[2] or ''}`", message)
    message = _OPTION.sub(lambda found: f"`{argument(found[1])}=`", message)
    return _NAMED_OPTION.sub(lambda found: f"argument `{argument(found[1])}`", message)
