"""Agents that are clients: they connect to a port of the bot that asks them.

    from referee import AnyGame, Client

    class Lines(Client):
        game = AnyGame()
        command = "{agent}/run -p {port}"

        def started(self):
            self.send("you are " + "xo"[not self.side])

        def tell(self, position, move):
            self.send("move " + move)

        def ask(self, position, seconds):
            self.send("your turn")
            return self.receive()

    if __name__ == "__main__":
        Lines().run()

>>> Client.command, Client.ports
('{agent}/run -p {port}', None)
"""

from __future__ import annotations

import errno
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

from ._child import Channel, Child, ChildError
from .bot import Choice
from .bridge import Bridge

__all__ = ["Client"]

#: How long another program may keep a port, in seconds.
PATIENCE = 5.0
#: When it is said that a client has not connected yet, in seconds.
SLOW = 3.0


class Client(Bridge):
    """A bridge to a program that connects to a port, by default a free one. It plays one game, and is started when
    the game begins.

    The sandbox needs the level `strict`, in which each bot has a network of its own.
    """

    #: `{port}` is the port to connect to.
    command: str | Sequence[str] = "{agent}/run -p {port}"
    #: The fixed ports of the first and the second player, if clients know them.
    ports: tuple[int, int] | None = None

    _connection: socket.socket | None = None
    _frames: Channel | None = None
    _unsent: Any = None

    def state(self, position: Any) -> str | None:
        """The text of a state, if clients see each state once: the start, and the one after each move.

        A state in which it would be the client's turn, but in which its move is known, is left out.
        """
        return None

    def begin(self, position: Any) -> None:
        self._show(position)

    def tell(self, position: Any, move: str) -> None:
        self._show(self.game.play(position, move))

    def choose(self, position: Any, seconds: float) -> Choice:
        choice = super().choose(position, seconds)
        if self._start is not None:
            self._is_noted = True
            try:
                self._show(self._position)
            except ChildError:
                pass  # it may end with its last move; if that was not the last one, the next question fails
            self._is_noted = False
        return choice

    def _forgets_moves(self) -> bool:
        return type(self).state is not Client.state

    def _show(self, position: Any) -> None:
        """The next state. One that the client would answer is sent when its answer is wanted."""
        self._unsent = position
        if self.game.turn(position) != self.side:
            self._catch_up()

    def _catch_up(self) -> None:
        position, self._unsent = self._unsent, None
        if position is not None and (text := self.state(position)) is not None:
            self.send(text)

    def _start_child(self, **fields: object) -> Child:
        port = self.ports[not self.side] if self.ports else 0
        with listener(port) as listening:
            child = super()._start_child(port=listening.getsockname()[1], **fields)
            try:
                self._connection = accepted(listening, child)
            except ChildError:
                child.kill()
                raise
        self._frames = Channel.of(self._connection)
        return child

    def _reads_output(self) -> bool:
        return False

    def _channel(self) -> Channel:
        assert self._frames
        return self._frames

    def _send(self, data: bytes) -> None:
        try:
            self._channel().write(data)
        except OSError:
            raise self.child.error("has closed its connection") from None

    def _end(self, grace: float) -> None:
        if self._connection:
            try:
                self._connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        super()._end(grace)
        if self._connection:
            self._connection.close()
            self._connection = None


def listener(port: int) -> socket.socket:
    """A socket that waits for a client. Raises ChildError if there cannot be one."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            listening = socket.socket()
        except OSError as error:
            hint = "--sandbox=strict gives each bot its own network, --sandbox=on none"
            raise ChildError(f"cannot open a port for the client: {error}; {hint}") from error
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            listening.listen(1)
            return listening
        except OSError as error:
            listening.close()
            is_used = error.errno == errno.EADDRINUSE
            if not is_used or time.monotonic() > deadline:
                hint = "; another program uses it; --sandbox=strict gives each bot its own network" * is_used
                raise ChildError(f"cannot open port {port} for the client: {error}{hint}") from error
            time.sleep(0.05)


def accepted(listening: socket.socket, child: Child) -> socket.socket:
    """The connection of the client. Raises ChildError if the program ends without one."""
    began, port = time.monotonic(), listening.getsockname()[1]
    listening.settimeout(0.1)
    is_said = False
    while True:
        has_ended = child.has_ended()
        try:
            connection = listening.accept()[0]
        except socket.timeout:
            if has_ended:
                raise ChildError(f"{child.name} {child.end_words(f'a connection to port {port}')}") from None
        else:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        if not is_said and time.monotonic() > began + SLOW:
            is_said = True
            print(f"{child.name} has not connected to port {port} for {SLOW:.0f} s", file=sys.stderr, flush=True)
