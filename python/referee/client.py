"""Agents that talk over a port: they connect to one of the bot that asks them, or listen on one.

    from referee import AnyGame, Client, Server

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

    class Calls(Server):
        game = AnyGame()
        command = "python3 player.py --port {port}"

        def ask(self, position, seconds):
            return self.call("play", position, seconds)

    if __name__ == "__main__":
        Lines().run()

>>> Client.command, Server.ports
('{agent}/run -p {port}', None)
"""

from __future__ import annotations

import errno
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._child import GRACE, Channel, Child, ChildError
from .bot import Choice
from .bridge import Bridge

if TYPE_CHECKING:
    from http.client import HTTPConnection

__all__ = ["Client", "Server"]

#: How long another program may keep a port, in seconds.
PATIENCE = 5.0
#: When it is said that there is no connection yet, in seconds.
SLOW = 3.0
#: How long to wait for a connection before the next attempt, in seconds.
PAUSE = 0.05
#: The names of this machine, for which servers wait.
HOSTS = ("127.0.0.1", "::1")


class Connected(Bridge):
    """A bridge to a program that talks over a connection. It plays one game, and is started when the game begins.

    The sandbox needs the level `strict`, in which each bot has a network of its own.
    """

    #: `{port}` is the port.
    command: str | Sequence[str] = "{agent}/run -p {port}"
    #: The fixed ports of the first and the second player; None if a free one will do.
    ports: tuple[int, int] | None = None

    _connection: socket.socket | None = None
    _frames: Channel | None = None
    _unsent: Any = None

    def state(self, position: Any) -> str | None:
        """The text of a state, if agents see each state once: the start, and the one after each move.

        A state in which it would be the agent's turn, but in which its move is known, is left out.
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
        return type(self).state is not Connected.state

    def _show(self, position: Any) -> None:
        """The next state. One that the agent would answer is sent when its answer is wanted."""
        self._unsent = position
        if self.game.turn(position) != self.side:
            self._catch_up()

    def _catch_up(self) -> None:
        position, self._unsent = self._unsent, None
        if position is not None and (text := self.state(position)) is not None:
            self.send(text)

    def _attempt(self, listening: socket.socket) -> tuple[Callable[[], socket.socket | None], str]:
        """How to get the connection to this port, if it is there, and what is missing otherwise."""
        raise NotImplementedError

    def _start_child(self, **fields: object) -> Child:
        with listener(self.ports[not self.side] if self.ports else 0) as listening:
            port = listening.getsockname()[1]
            attempt, missing = self._attempt(listening)
            child = super()._start_child(port=port, **fields)
            try:
                self._connection = connection_of(child, attempt, f"{missing} port {port}")
            except ChildError:
                child.kill()
                raise
        self._frames = None
        return child

    def _reads_output(self) -> bool:
        return False

    def _channel(self) -> Channel:
        assert self._connection
        self._frames = self._frames or Channel.of(self._connection)
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


class Client(Connected):
    """A bridge to a program that connects to a port of the bot."""

    def _attempt(self, listening: socket.socket) -> tuple[Callable[[], socket.socket | None], str]:
        listening.settimeout(PAUSE)

        def accept() -> socket.socket | None:
            try:
                return listening.accept()[0]
            except socket.timeout:
                return None

        return accept, "a connection to"


class Server(Connected):
    """A bridge to a program that listens on a port. It gets one connection for all that the bot sends, or requests of HTTP,
    which `request` and `call` make.
    """

    _http: HTTPConnection | None = None

    def request(self, path: str, text: str | None = None, kind: str = "application/json") -> str:
        """The answer to a request of HTTP: a POST with this text, or a GET."""
        self.note(">", text or "", path)
        answer = self._request(path, text, kind)
        self._hear(answer)
        return answer

    def call(self, name: str, *arguments: Any) -> Any:
        """What a function of XML-RPC returns. An object among the arguments is sent as its attributes."""
        from xmlrpc import client

        self.note(">", f"{name}{arguments!r}")
        answer = self._request("/RPC2", client.dumps(arguments, name, allow_none=True), "text/xml")
        try:
            ((value,), _) = client.loads(answer)
        except client.Fault as fault:
            raise ChildError(f"{name}() of {self.child.name} failed: {fault.faultString}") from None
        self._hear(repr(value))
        return value

    def _request(self, path: str, text: str | None, kind: str) -> str:
        from http.client import HTTPConnection, HTTPException

        assert self._connection
        if self._http is None:
            self._http = HTTPConnection(*self._connection.getpeername()[:2])
            self._http.sock = self._connection
        method, data = ("GET", None) if text is None else ("POST", text.encode())
        while True:
            is_old = self._http.sock is not None  # it may have been closed meanwhile
            try:
                self._http.request(method, path, data, {"Content-Type": kind})
                answer = self._http.getresponse()
                body = answer.read().decode(errors="replace")
                break
            except (OSError, HTTPException) as error:
                self._http.close()
                if not is_old or self.child.has_ended():
                    raise self.child.error(f"does not answer {path}: {error or type(error).__name__}") from None
        if answer.status >= 400:
            raise ChildError(f"{self.child.name} answered {path} with {answer.status} {answer.reason}")
        return body

    def _attempt(self, listening: socket.socket) -> tuple[Callable[[], socket.socket | None], str]:
        port = listening.getsockname()[1]
        listening.close()  # it was free

        def connect() -> socket.socket | None:
            for host in HOSTS:
                try:
                    connection = socket.create_connection((host, port), GRACE)
                except OSError:
                    continue
                if connection.getsockname() != connection.getpeername():  # not with itself
                    return connection
                connection.close()
            time.sleep(PAUSE)
            return None

        return connect, "listening on"

    def _end(self, grace: float) -> None:
        if self._http:
            self._http.close()
            self._http = None
        super()._end(grace)


def listener(port: int) -> socket.socket:
    """A socket with this port, or with a free one. Raises ChildError if there cannot be one."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            listening = socket.socket()
        except OSError as error:
            hint = "--sandbox=strict gives each bot its own network, --sandbox=on none"
            raise ChildError(f"cannot open a port: {error}; {hint}") from error
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
                raise ChildError(f"cannot open port {port}: {error}{hint}") from error
            time.sleep(PAUSE)


def connection_of(child: Child, attempt: Callable[[], socket.socket | None], missing: str) -> socket.socket:
    """The connection of one of the attempts. Raises ChildError if the program ends without one."""
    began, is_said = time.monotonic(), False
    while True:
        has_ended = child.has_ended()
        if connection := attempt():
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        if has_ended:
            raise ChildError(f"{child.name} {child.end_words(missing)}")
        if not is_said and time.monotonic() > began + SLOW:
            is_said = True
            print(f"{child.name} has run for {SLOW:.0f} s without {missing}", file=sys.stderr, flush=True)
