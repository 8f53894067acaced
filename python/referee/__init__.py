"""Bots, rules programs, engines and result files for `lodestone` and `referee`.

| name | use |
|---|---|
| `Bot` | a bot: a class with one method |
| `Bridge`, `Client`, `FileProgram`, `Anytime` | bots that ask programs and agents as they are |
| `rules` | the rules of a game: a class with five methods |
| `games`, `boards` | Magnetic Cave and Gridlock; what games on rectangular boards share |
| `Engine`, `Limit` | any engine or bot that speaks UCI or UGI |
| `results` | result files and ratings |

The parts are loaded on first use. A bot needs only `bot`, `rules`, `games`, `boards` and `_values`, a bridge also
`bridge`, `client`, `programs` or `anytime`. Names that begin with `_` are not for other programs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import anytime, boards, bot, bridge, client, engine, games, programs, results, rules
    from .anytime import Anytime
    from .bot import AnyGame, Bot, Limits
    from .bridge import Bridge, ChildError
    from .client import Client
    from ._process import EngineError, EngineTerminatedError, EngineTimeoutError
    from .engine import Analysis, Engine, Info, Limit, Option, PlayResult, Score
    from .programs import FileProgram

__all__ = [
    "Analysis",
    "AnyGame",
    "Anytime",
    "Bot",
    "Bridge",
    "ChildError",
    "Client",
    "Engine",
    "EngineError",
    "EngineTerminatedError",
    "EngineTimeoutError",
    "FileProgram",
    "Info",
    "Limit",
    "Limits",
    "Option",
    "PlayResult",
    "Score",
    "anytime",
    "boards",
    "bot",
    "bridge",
    "client",
    "engine",
    "games",
    "programs",
    "results",
    "rules",
]
HOMES = {"AnyGame": "bot", "Anytime": "anytime", "Bot": "bot", "FileProgram": "programs", "Limits": "bot"}
HOMES |= {"Bridge": "bridge", "ChildError": "bridge", "Client": "client"}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers know the names from the imports above

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name.islower():
            return importlib.import_module(f"{__name__}.{name}")
        return getattr(importlib.import_module(f"{__name__}.{HOMES.get(name, 'engine')}"), name)
