"""Roll-ups keep every count, and quantiles of any time that is made of them; late windows are added."""

import os
import random
import signal
import time

import pytest
from sqlalchemy import func, select

from sojourn.errors import UserError
from sojourn.store import histogram, queries, retention, settings, spool
from sojourn.store.database import opened
from sojourn.store.loading import load
from sojourn.store.retention import DAY_US, HOUR_US
from sojourn.store.schema import metrics, rollups, runs, windows

BEGIN_S = 1_790_035_200  # the begin of a day
FOREVER = 2**60


def watched(place) -> dict:
    with opened(place) as engine, engine.connect() as connection:
        (row,) = queries.watched(connection, 0, FOREVER)
    return row


def test_a_histogram_is_the_same_after_its_octets_and_a_sum_has_every_sample():
    draw = random.Random(1)
    several = [{draw.randrange(3800): draw.randrange(1, 300) for _ in range(50)} for _ in range(20)]

    assert [histogram.decode(histogram.encode(bins)) for bins in several] == [dict(sorted(b.items())) for b in several]
    total = histogram.merged(map(histogram.encode, several))
    assert sum(total.values()) == sum(sum(bins.values()) for bins in several)


@pytest.mark.parametrize("value_ns", [1, 127, 128, 5_000, 1_234_567, 60_000_000_000])
def test_a_quantile_is_within_a_percent_of_its_value_and_lost_requests_are_above_all(value_ns):
    octave = max(value_ns.bit_length() - 7, 0)
    bins = {64 * octave + (value_ns >> octave): 99}

    assert histogram.quantile(bins, 0.5, 100) == pytest.approx(value_ns * 1e-9, rel=0.008, abs=0.51e-9)
    assert histogram.quantile(bins, 0.99, 100) is not None
    assert histogram.quantile(bins, 0.999, 100) is None


def test_windows_become_hours_and_hours_days_without_losing_a_request(place, monitor_lines, monitored):
    monitored(place, monitor_lines(3 * 240, begin_s=BEGIN_S, length_s=360))
    load(place)
    before = watched(place)

    with opened(place) as engine:
        day = (BEGIN_S + 86_400) * 1_000_000
        assert retention.roll_up(engine, day + DAY_US + HOUR_US // 2, day) == (2 * 240, 24)
        with engine.connect() as connection:
            count = select(rollups.c.period, func.count(), func.sum(rollups.c.windows)).group_by(rollups.c.period)
            kept = {period: (rows, of) for period, rows, of in connection.execute(count)}

    assert kept == {"day": (1, 240), "hour": (24, 240)}
    assert watched(place) == before
    assert before["windows"] == 3 * 240


def test_windows_that_arrive_late_are_added_to_their_hour(place, monitor_lines, monitored):
    for begin_s in (BEGIN_S, BEGIN_S + 600):
        monitored(place, monitor_lines(10, begin_s=begin_s))
        load(place)
        with opened(place) as engine:
            assert retention.roll_up(engine, FOREVER, 0) == (10, 0)

    with opened(place) as engine, engine.connect() as connection:
        row = connection.execute(select(rollups)).one()
    assert (row.windows, row.sent, row.answered) == (20, 1200, 1180)
    assert sum(histogram.decode(row.histogram).values()) == 1180
    assert row.total == pytest.approx(1180 * 1.4e-6)


def test_a_window_that_arrives_while_its_hour_is_made_stays_a_window(postgresql, monitor_lines, monitored, monkeypatch):
    monitored(postgresql, monitor_lines(10, begin_s=BEGIN_S))
    load(postgresql)
    add = retention._sum

    def late(*arguments):
        monkeypatch.setattr(retention, "_sum", add)
        monitored(postgresql, monitor_lines(5, begin_s=BEGIN_S + 1200))
        load(postgresql)
        return add(*arguments)

    monkeypatch.setattr(retention, "_sum", late)
    with opened(postgresql) as engine:
        assert retention.roll_up(engine, BEGIN_S * 1_000_000 + DAY_US, 0) == (15, 0)

    assert watched(postgresql)["windows"] == 15


def test_a_roll_up_that_is_killed_leaves_each_window_once(sqlite, monitor_lines, monitored):
    monitored(sqlite, monitor_lines(4 * 1440, begin_s=BEGIN_S))
    load(sqlite)
    for pause_s in (0.02, 0.05, 0.1):
        child = os.fork()
        if child == 0:
            with opened(sqlite) as engine:
                retention.roll_up(engine, FOREVER, 0)
            os._exit(0)
        time.sleep(pause_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        row = watched(sqlite)
        assert (row["windows"], row["sent"]) == (4 * 1440, 4 * 1440 * 60)

    with opened(sqlite) as engine:
        retention.roll_up(engine, FOREVER, 0)
        with engine.connect() as connection:
            assert connection.execute(select(func.count()).select_from(windows)).scalar() == 0
    assert watched(sqlite)["windows"] == 4 * 1440


def test_a_configured_retention_is_applied_once_an_hour(place, monitor_lines, monitored, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "sojourn").mkdir()
    (tmp_path / "sojourn/config.toml").write_text('[retention]\nwindows = "7 d"\n')
    for old_d in (20, 1):
        monitored(place, monitor_lines(10, begin_s=time.time() // 86_400 * 86_400 - old_d * 86_400))
    load(place)

    def kept() -> tuple[int, int]:
        with opened(place) as engine, engine.connect() as connection:
            return tuple(
                connection.execute(select(func.count()).select_from(one)).scalar() for one in (windows, rollups)
            )

    retention.apply_configured(place)
    assert kept() == (10, 1)
    monitored(place, monitor_lines(10, begin_s=BEGIN_S - 100 * 86_400))
    load(place)
    retention.apply_configured(place)
    assert kept() == (20, 1), "an hour has not passed"
    hour_ago_s = time.time() - 3601
    os.utime(place.spool / retention.APPLIED, (hour_ago_s, hour_ago_s))
    retention.apply_configured(place)
    assert kept() == (10, 2)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('retention = "30 d"', "retention is a table; it has windows, hours and runs"),
        ('[retention]\nwindow = "30 d"', "retention has no window; it has windows"),
        ("[retention]\nwindows = 30", "retention.windows is an age: 90 min, 12 h, 30 d"),
    ],
)
def test_a_retention_that_is_none_is_refused(written, said, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "sojourn").mkdir()
    (tmp_path / "sojourn/config.toml").write_text(written)

    with pytest.raises(UserError, match=said):
        settings.retention()


def test_old_runs_are_deleted_with_their_points_and_monitors_stay(place, monitor_lines, monitored, run_record):
    spool.append(place.spool, [run_record(0), run_record(30)])
    monitored(place, monitor_lines(2))
    load(place)

    with opened(place) as engine:
        assert retention.delete_runs(engine, 1_772_323_200_000_000 + DAY_US) == 1
        with engine.connect() as connection:
            assert connection.execute(select(runs.c.command).order_by(runs.c.id)).scalars().all() == ["run", "monitor"]
            assert connection.execute(select(func.count()).select_from(metrics)).scalar() == 2
