"""The testbed's namespaces: created as planned, and removed in all cases."""

import os
import signal
import subprocess
import sys
import time

import pytest

from sojourn.errors import RunFailed
from sojourn.testbed import site
from sojourn.testbed.plan import SERVER_ADDRESS, Names, Setup, commands, stream_class
from sojourn.testbed.site import Site, call, refuse_without_means

needs_namespaces = [
    pytest.mark.network_namespaces,
    pytest.mark.peer("ip", package="iproute2"),
    pytest.mark.peer("tc", package="iproute2"),
]
FIFO = Setup("fifo", "reno", 1500, 65536)
BORROW = Setup("borrow", "cubic", 9180)
OWN = f"sojourn-{os.getpid()}-"
"""Prefix of this process's namespaces, distinct from those of other runs."""


def namespaces(run: str) -> list[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line.startswith(run)]


def test_a_fifo_has_one_leaf_and_classes_have_one_for_each_flow():
    def leaves(setup: Setup) -> int:
        return sum("pfifo" in command for command in commands(Names.of("x"), setup))

    # one queue at each end of the link in the middle
    assert leaves(FIFO) == 2
    assert leaves(BORROW) == 8


def test_buffers_include_the_kernel_overhead_and_are_auto_tuned_by_default():
    def settings(setup: Setup) -> list[str]:
        return [command[-1] for command in commands(Names.of("x"), setup) if "sysctl" in command]

    assert "net.ipv4.tcp_wmem=4096 131072 131072" in settings(FIFO)
    assert "net.ipv4.tcp_rmem=4096 81265 81265" in settings(Setup("fifo", "reno", 9180, 65536))
    # large packets take a tenth more memory than payload to send, and a quarter more to receive
    assert "net.ipv4.tcp_wmem=4096 16384 4613734" in settings(BORROW)
    assert "net.ipv4.tcp_rmem=4096 131072 5200937" in settings(BORROW)


def test_each_stream_has_a_class_of_its_own_in_both_directions():
    names = Names.of("x")
    flows = [[command[-1] for command in stream_class(names, number, 40000 + number)] for number in range(3)]
    assert flows == [["1:11", "1:11"], ["1:12", "1:12"], ["1:13", "1:13"]]


def test_missing_capabilities_are_named(monkeypatch, tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tx\nCapEff:\t0000000000000400\n", encoding="ascii")
    monkeypatch.setattr(site, "STATUS", status)
    with pytest.raises(RunFailed, match="CAP_NET_ADMIN and CAP_SYS_ADMIN"):
        refuse_without_means()


def test_a_user_without_capabilities_gets_an_error_before_anything_is_created(sojourn, tmp_path):
    done = sojourn("study", "linux-lan-response-time", "--live", "--quick", "--out", tmp_path / "out", plain_user=True)
    assert done.returncode == 1
    message = " ".join(done.stderr.split())
    assert "needs CAP_NET_ADMIN and CAP_SYS_ADMIN: run it as root" in message


class TestWithNamespaces:
    pytestmark = needs_namespaces

    @pytest.mark.parametrize("setup", [FIFO, BORROW])
    def test_the_server_is_reached_through_the_link_and_nothing_is_left_afterwards(self, setup):
        with Site(setup) as made:
            mine = list(made.names.all)
            assert sorted(namespaces(OWN)) == sorted(mine)
            route = call(["ip", "-n", made.names.client, "route", "get", SERVER_ADDRESS])
            assert "via 10.77.1.2" in route
            shown = call(["tc", "-n", made.names.near, "class", "show", "dev", "s1"])
            assert shown.count("leaf") == setup.classes
            assert call(["ip", "-n", made.names.far, "link", "show", "r1"]).count(f"mtu {setup.mtu}") == 1
        assert namespaces(OWN) == []

    def test_a_failure_inside_removes_them(self):
        with pytest.raises(ZeroDivisionError), Site(FIFO):
            raise ZeroDivisionError
        assert namespaces(OWN) == []

    def test_a_failure_during_setup_removes_them_and_names_the_cause(self, monkeypatch):
        wrong = [["ip", "link", "add", "nonsense"]]
        monkeypatch.setattr(site, "commands", lambda *_: wrong)
        with pytest.raises(RunFailed, match="`ip link add nonsense` failed"), Site(FIFO):
            pass
        assert namespaces(OWN) == []

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_termination_signal_removes_them(self, number):
        waiting = "from sojourn.testbed.plan import Setup; from sojourn.testbed.site import Site; import time\n"
        waiting += "with Site(Setup('fifo', 'reno', 1500)):\n    print('there', flush=True); time.sleep(60)"
        # shells start background jobs with SIGINT ignored, and children inherit that
        command = ["env", "--default-signal=INT", sys.executable, "-c", waiting]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert len(namespaces(f"sojourn-{process.pid}")) == 4
        process.send_signal(number)
        process.wait(timeout=60)
        assert namespaces(f"sojourn-{process.pid}") == []

    def test_the_next_run_removes_the_remains_of_a_killed_one(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        orphan = f"sojourn-{ended.pid}-client"
        subprocess.run(["ip", "netns", "add", orphan], check=True)
        with Site(FIFO):
            assert namespaces(orphan) == []

    def test_a_hanging_command_times_out(self, monkeypatch):
        monkeypatch.setattr(site, "TIMEOUT_S", 0.2)
        start = time.monotonic()
        with pytest.raises(RunFailed, match="did not end within"):
            call(["sleep", "600"])
        assert time.monotonic() - start < 300
