"""The command line. `main` is its entry; every command has a file of its own and imports what it needs when it runs."""

from __future__ import annotations

import signal
import sys
from types import TracebackType

from sojourn.cli import interruption

EXIT_FAILED, EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 2, 130
HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""None on Windows, whose terminals end their processes."""


def main() -> None:
    """Parses arguments, runs the command, and exits: 0 success, 1 failed or missed, 2 invalid input, 130 interrupted.

    SIGTERM (`kill`, service managers) and SIGHUP (a terminal that closes) act like Ctrl-C: measured data is kept and
    sessions are closed. `nohup` has SIGHUP ignored, and an agent with key files ignores it as well.
    """
    from sojourn.cli.app import command_line  # noqa: PLC0415

    sys.excepthook = _report_bug
    _write_utf8()
    app = command_line(sys.argv[1:])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if HANGUP is not None and signal.getsignal(HANGUP) is signal.SIG_DFL:
        signal.signal(HANGUP, signal.default_int_handler)

    code = exit_code(app)
    # nothing is left to stop, and a traceback of the interpreter's own end would say that something was
    for number in filter(None, (signal.SIGINT, signal.SIGTERM, HANGUP)):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _write_utf8() -> None:
    """Redirected output is UTF-8 on every platform: code pages of Windows lack characters of units and intervals."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # each of a process is a TextIOWrapper


def exit_code(app: object, arguments: list[str] | None = None) -> int:
    """Runs a Typer application, by default with the process's arguments; what it raises goes to standard error."""
    try:
        code = app(arguments, standalone_mode=False, prog_name="sojourn")  # type: ignore[operator]
    except KeyboardInterrupt:
        return _report("stopped", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _report(f"{error.filename or 'output'}: {error.strerror or error}", EXIT_FAILED)
    except Exception as error:
        return _refused(error)
    finally:
        interruption.let_through()
    return code if isinstance(code, int) else 0


def _refused(error: Exception) -> int:
    """The exit code of Sojourn's own errors, by class; others are passed to `_usage`."""
    from sojourn.errors import Interrupted, SojournError, UserError  # noqa: PLC0415

    if isinstance(error, UnicodeEncodeError):  # of octets that no file has given: those are read as they say
        return _report("an argument is not valid UTF-8", EXIT_MISTAKE)
    if not isinstance(error, SojournError):
        return _usage(error)
    codes = ((UserError, EXIT_MISTAKE), (Interrupted, EXIT_INTERRUPTED), (SojournError, EXIT_FAILED))
    return _report(str(error), next(code for kind, code in codes if isinstance(error, kind)))


def _report(text: str, code: int) -> int:
    """Prints verbatim: the extension's carets depend on columns, and [flow] is not markup."""
    sys.stderr.write(text if text.startswith("\n") or "\n" in text else f"sojourn: {text}")
    sys.stderr.write("" if text.endswith("\n") else "\n")
    return code


def _usage(error: Exception) -> int:
    """Errors of the option parser; anything else is a bug and keeps its traceback."""
    import typer  # noqa: PLC0415

    if isinstance(error, typer.Abort):
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__  # Typer takes every one for Ctrl-D at a question
        return _report("stopped", EXIT_INTERRUPTED)
    if isinstance(error, typer.Exit):
        return error.exit_code
    show = getattr(error, "show", None)  # the base class of parser errors is not public in Typer
    if callable(show):
        from sojourn.secret import shown_document  # noqa: PLC0415

        error.message = shown_document(getattr(error, "message", ""))  # type: ignore[attr-defined]
        show()
        return EXIT_MISTAKE
    raise error


def _report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A traceback without secrets: it is what a user sends with the report of a bug."""
    import traceback  # noqa: PLC0415

    from sojourn.secret import shown_document  # noqa: PLC0415

    text = "".join(traceback.format_exception(kind, error, trace))
    sys.stderr.write(shown_document(text))


def _reader_left() -> int:
    """The reader, such as `head`, closed the pipe: suppress Python's error at exit."""
    import os  # noqa: PLC0415

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
