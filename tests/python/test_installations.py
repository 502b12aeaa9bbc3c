"""The fields of installations: each is valid at its limits, and changes nothing but the keys that it names."""

import itertools
import tomllib
from dataclasses import replace

import pytest

from sojourn import installations
from sojourn.errors import UserError
from sojourn.installations import Field, find_installation
from sojourn.toml_text import replaced, value_at

FIELDS = [
    pytest.param(name, field, id=f"{name}-{field.name}")
    for name in installations.names()
    for field in find_installation(name).fields
]


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_field_is_valid_at_its_limits_and_changes_the_keys_it_names(name: str, field: Field) -> None:
    one = find_installation(name)
    before = tomllib.loads(one.text)
    for value in field.words or (field.low, field.high):
        changed = tomllib.loads(one.scenario({field.name: value}))  # checked by the engine
        found = differences(before, changed)
        assert len(found) == (0 if value == field.default else len(field.keys))
        assert all(text.endswith(value) for text in found)


def differences(one: object, other: object) -> list[str]:
    """What differs between two documents, as the other has it."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys()
        return [found for key in one for found in differences(one[key], other[key])]
    if isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other)
        return list(itertools.chain.from_iterable(differences(*pair) for pair in zip(one, other, strict=True)))
    return [] if one == other else [str(other)]


@pytest.mark.parametrize("name", installations.names())
def test_an_installation_has_a_title_a_question_and_two_fields_at_least(name: str) -> None:
    one = find_installation(name)
    assert one.title
    assert one.question.endswith("?")
    assert len(one.fields) >= 2
    assert one.text.startswith("# ")


def test_values_that_do_not_go_together_are_refused() -> None:
    campus = find_installation("campus")
    ttrt = next(field for field in campus.fields if field.name == "ttrt")
    # two exchanges may send for 2 ms each, and X3.139 sets a D_max of 1.617 ms aside: more than 4 ms
    with pytest.raises(UserError, match="these values do not go together: synchronous allocations of 4 ms"):
        replace(campus, fields=(replace(ttrt, low="4 ms"),)).scenario({"ttrt": "4 ms"})


def test_a_value_is_replaced_where_it_stands_and_its_comment_stays_in_its_column() -> None:
    text = '[[station]]\nname = "a"\ncount = 4       # four\n\n[[station]]\nname = "b"\ncount = 4       # more\n'
    assert replaced(text, "station.b.count", "1000") == text.replace("4       # more", "1000    # more")


def test_keys_of_inline_tables_and_quoted_keys_are_found() -> None:
    flow = '[flow]\narrivals = { kind = "a, } b", poll = { cycle = "5 s" }, x = [1, 2] }\n'
    text = f'{flow}[expect]\n"a.p99" = "< 1 s" # x\n'
    assert value_at(text, "flow.arrivals.kind") == '"a, } b"'
    assert value_at(text, "flow.arrivals.poll.cycle") == '"5 s"'
    assert value_at(text, "flow.arrivals.x") == "[1, 2]"
    assert value_at(text, "expect.a.p99") == '"< 1 s"'


@pytest.mark.parametrize("path", ["flow.size", "flow.arrivals.rate", "run.seed", "flow"])
def test_a_key_that_is_not_there_is_an_error(path: str) -> None:
    with pytest.raises(KeyError):
        value_at('[flow]\narrivals = { kind = "poll" }\n', path)
