"""Drives the engine with the engine module of python-chess, through boards of our games.

    python check.py PATH_OF_LODESTONE
"""

import asyncio
import logging
import sys
import time

import chess
import chess.engine
from boards import Gridlock, MagneticCave, Move
from chess.engine import Cp, Limit, Mate

WON = "a8 h8 a7 h7 a6 h6 a5 h5".split()


class Messages(logging.Handler):
    """Keeps what python-chess does not understand."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []

    def emit(self, record):
        self.seen.append(record.getMessage())


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def refuses(engine, options):
    try:
        engine.configure(options)
    except chess.engine.EngineError:
        return True
    return False


def after(board, moves):
    for move in moves:
        board.push(Move(move))
    return board


def check_options(engine):
    expect("name", engine.id["name"].split(" ")[0], "Lodestone")
    expect("author", "author" in engine.id, True)
    types = {name: option.type for name, option in engine.options.items()}
    expect(
        "types of options",
        types,
        {
            "UCI_Variant": "combo",
            "Hash": "spin",
            "Clear Hash": "button",
            "Threads": "spin",
            "MultiPV": "spin",
            "Contempt": "spin",
            "Mate Scores": "check",
            "Ponder": "check",
            "Move Overhead": "spin",
            "TablePath": "string",
            "OwnBook": "check",
            "BookFile": "string",
            "Seed": "spin",
            "Personality": "combo",
        },
    )
    expect("range of Hash", (engine.options["Hash"].min, engine.options["Hash"].default), (1, 16))
    expect("variants", engine.options["UCI_Variant"].var, ["magnetic-cave", "gridlock"])
    for _ in range(100):
        engine.ping()
    engine.configure({"Hash": 32, "Threads": 2, "Move Overhead": 20, "Personality": "plain"})
    engine.configure({"Clear Hash": None})
    engine.ping()
    expect("Hash below its range", refuses(engine, {"Hash": 0}), True)
    expect("an unknown personality", refuses(engine, {"Personality": "nobody"}), True)
    engine.configure({"Hash": 16, "Threads": 1, "Personality": "lodestone", "Seed": 4294967295})
    engine.protocol.debug(True)
    engine.protocol.debug(False)
    engine.ping()


def play_game(engine, board, limit, **options):
    """Plays a game; each move of the engine must be legal, or python-chess refuses it."""
    game = object()
    while board.moves():
        board.push(engine.play(board, limit, game=game, **options).move)


def check_games(engine):
    # A personality is set before the variant: python-chess sets the variant with `position`.
    engine.configure({"Personality": "mobility"})
    for board in (Gridlock, MagneticCave, Gridlock):
        play_game(engine, board(), Limit(time=0.01))
    engine.configure({"Personality": "lodestone"})
    for board in (Gridlock, MagneticCave):
        clock = Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01, black_inc=0.01)
        play_game(engine, board(), clock, ponder=True)


def check_searches(engine):
    for board in (Gridlock(), MagneticCave()):
        second = board.moves()[1]
        expect("one root move", engine.play(board, Limit(depth=3), root_moves=[Move(second)]).move, second)
        best = engine.play(board, Limit(depth=3), root_moves=[]).move
        expect("a move without root moves", best in board.moves(), True)
        lines = engine.analyse(board, Limit(depth=5), multipv=3)
        expect("lines", [(line["multipv"], line["depth"]) for line in lines], [(1, 5), (2, 5), (3, 5)])
        began = time.monotonic()
        with engine.analysis(board) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 5:
                    break
        expect("a stopped analysis has a move", analysis.wait().move in board.moves(), True)
        expect("a search for 0.2 s", 0.1 < searched(engine, board, 0.2) < 5, True)
        expect("a stopped analysis ends at once", time.monotonic() - began < 10, True)


def searched(engine, board, seconds):
    began = time.monotonic()
    engine.analyse(board, Limit(time=seconds))
    return time.monotonic() - began


def check_scores(engine):
    engine.configure({"Mate Scores": True})
    full = "oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxox1 o"
    for fen, limit, score in [
        ("8/x6o/x6o/x7/7o/8/8/8 x", Limit(mate=2), Mate(2)),
        ("xo6/xo6/x1o5/xo6/6ox/6ox/7x/5o1x o", Limit(depth=4), Mate(-1)),
        (full, Limit(depth=3), Cp(0)),
    ]:
        info = engine.analyse(MagneticCave(fen), limit)
        expect(f"score of {fen}", info["score"].relative, score)
    expect("the win", engine.play(after(MagneticCave(), WON), Limit(depth=3)).move, "a4")


def check_positions_without_move(engine):
    over = after(MagneticCave(), [*WON, "a4"])
    expect("a finished game has no move", engine.play(over, Limit(time=0.05)).move, "0000")
    wrong = after(MagneticCave(), ["a8", "d4"])
    result = engine.play(wrong, Limit(time=0.05), info=chess.engine.INFO_ALL)
    expect("a wrong position has no move", result.move, "0000")
    expect("the reason", "d4 touches neither" in result.info["string"], True)


async def check_cancelling(path):
    _, engine = await chess.engine.popen_uci([path])
    # In a new game, python-chess sends `go` after `readyok` only. If the task were cancelled before, the
    # search would begin after `stop`.
    await engine.play(Gridlock(), Limit(nodes=500))
    for board in (Gridlock(), MagneticCave()):
        began = time.monotonic()
        task = asyncio.create_task(engine.play(board, Limit(time=60)))
        await asyncio.sleep(0.05)
        task.cancel()
        await engine.ping()
        expect("a cancelled search ends", time.monotonic() - began < 30, True)
        with await engine.analysis(board, multipv=2) as analysis:
            async for info in analysis:
                if info.get("depth", 0) >= 4:
                    break
        best = await engine.play(board, Limit(nodes=500))
        expect("a move after it", best.move in board.moves(), True)
    await engine.quit()


def main(path):
    messages = Messages()
    logging.getLogger("chess.engine").addHandler(messages)
    with chess.engine.SimpleEngine.popen_uci([path], timeout=60) as engine:
        check_options(engine)
        check_games(engine)
        check_searches(engine)
        check_scores(engine)
        check_positions_without_move(engine)
    asyncio.run(check_cancelling(path))
    expect("messages of python-chess", messages.seen, [])
    print("python-chess and the engine understand each other")


if __name__ == "__main__":
    main(sys.argv[1])
