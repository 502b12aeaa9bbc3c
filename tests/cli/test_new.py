"""What `sojourn new` writes of an experiment runs as the study runs it."""

import shlex

import pytest


@pytest.mark.parametrize("experiment", ["fifo-reno-9180", "assured-cubic"])
def test_the_changes_of_an_experiment_are_arguments_that_a_shell_and_the_tool_take(sojourn, experiment):
    text = sojourn("new", f"linux-lan-response-time:{experiment}").stdout
    sojourn("new", f"linux-lan-response-time:{experiment}", "-o", "mine.toml")
    changes = text.splitlines()[0].partition("with: ")[2]

    expanded = sojourn("check", "mine.toml", "--expand", *shlex.split(changes))

    assert expanded.returncode == 0, expanded.stderr
    if experiment == "fifo-reno-9180":
        assert 'medium.trunk.queue.shaping={ burst = "18600 B", rate = "100 Mbit/s" }' in changes
        assert 'burst = "18600 B"' in expanded.stdout
    else:
        assert 'congestion = "cubic"' in expanded.stdout
