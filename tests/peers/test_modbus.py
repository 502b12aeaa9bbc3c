"""Modbus with pymodbus, minimalmodbus and mbpoll (libmodbus), over TCP and over pseudo-terminals."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import minimalmodbus
import pytest
from pymodbus.client import ModbusSerialClient, ModbusTcpClient
from pymodbus.exceptions import ModbusIOException

from .serial_bus import serial_bus

SERVER = Path(__file__).with_name("modbus_server.py")
MBPOLL = pytest.mark.peer("mbpoll", package="mbpoll")
TSHARK = pytest.mark.peer("tshark", package="tshark")
RTU_IN_USER_DLT = ("-o", 'uat:user_dlts:"User 0 (DLT=147)","mbrtu","0","","0",""')


@pytest.fixture
def line() -> Iterator[tuple[str, str]]:
    """The two ends of a serial line."""
    with serial_bus(2) as (first, second):
        yield first, second


@pytest.fixture
def pymodbus_server() -> Iterator[Callable[..., None]]:
    """Starts a server of pymodbus."""
    processes = []

    def start(*arguments: str) -> None:
        processes.append(subprocess.Popen([sys.executable, SERVER, *arguments]))

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def measured(sojourn, tmp_path) -> Callable[..., dict[str, Any]]:
    """The metrics of a measurement."""

    def measure(url: str, *options: str) -> dict[str, Any]:
        done = sojourn("measure", url, "--duration", "2 s", "--out", tmp_path / "out", "--overwrite", *options)
        assert done.returncode == 0, done.stderr
        (point,) = json.loads((tmp_path / "out" / "results.json").read_text())["points"]
        return point["metrics"]

    return measure


@pytest.fixture
def served(start) -> Callable[[str], str]:
    """Starts a server of this tool; where it listens."""

    def listen(url: str) -> str:
        message = start("listen", url).stderr.readline()
        found = re.fullmatch(r"listening at (\S+); Ctrl-C ends it\n", message)
        assert found, message
        return found[1]

    return listen


def test_every_read_of_a_server_of_pymodbus_over_tcp_is_answered(measured, pymodbus_server, until):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    pymodbus_server("tcp", str(port))

    def listens() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    until(listens)
    metrics = measured(f"modbus://127.0.0.1:{port}?unit=17&function=4&count=100", "--rate", "20 /s")

    # where other tests stop this host, what is overdue is not sent
    not_sent = metrics.get("failures/not_sent", {"value": 0})["value"]
    assert (metrics["response_time"]["count"] + not_sent, metrics["failures"]["value"]) == (40, not_sent)
    assert not_sent < 10
    beyond = measured(f"modbus://127.0.0.1:{port}?unit=17&address=999&count=2", "--rate", "20 /s")
    not_sent = beyond.get("failures/not_sent", {"value": 0})["value"]
    assert (beyond["failures"]["value"], beyond["failures/modbus_exception_2"]["value"]) == (40, 40 - not_sent)
    assert not_sent < 10


@TSHARK
def test_every_read_of_a_server_of_pymodbus_on_a_line_is_answered_and_tshark_reads_the_frames(
    measured, pymodbus_server, line, tmp_path
):
    ours, theirs = line
    pymodbus_server("rtu", theirs)
    capture = tmp_path / "line.pcap"
    url = f"modbus-rtu://{ours}?unit=17&count=10"
    metrics = measured(url, "--rate", "10 /s", "--pcap", str(capture), "--set", "run.warm_up=3 s")

    assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (20, 0)
    fields = ["-T", "fields", "-e", "mbrtu.crc16.status", "-e", "_ws.malformed", "-e", "_ws.col.Protocol"]
    command = ["tshark", "-r", capture, *RTU_IN_USER_DLT, *fields]
    read = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(read) >= 40
    assert {line.split("\t")[1] for line in read} == {""}, "nothing is malformed"
    assert {line.split("\t")[2] for line in read} == {"Modbus RTU"}


def test_clients_of_pymodbus_read_registers_and_exceptions(served, line):
    host, port = served("modbus://127.0.0.1:0?size=100").rsplit(":", 1)
    ours, theirs = line
    served(f"modbus-rtu://{ours}?unit=17&size=100")
    clients = (ModbusTcpClient(host, port=int(port)), ModbusSerialClient(theirs, baudrate=19200))
    for client in clients:
        assert client.connect()
        assert client.read_holding_registers(90, count=10, device_id=17).registers == list(range(90, 100))
        assert client.read_coils(1, count=3, device_id=17).bits[:3] == [True, False, True]
        assert client.read_input_registers(99, count=2, device_id=17).exception_code == 2
        client.write_register(7, 4711, device_id=17)
        assert client.read_holding_registers(7, count=1, device_id=17).registers == [4711]
        client.close()
    silent = ModbusSerialClient(theirs, baudrate=19200, timeout=0.3, retries=0)
    assert silent.connect()
    with pytest.raises(ModbusIOException):
        silent.read_holding_registers(0, count=1, device_id=18)
    silent.close()


def test_a_client_of_minimalmodbus_reads_a_thousand_times(served, line):
    ours, theirs = line
    served(f"modbus-rtu://{ours}?baud=115200&parity=none&unit=17")
    instrument = minimalmodbus.Instrument(theirs, 17)
    instrument.serial.baudrate = 115200
    instrument.serial.timeout = 1
    for number in range(1000):
        assert instrument.read_register(number) == number


@MBPOLL
@pytest.mark.parametrize("kind", ["tcp", "rtu"])
def test_mbpoll_reads_what_it_asks_for(served, line, kind):
    ours, theirs = line
    if kind == "tcp":
        host, port = served("modbus://127.0.0.1:0").rsplit(":", 1)
        where = ["-m", "tcp", "-p", port, host]
    else:
        served(f"modbus-rtu://{ours}?unit=17")
        where = ["-m", "rtu", "-b", "19200", "-P", "even", theirs]
    # its references begin at 1
    command = ["mbpoll", "-a", "17", "-t", "4", "-r", "201", "-c", "3", "-1", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"\[(\d+)\]:\s+(\d+)", done.stdout) == [("201", "200"), ("202", "201"), ("203", "202")]


@pytest.mark.nightly
def test_ten_thousand_reads_on_a_line_have_no_error(measured, pymodbus_server, line):
    ours, theirs = line
    pymodbus_server("rtu", theirs, "115200")
    url = f"modbus-rtu://{ours}?baud=115200&parity=none&unit=17"
    metrics = measured(url, "--rate", "50 /s", "--duration", "200 s", "--set", "run.warm_up=3 s")

    assert (metrics["response_time"]["count"], metrics["failures"]["value"]) == (10_000, 0)
