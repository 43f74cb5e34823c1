"""What notebooks show: plain HTML without script, with everything escaped."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence

CONFIDENTIAL = "Confidential: this holds exact figures of the original data. Not to leave the house."

_BANNER = (
    '<p style="border:2px solid #b3261e;color:#b3261e;background:#fff;padding:.4em .8em;font-weight:bold" role="note">{}</p>'
)


def escape(text: object) -> str:
    """The text as HTML."""
    return html.escape(str(text))


def banner(text: str = CONFIDENTIAL) -> str:
    """A warning above everything else."""
    return _BANNER.format(escape(text))


def number(value: object) -> str:
    """A figure as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table."""
    top = "".join(f'<th scope="col" style="text-align:left">{escape(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(number(value))}</td>' for value in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def text(words: str) -> str:
    """Text as it stands."""
    return f'<pre style="white-space:pre-wrap">{escape(words)}</pre>'


def folded(title: str, inside: str) -> str:
    """Something to open."""
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def picture(svg: str, description: str) -> str:
    """A picture that cannot run anything or change the page."""
    coded = base64.b64encode(svg.encode()).decode()
    return f'<img style="max-width:100%;background:#fff" alt="{escape(description)}" src="data:image/svg+xml;base64,{coded}">'


def block(*parts: str) -> str:
    """Everything together."""
    return '<div class="lookalike">' + "".join(parts) + "</div>"
