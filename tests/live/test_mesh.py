"""Three agents on loopback addresses that measure each other, as `sojourn mesh` has them do."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from sojourn import schemas

NAMES = ("berlin", "madrid", "oslo")
PAIRS = {(a, b) for a in NAMES for b in NAMES if a != b}
KEY, OTHER = "zQ3vK9pLr7XwTn2bYc8FhJd6Gm4RsV1aUe5WiOx0ABC=", "aB3vK9pLr7XwTn2bYc8FhJd6Gm4RsV1aUe5WiOx0xyz="


def key_file(folder: Path, text: str = KEY, name: str = "sojourn.key") -> Path:
    found = folder / name
    found.touch(mode=0o600)
    found.write_text(text)
    return found


@pytest.fixture
def agents(begun, tmp_path) -> Callable[..., dict[str, tuple]]:
    """Starts agents on 127.0.0.2 and so on, with the key and the permission; by name their process and address."""

    def launch(**other: tuple[str, ...]) -> dict[str, tuple]:
        key = key_file(tmp_path)
        usual = ("--key-file", str(key), "--measures", "127.0.0.0/8")
        return {
            name: begun("agent", f"sojourn://127.0.0.{number}:0", *other.get(name, usual))
            for number, name in enumerate(NAMES, 2)
        }

    return launch


@pytest.fixture
def document(tmp_path) -> Callable[..., Path]:
    """Writes the document of a mesh of these agents."""

    def write(agents: dict[str, tuple], more: str = "") -> Path:
        listed = "\n".join(f'[[agent]]\nname = "{name}"\naddress = "{agent[1]}"\n' for name, agent in agents.items())
        file = tmp_path / "mesh.toml"
        file.write_text(
            '[network]\nkind = "ip"\n\n[monitor]\nwindow = "2 s"\nmetrics = "off"\nraise_after = 1\n\n'
            f'[mesh]\nrate = "10 /s"\ntimeout = "500 ms"\nkey_file = "{key_file(tmp_path)}"\n\n{listed}\n{more}'
        )
        return file

    return write


def lines_of(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


def of(lines: list[dict], kind: str, pair: tuple[str, str] | None = None) -> list[dict]:
    return [line for line in lines if line["type"] == kind and (pair is None or (line["from"], line["target"]) == pair)]


def test_each_agent_measures_each_other_and_the_lines_have_who_measured(start, agents, document):
    file = document(agents(), '[expect]\n"loss" = "< 1 %"\n')
    mesh = start("mesh", file, "--format", "jsonl", "--duration", "9 s", "--out", "meshed")
    output, errors = mesh.communicate(timeout=120)

    assert mesh.returncode == 0, errors
    lines = lines_of(output)
    assert lines[0]["mesh"] is True and [name for name, _ in lines[0]["targets"]] == list(NAMES)
    validator = jsonschema.Draft202012Validator(json.loads(schemas.text("monitor-events")))
    assert [error.message for line in lines for error in validator.iter_errors(line)] == []
    for pair in PAIRS:
        windows = of(lines, "window", pair)
        assert len(windows) >= 2, pair
        assert all((one["sent"], one["answered"]) == (20, 20) for one in windows[:-1])
        assert windows[0]["conditions"][0]["verdict"] == "met"
    assert not of(lines, "outage")
    kept = next((file.parent / "meshed").glob("monitor-*.jsonl")).read_text()
    assert len(lines_of(kept)) == len(lines)


def test_one_endpoint_has_the_numbers_of_all_pairs_with_both_labels(start, agents, document, until, free_port):
    file = document(agents())
    address = f"127.0.0.1:{free_port()}"
    start("mesh", file, "--metrics", address)

    def scraped() -> str:
        try:
            text = urllib.request.urlopen(f"http://{address}/metrics", timeout=5).read().decode()
        except OSError:
            return ""
        return text if text.count("sojourn_target_up{") == text.count("sojourn_target_up{from=") == 6 else ""

    def all_up() -> str:
        text = scraped()
        return text if all(f'sojourn_target_up{{from="{a}",to="{b}"}} 1' in text for a, b in PAIRS) else ""

    text = until(all_up)
    assert "target=" not in text


def test_an_agent_that_is_killed_is_an_outage_of_its_row_and_column_and_of_no_other_pair(
    start, agents, begun, document, tmp_path
):
    running = agents()
    file = document(running)
    mesh = start("mesh", file, "--format", "jsonl", "--duration", "26 s")
    time.sleep(8)
    process, address = running["oslo"]
    os.killpg(process.pid, signal.SIGKILL)
    time.sleep(5)
    usual = ("--key-file", str(tmp_path / "sojourn.key"), "--measures", "127.0.0.0/8")
    begun("agent", f"sojourn://{address}", *usual)
    output, errors = mesh.communicate(timeout=120)

    assert mesh.returncode == 0, errors
    lines = lines_of(output)
    row = [pair for pair in PAIRS if pair[0] == "oslo"]
    column = [pair for pair in PAIRS if pair[1] == "oslo"]
    for pair in row:
        begin, end = of(lines, "outage", pair)[:2]
        assert "oslo does not measure" in begin["cause"]
        assert (begin["event"], end["event"]) == ("begin", "end")
        windows = of(lines, "window", pair)
        assert sum(one["not_sent"] for one in windows) >= 20, "what was due meanwhile was not sent"
        assert all(one["sent"] - one["answered"] - one["late"] == 0 for one in windows), "and is not lost"
        assert windows[-1]["answered"] > 0, "it measures again"
    for pair in column:
        assert [one["event"] for one in of(lines, "outage", pair)] == ["begin", "end"]
        assert sum(one["sent"] - one["answered"] for one in of(lines, "window", pair)) >= 20
    for pair in PAIRS - {*row, *column}:
        assert not of(lines, "outage", pair)
        assert all(one["sent"] == one["answered"] for one in of(lines, "window", pair))


def test_an_agent_without_permission_or_with_another_key_is_away_with_the_reason(start, agents, document, tmp_path):
    key = str(key_file(tmp_path))
    another = str(key_file(tmp_path, OTHER, "other.key"))
    file = document(agents(berlin=("--key-file", key), oslo=("--key-file", another, "--measures", "127.0.0.0/8")))
    mesh = start("mesh", file, "--format", "jsonl", "--duration", "14 s")
    output, errors = mesh.communicate(timeout=120)

    assert mesh.returncode == 0, errors
    lines = lines_of(output)
    causes = {pair: of(lines, "outage", pair)[0]["cause"] for pair in PAIRS if pair != ("madrid", "berlin")}
    assert "it measures no others for its clients" in causes["berlin", "madrid"]
    assert "--measures" in causes["berlin", "madrid"]
    assert "key" in causes["oslo", "madrid"], causes["oslo", "madrid"]
    assert of(lines, "window", ("madrid", "berlin"))[0]["answered"] == 20, "the pair that can be measured is"
    assert all(one["sent"] == 0 for one in of(lines, "window", ("berlin", "oslo")))


def test_mistakes_of_a_document_have_their_place(sojourn, tmp_path):
    agent = '[[agent]]\nname = "{}"\naddress = "{}"\n'
    head = '[network]\nkind = "ip"\n\n'
    (tmp_path / "mesh.toml").write_text(
        head + '[mesh]\nrat = "1 /s"\n' + agent.format("a", "127.0.0.1") + agent.format("b", "127.0.0.1")
    )
    done = sojourn("check", "mesh.toml")
    assert done.returncode == 2
    assert "did you mean `rate`?" in done.stderr
    (tmp_path / "mesh.toml").write_text(head + agent.format("a", "127.0.0.1") + agent.format("b", "127.0.0.1"))
    done = sojourn("check", "mesh.toml")
    assert "the address is that of `a` as well" in done.stderr and "mesh.toml:9" in done.stderr, done.stderr
    (tmp_path / "mesh.toml").write_text(head + agent.format("a", "127.0.0.1/x") + agent.format("b", "127.0.0.2"))
    assert "is not the address of an agent" in sojourn("check", "mesh.toml").stderr
    (tmp_path / "mesh.toml").write_text(head + agent.format("a", "127.0.0.1"))
    assert "a mesh has 2 to 200 agents, not 1" in sojourn("check", "mesh.toml").stderr
    (tmp_path / "mesh.toml").write_text(head + agent.format("a", "127.0.0.1") + agent.format("b", "127.0.0.2"))
    done = sojourn("mesh", "mesh.toml", "--no-store")
    assert (done.returncode, "a mesh needs the key that its agents share" in done.stderr) == (2, True), done.stderr


def test_an_agent_measures_others_only_with_a_key(sojourn):
    done = sojourn("agent", "sojourn://127.0.0.1:0", "--measures", "127.0.0.0/8")
    assert done.returncode == 2
    assert "--measures needs a key" in done.stderr
