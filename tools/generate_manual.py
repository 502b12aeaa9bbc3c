"""Writes the man page and the shell completions of `sojourn` from its declarations; `--check` fails where one is stale.

They lie in packaging/share as a system has them below /usr/share; a wheel carries them.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer._completion_shared import get_completion_script

from sojourn.cli.app import command_line

SHARE = Path(__file__).resolve().parents[1] / "packaging/data/data/share"
COMPLETIONS = {
    "bash": "bash-completion/completions/sojourn",
    "zsh": "zsh/site-functions/_sojourn",
    "fish": "fish/vendor_completions.d/sojourn.fish",
}
GLOBAL = ("--install-completion", "--show-completion", "--help")


def main() -> int:
    """Writes the files, or compares them with the existing ones."""
    files = {SHARE / "man/man1/sojourn.1": manual()}
    for shell, name in COMPLETIONS.items():
        script = get_completion_script(prog_name="sojourn", complete_var="_SOJOURN_COMPLETE", shell=shell)
        files[SHARE / name] = f"{script}\n"
    if "--check" in sys.argv[1:]:
        stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
        for path in stale:
            print(f"{path.relative_to(SHARE.parents[3])} is stale: make docs", file=sys.stderr)
        return bool(stale)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def manual() -> str:
    """The page of all commands, in the language of man(7)."""
    group: Any = typer.main.get_command(command_line([]))
    summary, _, description = inspect.cleandoc(group.help).partition("\n")
    lines = ['.TH SOJOURN 1 "" Sojourn "User Commands"', ".SH NAME"]
    lines += [
        rf"sojourn \- {escaped(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        r".B sojourn",
        r"\fICOMMAND\fR [\fIOPTION\fR ...]",
    ]
    lines += [
        ".SH DESCRIPTION",
        *prose(description),
        ".SH OPTIONS",
        *options(group, group.make_context("sojourn", [], resilient_parsing=True)),
    ]
    lines.append(".SH COMMANDS")
    for name, command in group.commands.items():
        lines += section(name, command)
    lines += [".SH SEE ALSO", r"\fBsojourn\-agent\fR(1)"]
    return "\n".join(lines) + "\n"


def section(name: str, command: Any) -> Iterator[str]:
    """One command: how it is called, what it does, its arguments and options."""
    context = command.make_context(f"sojourn {name}", [], resilient_parsing=True)
    yield rf".SS {escaped(f'sojourn {name}')} {escaped(' '.join(command.collect_usage_pieces(context)))}"
    yield from prose(inspect.cleandoc(command.help or ""))
    yield from options(command, context)


def options(command: Any, context: Any) -> Iterator[str]:
    """A paragraph for each argument and option, with the words of `--help`."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and not any(name in GLOBAL for name in parameter.opts):
            yield ".TP"
            yield rf"\fB{escaped(record[0])}\fR"
            yield escaped(" ".join(record[1].split()))


def prose(text: str) -> Iterator[str]:
    r"""Paragraphs; those after a \b keep their lines, as in the terminal."""
    paragraphs = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    for number, paragraph in enumerate(paragraphs):
        if number > 0:
            yield ".PP"
        if paragraph.startswith("\b"):
            yield ".nf"
            yield from (escaped(line) for line in textwrap.dedent(paragraph.lstrip("\b\n")).splitlines())
            yield ".fi"
        else:
            yield escaped(" ".join(paragraph.split()))


def escaped(text: str) -> str:
    """Text in which no character is a request or an escape of roff."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.exit(main())
