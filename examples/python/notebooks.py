"""Makes the notebooks of this folder from the programs beside them, and runs them: python3 examples/python/notebooks.py [--check]

Cells begin at lines `# %%`; those of words at `# %% [markdown]`. With --check the notebooks are run, and nothing is written.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def cells_of(program: str) -> list[nbformat.NotebookNode]:
    """The cells of a program."""
    _, *parts = program.split("\n# %%")
    cells = []
    for at, part in enumerate(parts):
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            words = "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines())
            cell = nbformat.v4.new_markdown_cell(words)
        else:
            ast.parse(body)
            cell = nbformat.v4.new_code_cell(body.strip())
        cell["id"] = f"cell-{at}"
        cells.append(cell)
    return cells


def main() -> int:
    for program in sorted(HERE.glob("*.py")):
        if program.name == Path(__file__).name:
            continue
        notebook = nbformat.v4.new_notebook(cells=cells_of(program.read_text(encoding="utf-8")))
        notebook.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        if "--check" not in sys.argv:
            nbformat.write(notebook, program.with_suffix(".ipynb"))
        print(f"{program.stem}: {len(notebook.cells)} cells run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
