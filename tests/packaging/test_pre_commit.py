"""The hook for `sojourn check`, as pre-commit runs it: its entry with the names of those files that it takes."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from ..conftest import ROOT, TOOL

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
CONFIGURATION = """
repos:
  - repo: {repository}
    rev: {commit}
    hooks: [{{id: sojourn-check}}]
"""


@pytest.fixture
def folder(tmp_path: Path, sojourn) -> Path:
    for name in ("good.sojourn.toml", "other.sojourn.toml", "not-a-scenario.toml"):
        assert sojourn("new", "queue", "-o", name).returncode == 0
    (tmp_path / "not-a-scenario.toml").write_text("[tool.other]\n")
    return tmp_path


def hook(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    names = sorted(file.name for file in folder.glob("*.toml") if re.search(HOOK["files"], file.name))
    command = [*shlex.split(HOOK["entry"]), *names]
    path = {"PATH": f"{TOOL.parent}:{environment['PATH']}"}
    return subprocess.run(command, cwd=folder, env=environment | path, capture_output=True, text=True, check=False)


def test_valid_scenarios_pass_and_other_toml_is_not_looked_at(folder, environment) -> None:
    done = hook(folder, environment)

    assert done.returncode == 0, done.stderr
    assert done.stderr == "good.sojourn.toml is valid\nother.sojourn.toml is valid\n"


def test_a_mistake_in_one_file_fails_the_hook_and_the_others_are_checked_as_well(folder, environment) -> None:
    bad = folder / "bad.sojourn.toml"
    bad.write_text((folder / "good.sojourn.toml").read_text().replace('rate = "', 'rat = "'))

    done = hook(folder, environment)

    assert done.returncode == 2
    assert "did you mean `rate`?" in done.stderr
    assert "other.sojourn.toml is valid" in done.stderr


@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="pre-commit is not installed")
def test_pre_commit_itself_runs_the_hook(folder, environment, tmp_path_factory) -> None:
    repository = tmp_path_factory.mktemp("hooks")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", repository)
    settings = environment | {"PATH": f"{TOOL.parent}:{os.environ['PATH']}"}

    def git(where: Path, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        done = subprocess.run(["git", *identity, *arguments], cwd=where, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "Declare a hook")
    commit = git(repository, "rev-parse", "HEAD")
    (folder / ".pre-commit-config.yaml").write_text(CONFIGURATION.format(repository=repository, commit=commit))
    git(folder, "init", "--quiet")
    git(folder, "add", ".pre-commit-config.yaml", *(file.name for file in folder.glob("*.toml")))

    def run() -> subprocess.CompletedProcess[str]:
        command = ["pre-commit", "run", "--all-files", "--color=never"]
        return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)

    assert run().returncode == 0
    (folder / "good.sojourn.toml").write_text('[network]\nkind = "que"\n')
    refused = run()
    assert refused.returncode == 1
    assert "sojourn check" in refused.stdout
