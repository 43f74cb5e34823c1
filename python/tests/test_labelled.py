"""A file that another program wrote goes in, and synthetic records come out in its format with all that it says beside its values."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import Any

import pytest

from .conftest import run

pd = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")

NAMES = {"sex": "Sex of the person", "income": "Income a month", "born": "Day of birth", "city": "City"}
LABELS = {"sex": {1.0: "male", 2.0: "female", 9.0: "no answer"}, "income": {-8.0: "not applicable", -9.0: "refused"}}
MISSING = {"sex": [{"lo": 9.0, "hi": 9.0}], "income": [{"lo": -9.0, "hi": -8.0}]}


@pytest.fixture(scope="module")
def people() -> Any:
    """Records with user-missing values of both kinds, a date and a text."""
    chance = random.Random(3)
    first = datetime.date(1940, 1, 1)
    rows = 600
    return pd.DataFrame(
        {
            "sex": [float(chance.choice([1, 1, 1, 2, 2, 2, 9])) for _ in range(rows)],
            "income": [chance.choice([-9.0, -8.0]) if chance.random() < 0.2 else round(chance.lognormvariate(7, 0.4)) for _ in range(rows)],
            "born": [first + datetime.timedelta(days=chance.randrange(20_000)) for _ in range(rows)],
            "city": [chance.choice(["Bern", "Zürich", "Genf"]) for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_spss(people: Any, ending: str, binary: Path, tmp_path: Path) -> None:
    given = tmp_path / f"given.{ending}"
    names = list(NAMES.values())
    pyreadstat.write_sav(people, given, column_labels=names, variable_value_labels=LABELS, missing_ranges=MISSING, compress=ending == "zsav")
    run(binary, "synth", given, "--seed", 1, "--format", ending, "--out", tmp_path / "out", "--quiet")
    made, meta = pyreadstat.read_sav(tmp_path / "out" / f"synthetic-1.{ending}", user_missing=True)
    assert meta.column_names_to_labels == NAMES
    assert meta.variable_value_labels == LABELS
    assert meta.missing_ranges == MISSING
    assert len(made) == len(people) and set(made["sex"]) == {1.0, 2.0, 9.0} and {-9.0, -8.0} < set(made["income"])
    assert set(made["city"]) == set(people["city"])
    assert all(isinstance(day, datetime.date) for day in made["born"]) and made["born"].min() >= people["born"].min()


def test_stata(people: Any, binary: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.dta"
    labels = {name: {int(code): text for code, text in of.items()} for name, of in LABELS.items()}
    whole = people.astype({"sex": int, "income": int})
    pyreadstat.write_dta(whole, given, column_labels=list(NAMES.values()), variable_value_labels=labels, version=14)
    run(binary, "synth", given, "--seed", 1, "--format", "dta", "--out", tmp_path / "out", "--quiet")
    made, meta = pyreadstat.read_dta(tmp_path / "out" / "synthetic-1.dta")
    assert meta.column_names_to_labels == NAMES
    assert meta.variable_value_labels == labels
    assert set(made["sex"]) == {1, 2, 9} and all(isinstance(day, datetime.date) for day in made["born"])


def test_what_is_damaged_is_named(people: Any, binary: Path, tmp_path: Path) -> None:
    import subprocess

    given = tmp_path / "given.sav"
    pyreadstat.write_sav(people, given)
    whole = given.read_bytes()
    for damaged in (b"", whole[:100], whole[: len(whole) // 2], b"$FL2" + bytes(2000), whole[:176] + bytes(64) + whole[240:]):
        given.write_bytes(damaged)
        done = subprocess.run([binary, "describe", given], capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2), (done.returncode, done.stderr)
        assert done.stderr.startswith("error: ") and "given.sav" in done.stderr and "panicked" not in done.stderr
