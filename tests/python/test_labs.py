"""Links as arguments of tc and as traces of Mahimahi: by hand from rates, delays, queues and framing."""

from dataclasses import replace

import pytest

from sojourn.errors import UserError
from sojourn.labs import mahimahi, netem, netlab
from sojourn.labs.network import Direction, Jitter, Network, Queue, Trace

FIFO = Queue(kind="fifo", parameters={}, packets=100, octets=None, shaping=None, early=False)
LINK = Direction(
    medium="uplink",
    from_="router",
    to="provider",
    rate=12_304_000,
    delay_s=0.01,
    jitter=None,
    reorders=False,
    loss=0.0,
    recorded_losses=False,
    mtu=1500,
    overhead=38,
    counted=14,
    queue=FIFO,
    trace=None,
)
"""A packet of full length, 1538 octets with framing, takes a millisecond."""


def arguments(direction: Direction, forwarding_s: float = 0.0) -> list[str]:
    return [" ".join(one) for one in netem.impairment(direction, forwarding_s).disciplines]


def notes(direction: Direction) -> str:
    return "; ".join(netem.impairment(direction).notes)


def network(*directions: Direction, run_s: float = 60.0) -> Network:
    stations = {"pc": None, "router": 0.0001, "provider": None}
    routes = [[0], [1]]
    return Network(stations, directions, (routes[0], routes[1]), events=[], run_s=run_s)


class TestNetem:
    def test_a_fifo_of_packets_is_netems_own_and_counts_those_in_flight(self) -> None:
        # Linux counts 14 of the 38 octets of framing; 100 wait, one is sent, ten are on a path of 10 ms
        assert arguments(LINK) == ["root handle 1: netem limit 111 delay 10ms rate 12304000bit 24"]
        assert notes(LINK) == ""

    def test_forwarding_of_the_router_before_adds_to_the_delay(self) -> None:
        assert "delay 10.1ms" in arguments(LINK, forwarding_s=0.0001)[0]

    def test_uniform_jitter_that_is_added_lies_around_its_middle_in_netem(self) -> None:
        uniform = replace(LINK, jitter=Jitter("uniform", mean_s=0.002, deviation_s=None, most_s=0.004), loss=0.015)

        assert "delay 12ms 2ms loss 1.5% rate" in arguments(uniform)[0]

    def test_normal_jitter_has_a_distribution_and_others_are_said_to_be_missing(self) -> None:
        normal = replace(LINK, jitter=Jitter("normal", mean_s=0.003, deviation_s=0.0005, most_s=None))
        weibull = replace(LINK, jitter=Jitter("weibull", mean_s=0.003, deviation_s=None, most_s=None))

        assert "delay 13ms 0.5ms distribution normal" in arguments(normal)[0]
        assert "delay 13ms rate" in arguments(weibull)[0]
        assert "netem has no weibull distribution; its mean, 3ms, is in the delay" in notes(weibull)

    def test_fq_codel_stands_below_a_token_bucket_below_netem(self) -> None:
        parameters = {"quantum": 1514, "flows": 1024, "target_s": 0.005, "interval_s": 0.1, "ecn": True}
        queue = replace(FIFO, kind="fq-codel", parameters=parameters, packets=10240)

        assert arguments(replace(LINK, queue=queue)) == [
            "root handle 1: netem limit 100000 delay 10ms",
            # the bucket holds what the link sends in a millisecond, and a frame is less
            "parent 1:1 handle 10: tbf rate 12304000bit burst 1538 overhead 24 limit 15503360",
            "parent 10:1 handle 100: fq_codel limit 10240 flows 1024 target 5ms interval 100ms quantum 1514 ecn",
        ]

    def test_what_tc_is_not_given_of_a_queue_is_a_note(self) -> None:
        cake = replace(FIFO, kind="cake", parameters={"bandwidth": 9_500_000, "interval_s": 0.1})
        times = {"target_s": 0.005, "interval_s": 0.1, "ecn": True, "ce_threshold_s": 0.001}
        codel = replace(FIFO, kind="codel", parameters=times)

        assert "the shaper of cake, 9500000 bit/s" in notes(replace(LINK, queue=cake))
        assert "ce_threshold of codel" in notes(replace(LINK, queue=codel))

    def test_pie_has_its_gains_in_sixteenths(self) -> None:
        # tc-pie(8): the defaults 0.125 and 1.25 are 2 and 20
        parameters = {"target_s": 0.015, "tupdate_s": 0.015, "alpha": 0.125, "beta": 1.25, "ecn": False}
        queue = replace(FIFO, kind="pie", parameters=parameters, packets=1000)

        leaf = "pie limit 1000 target 15ms tupdate 15ms alpha 2 beta 20 noecn"
        assert arguments(replace(LINK, queue=queue))[-1] == f"parent 10:1 handle 100: {leaf}"

    def test_a_limit_in_octets_and_a_shaper_are_those_of_a_token_bucket(self) -> None:
        octets = replace(LINK, queue=replace(FIFO, packets=None, octets=30_000))
        shaped = replace(LINK, rate=None, queue=replace(FIFO, shaping={"rate": 2_000_000, "burst": 3200}))

        assert arguments(octets)[1].endswith("rate 12304000bit burst 1538 overhead 24 limit 30000")
        assert arguments(shaped)[1] == "parent 1:1 handle 10: tbf rate 2000000bit burst 3200 limit 151400"

    def test_what_cannot_be_said_is_noted(self) -> None:
        trace = Trace(rates=[(0.0, 10), (1.0, 20)])
        one = replace(LINK, trace=trace, recorded_losses=True, queue=replace(FIFO, kind="drr", early=True))

        said = notes(one)

        for words in ("rate over time", "recorded losses", "queue drr", "random early detection"):
            assert words in said

    def test_jitter_without_a_rate_lets_packets_overtake_and_the_note_says_so(self) -> None:
        jitter = Jitter("uniform", mean_s=0.002, deviation_s=None, most_s=0.004)

        assert "overtake" in notes(replace(LINK, rate=None, jitter=jitter))
        assert "overtake" not in notes(replace(LINK, rate=None, jitter=jitter, reorders=True))

    def test_the_script_has_a_variable_for_each_direction_and_leaves_unset_ones_alone(self) -> None:
        text = netem.script(network(LINK, replace(LINK, from_="provider", to="router")), "home.toml")

        assert 'on "${ROUTER_TO_PROVIDER-}" root handle 1: netem limit 112 delay 10.1ms' in text
        assert 'on "${PROVIDER_TO_ROUTER-}" root handle 1: netem limit 111 delay 10ms' in text
        assert '[ -z "$device" ] ||' in text


class TestMahimahi:
    def test_a_constant_rate_is_an_opportunity_for_each_packet_of_full_length(self) -> None:
        assert mahimahi.opportunities(LINK, 60.0) == [1]
        # 1538 octets at 8 Mbit/s take 1.538 ms: after 500 of them 769 ms are over
        found = mahimahi.opportunities(replace(LINK, rate=8_000_000), 60.0)
        assert (found[:3], found[-1], len(found)) == ([2, 4, 5], 769, 500)

    def test_rates_over_time_are_opportunities_up_to_their_period(self) -> None:
        trace = Trace(rates=[(0.0, 12_304_000), (0.004, 0), (0.008, 6_152_000)], period_s=0.012)

        # four packets of a millisecond, silence, and two of two milliseconds
        assert mahimahi.opportunities(replace(LINK, trace=trace), 60.0) == [1, 2, 3, 4, 10, 12]

    def test_a_packet_that_spans_a_change_of_rate_ends_where_both_parts_say(self) -> None:
        trace = Trace(rates=[(0.0, 6_152_000), (0.003, 12_304_000)], period_s=0.01)

        # one and a half by 3 ms, the other half in half a millisecond: 3.5 ms, and then each millisecond
        assert mahimahi.opportunities(replace(LINK, trace=trace), 60.0)[:3] == [2, 4, 5]

    def test_recorded_opportunities_are_kept(self) -> None:
        trace = Trace(opportunities_ms=[3, 3, 9])

        assert mahimahi.opportunities(replace(LINK, trace=trace), 60.0) == [3, 3, 9]

    def test_the_script_nests_shells_with_delay_loss_and_queues(self) -> None:
        there = replace(LINK, loss=0.01)
        back = replace(LINK, from_="provider", to="router", queue=replace(FIFO, packets=None, octets=30_000))

        files = mahimahi.files(network(there, back), "home.toml")

        assert set(files) == {"uplink.trace", "downlink.trace", "run.sh"}
        assert files["run.sh"].splitlines()[-1] == (
            "exec mm-delay 10 mm-loss uplink 0.01 mm-link uplink.trace downlink.trace "
            '--uplink-queue=droptail --uplink-queue-args="packets=100" '
            '--downlink-queue=droptail --downlink-queue-args="bytes=30000" -- "$@"'
        )

    def test_what_mahimahi_lacks_is_a_comment(self) -> None:
        jitter = Jitter("uniform", mean_s=0.002, deviation_s=None, most_s=0.004)
        there = replace(LINK, jitter=jitter, delay_s=0.0104, queue=replace(FIFO, kind="fq-codel"))

        script = mahimahi.files(network(there, LINK), "home.toml")["run.sh"]

        assert "# Not in here: the jitter of uplink: router to provider" in script
        assert "# Not in here: the queue fq-codel of uplink: router to provider: a FIFO stands for it." in script
        assert "# Not in here: the exact delays, 10.4 ms and 10 ms" in script


class TestNetworks:
    def test_addresses_and_routes_lead_along_the_shortest_route(self) -> None:
        def link(from_: str, to: str) -> list[Direction]:
            return [replace(LINK, from_=from_, to=to), replace(LINK, from_=to, to=from_)]

        stations = {"a": None, "west": 0.0, "east": 0.0, "b": None}
        one = Network(stations, [*link("a", "west"), *link("west", "east"), *link("east", "b")], None, [], 1.0)

        assert one.interfaces["west", 1] == "eth2"
        assert [str(one.address(station, 1)) for station in ("west", "east")] == ["10.64.0.5", "10.64.0.6"]
        assert [(str(where), str(hop)) for where, hop in one.routes("west")] == [("10.64.0.8/30", "10.64.0.6")]
        assert [(str(where), str(hop)) for where, hop in one.routes("a")] == [("10.64.0.0/10", "10.64.0.2")]

    def test_netlab_refuses_a_name_that_is_too_long(self) -> None:
        name = "a-station-of-seventeen"
        one = Network({name: None, "provider": None}, [replace(LINK, from_=name)] * 2, None, [], 1.0)

        with pytest.raises(UserError, match="a-station-of-seventeen"):
            netlab.topology(one, "lab")
