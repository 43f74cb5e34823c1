"""The Python of the book and of the examples runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["docs/python.md", "docs/from-sdv.md"]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_of_pages_run(page: str, tmp_path: Path) -> None:
    for needed in ("polars", "pandas", "pyarrow", "duckdb"):
        pytest.importorskip(needed)
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(blocks) >= 1
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", sorted((ROOT / "examples" / "python").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(program: Path, tmp_path: Path) -> None:
    if program.stem == "notebooks":
        pytest.importorskip("nbclient")
        pytest.importorskip("ipykernel")
    for needed in ("polars", "pandas", "pyarrow"):
        pytest.importorskip(needed)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    words = [sys.executable, program, *(["--check"] if program.stem == "notebooks" else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert program.stem == "notebooks" or program.with_suffix(".ipynb").exists(), "make the notebooks with examples/python/notebooks.py"
