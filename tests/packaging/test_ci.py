"""The composite action and the reusable workflow: their steps, run in a shell as a runner would."""

import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from ..conftest import TOOL

CI = Path(__file__).resolve().parents[2] / "packaging/ci"
EXPRESSION = re.compile(r"\$\{\{ ?inputs\.(\w+) ?\}\}")

QUEUE = """
[network]
kind = "queue"
[[station]]
name = "server"
service = { kind = "exponential", mean = "1 ms" }
[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", rate = "100 /s" }
[run]
duration = "20 s"
warm_up = "1 s"
[expect]
"response_time.mean" = "< LIMIT"
"""


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the last step of the action; returns how it ended, the test cases and the summary."""
    action = yaml.safe_load((CI / "action.yml").read_text())
    last = action["runs"]["steps"][-1]

    def run(**given: str) -> tuple[int, ET.Element, str]:
        inputs = {name: one.get("default", "") for name, one in action["inputs"].items()} | given
        set_ = {name: EXPRESSION.sub(lambda found: inputs[found[1]], text) for name, text in last["env"].items()}
        place = {"PATH": f"{TOOL.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
        script = tmp_path / "step.sh"
        script.write_text(last["run"])
        # the shell of `shell: bash` on GitHub's runners
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=tmp_path, env=place | set_ | {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return done.returncode, ET.parse(tmp_path / inputs["junit"]).getroot(), (tmp_path / "summary.md").read_text()

    return run


def test_the_step_of_the_action_passes_where_the_requirement_is_met(step, tmp_path) -> None:
    (tmp_path / "my site.toml").write_text(QUEUE.replace("LIMIT", "20 ms"))

    code, root, summary = step(command="run 'my site.toml' --no-store")

    assert code == 0
    assert [case.get("name") for case in root.iter("testcase")] == ["response_time.mean < 20 ms"]
    assert "1 of 1 met" in summary


def test_the_step_of_the_action_fails_where_the_requirement_is_missed(step, tmp_path) -> None:
    (tmp_path / "site.toml").write_text(QUEUE.replace("LIMIT", "10 us"))

    code, root, summary = step(command="run site.toml --no-store")

    assert code == 1
    assert root.find(".//failure").get("message").endswith("the requirement of less than 10 us is missed.")
    assert "❌ missed" in summary


def test_what_an_input_holds_is_not_run_by_the_shell(step, tmp_path) -> None:
    (tmp_path / "site.toml").write_text(QUEUE.replace("LIMIT", "20 ms"))

    step(command="run site.toml --no-store --set 'run.seed=1' '--junit' '$(touch${IFS}taken)'")

    assert not (tmp_path / "taken").exists()


def test_the_workflow_calls_the_action_with_inputs_that_it_has() -> None:
    action = yaml.safe_load((CI / "action.yml").read_text())
    workflow = yaml.safe_load((CI / "workflow.yml").read_text())
    (call,) = [one for one in workflow["jobs"]["sojourn"]["steps"] if one["uses"].startswith("./")]

    assert call["with"].keys() <= action["inputs"].keys()
    called = workflow[True]["workflow_call"]["inputs"]  # YAML 1.1 reads `on` as true
    named = set(re.findall(r"inputs\.(\w+)", (CI / "workflow.yml").read_text()))
    assert named == called.keys()
