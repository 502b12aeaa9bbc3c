"""The pytest plugin in a project of its own: what passes, what fails, and with which line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# imported before any run of pytester, which forgets what is imported within it
from sojourn.timed import baseline, measured

assert measured.baseline is baseline

pytest_plugins = ["pytester"]

GREEN = """
    import time
    def test_quick(response_time):
        response_time(lambda: time.sleep(0.001), p50="< 50 ms", pauses=False, within="5 s")
"""
BASELINE = """
    import pathlib, time
    def test_search(response_time):
        time_s = float(pathlib.Path("time").read_text())
        response_time(lambda: time.sleep(time_s), p50="< baseline + 400 %", pauses=False, within="3 s")
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Runs the tests of a file in a project, with this plugin alone."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def begin(text: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(text)
        return pytester.runpytest("-p", "sojourn.pytest_plugin", "-p", "no:cacheprovider", *arguments)

    return begin


def test_a_function_that_is_quick_enough_passes_and_its_line_stands_in_the_summary(run) -> None:
    found = run(GREEN)

    found.assert_outcomes(passed=1)
    found.stdout.re_match_lines(
        [r".*test_quick: Half of responses take at most .*: the requirement of 50 ms is met\..*"]
    )


def test_a_function_that_is_too_slow_fails_with_one_line_and_no_traceback(run) -> None:
    found = run("""
        import time
        def test_slow(response_time):
            response_time(lambda: time.sleep(0.005), p50="< 2 ms", pauses=False, within="1.2 s")
    """)

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["Half of responses take at most 5*ms: the requirement of 2 ms is missed. (*closed loop*)"]
    )
    found.stdout.no_fnmatch_line("*Error*")


@pytest.mark.parametrize(("option", "outcome"), [("fail", "failed"), ("skip", "skipped")])
def test_what_too_few_calls_leave_open_fails_or_is_skipped_as_asked(run, option: str, outcome: str) -> None:
    found = run(
        """
        import time
        def test_few(response_time):
            response_time(lambda: time.sleep(0.01), p99="< 500 ms", pauses=False, within="0.3 s")
        """,
        f"--response-time-undecided={option}",
        "-rs",
    )

    found.assert_outcomes(**{outcome: 1})
    found.stdout.fnmatch_lines(["*is not decided; about * more calls (* s) would decide it.*"])


def test_a_marked_test_is_the_function_itself_with_its_fixtures(run) -> None:
    found = run("""
        import time, pytest
        calls = []
        @pytest.mark.response_time(p50="< 50 ms", pauses=False, within="5 s")
        def test_marked(tmp_path):
            calls.append(tmp_path)
            time.sleep(0.001)
        def test_after():
            assert len(calls) > 50 and len(set(calls)) == 1
    """)

    found.assert_outcomes(passed=2)


def test_a_marked_coroutine_is_awaited_on_its_schedule(run) -> None:
    found = run("""
        import asyncio, pytest
        @pytest.mark.response_time(p50="< 80 ms", pauses=False, within="5 s", rate="200 /s")
        async def test_marked():
            await asyncio.sleep(0.01)
    """)

    found.assert_outcomes(passed=1)
    found.stdout.fnmatch_lines(["*open loop at 200 /s*"])


def test_within_a_running_event_loop_the_test_is_awaited(run) -> None:
    found = run("""
        import asyncio
        def test_inside(response_time):
            async def call(): await asyncio.sleep(0.001)
            async def main(): return await response_time(call, p50="< 50 ms", pauses=False, within="5 s")
            assert asyncio.run(main()).verdict == "met"
    """)

    found.assert_outcomes(passed=1)


def test_what_the_function_raises_fails_the_test_as_it_would_alone(run) -> None:
    found = run("""
        def test_broken(response_time):
            response_time(lambda: {}["session"], p50="< 50 ms")
    """)

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*KeyError: 'session'*"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('p98="< 20 ms"', "response_time has no 'p98'; there are p50, p90, p95, p99, p999"),
        ('p99="20 ms"', 'p99 is \'20 ms\', and should be as "< 20 ms" or "< baseline + 10 %"'),
        ('p99="< 20 MB"', "p99 is '< 20 MB', and should be as*"),
        ('p99="< 20 %"', "p99 is '< 20 %', and its limit should be a time, such as 20 ms"),
        ("", 'response_time needs a requirement, such as p99="< 20 ms"'),
        ('p99="< 20 ms", within="10"', "within is '10', and should be a time, such as 10 s"),
        ('p99="< 20 ms", rate="fast"', "rate is 'fast', and should be a rate, such as 100 /s"),
        ('p99="< 20 ms", undecided="pass"', 'undecided is \'pass\', and should be "fail" or "skip"'),
    ],
)
def test_a_wrong_argument_is_one_line_with_what_was_expected(run, arguments: str, said: str) -> None:
    found = run(f"""
        def test_wrong(response_time):
            response_time(lambda: None, {arguments})
    """)

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines([said.replace("[", "[[]")])


def test_a_recorded_baseline_is_met_by_the_same_time_and_missed_by_fifty_times_as_much(
    run, pytester, monkeypatch
) -> None:
    monkeypatch.setattr(baseline, "pace_s", lambda: 0.001)
    pytester.path.joinpath("time").write_text("0.004")
    recorded = run(BASELINE, "--response-time-baseline=base", "--response-time-record")
    same = run(BASELINE, "--response-time-baseline=base")
    pytester.path.joinpath("time").write_text("0.2")
    slower = run(BASELINE, "--response-time-baseline=base")

    for found in (recorded, same):
        found.assert_outcomes(passed=1)
    slower.assert_outcomes(failed=1)
    slower.stdout.fnmatch_lines(
        ["Half of responses take at most 2*: the requirement of baseline + 400 % (*ms) is missed.*"]
    )


def test_a_baseline_is_not_compared_while_the_machine_is_slower_than_it_was(run, pytester, monkeypatch) -> None:
    pytester.path.joinpath("time").write_text("0.004")
    monkeypatch.setattr(baseline, "pace_s", lambda: 0.001)
    run(BASELINE, "--response-time-baseline=base", "--response-time-record")
    monkeypatch.setattr(baseline, "pace_s", lambda: 0.0015)

    found = run(BASELINE, "--response-time-baseline=base")

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*this machine is 50 % slower than with the baseline: * is not decided.*"])


def test_the_baseline_of_another_machine_is_not_compared(run, pytester) -> None:
    pytester.path.joinpath("time").write_text("0.004")
    run(BASELINE, "--response-time-baseline=base", "--response-time-record")
    file = next(pytester.path.joinpath("base").iterdir())
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"machine": kept["machine"] | {"processors": "64 x Cray-1"}}))

    found = run(BASELINE, "--response-time-baseline=base")

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*the baseline is of another machine: processors was 64 x Cray-1, and is *"])


def test_without_a_baseline_the_test_says_how_to_record_one(run, pytester) -> None:
    pytester.path.joinpath("time").write_text("0.004")

    found = run(BASELINE, "--response-time-baseline=base")

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*there is no baseline *record one with --response-time-record*"])


def test_a_project_without_response_time_tests_imports_nothing_else_of_sojourn(pytester, monkeypatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("""
        import sys
        def test_nothing():
            print(sorted(name for name in sys.modules if name.partition(".")[0] == "sojourn"))
    """)
    command = [sys.executable, "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", "-p", "sojourn.pytest_plugin"]

    found = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=True, timeout=60)

    assert "['sojourn', 'sojourn.errors', 'sojourn.pytest_plugin']" in found.stdout


def test_the_entry_point_names_the_plugin() -> None:
    import tomllib  # noqa: PLC0415

    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]

    assert project["entry-points"] == {"pytest11": {"sojourn": "sojourn.pytest_plugin"}}
