"""HTTP/1.1 and HTTP/2 with and without TLS to nginx, whose certificate the test makes."""

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.peer("nginx", package="nginx-light"), pytest.mark.peer("openssl", package="openssl")]

CONFIG = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{}}
http {{
    log_format protocol '$server_protocol $connection';
    access_log {folder}/access.log protocol;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    ssl_certificate {folder}/leaf.pem;
    ssl_certificate_key {folder}/leaf.key;
    server {{
        listen 127.0.0.1:{secure} ssl http2;
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{plain_2} http2;
        location / {{ return 200 "hello"; }}
        location /busy {{ return 503; }}
    }}
}}
"""
SUBJECT = "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\nCN = sojourn test\n"
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


@dataclass
class Server:
    secure: int
    plain: int
    plain_2: int
    folder: Path

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    def requests(self) -> list[tuple[str, str]]:
        """The version of HTTP of every request, and the number of its connection."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [(version, connection) for version, connection in map(str.split, lines)]


def certificates(folder: Path) -> None:
    """A certification authority, and a certificate of localhost from it."""
    (folder / "subject.cnf").write_text(SUBJECT)
    make = ["openssl", "req", "-x509", "-config", "subject.cnf", *KEY]
    ca = ["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", "ca.key", "-out", "ca.pem"]
    leaf = ["-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "leaf.key", "-out", "leaf.pem"]
    leaf += ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    for words in (ca, leaf):
        subprocess.run([*make, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def server(tmp_path, until) -> Iterator[Server]:
    folder = tmp_path / "nginx"
    folder.mkdir()
    certificates(folder)
    with socket.socket() as one, socket.socket() as two, socket.socket() as three:
        sockets = (one, two, three)
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        ports = [probe.getsockname()[1] for probe in sockets]
    server = Server(*ports, folder)
    config = CONFIG.format(folder=folder, secure=server.secure, plain=server.plain, plain_2=server.plain_2)
    (folder / "nginx.conf").write_text(config)
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def listens() -> bool:
        assert process.poll() is None, process.stderr.read()
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", server.secure)) == 0

    until(listens)
    yield server
    process.kill()
    process.communicate()


@pytest.fixture
def ask(sojourn, tmp_path) -> Callable[..., dict[str, Any]]:
    """Measures 40 requests; their metrics."""

    def metrics(url: str, *arguments: str | Path) -> dict[str, Any]:
        timing = ("--rate", "40 /s", "--duration", "1 s")
        done = sojourn("measure", url, *timing, *arguments, "--out", tmp_path / "out")
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"]

    return metrics


@pytest.mark.parametrize(
    "case",
    [
        ("secure", [], "HTTP/2.0"),
        ("secure", ["--http-version", "1.1"], "HTTP/1.1"),
        ("secure", ["--http-version", "2"], "HTTP/2.0"),
        ("plain", [], "HTTP/1.1"),
        ("plain_2", ["--http-version", "2"], "HTTP/2.0"),
    ],
    ids=["ALPN", "TLS, 1.1", "TLS, 2", "1.1", "2"],
)
@pytest.mark.parametrize("connection", ["new", "kept"])
def test_requests_are_of_the_version_asked_for_and_their_phases_add_up(server, ask, case, connection):
    port, arguments, version = case
    scheme, trusted = ("https", ["--ca-file", server.ca]) if port == "secure" else ("http", [])

    url = f"{scheme}://localhost:{getattr(server, port)}/"
    metrics = ask(url, *arguments, *trusted, "--connection", connection)

    assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (40, 0)
    budget = {name: metric["mean"] for name, metric in metrics.items() if name.startswith("delay_budget/")}
    assert sum(budget.values()) == pytest.approx(metrics["response_time"]["mean"], rel=1e-6)
    assert ("phase/tls" in metrics) == (scheme == "https")
    assert metrics["phase/resolve"]["count"] == metrics["phase/connect"]["count"]
    requests = server.requests()
    assert {spoken for spoken, _ in requests} == {version}
    connections = {number for _, number in requests}
    # a request that finds all connections busy opens one, as after a stall of the host
    assert len(connections) == 40 if connection == "new" else len(connections) < 40
    assert metrics["phase/connect"]["count"] == len(connections)


def test_a_busy_server_answers_with_failures(server, ask):
    metrics = ask(f"http://127.0.0.1:{server.plain}/busy")

    assert metrics["failures"]["value"] == metrics["failures/http_503"]["value"] == 40
    assert metrics["response_time"]["count"] == 0


def test_a_certificate_of_an_unknown_authority_or_another_name_is_refused(server, sojourn):
    unknown = sojourn("measure", f"https://localhost:{server.secure}/", "--duration", "5 s")
    other = sojourn("measure", f"https://127.0.0.2:{server.secure}/", "--duration", "5 s", "--ca-file", server.ca)

    assert unknown.returncode == other.returncode == 1
    assert "certificate of an unknown authority" in unknown.stderr
    # there is no listener at that address
    assert "connection refused" in other.stderr
