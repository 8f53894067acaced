#!/usr/bin/env python3
"""Plays with a program of Botzone, which is started for each move: it reads all moves of both sides as JSON, and prints
its answer as JSON. A move is `{"x": COLUMN, "y": ROW}`; -1 stands for a pass, and for no move at the beginning.
"""

import json

from game import CELLS, Game

from referee import FileProgram


def point(move):
    at = CELLS.index(move) if move in CELLS else None
    return {"x": -1, "y": -1} if at is None else {"x": at % 8, "y": at // 8}


class Botzone(FileProgram):
    game = Game()
    languages = {"main.py": "python3 main.py", "main.cpp": ["g++ -O2 -o main main.cpp", "./main"]}
    answer = None

    def write(self, position, folder):
        moves = [point(move) for move in self.game_moves]
        requests = [point(""), *moves[1::2]] if self.side else moves[::2]
        return json.dumps({"requests": requests, "responses": moves[not self.side :: 2]})

    def read(self, text):
        answer = json.loads(text)["response"]
        return "pass" if answer["x"] < 0 else CELLS[answer["y"] * 8 + answer["x"]]


if __name__ == "__main__":
    Botzone().run()
