"""Jobs: what was checked is what runs, nothing measured is lost, and who asked for what is known."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from sojourn.errors import UserError
from sojourn.workbench import jobs, snapshot
from sojourn.workbench.access import Tokens
from sojourn.workbench.app import application
from sojourn.workbench.asked import Asked, Command
from sojourn.workbench.confined import files_named
from sojourn.workbench.journal import Journal, State
from sojourn.workbench.settings import Settings

from .conftest import ORIGIN, QUEUE

pytestmark = pytest.mark.hostile("jobs that others change, and measurements asked for again")

RUN = {"command": "run", "name": "site.toml"}
IDLE = ("sh", "-c", "exec sleep 600")
DEAF = ("sh", "-c", "trap '' INT; for _ in $(seq 1200); do sleep 0.1; done")
"""Commands in place of a job: one that waits, and one that ignores Ctrl-C."""


def state_of(folder: Path, number: int) -> str:
    return str(json.loads((folder / f".sojourn/jobs/{number:04}/job.json").read_text())["state"])


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "CHILD", IDLE)


def test_a_job_that_waits_computes_the_text_and_the_files_it_was_asked_for(
    workbench, folder: Path, idle: None, monkeypatch: pytest.MonkeyPatch, until: Callable[..., None]
) -> None:
    client, child = workbench(), jobs.CHILD
    (folder / "gaps.csv").write_text("0.1\n0.2\n")
    text = QUEUE.replace('kind = "poisson", rate = "80 /s"', 'kind = "empirical", file = "gaps.csv"')
    (folder / "site.toml").write_text(text)
    for _ in range(3):
        assert client.post("/jobs", data=RUN).status_code == 303, "two run, the third waits"
    assert state_of(folder, 3) == "waiting"
    (folder / "site.toml").write_text(QUEUE.replace("One server", "EDITED"))
    (folder / "gaps.csv").write_text("9\n")

    frozen = Journal(folder).snapshot(3)
    assert (frozen / "site.toml").read_text() == text
    assert (frozen / "gaps.csv").read_text() == "0.1\n0.2\n"
    assert child is IDLE
    monkeypatch.setattr(jobs, "CHILD", ("sh", "-c", "cat site.toml gaps.csv >&2; exit 0"))
    client.post("/jobs/1/stop")
    client.post("/jobs/2/stop")
    until(lambda: state_of(folder, 3) == "done")
    assert "EDITED" not in client.get("/jobs/3").text
    assert "gaps.csv" in client.get("/jobs/3").text


def test_a_job_of_a_scenario_is_computed_from_its_snapshot(workbench, folder: Path, until: Callable[..., None]) -> None:
    client = workbench()
    client.post("/jobs", data=RUN | {"replications": "2"})
    until(lambda: state_of(folder, 1) == "done")
    assert 'title = "One server"' in (Journal(folder).results(1) / "scenario.toml").read_text()
    assert client.get("/jobs/1/files/results.json").json()["points"]


def test_a_file_of_a_key_is_not_copied_and_others_are_with_what_parameter_sets_name(tmp_path: Path) -> None:
    folder, into = tmp_path / "lab", tmp_path / "snapshot"
    (folder / "sub").mkdir(parents=True)
    (folder / "my.key").write_text("secret")
    (folder / "sub/a.csv").write_text("1\n")
    (folder / "b.csv").write_text("2\n")
    (folder / "set.toml").write_text('[[value]]\nkey = "x.file"\nvalue = "b.csv"\n')
    text = 'stations = "sub/../sub/a.csv"\n[network]\nprofile = "set.toml"\n[measure]\nkey_file = "my.key"\n'
    snapshot.freeze(folder, into, "site.toml", text, files_named(folder, text, ["x.file=missing.csv"]))
    assert (into / "my.key").readlink() == folder / "my.key"
    assert (into / "sub/../sub/a.csv").read_text() == "1\n"
    assert (into / "b.csv").read_text() == "2\n"
    assert (into / "site.toml").read_text() == text
    assert not (into / "missing.csv").exists()


@pytest.mark.parametrize("path", ["{}/a.csv", "../lab/a.csv", "sub/../../lab/a.csv"])
def test_a_job_names_files_by_their_path_from_the_folder(tmp_path: Path, path: str) -> None:
    """Another path leads to the folder, and not to the snapshot."""
    folder = tmp_path / "lab"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.csv").write_text("1\n")
    with pytest.raises(UserError, match="by their path from there"):
        files_named(folder, f'stations = "{path.format(folder)}"\n')


def test_files_of_a_snapshot_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_OCTETS", 10)
    (tmp_path / "a.csv").write_text("1" * 11)
    with pytest.raises(UserError, match="have more than"):
        snapshot.freeze(tmp_path, tmp_path / "into", "", "", [("a.csv", False)])


def ended_job(folder: Path, command: Command, state: State) -> int:
    """A job that ended, with results."""
    journal = Journal(folder)
    options = (("peer", "udp-echo://127.0.0.1:9"),) if command is Command.measure else ()
    record = journal.create(Asked(command, "site.toml", options), 0.0)
    snapshot.freeze(folder, journal.snapshot(record.number), "site.toml", QUEUE, [])
    journal.results(record.number).mkdir()
    (journal.results(record.number) / "samples.parquet").write_text("measured")
    journal.write(type(record)(**vars(record) | {"state": state}))
    return record.number


@pytest.mark.parametrize("state", [State.done, State.failed, State.stopped])
def test_what_was_measured_stays_when_it_is_measured_again(folder: Path, idle: None, state: State) -> None:
    number = ended_job(folder, Command.measure, state)
    with visited(folder, Tokens.pair("r" * 43, "v" * 43), "r" * 43) as client:
        assert "Run again" in client.get(f"/jobs/{number}").text
        again = client.post(f"/jobs/{number}/resume")
        assert (again.status_code, again.headers["location"]) == (303, f"/jobs/{number + 1}")
        assert client.get(f"/jobs/{number}/files/samples.parquet").text == "measured"
    assert state_of(folder, number) == state


def test_a_run_again_is_a_new_job_of_the_same_text(folder: Path, idle: None) -> None:
    number = ended_job(folder, Command.run, State.done)
    (folder / "site.toml").write_text("broken")
    with visited(folder, Tokens.pair("r" * 43, "v" * 43), "r" * 43) as client:
        assert client.post(f"/jobs/{number}/resume").headers["location"] == f"/jobs/{number + 1}"
    assert (Journal(folder).snapshot(number + 1) / "site.toml").read_text() == QUEUE
    assert (Journal(folder).results(number) / "samples.parquet").exists()


def test_a_job_of_another_build_is_not_continued(folder: Path) -> None:
    number = ended_job(folder, Command.sweep, State.stopped)
    journal = Journal(folder)
    (record,) = journal.read()
    journal.write(type(record)(**vars(record) | {"build": "another"}))
    with visited(folder, Tokens.pair("r" * 43, "v" * 43), "r" * 43) as client:
        refused = client.post(f"/jobs/{number}/resume")
    assert refused.status_code == 400
    assert "another build" in refused.text
    assert (journal.results(number) / "samples.parquet").exists()


class visited:  # noqa: N801 - used as a function
    """A workbench with its own links, visited with one of them."""

    def __init__(self, folder: Path, tokens: Tokens, token: str) -> None:
        settings = Settings(folder=folder, tokens=tokens)
        self.client = TestClient(
            application(settings), base_url=ORIGIN, headers={"origin": ORIGIN}, follow_redirects=False
        )
        self.token = token

    def __enter__(self) -> TestClient:
        self.client.__enter__()
        assert self.client.get("/enter", params={"token": self.token}).status_code == 200
        return self.client

    def __exit__(self, *fault: object) -> None:
        self.client.__exit__(*fault)


@pytest.fixture
def tokens(tmp_path: Path) -> Iterator[Tokens]:
    file = tmp_path / "tokens"
    file.write_text(f"anna run {'a' * 32}\nben run {'b' * 32}\nlab view {'c' * 32}\n")
    file.chmod(0o600)
    return Tokens.of_file(file)


def test_a_job_shows_whose_link_asked_for_it_and_whose_stopped_it(
    folder: Path, idle: None, tokens: Tokens, until: Callable[..., None]
) -> None:
    with visited(folder, tokens, "a" * 32) as client:
        assert client.post("/jobs", data=RUN).status_code == 303
        until(lambda: state_of(folder, 1) == "running")
        assert "asked for by anna" in client.get("/jobs/1").text
        client.get("/enter", params={"token": "b" * 32})
        client.post("/jobs/1/stop")
        assert "stopped by ben" in client.get("/jobs/1").text
        client.get("/enter", params={"token": "c" * 32})
        assert client.post("/jobs", data=RUN).status_code == 403
        assert "anna" in client.get("/jobs").text
    record = json.loads((folder / ".sojourn/jobs/0001/job.json").read_text())
    assert (record["by"], [act[1:] for act in record["acts"]]) == ("anna", [["ben", "stopped"]])


def test_a_token_file_of_two_lines_goes_on_working(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"run {'r' * 32}\nview {'v' * 32}\n")
    file.chmod(0o600)
    assert Tokens.of_file(file) == Tokens.pair("r" * 32, "v" * 32)


def test_a_job_that_ignores_ctrl_c_is_killed(
    workbench, folder: Path, monkeypatch: pytest.MonkeyPatch, until: Callable[..., None]
) -> None:
    monkeypatch.setattr(jobs, "CHILD", DEAF)
    monkeypatch.setattr(jobs, "STOP_TIMEOUT_S", 1.0)
    client = workbench()
    client.post("/jobs", data=RUN)
    until(lambda: state_of(folder, 1) == "running")
    time.sleep(0.5)
    began = time.monotonic()
    client.post("/jobs/1/stop")
    until(lambda: state_of(folder, 1) == "stopped")
    assert time.monotonic() - began > 0.9, "it has time to stop by itself"


def test_no_more_than_fifty_jobs_wait(workbench, folder: Path, idle: None) -> None:
    client = workbench()
    study = {"command": "study", "name": "lontalk-response-time"}
    codes = [client.post("/jobs", data=study).status_code for _ in range(53)]
    assert codes == [303] * 52 + [400], "two run"
    assert "50 jobs wait already" in client.post("/jobs", data=study).text


def test_a_line_without_end_is_cut() -> None:
    taken: list[str] = []

    async def read() -> None:
        stream = asyncio.StreamReader(limit=1 << 30)
        stream.feed_data(b"x" * (5 * jobs.MOST_LINE) + b"\nnext\n")
        stream.feed_eof()
        process = SimpleNamespace(stderr=stream)
        await jobs._lines(SimpleNamespace(process=process, take=taken.append))  # type: ignore[arg-type]

    asyncio.run(read())
    assert taken[-1] == "next"
    assert max(map(len, taken)) <= jobs.MOST_LINE + (1 << 16)


def test_a_long_message_of_a_job_is_shown_cut() -> None:
    job = jobs.Job(record=None)  # type: ignore[arg-type]
    job.take("y" * 100_000)
    assert len(job.messages[0]) < 5000
