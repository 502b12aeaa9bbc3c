//! Settings of a station on the air, from the scenario's keys: the machine's, and its transmit policy.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::{
    self, Backoff, BusyClear, LinkKey, Recovery, RejectMode, Station, T1Adaptation, TimerStart, Version,
};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::kiss::Command;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::airtime::Air;
use super::transceiver::{StationPolicy, Transceiver};
use crate::transport::OnAir;

/// Placeholder callsigns.
const PLACEHOLDERS: [&str; 4] = ["N0CALL", "NOCALL", "MYCALL", "CALL"];

/// The settings of a station that transmits.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its callsign and SSID.
    pub own: Address,
    /// Settings of its links.
    pub station: Arc<machine::Settings>,
    /// Airtime limit and identification interval.
    pub policy: StationPolicy,
    /// Timeout of a round trip, and of link set-up.
    pub time_out: Duration,
    /// Pause between round trips.
    pub pause: Duration,
}

impl Settings {
    /// Reads a scenario's settings; an error without a callsign or enough airtime.
    pub fn read(on_air: &OnAir) -> Result<Settings, Problems> {
        let mut problems = Problems::new();
        let own = callsign(on_air.callsign.as_deref()).map_err(|problem| problems.push(problem)).ok();
        let airtime = on_air.airtime.or_else(|| {
            problems.push(
                Problem::plain("transmitting needs an airtime budget")
                    .help("give the transmit time per minute: --airtime '6 s'"),
            );
            None
        });
        let (Some(own), Some(airtime)) = (own, airtime) else { return Err(problems) };
        let probe = on_air.scenario.table("probe");
        let station = Arc::new(station(&on_air.scenario.list("station")[0]));
        let settings = Settings {
            own,
            policy: StationPolicy {
                air: air(&on_air.scenario),
                airtime,
                window: station.k,
                digipeaters: 0,
                partner: None,
                identify: on_air.identify,
                asks_queue: false,
            },
            station,
            time_out: probe.duration("timeout"),
            pause: probe.duration("pause"),
        };
        // invalid settings are refused before anything is opened
        settings.transceiver()?;
        Ok(settings)
    }

    /// A transceiver with these settings.
    pub fn transceiver(&self) -> Result<Transceiver, Problems> {
        let station = Station::new([self.own], Arc::clone(&self.station))
            .map_err(|fault| Problem::plain(format!("invalid station settings: {fault}")))?;
        let transceiver = Transceiver::new(self.own, station, self.station.n1, &self.policy);
        transceiver.map_err(|fault| {
            Problem::plain(fault.to_string())
                .help("raise --airtime, or send shorter frames: --set station.paclen='64 B'")
                .into()
        })
    }
}

impl Settings {
    /// Timeout of the response to DISC at shutdown: two tries.
    pub fn disc_timeout(&self, key: &LinkKey) -> Duration {
        self.station.frack.times(2 * (2 * key.digipeaters.len() as u64 + 1))
    }
}

fn callsign(text: Option<&str>) -> Result<Address, Problem> {
    let Some(text) = text else {
        return Err(Problem::plain("transmitting needs a callsign").help("give the one you hold: --callsign CALL-1"));
    };
    let shown = format!("--callsign {text}");
    let wrong = |message: String| Problem::argument(&shown, "--callsign ".len()..shown.len(), message);
    let address: Address = text.parse().map_err(|fault| wrong(format!("`{text}` is not a callsign: {fault}")))?;
    if PLACEHOLDERS.contains(&address.callsign()) {
        return Err(wrong(format!("{} is a placeholder", address.callsign())).help("give the one you hold"));
    }
    Ok(address)
}

/// Channel and keying times of a scenario.
pub fn air(scenario: &Scenario) -> Air {
    let (medium, station) = (&scenario.list("medium")[0], &scenario.list("station")[0]);
    let own = |key| station.optional_duration(key).unwrap_or_else(|| medium.duration(key));
    Air { bit_rate: medium.integer("bit_rate").max(1), transmit_delay: own("txdelay"), transmit_tail: own("txtail") }
}

/// KISS parameters for a TNC: units of 10 ms, and persistence in 256ths.
pub fn parameters(scenario: &Scenario) -> Vec<Command<Vec<u8>>> {
    let (medium, station) = (&scenario.list("medium")[0], &scenario.list("station")[0]);
    let own = |key| if station.has(key) { station } else { medium };
    let tens = |key| u8::try_from((own(key).duration(key)).whole(Duration::from_millis(10))).unwrap_or(u8::MAX);
    let persistence = own("persistence").number("persistence") * 256.0 - 1.0;
    vec![
        Command::TxDelay(tens("txdelay")),
        Command::TxTail(tens("txtail")),
        Command::SlotTime(tens("slottime")),
        Command::Persistence(persistence.round().clamp(0.0, 255.0) as u8),
    ]
}

fn station(table: &Table) -> machine::Settings {
    let window = u8::try_from(table.integer("window")).unwrap_or(127);
    machine::Settings {
        version: if table.word("version") == "v2.2" { Version::V2_2 } else { Version::V2_0 },
        frack: table.duration("frack"),
        t1_adaptation: round_trip(table.word("rtt_estimator")),
        // a TNC does not report carrier sense, but the end of a burst is known or computed
        t1_start: TimerStart::TransmitEnd,
        // a peer that misses the end of a busy condition would wait for T3
        busy_clear: BusyClear::Poll,
        t2: table.duration("resptime"),
        t3: table.optional_duration("check"),
        n1: limit(table, "paclen"),
        n1_receive: limit(table, "receive_limit"),
        k: window.min(7),
        k_extended: window,
        n2: u8::try_from(table.integer("retry")).unwrap_or(u8::MAX),
        reject_mode: reject(table.word("reject")),
        xid_negotiation: table.flag("xid"),
        recovery: if table.word("recovery") == "oldest-frame" { Recovery::OldestFrame } else { Recovery::Enquiry },
        ..machine::Settings::default()
    }
}

fn limit(table: &Table, key: &str) -> u16 {
    u16::try_from(table.integer(key)).unwrap_or(u16::MAX)
}

fn round_trip(word: &str) -> T1Adaptation {
    match word {
        "dire-wolf" => T1Adaptation::DireWolf,
        "linux" => T1Adaptation::Linux(Backoff::None),
        "linux-linear" => T1Adaptation::Linux(Backoff::Linear),
        "linux-exponential" => T1Adaptation::Linux(Backoff::Exponential),
        _ => T1Adaptation::Fixed,
    }
}

fn reject(word: &str) -> RejectMode {
    match word {
        "go-back" => RejectMode::GoBack,
        "multi-selective" => RejectMode::MultiSelective,
        _ => RejectMode::Selective,
    }
}

#[cfg(test)]
mod tests {
    use sojourn_scenario::check;

    use super::*;

    /// The station of the transports' scenario with these keys.
    fn with(keys: &[(&str, &str)]) -> machine::Settings {
        let mut document =
            sojourn_packet_radio::NETWORKS.kinds().parse("test", crate::transports::ax25::SCENARIO).unwrap();
        for (key, value) in keys {
            document.set(key, value, &format!("--set {key}={value}")).unwrap();
        }
        station(&check(&document).unwrap().list("station")[0])
    }

    #[test]
    fn every_value_of_a_key_gives_a_setting_of_its_own() {
        assert_eq!(with(&[("station.version", "v2.2")]).version, Version::V2_2);
        assert_eq!(with(&[("station.version", "v2.0")]).version, Version::V2_0);
        assert_eq!(with(&[("station.recovery", "oldest-frame")]).recovery, Recovery::OldestFrame);
        let round_trips = ["fixed", "dire-wolf", "linux", "linux-linear", "linux-exponential"];
        let rules = round_trips.map(|word| with(&[("station.rtt_estimator", word)]).t1_adaptation);
        let rejects =
            ["go-back", "selective", "multi-selective"].map(|word| with(&[("station.reject", word)]).reject_mode);
        for (index, rule) in rules.iter().enumerate() {
            assert!(!rules[..index].contains(rule), "{}", round_trips[index]);
        }
        assert!(rejects[0] != rejects[1] && rejects[1] != rejects[2] && rejects[0] != rejects[2]);
    }

    #[test]
    fn a_window_beyond_seven_is_one_of_v2_2_alone_and_t3_may_be_disabled() {
        let settings = with(&[("station.version", "v2.2"), ("station.window", "20"), ("station.check", "never")]);
        assert_eq!((settings.k, settings.k_extended, settings.t3), (7, 20, None));
    }
}
