"""The command line. `main` is its entry; every command has a file of its own and imports what it needs when it runs."""

from __future__ import annotations

import signal
import sys

EXIT_FAILED, EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 2, 130


def main() -> None:
    """Parses, runs, and turns every outcome into an exit code: 0 done, 1 failed or missed, 2 a mistake, 130 stopped.

    What `kill` and service managers send stops as Ctrl-C does: nothing measured is lost, and peers are taken leave of.
    """
    from sojourn.cli.app import app  # noqa: PLC0415

    signal.signal(signal.SIGTERM, signal.default_int_handler)

    sys.exit(exit_code(app))


def exit_code(app: object) -> int:
    """Runs a Typer application and reports what it raises on standard error."""
    try:
        code = app(standalone_mode=False, prog_name="sojourn")  # type: ignore[operator]
    except KeyboardInterrupt:
        return _said("stopped", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _said(f"{error.filename or 'output'}: {error.strerror or error}", EXIT_FAILED)
    except Exception as error:
        return _refused(error)
    return code if isinstance(code, int) else 0


def _refused(error: Exception) -> int:
    """Sojourn's own errors by their place in the tree; others go to the parser's."""
    from sojourn.errors import Interrupted, SojournError, UserError  # noqa: PLC0415

    if not isinstance(error, SojournError):
        return _usage(error)
    codes = ((UserError, EXIT_MISTAKE), (Interrupted, EXIT_INTERRUPTED), (SojournError, EXIT_FAILED))
    return _said(str(error), next(code for kind, code in codes if isinstance(error, kind)))


def _said(text: str, code: int) -> int:
    """Prints as it is: the extension's carets stand in columns, and [flow] is no markup."""
    sys.stderr.write(text if text.startswith("\n") or "\n" in text else f"sojourn: {text}")
    sys.stderr.write("" if text.endswith("\n") else "\n")
    return code


def _usage(error: Exception) -> int:
    """What the parser of options raises; anything else is a fault of ours and keeps its traceback."""
    import typer  # noqa: PLC0415

    if isinstance(error, typer.Abort):
        return _said("stopped", EXIT_INTERRUPTED)
    if isinstance(error, typer.Exit):
        return error.exit_code
    show = getattr(error, "show", None)  # the parser's own base class has no public name in Typer
    if callable(show):
        show()
        return EXIT_MISTAKE
    raise error


def _reader_left() -> int:
    """A reader such as `head` took what it wanted: keep Python from complaining at exit."""
    import os  # noqa: PLC0415

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
