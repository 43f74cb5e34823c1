"""What is generated is as the cards say, what is stated of types is true, and the words are those of Python."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike as ll
from lookalike import _native
from lookalike._wording import in_python

PYTHON = Path(__file__).resolve().parents[1]


def test_the_classes_are_those_of_the_cards() -> None:
    done = subprocess.run([sys.executable, PYTHON / "generate_methods.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_stub_names_what_the_module_has() -> None:
    stub = (PYTHON / "lookalike" / "_native.pyi").read_text(encoding="utf-8")
    for name, member in vars(_native).items():
        if name.startswith("__") and name != "__version__":
            continue
        assert f"def {name}(" in stub or f"class {name}:" in stub or f"{name}:" in stub, name
        if inspect.isclass(member):
            for inner in vars(member):
                assert inner.startswith("__") or f"def {inner}(" in stub, f"{name}.{inner}"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_is_strict_with_the_package_and_the_examples() -> None:
    examples = sorted((PYTHON.parent / "examples" / "python").glob("*.py"))
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file", PYTHON / "pyproject.toml", PYTHON / "lookalike", *examples]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=PYTHON)
    assert done.returncode == 0, done.stdout


def test_everything_public_is_documented() -> None:
    for name in ll.__all__:
        member = getattr(ll, name)
        if inspect.isclass(member) or inspect.isfunction(member):
            assert member.__doc__, name


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("out exists; choose another folder, or say --force", "out exists; choose another folder, or say `replace=True`"),
        ("option `learned-schema`: leave it out", "argument `learned_schema`: leave it out"),
        ("give --original-rows N", "give `original_rows=` N"),
        ("say `--missing NaN` if", "say `missing=NaN` if"),
        ("declare a schema (`lookalike describe DATA --write-schema FILE`)", "declare a schema (`Schema.draft(data)`)"),
        ("ask for all of them with --m", "ask for all of them with `m=`"),
    ],
)
def test_words(said: str, meant: str) -> None:
    assert in_python(said) == meant
