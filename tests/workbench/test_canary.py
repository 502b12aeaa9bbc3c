"""Secrets are planted in every place that takes one, and everything that is shown, sent or kept is read.

A secret may be in what is asked for, so that it can be asked for again, and where the user put it: nowhere else.
"""

import http.client
import json
import re
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import typer.main
from starlette.testclient import TestClient

from sojourn.bindings import call_json
from sojourn.cli import app as commands
from sojourn.workbench.app import ROUTES, application
from sojourn.workbench.journal import Journal
from sojourn.workbench.pages.jobs import FILES
from sojourn.workbench.settings import Settings

from .canaries import Canaries
from .conftest import LINKS, ORIGIN, TOKENS

pytestmark = pytest.mark.hostile("secrets planted in every place that takes one")

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "measure.body": "whole",
    "measure.header": "fields",
    "measure.key_file": "file",
    "measure.peer": "url",
    "mesh.key_file": "file",
    "target.body": "whole",
    "target.header": "fields",
    "target.key_file": "file",
    "target.peer": "url",
}
"""The keys of documents that are declared as secrets, all planted below."""
OPTIONS = {
    "body": "planted as --body",
    "header": "planted as --header",
    "peer": "planted as --peer",
    "on-alert": "planted as --on-alert",
    "key-file": "planted in the file",
    "token-file": "planted in the file",
    "tls-key": "a path; the file is read by Python's ssl alone",
    "tls-cert": "a path of what is public",
    "public-url": "refused with a user, a path or a query",
    "cluster": "an address",
}
"""The options that take a secret or are named as if they did."""
NAMED_LIKE_SECRETS = re.compile(
    r"body|header|peer|url|alert|token|key|secret|pass(?!es|ed)|auth|cookie|credential|tls|cluster"
)
VARIABLES = {"SOJOURN_KEY", "SOJOURN_STORE"}
"""Variables of the environment that are secrets or have them, both planted below."""
ASKED = ("snapshot/", "job.json")
"""The files of a job that have what was asked for, whole."""
SITE = """title = "Two hosts"
[network]
kind = "ip"
[[medium]]
name = "lan"
rate = "1 Gbit/s"
[[station]]
name = "a"
on = "lan"
[[station]]
name = "b"
on = "lan"
[probe]
from = "a"
to = "b"
think = "1 ms"
[run]
duration = "1 s"
warm_up = "0 s"
replications = 2
"""

MESH = """[network]
kind = "ip"
[mesh]
key_file = "{key}"
[[agent]]
name = "here"
address = "127.0.0.1:{port}"
[[agent]]
name = "there"
address = "127.0.0.2:{port}"
"""
"""Two agents that are both away."""


class Peer(BaseHTTPRequestHandler):
    """A server of HTTP that keeps what it was sent."""

    protocol_version = "HTTP/1.1"
    received: list[str]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        self.received.append(f"{self.path}\n{self.headers}\n{body}")
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_POST  # noqa: N815 - the name is that of the library

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is printed."""


class Server(ThreadingHTTPServer):
    """One whose clients may leave before they are answered, as those that time out do."""

    def handle_error(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def peer() -> Iterator[SimpleNamespace]:
    """A peer of measurements, what it received, and a port that nothing listens at."""
    received: list[str] = []
    with Server(("127.0.0.1", 0), type("Own", (Peer,), {"received": received})) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            closed = free.getsockname()[1]
        yield SimpleNamespace(port=server.server_address[1], closed=closed, received=received)
        server.shutdown()


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


def written(file: Path, text: str, mode: int = 0o644) -> Path:
    file.write_text(text)
    file.chmod(mode)
    return file


def document(canaries: Canaries, name: str, peer: str, *, mistake: str = "") -> str:
    """A measurement with secrets in every key that takes one, and in a comment."""
    plant = lambda place: canaries.plant(f"{name}: {place}")  # noqa: E731
    return (
        f'title = "Measured"\n# password = {plant("comment")}\n[network]\nkind = "ip"\n[run]\nduration = "1 s"\n'
        f'[measure]\npeer = "{peer}"\nrate = "20 /s"\n{mistake}'
        f'header = ["Authorization: Bearer {plant("authorization")}", "X-Own: {plant("own field")}", "Accept: a/b"]\n'
        f'body = "{plant("body")}"\n'
    )


def test_every_key_and_option_that_takes_a_secret_is_planted() -> None:
    def secrets_of(schema: Any, path: str) -> Iterator[tuple[str, str]]:
        if isinstance(schema, dict):
            if "x-secret" in schema:
                yield path, schema["x-secret"]
            for name, member in schema.get("properties", {}).items():
                yield from secrets_of(member, f"{path}.{name}".lstrip("."))
            for word in ("items", "anyOf", "additionalProperties", "patternProperties"):
                yield from secrets_of(schema.get(word), path)
        elif isinstance(schema, list):
            for member in schema:
                yield from secrets_of(member, path)

    kinds = [network["kind"] for network in call_json("networks")]
    assert dict(found for kind in kinds for found in secrets_of(call_json("schema", kind), "")) == KEYS

    def options_of(command: Any) -> Iterator[str]:
        for one in getattr(command, "commands", {}).values():
            yield from options_of(one)
        yield from (name for one in command.params for name in one.opts if name.startswith("--"))

    whole = typer.main.get_command(commands.command_line([]))
    named = {name[2:] for name in options_of(whole) if NAMED_LIKE_SECRETS.search(name)}
    assert named == OPTIONS.keys(), "say where the new option is planted, or why it takes no secret"
    sources = [file for place in ("python", "crates") for file in (ROOT / place).rglob("*.[pr][ys]")]
    variables = {name for file in sources for name in re.findall(r'"(SOJOURN_[A-Z_]+)"', file.read_text())}
    assert {name for name in variables if re.search("KEY|STORE|TOKEN|PASS|SECRET", name)} == VARIABLES


FEW = ("site", "measured", "user", "malformed", "mistake")
"""The documents that the jobs of the ordinary suite compute; the others are for the night."""


@pytest.mark.parametrize("documents", [FEW, pytest.param((), marks=pytest.mark.nightly, id="all")])
def test_pages_files_and_command_lines_of_jobs_show_no_secret(
    folder: Path,
    tmp_path: Path,
    peer: SimpleNamespace,
    canaries: Canaries,
    monkeypatch: pytest.MonkeyPatch,
    documents: tuple[str, ...],
) -> None:
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("SOJOURN_KEY", canaries.plant("environment: SOJOURN_KEY"))
    forms = plant_in_folder(folder, peer, canaries)
    if documents:
        # a job of each document
        forms = [*{form["name"]: form for form in reversed(forms) if form["name"][:-5] in documents}.values()]
        forms.sort(key=lambda form: documents.index(form["name"][:-5]))
    well = 2 if documents else 7
    with TestClient(application(Settings(folder=folder, tokens=TOKENS, at_once=4)), base_url=ORIGIN) as first:
        with seen_by_all_users(canaries):
            run = visitor(first, "run")
            for form in forms:
                answer = run.post("/jobs", data=form)
                assert answer.status_code == 303, answer.text
            events = [run.get(f"/jobs/{number}/events") for number in range(1, len(forms) + 1)]
        ended = {number: state_of(folder, number) for number in range(1, len(forms) + 1)}
        # simulations, measurements, and what cannot be measured
        assert list(ended.values()) == ["done"] * well + ["failed"] * (len(forms) - well), messages(folder)
        for stream in events:
            canaries.search("event stream while it runs", str(stream.url), stream.content)
        read_all_routes(visitor(first, "view"), folder, canaries, well)
        read_refusals(run, canaries)
    sent = "\n".join(peer.received)
    for place in ("measured: key of the query", "measured: authorization", "measured: own field", "measured: body"):
        assert canaries.planted[place] in sent, "the peer itself gets what it is asked with"
    canaries.search_folder("file of a job", folder / ".sojourn", except_for=ASKED)
    canaries.search_folder("file of store and cache", tmp_path / "data")
    canaries.search_folder("file of store and cache", tmp_path / "cache")
    print(canaries.table())
    assert canaries.found == set()
    assert_asked_is_whole_and_of_its_owner_alone(folder, canaries)


def plant_in_folder(folder: Path, peer: SimpleNamespace, canaries: Canaries) -> list[dict[str, str]]:
    """Writes the documents, and returns the forms of the jobs: those that succeed first."""
    plant, here = canaries.plant, f"127.0.0.1:{peer.port}"
    query = f"api_key={plant('measured: key of the query')}&token={plant('measured: token of the query')}"
    written(folder / "lab.key", plant("key file"), 0o600)
    documents = {
        "measured": f"http://{here}/x?{query}",
        "user": f"http://me:{plant('password of the URL')}@{here}/x?token={plant('token behind a password')}",
        "malformed": f"me:{plant('password without a scheme')}@{here}",
        "slash": f"http://me:a/{plant('password with a slash')}@{here}/",
        "scheme": f"htps://me:{plant('password behind a wrong scheme')}@{here}/?sig={plant('signature')}",
        "closed": f"http://127.0.0.1:{peer.closed}/?access_token={plant('refused connection')}",
        "tls": f"https://{here}/?apikey={plant('TLS failure')}",
        "name": f"http://nowhere.invalid/?secret={plant('name without an address')}",
    }
    for name, url in documents.items():
        written(folder / f"{name}.toml", document(canaries, name, url))
    text = document(canaries, "mistake", f"http://{here}/?key={plant('beside a mistake')}", mistake="rte = 5\n")
    written(folder / "mistake.toml", text)
    keyed = f'[network]\nkind = "ip"\n[measure]\npeer = "sojourn://127.0.0.1:{peer.closed}"\nkey_file = "lab.key"\n'
    written(folder / "keyed.toml", keyed)
    keys = document(canaries, "site", documents["measured"]).partition("[measure]")[2]
    # the probe between stations has a rate of its own
    written(folder / "site.toml", SITE + "[measure]" + keys.replace('rate = "20 /s"\n', ""))
    monitored = document(canaries, "monitor", documents["measured"]).replace("[measure]", "[[target]]\nname = 'a'")
    written(folder / "monitor.toml", monitored)
    sets = f"measure.header=X-Own: {plant('site: setting')}\nmeasure.body={plant('site: body setting')}"
    other = f"http://{here}/y?pwd={plant('--peer of a form')}"
    measured = ("user", "malformed", "slash", "scheme", "closed", "tls", "name", "mistake", "keyed")
    return [
        {"command": "run", "name": "site.toml", "set": sets},
        {"command": "sweep", "name": "site.toml", "set": sets, "over": "medium.lan.delay=0,1 ms"},
        {
            **{"command": "find", "name": "site.toml", "set": sets, "replications": "2"},
            **{"vary": "medium.lan.delay=0 ms:1 ms", "until": "response_time.p99 < 1 ms"},
        },
        {"command": "risk", "name": "site.toml", "set": sets, "of": "response_time > 1 ms"},
        {"command": "study", "name": "fddi-adapter", "quick": "on", "set": "run.duration=3 ms"},
        {"command": "measure", "name": "measured.toml"},
        {
            "command": "measure",
            "name": "measured.toml",
            "peer": other,
            "set": f"measure.header=X-Set: {plant('setting')}",
            "over": f"measure.body={plant('axis, one')},{plant('axis, two')}",
        },
        *({"command": "measure", "name": f"{name}.toml"} for name in measured),
    ]


class seen_by_all_users:  # noqa: N801 - reads as a sentence
    """Reads the command lines of all processes until it ends: every user of the host can."""

    def __init__(self, canaries: Canaries) -> None:
        self._canaries, self._ends = canaries, threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._ends.wait(0.3):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self._canaries.search("command line of a process", file.parent.name, file.read_bytes())
                except OSError:
                    continue


def visitor(first: TestClient, role: str) -> TestClient:
    client = TestClient(first.app, base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False)
    client.portal = first.portal
    assert client.get("/enter", params={"token": LINKS[role]}).status_code == 200
    return client


def state_of(folder: Path, number: int) -> str:
    return str(json.loads((Journal(folder).folder(number) / "job.json").read_text())["state"])


def messages(folder: Path) -> str:
    return "\n".join(file.read_text() for file in sorted(folder.glob(".sojourn/jobs/*/job.json")))


def read_all_routes(view: TestClient, folder: Path, canaries: Canaries, well: int) -> None:
    """Reads every route of the application with all that its address can name, as the lesser role."""
    numbers = sorted(int(place.name) for place in (folder / ".sojourn/jobs").iterdir())
    names = sorted(file.name for file in folder.glob("*.toml"))
    runs = sorted({int(number) for number in re.findall(r'href="/history/(\d+)"', view.get("/history").text)})
    assert len(runs) >= well, "the history has the jobs that succeeded"
    addresses: dict[str, list[str]] = {
        "/": ["/"],
        "/enter": ["/enter", f"/enter?token={canaries.plant('wrong token of a link')}"],
        "/static/{name}": ["/static/workbench.js"],
        "/schema": ["/schema?kind=queue"],
        "/scenarios/{name}": [f"/scenarios/{name}" for name in names],
        "/scenarios/{name}/full": [f"/scenarios/{name}/full" for name in names],
        "/scenarios/{name}/request": [f"/scenarios/{name}/request" for name in names],
        "/jobs": ["/jobs"],
        "/jobs/compare": [f"/jobs/compare?first={numbers[0]}&second={number}" for number in numbers[1:]],
        "/jobs/compare/figure": [
            f"/jobs/compare/figure?first={numbers[0]}&second={number}" for number in numbers[1:well]
        ],
        "/jobs/{number:int}": [f"/jobs/{number}" for number in numbers],
        "/jobs/{number:int}/events": [f"/jobs/{number}/events" for number in numbers],
        "/jobs/{number:int}/figures": [f"/jobs/{number}/figures" for number in numbers[:well]],
        "/jobs/{number:int}/files/{name}": [f"/jobs/{number}/files/{name}" for number in numbers for name in FILES],
        "/captures": ["/captures"],
        "/studies": ["/studies"],
        "/history": ["/history", "/history?scenario=measured"],
        "/history/compare": [f"/history/compare?first={runs[0]}&second={runs[-1]}"],
        "/history/over-time": ["/history/over-time?scenario=measured"],
        "/history/figure": ["/history/figure?scenario=measured"],
        "/history/{number:int}": [f"/history/{number}" for number in runs],
        "/targets": ["/targets"],
        "/measurements": ["/measurements"],
        "/monitors": ["/monitors"],
        "/monitors/events": ["/monitors/events"],
        "/monitors/{number:int}": [f"/monitors/{number}" for number in numbers],
        "/monitors/{number:int}/events": [f"/monitors/{number}/events" for number in numbers],
        "/mesh": ["/mesh"],
        "/mesh/events": [f"/mesh/events?run={runs[0]}"],  # refused: a mesh streams until its visitor leaves
    }
    assert addresses.keys() == {path for path, method, _ in ROUTES if method == "GET"}, "a new route is read, too"
    read = 0
    for path, places in addresses.items():
        for place in places:
            answer = view.get(place)
            read += answer.status_code == 200
            canaries.search(f"route {path}", place, f"{answer.headers}".encode() + answer.content)
    assert read > len(addresses) + 2 * len(names)


def read_refusals(run: TestClient, canaries: Canaries) -> None:
    """What is refused to a visitor who may run, by a page that another may see over the shoulder."""
    peer = f"file://me:{canaries.plant('refused peer')}@h/"
    for url in (peer, f"kiss+tcp://me:{canaries.plant('peer on the air')}@h:1/CALL"):
        form = {"command": "measure", "name": "measured.toml", "peer": url}
        answer = run.post("/jobs", data=form)
        assert answer.status_code == 400
        canaries.search("refusal", "/jobs", answer.content)


def assert_asked_is_whole_and_of_its_owner_alone(folder: Path, canaries: Canaries) -> None:
    jobs = folder / ".sojourn/jobs"
    asked = "".join(file.read_text() for file in jobs.glob("*/snapshot/measured.toml"))
    assert canaries.planted["measured: body"] in asked
    assert canaries.planted["site: body setting"] in (jobs / "0001/job.json").read_text()
    for file in (*jobs.glob("*/job.json"), *jobs.glob("*/snapshot/*.toml")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    for link in jobs.glob("*/snapshot/*.key"):
        assert link.is_symlink(), "a key stays where it is"


Cli = Callable[..., subprocess.CompletedProcess[str]]


def test_commands_their_files_and_their_errors_show_no_secret(
    sojourn: Cli, start: Callable[..., Any], tmp_path: Path, environment: dict[str, str], peer: SimpleNamespace
) -> None:
    canaries = Canaries()
    plant, here = canaries.plant, f"127.0.0.1:{peer.port}"
    url = f"http://{here}/x?signature={plant('URL')}&y=1"
    key = written(tmp_path / "agent.key", plant("key file"), 0o600)
    weak = written(tmp_path / "weak.key", plant("weak key file")[:20], 0o600)
    text = document(canaries, "document", url)
    measured, wrong = tmp_path / "measured.toml", tmp_path / "wrong.toml"
    measured.write_text(text)
    wrong.write_text(text.replace('rate = "20 /s"', 'rate = "20"'))
    monitored = text.replace("[measure]", '[[target]]\nname = "a"').replace(url, f"{url}&sid={plant('target')}")
    (tmp_path / "monitored.toml").write_text(monitored)
    (tmp_path / "mesh.toml").write_text(MESH.format(key=key.name, port=peer.closed))
    fast = ("--duration", "1 s", "--rate", "20 /s")
    options = ("--header", f"X-Own: {plant('--header')}", "--body", plant("--body"))
    user = f"http://me:{plant('user')}@{here}/"
    with_key = {"env": environment | {"SOJOURN_KEY": plant("environment: SOJOURN_KEY")}}
    with_store = {"env": environment | {"SOJOURN_STORE": store_url(plant("environment: SOJOURN_STORE"), peer.closed)}}
    configured = environment | {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "config/sojourn").mkdir(parents=True)
    config = tmp_path / "config/sojourn/config.toml"
    written(config, f'store = "{store_url(plant("config.toml"), peer.closed)}"\n', 0o600)
    monitor = start(
        *("monitor", "monitored.toml", f"http://{here}/?hmac={plant('URL of a target')}", "--out", "watched"),
        *("--window", "1 s", "--metrics", "127.0.0.1:0", "--format", "jsonl", *options),
        *("--expect", "response_time.p99 < 1 us", "--on-alert", f"exit 3 # {plant('--on-alert')}"),
    )
    asked: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = [
        (0, ("measure", url, *fast, *options, "--out", "url", "--figures", "svg"), {}),
        (0, ("measure", measured, "--out", "file", "--format", "json"), {}),
        (0, ("measure", measured, "--peer", f"{url}&otp={plant('--peer')}", "--format", "jsonl"), {}),
        (2, ("measure", user, *fast), {}),
        (2, ("measure", f"me:{plant('without a scheme')}@{here}", *fast), {}),
        (2, ("measure", wrong), {}),
        (2, ("measure", url, f"http://me:{plant('one argument too many')}@h/"), {}),
        (2, ("measure", url, "--header", plant("no field")), {}),
        (2, ("measure", url, f"--no-such={plant('no option')}"), {}),
        (1, ("measure", url.replace(str(peer.port), str(peer.closed)), *fast), {}),
        (1, ("measure", url.replace("http:", "https:"), *fast), {}),
        (2, ("measure", "sojourn://127.0.0.1:1", "--key-file", weak), {}),
        (1, ("measure", f"sojourn://127.0.0.1:{peer.closed}", *fast), with_key),
        (0, ("listen", "stamp://127.0.0.1:0", "--key-file", key, "--duration", "1 s"), {}),
        (0, ("agent", "sojourn://127.0.0.1:0", "--key-file", key, "--duration", "1 s"), {}),
        (2, ("agent", "sojourn://127.0.0.1:0", "--open"), with_key),
        (0, ("mesh", "mesh.toml", "--duration", "2 s", "--format", "jsonl", "--out", "meshed", "--metrics", "off"), {}),
        (1, ("history",), with_store),
        (1, ("history",), {"env": configured}),
        (2, ("history",), {"env": environment | {"SOJOURN_STORE": f"mysql://me:{plant('no store')}@h/"}}),
        (0, ("measure", url, *fast), with_store),
    ]
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda one: sojourn(*one[1], **one[2]), asked))
    for (code, words, _), one in zip(asked, done, strict=True):
        assert one.returncode == code, (words, one.stderr)
        canaries.search("output of a command", f"{words[:2]}", one.stdout + one.stderr)
    read_monitor(monitor, canaries)
    for words in (("history", "--format", "json"), ("history", "show", "1"), ("history", "show", "1", "--document")):
        one = sojourn(*words)
        assert one.returncode in (0, 2), one.stderr
        canaries.search("output of a command", f"{words}", one.stdout + one.stderr)
    again = sojourn("measure", "file/scenario.toml") if (tmp_path / "file/scenario.toml").exists() else None
    assert again is None or again.returncode == 2
    for place in ("--header", "--body", "URL of a target", "document: authorization", "--peer"):
        assert canaries.planted[place] in "\n".join(peer.received), f"{place} is sent"
    own = ("agent.key", "weak.key", "mesh.toml", "measured.toml", "wrong.toml", "monitored.toml", "config.toml")
    canaries.search_folder("file that a command wrote", tmp_path, except_for=own)
    print(canaries.table())
    assert canaries.found == set()


def store_url(password: str, port: int) -> str:
    return f"postgresql://lab:{password}@127.0.0.1:{port}/sojourn"


def read_monitor(monitor: Any, canaries: Canaries) -> None:
    """Its lines until the command of an alert has failed, and what it exposes to Prometheus."""
    lines = [monitor.stdout.readline()]
    exposed = json.loads(lines[0])["metrics"]
    until = time.monotonic() + 120
    while "--on-alert" not in lines[-1]:
        lines.append(monitor.stdout.readline())
        assert lines[-1] and time.monotonic() < until, "".join(lines)
    for kind in ("application/openmetrics-text", "text/plain"):
        with urlopen(Request(exposed, headers={"accept": kind}), timeout=30) as answer:
            canaries.search("metrics of a monitor", kind, answer.read())
    monitor.terminate()
    lines.append(monitor.stdout.read())
    assert any('"type":"alert"' in line for line in lines)
    canaries.search("lines of a monitor", "stdout, stderr", "".join(lines) + monitor.stderr.read())


def test_a_server_prints_its_links_and_logs_no_token(
    start: Callable[..., Any], folder: Path, tmp_path: Path, canaries: Canaries
) -> None:
    tokens = written(
        tmp_path / "tokens",
        "".join(f"{name} {role} {canaries.plant(name)}{'x' * 11}\n" for name, role in (("me", "run"), ("all", "view"))),
        0o600,
    )
    process = start("serve", folder, "--port", "0", "--token-file", tokens)
    links = [process.stdout.readline().split()[-1] for _ in range(2)]
    assert canaries.planted["me"] in links[0], "who starts the server gets its links"
    address = urlsplit(links[0])
    for target in (f"{address.path}?{address.query}", f"/enter?token={canaries.plant('wrong token')}"):
        connection = http.client.HTTPConnection(str(address.hostname), int(address.port or 0), timeout=30)
        connection.request("GET", target)
        answer = connection.getresponse()
        canaries.search("answer of a server", target, f"{answer.headers}".encode() + answer.read())
    for octets in (f"GET /enter?token={canaries.plant('broken request')} HTTP/9\r\n\r\n".encode(), b"\x16\x03\x01"):
        with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=30) as broken:
            broken.sendall(octets)
            canaries.search("answer of a server", "broken", broken.recv(1 << 16))
    process.terminate()
    out, errors = process.communicate(timeout=60)
    canaries.search("log of a server", "stdout, stderr", out + errors)
    print(canaries.table())
    assert canaries.found == set()


def test_a_fault_of_a_page_is_logged_without_what_was_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sojourn.workbench.server import server_of  # noqa: PLC0415

    log = server_of(Settings(folder=folder, tokens=TOKENS), lambda: None).config
    assert log.access_log is False
    import logging  # noqa: PLC0415

    try:
        raise RuntimeError("no store at postgresql://me:hunter2@h/?password=hunter3")
    except RuntimeError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    logged = capsys.readouterr().err
    assert "no store at postgresql://me@h/?password=***" in logged
    assert "hunter" not in logged
