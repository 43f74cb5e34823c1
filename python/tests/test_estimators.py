"""Methods have the manners of scikit-learn, and their settings are those of the cards."""

from __future__ import annotations

import inspect
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

import lookalike as ll
from lookalike import _methods

from .conftest import run

pl = pytest.importorskip("polars")
ALL = [*_methods.CLASSES.values(), ll.Usual]


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.__name__)
def test_settings_are_kept_as_they_are_given(method: type[ll.Synthesizer]) -> None:
    made = method()
    assert made.get_params() == {one.name: one.default for one in list(inspect.signature(method).parameters.values())}
    marks = {name: object() for name in made.get_params()}
    again = method(**marks)
    assert all(getattr(again, name) is mark for name, mark in marks.items())
    assert again.set_params(m=3) is again and again.m == 3  # type: ignore[attr-defined]
    with pytest.raises(ll.OptionError, match="has no setting `nothing`"):
        made.set_params(nothing=1)
    assert not made.__sklearn_is_fitted__()
    with pytest.raises(ll.UsageError, match="not fitted"):
        made.sample()


@pytest.mark.parametrize("method", ALL, ids=lambda method: method.__name__)
def test_scikit_learns_checks_of_settings(method: type[ll.Synthesizer]) -> None:
    sklearn = pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.utils import estimator_checks as checks

    assert sklearn
    checks.check_get_params_invariance(method.__name__, method())
    checks.check_set_params(method.__name__, method())
    checks.check_no_attributes_set_in_init(method.__name__, method())
    assert clone(method(seed=4)).get_params() == method(seed=4).get_params()


def test_every_option_of_a_card_is_a_setting_and_its_default_changes_nothing() -> None:
    for card in ll.methods():
        method = _methods.CLASSES[card["name"]]
        assert set(method._options.values()) == {option["name"] for option in card["options"]}
        assert ("epsilon" in method().get_params()) == (card["privacy"] is not None)
        assert card["summary"].split()[0].lower() in (method.__doc__ or "").lower()


def test_unknown_settings_and_options_are_refused(people: dict[str, list[object]]) -> None:
    with pytest.raises(TypeError):
        ll.Sequential(nothing=1)  # type: ignore[call-arg]
    with pytest.raises(ll.OptionError) as raised:
        ll.Sequential(depth="deep").fit(pl.DataFrame(people))
    assert raised.value.option == "depth"
    with pytest.raises(ll.OptionError, match="argument `variables.nobody`: there is no variable `nobody`"):
        ll.Sequential(variables={"nobody": {"method": "cart"}}).fit(pl.DataFrame(people))


@pytest.mark.parametrize("wrong", [{"rows": -5}, {"m": 1.5}, {"seed": "a"}, {"epsilon": "a"}, {"strata": "sex"}, {"small_table": True}, {"after": 3}])
def test_a_setting_of_a_wrong_type_is_named(people: dict[str, list[object]], wrong: dict[str, Any]) -> None:
    with pytest.raises(ll.OptionError) as raised:
        ll.Ipf(**wrong).fit(pl.DataFrame(people))
    assert raised.value.option in wrong and f"`{raised.value.option}`" in str(raised.value)


def test_one_seed_one_output_and_no_seed_another(people: dict[str, list[object]]) -> None:
    frame = pl.DataFrame(people)
    seeded = ll.Catall(seed=5).fit(frame)
    first = seeded.sample(50)
    assert first.equals(seeded.sample(50)) and first.equals(ll.Catall(seed=5).fit(frame).sample(num_rows=50))
    assert not first.equals(seeded.sample(50, seed=6))
    free = ll.Catall().fit(frame)
    assert not free.sample(50).equals(free.sample(50))
    assert [len(one) for one in seeded.sample(20, m=3)] == [20, 20, 20]
    assert len(ll.Catall(m=2, rows=9, seed=1).fit(frame).sample()) == 2
    for wrong in ({"rows": 0}, {"rows": 2.5}, {"rows": 3, "num_rows": 3}, {"m": 0}, {"seed": -1}):
        with pytest.raises(ll.OptionError):
            seeded.sample(**wrong)


def test_models_are_pickled_as_their_files(people: dict[str, list[object]], tmp_path: Path, binary: Path) -> None:
    frame = pl.DataFrame(people)
    model = ll.Ipf(seed=5, margins="all1").fit(frame)
    with pytest.warns(ll.ConfidentialWarning):
        bytes_ = pickle.dumps(model)
    again = pickle.loads(bytes_)
    assert again.get_params() == model.get_params()
    assert again.sample(30).equals(model.sample(30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ll.ConfidentialWarning)
        model.save(tmp_path / "m.model")
    assert (tmp_path / "m.model").stat().st_mode & 0o077 == 0
    run(binary, "sample", tmp_path / "m.model", "--rows", 30, "--seed", 5, "--out", tmp_path / "out", "--quiet")
    loaded = ll.load(tmp_path / "m.model")
    assert loaded.sample(30, seed=5).to_csv() == (tmp_path / "out" / "synthetic-1.csv").read_text(encoding="utf-8")
    assert pickle.loads(pickle.dumps(ll.Ipf(seed=5))).get_params()["seed"] == 5
    with pytest.raises(ll.LookalikeError):
        ll.load(__file__)


def test_what_a_fit_has_to_say_is_seen(people: dict[str, list[object]]) -> None:
    with pytest.warns(ll.Remark, match="made new, because they name units: `id`") as heard:
        model = ll.Usual().fit(pl.DataFrame(people))
    assert heard[0].filename == __file__ and all(remark in str(heard[0].message) for remark in model.remarks_)


def test_small_tables_are_refused_as_by_the_command_line() -> None:
    small: Any = pl.DataFrame({"sex": ["F", "M"] * 5})
    with pytest.raises(ll.RefusedError, match="`small_table`"):
        ll.Usual().fit(small)
    assert len(ll.Catall(small_table="invented").fit(small).sample()) == 10
