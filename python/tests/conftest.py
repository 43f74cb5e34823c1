"""What the tests share: data, the command line beside which the package is held, and frames of every kind."""

from __future__ import annotations

import csv
import os
import random
import subprocess
from pathlib import Path

import pytest

import lookalike as ll

ROOT = Path(__file__).resolve().parents[2]
SD2011 = ROOT.parent / "shared" / "data" / "sd2011.csv"
# Enough of the 35 variables for every kind of column.
COLUMNS = ["sex", "age", "agegr", "placesize", "edu", "socprof", "marital", "income", "ls", "smoke", "bmi"]


@pytest.fixture(scope="session")
def binary() -> Path:
    """The command line of the same build."""
    found = os.environ.get("LOOKALIKE_BINARY")
    if not found or not Path(found).exists():
        pytest.skip("LOOKALIKE_BINARY names no command line")
    return Path(found)


@pytest.fixture(scope="session")
def sd2011(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,500 records of SD2011."""
    if not SD2011.exists():
        pytest.skip("../shared is not beside the checkout")
    path = tmp_path_factory.mktemp("data") / "sd.csv"
    with SD2011.open(encoding="utf-8") as source, path.open("w", encoding="utf-8", newline="") as target:
        rows = csv.DictReader(source)
        writer = csv.DictWriter(target, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for row, _ in zip(rows, range(1500), strict=False):
            writer.writerow({name: "" if row[name] == "NA" else row[name] for name in COLUMNS})
    return path


@pytest.fixture(scope="session")
def people() -> dict[str, list[object]]:
    """An invented table with every kind of column, an identifier among them."""
    chance = random.Random(1)
    rows = 400
    return {
        "id": [f"P{number:05}" for number in chance.sample(range(99_999), rows)],
        "sex": [chance.choice(["F", "M"]) for _ in range(rows)],
        "age": [chance.randint(16, 90) for _ in range(rows)],
        "town": [chance.choice(["Łódź", "a, b", 'c "d"', None]) for _ in range(rows)],
        "income": [round(chance.lognormvariate(7, 0.5), 2) for _ in range(rows)],
        "smokes": [chance.random() < 0.3 for _ in range(rows)],
    }


@pytest.fixture(scope="session")
def declared() -> ll.Schema:
    """A schema of two variables that a person declared."""
    return ll.Schema(
        '[variables.sex]\nkind = "categorical"\nlevels = ["F", "M"]\n[variables.age]\nkind = "integer"\nrange = [0, 120]\ncuts = [0, 30, 60, 120]\n'
    ).declare("invented for the tests")


def run(binary: Path, *words: object) -> str:
    """What the command line prints."""
    done = subprocess.run([binary, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
