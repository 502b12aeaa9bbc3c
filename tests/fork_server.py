"""A process that has the tool imported and forks for each of its commands.

A test suite calls the tool a thousand times, and starting Python and importing takes longer than most commands do. A
fork has its own folder, environment and files, as a started process has. Tests that need a shell, a signal or another
locale start the tool itself.
"""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

IMPORTED = ("sojourn.bindings", "sojourn.cli.app", "sojourn.cli.run", "sojourn.cli.measure", "sojourn.cli.sweep")
"""What most commands import. Those that need more import it in their fork, each time."""
AT_START = ("PYTHON", "LC_", "LANG")
"""Beginnings of the variables that Python reads when it starts, too late for a fork."""


class ForkServer:
    """The client's side: runs commands in forks of one process, which it starts."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._address = str(folder / "fork")
        self._started = {name: value for name, value in environment.items() if name.startswith(AT_START)}
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen(64)
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(listener.fileno())],
                pass_fds=[listener.fileno()], env=environment, stdin=subprocess.DEVNULL,
            )  # fmt: skip

    def serves(self, environment: dict[str, str]) -> bool:
        """Whether a fork would be as a process that starts with this environment."""
        return self._started == {name: value for name, value in environment.items() if name.startswith(AT_START)}

    def run(
        self, command: list[str], *, cwd: Path, env: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` with both outputs captured as text."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._address)
            out, err = _File(), _File()
            niceness = os.getpriority(os.PRIO_PROCESS, 0)
            asked = json.dumps([command, str(cwd), env, niceness]).encode()
            socket.send_fds(connection, [len(asked).to_bytes(4)], [out.number, err.number])
            connection.sendall(asked)
            connection.settimeout(timeout)
            try:
                status = connection.recv(4)
            except TimeoutError:
                raise subprocess.TimeoutExpired(command, timeout, out.text(), err.text()) from None
            assert status, "the fork server has ended"
            code = os.waitstatus_to_exitcode(int.from_bytes(status))
            return subprocess.CompletedProcess(command, code, out.text(), err.text())

    def close(self) -> None:
        self._server.kill()
        self._server.wait()


class _File:
    """An output of a command, without a pipe that would have to be read while it writes."""

    def __init__(self) -> None:
        self.number = os.memfd_create("output")

    def text(self) -> str:
        with os.fdopen(self.number, encoding="utf-8") as file:
            file.seek(0)
            return file.read()


def serve(listener: socket.socket) -> None:
    """Forks for each connection, answers with the exit status, and ends a command whose client has left."""
    for name in IMPORTED:
        import_module(name)
    wakeup, written = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(written)
    running: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(wakeup, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    connection = listener.accept()[0]
                    pid = _forked(
                        connection, [listener.fileno(), wakeup, written, *map(socket.socket.fileno, running.values())]
                    )
                    running[pid] = connection
                    selector.register(connection, selectors.EVENT_READ, pid)
                elif key.fileobj is wakeup:
                    os.read(wakeup, 4096)
                    for pid, status in _ended():
                        with running.pop(pid) as connection, suppress(KeyError, OSError):  # a client that has left
                            selector.unregister(connection)
                            connection.sendall(status.to_bytes(4))
                else:
                    selector.unregister(key.fileobj)
                    if key.data in running:
                        os.kill(key.data, signal.SIGKILL)


def _ended() -> list[tuple[int, int]]:
    found = []
    with suppress(ChildProcessError):
        while (one := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(one)
    return found


def _forked(connection: socket.socket, others: list[int]) -> int:
    head, files, _, _ = socket.recv_fds(connection, 4, 2)
    command, folder, environment, niceness = json.loads(_octets(connection, int.from_bytes(head)))
    pid = os.fork()
    if pid == 0:
        for number in (*others, connection.fileno()):
            os.close(number)
        with suppress(PermissionError):  # it may be raised, and lowered by root
            os.setpriority(os.PRIO_PROCESS, 0, niceness)
        _run(command, folder, environment, files)
    for number in files:
        os.close(number)
    return pid


def _octets(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        found += connection.recv(count - len(found))
    return found


def _run(command: list[str], folder: str, environment: dict[str, str], files: list[int]) -> None:
    """The command, as the tool's script runs it, and what Python does at its end."""
    from sojourn.cli import main  # noqa: PLC0415

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, given in zip((1, 2), files, strict=True):
        os.dup2(given, number)
        os.close(given)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    code = 1
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
