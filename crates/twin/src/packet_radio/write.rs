//! Writes the scenario of a packet-radio network.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::super::document::{Document, digits, span};
use super::super::scenario::{Options, Twin};
use super::access::{Access, access};
use super::bit_rate::Evidence;
use super::bursts::{Medium, media};
use super::conversations::{Conversations, unnumbered};
use super::exchanges::ServerTime;
use super::frames::Frames;
use super::keys::medium;
use super::links::{Ends, Link, Sendings, links};
use super::networks::Networks;
use super::stations::{Role, Stations};

/// The scenario of a capture's frames.
pub(super) fn twin(frames: &Frames, options: &Options) -> Twin {
    let stations = Stations::new(frames);
    let mut media = media(frames, &stations, options.bit_rate.map(|rate| rate as f64));
    let access: BTreeMap<u32, Access> =
        media.iter().map(|(number, medium)| (*number, access(frames, &stations, medium))).collect();
    for (number, medium) in &mut media {
        medium.mark_overlaps(access[number].txdelay());
    }
    let sendings = Sendings::new(frames, &media);
    let links = links(frames, &media, &sendings);
    let unnumbered = unnumbered(frames);
    let conversations = Conversations::new(frames, &stations, &media, &access, &links, &unnumbered);
    let server = conversations.probe.as_ref().and_then(|probe| {
        let on = probe.answering.ends.0;
        ServerTime::new(probe.answering, &media[&on], &access[&on], &sendings)
    });
    let writer = Writer {
        names: station_names(&stations, options),
        upper: Networks::new(frames, &media, &access),
        frames,
        options,
        stations: &stations,
        media: &media,
        access: &access,
        links: &links,
        conversations: &conversations,
        server,
    };
    writer.write()
}

/// What is known, and how stations are named.
pub(super) struct Writer<'a> {
    pub frames: &'a Frames,
    pub options: &'a Options,
    pub stations: &'a Stations,
    pub media: &'a BTreeMap<u32, Medium>,
    pub access: &'a BTreeMap<u32, Access>,
    pub links: &'a BTreeMap<Ends, Link>,
    pub conversations: &'a Conversations<'a>,
    pub upper: Networks,
    pub names: BTreeMap<Callsign, String>,
    pub server: Option<ServerTime>,
}

/// Names of stations: their callsigns, or their types and numbers.
fn station_names(stations: &Stations, options: &Options) -> BTreeMap<Callsign, String> {
    let mut counts: BTreeMap<Role, u32> = BTreeMap::new();
    let name = |(callsign, station): (&Callsign, &super::stations::Station)| {
        let number = counts.entry(station.role).or_default();
        *number += 1;
        let name = if options.anonymise { format!("{}-{number}", word(station.role)) } else { name_of(*callsign) };
        (*callsign, name)
    };
    stations.all.iter().map(name).collect()
}

/// A callsign as the name of a station; `direct` is a word of paths.
fn name_of(callsign: Callsign) -> String {
    match callsign.to_string().to_lowercase() {
        word if word == "direct" => format!("{word}-0"),
        name => name,
    }
}

/// A type of station as a scenario writes it.
pub(super) const fn word(role: Role) -> &'static str {
    match role {
        Role::Terminal => "terminal",
        Role::Digipeater => "digipeater",
        Role::Node => "node",
        Role::Switch => "switch",
    }
}

impl Writer<'_> {
    fn write(&self) -> Twin {
        let mut document = Document::default();
        self.head(&mut document);
        for number in self.media.keys() {
            self.medium(*number, &mut document);
        }
        let (hidden, timeouts) = (self.hidden(), self.timeouts());
        for (number, callsign) in self.stations.all.keys().enumerate() {
            self.station(*callsign, number + 1, &hidden, &timeouts, &mut document);
        }
        let settles = self.flows(&mut document);
        self.probe(&mut document);
        for note in &self.conversations.left_out {
            let what = if self.options.anonymise { "messages that no flow can stand for." } else { note };
            document.note(format!("Left out: {what}"));
        }
        let duration = self.frames.seconds();
        document.run(duration, settles.min(0.1 * duration), None);
        Twin { scenario: document.finish(), traces: Vec::new(), doubts: Vec::new() }
    }

    fn head(&self, document: &mut Document) {
        document.comment(format!(
            "Inferred from a capture of {} AX.25 frames of {} stations in {}. A comment before a value says how it was \
             inferred, from how much, and how sure that is.",
            self.frames.all.len(),
            self.stations.all.len(),
            span(self.frames.seconds()),
        ));
        if self.frames.beyond > 0 {
            document.comment(format!("{} further frames are left out: they exceed what is kept.", self.frames.beyond));
        }
        document.comment(
            "A capture shows no key-up, no carrier, no processing and no buffers: these have their defaults, and what lies \
             between a frame and its answer is TXDELAY. `sojourn calibrate` fits what the results of a capture depend on.",
        );
        document.title("Twin of a captured packet-radio network", "packet-radio");
    }

    fn medium(&self, number: u32, document: &mut Document) {
        let found = &self.media[&number];
        document.table(medium::TABLE);
        document.set(medium::NAME, medium_name(number));
        document.comment(match found.evidence {
            Evidence::Frames(frames) => format!(
                "{frames} frames that followed another in one transmission took as long as at this rate: well determined."
            ),
            Evidence::Lengths(frames) => format!(
                "No frames follow each other in one transmission; of {frames}, long ones end as much later than short ones as at \
                 this rate, a common one: likely."
            ),
            Evidence::Deferred(frames) => format!(
                "No frames follow each other in one transmission; at this rate, a common one, {frames} long frames waited for \
                 the channel as long as short ones: likely."
            ),
            Evidence::Ticks(frames) => format!(
                "No frames follow each other in one transmission; at this rate, a common one, the shortest of {frames} times \
                 before a short frame have room for TXDELAY and processing of whole 10 ms, as TNCs count them: an \
                 assumption (state it with --bit-rate)."
            ),
            Evidence::Stated => "As stated: no frame followed another in one transmission.".to_owned(),
            Evidence::Assumed => "No frames follow each other in one transmission: an assumption that no gap contradicts \
                                  (state it with --bit-rate)."
                .to_owned(),
        });
        document.set(medium::BIT_RATE, found.bit_rate);
        self.access(&self.access[&number], document);
        self.errors(number, document);
    }

    fn access(&self, access: &Access, document: &mut Document) {
        match access.txdelay {
            Some((txdelay, answers)) => {
                document.comment(format!(
                    "The shortest of {answers} waits before an answer, less the answer's air time and the default \
                     processing time or TXTAIL; {}.",
                    if answers < 10 { "rough, it may include a slot" } else { "determined to a few milliseconds" },
                ));
                document.set(medium::TXDELAY, txdelay.min(10.0));
            }
            None => document.comment("No answer shows TXDELAY: the default."),
        }
        match access.slots {
            Some((_, None, answers)) => {
                document.comment(format!("{answers} answers waited equally long: for no slot."));
                document.set(medium::PERSISTENCE, 1.0);
            }
            Some((persistence, Some(slot), answers)) => {
                document.comment(format!(
                    "{} % of {answers} answers waited for no slot, which is the persistence, and their mean wait is {}: the \
                     slot time follows.",
                    digits(100.0 * persistence),
                    span(access.mean_slots()),
                ));
                document.set(medium::PERSISTENCE, persistence);
                document.set(medium::SLOTTIME, slot.clamp(1e-3, 10.0));
            }
            None => document.comment("Too few answers show persistence and slot time: the defaults."),
        }
    }

    /// The bit error rate that the I frames sent again show, and in which direction how many.
    fn errors(&self, number: u32, document: &mut Document) {
        let (mut lost, mut exposed, mut bits) = (0, 0, 0);
        let mut directions = Vec::new();
        for link in self.links.values().filter(|link| link.ends.0 == number) {
            for (side, from, to) in
                [(&link.sides[0], link.ends.1, link.ends.2), (&link.sides[1], link.ends.2, link.ends.1)]
            {
                lost += side.lost;
                exposed += side.exposed.frames;
                bits += side.exposed.bits;
                if side.lost > 0 && directions.len() < 4 {
                    let ends = [from, to].map(|end| self.name(self.stations.behind(number, end)));
                    directions
                        .push(format!("{} of {} from {} to {}", side.lost, side.exposed.frames, ends[0], ends[1]));
                }
            }
        }
        if exposed == 0 {
            return document.comment("No I frames show how many are lost: no bit errors, an assumption.");
        }
        if lost == 0 {
            return document.comment(format!("None of {exposed} I frames was lost: no bit errors."));
        }
        let share = (lost as f64 / exposed as f64).min(0.99);
        let error_rate = -libm::log(1.0 - share) * exposed as f64 / bits as f64;
        document.comment(format!(
            "{lost} of {exposed} I frames ({}) were lost without a collision that shows, {}: independent bit errors, the \
             same in all directions, determined to about {} %.",
            span_of_bits(bits / exposed),
            directions.join(", "),
            digits((100.0 / (lost as f64).sqrt()).ceil()),
        ));
        document.set(medium::BIT_ERROR_RATE, error_rate.clamp(1e-12, 0.5));
    }

    /// The name of a station.
    pub fn name(&self, callsign: Callsign) -> String {
        self.names.get(&callsign).cloned().unwrap_or_else(|| name_of(callsign))
    }

    /// The names of several.
    pub fn names_of(&self, callsigns: &[Callsign]) -> Vec<String> {
        callsigns.iter().map(|callsign| self.name(*callsign)).collect()
    }
}

pub(super) fn medium_name(number: u32) -> String {
    format!("channel-{}", number + 1)
}

fn span_of_bits(bits: u64) -> String {
    format!("of {bits} bits on average")
}
