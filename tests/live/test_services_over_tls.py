"""Servers that sign their own certificate, and what their answers are expected to be."""

import hashlib
import http.server
import json
import ssl
import subprocess
import threading

import pytest

DAYS = 30


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate that signs itself and may sign others (CA:TRUE), as `openssl req -x509` makes it."""
    folder = tmp_path_factory.mktemp("tls")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", str(DAYS), "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def server(certificate):
    """An https server that answers GET with 200 and `all good`, POST with 201, or 400 without a body."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def answer(self, status: int, text: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_GET(self) -> None:
            self.answer(200 if self.path == "/" else 503, b"status: all good")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer(201 if body == b"{}" and self.headers["X-Probe"] == "1" else 400, b"made")

        def log_message(self, *_: object) -> None:
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{listening.server_port}"
    listening.shutdown()


@pytest.fixture
def measured(sojourn):
    """The metrics of a short measurement with these options."""

    def measure(url: str, *options: str) -> dict:
        done = sojourn("measure", url, "--duration", "1 s", "--rate", "10 /s", "--timeout", "4 s", "--format", "json",
                       *options)  # fmt: skip
        assert done.stdout, done.stderr
        points = json.loads(done.stdout)["points"]
        return points[0]["metrics"]

    return measure


def fingerprint(certificate) -> str:
    der = ssl.PEM_cert_to_DER_cert((certificate / "cert.pem").read_text())
    return hashlib.sha256(der).hexdigest()


def test_a_certificate_that_signs_itself_is_taken_from_the_file_by_its_pin_or_insecurely(measured, server, certificate):
    pin = fingerprint(certificate)
    for options in (("--ca-file", str(certificate / "cert.pem")), ("--insecure",), ("--pin", f"sha256:{pin}")):
        metrics = measured(server, *options)
        assert metrics["failures"]["value"] == 0, options
        assert metrics["certificate_left"]["value"] == pytest.approx(DAYS * 86400, abs=600)


def test_without_it_or_with_the_pin_of_another_the_handshake_fails(measured, server):
    for options in ((), ("--pin", f"sha256:{'0' * 64}")):
        metrics = measured(server, *options)
        assert metrics["failures/tls"]["value"] == metrics["failures"]["value"] > 0, options


def test_answers_with_an_error_status_are_failures_with_their_time_and_no_loss(measured, server):
    metrics = measured(f"{server}/down", "--insecure")
    assert (metrics["loss"]["value"], metrics["failures/http_503"]["value"]) == (0, 10)
    assert metrics["failure_time/http_503"]["count"] == 10
    expected = measured(f"{server}/down", "--insecure", "--status", "200-299,503")
    assert expected["failures"]["value"] == 0


def test_a_body_is_sent_and_one_is_expected(measured, server):
    post = ("--insecure", "--body", "{}", "--header", "X-Probe: 1")
    assert measured(server, *post, "--status", "201")["failures"]["value"] == 0
    assert measured(server, "--insecure", "--contains", "all good")["failures"]["value"] == 0
    assert measured(server, "--insecure", "--contains", "all bad")["failures/body"]["value"] == 10
