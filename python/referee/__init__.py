"""Bots, rules programs, engines and result files for `lodestone` and `referee`.

| name | use |
|---|---|
| `Bot` | a bot: a class with one method |
| `rules` | the rules of a game: a class with five methods |
| `games`, `boards` | Magnetic Cave and Gridlock; what games on rectangular boards share |
| `Engine`, `Limit` | any engine or bot that speaks UCI or UGI |
| `results` | result files and ratings |
| `values` | arguments as checked values |

The parts are loaded on first use. A bot needs only `bot`, `rules`, `games`, `boards` and `values`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import boards, bot, engine, games, results, rules, values
    from .bot import AnyGame, Bot, Limits
    from ._process import EngineError, EngineTerminatedError, EngineTimeoutError
    from .engine import Analysis, Engine, Info, Limit, Option, PlayResult, Score

__all__ = [
    "Analysis",
    "AnyGame",
    "Bot",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "Info",
    "Limit",
    "Limits",
    "Option",
    "PlayResult",
    "Score",
    "boards",
    "bot",
    "engine",
    "games",
    "results",
    "rules",
    "values",
]
HOMES = {"AnyGame": "bot", "Bot": "bot", "Limits": "bot"}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers know the names from the imports above

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name.islower():
            return importlib.import_module(f"{__name__}.{name}")
        return getattr(importlib.import_module(f"{__name__}.{HOMES.get(name, 'engine')}"), name)
