"""Shards, the caches they fill, and the job scripts that run them."""

import os
import random
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from sojourn.cli import exit_code
from sojourn.cli.app import command_line

SWEEP = ["--over", "flow.customers.arrivals.rate=20:80:20 /s", "--set", "run.duration=30 s", "--replications", "5"]


@pytest.fixture
def here(site, monkeypatch):
    """The folder of the scenario, and a user's cache in it."""
    monkeypatch.chdir(site.parent)
    monkeypatch.setenv("SOJOURN_CACHE", str(site.parent / "users"))
    return site.parent


def run(*words: object) -> int:
    """The exit code of a command line."""
    arguments = [str(word) for word in words]
    return exit_code(command_line(arguments), arguments)


def test_shards_that_are_merged_give_the_bytes_of_one_run(here, capfd, monkeypatch):
    for shard in (1, 2, 3):
        assert run("sweep", "site.toml", *SWEEP, "--shard", f"{shard}/3", "--out", f"shards/{shard}") == 0
    assert "shard 3/3: 7 replications in shards/3, 0 of them from before" in capfd.readouterr().err
    assert run("cache", "merge", "shards/1", "shards/2", "shards/3", "shards/all") == 0
    assert "20 replications added, 0 were there already" in capfd.readouterr().err

    run("sweep", "site.toml", *SWEEP, "--format", "json")
    alone = capfd.readouterr().out
    monkeypatch.setenv("SOJOURN_CACHE", "shards/all")
    before = sorted(Path("shards/all/replications").rglob("*"))
    run("sweep", "site.toml", *SWEEP, "--format", "json")
    assert capfd.readouterr().out == alone
    assert sorted(Path("shards/all/replications").rglob("*")) == before, "nothing was computed again"


def test_a_shard_that_was_computed_is_read_again_and_a_wrong_one_is_refused(here, capfd):
    for _ in range(2):
        assert run("run", "site.toml", "--set", "run.duration=30 s", "--shard", "2/4", "--out", "two") == 0
    assert "shard 2/4: 3 replications in two, 3 of them from before" in capfd.readouterr().err
    assert run("run", "site.toml", "--shard", "5/4") == 2
    assert "--shard 5/4: write NUMBER/OF" in capfd.readouterr().err
    assert run("run", "site.toml", "--shard", "1/4", "--precision", "0.1") == 2
    assert "--precision decides the number of replications by their results" in capfd.readouterr().err


def test_the_cache_is_shown_limited_and_cleared(here, capfd):
    run("run", "site.toml", "--set", "run.duration=30 s", "--replications", "10")
    assert run("cache", "status") == 0
    shown = capfd.readouterr().out
    assert "users: 10 replications" in shown and shown.endswith("limit 2 GiB\n")

    for entry in Path("users/replications").rglob("*"):
        if entry.is_file():
            os.utime(entry, (0, 0))
    size = max(entry.stat().st_size for entry in Path("users/replications").rglob("*") if entry.is_file())
    assert run("cache", "limit", f"{4 * size} B") == 0
    assert 4 <= len([entry for entry in Path("users/replications").rglob("*") if entry.is_file()]) < 10
    assert run("cache", "clear", "--unused", "1") == 0
    run("cache", "status")
    assert "users: 0 replications" in capfd.readouterr().out
    assert run("cache", "limit", "much") == 2
    assert run("cache", "merge", "users", "missing", "into") == 2
    assert "missing is not a cache" in capfd.readouterr().err


def test_the_slurm_script_is_a_shell_script_that_computes_each_shard_and_then_joins_them(here, capfd):
    assert run("batch", "slurm", "--shards", "2", "--", "sweep", "site.toml", *SWEEP) == 0
    Path("site.sh").write_text(capfd.readouterr().out)
    assert subprocess.run(["bash", "-n", "site.sh"], check=False).returncode == 0
    assert "#SBATCH --array=1-2\n" in Path("site.sh").read_text()

    Path("sojourn").write_text('#!/bin/bash\necho "$SOJOURN_CACHE" "$@" >> called\n')
    Path("sojourn").chmod(0o755)
    environment = os.environ | {"PATH": f"{here}:{os.environ['PATH']}", "SOJOURN_CACHE": "users"}
    for task in ("1", "2"):
        subprocess.run(["bash", "site.sh"], env=environment | {"SLURM_ARRAY_TASK_ID": task}, check=True)
    subprocess.run(["bash", "site.sh"], env=environment, check=True)
    common = " ".join(["sweep", "site.toml", *SWEEP])
    assert Path("called").read_text().splitlines() == [
        f"users {common} --jobs 1 --shard 1/2 --out shards/1",
        f"users {common} --jobs 1 --shard 2/2 --out shards/2",
        "users cache merge shards/1 shards/2 shards/all",
        f"shards/all {common} --out out",
    ]


def test_the_kubernetes_job_is_indexed_and_its_shell_counts_shards_from_one(here, capfd):
    words = ["--shards", "64", "--image", "registry/sojourn:1", "--memory", "2Gi", "--", "sweep", "site.toml", *SWEEP]
    assert run("batch", "kubernetes", *words) == 0
    job = yaml.safe_load(capfd.readouterr().out)
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    assert job["spec"]["completions"] == 64
    pod = job["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never", "failures are counted for each index"
    (container,) = pod["containers"]
    assert (container["image"], container["resources"]["limits"]) == ("registry/sojourn:1", {"memory": "2Gi"})
    text = container["args"][0].replace("exec sojourn", "echo")
    environment = os.environ | {"JOB_COMPLETION_INDEX": "63"}
    printed = subprocess.run([*container["command"], text], env=environment, capture_output=True, text=True, check=True)
    said = " ".join(["sweep", "site.toml", *SWEEP, "--jobs 1 --shard 64/64 --out /shards/64"])
    assert printed.stdout.strip() == said
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["find", "site.toml"], "shards are of run, sweep, study"),
        (["run", "site.toml", "--out=here"], "leave out --out=here"),
        (["run", "a\nb.toml"], "has a line break"),
    ],
)
def test_a_command_that_has_no_shards_gets_no_script(command, said, capfd):
    assert run("batch", "slurm", "--", *command) == 2
    assert said in capfd.readouterr().err


@pytest.mark.nightly
def test_64_shards_killed_at_random_and_run_again_give_the_bytes_of_one_run(here, sojourn, start):
    """Two minutes on two cores: every shard starts the tool at least once, 1 s of a processor each."""
    sweep = ["sweep", "site.toml", *SWEEP[:2], "--set", "run.duration=20000 s", "--replications", "64"]
    chance, kills, began = random.Random(3), 0, time.monotonic()
    waiting, running = list(range(1, 65)), {}
    while waiting or running:
        while waiting and len(running) < 4:
            shard = waiting.pop(0)
            running[shard] = start(*sweep, "--jobs", "1", "--shard", f"{shard}/64", "--out", f"shards/{shard}")
        time.sleep(0.2)
        for shard, process in list(running.items()):
            if process.poll() is None and chance.random() < 0.08:
                process.send_signal(chance.choice((signal.SIGKILL, signal.SIGTERM)))
                kills += 1
            if process.poll() is not None:
                del running[shard]
                if process.returncode != 0:
                    waiting.append(shard)
    took_s = time.monotonic() - began
    merged = sojourn("cache", "merge", *[f"shards/{shard}" for shard in range(1, 65)], "shards/all")
    assert "256 replications added" in merged.stderr
    sojourn(*sweep, "--out", "one", "--jobs", "2")
    environment = os.environ | {"SOJOURN_CACHE": "shards/all"}
    sojourn(*sweep, "--out", "many", "--jobs", "2", env=environment)
    assert Path("many/results.json").read_bytes() == Path("one/results.json").read_bytes()
    print(f"{shlex.join(sweep)}: 64 shards in {took_s:.0f} s with {kills} kills")
