"""What a hostile page, visitor or network tries, and what it gets: docs/concepts/web-security.md refers to these."""

import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sojourn.bindings import call_json
from sojourn.errors import UserError
from sojourn.workbench import access, guard
from sojourn.workbench.access import Sessions, Tokens
from sojourn.workbench.app import ROUTES
from sojourn.workbench.confined import ENDINGS, refuse_outside
from sojourn.workbench.journal import Journal
from sojourn.workbench.settings import Settings, refuse_unsafe

from .conftest import LINKS, ORIGIN, QUEUE, TOKENS

pytestmark = pytest.mark.hostile("pages, visitors and networks that attack")

RUN = {"command": "run", "name": "site.toml"}
SCRIPT = "<script>alert(1)</script>"
PATHS = [(method, re.sub(r"\{number.*?\}", "1", path).replace("{name}", "site.toml")) for path, method, _ in ROUTES]
PRIVATE = [(method, path) for method, path in PATHS if not path.startswith(guard.PUBLIC)]


@pytest.mark.parametrize(("method", "path"), PRIVATE)
def test_no_page_is_shown_without_a_token(workbench, method: str, path: str) -> None:
    answer = workbench(None).request(method, path)
    assert answer.status_code == 401
    assert "site.toml" not in answer.text


@pytest.mark.parametrize("path", [path for method, path in PRIVATE if method == "POST" and path != "/leave"])
def test_the_role_view_changes_nothing(workbench, folder: Path, path: str) -> None:
    answer = workbench("view").post(path, data=RUN | {"text": "", "version": "", "template": "queue"})
    assert answer.status_code == 403
    assert (folder / "site.toml").read_text() == QUEUE
    assert list((folder / ".sojourn/jobs").iterdir()) == []


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused_for_every_role(workbench, method: str) -> None:
    assert workbench().request(method, "/scenarios/site.toml").status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:9"},
        {"origin": "https://127.0.0.1:18622"},
        {"origin": f"{ORIGIN}.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_of_another_site_starts_nothing_even_with_the_cookie(workbench, folder: Path, headers) -> None:
    assert workbench().post("/jobs", data=RUN, headers=headers).status_code == 403
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_a_post_without_origin_starts_nothing(workbench) -> None:
    client = workbench()
    del client.headers["origin"]
    assert client.post("/jobs", data=RUN).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:18622", "127.0.0.1:18622.evil.example", "127.0.0.1:80", "", "[::1", "0:18622"],
)
def test_a_name_that_was_rebound_to_this_address_gets_nothing(workbench, host: str) -> None:
    client = workbench()
    answer = client.get("/scenarios/site.toml", headers={"host": host})
    assert answer.status_code == 421
    assert "One server" not in answer.text
    assert client.post("/jobs", data=RUN, headers={"host": host, "origin": f"http://{host}"}).status_code == 421


def test_names_of_the_loopback_are_own_names(workbench) -> None:
    for host in ("localhost:18622", "[::1]:18622", "LOCALHOST:18622"):
        assert workbench(None).get("/", headers={"host": host}).status_code == 401


NAMES = [
    "../outside.toml",
    "..%2foutside.toml",
    "%2e%2e%2foutside.toml",
    "..%5coutside.toml",
    "%2fetc%2fpasswd",
    ".hidden.toml",
    "site.toml%00.toml",
    "site",
    "-rf.toml",
    "a" * 200 + ".toml",
    ".sojourn%2fjobs",
    "s\u0456te.toml",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_path_leaves_the_folder(workbench, folder: Path, name: str) -> None:
    (folder / ".hidden.toml").write_text('title = "outside"\n')
    client = workbench()
    assert client.get(f"/scenarios/{name}").status_code in (404, 400)
    assert client.post(f"/scenarios/{name}", data={"text": "x = 1", "version": ""}).status_code in (404, 400)
    assert client.get(f"/jobs/1/files/{name}").status_code == 404
    from urllib.parse import unquote  # noqa: PLC0415

    refused = client.post("/jobs", data={"command": "run", "name": unquote(name)})
    assert refused.status_code in (400, 404)
    assert "outside" not in refused.text.replace("outside.toml", "")


def test_links_are_neither_listed_nor_read_nor_written(workbench, folder: Path) -> None:
    (folder / "link.toml").symlink_to(folder.parent / "outside.toml")
    client = workbench()
    assert "link.toml" not in client.get("/").text
    assert client.get("/scenarios/link.toml").status_code == 404
    from sojourn.workbench.scenarios import version_of  # noqa: PLC0415

    version = version_of((folder.parent / "outside.toml").read_bytes())
    client.post("/scenarios/link.toml", data={"text": "x = 1", "version": version})
    assert client.post("/new", data={"name": "link", "template": "queue"}).status_code == 400
    assert (folder.parent / "outside.toml").read_text() == 'title = "outside"\n'


def test_a_pipe_is_no_scenario_and_stops_no_one(workbench, folder: Path) -> None:
    import os  # noqa: PLC0415

    os.mkfifo(folder / "pipe.toml")
    assert workbench().get("/scenarios/pipe.toml").status_code == 404
    assert "pipe.toml" not in workbench().get("/").text


def test_a_link_in_place_of_the_jobs_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".sojourn").symlink_to("/tmp")
    with pytest.raises(UserError, match="is a link"):
        Journal(tmp_path)


READS = [
    'stations = "../outside.csv"',
    'stations = "/etc/passwd"',
    'stations = "sojourn.key"',
    'stations = "link.csv"',
    '[network]\nkind = "queue"\nprofile = "../outside.toml"',
    '[network]\nkind = "queue"\nprofile = "/etc/hostname"',
    '[network]\nkind = "queue"\nprofile = "sojourn"',
    '[[flow]]\narrivals = { kind = "trace", file = "../outside.csv" }',
    '[measure]\nkey_file = "/etc/shadow"',
    '[measure]\nca_file = "sojourn.key"',
    '[[value]]\nkey = "flow.arrivals.file"\nvalue = "../outside.csv"',
    '"stations" = "\\u002e\\u002e/outside.csv"',
    '[measure]\npeer = "kiss+serial:///dev/ttyS0/CALL"',
]


@pytest.mark.parametrize("text", READS)
def test_a_document_names_no_file_that_pages_may_not_read(saved, folder: Path, text: str) -> None:
    (folder / "sojourn.key").write_text("secret")
    (folder / "sojourn").write_text("secret")
    (folder / "link.csv").symlink_to(folder.parent / "outside.csv")
    answer = saved(text)
    assert answer.status_code == 400
    assert (folder / "site.toml").read_text() == QUEUE
    assert "root:" not in answer.text
    assert "secret" not in answer.text.replace("outside", "")


@pytest.mark.parametrize(
    "setting",
    [
        "network.profile=../outside.toml",
        "network.profile='/etc/passwd'",
        'flow.customers.arrivals={ kind = "trace", file = "/etc/passwd" }',
        "stations=../outside.csv",
        "network.profile=ok,/etc/passwd",
    ],
)
@pytest.mark.parametrize("field", ["set", "over"])
def test_a_setting_names_no_file_outside_the_folder(workbench, setting: str, field: str) -> None:
    refused = workbench().post("/jobs", data={"command": "sweep", "name": "site.toml", field: setting})
    assert refused.status_code == 400
    assert "root:" not in refused.text


@pytest.mark.parametrize("path", ["../{}.csv", "/etc/{}.csv", "sub/../../{}.csv"])
def test_a_path_out_of_the_folder_is_refused_alike_whether_a_file_is_there_or_not(folder: Path, path: str) -> None:
    """Else the answer would show which files the host has."""
    said = []
    for name in ("outside", "missing"):
        with pytest.raises(UserError) as refused:
            refuse_outside(folder, f'stations = "{path.format(name)}"\n')
        said.append(str(refused.value).replace(name, ""))
    assert said[0] == said[1]
    assert "files of its folder only" in said[0]


def test_files_of_the_folder_may_be_named(folder: Path) -> None:
    (folder / "stations.csv").write_text("name\n")
    refuse_outside(folder, 'stations = "stations.csv"\n[network]\nprofile = "lontalk-1992"\n', ["run.duration=50 /s"])


def test_every_key_that_names_a_file_is_known() -> None:
    """A new key whose help speaks of a file is either in the table of paths or none."""

    def keys(part):
        if isinstance(part, dict):
            for name, member in (part.get("properties") or {}).items():
                yield name, str(member.get("description", "")) if isinstance(member, dict) else ""
            for member in part.values():
                yield from keys(member)
        elif isinstance(part, list):
            for member in part:
                yield from keys(member)

    kinds = [network["kind"] for network in call_json("networks")]
    found = {name for kind in [None, *kinds] for name, text in keys(call_json("schema", kind)) if _is_path(text)}
    assert found <= ENDINGS.keys(), f"add {found - ENDINGS.keys()} to sojourn.workbench.confined"
    assert {"stations", "profile", "file"} <= found


def _is_path(text: str) -> bool:
    return bool(re.search(r"\bCSV file\b|path of a (TOML|text) file|^File of ", text))


@pytest.mark.parametrize(
    "form",
    [
        {"command": "agent", "name": "site.toml"},
        {"command": "run; reboot", "name": "site.toml"},
        {"command": "run", "name": "site.toml", "out": "/tmp/x"},
        {"command": "run", "name": "site.toml", "pcap": "/tmp/x"},
        {"command": "run", "name": "site.toml", "cluster": "tcp://evil.example:1"},
        {"command": "run", "name": "--help"},
        {"command": "run", "name": "site.toml", "seed": "1 --out=/tmp/x"},
        {"command": "run", "name": "site.toml", "seed": "٣"},
        {"command": "run", "name": "site.toml", "replications": "-1"},
        {"command": "run", "name": "site.toml", "set": "--out=/tmp/x"},
        {"command": "run", "name": "site.toml", "precision": "a\x00b"},
        {"command": "risk", "name": "site.toml"},
        {"command": "risk", "name": "site.toml", "of": "queue_length > 4", "per": "--out=/tmp/x"},
        {"command": "risk", "name": "site.toml", "of": "queue_length > 4", "jobs": "64"},
        {"command": "risk", "name": "site.toml", "of": "queue_length > 4", "set": "station.server.profile=/etc/passwd"},
        {"command": "risk", "name": "site.toml", "of": "x" * 501},
        {"command": "study", "name": "../lab"},
        {"command": "study", "name": "lontalk-response-time", "live": "1"},
        {"command": "measure", "name": "site.toml", "peer": "kiss+serial:///etc/passwd/CALL"},
        {"command": "measure", "name": "site.toml", "peer": "--key-file=/etc/shadow"},
        {"command": "measure", "name": "site.toml", "peer": "file:///etc/passwd"},
    ],
    ids=lambda form: " ".join(form.values())[:40],
)
def test_no_command_option_or_path_is_taken_from_a_form(workbench, folder: Path, form) -> None:
    refused = workbench().post("/jobs", data=form)
    assert refused.status_code in (400, 404)
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_a_value_is_never_an_option_of_its_own() -> None:
    from sojourn.workbench.asked import Asked, Command  # noqa: PLC0415

    words = Asked(Command.find, "site.toml", (("vary", "--out=/tmp/x"), ("until", "-h"))).words
    assert words == ["find", "site.toml", "--vary=--out=/tmp/x", "--until=-h"]


def test_measurements_can_be_refused_altogether(folder: Path) -> None:
    from sojourn.workbench.asked import of_form  # noqa: PLC0415

    form = {"command": ["measure"], "name": ["site.toml"], "peer": ["icmp://127.0.0.1"]}
    with pytest.raises(UserError, match="--no-measurements"):
        of_form(form, Settings(folder=folder, measures=False))


@pytest.mark.parametrize("size", [guard.MOST_BODY + 1, 50 * guard.MOST_BODY])
def test_an_oversized_form_is_refused_by_its_length(workbench, size: int) -> None:
    answer = workbench().post(
        "/scenarios/site.toml", content=b"x", headers={"content-length": str(size), "content-type": "text/plain"}
    )
    assert answer.status_code == 413


def test_an_oversized_form_without_a_length_is_refused_as_it_comes(workbench) -> None:
    parts = (b"text=" + b"x" * 65536 for _ in range(64))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert workbench().post("/scenarios/site.toml", content=parts, headers=kind).status_code == 413


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\xff=\xff", "application/x-www-form-urlencoded"),
        (b"&".join(b"a%d=1" % n for n in range(1000)), "application/x-www-form-urlencoded"),
        (b"{}", "application/json"),
        (b"--x\r\n", "multipart/form-data; boundary=x"),
    ],
)
def test_what_is_no_form_is_refused(workbench, body: bytes, kind: str) -> None:
    assert workbench().post("/jobs", content=body, headers={"content-type": kind}).status_code == 400


def test_a_large_scenario_and_a_long_address_are_refused(saved, workbench, folder: Path) -> None:
    assert saved("# " + "x" * (300 * 1024)).status_code == 400
    assert (folder / "site.toml").read_text() == QUEUE
    assert workbench().get("/history", params={"tag": "x" * 5000}).status_code == 414


def test_script_in_titles_stations_and_names_is_text_on_every_page(workbench, folder: Path) -> None:
    text = QUEUE.replace("One server", SCRIPT).replace('"server"', f'"{SCRIPT}"')
    (folder / "x.toml").write_text(text)
    (folder / "bad.toml").write_text(text.replace("poisson", f"{SCRIPT}"))
    client = workbench()
    pages = ["/", "/scenarios/x.toml", "/scenarios/bad.toml", "/scenarios/x.toml/full", "/history"]
    pages += [f"/history?scenario={SCRIPT}", f"/history/over-time?scenario={SCRIPT}", f"/targets?since={SCRIPT}"]
    answers = [client.get(path) for path in pages]
    answers.append(client.post("/jobs", data=RUN | {"set": f"{SCRIPT}=1"}))
    answers.append(client.post("/scenarios/x.toml", data={"text": f"</textarea>{SCRIPT}", "version": ""}))
    for answer in answers:
        assert SCRIPT not in answer.text
        assert "'unsafe-" not in answer.headers["content-security-policy"]
    assert "&lt;script&gt;" in answers[1].text
    checked = client.post("/scenarios/x.toml/check", data={"text": text})
    assert checked.headers["content-type"] == "application/json"


def test_no_page_has_a_script_or_a_style_inside(workbench) -> None:
    client = workbench()
    for path in ("/", "/scenarios/site.toml", "/jobs", "/studies", "/history", "/targets"):
        text = client.get(path).text
        assert not re.search(r"<style|<script(?![^>]* src=)|\son\w+=|javascript:|style=", text)
    assert "unsafe" not in guard.POLICY


@pytest.mark.engine
def test_only_the_pages_of_a_scenario_and_of_captures_may_compile_the_engine_and_begin_workers(
    workbench, folder: Path
) -> None:
    (folder / "measure.toml").write_text('[measure]\npeer = "icmp://127.0.0.1"\n')
    client = workbench()
    shown = [path for method, path in PATHS if method == "GET" and "events" not in path and path != "/enter"]
    for path in [*shown, "/scenarios/measure.toml", "/nowhere"]:
        policy = client.get(path).headers["content-security-policy"]
        expected = guard.SIMULATING_POLICY if path in ("/scenarios/site.toml", "/captures") else guard.POLICY
        assert policy == expected, path
    rules = [set(text.split("; ")) for text in (guard.POLICY, guard.SIMULATING_POLICY)]
    assert rules[1] - rules[0] == {"script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"}
    assert rules[0] - rules[1] == {"script-src 'self'"}
    worker = client.get("/static/worker.js").headers["content-security-policy"]
    assert worker == "default-src 'none'; script-src 'wasm-unsafe-eval'", "a worker requests nothing"


def test_every_answer_has_the_headers_that_browsers_act_on(workbench) -> None:
    for client, path in (
        (workbench(), "/"),
        (workbench(None), "/"),
        (workbench(), "/nowhere"),
        (workbench(), "/static/page.css"),
    ):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers


def test_the_cookie_is_strict_and_not_for_scripts_and_secure_under_tls(workbench, folder: Path) -> None:
    flags = workbench(None).get("/enter", params={"token": LINKS["run"]}).headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=strict" in flags
    assert "path=/" in flags

    from sojourn.workbench.app import application  # noqa: PLC0415

    settings = Settings(folder=folder, tokens=TOKENS, public_url="https://lab.example.org")
    with TestClient(application(settings), base_url="https://lab.example.org") as client:
        answer = client.get("/enter", params={"token": LINKS["view"]})
    assert answer.headers["set-cookie"].startswith("__Host-")
    assert "secure" in answer.headers["set-cookie"].lower()
    assert answer.headers["strict-transport-security"]


@pytest.mark.parametrize(
    "change",
    [
        lambda cookie: cookie.replace("view", "run", 1),
        lambda cookie: cookie[:-1] + ("0" if cookie[-1] != "0" else "1"),
        lambda cookie: re.sub(r"\.\d+\.", ".99999999999.", cookie),
        lambda cookie: cookie.replace("view.", "view.-", 1),
        lambda _: "",
        lambda _: "run..",
        lambda _: "run.9999999999.",
        lambda _: "é.1.2",
    ],
)
def test_a_forged_cookie_states_no_role(change) -> None:
    sessions = Sessions(TOKENS)
    view = TOKENS.links[1]
    assert sessions.link_of(sessions.cookie(view)) is view
    assert sessions.link_of(change(sessions.cookie(view))) is None


def test_a_cookie_expires_and_ends_with_its_token(monkeypatch) -> None:
    cookie = Sessions(TOKENS).cookie(TOKENS.links[0])
    assert Sessions(Tokens.pair("n" * 43, LINKS["view"])).link_of(cookie) is None
    later = time.time() + access.SESSION_S + 1
    monkeypatch.setattr(access.time, "time", lambda: later)
    assert Sessions(TOKENS).link_of(cookie) is None


def test_guessing_tokens_is_slowed_and_a_right_one_passes_all_the_same(workbench) -> None:
    """Behind a reverse proxy all visitors have one address: wrong tokens of one must not keep out the others."""
    client = workbench(None)
    codes = [client.get("/enter", params={"token": f"guess-{n}"}).status_code for n in range(access.MOST_GUESSES + 1)]
    assert codes == [401] * access.MOST_GUESSES + [429]
    assert client.get("/enter", params={"token": LINKS["run"]}).status_code == 200
    assert client.get("/enter", params={"token": "guess"}).status_code == 429


def test_fresh_tokens_have_256_bits_and_a_file_of_them_is_the_owners_alone(tmp_path: Path) -> None:
    assert {len(link.token.revealed()) for link in Tokens.fresh().links} == {43}
    made = Tokens.of_file(tmp_path / "tokens")
    assert (tmp_path / "tokens").stat().st_mode & 0o777 == 0o600
    assert Tokens.of_file(tmp_path / "tokens") == made
    (tmp_path / "tokens").chmod(0o640)
    with pytest.raises(UserError, match="chmod 600"):
        Tokens.of_file(tmp_path / "tokens")


@pytest.mark.parametrize(
    "text",
    [
        "run short\nview " + "v" * 32,
        "run {0}\nview {0}".format("r" * 32),
        "",
        "anna run {}\nanna view {}".format("r" * 32, "v" * 32),
        "anna root " + "r" * 32,
        "a.b run " + "r" * 32,
        "anna run {} more".format("r" * 32),
        "anna",
    ],
)
def test_weak_tokens_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "tokens").write_text(text)
    (tmp_path / "tokens").chmod(0o600)
    with pytest.raises(UserError, match="32 letters"):
        Tokens.of_file(tmp_path / "tokens")


@pytest.mark.parametrize(
    ("host", "url"),
    [("192.0.2.5", None), ("lab.example.org", None), ("0.0.0.0", None), ("", None), ("::", None),
     ("192.0.2.5", "http://lab.example.org"), ("127.0.0.1", "https://a@b/"), ("127.0.0.1", "https://lab/path")],
)  # fmt: skip
def test_an_address_that_others_reach_needs_tls(host: str, url: str | None) -> None:
    with pytest.raises(UserError):
        refuse_unsafe(host, None, None, url)


def test_loopback_needs_none_and_a_proxy_or_a_certificate_is_enough() -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        refuse_unsafe(host, None, None, None)
    refuse_unsafe("192.0.2.5", Path("a"), Path("b"), None)
    refuse_unsafe("192.0.2.5", None, None, "https://lab.example.org")


def test_a_fault_shows_no_traceback(workbench, monkeypatch, folder: Path) -> None:
    from sojourn.workbench.scenarios import Scenarios  # noqa: PLC0415

    def broken(_: Scenarios) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr(Scenarios, "list", broken)
    client = workbench()
    client._transport.raise_server_exceptions = False  # as a server, which logs it
    answer = client.get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"] == guard.POLICY
