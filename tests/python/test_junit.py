"""JUnit XML and the summary of a step have what readers of either expect."""

from datetime import datetime
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from sojourn.junit import FAILED, MET, MISSED, UNDECIDED, Case, markdown, xml

BEGAN = datetime(2026, 11, 30, 14, 5, 9)
CASES = [
    Case("sojourn.run.site", "response_time.p99 < 20 ms", MISSED, "99 % take 24 ms: missed."),
    Case("sojourn.run.site", "loss < 1 %", MET, "No message is lost: met."),
    Case("sojourn.run.site", "failures = 0", UNDECIDED, "Not decided; 4 s more would decide it."),
    Case("sojourn.run", "every point is computed", FAILED, "peer unreachable"),
]
# of the schemas of Ant (windyroad) and Jenkins: what an element must and may have, and hold in which order
ATTRIBUTES = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, ["testsuite"]),
    "testsuite": (
        {"name", "timestamp", "hostname", "id", "package", "tests", "failures", "errors", "skipped", "time"},
        ["properties", "testcase", "system-out", "system-err"],
    ),
    "properties": (set(), ["property"]),
    "testcase": ({"classname", "name", "time"}, ["skipped", "error", "failure"]),
    "failure": ({"message", "type"}, []),
    "error": ({"message", "type"}, []),
    "skipped": ({"message"}, []),
    "system-out": (set(), []),
    "system-err": (set(), []),
}


def mistakes(element: ET.Element) -> list[str]:
    """What the schemas would refuse."""
    attributes, children = ATTRIBUTES[element.tag]
    found = [f"{element.tag}: {set(element.attrib) ^ attributes}"] if set(element.attrib) != attributes else []
    places = [children.index(child.tag) for child in element]
    found += [f"{element.tag}: order {places}"] if places != sorted(places) else []
    return found + [mistake for child in element for mistake in mistakes(child)]


def test_the_document_has_the_structure_of_both_schemas_and_counts_its_cases() -> None:
    root = ET.fromstring(xml("sojourn run site.toml", CASES, BEGAN, 1.5).encode())

    assert mistakes(root) == []
    (suite,) = root
    counted = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time", "timestamp")}
    assert counted == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1", "time": "1.500",
        "timestamp": "2026-11-30T14:05:09",
    }  # fmt: skip
    assert root.find(".//failure").get("message") == "99 % take 24 ms: missed."  # type: ignore[union-attr]


def test_what_is_undecided_is_an_error_by_choice() -> None:
    root = ET.fromstring(xml("sojourn run site.toml", CASES, BEGAN, 1.5, "error").encode())

    assert mistakes(root) == []
    assert [one.get("type") for one in root.iter("error")] == ["undecided", "failed"]


@given(st.text(), st.text())
def test_any_text_is_xml_and_one_row_of_a_table(name: str, sentence: str) -> None:
    cases = [Case("sojourn.run", name, MISSED, sentence)]

    ET.fromstring(xml(name, cases, BEGAN, 0.0).encode())

    rows = markdown(name, cases).splitlines()
    assert rows[4].count("|") - rows[4].count("\\|") == 4
    assert "<" not in rows[4]


def test_the_summary_counts_and_puts_first_what_asks_for_attention() -> None:
    lines = markdown("sojourn run site.toml", CASES).splitlines()

    assert lines[0] == "### sojourn run site.toml: 1 of 4 met"
    assert [line.split(" | ")[0] for line in lines[4:] if line] == [
        "| ❌ missed",
        "| ⚠️ failed",
        "| ❔ undecided",
        "| ✅ met",
    ]
    assert lines[4] == "| ❌ missed | response\\_time.p99 &lt; 20 ms | 99 % take 24 ms: missed. |"
