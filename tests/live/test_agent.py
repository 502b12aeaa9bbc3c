"""`sojourn agent` as a user starts it: whom it serves, what it prints, and how it ends."""

import contextlib
import functools
import json
import re
import signal
import socket
import stat

import pytest

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"


@pytest.fixture
def agent(begun):
    """Starts `sojourn agent` and returns it with its address once it prints where it listens."""
    return functools.partial(begun, "agent")


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "sojourn.key"
    path.write_text(KEY + "\n")
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    return path


def address_of(text: str) -> tuple[str, int]:
    host, port = text.rsplit(":", 1)
    return host, int(port)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_a_service_manager_end_it_well(agent, number):
    process, _ = agent("sojourn://127.0.0.1:0")

    process.send_signal(number)

    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (0, "", "")


def test_it_ends_after_the_time_given(agent):
    process, _ = agent("sojourn://127.0.0.1:0", "--duration", "300 ms")

    process.communicate(timeout=60)

    assert process.returncode == 0


@pytest.mark.network_namespaces
def test_without_a_url_it_serves_its_own_host_at_the_port_of_agents(start):
    # another agent of this host may have the port
    namespace = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    process = start("agent", "--duration", "300 ms", within=namespace)

    _, message = process.communicate(timeout=60)

    assert message.startswith("listening at 127.0.0.1:18620;"), message


def test_to_be_reached_from_elsewhere_it_wants_a_key_or_the_word(sojourn):
    done = sojourn("agent", "sojourn://0.0.0.0:0")

    assert done.returncode == 2
    assert "without a key the agent serves loopback only" in done.stderr
    assert "--key-file" in done.stderr
    assert "--open" in done.stderr


def test_a_key_that_others_may_read_is_refused_with_what_to_type(sojourn, key_file):
    key_file.chmod(0o644)

    done = sojourn("agent", "sojourn://0.0.0.0:0", "--key-file", str(key_file))

    assert done.returncode == 2
    assert "is accessible to others than its owner" in " ".join(done.stderr.replace("│", " ").split())
    assert "chmod 600" in done.stderr


def test_the_environment_may_hold_the_key(agent, environment):
    environment["SOJOURN_KEY"] = KEY

    process, _ = agent("sojourn://0.0.0.0:0", "--duration", "300 ms")

    assert process.wait(timeout=60) == 0


@pytest.mark.parametrize("key", ["secret", "a" * 64, "0123456789abcdef" * 4])
def test_a_key_that_is_too_weak_is_refused(sojourn, environment, key):
    environment["SOJOURN_KEY"] = key

    done = sojourn("agent", "sojourn://127.0.0.1:0")

    assert done.returncode == 2
    assert re.search(r"the key in SOJOURN_KEY has \d+ bits at most, and at least 128 are needed", done.stderr)


def test_a_key_and_open_contradict_each_other(sojourn, key_file):
    done = sojourn("agent", "sojourn://0.0.0.0:0", "--key-file", str(key_file), "--open")

    assert done.returncode == 2
    assert "--open serves everyone" in done.stderr


def test_a_misspelt_limit_is_reported_with_the_nearest_name(sojourn):
    done = sojourn("agent", "sojourn://127.0.0.1:0", "--limit", "packetrate=5 /s", "--limit", "idle=2 h")

    assert done.returncode == 2
    assert "did you mean `packet-rate`?" in done.stderr
    assert "`idle` is 2 h, outside its range" in done.stderr


def test_limits_mean_nothing_on_the_air(sojourn):
    on_air = ("--callsign", "A1AA", "--airtime", "6 s", "--profile", "afsk-1200")
    done = sojourn("agent", "axudp://127.0.0.1:0", "--limit", "sessions=2", *on_air)

    assert done.returncode == 2
    assert "--limit is for sojourn://" in done.stderr


def test_a_port_in_use_is_reported_with_how_to_find_its_owner(agent, sojourn):
    _, address = agent("sojourn://127.0.0.1:0")

    done = sojourn("agent", f"sojourn://{address}")

    assert done.returncode == 2
    assert "is in use" in done.stderr
    assert "ss -tulpn" in done.stderr


def test_strangers_at_a_keyed_port_get_no_byte_and_a_line_in_the_log(agent, key_file):
    process, address = agent("sojourn://127.0.0.1:0", "--key-file", str(key_file))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.settimeout(0.3)
        for length in (0, 1, 63, 64, 128, 1400):
            stranger.sendto(bytes(length), address_of(address))
        with pytest.raises(TimeoutError):
            stranger.recv(2000)
    with socket.create_connection(address_of(address)) as stranger:
        stranger.settimeout(60)
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n" + bytes(200))
        with contextlib.suppress(ConnectionResetError):
            assert stranger.recv(2000) == b""

    process.send_signal(signal.SIGINT)

    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (0, "")
    lines = stderr.splitlines()
    assert len(lines) == 6
    assert all(re.fullmatch(r"time=\S+ event=unauthenticated peer=127\.0\.0\.1:\d+ fault=\S+", line) for line in lines)


def test_a_session_is_reported_as_json_with_its_counters(agent, key_file, sojourn):
    process, address = agent("sojourn://127.0.0.1:0", "--key-file", str(key_file), "--count", "1", "--format", "json")

    done = sojourn(
        "measure", f"sojourn://{address}", "--key-file", str(key_file), "--duration", "500 ms", "--rate", "100 /s"
    )

    assert done.returncode == 0, done.stderr
    stdout, _ = process.communicate(timeout=60)
    (line,) = stdout.splitlines()
    session = json.loads(line)
    assert (session["kind"], session["well"], session["ended"]) == ("session", True, "the client closed it")
    assert session["messages"] >= 40
    assert session["counts"]["over_limit"] == 0


def test_the_help_explains_how_to_make_a_key_and_lists_the_limits(sojourn):
    message = " ".join(sojourn("agent", "--help").stdout.split())

    assert "head -c 32 /dev/urandom | base64 > sojourn.key" in message
    limits = "packet-rate bit-rate volume time idle packet-size streams sessions sessions-per-address"
    assert all(limit in message for limit in limits.split())
