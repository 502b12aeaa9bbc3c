"""The simulation in a browser gives the bytes of the native one."""

import base64
import json
import os
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sojourn import web
from sojourn.bindings import call_json, extension

pytestmark = [pytest.mark.peer("chromium", package="chromium"), pytest.mark.engine]
ROOT = Path(__file__).resolve().parents[2]
OPTIONS = {"runs": {"replications": 2}}


def random_scenarios(folder: Path, number: int) -> list[Path]:
    """This many of each network, of the conformance tests."""
    # all crates together, as `make test` has compiled them: for one alone cargo compiles everything once more
    command = ["cargo", "test", "--workspace", "--locked", "--quiet", "--test", "all", "--", "--ignored"]
    variables = {"SOJOURN_FOLDER": str(folder), "SOJOURN_SCENARIOS": str(number)}
    test = "conformance::random_scenarios_are_written_to_a_folder"
    subprocess.run([*command, "--exact", test], cwd=ROOT, check=True, env=os.environ | variables)
    return sorted(folder.glob("*.toml"))


def native(file: Path, cache: Path) -> dict[str, Any] | None:
    """The outcome of a run on this host; None where it is refused, as a condition on what nothing samples."""
    request = {"command": "run", "file": str(file), "computing": {"cache": str(cache)}, **OPTIONS}
    try:
        job = extension().start(json.dumps(request))
    except extension().UserError:
        return None
    while (outcome := job.outcome()) is None:
        time.sleep(0.002)
    return json.loads(outcome)


def in_browser(browser: Any, files: list[Path], folder: Path) -> list[dict[str, Any]]:
    """The evaluation of each run in web workers, with the commit of the module; `refused` where it was."""
    requests = [{"name": file.name, "text": file.read_text(), **OPTIONS} for file in files]
    page = browser.new_context(offline=True).new_page()
    (folder / "page.html").write_text("<!doctype html><title>numbers</title>")
    page.goto((folder / "page.html").as_uri())
    page.add_script_tag(content=web.script("packed.js", "engine.js") + "\nwindow.Engine = Engine;", type="module")
    page.wait_for_function("window.Engine !== undefined")
    engine = web.engine()
    assert engine is not None
    bytes_of = "Uint8Array.from(atob(text), character => character.charCodeAt(0))"
    load = f"async ([text, worker]) => {{ window.engine = await Engine.load({bytes_of}, worker, 2); }}"
    page.evaluate(load, [base64.b64encode(engine).decode(), web.source(web.WORKER)])
    build = page.evaluate("engine.ask({ call: 'build' })")
    run = (
        "request => engine.run(request).catch(fault => { if (fault.problems) return { refused: true }; throw fault; })"
    )
    return [page.evaluate(run, one) | {"commit": build["commit"]} for one in requests]


def compare(browser: Any, folder: Path, number: int) -> None:
    files = random_scenarios(folder, number)
    assert Counter(Counter(file.stem.rpartition("-")[0] for file in files).values()) == {
        number: len(call_json("networks"))
    }
    for file, there in zip(files, in_browser(browser, files, folder), strict=True):
        here = native(file, folder / "cache")
        assert (here is None) == there.get("refused", False), file.name
        if here is None:
            continue
        commit = json.loads(here["results_json"])["commit"]
        assert there["results_json"] == here["results_json"].replace(commit, there["commit"]), file.name
        assert there["verdicts"] == here["verdicts"]


def test_three_random_scenarios_of_each_network_give_the_native_bytes(browser: Any, tmp_path: Path) -> None:
    compare(browser, tmp_path, 3)


@pytest.mark.nightly
def test_two_hundred_random_scenarios_of_each_network_give_the_native_bytes(browser: Any, tmp_path: Path) -> None:
    compare(browser, tmp_path, 200)
