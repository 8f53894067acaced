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


def words(name: str, value: Iterable[str]) -> list[str]:
    """The words of any iterable that has an order."""
    wrong = isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable)
    found = [] if wrong else list(value)
    if wrong or not all(isinstance(word, str) for word in found):
        raise TypeError(f"{name}: expected a list of texts, such as ['a8', 'h8'], found {found or value!r}")
    for word in found:
        if len(word.split()) != 1 or not word.isprintable():
            raise ValueError(
                f"{name}: expected texts of one word, without spaces and line ends, found {word!r}"
            )
    return found


def line(name: str, value: str) -> str:
    """A text that stands in one line of the protocol."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {value!r}")
    if not value.strip() or not value.isprintable():
        raise ValueError(f"{name}: expected a text without line ends, found {value!r}")
    return value


def whole(name: str, value: Any, low: int, high: int = (1 << 63) - 1) -> int:
    """A whole number from `low` to `high`."""
    expected = f"{name}: expected a whole number" + (
        f", at least {low}" if high == (1 << 63) - 1 else f" from {low} to {high}"
    )
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{expected}, found {value!r}") from None
    if isinstance(value, bool):
        raise TypeError(f"{expected}, found {value!r}")
    if not low <= number <= high:
        raise ValueError(f"{expected}, found {value!r}")
    return number


def seconds(name: str, value: Any) -> float:
    """A time from 0 to `MAX_SECONDS`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name}: expected a number of seconds, found {value!r}")
    number = float(value)
    if not 0 <= number <= MAX_SECONDS:  # NaN is neither
        raise ValueError(f"{name}: expected seconds from 0 to {MAX_SECONDS:.0f}, found {value!r}")
    return number


def score_text(value: Any) -> str:
    """A score as the protocol writes it: of a number in hundredths, or of a text such as `win 3`."""
    text = str(value)
    if isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value):
        text = f"cp {round(value)}"
    if not re.fullmatch(r"(cp|mate) -?\d{1,9}( (low|upp)erbound)?|(win|loss|draw) \d{1,9}", text, re.ASCII):
        raise ValueError(f"score: expected a number or a text such as 'cp 12' or 'win 3', found {value!r}")
    return text
