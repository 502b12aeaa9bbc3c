"""Records of jobs that are damaged: the job stays in the list, and its results are reachable."""

import json
import random
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sojourn.workbench.app import application
from sojourn.workbench.asked import Asked, Command
from sojourn.workbench.journal import RECORD, Journal, State
from sojourn.workbench.settings import Settings

from .conftest import ORIGIN, TOKENS

pytestmark = pytest.mark.hostile("records of jobs, damaged")


@pytest.fixture
def file(folder: Path) -> Path:
    """The record of a job that is done, with results."""
    journal = Journal(folder)
    record = journal.create(Asked(Command.run, "site.toml", (("set", "run.duration=20 s"),)), 1_790_000_000.0)
    journal.write(type(record)(**vars(record) | {"state": State.done}))
    journal.results(1).mkdir()
    (journal.results(1) / "results.json").write_text('{"points": []}')
    return journal.folder(1) / RECORD


@pytest.mark.parametrize("seed", range(25))
def test_a_record_with_a_flipped_bit_is_listed_as_damaged_now_and_after_a_restart(folder, file, capsys, seed):
    octets = bytearray(file.read_bytes())
    (whole,) = Journal(folder).read()
    bit = random.Random(seed).randrange(8 * len(octets))
    octets[bit // 8] ^= 1 << bit % 8
    file.write_bytes(octets)

    first, again = Journal(folder).read(), Journal(folder).read()

    assert first == again and len(first) == 1
    assert first[0] == whole or (first[0].number, first[0].state) == (1, State.damaged)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == (first[0] != whole)
    if said:
        assert f"{file}: line 1 does not read" in said[0]
        assert bytes(octets).rstrip(b"\n") in file.with_name(f"{RECORD}.damaged").read_bytes()


@pytest.mark.parametrize("left", [0, 1, 50, -1])
def test_a_truncated_record_is_damaged_and_its_results_stay_reachable(folder, file, left):
    file.write_bytes(file.read_bytes()[:left])

    for _ in range(2):
        settings = Settings(folder=folder, tokens=TOKENS)
        with TestClient(application(settings), base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
            client.get("/enter", params={"token": TOKENS.links[0].token.revealed()})
            assert "record damaged" in client.get("/jobs").text
            page = client.get("/jobs/1").text
            assert "Record damaged" in page and "/jobs/1/files/results.json" in page and "Run again" not in page
            assert client.get("/jobs/1/files/results.json").json() == {"points": []}
            refused = client.post("/jobs/1/resume")
            assert refused.status_code == 400 and "is lost with its record" in refused.text
            assert client.get("/jobs/1/files/results.json").status_code == 200, "its results are left"

    with TestClient(application(settings), base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
        client.get("/enter", params={"token": TOKENS.links[0].token.revealed()})
        assert client.post("/jobs/1/remove").status_code == 200
        assert "record damaged" not in client.get("/jobs").text


def test_a_record_of_an_earlier_version_has_no_checksum_and_reads(folder, file):
    (whole,) = Journal(folder).read()
    members = json.loads(file.read_text())
    del members["crc32"]
    file.write_text(json.dumps(members, indent=1))

    assert Journal(folder).read() == [whole]


def test_the_record_of_another_job_is_not_taken_for_that_of_this_one(folder, file):
    other = folder / ".sojourn/jobs/0007"
    other.mkdir()
    (other / RECORD).write_bytes(file.read_bytes())

    assert [(record.number, record.state) for record in Journal(folder).read()] == [
        (1, State.done),
        (7, State.damaged),
    ]


@pytest.mark.parametrize("number", ["0", "9" * 23, "9" * 1500])
@pytest.mark.parametrize("path", ["/history/{}", "/jobs/{}", "/jobs/{}/files/results.json"])
def test_an_absurd_number_is_no_page(workbench, number, path):
    assert workbench("view").get(path.format(number)).status_code == 404


def test_a_tag_of_an_absurd_run_is_refused(workbench):
    assert workbench().post(f"/history/{'9' * 23}/tag", data={"tag": "a"}).status_code == 404
