"""Bridges: bots that ask another program, in whatever way it talks.

    from referee import AnyGame, Bridge

    class Turns(Bridge):
        game = AnyGame()
        command = "./agent"

        def tell(self, position, move):
            self.send("move " + move)

        def ask(self, position, seconds):
            self.send("your turn")
            return self.receive()

    if __name__ == "__main__":
        Turns().run()

`referee.client` has bridges to programs that connect to a port, and `referee.programs` to programs that talk by files
or are started for each move.

>>> Bridge.whole_games, Bridge.frame
(True, 'lines')
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._child import Channel, Child, ChildError, framed, words_of
from ._submission import Submission, agent_folder
from .bot import Bot, Choice
from .rules import RESIGN, quote

__all__ = ["Bridge", "ChildError"]

#: Most lines of a text that are shown in a transcript, and most characters of one.
MAX_NOTES, MAX_NOTE = 40, 200
#: How much of an unfinished frame is shown, in bytes.
MAX_FRAME_NOTE = 4 * MAX_NOTE


class Bridge(Bot[Any]):
    """A bot that asks another program, its child. Subclasses have the method `ask`, and may have the others.

    The child is started when a game begins, before the clock runs. If moves are not those that it knows, which
    happens in checks and after a repeated game, it is started again and told all moves.
    """

    #: How to start the child: a text as for a shell, or a list. `{agent}` is the folder of the submission, which is the
    #: argument of the bot, or else the bot's own folder; `{side}` is the one of `sides`.
    command: str | Sequence[str] = "{agent}/run"
    #: Instead of `command`, the commands for each file that a submission may have; all but the last compile it. They
    #: run in a copy of the submission.
    languages: Mapping[str, str | Sequence[str]] = {}
    #: Files and folders beside the bot that are copied to the submission of one of the `languages`.
    helpers: Sequence[str] = ()
    #: Whether a child plays one game. If not, it plays all, and `begin` must tell it that another game begins.
    whole_games = True
    #: How the first and the second player are called in `{side}`.
    sides: tuple[str, str] = ("p1", "p2")
    #: How texts are sent in UTF-8: as `lines`, after four bytes with the length, the highest first (`length4`), or as they
    #: are. In that case, what comes is a value of JSON (`json`), or all that comes at once (`chunk`).
    frame = "lines"
    #: How long the child may go on after its last game and the end of its input, in seconds.
    grace = 0.5

    _method = "ask"
    _child: Child | None = None
    _submission: Submission | None = None
    _start: str | None = None  # that of the game which the child knows; None before `begin`
    _told: Sequence[str] = ()
    _own: frozenset[int] = frozenset()  # the places of the moves that it has chosen
    _child_side: bool | None = None
    _position: Any = None  # after these moves
    _is_noted = False

    # What subclasses write

    def started(self) -> None:
        """The child was started, and `self.side` is known: greets it, as its protocol wants."""

    def begin(self, position: Any) -> None:
        """Tells the child the start of a game, before the first move or question."""

    def tell(self, position: Any, move: str) -> None:
        """Tells the child a move in this position which it has not chosen itself."""

    def ask(self, position: Any, seconds: float) -> Choice:
        """The child's move in this position."""
        raise NotImplementedError(f"{type(self).__name__} needs a method ask(self, position, seconds)")

    # What they call

    def send(self, text: str) -> None:
        """Sends a line to the child, or a frame."""
        self.note(">", text)
        self._send(framed(self.frame, text))

    def receive(self, start: str = "") -> str:
        """The next line or frame of the child; with a `start`, the next one that begins with it.

        Raises `ChildError` if the child ends. There is no limit of time, which is the referee's.
        """
        while True:
            child = self.child
            data = self._channel().frame(self.frame, child, unfinished=self._note_unfinished)
            if data is None:
                raise child.error("has closed its output")
            text = data.decode(errors="replace")
            self._hear(text)
            if text.startswith(start):
                return text

    def note(self, sign: str, text: str, name: str = "") -> None:
        """Writes a text into the transcript of the game, such as the file of this name: a line `info string > NAME | …`
        for each of its lines. The sign is `>` for what the child is given, and `<` for what it has written.

        The referee quotes the last of these lines if there is no move in time.
        """
        if self._is_noted:
            lines = text.splitlines() or [""]
            if len(lines) > MAX_NOTES:
                lines[MAX_NOTES:] = [f"… and {len(lines) - MAX_NOTES} more lines"]
            begin = f"info string {sign} " + (f"{name} | " if name else "")
            self._write("\n".join(begin + shown(line) for line in lines))

    def _hear(self, text: str) -> None:
        self.note("<", text)
        self._heard = quote(" ".join(text.split()))

    def _note_unfinished(self, data: bytes) -> None:
        """Notes what the child has written of a frame that does not end."""
        text = data[:MAX_FRAME_NOTE].decode(errors="replace")
        if self.frame == "lines":
            # The referee quotes it as a line that has not ended.
            self.note("<...", text)
        else:
            self.note("<", text, f"unfinished {self.frame}")

    @property
    def child(self) -> Child:
        """The running child."""
        if self._child is None:
            raise ChildError("the program has not been started")
        return self._child

    # How the child is owned

    def run(self) -> None:
        """Plays until `quit`. With the arguments `--prepare FOLDER`, compiles a submission into the working folder."""
        try:
            if sys.argv[1:2] == ["--prepare"]:
                del sys.argv[1]
                self._submission = Submission(Path.cwd())
                self._submission.prepare(self.languages, self.helpers)
                return
            self._prepare()
            super().run()
        except ChildError as error:
            if not self._is_ending:  # else the child was ended, because a search went on after `quit`
                sys.exit(str(error))
        finally:
            self._close()

    def _prepare(self) -> None:
        """Compiles the submission, once."""
        if self.languages and not self._submission:
            self._submission = Submission()
            self._submission.prepare(self.languages, self.helpers)

    def choose(self, position: Any, seconds: float) -> Choice:
        self._is_noted, self._heard = True, ""
        self._prepare()
        self._follow()
        choice = self._ask(position, seconds)
        move = choice[0] if isinstance(choice, tuple) else choice
        if move == RESIGN:
            pass  # it knows that the game is over
        elif self._can_play(position, move):
            self._own |= {len(self._told)}
            self._told = [*self._told, move]
            self._position = self.game.play(position, move)
        elif not self._forgets_moves():
            self._start = None  # it knows of another game than the one that goes on
        self._is_noted = False
        return choice if isinstance(choice, tuple) else one_word(move)

    def game_over(self, position: Any, result: str) -> None:
        """A game has ended. The child knows all moves, and its input ends afterwards if it plays one game.

        A child that has not been started does not hear of it.
        """

    def _can_play(self, position: Any, move: Any) -> bool:
        rules: Any = self.game
        legal = getattr(rules, "islegal", lambda position, move: move in rules.moves(position))
        return isinstance(move, str) and bool(legal(position, move))

    def _begin_game(self) -> None:
        super()._begin_game()
        if self._renews() or self._child and self._child.has_ended():
            self._end(self.grace)
        self._start = None
        if not self._is_open() and self.side is not None:
            self._is_noted = True
            self._open()
            self._is_noted = False

    def _end_game(self, position: Any, result: str) -> None:
        try:
            if self._knows_game():
                self._follow()
                self._catch_up()
            if self._is_open():
                super()._end_game(position, result)
        except ChildError as error:  # it may end with the game
            print(error, file=sys.stderr)
        if self._renews():
            self._end(self.grace)

    def _ask(self, position: Any, seconds: float) -> Choice:
        self._catch_up()
        return self.ask(position, seconds)

    def _catch_up(self) -> None:
        """All moves are told."""

    def _is_open(self) -> bool:
        return self._child is not None

    def _renews(self) -> bool:
        """Whether each game has a child of its own."""
        return self.whole_games

    def _follow(self) -> None:
        """Tells the child what it does not know of the game."""
        if not self._knows_game():
            is_new = self._start is None and self._child_side == self.side
            if self._is_open() and self._renews() and not is_new:
                self._end(0.0)
            if not self._is_open():
                self._open()
            self._position = self._first_position()
            self._start, self._told, self._own, self._child_side = self.game_start, [], frozenset(), self.side
            self.begin(self._position)
        moves = [*self.game_moves]
        same = len(os.path.commonprefix([moves, [*self._told]]))
        if same < len(self._told):
            self._position = self._first_position()
            for move in moves[:same]:
                self._position = self.game.play(self._position, move)
            self._told = moves[:same]
        for move in moves[same:]:
            self.tell(self._position, move)
            self._position = self.game.play(self._position, move)
            self._told = [*self._told, move]

    def _knows_game(self) -> bool:
        """Whether the child knows this game, perhaps without its last moves."""
        if not self._is_open() or self._start != self.game_start or self._child_side != self.side:
            return False
        moves, told = [*self.game_moves], self._told
        others = [place for place, (one, other) in enumerate(zip(told, moves)) if one != other]
        is_forgiven = self._forgets_moves() and self._own.issuperset(others)
        return len(moves) >= len(told) and (not others or is_forgiven)

    def _forgets_moves(self) -> bool:
        """Whether the child sees whole positions, so that another of its own moves than the one that it has chosen, as
        after a fault that does not lose, is nothing new to it.
        """
        return False

    def _first_position(self) -> Any:
        rules: Any = self.game
        return rules.start() if self.game_start == "startpos" else rules.from_fen(self.game_start)

    def _open(self) -> None:
        """Starts the child."""
        self._child_side = self.side
        self._child = self._start_child()
        self.started()

    def _start_child(self, **fields: object) -> Child:
        fields["side"] = self.sides[not self.side]
        folder = self._submission.folder("game") if self._submission else agent_folder()
        command = self._submission and self._submission.command or self.command
        return Child(words_of(command, agent=folder, **fields), folder, is_read=self._reads_output())

    def _reads_output(self) -> bool:
        return True

    def _channel(self) -> Channel:
        return self.child.output

    def _send(self, data: bytes) -> None:
        self.child.write(data)

    def _end(self, grace: float) -> None:
        """Ends the child."""
        if self._child:
            self._child.end(grace)
            self._child = None
        self._start = None

    def _close(self) -> None:
        self._end(self.grace if self._start is not None or not self.whole_games else 0.0)
        if self._submission:
            self._submission.close()
            self._submission = None


def one_word(answer: Any) -> Any:
    """An answer that may be no move, so that the referee can show it.

    >>> one_word("I pass\\n")
    'I_pass'
    """
    return re.sub(r"[^!-~]+", "_", answer.strip()[:40]) or "empty" if isinstance(answer, str) else answer


def shown(line: str) -> str:
    """A line as notes have it."""
    text = "".join(letter if letter.isprintable() else "�" for letter in line[:MAX_NOTE])
    return (text + "…" * (len(line) > MAX_NOTE)).rstrip()
