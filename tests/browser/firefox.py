"""Firefox, driven by WebDriver BiDi, which it speaks without a driver beside it: https://w3c.github.io/webdriver-bidi."""

from __future__ import annotations

import json
import re
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

COMMAND = "firefox-esr"
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
EVENTS = ["log.entryAdded", "network.beforeRequestSent"]
TIMEOUT_S = 60.0


class Firefox:
    """A browser with one page, and what it logged and requested."""

    def __init__(self, profile: Path) -> None:
        command = [COMMAND, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
        self.process = subprocess.Popen(command, env={"HOME": str(profile)}, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = next(match for line in self.process.stderr if (match := LISTENING.search(line)))
        self.open_sockets = ExitStack()
        self.socket = self.open_sockets.enter_context(connect(f"{found[1]}/session", max_size=None, compression=None))
        self.last = 0
        self.events: list[dict[str, Any]] = []
        self.send("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.send("session.subscribe", events=EVENTS)
        self.page = self.pages()[0]

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command; events that arrive before it are kept."""
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=TIMEOUT_S))
            if message.get("id") == self.last:
                assert message["type"] == "success", message
                return message["result"]
            self.events.append(message)

    def pages(self) -> list[str]:
        """The open pages, the latest last."""
        return [one["context"] for one in self.send("browsingContext.getTree")["contexts"]]

    def open(self, address: str) -> None:
        """Shows an address once it is loaded."""
        self.send("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def value(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON has it."""
        where = {"context": self.page}
        text = f"JSON.stringify({expression}) ?? 'null'"
        answer = self.send("script.evaluate", expression=text, target=where, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def wait(self, condition: str) -> None:
        """Until an expression is true of the page."""
        until = time.monotonic() + TIMEOUT_S
        while not self.value(f"Boolean({condition})"):
            assert time.monotonic() < until, f"{condition}: {self.logged()}"
            time.sleep(0.05)

    def press(self, key: str, held: str = "") -> None:
        """Presses a key, by the code points of WebDriver, while another one is held."""
        pressed = [("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)]
        actions = [{"type": kind, "value": value} for kind, value in pressed if value]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.send("input.performActions", context=self.page, actions=[keyboard])

    def logged(self) -> list[str]:
        """What pages wrote to the console, and their errors."""
        self.send("session.status")
        return [str(one["params"]["text"]) for one in self.events if one.get("method") == "log.entryAdded"]

    def requested(self) -> set[str]:
        """The addresses that pages requested, without fragments."""
        self.send("session.status")
        sent = [one["params"]["request"]["url"] for one in self.events if one.get("method") == EVENTS[1]]
        return {url.partition("#")[0] for url in sent}

    def close(self) -> None:
        """Ends the browser."""
        self.open_sockets.close()
        self.process.terminate()
        self.process.wait(TIMEOUT_S)
