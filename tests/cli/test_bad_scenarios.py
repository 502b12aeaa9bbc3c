"""Every error in a scenario is reported before anything runs: exit 2, position and hint on stderr."""

import pytest

SITE = """
title = "Two sensors and a controller"
[network]
kind = "lontalk"
[[medium]]
name = "floor-1"
channel = "TP/FT-10"
[[station]]
name = "sensor"
count = 2
on = ["floor-1"]
[[station]]
name = "controller"
on = ["floor-1"]
[[flow]]
name = "alarm"
from = "sensor"
to = "controller"
service = "acknowledged"
data = "2 B"
probe = true
retries = 3
transaction_timer = "128 ms"
arrivals = { kind = "periodic", interval = "1 s" }
[run]
duration = "10 s"
warm_up = "1 s"
replications = 2
seed = 1
"""


def refused(sojourn, scenario, before: str, after: str) -> str:
    """The diagnostic for the site with one thing changed."""
    assert before in SITE
    path = scenario(SITE.replace(before, after))
    done = sojourn("check", path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    assert path.name in done.stderr
    return done.stderr


def test_the_site_itself_is_accepted_and_runs(sojourn, scenario):
    path = scenario(SITE)

    assert sojourn("check", path).returncode == 0
    done = sojourn("run", path, "--format", "json")

    assert done.returncode == 0, done.stderr
    assert '"response_time"' in done.stdout


def test_a_misspelt_key_is_shown_with_the_nearest_known_one(sojourn, scenario):
    text = refused(sojourn, scenario, "warm_up", "warmup")

    assert "warmup" in text
    assert "warm_up" in text


def test_a_missing_unit_names_the_units_accepted(sojourn, scenario):
    text = refused(sojourn, scenario, 'interval = "1 s"', "interval = 1")

    assert "ms" in text
    assert "s" in text


def test_a_retry_count_of_16_names_the_range(sojourn, scenario):
    text = refused(sojourn, scenario, "retries = 3", "retries = 16")

    assert "15" in text


def test_an_invalid_timer_code_lists_the_valid_ones(sojourn, scenario):
    text = refused(sojourn, scenario, '"128 ms"', '"100 ms"')

    for code_ms in (96, 128, 3072):
        assert str(code_ms) in text


def test_an_acknowledged_group_of_65_members_is_refused_with_the_limit(sojourn, scenario):
    many = SITE.replace("count = 2", "count = 65").replace('to = "controller"', 'to = ["sensor"]')
    path = scenario(many.replace('from = "sensor"', 'from = "controller"'))

    done = sojourn("check", path)

    assert done.returncode == 2
    assert "64" in done.stderr


def test_a_flow_to_an_unknown_station_lists_the_known_names(sojourn, scenario):
    text = refused(sojourn, scenario, 'to = "controller"', 'to = "controler"')

    assert "controller" in text


def test_two_stations_of_one_name_are_refused(sojourn, scenario):
    text = refused(sojourn, scenario, 'name = "controller"', 'name = "sensor"')

    assert "sensor" in text


def test_a_medium_without_stations_is_refused(sojourn, scenario):
    lonely = '[[medium]]\nname = "floor-2"\nchannel = "TP/FT-10"\n[[medium]]\n'

    text = refused(sojourn, scenario, "[[medium]]\n", lonely)

    assert "floor-2" in text


@pytest.mark.parametrize("interval", ['"0 s"', '"-1 s"'])
def test_a_load_of_zero_or_below_is_refused(sojourn, scenario, interval):
    refused(sojourn, scenario, 'interval = "1 s"', f"interval = {interval}")


@pytest.mark.parametrize("rate", ["0 /s", "-5 /s"])
def test_a_background_rate_of_zero_or_below_is_refused_with_a_caret_under_the_argument(sojourn, rate, tmp_path):
    assert sojourn("new", "lontalk-response-time:D", "-o", "d.toml").returncode == 0

    done = sojourn("run", "d.toml", "--set", f"background.rate={rate}")

    assert done.returncode == 2
    assert f"background.rate={rate}" in done.stderr


def test_invalid_toml_is_shown_with_its_line(sojourn, scenario):
    text = refused(sojourn, scenario, "[network]", "[network")

    assert "3" in text


def test_all_mistakes_are_shown_at_once(sojourn, scenario):
    path = scenario(SITE.replace("warm_up", "warmup").replace("retries = 3", "retries = 16"))

    done = sojourn("check", path)

    assert done.returncode == 2
    assert "warm_up" in done.stderr
    assert "15" in done.stderr
