"""Writes lookalike/_methods.py, one class a method, from the methods' cards; --check only says whether it is as it should be.

    python3 python/generate_methods.py [CARDS.json] [--check]

The cards are those of the file that the command `methods --json CARDS.json` writes, or of the native part that `make python` builds."""

from __future__ import annotations

import importlib.util
import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "lookalike" / "_methods.py"

COMMON = [("m", "int", "1"), ("rows", "int | None", "None"), ("seed", "int | None", "None"), ("strata", "Sequence[str]", "()"), ("groups", "int", "5")]
PRIVATE = [
    ("epsilon", "float | None", "None"),
    ("delta", "float | None", "None"),
    ("rho", "float | None", "None"),
    ("neighbours", "str | None", "None"),
    ("records", "int | None", "None"),
    ("insecure_test_seed", "int | None", "None"),
]
BESIDE = [("after", "Mapping[str, Any] | None", "None"), ("learned_schema", "str | None", "None"), ("small_table", "str | None", "None")]
LONG = [("resume", "str | os.PathLike[str] | None", "None"), ("memory", "int | None", "None")]
SECTIONS = {"variables", "auxiliary"}

HEAD = '''"""One class a method, written by python/generate_methods.py from the methods' cards. Do not edit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ._base import Option, Synthesizer
'''


def cards_of(words: list[str]) -> list[dict]:
    """The cards, from a file, or from the native part alone, so that this runs before the classes are there."""
    files = [word for word in words if not word.startswith("--")]
    if files:
        return json.loads(Path(files[0]).read_text(encoding="utf-8"))
    where = next(HERE.glob("lookalike/_native*.so"), None) or next(HERE.glob("lookalike/_native*.pyd"))
    spec = importlib.util.spec_from_file_location("lookalike._native", where)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return json.loads(module.methods()[1])


def class_name(method: str) -> str:
    return "".join(part.capitalize() for part in method.split("-"))


def wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 140, initial_indent=" " * indent, subsequent_indent=" " * indent)


def class_of(card: dict) -> str:
    taken = {name for name, _, _ in COMMON + PRIVATE + BESIDE + LONG}
    options = {}
    for option in card["options"]:
        name = option["name"]
        clashes = keyword.iskeyword(name) or name in taken
        options[f"option_{name}" if clashes else name] = option
    own = [(name, "Mapping[str, Any] | None" if name in SECTIONS else "Option", "None") for name in options]
    settings = own + COMMON + (PRIVATE if card["privacy"] else []) + BESIDE + LONG
    lines = [f"class {class_name(card['name'])}(Synthesizer):"]
    doc = wrapped(f"{card['summary'][0].upper()}{card['summary'][1:].rstrip('.')}.", 4)
    lines.append('    """' + doc[0].strip())
    lines += doc[1:]
    lines += [""] + wrapped(f"Use it when {card['use_when'].rstrip('.')}.", 4)
    if options:
        lines += ["", "    Options, None for what is usual:", ""]
        for name, option in options.items():
            lines += wrapped(f"{name}: {option['meaning']} [{option['default']}]", 8)
    lines += [""] + wrapped(f"Source: {card['citation'].rstrip('.')}.", 4) + ['    """', ""]
    lines.append(f"    _method: ClassVar[str | None] = {json.dumps(card['name'])}")
    written = ", ".join(f"{json.dumps(name)}: {json.dumps(option['name'])}" for name, option in options.items())
    lines += [f"    _options: ClassVar[Mapping[str, str]] = {{{written}}}", "", "    def __init__(", "        self,"]
    if settings:
        lines.append("        *,")
    lines += [f"        {name}: {kind} = {usual}," for name, kind, usual in settings]
    lines.append("    ) -> None:")
    lines += [f"        self.{name} = {name}" for name, _, _ in settings]
    return "\n".join(lines).replace("\\", "\\\\")


def main() -> int:
    cards = cards_of(sys.argv[1:])
    names = [class_name(card["name"]) for card in cards]
    parts = [HEAD] + [f"\n{class_of(card)}\n" for card in cards]
    classes = "\n".join(f"    {json.dumps(card['name'])}: {name}," for card, name in zip(cards, names, strict=True))
    exported = "\n".join(f"    {json.dumps(name)}," for name in names)
    parts.append(f"\n# By the names of recipes.\nCLASSES: dict[str, type[Synthesizer]] = {{\n{classes}\n}}\n\n__all__ = [\n{exported}\n]\n")
    text = "\n".join(parts)
    if "--check" in sys.argv:
        same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
        if not same:
            print("python/lookalike/_methods.py is not what the cards say; run `make python-methods`", file=sys.stderr)
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
