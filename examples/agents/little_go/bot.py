#!/usr/bin/env python3
"""Plays with the agent of a student, which is started for each move: it reads input.txt and writes output.txt."""

from game import POINTS, SIZE, Game

from referee import FileProgram


class LittleGo(FileProgram):
    game = Game()
    languages = {
        "my_player3.py": "python3 my_player3.py",
        "my_player.java": ["javac my_player.java", "java my_player"],
        "my_player.cpp": ["g++ -O2 -o exe my_player.cpp", "./exe"],
    }
    helpers = ["course_files.py"]

    def write(self, position, folder):
        digits = (position.before + position.stones).translate(str.maketrans(".xo", "012"))
        rows = [digits[start : start + SIZE] for start in range(0, len(digits), SIZE)]
        (folder / "input.txt").write_text("\n".join(["12"[not self.side], *rows]) + "\n")

    def read(self, text):
        if text.strip() == "PASS":
            return "pass"
        row, column = map(int, text.split(","))
        return POINTS[range(SIZE)[row] * SIZE + range(SIZE)[column]]


if __name__ == "__main__":
    LittleGo().run()
