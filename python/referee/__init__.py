"""Bots, rules programs, engines and result files for `lodestone` and `referee`.

| name | use |
|---|---|
| `Bot` | a bot: a class with one method |
| `Bridge`, `Client`, `Server`, `FileProgram`, `Anytime` | bots that ask programs and agents as they are |
| `rules` | the rules of a game: a class with five methods |
| `games`, `boards` | Magnetic Cave and Gridlock; what games on rectangular boards share |
| `Engine`, `Limit` | any engine or bot that speaks UCI or UGI |
| `results` | result files and ratings |

The parts are loaded on first use. A bot needs only `bot`, `rules`, `games`, `boards` and `_values`, a bridge also
`bridge`, `client`, `programs` or `anytime`. Names that begin with `_` are not for other programs.
"""

from __future__ import annotations

from . import _errors  # before what it is about

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import anytime, boards, bot, bridge, client, engine, games, programs, results, rules
    from .anytime import Anytime
    from .bot import AnyGame, Bot, Clock, Limits
    from .bridge import Bridge, ChildError
    from .client import Client, Server
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
    "Clock",
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
    "Server",
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
HOMES = {"AnyGame": "bot", "Anytime": "anytime", "Bot": "bot", "Clock": "bot", "FileProgram": "programs", "Limits": "bot"}
HOMES |= {"Bridge": "bridge", "ChildError": "bridge", "Client": "client", "Server": "client"}


def __dir__() -> list[str]:
    return __all__


if not TYPE_CHECKING:  # type checkers know the names from the imports above

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            module = importlib.import_module(f"{__name__}.{name if name.islower() else HOMES.get(name, 'engine')}")
        except AttributeError as error:  # from it, Python would conclude that this package lacks the name
            raise ImportError(f"{name} of {__name__!r} cannot be loaded: {error}") from error
        return module if name.islower() else getattr(module, name)
