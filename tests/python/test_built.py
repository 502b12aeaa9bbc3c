"""A scenario built in Python: what it says, and how mistakes in it are named."""

import copy
import pickle
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

import sojourn
from sojourn.errors import ScenarioError, UnknownName, UserError

ROOT = Path(__file__).parents[2]

QUEUE = {
    "kind": "queue",
    "stations": [{"name": "server", "service": {"kind": "exponential", "mean": "10 ms"}}],
    "flows": [
        {"name": "jobs", "path": ["server"], "probe": True, "arrivals": {"kind": "poisson", "rate": "50 /s"}},
    ],
    "run": {"duration": "20 s", "seed": 7},
}
QUEUE_TEXT = """\
title = "One server"

[network]
kind = "queue"

[[station]]
name = "server"
service = { kind = "exponential", mean = "10 ms" }

[[flow]]
name = "jobs"
path = ["server"]
probe = true
arrivals = { kind = "poisson", rate = "50 /s" }

[run]
duration = "20 s"
seed = 7
"""


def refusal(**arguments: object) -> str:
    with pytest.raises(ScenarioError) as refused:
        sojourn.Scenario(**(QUEUE | arguments))
    assert all(problem["file"].startswith("Scenario(") for problem in refused.value.problems)
    return str(refused.value)


def queue_with(**keys: object) -> dict[str, object]:
    return {"stations": [QUEUE["stations"][0] | keys]}


def test_the_text_of_a_scenario_is_what_a_user_would_write() -> None:
    assert sojourn.Scenario(title="One server", **QUEUE).text == QUEUE_TEXT


def test_a_scenario_equals_the_one_that_is_loaded_from_its_text(tmp_path: Path) -> None:
    file = tmp_path / "other-name.toml"
    file.write_text(f"# with a comment\n{QUEUE_TEXT}")

    built, loaded = sojourn.Scenario(title="One server", **QUEUE), sojourn.load(file)

    assert built == loaded
    assert hash(built) == hash(loaded)
    assert built != built.set("run.seed", 8)
    assert built.set("run.seed", 8) == loaded.set("run.seed", 8)


def test_a_scenario_gives_the_bytes_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(QUEUE_TEXT)
    built = sojourn.Scenario(name="mine", title="One server", **QUEUE)

    results = [one.run(replications=2, store=False) for one in (built, sojourn.load(file))]

    assert results[0].raw == results[1].raw
    assert results[0].raw["study"] == "mine"


def test_dataclasses_are_tables_and_what_is_none_is_not_given() -> None:
    @dataclass
    class Station:
        name: str
        service: dict[str, str]
        servers: int | None = None

    @dataclass
    class Run:
        duration: timedelta
        seed: int

    station = Station("server", {"kind": "exponential", "mean": "10 ms"})

    built = sojourn.Scenario(**(QUEUE | {"stations": (station,), "run": Run(timedelta(seconds=20), 7), "title": None}))

    assert built == sojourn.Scenario(**(QUEUE | {"run": {"duration": "20.0 s", "seed": 7}}))


def test_a_key_that_is_a_keyword_of_python_may_end_in_an_underscore() -> None:
    @dataclass
    class Flow:
        name: str
        from_: str
        to: str
        arrivals: dict[str, str]

    built = sojourn.Scenario(
        kind="lontalk",
        stations=[{"name": "sensor"}, {"name": "display"}],
        flows=[Flow("reading", "sensor", "display", {"kind": "poisson", "interval": "1 s"})],
        run={"warm_up": "5 s"},
    )

    assert 'from = "sensor"' in built.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (queue_with(nmae="x"), "Scenario(stations[0].nmae=...): [[station]] has no key `nmae`; did you mean `name`?"),
        (
            queue_with(service={"kind": "exponential", "mean": "10 mm"}),
            "Scenario(stations[0].service.mean=...): `mm` is not a unit of `mean`, which is a time",
        ),
        (
            queue_with(service={"kind": "exponential"}),
            "Scenario(stations[0].service=...): ",
        ),
        ({"run": {"duration": 5}}, 'Scenario(run.duration=...): `duration` needs a unit; write "5 s"'),
        ({"expect": {"latency.p99": "< 3 ms"}}, "Scenario(expect['latency.p99']=...): there is no metric `latency`"),
        ({"network": {"profle": "x"}}, "Scenario(network.profle=...): [network] has no key `profle`"),
        ({"kind": "lonworks"}, 'Scenario(kind=...): there is no network "lonworks"; did you mean `lontalk`?'),
        ({"kind": None}, "Scenario(): needs kind=...; kinds: can, fddi, fddi-adapter, ip, lontalk, "),
        ({"station": []}, "Scenario(station=...): queue has no argument `station`, did you mean `stations`?"),
        ({"flwos": []}, "Scenario(flwos=...): queue has no argument `flwos`, did you mean `flows`?"),
        ({"stations": "all.csv"}, "Scenario(stations=...): takes a list of tables; a CSV file is `stations_file`"),
        ({"flows": {"name": "jobs"}}, "Scenario(flows=...): takes a list of tables"),
        ({"run": "20 s"}, "Scenario(run=...): takes a table"),
        (queue_with(name={"a"}), "Scenario(stations[0].name=...): takes text, a number, a list or a table, not set"),
        (queue_with(name="\ud800"), "Scenario(stations[0].name=...): a text is not valid Unicode"),
    ],
)
def test_a_mistake_is_named_by_its_argument(arguments: dict[str, object], said: str) -> None:
    assert said in refusal(**arguments)


def test_a_mistake_of_the_whole_scenario_is_named_by_the_call() -> None:
    with pytest.raises(ScenarioError) as refused:
        sojourn.Scenario(kind="lontalk", stations=[{"name": "sensor"}])
    assert str(refused.value).startswith("Scenario(...): the scenario has no flow")


def test_all_mistakes_are_named_at_once_each_on_its_line() -> None:
    said = refusal(**queue_with(nmae="x"), run={"duraton": "5 s", "seed": "one"}).splitlines()

    assert [line.partition(":")[0] for line in said] == [
        "Scenario(stations[0].nmae=...)",
        "Scenario(run.duraton=...)",
        "Scenario(run.seed=...)",
    ]


def test_a_text_with_quotes_newlines_and_dots_is_one_text() -> None:
    title = 'A "queue"\\ of\ntwo \x7f\x00 lines: é, 語, #'

    built = sojourn.Scenario(title=title, **QUEUE)

    assert built.as_dict()["title"] == title


@pytest.mark.parametrize("name", ["", "a/b", "../a", "a" * 61, "\n", "\ud800", 3])
def test_a_name_that_cannot_be_that_of_a_file_is_refused(name: object) -> None:
    with pytest.raises(UserError, match=r"Scenario\(name=\.\.\.\): takes a text that can be"):
        sojourn.Scenario(name=name, **QUEUE)


def test_a_file_and_arguments_together_are_refused() -> None:
    with pytest.raises(UserError, match="a file or arguments, not both"):
        sojourn.Scenario("site.toml", kind="queue")


def test_files_that_it_names_are_those_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "times.csv").write_text("0.010\n0.020\n")
    (tmp_path / "mine.toml").write_text(
        QUEUE_TEXT.replace('kind = "exponential", mean = "10 ms"', 'kind = "empirical", file = "times.csv"')
    )
    loaded = sojourn.load(tmp_path / "mine.toml")
    monkeypatch.chdir(tmp_path)

    built = sojourn.Scenario(
        title="One server", **(QUEUE | queue_with(service={"kind": "empirical", "file": "times.csv"}))
    )
    monkeypatch.chdir("/")

    assert built == loaded
    built.check()


def test_a_scenario_outlives_its_temporary_file() -> None:
    built = sojourn.Scenario(**QUEUE)
    built.path.unlink()

    built.check()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_scenario_can_be_copied(duplicate) -> None:
    changed = sojourn.Scenario(**QUEUE).set("run.seed", 3)

    assert duplicate(changed) == changed
    duplicate(changed).check()


def test_changes_are_part_of_what_builds_a_scenario_again() -> None:
    changed = sojourn.load(ROOT / "examples/queue-mm1.toml").set("run.seed", 3)

    again = sojourn.Scenario(**changed.as_dict())

    assert again == changed
    assert again.name == "queue-mm1"


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "Büro, 2. Stock (neu).toml").write_text(QUEUE_TEXT)
    loaded = sojourn.load(tmp_path / "Büro, 2. Stock (neu).toml")

    assert sojourn.Scenario(**loaded.as_dict()).path.name == loaded.path.name


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda one: one.run(replicatons=3), "run(replicatons=...): no option `replicatons`; did you mean `replicat"),
        (lambda one: one.run(replications="x"), "run(replications=...): takes a whole number, not 'x'"),
        (lambda one: one.run(store=3), "run(store=...): takes True or False, not 3"),
        (lambda one: one.run(precision=2), "run(precision=...): precision is a share of the value"),
        (lambda one: one.set("run.seed", "a").run(), "scenario.set('run.seed', ...): `seed` takes a whole number"),
        (lambda one: one.sweep({"run.seed": 3}), "sweep(over={'run.seed': ...}): takes a list of values or a text"),
        (
            lambda one: one.sweep({"flow.jobs.arrivals.rate": "1 /s,2 /s", "run.sed": [1]}),
            "sweep(over={'run.sed': ...}): `run` has no key `sed`; did you mean `seed`?",
        ),
        (
            lambda one: sojourn.find(one, "flow.job.arrivals.rate=1:9 /s", "response_time.mean < 1 s"),
            "find(vary=...): there is no flow `job`",
        ),
        (
            lambda one: sojourn.find(one, "flow.jobs.arrivals.rate=1:9 /s", "latency.mean < 1 s"),
            "find(until=...): there is no metric `latency`; did you mean `response_time`?",
        ),
    ],
)  # fmt: skip
def test_a_mistake_in_a_call_is_named_by_its_argument(call, said: str) -> None:
    with pytest.raises(UserError) as refused:
        call(sojourn.Scenario(**QUEUE))
    assert str(refused.value).startswith(said)
    assert "command line" not in str(refused.value)


def test_the_command_line_is_still_called_the_command_line() -> None:
    with pytest.raises(ScenarioError) as refused:
        sojourn.Scenario(ROOT / "examples/queue-mm1.toml", ("run.seed=three",)).check()
    assert "[command line:1:10]" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("latency", "response_time"), ("delay", "response_time"), ("RTT", "response_time"), ("ping", "response_time"),
        ("jitter", "jitter_rfc3550"), ("bandwidth", "throughput"), ("utilization", "utilisation"),
        ("troughput", "throughput"),
    ],
)  # fmt: skip
def test_the_word_of_another_tool_leads_to_the_metric(name: str, meant: str) -> None:
    known = ("response_time", "jitter_rfc3550", "throughput", "utilisation", "loss")
    metrics: dict[str, dict[str, int]] = {name: {"value": 1} for name in known}
    point = sojourn.Point({"experiment": "D", "set": {}, "metrics": metrics})
    with pytest.raises(UnknownName, match=f"did you mean {meant!r}"):
        point[name]
