"""How far long work is: a function of one's own, tqdm's bar, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

from ._errors import OptionError

Step = dict[str, Any]
Progress = Union[bool, Callable[[Step], object], None]


@contextmanager
def listener(progress: Progress) -> Iterator[Callable[[str], None] | None]:
    """What the native part calls with each step. An exception that the function raises cancels the work."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        if not callable(progress):
            raise OptionError("argument `progress`: give True for a bar, or a function that takes a dictionary", "progress")
        tell = progress
        yield lambda step: _told(tell, step)
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _Lines()
        return
    bar = _Bar(tqdm)
    try:
        yield bar
    finally:
        bar.close()


def _told(tell: Callable[[Step], object], step: str) -> None:
    tell(json.loads(step))


class _Bar:
    """A bar of tqdm for each kind of step."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm, self._bar, self._kind = tqdm, None, ""

    def __call__(self, text: str) -> None:
        step = json.loads(text)
        total = step.get("of")
        if step["step"] == "estimated" or total is None:
            return
        if step["step"] != self._kind:
            self.close()
            self._kind = step["step"]
            self._bar = self._tqdm(total=total, desc=self._kind, leave=False)
        bar: Any = self._bar
        bar.total = total
        bar.update(step["bytes"] if self._kind == "reading" else step["done"] - bar.n)
        if "what" in step:
            bar.set_postfix_str(str(step["what"]))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Lines:
    """Lines on standard error, where tqdm is not installed."""

    def __init__(self) -> None:
        self._said: tuple[str, int] = ("", -1)

    def __call__(self, text: str) -> None:
        import sys

        step = json.loads(text)
        if not step.get("of") or "done" not in step:
            return
        tenth = 10 * step["done"] // step["of"]
        if (step["step"], tenth) != self._said:
            self._said = (step["step"], tenth)
            print(f"{step['step']}: {step['done']} of {step['of']}", file=sys.stderr)
