"""What one visitor's text, connection or call may take, and that others are answered meanwhile."""

import asyncio
import gc
import math
import operator
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sojourn.workbench import guard, server
from sojourn.workbench.children import Children, Limits, TooMuch
from sojourn.workbench.settings import Settings

from .conftest import QUEUE

pytestmark = pytest.mark.hostile("texts and connections that freeze others")

WAIT_S = 5.0
"""What another visitor waits at most, on a busy machine; texts that held the server did so for 15 to 170 s."""
STATIONS = "".join(f'[[station]]\nname = "s{n}"\n' for n in range(9000))
TEXTS = {
    "letters": f"# {'a' * 250_000}\n",
    "repeated mistakes": "a=1\n" * 60_000,
    "unknown keys": "".join(f"k{n}=1\n" for n in range(25_000)),
    "stations without service": f"{QUEUE.partition('[[station]]')[0]}{STATIONS}"[:260_000],
    "one long line": f"x = [{'1,' * 120_000}\n",
    "a key of many parts": f"a{'.a' * 120_000} = 1\n",
    "many keys of many parts": f"a{'.a' * 99} = 1\n" * 1250,
    "nested": "a = " + "[" * 120_000,
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("role", ["run", pytest.param("view", marks=pytest.mark.nightly)])
def test_a_text_of_one_visitor_leaves_the_others_answered(workbench, folder: Path, kind: str, role: str) -> None:
    hostile, other = workbench(role), workbench("run")
    (folder / "hostile.toml").write_text(TEXTS[kind])
    assert other.get("/scenarios/site.toml").status_code == 200

    def attack() -> int:
        if role == "view":
            return hostile.get("/scenarios/hostile.toml").status_code
        return hostile.post("/scenarios/site.toml/check", data={"text": TEXTS[kind]}).status_code

    waits = []
    with ThreadPoolExecutor(1) as pool:
        attacked = pool.submit(attack)
        while not waits or not attacked.done():
            began = time.monotonic()
            assert other.get("/jobs").status_code == 200
            waits.append(time.monotonic() - began)
        assert attacked.result() == 200
    assert max(waits) < WAIT_S


def test_a_text_of_many_mistakes_shows_the_first_twenty_and_their_number(workbench) -> None:
    text = QUEUE + "".join(f"k{n} = 1\n" for n in range(25))
    found = workbench().post("/scenarios/site.toml/check", data={"text": text}).json()
    assert len(found["problems"]) == 20
    assert found["rendered"].endswith("\nand 5 more mistakes\n")


def test_a_scenario_that_is_nested_too_deep_is_refused_and_not_saved(saved, folder: Path) -> None:
    assert saved(TEXTS["nested"]).status_code == 400
    assert (folder / "site.toml").read_text() == QUEUE


SMALL = Limits(processor_s=60, wall_s=60.0, memory=1 << 30, output=1 << 16)
PLENTY = 10**9


@pytest.mark.parametrize(
    ("limits", "call"),
    [
        (replace(SMALL, wall_s=5.0), (time.sleep, 600)),
        (replace(SMALL, processor_s=1), (math.factorial, 10**7)),
        (replace(SMALL, memory=1 << 29), (operator.mul, "a", PLENTY)),
        (SMALL, (operator.mul, "a", 1 << 17)),
    ],
    ids=["deadline", "processor", "memory", "output"],
)
def test_a_call_that_takes_too_much_is_stopped_and_the_next_is_answered(limits: Limits, call) -> None:
    async def calls() -> int:
        children = Children(limits, most=1, of_visitor=1, calls=10)
        try:
            with pytest.raises(TooMuch):
                await children.do(*call)
            three: int = await children.do(operator.add, 1, 2)
        finally:
            await children.close()
        return three

    assert asyncio.run(calls()) == 3
    gc.collect()  # a pipe that outlived the loop would be reported here


def test_the_calls_of_a_visitor_wait_for_each_other_and_not_those_of_another() -> None:
    async def calls() -> bool:
        children = Children(SMALL, most=3, of_visitor=1, calls=10)
        slow = [asyncio.create_task(children.do(time.sleep, 600, visitor="anna")) for _ in range(5)]
        three = await asyncio.wait_for(children.do(operator.add, 1, 2, visitor="ben"), 60)
        held = not any(one.done() for one in slow)
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        await children.close()
        return held and three == 3

    assert asyncio.run(calls())
    gc.collect()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The address of a server in this process."""
    begun, listening = threading.Event(), server.bound("127.0.0.1", 0)
    found = server.server_of(Settings(folder=tmp_path, port=listening.getsockname()[1]), begun.set)
    thread = threading.Thread(target=found.run, kwargs={"sockets": [listening]})
    thread.start()
    assert begun.wait(60)
    yield listening.getsockname()
    found.should_exit = True
    thread.join(60)


def answered(connection: socket.socket, address: tuple[str, int], more: bytes = b"", body: bytes = b"") -> bytes:
    """The begin of the answer to a request; empty where the connection was closed."""
    method = b"POST /leave" if more else b"GET /static/page.css"
    host = f"Host: {address[0]}:{address[1]}\r\n".encode()
    try:
        connection.sendall(method + b" HTTP/1.1\r\n" + host + more + b"\r\n" + body)
        return connection.recv(12)
    except ConnectionError:
        return b""


def test_an_address_has_a_hundred_connections(address: tuple[str, int]) -> None:
    def connected(source: str) -> socket.socket:
        return socket.create_connection(address, timeout=60, source_address=(source, 0))

    first = [connected("127.0.0.5") for _ in range(100)]
    assert answered(first[-1], address) == b"HTTP/1.1 200"
    with connected("127.0.0.5") as one_too_many:
        assert answered(one_too_many, address) == b""
    with connected("127.0.0.6") as other:
        assert answered(other, address) == b"HTTP/1.1 200"
    for connection in first:
        connection.close()


def test_a_length_together_with_chunks_is_refused(address: tuple[str, int]) -> None:
    """A proxy in front may take the one for the other, and see another request than the server."""
    with socket.create_connection(address, timeout=60) as connection:
        both = b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
        assert answered(connection, address, both, b"0\r\n\r\n") == b"HTTP/1.1 400"
        rest = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert b"connection: close" in rest.lower()


def test_a_reader_that_does_not_read_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sojourn.workbench.app import application  # noqa: PLC0415

    assert guard.SEND_TIMEOUT_S == 30.0
    monkeypatch.setattr(guard, "SEND_TIMEOUT_S", 0.2)
    scope = {
        "type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "root_path": "",
        "scheme": "http", "headers": [(b"host", b"127.0.0.1:18622")], "http_version": "1.1", "client": ("127.0.0.1", 1),
    }  # fmt: skip

    async def visit() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: object) -> None:
            await asyncio.sleep(3600)

        await asyncio.wait_for(application(Settings(folder=folder))(scope, receive, send), 60)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(visit())
    assert time.monotonic() - began < 30
