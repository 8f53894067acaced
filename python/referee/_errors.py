"""What an error is about, where its traceback does not say so: a file that hides a module of Python, the place of an
`exit()`, and what an agent has returned. It is loaded before all else, and imports nothing that may be hidden.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, FrameType, TracebackType
    from typing import Any

#: The folder of Python's own modules, and that of this package.
LIBRARY, PACKAGE = os.path.dirname(os.__file__), os.path.dirname(__file__)


def place(code: CodeType, line: int) -> str:
    return f"{os.path.basename(code.co_filename)}, line {line}"


def frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames of a traceback with their lines, but for those of this package and of Python."""
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if os.path.dirname(file) not in (LIBRARY, PACKAGE) and not file.startswith("<frozen"):
            yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def exit_words(error: SystemExit) -> str:
    """Where a program has called `exit()`."""
    places = [place(frame.f_code, line) for frame, line in frames(error.__traceback__)]
    return f"{places[-1] if places else 'the program'} calls exit(), which ends the program"


# A file that hides a module


def hidden(error: BaseException | None) -> str:
    """The sentence about a file with the name of a module of Python which this error or its cause is about."""
    seen: list[BaseException] = []
    while error and error not in seen:
        seen.append(error)
        for word in str(error).split("'")[1::2] if isinstance(error, (AttributeError, ImportError)) else []:
            name = word.partition(".")[0]
            own = os.path.join(LIBRARY, name)
            if name.isidentifier() and (os.path.isfile(own + ".py") or os.path.isdir(own)):
                found = getattr(sys.modules.get(name), "__file__", None)
                places = [found or "", *(os.path.join(os.path.abspath(path), name + ".py") for path in sys.path)]
                for file in places:
                    if os.path.dirname(file) != LIBRARY and os.path.isfile(file) and not file.startswith(own):
                        return (
                            f"{file} has the name of Python's own module `{name}`, so only one of the two is found: "
                            f"rename the file, for example to my_{name}.py, and change its name in all imports"
                        )
        error = error.__cause__ or error.__context__
    return ""


def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Shows an error that ends the program, and the file that has caused it."""
    shown(kind, error, trace)
    if text := hidden(error):
        print(f"ImportError: {text}", file=sys.stderr, flush=True)


shown, sys.excepthook = sys.excepthook, show


# What an agent has returned


class AnswerError(Exception):
    """A bot could not use what the agent of a submission has answered."""

    __module__ = "builtins"  # a short name in tracebacks


def explained(bot: Any, error: BaseException) -> AnswerError | None:
    """An error that says more than this one of the method that asks an agent: the arguments of the function that failed,
    and the functions of the agent that the method calls, or the answer of the program. None if there is no more to say.
    """
    from ._child import ChildError

    own = asking(bot)
    trace = [*frames(error.__traceback__)]
    files = [frame.f_code.co_filename for frame, _ in trace]
    start = next((at for at, (frame, _) in enumerate(trace) if own and frame.f_code is own.__code__), None)
    if start is None or isinstance(error, ChildError) or not isinstance(error, Exception):
        return None
    called = agent_functions(bot)
    if not (is_separate() or files[-1] == rules_file(bot) or bot._heard):
        return None  # it may be an error of the agent, whose place the traceback has
    if {code.co_filename for code in called} & {*files[start:]}:
        return None
    more = [f"the program has answered {bot._heard}"] if bot._heard else calls(bot, called)
    frame, line = trace[-1]
    where = f"{frame.f_code.co_name}({given(frame)}) of {place(frame.f_code, line)}"
    return AnswerError("; ".join([f"{type(error).__name__}: {error}, in {where}", *more])) if more else None


def given(frame: FrameType) -> str:
    """The arguments of a function."""
    from ._values import shown as text_of

    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    values = {name: frame.f_locals[name] for name in names if name != "self" and name in frame.f_locals}
    return ", ".join(f"{name}={text_of(value)}" for name, value in values.items())


def asking(bot: Any) -> Any:
    """The function that asks an agent; None if it is none of Python's own."""
    method = getattr(bot, bot._method)
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return method if hasattr(method, "__code__") else None


def calls(bot: Any, called: Sequence[CodeType]) -> list[str]:
    """Which functions of an agent a bot calls, as a sentence."""
    names = " and ".join(f"{code.co_name}() of {place(code, code.co_firstlineno)}" for code in called)
    file = os.path.basename(asking(bot).__code__.co_filename) if called else ""
    return [f"{bot._method}() of {file} calls {names}"] if called else []


def source(bot: Any) -> list[str]:
    """Where what a bot has returned comes from, as a sentence: the functions of the agent, or its own one."""
    own = asking(bot)
    own_place = [f"{bot._method}() is that of {place(own.__code__, own.__code__.co_firstlineno)}"] if own else []
    return calls(bot, agent_functions(bot)) or own_place


def agent_functions(bot: Any) -> list[CodeType]:
    """The functions that a bot calls by their names where it asks an agent, and which are not the course's."""
    function, found = asking(bot), []
    if function is None:
        return []
    own, things = function.__code__, {id(bot): bot}
    for name in own.co_names:
        for thing in [*things.values()]:
            kind = thing if isinstance(thing, type) else type(thing)
            for one in (getattr(thing, "__dict__", {}).get(name), getattr(kind, name, None)):
                things[id(one)] = one
        one = function.__globals__.get(name)
        things[id(one)] = one
    course = {own.co_filename, rules_file(bot)}
    for thing in things.values():
        code = getattr(thing, "__code__", None)
        if code and code not in found and code.co_name in own.co_names and code.co_filename not in course:
            if is_of_agent(os.path.abspath(os.path.dirname(code.co_filename))):
                found.append(code)
    return found


def rules_file(bot: Any) -> str:
    return getattr(sys.modules.get(type(bot.game).__module__), "__file__", None) or ""


def is_separate() -> bool:
    """Whether the submission has a folder of its own beside that of the wrapper."""
    return len(sys.argv) > 1 and os.path.isdir(sys.argv[1])


def is_of_agent(folder: str) -> bool:
    """Whether files of this folder may be those of an agent."""
    others = [LIBRARY, PACKAGE, *([os.path.abspath(sys.path[0])] if is_separate() else [])]
    return folder not in others and "-packages" not in folder
