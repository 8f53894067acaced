"""Drives the engine with the engine module of python-chess: handshake, options,
pings. What it searches is chess, so nothing is searched here.

    python check.py PATH_OF_LODESTONE
"""

import sys

import chess.engine


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def refuses(engine, options):
    try:
        engine.configure(options)
    except chess.engine.EngineError:
        return True
    return False


def main(path):
    with chess.engine.SimpleEngine.popen_uci([path]) as engine:
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
        engine.configure({"Personality": "lodestone", "Seed": 4294967295})
        engine.ping()
    print("python-chess and the engine understand each other")


if __name__ == "__main__":
    main(sys.argv[1])
