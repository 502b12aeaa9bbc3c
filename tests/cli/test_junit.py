"""`--junit` and `--summary` of commands that have requirements."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

QUEUE = """
[network]
kind = "queue"
[[station]]
name = "server"
service = { kind = "exponential", mean = "1 ms" }
[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", rate = "RATE" }
[run]
duration = "20 s"
warm_up = "1 s"
replications = 4
[expect]
"response_time.mean" = "< 1.5 ms"
"response_time.p99" = "< 1 s"
"""
# of M/M/1 the mean response time is 1 / (1000 - rate): 1.11 ms at 100 /s, 2 ms at 500 /s


@pytest.fixture
def scenario(tmp_path: Path):
    def write(rate: str) -> str:
        (tmp_path / "site.toml").write_text(QUEUE.replace("RATE", rate))
        return str(tmp_path / "site.toml")

    return write


def cases(file: Path) -> dict[str, list[str]]:
    """What is within each test case."""
    return {str(one.get("name")): [child.tag for child in one] for one in ET.parse(file).getroot().iter("testcase")}


def test_a_run_has_a_test_case_per_requirement_and_a_failure_with_its_sentence(sojourn, scenario, tmp_path) -> None:
    done = sojourn("run", scenario("500 /s"), "--junit", "found.xml")

    assert done.returncode == 1
    assert cases(tmp_path / "found.xml") == {"response_time.mean < 1.5 ms": ["failure"], "response_time.p99 < 1 s": []}
    (failure,) = ET.parse(tmp_path / "found.xml").getroot().iter("failure")
    value = re.match(r"The mean response time is (\d\.\d\d) ± ", failure.get("message"))[1]
    assert float(value) == pytest.approx(2.0, rel=0.15)
    assert failure.get("message").endswith("the requirement of less than 1.5 ms is missed.")


def test_a_comparison_fails_where_response_times_differ(sojourn, scenario, tmp_path) -> None:
    sojourn("run", scenario("100 /s"), "--out", "a")
    sojourn("run", scenario("500 /s"), "--out", "b")

    differs = sojourn("compare", "a", "b", "--junit", "c.xml")
    same = sojourn("compare", "a", "a", "--junit", "same.xml")

    assert (differs.returncode, same.returncode) == (1, 0)
    assert cases(tmp_path / "c.xml")["response_time.mean"] == ["failure"]
    assert all(not found for found in cases(tmp_path / "same.xml").values())


def test_the_summary_is_appended_to_and_the_xml_replaced(sojourn, scenario, tmp_path) -> None:
    for _ in range(2):
        sojourn("run", scenario("100 /s"), "--junit", "found.xml", "--summary", "s.md")

    assert len(cases(tmp_path / "found.xml")) == 2
    assert (tmp_path / "s.md").read_text().count("2 of 2 met") == 2


def test_a_file_of_something_else_is_not_replaced(sojourn, scenario, tmp_path) -> None:
    file = scenario("100 /s")

    done = sojourn("run", file, "--junit", file)

    assert done.returncode == 2
    assert "is not JUnit XML of sojourn" in done.stderr
    assert "kind" in Path(file).read_text()
