"""What a platform lacks: it is named with the platforms that have it, before anything begins."""

import os
import signal
import sys

import pytest

from sojourn import cli, platforms
from sojourn.cli import exit_code
from sojourn.cli.app import command_line
from sojourn.errors import UserError
from sojourn.store import settings


@pytest.fixture
def on_windows(monkeypatch):
    """The standard library as it is there, for what is asked of it."""
    monkeypatch.setattr(platforms, "SYSTEM", "win32")
    monkeypatch.delattr(os, "fork")
    monkeypatch.delattr(os, "pwrite")


def test_linux_has_all():
    assert all(platforms.has(what) for what in platforms.NEEDS)


@pytest.mark.usefixtures("on_windows")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve"], "serve needs Linux: its kernel limits what a job may use, and ends it with the server"),
        (["history"], "history needs Linux or macOS: commands that end at the same time append their records"),
    ],
)
def test_a_command_that_a_platform_lacks_says_so_in_one_line(arguments, said, capsys):
    assert exit_code(command_line(arguments), arguments) == 2

    error = capsys.readouterr().err
    assert error.startswith(f"sojourn: {said}")
    assert error.endswith(", which Windows lacks\n")
    assert error.count("\n") == 1


@pytest.mark.usefixtures("on_windows")
def test_an_option_that_a_platform_lacks_is_named():
    with pytest.raises(UserError, match=r"^--cluster local:N needs Linux or macOS: .* which Windows lacks$"):
        platforms.require("--cluster local:N")


@pytest.mark.usefixtures("on_windows")
def test_nothing_is_recorded_where_there_is_no_store():
    assert settings.place() is None


def test_a_command_ends_where_there_is_no_signal_of_a_terminal_that_closes(monkeypatch):
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(cli, "HANGUP", None)
    monkeypatch.setattr(sys, "argv", ["sojourn", "--version"])
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.excepthook = sys.__excepthook__

    assert ended.value.code == 0
