//! Writes stations: media, link parameters, serial lines.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::super::document::{Document, Time, span};
use super::access::processing;
use super::keys::station as keys;
use super::links::Link;
use super::sides::Side;
use super::stations::{Role, Station};
use super::timeouts::{SHORTEST_CHECK, Source, T1};
use super::write::{Writer, medium_name, word};
use crate::quantile::quantile;

/// The default of T3, s.
const USUAL_CHECK: f64 = 300.0;
/// The default of N2.
const USUAL_TRIES: u32 = 10;
/// Times from which a station gave up after fewer tries than by default, not because its link was reset.
const FEWEST_GIVEN_UP: u32 = 3;
/// The serial rate that stands for no serial line at all, bit/s.
const NO_SERIAL_LINE: f64 = 10e6;

impl Writer<'_> {
    /// A station.
    pub fn station(
        &self,
        callsign: Callsign,
        number: usize,
        hidden: &BTreeMap<Callsign, BTreeSet<Callsign>>,
        timeouts: &BTreeMap<Callsign, T1>,
        document: &mut Document,
    ) {
        let station = &self.stations.all[&callsign];
        document.table_of(keys::TABLE, format!("It transmitted {} frames.", station.frames));
        document.set(keys::NAME, self.name(callsign));
        if station.role != Role::Terminal {
            document.set(keys::TYPE, word(station.role));
        }
        if !self.options.anonymise {
            document.set(keys::CALLSIGN, callsign.to_string());
        }
        document.set(keys::ON, station.media.iter().map(|medium| medium_name(*medium)).collect::<Vec<_>>());
        if let Some(hidden) = hidden.get(&callsign) {
            self.hears(callsign, station, hidden, document);
        }
        let links = self.links_of(callsign);
        if station.role != Role::Digipeater && !links.is_empty() {
            self.link_keys(callsign, &links, timeouts.get(&callsign), document);
        }
        match station.role {
            Role::Terminal => self.terminal(callsign, &links, document),
            Role::Node => self.node(callsign, number, document),
            Role::Switch => self.switch(callsign, number, document),
            Role::Digipeater => {}
        }
    }

    fn hears(&self, callsign: Callsign, station: &Station, hidden: &BTreeSet<Callsign>, document: &mut Document) {
        let shares = |other: &Station| other.media.intersection(&station.media).next().is_some();
        let heard: Vec<Callsign> = self
            .stations
            .all
            .iter()
            .filter(|(other, there)| **other != callsign && shares(there) && !hidden.contains(*other))
            .map(|(other, _)| *other)
            .collect();
        if heard.is_empty() {
            return;
        }
        document.comment(format!(
            "{} are hidden from it: digipeaters connect them, or it began to transmit while they did; an assumption where \
             it is only the path, or where their transmissions are too few to show it.",
            hidden.len(),
        ));
        document.set(keys::HEARS, self.names_of(&heard));
    }

    /// The links of a station, and the callsign it has on each.
    pub(super) fn links_of(&self, station: Callsign) -> Vec<(&Link, Callsign)> {
        let ends = |link: &Link| [link.ends.1, link.ends.2];
        let own = |link: &Link| ends(link).into_iter().find(|end| self.stations.behind(link.ends.0, *end) == station);
        self.links.values().filter_map(|link| Some((link, own(link)?))).collect()
    }

    /// Parameters of its links, as far as they show.
    fn link_keys(&self, station: Callsign, links: &[(&Link, Callsign)], t1: Option<&T1>, document: &mut Document) {
        let sides: Vec<&Side> = links.iter().map(|(link, own)| link.side(*own)).collect();
        version(links, document);
        self.window(station, &sides, document);
        Self::timeout(t1, document);
        self.response_delay(station, document);
        let tries = sides.iter().map(|side| side.tries).max().unwrap_or(0);
        match usual_tries(&sides) {
            // the last of N2 tries, or a command of the next attempt beyond them
            Some((tries, times)) if (USUAL_TRIES..=USUAL_TRIES + 1).contains(&tries) => {
                document.comment(format!("It gave up {times} times after {tries} tries: N2 is the default."));
            }
            // it tries no more often than N2
            Some((usual, times)) if usual >= tries && times >= FEWEST_GIVEN_UP || usual > USUAL_TRIES => {
                document.comment(format!("It gave up {times} times after {usual} tries, and never tried more often."));
                document.set(keys::RETRY, usual.clamp(1, 255));
            }
            Some((tries, times)) => document.comment(format!(
                "It gave up {times} times after {tries} tries, perhaps because its link was reset: N2 is the default."
            )),
            None if tries > USUAL_TRIES => {
                document.comment(format!("It tried {tries} times: at least that many are allowed."));
                document.set(keys::RETRY, tries.min(255));
            }
            None if tries > 1 => {
                document.comment(format!("It tried {tries} times at most and never gave up: N2 is the default."))
            }
            None => {}
        }
        if sides.iter().any(|side| side.repeats_oldest) {
            document.comment("It sends an I frame again with the P bit when T1 expires, without a supervisory poll.");
            document.set(keys::RECOVERY, "oldest-frame");
        }
        check(&sides, document);
    }

    fn window(&self, station: Callsign, sides: &[&Side], document: &mut Document) {
        let role = self.stations.all[&station].role;
        let most = sides.iter().map(|side| side.window).max().unwrap_or(0);
        let usual = if matches!(role, Role::Terminal) { 4 } else { 7 };
        let probe = self.conversations.probe.as_ref().filter(|probe| station == probe.from || station == probe.to);
        let longest = probe.map_or(0, |probe| probe.exchanges.frames.into_iter().max().unwrap_or(0));
        let frames = sides.iter().map(|side| side.new).sum::<u64>();
        if frames == 0 {
            return;
        }
        let limits = role == Role::Terminal && (most as u32) < longest;
        if limits || most > usual {
            document.comment(format!(
                "The most of {frames} I frames that waited for an acknowledgement at a time{}.",
                if limits { ", fewer than a message has: well determined" } else { ": at least that many are allowed" },
            ));
            document.set(keys::WINDOW, most.clamp(1, 127) as u64);
        } else {
            document.comment(format!(
                "At most {most} I frames waited for an acknowledgement, which no window limited: the default."
            ));
        }
    }

    fn timeout(t1: Option<&T1>, document: &mut Document) {
        let Some(T1 { seconds, source }) = t1 else {
            return document.comment("Nothing was sent again after a silence: T1 (FRACK) is the default.");
        };
        document.comment(match source {
            Source::Stated => "T1 as XID frames of its links state it.".to_owned(),
            Source::Silences { about, .. } => about.clone(),
            Source::Alike(about) => format!("{about} That of other stations is a little longer: taken for the same."),
            Source::Others(stations) => format!(
                "It sent nothing again after a silence: T1 (FRACK) of {}, an assumption.",
                if *stations == 1 { "another station".to_owned() } else { format!("{stations} other stations") },
            ),
        });
        document.set(keys::FRACK, *seconds);
    }

    fn response_delay(&self, station: Callsign, document: &mut Document) {
        let delays = self.access.values().filter_map(|access| access.response_delay.get(&station));
        match delays.max_by_key(|(_, count)| *count) {
            Some((delay, count)) if *delay > 0.0 => {
                document.comment(format!(
                    "{count} acknowledgements came that much later than answers that nothing delays (T2)."
                ));
                document.set(keys::RESPTIME, *delay);
            }
            Some((_, count)) => {
                document.comment(format!("{count} acknowledgements came as soon as other answers: no T2."));
                document.set(keys::RESPTIME, 0.0);
            }
            None => {}
        }
    }

    /// PACLEN and the serial line of a terminal.
    fn terminal(&self, callsign: Callsign, links: &[(&Link, Callsign)], document: &mut Document) {
        let probe = self.conversations.probe.as_ref().filter(|probe| callsign == probe.from || callsign == probe.to);
        let largest = links.iter().map(|(link, own)| link.side(*own).largest).max().unwrap_or(0);
        let split = probe.and_then(|probe| probe.exchanges.paclen[usize::from(callsign == probe.to)]);
        match split {
            Some(paclen) => {
                document.comment("The first frame of messages with several: well determined.");
                document.set(keys::PACLEN, paclen.max(1) as f64);
            }
            None if largest > 256 => {
                document.comment("The longest I frame: at least that.");
                document.set(keys::PACLEN, largest as f64);
            }
            None if largest > 0 => document
                .comment(format!("No message was split, the longest I frame has {largest} B: PACLEN is the default.")),
            None => {}
        }
        if let Some(probe) = probe {
            let server = self.server.filter(|_| callsign == probe.to);
            self.serial_line(
                probe.exchanges.is_serial.into_iter().any(|is_serial| is_serial),
                server.is_some(),
                document,
            );
        }
    }

    /// The serial line, and the time that the answering station takes.
    fn serial_line(&self, is_serial: bool, answers: bool, document: &mut Document) {
        let processing = processing(Role::Terminal);
        let Some(server) = self.server else { return };
        let rate = server.serial_rate(processing);
        if is_serial {
            document.comment("Messages are not sent at once: their characters come while it transmits.");
            document.set(keys::SERIAL_RATE, rate);
        } else {
            document.comment("No serial line shows in when frames are sent: what there is of it is in the turnaround.");
            document.set(keys::SERIAL_RATE, NO_SERIAL_LINE);
        }
        if !answers {
            return;
        }
        let line = if is_serial { 10.0 * server.bytes / rate } else { 0.0 };
        let turnaround = (server.time - processing - line).max(0.0);
        document.comment(format!(
            "From the end of a request until its answer waits for the channel {} pass, between {} and {}, by {} exchanges without \
             anything sent again; less the default processing time{}.",
            span(server.time),
            span(server.least.max(0.0)),
            span(server.most.max(0.0)),
            server.count,
            if is_serial { " and the characters" } else { "" },
        ));
        document.set(keys::TURNAROUND, turnaround);
    }
}

fn version(links: &[(&Link, Callsign)], document: &mut Document) {
    if !links.iter().any(|(link, _)| link.extended) {
        return;
    }
    document.comment("SABME set up a link.");
    document.set(keys::VERSION, "v2.2");
    document.set(keys::XID, links.iter().any(|(link, _)| link.identified));
    // both ends of a link use what they negotiated
    let sent =
        |place: usize| links.iter().flat_map(|(link, _)| &link.sides).map(|side| side.rejects[place]).sum::<u64>();
    let (rejects, selective, several) = (sent(0), sent(1), sent(2));
    let word = match (several, selective, rejects) {
        (0, 0, 0) => return,
        (0, 0, _) => "go-back",
        (0, ..) => "selective",
        _ => "multi-selective",
    };
    document.comment(format!("{rejects} REJ, {selective} SREJ and {several} SREJ with a list were sent on its links."));
    document.set(keys::REJECT, word);
}

/// After how many tries a station gave up most often, and how often.
fn usual_tries(sides: &[&Side]) -> Option<(u32, u32)> {
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    for (tries, of_side) in sides.iter().flat_map(|side| &side.gave_up) {
        *times.entry(*tries).or_default() += of_side;
    }
    times.into_iter().max_by_key(|(_, times)| *times)
}

fn check(sides: &[&Side], document: &mut Document) {
    let mut idle: Vec<f64> =
        sides.iter().flat_map(|side| &side.idle_polls).copied().filter(|idle| *idle > SHORTEST_CHECK).collect();
    let longest = sides.iter().map(|side| side.longest_idle).fold(0.0, f64::max);
    match quantile(&mut idle, 0.5) {
        Some(median) => {
            document.comment(format!("The median silence before {} polls of an idle link (T3).", idle.len()));
            document.set(keys::CHECK, median);
        }
        None if longest > USUAL_CHECK => {
            document.comment(format!("A link was idle for {} and was not polled.", span(longest)));
            document.set(keys::CHECK, Time::Never);
        }
        None => {}
    }
}
