#!/usr/bin/env python3
"""Checks the rules programs in examples/rules, and compares them with other implementations.

    python3 tests/rules_programs/check.py [--games N] [--seed S] [--lodestone PATH] [TEST…]

`pip install open-spiel pyffish` adds comparisons with OpenSpiel and Fairy-Stockfish, and
`--lodestone target/release/lodestone` adds comparisons with lodestone. The output has the number of
compared positions, and the time of a half-move of each game.
"""

import argparse
import importlib
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.normpath(os.path.join(HERE, "..", "..", "examples", "rules"))
sys.path.insert(0, FOLDER)

GAMES = """
    breakthrough othello connect_four hex kalah nim quoridor tic_tac_toe magnetic_cave gridlock
    amazons checkers go gomoku ultimate
""".split()
RESULTS = {"p1win": "1-0", "p2win": "0-1", "draw": "1/2-1/2", "none": "*"}
ARGUMENTS = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ARGUMENTS.add_argument("--games", type=int, default=20, help="random games of each comparison")
ARGUMENTS.add_argument("--seed", type=int, default=1)
ARGUMENTS.add_argument("--lodestone", help="the engine lodestone, for its two games")
SETTINGS = ARGUMENTS.parse_args([])


def optional(name):
    """A module, or a skipped test if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed") from None


class Program:
    """A program that speaks UGI."""

    def __init__(self, *command, errors=None, env=None):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
        if self.process.stderr:
            self.process.stderr.close()

    def send(self, data, end=b"readyok", count=1):
        """Writes `data`; returns the lines up to `readyok`, or up to `count` lines that begin so."""
        self.process.stdin.write(data + (b"\nisready\n" if end == b"readyok" else b"\n"))
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            count -= line.startswith(end)
            if count == 0:
                self.last = line.decode().rstrip("\n")
                return lines
            lines.append(line.decode().rstrip("\n"))
        raise AssertionError(f"the program has exited after {data[:200]!r}")

    def ask(self, position, *queries):
        """The answers to these queries about a position, in one batch."""
        lines = self.send(
            "\n".join([f"position {position}", *(f"query {query}" for query in queries)]).encode()
        )
        if len(lines) != len(queries) or not all(line.startswith("response") for line in lines):
            raise AssertionError(f"position {position}: {lines}")
        return [line[len("response ") :] for line in lines]


def rules(name, *arguments, **options):
    return Program(sys.executable, os.path.join(FOLDER, name + ".py"), *arguments, **options)


def written(test, source, errors=None):
    """A program with this source, which can import those of the folder."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    path = os.path.join(folder.name, "program.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([FOLDER, *sys.path])}
    return Program(sys.executable, path, errors=errors, env=environment)


def bot(test, name):
    """The bot of the folder, for another game."""
    with open(os.path.join(FOLDER, "bot.py"), encoding="utf-8") as file:
        return written(test, file.read().replace("from tic_tac_toe import", f"from {name} import"))


def playouts(game, count, start=None):
    """Positions of random games, with the moves that led to them."""
    generator = random.Random(SETTINGS.seed)
    for _ in range(count):
        position, moves = game.start() if start is None else start(generator), []
        first = position
        yield first, position, moves
        while game.result(position) == "*":
            move = generator.choice(game.moves(position))
            position = game.play(position, move)
            moves = [*moves, move]
            yield first, position, moves


class Playing(unittest.TestCase):
    """Random games with each program."""

    def play(self, name, *arguments, games, plies=10_000):
        generator = random.Random(SETTINGS.seed)
        with rules(name, *arguments, errors=subprocess.PIPE) as one, rules(name, *arguments) as two:
            possible = ["fen", "reason", "score", "grid"]
            extra = [query for query in possible if one.send(f"query {query}".encode())]
            queries = ["gameover", "p1turn", "result", "moves", *extra]
            seen, times = [], []
            for _ in range(games):
                position = "startpos"
                while True:
                    began = time.perf_counter()
                    answers = one.ask(position, "gameover", "p1turn", "result", "moves")
                    times.append(time.perf_counter() - began)
                    values = dict(zip(queries, one.ask(position, *queries)))
                    self.assertEqual(answers, list(values.values())[:4], position)
                    moves = values["moves"].split()
                    over = {"true": True, "false": False}[values["gameover"]]
                    self.assertEqual(values["result"] == "none", not over, position)
                    self.assertIn(values["result"], RESULTS)
                    self.assertEqual(not moves, over, position)
                    self.assertEqual(len(moves), len(set(moves)), position)
                    self.assertIn(values["p1turn"], ("true", "false"))
                    seen.append((position, values))
                    if over or len(seen) > plies:
                        break
                    position += (" " if " moves " in position else " moves ") + generator.choice(moves)
            for position, values in generator.sample(seen, min(60, len(seen))):
                singles = {query: two.ask(position, query)[0] for query in queries}
                self.assertEqual(singles, values, position)
                for move in values["moves"].split()[:3]:
                    self.assertEqual(two.ask(position, f"islegal {move}"), ["true"])
                self.assertEqual(two.ask(position, "islegal nothing"), ["false"])
                if "fen" in values and name != "pyffish_rules":
                    again = dict(zip(queries, two.ask("fen " + values["fen"], *queries)))
                    self.assertEqual(again, values, position)
        program, median = " ".join([name, *arguments]), statistics.median(times) * 1e6
        print(f"{program}: {len(seen)} positions, median {median:.0f} µs a half-move", flush=True)

    def test_games(self):
        for name in GAMES:
            with self.subTest(name):
                self.play(name, games=max(1, SETTINGS.games // 4))

    def test_openspiel(self):
        optional("pyspiel")
        for game in ("tic_tac_toe", "mancala", "amazons", "dots_and_boxes", "hex(board_size=5)", "checkers"):
            with self.subTest(game):
                self.play("openspiel", game, games=1)

    def test_pyffish(self):
        optional("pyffish")
        for variant in ("breakthrough", "chess"):
            with self.subTest(variant):
                self.play("pyffish_rules", variant, games=1, plies=60)

    def test_bot(self):
        for name in GAMES:
            game = importlib.import_module(name).Game()
            with self.subTest(name), bot(self, name) as player:
                position, moves = game.start(), []
                while game.result(position) == "*":
                    line = f"position startpos moves {' '.join(moves)}\ngo movetime 100".encode()
                    self.assertEqual(player.send(line, end=b"bestmove"), [])
                    move = player.last.split()[1]
                    self.assertIn(move, game.moves(position))
                    position = game.play(position, move)
                    moves.append(move)
                line = f"position startpos moves {' '.join(moves)}\ngo wtime 100 btime 100".encode()
                self.assertEqual(player.send(line, end=b"bestmove"), [])
                self.assertEqual(player.last, "bestmove 0000")


class OpenSpiel(unittest.TestCase):
    """The same games in OpenSpiel."""

    def compare(self, name, text, translate, score=None, limit=None, lines=None, **options):
        """`lines` gives the actions of each move in a state, if a move may be several actions."""
        pyspiel = optional("pyspiel")

        def each_alone(state):
            return {translate(state.action_to_string(action)): [action] for action in state.legal_actions()}

        lines = lines or each_alone
        game, other = importlib.import_module(name).Game(), pyspiel.load_game(text)
        for option, value in options.items():
            setattr(game, option, value)
        state, count = None, 0
        for _, position, moves in playouts(game, SETTINGS.games):
            if limit and len(moves) >= limit:
                continue
            actions = lines(state)[moves[-1]] if moves else []
            state = state.clone() if moves else other.new_initial_state()
            for action in actions:
                state.apply_action(action)
            result, count = game.result(position), count + 1
            self.assertEqual(state.is_terminal(), result != "*", (moves, str(state)))
            if state.is_terminal():
                first, second = state.returns()
                self.assertEqual(
                    result, "1/2-1/2" if first == second else "1-0" if first > second else "0-1", moves
                )
                if score:
                    self.assertEqual(game.score(position), score(state), moves)
            else:
                self.assertEqual(sorted(game.moves(position)), sorted(lines(state)), (moves, str(state)))
                self.assertEqual(game.turn(position), state.current_player() == 0, moves)
        print(f"{name} = OpenSpiel's {text}: {count} positions", flush=True)

    def test_breakthrough(self):  # OpenSpiel's first player begins at the top
        ranks = str.maketrans("12345678", "87654321", "*")
        self.compare("breakthrough", "breakthrough", lambda move: move.translate(ranks))

    def test_othello(self):
        def discs(state):
            board = "".join(line[1:-1] for line in str(state).split("\n")[2:10])
            return board.count("x"), board.count("o")

        self.compare("othello", "othello", str, discs)

    def test_connect_four(self):
        self.compare("connect_four", "connect_four", lambda move: "abcdefg"[int(move[1:])])

    def test_gomoku(self):
        def translate(move):
            row, column = map(int, move.split(","))
            return "abcdefghijklmno"[column] + str(15 - row)

        self.compare("gomoku", "gomoku", translate)

    def test_go(self):  # there, columns have no i, and a position that occurs again ends the game
        def translate(move):
            word = move.split()[1].lower()
            return word if word == "pass" else "abcdefghi"["abcdefghj".index(word[0])] + word[1:]

        self.compare("go", "go(board_size=9,komi=7.5,max_game_length=10000)", translate)
        self.compare("go", "go(board_size=5,komi=0.5,max_game_length=10000)", translate, size=5, komi="0.5")

    def test_checkers(self):  # a capture of several pieces is several actions
        def lines(state):
            found = {}
            for action in state.legal_actions():
                word, after = state.action_to_string(action), state.child(action)
                if not after.is_terminal() and after.current_player() == state.current_player():
                    rest = lines(after).items()
                    found.update({word[:2] + way: [action, *actions] for way, actions in rest})
                else:
                    found[word] = [action]
            return found

        self.compare("checkers", "checkers", None, lines=lines)

    def test_amazons(self):  # from, to and arrow are three actions
        def cells(state):
            for action in state.legal_actions():
                row, column = map(int, re.findall("[0-9]+", state.action_to_string(action)))
                yield "abcdefghij"[column - 1] + str(11 - row), action, state.child(action)

        def lines(state):
            return {
                start + end + arrow: [*actions, action]
                for start, one, first in cells(state)
                for end, two, second in cells(first)
                for actions in [[one, two]]
                for arrow, action, _ in cells(second)
            }

        self.compare("amazons", "amazons", None, lines=lines)

    def test_ultimate(self):  # the choice of a board is an action
        def lines(state):
            found = {}
            for action in state.legal_actions():
                word, after = state.action_to_string(action), state.child(action)
                if word.startswith("Choose"):
                    found.update({cell: [action, *actions] for cell, actions in lines(after).items()})
                else:
                    board, row, column = (int(number) for number in re.findall("[0-9]", word))
                    column, row = board % 3 * 3 + column, board // 3 * 3 + row
                    found["abcdefghi"[column] + str(9 - row)] = [action]
            return found

        self.compare("ultimate", "ultimate_tic_tac_toe", None, lines=lines)

    def test_hex(self):
        self.compare("hex", "hex(board_size=11)", str)
        self.compare("hex", "hex(board_size=4)", str, size=4)

    def test_nim(self):
        def translate(move):
            return "-".join("".join(c for c in part if c.isdigit()) for part in move.split(","))

        for misere in (True, False):
            self.compare("nim", f"nim(is_misere={misere})", translate, misere=misere)
        self.compare("nim", "nim(is_misere=False,pile_sizes=2;9;4)", translate, heaps="2 9 4")

    def test_kalah(self):
        pits = importlib.import_module("kalah").PITS

        def translate(move):  # 1 to 6 and 8 to 13 in the order of sowing
            return pits[int(move) - 1]

        self.compare("kalah", "mancala", translate)

    def test_quoridor(self):  # OpenSpiel numbers the rows from the top
        def translate(move):
            row = int(move[1])
            return {"v": f"{move[0]}|{9 - row}", "h": f"{move[0]}{9 - row}_"}.get(move[2:], f"{move[0]}{10 - row}")

        # There a game is drawn after 324 moves.
        self.compare("quoridor", "quoridor", translate, limit=324)


class Pyffish(unittest.TestCase):
    """Breakthrough in Fairy-Stockfish, and the notation of chess in both libraries."""

    def test_notation(self):
        optional("chess")
        optional("pyffish")
        for is_960, fen in (
            ("false", "startpos"),
            ("true", "fen rk2r1n1/pppppppp/8/8/8/8/PPPPPPPP/RK2R1N1 w EAea - 0 1"),
        ):
            generator, count = random.Random(SETTINGS.seed), 0
            with rules("python_chess") as one, rules("pyffish_rules") as two:
                for program in (one, two):
                    program.send(f"setoption name UCI_Chess960 value {is_960}".encode())
                for _ in range(max(1, SETTINGS.games // 10)):
                    moves, position = [""], fen
                    while moves and len(position) < 500:
                        texts = [program.ask(position, "moves", "notation") for program in (one, two)]
                        pairs = [dict(zip(*map(str.split, answers))) for answers in texts]
                        self.assertEqual(*pairs, position)
                        moves = sorted(pairs[0])
                        if moves:
                            move = generator.choice(moves)
                            self.assertEqual(one.ask(position, f"notation {move}"), [pairs[0][move]])
                            self.assertEqual(one.ask(position, f"parse {pairs[0][move]}"), [move])
                            self.assertEqual(one.ask(position, "parse Pa9"), ["none"])
                            position += (" " if " moves " in position else " moves ") + move
                            count += len(moves)
            print(f"notation, Chess960 {is_960}: {count} moves", flush=True)

    def test_breakthrough(self):
        pyffish, count = optional("pyffish"), 0
        game = importlib.import_module("breakthrough").Game()
        for _, position, moves in playouts(game, SETTINGS.games):
            fen = game.fen(position)
            whole = pyffish.get_fen("breakthrough", pyffish.start_fen("breakthrough"), moves)
            self.assertEqual(whole.split()[:2], fen.split(), moves)
            self.assertEqual(game.from_fen(whole), position)
            self.assertEqual(pyffish.get_fen("breakthrough", fen, []).split()[:2], fen.split())
            over, value = pyffish.is_immediate_game_end("breakthrough", whole, [])
            self.assertEqual(over, game.result(position) != "*", moves)
            if over:  # the value is for the side to move
                self.assertEqual(
                    game.result(position), "1-0" if (value > 0) == game.turn(position) else "0-1", moves
                )
            else:
                self.assertEqual(
                    sorted(pyffish.legal_moves("breakthrough", whole, [])), sorted(game.moves(position))
                )
            count += 1
        print(f"breakthrough = pyffish: {count} positions", flush=True)


class Lodestone(unittest.TestCase):
    """The two built-in games in lodestone."""

    def setUp(self):
        if not SETTINGS.lodestone:
            self.skipTest("--lodestone PATH is not given")
        self.engine = Program(SETTINGS.lodestone)
        self.addCleanup(self.engine.__exit__)

    def compare(self, name, start=None):
        game, count = importlib.import_module(name).Game(), 0
        self.engine.send(f"setoption name UCI_Variant value {name.replace('_', '-')}".encode())
        for first, position, moves in playouts(game, SETTINGS.games, start):
            text = f"position fen {game.fen(first)}" + (f" moves {' '.join(moves)}" if moves else "")
            queries = "\nquery gameover\nquery p1turn\nquery result"
            self.assertEqual(self.engine.send(text.encode()), [])
            listed = self.engine.send(b"go perft 1", end=b"Nodes searched")
            legal = sorted(game.moves(position)) if game.result(position) == "*" else []
            self.assertEqual(sorted(line.split(":")[0] for line in listed), legal, text)
            # While it counts, the engine answers `isready` before anything else.
            lines = self.engine.send(("d" + queries).encode(), b"response", 3)
            result = game.result(position)
            self.assertIn("Fen: " + game.fen(position), lines)
            ends = [line for line in lines if line.startswith("Result: ")]
            self.assertEqual(
                ends, [] if result == "*" else [f"Result: {result} ({game.reason(position)})"], text
            )
            over, turn = (line.split()[1] for line in lines[-2:])
            self.assertEqual(
                (over, turn), (str(result != "*").lower(), str(game.turn(position)).lower()), text
            )
            self.assertEqual(game.from_fen(game.fen(position)), position)
            count += 1
        print(f"{name} = lodestone: {count} positions", flush=True)
        return game

    def refusals(self, name, game, fens):
        """FENs with a wrong character: both refuse the same ones."""
        generator, accepted, refused = random.Random(SETTINGS.seed), 0, 0
        for _ in range(100 * SETTINGS.games):
            fen = list(generator.choice(fens))
            for _ in range(generator.randint(1, 3)):
                change = generator.choice(["", generator.choice("xo.x1o2378/ 90X"), generator.choice(fen)])
                fen[generator.randrange(len(fen))] = change
            text = "".join(fen)
            errors = self.engine.send(f"position fen {text}".encode())
            try:
                position = game.from_fen(text)
            except ValueError as error:
                self.assertTrue(errors, (text, str(error)))
                refused += 1
            else:
                self.assertEqual(errors, [], text)
                self.assertIn("Fen: " + game.fen(position), self.engine.send(b"d"))
                accepted += 1
        print(f"{name} = lodestone: {accepted} changed FENs accepted, {refused} refused", flush=True)

    def test_magnetic_cave(self):
        game = self.compare("magnetic_cave")
        self.refusals(
            "magnetic_cave",
            game,
            ["8/8/8/8/8/8/8/8 x", "xx5o/xo5o/8/8/o6x/8/8/8 x", "xxxxx3/oooo4/8/8/8/8/8/8 o"],
        )

    def test_magnetic_cave_with_long_lines(self):
        """Full boards with random bricks: reasons of draws, of several lines and of long lines."""
        game, boards = importlib.import_module("magnetic_cave").Game(), importlib.import_module("referee.boards")

        def start(generator):
            while True:
                count = generator.randint(0, 4)
                cells = generator.choice(
                    [["x"] * 32 + ["o"] * 32, ["x"] * (32 - count) + ["o"] * (32 - count) + ["."] * 2 * count]
                )
                generator.shuffle(cells)
                if generator.random() < 0.7:  # a long line of o, which has moved last
                    place, step, size = generator.choice(
                        [(0, 1, 7), (8, 8, 6), (0, 9, 8), (7, 7, 8), (3, 9, 5), (24, 1, 8)]
                    )
                    line = range(place, place + step * size, step)
                    others = [cell for cell in range(64) if cell not in line and cells[cell] == "o"]
                    for cell in line:
                        if cells[cell] != "o":
                            other = others.pop()
                            cells[cell], cells[other] = cells[other], cells[cell]
                try:
                    return game.from_fen(game.fen(boards.Board("".join(cells), True)))
                except ValueError:
                    continue

        self.compare("magnetic_cave", start)

    def test_gridlock(self):
        setups = importlib.import_module("gridlock").Game()

        def start(generator):
            setups.pieces, setups.turns = generator.choice([(5, 40), (1, 6), (24, 20), (16, 60), (10, 1000)])
            return setups.setup(generator.randrange(10**9))

        self.compare("gridlock")
        game = self.compare("gridlock", start)
        self.refusals(
            "gridlock",
            game,
            [game.fen(game.start()), "xo5/7/7/7/7/7/5xo o 39 40", "xxo4/oo5/x6/7/7/7/7 x 3 5"],
        )


class BadInput(unittest.TestCase):
    """What a program says to input that it cannot use."""

    def test_errors(self):
        table = [
            (b"hello", "expected ugi, uci, isready, setoption, position, query or quit, found `hello`"),
            (b"go movetime 10", "found `go`"),
            (b"position", "expected `position startpos` or `position fen TEXT`"),
            (b"position somewhere", "expected `position startpos`"),
            (b"position startpos a2a3", "expected `position startpos`"),
            (b"position startpos moves a2a3 a2a3", "move 2: `a2a3` is not a legal move; expected a7a6"),
            (b"position startpos moves " + b"z" * 10_000, "…` is not a legal move"),
            (b"position fen 8/8 w", "FEN `8/8 w`: expected 8 rows separated by /, found 2"),
            (b"position fen", "FEN ``: expected a board and the side to move, w or b"),
            (b"position fen 8/8/8/8/8/8/8/x7 w", "row 1: expected P, p or a number, found x"),
            (b"position fen 8/8/8/8/8/8/8/9 w", "row 1: expected 8 cells, found 9"),
            (
                b"position fen 8/P7/8/8/8/8/p7/8 w moves a7a8 a2a1",
                "move 2: `a2a1` cannot be played: the game is over",
            ),
            (b"setoption", "there is no option ``; there are: none"),
            (b"position startpos moves a2a3 \xff\xfe", "a line is not UTF-8 text: byte 30 of it is wrong"),
            (b"position " + b"x" * (3 << 20), "a line has more than 1048576 bytes"),
            (b"position fen " + b"9" * 1_000_000, "row 8: expected 8 cells"),
            (b"position fen 8/8/8/8/8/8/8/\x1b[31m w", "row 1"),
        ]
        with rules("breakthrough") as program:
            for line, expected in table:
                if expected.startswith("row 8"):
                    line += b"/8/8/8/8/8/8/8 w"
                answers = program.send(line)
                self.assertEqual(len(answers), 1, line[:80])
                self.assertTrue(answers[0].startswith("info string error: "), answers)
                self.assertIn(expected, answers[0])
                self.assertLess(len(answers[0]), 400)
                self.assertTrue(answers[0].isprintable())
            self.assertEqual(program.ask("startpos", "gameover"), ["false"])

    def test_refused_position_is_not_asked(self):
        with rules("breakthrough") as program:
            lines = program.send(b"position startpos moves a2a5\nquery gameover")
            self.assertEqual(len(lines), 2)
            self.assertIn("no answer, because the last `position` was refused: move 1: `a2a5`", lines[1])
            self.assertEqual(program.ask("startpos moves a2a3", "p1turn"), ["false"])

    def test_ignored_lines(self):
        with rules("breakthrough") as program:
            for line in (b"", b" \t", b"\r", b"ucinewgame", b"uginewgame", b"stop", b"position startpos\r"):
                self.assertEqual(program.send(line), [], line)

    def test_unknown_query(self):
        with rules("breakthrough", errors=subprocess.PIPE) as program:
            for query in (b"query winner", b"query", b"query setup 1", b"query __init__", b"query \xc3\xa9"):
                self.assertEqual(program.send(query), [], query)
                self.assertTrue(program.process.stderr.readline().startswith(b"unknown query: "))

    def test_half_lines(self):
        with rules("breakthrough") as program:
            for part in (b"posi", b"tion startpos mo", b"ves a2a3\nquery p1", b"turn\nquery game"):
                program.process.stdin.write(part)
                program.process.stdin.flush()
                time.sleep(0.01)
            self.assertEqual(program.send(b"over"), ["response false", "response false"])

    def test_last_line_without_newline(self):
        script = os.path.join(FOLDER, "breakthrough.py")
        done = subprocess.run(
            [sys.executable, script], input=b"query p1turn", capture_output=True, timeout=10
        )
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"response true\n", b"", 0))

    def test_quit_ends_a_batch(self):
        script = os.path.join(FOLDER, "nim.py")
        done = subprocess.run(
            [sys.executable, script], input=b"isready\nquit\nisready\n", capture_output=True, timeout=10
        )
        self.assertEqual((done.stdout, done.returncode), (b"readyok\n", 0))

    def test_options(self):
        with rules("hex") as program:
            self.assertIn("option name size type spin default 11 min 2 max 19", program.send(b"ugi"))
            self.assertEqual(program.send(b"setoption name Size value 3"), [])
            self.assertEqual(program.ask("startpos", "fen"), ["3/3/3 x"])
            self.assertIn(
                "option size: expected 2 to 19, found `x`", program.send(b"setoption name size value x")[0]
            )
            self.assertEqual(program.ask("startpos moves a1", "fen"), ["x2/3/3 o"])
        with rules("nim") as program:
            self.assertEqual(
                program.send(b"setoption name heaps value 2  3\nsetoption name misere value True"), []
            )
            self.assertEqual(
                program.ask("startpos moves 1-2 2-3", "result", "reason"), ["p1win", "o took the last stick"]
            )
            self.assertIn("option heaps: expected", program.send(b"setoption name heaps value many")[0])
            self.assertEqual(program.ask("startpos", "fen"), ["2 3 x"])

    def test_random_bytes(self):
        generator = random.Random(SETTINGS.seed)
        words = (
            b"position startpos moves fen query gameover setoption name value size 8/8 x go ugi setup islegal"
        )
        words = [*words.split(), b"1-1", b"a2a3", b"-1", b"9" * 50, b"\r", b"\0", b"\xff"]
        for name in GAMES:
            with rules(name, errors=subprocess.DEVNULL) as program:
                for _ in range(200):
                    line = b" ".join(generator.choice(words) for _ in range(generator.randint(1, 9)))
                    program.send(line)
                program.send(b"position startpos")
                self.assertEqual(program.ask("startpos", "gameover"), ["false"], name)


class Positions(unittest.TestCase):
    """FENs with wrong characters."""

    def test_changed_fens_are_refused_or_sound(self):
        generator = random.Random(SETTINGS.seed)
        for name in GAMES:
            game, accepted, refused = importlib.import_module(name).Game(), 0, 0
            fens = [game.fen(position) for _, position, _ in playouts(game, 5)]
            for _ in range(100 * SETTINGS.games):
                fen = list(generator.choice(fens))
                for _ in range(generator.randint(1, 4)):
                    fen[generator.randrange(len(fen))] = generator.choice(
                        ["", *generator.choice(fens), *"xo19 "]
                    )
                try:
                    position = game.from_fen("".join(fen))
                except ValueError as error:
                    self.assertNotIn("invalid literal", str(error))
                    refused += 1
                    continue
                accepted += 1
                self.assertEqual(game.from_fen(game.fen(position)), position)
                getattr(game, "board", getattr(game, "grid", None))(position)
                if game.result(position) == "*":
                    moves = game.moves(position)
                    self.assertTrue(moves, game.fen(position))
                    game.fen(game.play(position, generator.choice(moves)))
                else:
                    self.assertTrue(game.reason(position))
            print(f"{name}: {accepted} changed FENs accepted, {refused} refused", flush=True)


class Module(unittest.TestCase):
    """The module referee.rules, and its documentation."""

    def readme(self, language):
        with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
            return re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)

    def test_dialogue_of_the_readme(self):
        (dialogue,) = self.readme("")[:1]
        answers = []
        with rules("nim") as program:
            for line in dialogue.splitlines()[1:]:
                if line.startswith(("response", "info")):
                    self.assertEqual(line, answers.pop(0))
                else:
                    self.assertEqual(answers, [], line)
                    answers = program.send(line.encode())

    def test_programs_of_the_readme(self):
        game, player = self.readme("python")
        with written(self, game) as program:
            self.assertIn("option name sticks type spin default 21 min 1 max 99", program.send(b"ugi"))
            program.send(b"setoption name sticks value 4")
            self.assertEqual(
                program.ask("startpos moves 3", "p1turn", "result", "moves"), ["false", "none", "1"]
            )
            self.assertEqual(program.ask("startpos moves 3 1", "gameover", "result"), ["true", "p2win"])
        with written(self, player) as program:
            line = b"position startpos moves 4-7 3-5 2-3\ngo p1time 100 p2time 100"
            self.assertEqual(program.send(line, end=b"bestmove"), [])
            self.assertEqual(program.last, "bestmove 1-1")

    def test_game_in_the_docstring(self):
        source = re.search(r"(?s)    from referee.rules .*run\(\w+\(\)\)", importlib.import_module("referee.rules").__doc__)[
            0
        ]
        with written(self, textwrap.dedent(source)) as program:
            self.assertEqual(program.ask("startpos moves 3 3 3 3 3 3", "moves"), ["1 2 3"])
            self.assertEqual(program.ask("startpos moves 3 3 3 3 3 3 3", "result"), ["p1win"])

    def test_grid_is_the_board_of_a_game_without_one(self):
        with rules("tic_tac_toe") as program:
            position = "startpos moves b2 a1"
            grid = "columns a b c rows 3 2 1 cells . . . . x . o . ."
            self.assertEqual(program.ask(position, "grid"), [grid])
            board = program.send(b"query board")
            self.assertEqual(board[2:], ["response 2 . x . 2", "response 1 o . . 1", "response   a b c"])
        lines = "from tic_tac_toe import Game\nfrom referee.rules import run\nGame.lines = True\nrun(Game())\n"
        with written(self, lines) as program:
            self.assertEqual(program.ask(position, "grid"), [grid.replace("columns", "lines")])
        with written(self, self.readme("python")[0]) as program:
            self.assertEqual(program.send(b"query grid\nquery board"), [])

    def test_print_does_not_disturb_the_dialogue(self):
        game = self.readme("python")[0].replace(
            "def turn", "def turn(self, p): print('!'); return p[1]\n    def old"
        )
        with written(self, game, errors=subprocess.DEVNULL) as program:
            self.assertEqual(program.ask("startpos", "p1turn"), ["true"])

    def test_faults_of_a_game_are_explained(self):
        game = self.readme("python")[0]
        table = [
            ('"*" if', "0 if", "result() returned 0; expected one of 1-0, 0-1, 1/2-1/2, *"),
            (
                "return position[0] - int(move), not position[1]",
                "return position",
                "play() must return a new position",
            ),
            ("[str(count)", "[str(count) + ' sticks'", "moves() must return words without white space"),
            ("[str(count)", "[count", "moves() must return words without white space, such as 'a1', and returned 1 of type int"),
            ("return position[1]", "return 'first'", "turn() returned 'first'; expected True or False"),
        ]
        for old, new, error in table:
            self.assertIn(old, game)
            program = written(self, game.replace(old, new), errors=subprocess.PIPE)
            done = program.process.communicate(b"position startpos moves 1\nquery moves\nquery p1turn\n", timeout=10)
            self.assertIn(error, done[1].decode())
            self.assertEqual((done[0], program.process.returncode), (b"", 1))

    def with_methods(self, *methods, errors=subprocess.PIPE):
        """The game of the readme with more methods."""
        game = self.readme("python")[0]
        lines = "".join(f"    def {method}\n" for method in methods)
        return written(self, game.replace("    def start", lines + "\n    def start"), errors=errors)

    def test_optional_methods_that_return_nothing_are_named(self):
        points = "the points of both players, such as (34, 30)"
        words = "the names of the columns, the names of the rows, and the cells, all of them words"
        table = [
            ("board", "board(self, p): print(p)", "None; expected the lines of the board in one text"),
            ("board", "board(self, p): return ['a', None]", "['a', None]; expected the lines of the board"),
            ("grid", "grid(self, p): print(p)", f"None; expected {words}"),
            ("grid", "grid(self, p): return 'ab', '1', ['.', None]", f"None among them; expected {words}"),
            ("grid", "grid(self, p): return 'ab', '1', ['.', 3]", f"3 among them; expected {words}"),
            ("grid", "grid(self, p): return ['a', 'b c'], '1', '..'", f"'b c' among them; expected {words}"),
            ("grid", "grid(self, p): return 'ab', '1'", f"('ab', '1'); expected {words}"),
            ("score", "score(self, p): print(p)", f"None; expected {points}"),
            ("score", "score(self, p): return 3", f"3; expected {points}"),
            ("score", "score(self, p): return '34 30'", f"'34 30'; expected {points}"),
            ("score", "score(self, p): return None, 3", f"(None, 3); expected {points}"),
            ("fen", "fen(self, p): return b'x'", "b'x'; expected a string in one line"),
            ("fen", "fen(self, p): print(p)", "None; expected a string in one line"),
            ("fen", "fen(self, p): return 'a\\nreadyok'", "'a\\nreadyok'; expected a string in one line"),
            ("setup 1", "setup(self, seed): print(seed)", "None; expected a position"),
            ("islegal 1", "islegal(self, p, move): print(move)", "None; expected True or False"),
        ]
        for query, method, error in table:
            with self.subTest(method):
                program = self.with_methods(method)
                done = program.process.communicate(f"query {query}\nisready\n".encode(), timeout=10)
                self.assertIn(f"TypeError: {query.split()[0]}() returned {error}", done[1].decode())
                self.assertEqual((done[0], program.process.returncode), (b"", 1))
                if query == "grid":  # the board is drawn from it
                    done = self.with_methods(method).process.communicate(b"query board\n", timeout=10)
                    self.assertIn(f"TypeError: grid() returned {error}", done[1].decode())

    def test_positions_that_are_none_are_named(self):
        for program, line, error in (
            (written(self, self.readme("python")[0].replace("return self", "self"), subprocess.PIPE), b"", "start()"),
            (self.with_methods("from_fen(self, text): print(text)"), b"position fen 3\n", "from_fen()"),
        ):
            done = program.process.communicate(line, timeout=10)
            self.assertIn(f"TypeError: {error} returned None; expected a position", done[1].decode())

    def test_a_reason_is_one_line_or_none(self):
        over = b"position startpos moves 3 3 3 3 3 3 3\nquery reason"
        for method, answer in (
            ("reason(self, p): print(p)", "none"),
            ("reason(self, p): return ''", "none"),
            ("reason(self, p): return type('Words', (), {'__str__': lambda self: 'all taken'})()", "all taken"),
            ("reason(self, p): return 'the last\\n  stick\\nreadyok'", "the last stick readyok"),
        ):
            with self.with_methods(method) as program:
                self.assertEqual(program.send(over), [f"response {answer}"])
        for value in ("b'last'", "['last']", "False"):
            program = self.with_methods(f"reason(self, p): return {value}")
            done = program.process.communicate(over + b"\n", timeout=10)
            self.assertIn(f"TypeError: reason() returned {value}; expected a text, or None", done[1].decode())

    def test_a_program_may_know_results_before_the_end(self):
        at_the_start, over = b"position startpos\nquery proven", b"position startpos moves 3 3 3 3 3 3 3\nquery proven"
        with self.with_methods("reason(self, p): return ''") as program:
            self.assertEqual(program.send(at_the_start), [])
        for answer, word in (("1-0", "p1win"), ("0-1", "p2win"), ("1/2-1/2", "draw"), ("*", "none")):
            with self.with_methods(f"proven(self, p): return {answer!r}") as program:
                self.assertEqual(program.send(at_the_start), [f"response {word}"])
                self.assertIn(program.send(over), (["response p1win"], ["response p2win"]))
        program = self.with_methods("proven(self, p): return True")
        done = program.process.communicate(at_the_start + b"\n", timeout=10)
        self.assertIn("TypeError: proven() returned True; expected one of 1-0, 0-1", done[1].decode())

    def test_options_that_cannot_be_set_are_refused(self):
        class Game:
            size = Size = big_type = big_value = "a"

        def error(**options):
            game = Game()
            game.options = {name.replace("_", " "): values for name, values in options.items()}
            with self.assertRaises(TypeError) as caught:
                importlib.import_module("referee.rules").checked_options(game)
            return str(caught.exception)

        twice = "option Size: expected another name, because it is size in another letter case"
        self.assertEqual(error(size=str, Size=str), twice)
        for name in ("big_type", "big_value"):
            self.assertIn("names without the words `type` and `value`", error(**{name: str}))
        self.assertIn("found 'A' again", error(size=["a", "A"]))
        for value in (" a", "a  b", "a var b"):
            self.assertIn(f"one space between words, and without the word `var`, found {value!r}", error(size=[value]))
        Game.size = 10**30
        self.assertIn("numbers of at most 18 digits, found range(3, 1000", error(size=range(3, 10**31)))

    def test_names_and_options_are_checked_at_the_start(self):
        game = self.readme("python")[0]
        for old, new, error in (
            ('name = "Sticks"', 'name = "Sticks\\nquit"', "ValueError: name: expected a string without newlines"),
            ('name = "Sticks"', "def name(self): return 1", "TypeError: name: expected a string, found <bound method"),
            ("sticks = 21", "sticks = 100", "TypeError: option sticks: expected 1 to 99, found 100 in the attribute sticks"),
        ):
            self.assertIn(old, game)
            done = written(self, game.replace(old, new), subprocess.PIPE).process.communicate(b"ugi\n", timeout=10)
            self.assertIn(error, done[1].decode())
            self.assertEqual(done[0], b"")

    def test_rules_read_no_line_of_the_protocol(self):
        child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import sys; sys.stdin.read()'])"
        methods = [f"board(self, p): {child}; return 'a board'", "score(self, p): return input(), 1"]
        program = self.with_methods(*methods)
        lines = b"query board\nquery p1turn\nisready\nquery score\nquery result\n"
        done = program.process.communicate(lines, timeout=60)
        self.assertEqual(done[0], b"")  # the answers to a batch are one write
        self.assertRegex(done[1].decode(), r"EOFError: program.py, line \d+ reads standard input")
        with self.with_methods(methods[0]) as program:
            answers = ["response a board", "response true", "response none"]
            self.assertEqual(program.send(b"query board\nquery p1turn\nquery result"), answers)


if __name__ == "__main__":
    SETTINGS, others = ARGUMENTS.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])
