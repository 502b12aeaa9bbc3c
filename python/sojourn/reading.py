"""Text and JSON from files of results; what does not read is named by its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sojourn.errors import ResultsError


def text_of(file: Path) -> str:
    """The text of a file; `ResultsError` where it cannot be read or is not UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ResultsError(f"{file} is not UTF-8: octet {error.start}") from None
    except OSError as error:
        raise ResultsError(f"cannot read {file}: {error.strerror}") from None


def json_of(file: Path, otherwise: Any) -> Any:
    """The value of a file of JSON, or another one where there is no such file; `ResultsError` where it is none."""
    if not file.exists():
        return otherwise
    try:
        return json.loads(text_of(file))
    except ValueError as error:
        raise ResultsError(f"{file} is not JSON: {error}") from None
