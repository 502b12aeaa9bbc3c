"""Scenarios of CAN buses from their databases: DBC and KCD files written here."""

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sojourn import can_database
from sojourn.errors import UserError

DBC = """VERSION ""

BU_: Engine Brakes Dash_board

BO_ 256 Torque: 8 Engine
 SG_ Rpm : 0|16@1+ (0.25,0) [0|16000] "rpm" Dash_board,Brakes

BO_ 272 WheelSpeed: 6 Brakes
 SG_ Left : 0|16@1+ (0.01,0) [0|300] "km/h" Dash_board

BO_ 2566844926 EngineTemp: 8 Engine
 SG_ Coolant : 0|8@1+ (1,-40) [-40|210] "degC" Dash_board

BO_ 1280 Hatch: 2 Vector__XXX
 SG_ Open : 0|1@1+ (1,0) [0|1] "" Vector__XXX

BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ "Baudrate" INT 0 1000000;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_DEF_DEF_ "Baudrate" 500000;
BA_ "Baudrate" 250000;
BA_ "GenMsgCycleTime" BO_ 256 10;
BA_ "GenMsgCycleTime" BO_ 272 20;
BA_ "GenMsgCycleTime" BO_ 2566844926 1000;
"""
KCD = """<NetworkDefinition xmlns="http://kayak.2codeornot2code.org/1.0">
  <Document name="two buses" version="1"/>
  <Node id="1" name="Motor"/><Node id="2" name="Gateway"/>
  <Bus name="Motor Bus" baudrate="500000">
    <Message id="0xA" length="8" name="Status" interval="100"><Producer><NodeRef id="1"/></Producer>
      <Signal name="state" offset="0" length="8"><Consumer><NodeRef id="2"/></Consumer></Signal></Message>
  </Bus>
  <Bus name="Body" baudrate="125000">
    <Message id="0xB" length="2" name="Status" interval="1000"><Producer><NodeRef id="2"/></Producer></Message>
  </Bus>
</NetworkDefinition>
"""


@pytest.fixture
def made(sojourn, tmp_path):
    """The scenario that `new` writes of a database, which is valid, as data and as text."""

    def make(name: str, text: str, *fields: str) -> tuple[dict, str]:
        (tmp_path / name).write_text(text)
        done = sojourn("new", name, *fields, "-o", "made.toml")
        assert done.returncode == 0, done.stderr
        checked = sojourn("check", "made.toml")
        assert checked.returncode == 0, checked.stderr
        written = (tmp_path / "made.toml").read_text()
        return tomllib.loads(written), written

    return make


def test_messages_of_a_dbc_file_have_their_identifiers_senders_receivers_sizes_and_cycles(made):
    scenario, text = made("car.dbc", DBC)

    assert scenario["medium"] == [{"name": "bus", "bit_rate": "250 kbit/s"}]
    flows = {flow["name"]: flow for flow in scenario["flow"]}
    assert list(flows) == ["Torque", "WheelSpeed", "EngineTemp"], "by priority"
    assert (flows["Torque"]["id"], flows["Torque"]["to"]) == (0x100, ["Brakes", "Dash_board"])
    assert flows["WheelSpeed"] == {
        "name": "WheelSpeed",
        "from": "Brakes",
        "to": "Dash_board",
        "id": 0x110,
        "data": "6 B",
        "arrivals": {"kind": "periodic", "interval": "20 ms"},
        "probe": True,
        "deadline": "20 ms",
    }
    assert (flows["EngineTemp"]["id"], flows["EngineTemp"]["extended"]) == (0x18FEF1FE, True)
    assert "# 1 of 4 messages have no cycle time" in text
    assert '# name = "Hatch"' in text, "which is kept as a comment"


def test_the_bus_of_a_database_is_run_and_bounded(made, sojourn):
    made("car.dbc", DBC)

    run = sojourn("run", "made.toml", "--set", "run.duration=5 s")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("No message misses its deadline"), run.stdout
    bounded = sojourn("bound", "made.toml")
    assert bounded.returncode == 0, bounded.stderr
    assert all(name in bounded.stdout for name in ("Torque", "WheelSpeed", "EngineTemp")), bounded.stdout


def test_messages_without_a_cycle_time_have_the_interval_that_is_given(made):
    scenario, text = made("car.dbc", DBC, "event-interval=500 ms")

    (hatch,) = (flow for flow in scenario["flow"] if flow["name"] == "Hatch")
    assert hatch["arrivals"] == {"kind": "poisson", "interval": "500 ms"}
    assert (hatch["from"], hatch["to"], "deadline" in hatch) == ("unknown-on-bus", "everyone", False)
    assert "no cycle time" not in text


def test_without_any_cycle_time_nothing_is_required_of_deadlines(made, sojourn):
    silent = "\n".join(line for line in DBC.splitlines() if not line.startswith('BA_ "GenMsg'))

    scenario, text = made("silent.dbc", silent, "event-interval=500 ms")
    assert "expect" not in scenario
    assert "No message has a cycle time, and so none a deadline" in text
    run = sojourn("run", "made.toml", "--set", "run.duration=5 s")
    assert run.returncode == 0, run.stderr
    refused = sojourn("new", "silent.dbc", "-o", "other.toml")
    assert refused.returncode == 2
    assert "none of its 4 messages has a cycle time; event-interval='1 s' gives them" in refused.stderr


def test_the_node_of_two_buses_of_a_kcd_file_is_a_gateway_and_names_stay_apart(made):
    scenario, text = made("car.kcd", KCD)

    assert [(one["name"], one["bit_rate"]) for one in scenario["medium"]] == [
        ("Motor-Bus", "500 kbit/s"),
        ("Body", "125 kbit/s"),
    ]
    on = {station["name"]: station["on"] for station in scenario["station"]}
    assert on == {"Motor": "Motor-Bus", "Gateway": ["Motor-Bus", "Body"], "another-on-Body": "Body"}
    assert [flow["name"] for flow in scenario["flow"]] == ["Status-Motor-Bus", "Status-Body"]
    assert "another one acknowledges" in text


def test_a_bit_rate_that_no_file_states_is_an_assumption_or_the_one_that_is_given(made):
    plain = "\n".join(line for line in DBC.splitlines() if "Baudrate" not in line)

    _, assumed = made("car.dbc", plain)
    assert 'bit_rate = "500 kbit/s"  # assumed: the database states none' in assumed
    given_by_hand, _ = made("other.dbc", plain, "bit-rate=125 kbit/s", "--overwrite")
    assert given_by_hand["medium"][0]["bit_rate"] == "125 kbit/s"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.dbc", 'VERSION ""\nBO_ x', "line 2"),
        ("a.dbc", 'VERSION ""\n', "no message of CAN in it"),
        ("a.kcd", "<NetworkDefinition>", "not read as a CAN database"),
        ("absent.dbc", None, "No such file"),
    ],
)
def test_a_file_that_is_no_database_is_one_line(sojourn, tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)

    done = sojourn("new", name)

    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_an_unknown_field_names_those_there_are(sojourn, tmp_path):
    (tmp_path / "car.dbc").write_text(DBC)

    done = sojourn("new", "car.dbc", "bitrate=1 Mbit/s")

    assert done.returncode == 2
    assert "there are bit-rate, data-bit-rate, event-interval" in done.stderr


@given(st.text(alphabet=st.sampled_from(DBC), max_size=80), st.integers(0, len(DBC)))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_change_of_a_file_is_read_or_refused(tmp_path, inserted, at):
    file = tmp_path / "any.dbc"
    file.write_text(DBC[:at] + inserted + DBC[at:])
    try:
        tomllib.loads(can_database.scenario(file, {}))
    except UserError as error:
        assert "any.dbc" in str(error)
