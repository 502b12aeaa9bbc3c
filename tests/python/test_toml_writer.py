"""Documents written as TOML are read as they were, and each key is found where it is."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from sojourn.toml_writer import written

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SINGLE = TEXTS | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
VALUES = st.recursive(SINGLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
TABLES = st.dictionaries(TEXTS, VALUES, max_size=4)
DOCUMENTS = st.dictionaries(TEXTS, SINGLE | TABLES | st.lists(TABLES, min_size=1, max_size=3), max_size=5)


@given(DOCUMENTS)
def test_any_document_is_read_as_it_was_written(document: dict[str, object]) -> None:
    assert tomllib.loads(written(document, {}).text) == document


def test_a_small_number_is_written_as_people_do() -> None:
    assert written({"loss": 2e-6, "whole": 3.0}, {}).text == "loss = 2e-6\nwhole = 3.0\n"


def test_a_key_of_an_inline_table_is_found_by_line_and_column() -> None:
    document = {
        "network": {"kind": "queue"},
        "flow": [{"name": "é"}, {"name": "b", "arrivals": {"kind": "é", "rate": "1 /s"}, "path": ["s", "t"]}],
    }
    text = written(document, {"flow": "flows", "network.kind": "kind"})
    lines = text.text.splitlines()

    def at(line: str, word: str) -> str:
        place = text.place_at(lines.index(line) + 1, line.index(word) + 1)
        assert place is not None
        return place.path

    arrivals = 'arrivals = { kind = "é", rate = "1 /s" }'
    assert at('kind = "queue"', "kind") == "kind"
    assert at('name = "é"', "é") == "flows[0].name"
    assert at(arrivals, "{") == "flows[1].arrivals"
    assert at(arrivals, "rate") == "flows[1].arrivals.rate"
    assert at(arrivals, '"1 /s"') == "flows[1].arrivals.rate"
    assert at('path = ["s", "t"]', '"t"') == "flows[1].path[1]"
