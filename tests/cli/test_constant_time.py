"""A response time that never varies, or that was taken once, has its figures."""

SITE = """[network]
kind = "ip"
[[medium]]
name = "lan"
rate = "1 Gbit/s"
[[station]]
name = "a"
on = "lan"
[[station]]
name = "b"
on = "lan"
[probe]
from = "a"
to = "b"
think = "{think}"
[run]
duration = "1 s"
warm_up = "0 s"
replications = 1
"""


def test_a_constant_response_time_has_a_figure_of_its_percentiles(sojourn, scenario, tmp_path) -> None:
    for think in ("1 ms", "2 s"):
        out = tmp_path / think.replace(" ", "-")
        done = sojourn("run", scenario(SITE.format(think=think)), "--out", out, "--figures", "svg", "--no-store")
        assert done.returncode == 0, done.stderr
        drawn = (out / "figures/percentiles.svg").read_text()
        assert "Percentile" in drawn and "NaN" not in drawn
