"""A client of a language server, as far as tests of schemas need one."""

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TIMEOUT_S = 30


class LanguageServer:
    """A server that reads and writes messages of the Language Server Protocol on its standard streams."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=folder)
        self._answers: queue.Queue[tuple[int, Any]] = queue.Queue()
        self._asked = 0
        threading.Thread(target=self._read, daemon=True).start()
        place = {"uri": folder.as_uri(), "name": folder.name}
        self.ask(
            "initialize", {"processId": None, "capabilities": {}, "rootUri": place["uri"], "workspaceFolders": [place]}
        )
        self._send({"method": "initialized", "params": {}})

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def open(self, file: Path) -> str:
        """Opens a document; returns its URI."""
        text = {"uri": file.as_uri(), "languageId": "toml", "version": 1, "text": file.read_text(encoding="utf-8")}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": text}})
        return str(text["uri"])

    def mistakes(self, file: Path) -> list[tuple[int, str]]:
        """Line, from 1, and message of each."""
        found = self.ask("textDocument/diagnostic", {"textDocument": {"uri": self.open(file)}})
        return [(one["range"]["start"]["line"] + 1, one["message"]) for one in found["items"]]

    def at(self, what: str, uri: str, line: int, character: int) -> Any:
        """`hover` or `completion` at a place; the line counts from 1."""
        place = {"line": line - 1, "character": character}
        return self.ask(f"textDocument/{what}", {"textDocument": {"uri": uri}, "position": place})

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": parameters})
        while True:
            number, answer = self._answers.get(timeout=TIMEOUT_S)
            if number == self._asked:
                return answer

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while line := stream.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                return
            message = json.loads(stream.read(length))
            if "method" not in message:
                self._answers.put((message["id"], message.get("result")))
            elif "id" in message:
                # it asks for settings, of which there are none, and registers capabilities
                asks = message["method"] == "workspace/configuration"
                self._send({"id": message["id"], "result": [None] * len(message["params"]["items"]) if asks else None})
