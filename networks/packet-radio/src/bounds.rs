//! Bounds of AX.25 on a wire between two terminals: the round trip of a block while no frame is lost and T1 does not
//! expire.
//!
//! A block is `n` I frames. When it arrives, all frames of the previous block are acknowledged, since the response
//! carries their N(R). At most `n` frames are therefore outstanding, and a window of `k` makes them wait for an
//! acknowledgement `n / k` times, rounded up, less one. Between two such waits a station sends its frames in at most
//! two bursts: the one in progress, and the next, which has all frames of the window. The bound sums everything that
//! may be ahead: a supervisory frame for each I frame received (AX.25 2.2, 6.7.1.2), the processors' work for all
//! frames, and worst-case bit stuffing, a zero after any five bits (3.6).

use crate::scenario::site;
use crate::site::{Probe, Site, StationSettings, TypeSettings};
use crate::terminal::{DataMode, TerminalSettings};
use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::{Settings, T1Adaptation, Version};
use sojourn_scenario::{Problems, Scenario};

use sojourn_bounds::report::{END_TO_END, Report, Theorem, Worst};

const WINDOW: Theorem = Theorem {
    name: "all frames of a block, and a wait for acknowledgement for each full window",
    source: "AX.25 2.2, section 6; derived in decision 0049",
};
/// Octets of two addresses.
const ADDRESSES: u64 = 14;
/// Octets of the protocol identifier of I frames.
const PID: u64 = 1;
/// Octets of the frame check sequence, and of the flag after a frame.
const FCS: u64 = 2;
const FLAG_BITS: u64 = 8;
/// A zero is stuffed after five ones.
const STUFF_AFTER: u64 = 5;

/// The bounds of a scenario of kind `packet-radio`.
pub fn bounds(scenario: &Scenario) -> Result<Report, Problems> {
    let site = site(scenario)?;
    let mut report = Report::default();
    match &site.probe {
        None => return Ok(Report::none("without a probe no response time is observed")),
        Some(probe) => match Wire::of(&site, probe).and_then(|wire| Ok((wire.bound()?, wire))) {
            Ok((round_trip, wire)) => {
                report.assume("no frame is lost on the wire, and T1 does not expire, as the bound shows");
                for (from, to) in [(0, 1), (1, 0)] {
                    let hop = format!("{} from {} to {}", wire.name, wire.ends[from].name(), wire.ends[to].name());
                    report.row("probe", &hop, None, Ok((Worst::Delay(wire.link(from)), WINDOW)));
                }
                report.row("probe", END_TO_END, Some("response_time"), Ok((Worst::Delay(round_trip), WINDOW)));
            }
            Err(why) => report.row("probe", END_TO_END, Some("response_time"), Err(why)),
        },
    }
    Ok(report)
}

/// A station at an end of the wire.
struct End<'a> {
    station: &'a StationSettings,
    terminal: &'a TerminalSettings,
    txdelay: Duration,
    txtail: Duration,
}

impl End<'_> {
    fn name(&self) -> &str {
        &self.station.name
    }

    fn links(&self) -> &Settings {
        &self.station.links
    }
}

/// Two terminals, the wire between them, and a block that is returned.
struct Wire<'a> {
    name: &'a str,
    bit_rate: u64,
    ends: [End<'a>; 2],
    probe: &'a Probe,
    /// Octets of the control field of I and S frames.
    control: u64,
    /// Unacknowledged I frames.
    k: u64,
}

impl<'a> Wire<'a> {
    /// The wire of a probe, or why it has no bound.
    fn of(site: &'a Site, probe: &'a Probe) -> Result<Wire<'a>, String> {
        let from = &site.stations[probe.from as usize];
        let number = from.ports[probe.path.port as usize].medium;
        let medium = &site.media[number as usize];
        if !medium.is_wire {
            return Err(
                "the channel loses frames by chance and stations contend for it, so no delay is excluded".to_owned()
            );
        }
        if !probe.path.commands.is_empty() || !probe.path.key.digipeaters.is_empty() {
            return Err(
                "only a wire from terminal to terminal has a bound: this path leads through other stations".to_owned()
            );
        }
        if medium.settings.bit_error_rate > 0.0 {
            return Err(format!("{} loses frames by bit errors, and what is sent again has no bound", medium.name));
        }
        let stations = [probe.from, probe.to];
        if let Some(source) = site.sources.iter().find(|source| stations.contains(&source.station)) {
            return Err(format!("{} sends frames on the same wire", source.flow));
        }
        let end = |station: u32| End::of(&site.stations[station as usize], number, probe);
        let ends = [end(probe.from)?, end(probe.to)?];
        let both = |feature: fn(&Settings) -> bool| ends.iter().all(|end| feature(end.links()));
        let extended = both(|links| links.version == Version::V2_2);
        let window = |links: &Settings| if extended { links.k_extended } else { links.k };
        let window = ends.iter().map(|end| u64::from(window(end.links()))).min().unwrap_or(1);
        let control = if extended { 2 } else { 1 };
        Ok(Wire { name: &medium.name, bit_rate: medium.settings.bit_rate, ends, probe, control, k: window })
    }

    /// The longest round trip, or what keeps it from having a bound.
    fn bound(&self) -> Result<Duration, String> {
        let there = |from: usize| {
            self.serial(from) + self.work(from) + self.link(from) + self.work(1 - from) + self.printed(1 - from)
        };
        let round_trip = there(0) + there(1);
        for from in [0, 1] {
            let end = &self.ends[from];
            // T1 starts anew with each acknowledgement
            let acknowledged = self.window(from) + self.acknowledged(from);
            if acknowledged >= end.links().frack {
                return Err(format!("T1 of {} may expire: an acknowledgement may take {acknowledged}", end.name()));
            }
            if end.links().t3.is_some_and(|t3| t3 <= self.probe.pause + round_trip) {
                return Err(format!("T3 of {} may expire between two blocks: a poll may precede it", end.name()));
            }
        }
        match round_trip < self.probe.timeout {
            true => Ok(round_trip),
            false => Err(format!("a round trip may take {round_trip}, longer than the probe's timeout")),
        }
    }

    /// Octets of a block, and of the frames that it becomes.
    fn frames(&self, from: usize) -> impl Iterator<Item = u64> {
        let (size, paclen) = (u64::from(self.probe.size), u64::from(self.ends[from].terminal.paclen));
        (0..size.div_ceil(paclen)).map(move |frame| (size - frame * paclen).min(paclen))
    }

    fn count(&self, from: usize) -> u64 {
        self.frames(from).count() as u64
    }

    /// An I frame with this many octets of information on the wire; an S frame with none.
    fn on_wire(&self, information: Option<u64>) -> Duration {
        let octets = ADDRESSES + self.control + information.map_or(0, |octets| octets + PID) + FCS;
        let bits = 8 * octets + 8 * octets / STUFF_AFTER + FLAG_BITS;
        Duration::from_units(bits, self.bit_rate) + Duration::from_picoseconds(1)
    }

    /// An S frame as a burst of its own.
    fn supervisory(&self, from: usize) -> Duration {
        self.ends[from].txdelay + self.on_wire(None) + self.ends[from].txtail
    }

    /// All that an end may send while a block is in transit: its I frames, each window in two bursts, and acknowledgements.
    fn bursts(&self, from: usize) -> Duration {
        let end = &self.ends[from];
        let frames: Duration = self.frames(from).map(|octets| self.on_wire(Some(octets))).sum();
        let windows = self.count(from).div_ceil(self.k);
        let keyed = (end.txdelay + end.txtail).times(2 * windows);
        frames + keyed + self.supervisory(from).times(self.count(1 - from))
    }

    /// All that an end may send before the frames of a window have left.
    fn window(&self, from: usize) -> Duration {
        let end = &self.ends[from];
        let longest = self.frames(from).map(|octets| self.on_wire(Some(octets))).max().unwrap_or_default();
        let frames = longest.times(self.count(from).min(self.k));
        frames + (end.txdelay + end.txtail).times(2) + self.supervisory(from).times(self.count(1 - from))
    }

    /// From when the last frame of a block is handed to the link until it is received.
    fn link(&self, from: usize) -> Duration {
        let waits = self.count(from).div_ceil(self.k) - 1;
        self.bursts(from) + self.acknowledged(from).times(waits)
    }

    /// From the end of a frame until its acknowledgement is processed: one in transmission may go before it.
    fn acknowledged(&self, from: usize) -> Duration {
        let peer = 1 - from;
        self.work_of_window(peer) + self.ends[peer].links().t2 + self.supervisory(peer).times(2) + self.work(from)
    }

    /// All that a processor does for a block in transit: its frames, and the acknowledgements of those of the other.
    fn work(&self, station: usize) -> Duration {
        self.work_of(station, self.count(0).max(self.count(1)), self.probe.size.into())
    }

    /// What a processor does for the frames of a window that it receives, and for acknowledgements of those that it sent.
    fn work_of_window(&self, station: usize) -> Duration {
        let frames = self.count(1 - station).min(self.k);
        let octets = self.frames(1 - station).max().unwrap_or_default() * frames;
        let acknowledgements = self.ends[station].station.costs.receive_frame.times(self.count(station));
        self.work_of(station, frames, octets) + acknowledgements
    }

    fn work_of(&self, station: usize, frames: u64, octets: u64) -> Duration {
        let costs = self.ends[station].station.costs;
        let each = costs.receive_frame.max(costs.send_frame) + costs.receive_frame;
        each.times(frames) + costs.per_octet.times(octets)
    }

    /// A program's turnaround, and a block on its serial line until the TNC has formed the last packet.
    fn serial(&self, from: usize) -> Duration {
        let terminal = self.ends[from].terminal;
        let characters = terminal.interval.times(self.probe.size.into());
        let completed = match terminal.mode {
            DataMode::Converse => Duration::ZERO,
            DataMode::Transparent { packet_time, .. } => packet_time,
        };
        // the line rests while the transmitter is on, after the character in progress
        let held = match terminal.excludes_transmission {
            true => self.bursts(from) + terminal.interval.times(2 * self.count(from) + self.count(1 - from)),
            false => Duration::ZERO,
        };
        terminal.turnaround + characters + completed + held
    }

    /// A block on the serial line to the program.
    fn printed(&self, to: usize) -> Duration {
        self.ends[to].terminal.character.times(self.probe.size.into())
    }
}

impl<'a> End<'a> {
    fn of(station: &'a StationSettings, medium: u32, probe: &Probe) -> Result<End<'a>, String> {
        let TypeSettings::Terminal(terminal) = &station.kind else {
            return Err(format!("{} is not a terminal", station.name));
        };
        let name = &station.name;
        let port = station.ports.iter().find(|port| port.medium == medium).expect("an end of the wire");
        let size = probe.size;
        if station.links.t1_adaptation != T1Adaptation::Fixed {
            return Err(format!("T1 of {name} follows the round trips that it has seen, and may expire at any"));
        }
        if terminal.send_buffer.is_some_and(|buffer| buffer < 2 * size) || terminal.receive_buffer <= size {
            return Err(format!(
                "a block of {size} octets may fill a buffer of {name}, which then stops the other side"
            ));
        }
        if matches!(terminal.mode, DataMode::Transparent { packet_time, .. } if packet_time <= terminal.interval) {
            return Err(format!("pactime of {name} may expire between any two characters of a block"));
        }
        if station.links.t2_pauses && station.links.t2 > Duration::ZERO {
            return Err(format!("T2 of {name} pauses while the wire is busy, however long that is"));
        }
        if port.access.frame_error_rate > 0.0 {
            return Err(format!("{name} sends frames with a wrong FCS, and what is sent again has no bound"));
        }
        if port.access.transmission_limit.is_some() {
            return Err(format!("the watchdog of {name} may cut off a transmission"));
        }
        Ok(End { station, terminal, txdelay: port.access.txdelay, txtail: port.access.txtail })
    }
}
