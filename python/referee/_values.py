"""Arguments as checked values. Each function returns one, or raises an error that names the argument.

>>> words("moves", iter(["a8", "h8"]))
['a8', 'h8']
>>> whole("depth", 0, 1, 99)
Traceback (most recent call last):
ValueError: depth: expected a whole number from 1 to 99, found 0
>>> score_text(11.7), score_text("win 3")
('cp 12', 'win 3')
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

#: The longest time that engines can read: as milliseconds, it has 31 bits.
MAX_SECONDS = 2_147_483.0
#: The largest score in hundredths that is written; larger ones and infinity are written as this one.
MAX_SCORE = 1_000_000


def shown(value: Any) -> str:
    """A value in a message."""
    try:
        text = repr(value)
    except Exception:  # such as of a number with too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:80] + "…"


def is_number(value: Any) -> bool:
    """Whether this is a finite number of any type."""
    return isinstance(value, Real) and not isinstance(value, bool) and value - value == 0


def words(name: str, value: Iterable[str]) -> list[str]:
    """The words of any iterable that has an order."""
    wrong = isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable)
    found = [] if wrong else list(value)
    if wrong or not all(isinstance(word, str) for word in found):
        raise TypeError(
            f"{name}: expected a list of texts, such as ['a8', 'h8'], found {shown(found or value)}"
        )
    for word in found:
        if word.split() != [word] or not word.isprintable():
            raise ValueError(
                f"{name}: expected single words, without spaces and newlines, found {shown(word)}"
            )
    return [str.__str__(word) for word in found]  # not the name of a member of an Enum


def line(name: str, value: str) -> str:
    """A text that stands in one line of the protocol."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, found {shown(value)}")
    if not value.strip() or not value.isprintable():
        raise ValueError(f"{name}: expected a string without newlines, found {shown(value)}")
    return str.__str__(value)


def whole(name: str, value: Any, low: int, high: int = (1 << 63) - 1) -> int:
    """A whole number from `low` to `high`."""
    expected = f"{name}: expected a whole number" + (
        f", at least {low}" if high == (1 << 63) - 1 else f" from {low} to {high}"
    )
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{expected}, found {shown(value)}") from None
    if isinstance(value, bool):
        raise TypeError(f"{expected}, found {shown(value)}")
    if not low <= number <= high:
        raise ValueError(f"{expected}, found {shown(value)}")
    return number


def seconds(name: str, value: Any) -> float:
    """A time from 0 to `MAX_SECONDS`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a number of seconds, found {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number <= MAX_SECONDS:  # NaN is neither
        raise ValueError(f"{name}: expected seconds from 0 to {MAX_SECONDS:.0f}, found {shown(value)}")
    return number


def score_text(value: Any) -> str:
    """A score as the protocol writes it: of a number in hundredths, or of a text such as `win 3`.

    >>> score_text(float("-inf"))
    'cp -1000000'
    """
    if isinstance(value, Real) and not isinstance(value, bool) and value == value:
        bounded: Any = min(max(value, -MAX_SCORE), MAX_SCORE)
        text = f"cp {round(bounded)}"
    else:
        text = str(value)
    if not re.fullmatch(r"(cp|mate) -?\d{1,9}( (low|upp)erbound)?|(win|loss|draw) \d{1,9}", text, re.ASCII):
        raise ValueError(
            f"score: expected a number or a text such as 'cp 12' or 'win 3', found {shown(value)}"
        )
    return text
