"""Simulated against measured points: which agree, where queueing dominates, and whether the order is the same."""

import json
import re
import tomllib

import pytest
import vl_convert

from sojourn.comparison import in_words, pairs, same_order
from sojourn.figures import Figure, draw
from sojourn.results import Results
from sojourn.study import load_study
from sojourn.testbed.plan import Names, Setup, commands
from sojourn.testbed.record import Place, with_measured, write
from sojourn.testbed.study import chosen, with_costs

SIMULATED = {("fifo", 0): 0.10, ("fifo", 3): 16.0, ("borrow", 0): 0.10, ("borrow", 3): 0.50}
MEASURED = {("fifo", 0): 0.16, ("fifo", 3): 17.0, ("borrow", 0): 0.15, ("borrow", 3): 0.70}


def point(experiment: str, streams: int, milliseconds: float) -> dict:
    median = milliseconds / 1e3
    time = {"unit": "s", "count": 300, "mean": median, "p50": median, "p99": median}
    settings = {"background.streams": streams, "probe.size": 64}
    found = {"experiment": experiment, "set": settings, "status": "ok", "replications": 1, "duration": 2.0}
    return found | {"metrics": {"response_time": time}}


def results(simulated=SIMULATED, measured=MEASURED) -> Results:
    points = [point(name, streams, value) for (name, streams), value in simulated.items()]
    points += [point(f"{name}+measured", streams, value) for (name, streams), value in measured.items()]
    axes = {"background.streams": {"unit": "1"}, "probe.size": {"unit": "B"}}
    return Results({"schema": 1, "network": "ip", "seed": 1, "study": "x", "axes": axes, "points": points})


def test_a_point_must_agree_only_where_queueing_dominates():
    verdicts = {(pair.experiment, pair.set["background.streams"]): pair.verdict for pair in pairs(results())}
    assert verdicts == {
        ("fifo", 0): "host-limited",
        ("fifo", 3): "agrees",
        ("borrow", 0): "host-limited",
        ("borrow", 3): "differs",
    }


def test_the_order_counts_pairs_that_differ_in_one_setting_and_in_value():
    # fifo over borrow with 3 streams, and 3 streams over none in each; without load the two are alike
    assert same_order(pairs(results())) == (3, 3)
    turned = SIMULATED | {("borrow", 3): 20.0}
    assert same_order(pairs(results(turned))) == (2, 3)


def test_the_summary_states_how_many_agree():
    words = in_words(pairs(results()))
    assert "4 points were simulated and measured" in words
    assert "there 1 simulated medians are within 20 % of the measured ones" in words


def stamped(streams: int, median_us: float, network_us: float) -> dict:
    """A measured point: kernel timestamps give the network time, with an outlier in the mean."""
    found = point("fifo+measured", streams, median_us / 1e3)
    path = {"unit": "s", "mean": 3 * network_us / 1e6, "p50": network_us / 1e6}
    return found | {"metrics": found["metrics"] | {"path_time": path, "delay_budget/network": path}}


def budgeted(streams: int, hosts_us: float, network_us: float) -> dict:
    """A simulated point with a delay budget."""
    found = point("fifo", streams, (hosts_us + network_us) / 1e3)
    halves = {"processing": hosts_us, "queueing": network_us / 2, "switching": network_us / 2}
    budget = {f"delay_budget/{name}": {"unit": "s", "mean": mean / 1e6} for name, mean in halves.items()}
    return found | {"metrics": found["metrics"] | budget}


def with_stamps(loaded_us: float) -> Results:
    """Queueing of 150 µs, simulated, against 30 + 150 µs of network time on real hosts, the rest being host time.

    The simulated hosts take 20 µs longer under load, too.
    """
    simulated = [budgeted(0, 100, 0), budgeted(3, 120, 150)]
    measured = [stamped(0, 100, 30), stamped(3, loaded_us, 180)]
    return Results(results().raw | {"points": simulated + measured})


@pytest.mark.parametrize(("loaded_us", "verdict"), [(299, "agrees"), (301, "host-limited")])
def test_with_kernel_timestamps_the_network_time_decides_whether_queueing_dominates(loaded_us, verdict):
    # the load adds 150 µs there; what it adds to the hosts is not queueing
    (_, loaded) = pairs(with_stamps(loaded_us))
    assert loaded.verdict == verdict


def test_the_network_delay_added_by_load_is_compared_wherever_it_is_known():
    idle, loaded = pairs(with_stamps(500))
    assert idle.added == (None, None)
    assert loaded.added == pytest.approx((150e-6, 150e-6))
    assert "is within 20 % at 1 of the 1 points" in in_words([idle, loaded])
    assert "by the kernel's stamps" not in in_words(pairs(results())), "nothing is said where nothing is known"


@pytest.mark.parametrize(("loaded_us", "alike"), [(1499, True), (1501, None)])
def test_the_delay_added_by_load_is_compared_only_from_a_tenth_of_the_median(loaded_us, alike):
    (_, loaded) = pairs(with_stamps(loaded_us))
    assert loaded.adds_alike is alike


def test_the_figure_has_every_pair_and_distinguishes_queues_from_hosts():
    chart = draw(Figure.read({"id": "m", "kind": "parity", "y": "response_time"}), results()).to_dict()
    rows = [row for layer in chart["layer"] for row in layer["data"].get("values", []) if "series" in row]
    shown = {(row["simulated"], row["queueing"]) for row in rows}
    assert len(shown) == 3  # both queues cost the same without load
    assert sum(queueing for _, queueing in shown) == 2


def test_six_long_titles_are_not_truncated_in_the_legend():
    titles = {one["id"]: one["title"] for one in load_study("linux-lan-response-time").experiments[-6:]}
    points = {(name, streams): 0.1 + streams for name in titles for streams in (0, 3)}
    chart = draw(Figure.read({"id": "m", "kind": "parity", "y": "response_time"}), results(points, points), (), titles)
    shown = vl_convert.vegalite_to_svg(chart.to_dict())
    assert max(map(len, titles.values())) > 55
    assert all(f"{title}</text>" in shown for title in titles.values())


def test_measured_points_are_added_to_simulated_ones(tmp_path):
    simulated = results(measured={})
    for name, streams in (("probe", 3), ("load", 3)):
        folder = tmp_path / name
        folder.mkdir()
        found = point("idle", streams, 17.0)
        found["set"] = {}
        found["metrics"]["throughput"] = {"unit": "bit/s", "value": 94e6}
        (folder / "results.json").write_text(json.dumps(simulated.raw | {"points": [found]}), encoding="utf-8")
    write(tmp_path, [Place("fifo", 3, [64], "probe", "load")])
    both = with_measured(simulated, tmp_path)
    (measured,) = both.select("fifo+measured")
    assert measured.set == {"background.streams": 3, "probe.size": 64}
    assert measured["throughput"].mean == pytest.approx(94e6)
    assert len(pairs(both)) == 1


def test_host_costs_can_be_fitted_to_any_measurable_experiment():
    study = load_study("linux-lan-response-time")
    experiments = chosen(study, None)
    assert any(experiment["live"].get("mtu") == 9180 for experiment in experiments)
    for experiment in experiments:
        with_costs(study, experiment).check()


def plain(quantity: str) -> int:
    """Bit rates or byte counts in the syntax of scenarios and of tc(8)."""
    number, unit = re.fullmatch(r"(\d+) ?(\w?).*", quantity).groups()
    return int(number) * {"k": 1000, "m": 1_000_000}.get(unit.lower(), 1)


def test_the_queues_of_the_namespaces_match_the_simulated_ones():
    study = load_study("linux-lan-response-time")
    for experiment in chosen(study, None):
        scenario = tomllib.loads(study.scenario(experiment["id"]).read_text(encoding="utf-8"))
        queue = next(medium for medium in scenario["medium"] if medium["name"] == "trunk")["queue"]
        for setting in experiment["set"]:
            if setting["key"].startswith("medium.trunk.queue."):
                queue[setting["key"].rpartition(".")[2]] = setting["value"]

        made = [command for command in commands(Names.of("x"), Setup(**experiment["live"])) if "s1" in command]
        classes = [command[command.index("htb") + 1 :] for command in made if "class" in command]
        link, leaf = (
            {word: plain(number) for word, number in zip(words[::2], words[1::2], strict=True)} for words in classes[:2]
        )
        (limit, *_) = (int(command[-1]) for command in made if "pfifo" in command)

        rate, burst = plain(queue["shaping"]["rate"]), plain(queue["shaping"]["burst"])
        assert {word: link[word] for word in ("rate", "ceil", "burst", "cburst")} == {
            "rate": rate,
            "ceil": rate,
            "burst": burst,
            "cburst": burst,
        }
        assert limit == queue["limit"]
        if queue["kind"] == "htb":
            assert leaf == {
                "rate": plain(queue["rate"]),
                "ceil": rate,
                "burst": plain(queue["burst"]),
                "cburst": plain(queue["cburst"]),
                "quantum": plain(queue.get("quantum", "1514 B")),
            }
            # a single transfer is limited by the link and not by its own ceiling, also when the host pauses
            assert leaf["cburst"] == link["cburst"]
