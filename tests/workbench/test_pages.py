"""What visitors see and do: scenarios, their check, jobs and their results."""

import html
import json
import os
import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from sojourn import web
from sojourn.bindings import call
from sojourn.workbench import rendering
from sojourn.workbench.asked import Asked, Command
from sojourn.workbench.journal import Journal, State
from sojourn.workbench.scenarios import version_of
from sojourn.workbench.settings import Settings

from .conftest import QUEUE, TOKENS

SCREEN = {"command": "run", "name": "site.toml"}
"""What the editor's page sends with its text when Run is pressed."""


def ended(client: TestClient, number: int) -> str:
    """The page of a job once it has ended."""
    until = time.monotonic() + 60
    while 'data-events="/jobs' in (text := client.get(f"/jobs/{number}").text):
        assert time.monotonic() < until, text
        time.sleep(0.05)
    return text


def test_the_list_has_each_scenario_with_its_title_and_kind(workbench) -> None:
    shown = workbench("view").get("/").text
    assert "site.toml" in shown
    assert "One server" in shown
    assert "queue" in shown


def test_scenarios_are_listed_in_the_natural_order_of_their_names(workbench, folder: Path) -> None:
    for name in ("site-10.toml", "site-2.toml", "site-9.toml"):
        (folder / name).write_text(QUEUE)
    shown = re.findall(r'href="/scenarios/([^"]+)"', workbench().get("/").text)
    assert shown == ["site-2.toml", "site-9.toml", "site-10.toml", "site.toml"]


def test_a_new_scenario_is_a_template_that_is_valid(workbench, folder: Path) -> None:
    made = workbench().post("/new", data={"name": "floor 2", "template": "lontalk"})
    assert (made.status_code, made.headers["location"]) == (303, "/scenarios/floor%202.toml")
    assert "Valid." in workbench().get(made.headers["location"]).text
    assert (folder / "floor 2.toml").read_text().startswith("#")


def test_a_document_is_offered_what_can_be_done_with_it(workbench) -> None:
    client = workbench()
    offered = {}
    for name in ("queue", "ip-measurement", "monitor"):
        client.post("/new", data={"name": f"a {name}", "template": name})
        offered[name] = re.findall(r'name="command" value="(\w+)"', client.get(f"/scenarios/a {name}.toml").text)
    assert offered == {
        "queue": ["run", "sweep", "find", "advise", "bound", "risk", "measure"],
        "ip-measurement": ["measure"],
        "monitor": ["monitor"],
    }


def test_a_new_scenario_does_not_replace_one_that_is_there(workbench, folder: Path) -> None:
    refused = workbench().post("/new", data={"name": "site", "template": "queue"})
    assert refused.status_code == 400
    assert (folder / "site.toml").read_text() == QUEUE


def test_a_saved_text_is_what_the_file_has_with_its_mode(saved, folder: Path) -> None:
    (folder / "site.toml").chmod(0o664)
    answer = saved(QUEUE.replace("One server", "Zwei Schalter").replace("\n", "\r\n"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/scenarios/site.toml?saved")
    assert (folder / "site.toml").read_text() == QUEUE.replace("One server", "Zwei Schalter")
    assert (folder / "site.toml").stat().st_mode & 0o777 == 0o664
    assert [file.name for file in folder.iterdir() if not file.name.startswith(".sojourn")] == ["site.toml"]


def test_a_text_that_another_visitor_changed_meanwhile_is_not_overwritten(saved, folder: Path) -> None:
    old = saved(QUEUE + "# mine\n", version="0" * 64)
    assert old.status_code == 409
    assert "changed meanwhile" in old.text
    assert "# mine" in old.text
    assert (folder / "site.toml").read_text() == QUEUE


def test_a_text_that_another_visitor_changed_meanwhile_is_shown_beside_ones_own_and_not_run(
    workbench, folder: Path
) -> None:
    seen = version_of((folder / "site.toml").read_bytes())
    (folder / "site.toml").write_text(QUEUE.replace("80 /s", "70 /s"))
    mine = QUEUE.replace("80 /s", "60 /s")
    refused = workbench().post("/jobs", data=SCREEN | {"text": mine, "version": seen})
    assert refused.status_code == 409
    shown = html.unescape(refused.text)
    differ = re.findall(r'class="(old|new)">([+-].*?)</span>', shown)
    assert [(kind, re.search(r"\d+ /s", line)[0]) for kind, line in differ] == [("old", "70 /s"), ("new", "60 /s")]
    assert shown.count('"60 /s"') == 2, "in the editor and among the differences"
    assert shown.count('"70 /s"') == 2, "as the file is and among the differences"
    assert (folder / "site.toml").read_text() == QUEUE.replace("80 /s", "70 /s")
    assert "No jobs yet" in workbench().get("/jobs").text


def test_the_same_text_that_another_visitor_has_saved_is_no_conflict(workbench, folder: Path) -> None:
    (folder / "site.toml").write_text(QUEUE + "# same\n")
    begun = workbench().post("/jobs", data=SCREEN | {"text": QUEUE + "# same\n", "version": "0" * 64})
    assert begun.headers["location"] == "/jobs/1"


def test_a_job_saves_and_computes_the_text_that_is_on_the_screen(workbench, folder: Path) -> None:
    seen, text = version_of((folder / "site.toml").read_bytes()), QUEUE.replace("20 s", "23 s")
    client = workbench()
    begun = client.post("/jobs", data=SCREEN | {"text": text.replace("\n", "\r\n"), "version": seen})
    assert begun.headers["location"] == "/jobs/1"
    assert (folder / "site.toml").read_text() == text
    ended(client, 1)
    assert json.loads((folder / ".sojourn/jobs/0001/results/results.json").read_text())["points"][0]["duration"] == 23


def test_a_mistake_on_the_screen_starts_no_job_and_is_shown_beside_the_text(workbench, folder: Path) -> None:
    seen, text = version_of((folder / "site.toml").read_bytes()), QUEUE.replace("poisson", "poison")
    refused = workbench().post("/jobs", data=SCREEN | {"text": text, "version": seen, "run.seed": "7"})
    assert refused.status_code == 400
    assert 'role="alert"' in refused.text
    assert "poison" in refused.text
    assert 'value="7"' in refused.text, "what was typed beside it stays"
    assert "No jobs yet" in workbench().get("/jobs").text


def test_a_job_has_the_fields_of_its_own_command_alone(workbench, folder: Path) -> None:
    fields = {"run.seed": "3", "sweep.seed": "4", "sweep.over": "nothing", "risk.of": "queue_length > 1"}
    client = workbench()
    client.post("/jobs", data=SCREEN | {"text": QUEUE, "version": ""} | fields)
    record = json.loads((folder / ".sojourn/jobs/0001/job.json").read_text())
    assert record["asked"]["options"] == [["seed", "3"]]


def test_a_mistake_is_listed_once_with_a_button_that_leads_to_it(workbench, folder: Path) -> None:
    (folder / "site.toml").write_text(QUEUE.replace("poisson", "poison"))
    shown = workbench().get("/scenarios/site.toml").text
    checked = shown[shown.index('<section id="checked"') : shown.index("</section>", shown.index('id="checked"'))]
    assert checked.count("line 13") == 1
    assert "<pre" not in checked


def test_the_schema_of_a_network_is_that_of_the_command_line(workbench) -> None:
    found = workbench("view").get("/schema", params={"kind": "queue"})
    assert found.json() == json.loads(call("schema", "queue"))
    assert "anyOf" in workbench("view").get("/schema", params={"kind": ""}).json()
    assert workbench().get("/schema", params={"kind": "token-ring"}).status_code == 404


def test_where_the_editor_is_not_bundled_a_page_has_the_plain_field(
    workbench, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    def forget() -> None:
        rendering.static.cache_clear()
        rendering.asset.cache_clear()

    monkeypatch.setattr(web, "editor", lambda: None)
    forget()
    request.addfinalizer(forget)
    assert 'data-editor=""' in workbench().get("/scenarios/site.toml").text
    assert workbench().get("/static/editor.js").status_code == 404


def test_the_bounds_of_a_scenario_are_a_job_with_a_report(workbench, folder: Path) -> None:
    client = workbench()
    client.post("/jobs", data={"command": "bound", "name": "site.toml"})
    page = ended(client, 1)
    assert 'class="state done"' in page, page
    assert json.loads((folder / ".sojourn/jobs/0001/results/results.json").read_text())["bounds"]
    assert '<iframe id="report" src="/jobs/1/files/report.html"' in page


def test_two_jobs_are_compared_as_the_command_line_compares_their_results(workbench, folder: Path, sojourn) -> None:
    client = workbench()
    for rate in ("40 /s", "80 /s"):
        client.post("/jobs", data=SCREEN | {"set": f"flow.customers.arrivals.rate={rate}"})
    ended(client, 1), ended(client, 2)
    assert re.findall(r'name="(first|second)" value="(\d)"[^>]* checked', client.get("/jobs").text) == [
        ("second", "2"),
        ("first", "1"),
    ]
    shown = html.unescape(workbench("view").get("/jobs/compare", params={"first": "1", "second": "2"}).text)
    places = [folder / f".sojourn/jobs/000{number}/results" for number in (1, 2)]
    said = sojourn("compare", *places, "--format", "csv").stdout.splitlines()
    asked = [line.split(",")[1:3] for line in said if line.startswith("asked")]
    rows = re.findall(r"<tr><td>(\w+) ?(\w*)[^<]*</td><td>([^<]+)</td><td>([^<]+)</td>", shown)
    assert rows[0][:2] == ("response_time", "mean")
    # an M/M/1 server of 100 /s: 1 / (100 - 40) s and 1 / (100 - 80) s
    means = [float(text.split()[0]) for text in rows[0][2:]]
    assert means == [pytest.approx(16.7, rel=0.1), pytest.approx(50, rel=0.3)]
    assert len(rows) >= len(asked) > 0
    assert "paired by replication" in shown


def test_what_has_no_results_is_not_compared(workbench, folder: Path) -> None:
    client = workbench()
    client.post("/jobs", data=SCREEN)
    ended(client, 1)
    journal = Journal(folder)
    assert journal.create(Asked(Command.run, "site.toml"), 0.0).number == 2
    for first, second in (("1", "1"), ("1", "2"), ("1", ""), ("1", "x"), ("1", "9" * 12)):
        refused = client.get("/jobs/compare", params={"first": first, "second": second})
        assert refused.status_code == 404, (first, second)


def test_a_job_that_is_stopped_while_its_report_is_drawn_leaves_it(workbench, folder: Path) -> None:
    client = workbench()
    client.post("/jobs", data={"command": "run", "name": "site.toml"})
    place = folder / ".sojourn/jobs/0001/results"
    until = time.monotonic() + 60
    while not (place / "results.json").exists():
        assert time.monotonic() < until
        time.sleep(0.005)
    assert client.post("/jobs/1/stop").status_code == 303
    assert 'class="state done"' in ended(client, 1)
    assert (place / "report.html").exists()


def test_a_mistake_is_shown_with_line_column_caret_and_help(workbench) -> None:
    text = QUEUE.replace('rate = "80 /s"', 'rate = "80 bananas"')
    found = workbench().post("/scenarios/site.toml/check", data={"text": text}).json()
    assert found["valid"] is False
    assert [(one["file"], one["line"]) for one in found["problems"]] == [("site.toml", 13)]
    assert found["problems"][0]["column"] > 1
    assert "site.toml" in found["rendered"]
    assert ".sojourn-" not in json.dumps(found)


def test_the_full_form_has_every_key(workbench) -> None:
    assert "replications" in workbench("view").get("/scenarios/site.toml/full").text


def test_a_mistake_in_a_setting_starts_no_job_and_is_shown(workbench) -> None:
    refused = workbench().post("/jobs", data={"command": "run", "name": "site.toml", "set": "run.durations=30 s"})
    assert refused.status_code == 400
    assert "run.durations" in refused.text
    assert "No jobs yet" in workbench().get("/jobs").text


def test_a_job_is_stopped_continued_from_its_replications_and_removed(workbench, folder: Path) -> None:
    client = workbench()
    long = {"command": "run", "name": "site.toml", "replications": "4000", "set": "run.duration=200 s"}
    client.post("/jobs", data=long)
    until = time.monotonic() + 60
    while not client.get("/jobs/1").text.count(" runs/s"):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert client.post("/jobs/1/stop").status_code == 303
    events = client.get("/jobs/1/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    states = [json.loads(line[6:]) for line in events.text.splitlines() if line.startswith("data")]
    assert (states[-1]["state"], states[-1]["progress"]["type"]) == ("stopped", "progress")
    assert 'class="state stopped"' in ended(client, 1)
    record = json.loads((folder / ".sojourn/jobs/0001/job.json").read_text())
    assert record["state"] == "stopped"

    assert client.post("/jobs/1/resume").status_code == 303
    client.post("/jobs/1/stop")
    ended(client, 1)
    assert client.post("/jobs/1/remove").headers["location"] == "/jobs"
    assert client.get("/jobs/1").status_code == 404
    assert list((folder / ".sojourn/jobs").iterdir()) == []


def test_a_risk_is_a_job_whose_answer_has_its_interval_and_levels(workbench, folder: Path) -> None:
    client = workbench()
    rare = {
        "command": "risk",
        "name": "site.toml",
        "of": "queue_length > 20",
        "per": "hour",
        "within": "1 h",
        "precision": "0.5",
    }
    assert client.post("/jobs", data=rare).status_code == 303
    page = ended(client, 1)
    assert 'class="state done"' in page, page
    # one server at a load of 0.8: a queue beyond 20 is reached some times in an hour
    assert re.search(r"queue_length &gt; 20.*an hour.*95 % CI", page, re.DOTALL), page
    risk = json.loads(next((folder / ".sojourn/jobs/0001").glob("*/results.json")).read_text())["risk"]
    low, high = risk["ci95"]
    assert low < risk["rate"] < high
    assert len(risk["levels"]) > 1


OPTIONS = """
[[option]]
name = "faster"
set = { "station.server.service.mean" = "8 ms" }
[[option]]
name = "slower"
set = { "station.server.service.mean" = "11 ms" }
"""


def test_which_change_is_best_is_a_job_with_its_report(workbench, folder: Path) -> None:
    client = workbench()
    (folder / "site.toml").write_text(QUEUE + OPTIONS)
    asked = {"command": "advise", "name": "site.toml", "by": "response_time.mean", "combine": "1"}
    assert client.post("/jobs", data=asked).status_code == 303
    page = ended(client, 1)
    assert 'class="state done"' in page, page
    assert "The best is faster" in " ".join(html.unescape(page).split())
    assert '<iframe id="report"' in page


def test_a_comparison_of_which_none_meets_the_condition_is_missed(workbench, folder: Path) -> None:
    client = workbench()
    (folder / "site.toml").write_text(QUEUE + OPTIONS)
    client.post("/jobs", data={"command": "advise", "name": "site.toml", "until": "response_time.mean < 1 ms"})
    assert 'class="state missed"' in ended(client, 1)


def test_an_option_cannot_name_a_file_outside_the_folder(workbench, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("")
    option = f'[[option]]\nname = "x"\nset = {{ "station.server.profile" = "{outside}" }}\n'
    (folder / "site.toml").write_text(QUEUE + option)
    refused = workbench().post("/jobs", data={"command": "advise", "name": "site.toml"})
    assert refused.status_code == 400
    assert "reads files of its folder only" in html.unescape(refused.text)


def test_a_risk_of_an_event_that_the_network_does_not_know_fails_with_the_reason(workbench) -> None:
    client = workbench()
    client.post("/jobs", data={"command": "risk", "name": "site.toml", "of": "medium/<script> collapsed"})
    page = ended(client, 1)
    assert 'class="state failed"' in page
    assert "&lt;script&gt;" in page
    assert "<script>" not in page.replace('<script type="module"', "")


def test_a_risk_takes_the_threads_of_this_machine_where_a_cluster_computes_the_rest(folder: Path) -> None:
    settings = Settings(folder=folder, tokens=TOKENS, cluster="tcp://cluster:8786", threads=2)
    asked = {
        command: Asked(command, "site.toml").arguments(folder, settings) for command in (Command.run, Command.risk)
    }
    assert "--cluster=tcp://cluster:8786" in asked[Command.run]
    assert asked[Command.risk] == ["risk", "site.toml", "--jobs=2", f"--out={folder}"]


def test_a_job_of_a_server_that_was_killed_can_be_continued(folder: Path) -> None:
    journal = Journal(folder)
    record = journal.create(Asked(Command.run, "site.toml"), 0.0)
    journal.write(type(record)(**vars(record) | {"state": State.running}))
    assert [one.state for one in Journal(folder).read()] == [State.stopped]


def test_only_a_missed_verdict_makes_a_job_missed(folder: Path) -> None:
    journal = Journal(folder)
    number = journal.create(Asked(Command.run, "site.toml"), 0.0).number
    journal.results(number).mkdir()
    assert not journal.is_missed(number)
    for verdict, missed in (("met", False), ("undecided", False), ("missed", True)):
        (journal.results(number) / "verdicts.json").write_text(json.dumps([{"verdict": verdict}]))
        assert journal.is_missed(number) is missed


def test_a_child_ends_when_its_server_is_gone(folder: Path, until) -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    code = (
        "import os, subprocess, sys, time\n"
        "done = [sys.executable, '-m', 'sojourn.workbench.child', str(os.getpid()), 'run', 'site.toml',"
        " '--replications=100000', '--set=run.duration=1000 s']\n"
        "print(subprocess.Popen(done).pid, flush=True)\n"
        "time.sleep(0.5)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    server = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    child = int(server.stdout)

    def is_gone() -> bool:
        try:
            return Path(f"/proc/{child}/stat").read_text().split()[2] == "Z"
        except OSError:
            return True

    until(is_gone)


def test_the_viewer_sees_no_password_and_no_button_that_changes_something(workbench, folder: Path) -> None:
    (folder / "m.toml").write_text('[measure]\npeer = "https://me:pa55word@192.0.2.1/"\n')
    shown = workbench("view").get("/scenarios/m.toml").text
    assert "pa55word" not in shown
    assert "192.0.2.1" in shown
    assert "Save" not in shown
    assert 'action="/jobs"' not in shown


@pytest.mark.parametrize("path", ["/", "/scenarios/site.toml", "/jobs", "/studies"])
def test_every_page_has_one_heading_labels_and_a_language(workbench, path: str) -> None:
    shown = workbench().get(path).text
    assert shown.count("<h1>") == 1
    assert '<html lang="en">' in shown
    fields = re.findall(r"<(?:input|textarea|select)[^>]* id=\"([^\"]+)\"", shown)
    assert all(f'for="{field}"' in shown for field in fields)
    assert len(fields) == len(set(fields))


def test_a_folder_of_another_user_is_a_page_not_a_traceback(workbench, folder: Path) -> None:
    if os.geteuid() == 0:
        (folder / "site.toml").unlink()
        (folder / "site.toml").mkdir()
    else:
        (folder / "site.toml").chmod(0)
    assert workbench().get("/scenarios/site.toml").status_code == 404
