"""`risk` on a queue whose answer is known: M/M/1 is beyond n customers for a share load^(n+1) of the time."""

import json

import pytest

SCENARIO = """
[network]
kind = "queue"

[[station]]
name = "server"
service = { kind = "exponential", mean = "1 s" }

[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", interval = "2 s" }

[run]
duration = "200 s"
warm_up = "30 s"
replications = 2
"""


@pytest.fixture
def risk(sojourn, tmp_path):
    """Asks for a rare event of a queue."""
    (tmp_path / "queue.toml").write_text(SCENARIO, encoding="utf-8")

    def asked(*options: str):
        return sojourn("risk", "queue.toml", *options)

    return asked


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(risk, tmp_path):
    results = []
    for jobs in ("1", "2", "8"):
        done = risk("--of", "queue_length/server > 14", "--replications", "40", "--jobs", jobs, "--out", f"out{jobs}")
        assert done.returncode == 0, done.stderr
        results.append((tmp_path / f"out{jobs}" / "results.json").read_bytes())

    assert results[0] == results[1] == results[2]
    found = json.loads(results[0])["risk"]
    assert found["method"] == "splitting"
    low, high = found["share_ci95"]
    assert low < 0.5**15 < high


def test_threads_share_the_copies_of_a_single_replication_to_the_same_bytes(risk, tmp_path):
    results = []
    for jobs in ("1", "2", "3", "5"):
        done = risk("--of", "queue_length > 12", "--replications", "1", "--jobs", jobs, "--out", f"out{jobs}")
        assert done.returncode == 0, done.stderr
        results.append((tmp_path / f"out{jobs}" / "results.json").read_bytes())

    assert json.loads(results[0])["risk"]["levels"][5]["entered"] > 10
    assert results[1:] == results[:1] * 3


def test_an_estimate_is_the_one_of_a_single_thread_that_sums_in_seconds(risk):
    # computed on 30 November 2026 by a build that summed weighted seconds path after path
    found = json.loads(risk("--of", "queue_length/server > 14", "--replications", "40", "--format", "json").stdout)[
        "risk"
    ]

    assert found["rate"] == pytest.approx(6.81556589616612e-06, rel=1e-10)
    assert found["ci95"] == pytest.approx([5.854995913695979e-06, 8.106362523415797e-06], rel=1e-10)
    assert found["share_of_time"] == pytest.approx(2.838737572502631e-05, rel=1e-10)


def test_the_answer_is_a_rate_a_mean_time_and_what_it_took(risk):
    done = risk("--of", "queue_length > 8", "--replications", "20", "--per", "day", "--within", "1 min")

    assert done.returncode == 0, done.stderr
    for part in ("queue_length > 8 occurs", "times a day (95 % CI", "the first time after", "probability within 1 min"):
        assert part in " ".join(done.stdout.split()), done.stdout
    assert "levels (RESTART)" in " ".join(done.stdout.split())
    assert "copies" not in done.stdout


def test_with_all_there_is_a_table_of_the_levels(risk):
    whole = risk("--of", "queue_length > 8", "--replications", "20", "--per", "day", "--all").stdout

    for part in ("rate: ", "a day (95 % CI", "mean time to the first", "copies"):
        assert part in whole, whole


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("queue_lenght > 8", "did you mean `queue_length`?"),
        ("queue_length/sever > 8", "there is no station `sever`"),
        ("queue_length < 8", "a rare event is a rise"),
        ("response_time > 8", "is a time"),
        ("server melted", "conditions of queue:"),
    ],
)
def test_a_condition_that_cannot_be_asked_is_refused_with_a_hint(risk, condition, said):
    done = risk("--of", condition)

    assert done.returncode == 2, done.stderr
    assert said in " ".join(done.stderr.split()), done.stderr


def test_a_search_lists_the_rate_at_every_value_it_tried_and_nothing_of_other_metrics(sojourn, tmp_path):
    (tmp_path / "queue.toml").write_text(SCENARIO, encoding="utf-8")
    search = ("--until", "risk(queue_length > 9) < 1 /h", "--vary", "flow.customers.arrivals.interval=1.6:2.4 s")
    found = sojourn("find", "queue.toml", *search, "--out", "found", "--all").stdout
    answer = json.loads((tmp_path / "found" / "find.json").read_text(encoding="utf-8"))
    head, _, *rows = found.split("Limit\n")[0].splitlines()
    assert head.split() == ["flow.customers.arrivals.interval", "risk", "of", "queue_length", ">", "9", "<", "1", "/h"]
    assert len(rows) == answer["tried"] == len(answer["trials"])
    values = [row.split("  ")[0] for row in rows]
    assert len(set(values)) == len(values) and values == [trial["value_text"] for trial in answer["trials"]]
    assert all("an hour" in row for row in rows)
    assert "utilisation" not in found and "response_time" not in found
    first = sojourn("find", "queue.toml", *search).stdout
    assert first.startswith("The smallest flow.customers.arrivals.interval with risk(queue_length > 9) < 1 /h")
    assert " risk of queue_length > 9 " in first, "a column with what is searched for"
    assert sum("an hour" in row for row in first.splitlines()) <= 8
    page = (tmp_path / "found" / "report.html").read_text(encoding="utf-8")
    assert "Values tried for risk(queue_length" in page and "<h3>Utilisation" not in page
