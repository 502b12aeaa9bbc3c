"""A secret is a value that nothing prints or writes, and the functions that show texts hide what they must."""

import copy
import json
import logging
import pickle
import sys

import pytest

from sojourn.cli import _report_bug
from sojourn.secret import Secret, ShownFormatter, shown, shown_document, shown_value
from sojourn.workbench.access import Tokens
from sojourn.workbench.settings import Settings

TEXT = "hunter2-XYZ"


def test_a_secret_is_not_printed_formatted_or_written():
    secret = Secret(TEXT)
    for text in (str(secret), repr(secret), f"{secret}", f"{secret:>20}", f"{[secret]}", "%s" % secret):  # noqa: UP031
        assert TEXT not in text
        assert "[secret]" in text
    for write in (json.dumps, pickle.dumps):
        with pytest.raises(TypeError):
            write(secret)
    with pytest.raises(TypeError):
        json.dumps({"a": [secret]})
    with pytest.raises(TypeError):
        vars(secret)
    assert secret.revealed() == TEXT


def test_a_secret_equals_its_like_and_nothing_else():
    assert Secret(TEXT) == Secret(TEXT)
    assert len({Secret(TEXT), Secret(TEXT), Secret("b")}) == 2
    assert Secret(TEXT) != TEXT
    assert Secret("ä") != Secret("a")
    assert copy.deepcopy([Secret(TEXT)]) == [Secret(TEXT)]
    with pytest.raises(AttributeError):
        Secret(TEXT)._text = "b"


def test_what_holds_a_secret_is_printed_without_it(tmp_path):
    tokens = Tokens.pair(run=TEXT, view="v" * 43)
    assert TEXT not in repr(Settings(folder=tmp_path, tokens=tokens)) + str(tokens.links[0])


def test_texts_are_shown_without_their_secrets():
    assert shown(f"http://me:{TEXT}@h/?key={TEXT}") == "http://me@h/?key=***"
    assert shown_document(f"--header 'X-Own: {TEXT}' --rate 5") == "--header 'X-Own: ***' --rate 5"
    assert shown_value("measure.body", TEXT) == "***"
    assert shown("a lone surrogate \udc80") == "a lone surrogate ?"


def test_a_log_and_a_traceback_have_no_secrets(capsys):
    def fails() -> None:
        raise ValueError(f"no answer of http://me:{TEXT}@h/?token={TEXT}")

    try:
        fails()
    except ValueError as error:
        record = logging.LogRecord("a", logging.ERROR, "a.py", 1, f"password = {TEXT}", None, sys.exc_info())
        _report_bug(type(error), error, error.__traceback__)
    printed = capsys.readouterr().err
    logged = ShownFormatter().format(record)
    for text in (printed, logged):
        assert "no answer of http://me@h/?token=***" in text
        assert "in fails" in text
        assert TEXT not in text
