//! A compact store of every AX.25 frame of a capture.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::hdlc::air_time::exact_bits;
use sojourn_protocols::ax25::wire::{
    Address as Callsign, Addressing, Body, Frame as Parsed, Modulo, Pid, Role, Supervisory, Xid,
};

use super::upper::{Upper, whole};
use sojourn_capture::ax25::parse;

/// Frames kept: 64 MiB, about a week of a channel of 1200 bit/s that is never silent.
const FRAME_LIMIT: usize = 1 << 20;
/// Links whose modulus is known, and digipeater paths; the frames of further ones are left out.
const LINK_LIMIT: usize = 65_536;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// I, with the bytes of its information.
    Information { n_s: u8, n_r: u8, bytes: u16, pid: Pid },
    /// RR, RNR, REJ or SREJ; whether a SREJ asks for several.
    Supervisory { kind: Supervisory, n_r: u8, several: bool },
    /// UI.
    Unnumbered { bytes: u16, pid: Pid },
    /// SABM or SABME.
    Connect { extended: bool },
    /// DISC.
    Disconnect,
    /// UA.
    Confirmed,
    /// DM.
    Refused,
    /// XID.
    Identification,
    /// TEST and FRMR.
    Other,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Its end.
    pub time: Time,
    pub medium: u32,
    pub source: Callsign,
    pub destination: Callsign,
    /// Its digipeaters, an index of [`Frames::paths`], and how many have not repeated it.
    pub path: u32,
    pub hops_left: u8,
    pub poll_final: bool,
    pub command: bool,
    /// Its length on the medium.
    pub bits: u32,
    pub kind: Kind,
}

impl Frame {
    /// The end of the frame, s.
    pub fn end(&self) -> f64 {
        self.time.since(Time::ZERO).seconds()
    }

    /// Whether it is the answer that a poll demands.
    pub fn is_final(&self) -> bool {
        self.poll_final && !self.command
    }

    /// Whether it demands an answer at once.
    pub fn is_poll(&self) -> bool {
        self.poll_final && self.command
    }

    /// The two ends of its link, the lower first.
    pub fn ends(&self) -> (u32, Callsign, Callsign) {
        (self.medium, self.source.min(self.destination), self.source.max(self.destination))
    }
}

/// The frames of a capture in order.
#[derive(Debug, Default)]
pub(super) struct Frames {
    pub all: Vec<Frame>,
    /// Digipeater paths.
    pub paths: Vec<Vec<Callsign>>,
    /// NET/ROM packets and ROSE calls, by the frame that carries them.
    pub upper: Vec<(u32, Upper)>,
    /// The longest T1 that XID frames of a link state, ms.
    pub stated_t1_ms: BTreeMap<(u32, Callsign, Callsign), u16>,
    /// Frames beyond the limit.
    pub beyond: u64,
    path_numbers: BTreeMap<Vec<Callsign>, u32>,
    modulo: BTreeMap<(u32, Callsign, Callsign), Modulo>,
}

impl Frames {
    /// Takes the octets of a frame that ended at `time`, and how many more the capture cut.
    pub fn frame(&mut self, bytes: &[u8], cut: u32, medium: u32, time: Time) {
        let modulo = &self.modulo;
        let ends = |of: &Addressing| (medium, of.source.min(of.destination), of.source.max(of.destination));
        let parsed = parse(bytes, |addressing| modulo.get(&ends(addressing)).copied().unwrap_or(Modulo::Eight));
        let Ok(parsed) = parsed else { return };
        let full = self.all.len() >= FRAME_LIMIT || self.modulo.len() >= LINK_LIMIT || self.paths.len() >= LINK_LIMIT;
        if full {
            self.beyond += 1;
            return;
        }
        let addressing = parsed.addressing;
        let path: Vec<Callsign> = addressing.digipeaters.iter().map(|(digipeater, _)| digipeater).collect();
        let frame = Frame {
            time,
            medium,
            source: addressing.source,
            destination: addressing.destination,
            path: self.path(path),
            hops_left: addressing.digipeaters.iter().filter(|(_, repeated)| !repeated).count() as u8,
            poll_final: parsed.poll_final,
            command: addressing.role == Role::Command,
            // of octets that were cut it is not known which zeros are stuffed
            bits: (exact_bits(bytes) as u32).saturating_add(cut.saturating_mul(8)),
            kind: kind(&parsed, cut),
        };
        match parsed.body {
            Body::Sabm => drop(self.modulo.insert(frame.ends(), Modulo::Eight)),
            Body::Sabme | Body::S { modulo: Modulo::OneHundredTwentyEight, .. } => {
                self.modulo.insert(frame.ends(), Modulo::OneHundredTwentyEight);
            }
            _ => {}
        }
        if let Body::Xid(Xid { t1_ms: Some(t1_ms), .. }) = parsed.body
            && self.stated_t1_ms.len() < LINK_LIMIT
        {
            let longest = self.stated_t1_ms.entry(frame.ends()).or_default();
            *longest = t1_ms.max(*longest);
        }
        if let Body::I { pid, data, .. } | Body::Ui { pid, data } = parsed.body
            && let Some(upper) = Upper::of(pid, data, cut)
        {
            self.upper.push((self.all.len() as u32, upper));
        }
        self.all.push(frame);
    }

    /// The digipeaters of a frame.
    pub fn path_of(&self, frame: &Frame) -> &[Callsign] {
        &self.paths[frame.path as usize]
    }

    /// Whether a frame is a digipeater's copy of another.
    pub fn is_copy(&self, original: &Frame, copy: &Frame) -> bool {
        let same = (original.source, original.destination, original.path, original.kind)
            == (copy.source, copy.destination, copy.path, copy.kind);
        same && copy.hops_left + 1 == original.hops_left && !self.path_of(copy).is_empty()
    }

    /// Whether a frame answers another at once: a digipeater's copy, UA, the answer to a poll, and what that answer asks for.
    pub fn is_prompt(&self, asked: &Frame, answer: &Frame) -> bool {
        let replies = answer.destination == asked.source && answer.source == asked.destination;
        let confirms = matches!(
            (asked.kind, answer.kind),
            (Kind::Connect { .. } | Kind::Disconnect, Kind::Confirmed | Kind::Refused)
        );
        let polled = asked.is_poll() && answer.is_final();
        let repeats = asked.is_final() && matches!(asked.kind, Kind::Supervisory { .. });
        let repeats = repeats && matches!(answer.kind, Kind::Information { .. });
        self.is_copy(asked, answer) || replies && (confirms || polled || repeats)
    }

    /// Seconds from the first frame to the last.
    pub fn seconds(&self) -> f64 {
        match (self.all.first(), self.all.last()) {
            (Some(first), Some(last)) => last.time.since(first.time).seconds(),
            _ => 0.0,
        }
    }

    fn path(&mut self, path: Vec<Callsign>) -> u32 {
        if let Some(&number) = self.path_numbers.get(&path) {
            return number;
        }
        let number = self.paths.len() as u32;
        self.paths.push(path.clone());
        self.path_numbers.insert(path, number);
        number
    }
}

fn kind(frame: &Parsed<&[u8]>, cut: u32) -> Kind {
    match &frame.body {
        Body::I { n_s, n_r, pid, data, .. } => {
            Kind::Information { n_s: *n_s, n_r: *n_r, bytes: whole(data, cut), pid: *pid }
        }
        Body::S { kind, n_r, further, .. } => {
            Kind::Supervisory { kind: *kind, n_r: *n_r, several: *further != Default::default() }
        }
        Body::Ui { pid, data } => Kind::Unnumbered { bytes: whole(data, cut), pid: *pid },
        Body::Sabm => Kind::Connect { extended: false },
        Body::Sabme => Kind::Connect { extended: true },
        Body::Disc => Kind::Disconnect,
        Body::Ua => Kind::Confirmed,
        Body::Dm => Kind::Refused,
        Body::Xid(_) => Kind::Identification,
        Body::Test(_) | Body::Frmr(_) => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet_radio::upper::Upper;

    /// From N0CALL to KP4DJT: addresses of seven octets; the last octet has the command and extension bits.
    fn frame_of(information: &[u8]) -> Vec<u8> {
        let address =
            |text: &[u8], last: u8| [&text.iter().map(|octet| octet << 1).collect::<Vec<_>>()[..], &[last]].concat();
        [&address(b"KP4DJT", 0xe0)[..], &address(b"N0CALL", 0x61), information].concat()
    }

    fn taken(bytes: &[u8], cut: u32) -> Frames {
        let mut frames = Frames::default();
        frames.frame(bytes, cut, 0, Time::ZERO);
        frames
    }

    #[test]
    fn a_frame_that_the_capture_cut_has_the_length_that_it_had() {
        // I with numbers 0, text
        let whole = frame_of(&[&[0, 0xf0][..], &[b'a'; 200]].concat());
        let frames = [taken(&whole, 0), taken(&whole[..50], whole.len() as u32 - 50)];
        for Frames { all, .. } in &frames {
            assert!(matches!(all[0].kind, Kind::Information { bytes: 200, .. }), "{:?}", all[0].kind);
        }
        // zeros are stuffed into the check sequence alone
        assert!(frames[0].all[0].bits.abs_diff(frames[1].all[0].bits) < 4);
    }

    #[test]
    fn data_of_a_circuit_that_the_capture_cut_have_the_length_that_they_had() {
        // origin and destination, time to live, circuit, numbers, information
        let packet = [&frame_of(&[])[..], &[15, 1, 2, 0, 0, 5], &[b'a'; 100]].concat();
        let whole = frame_of(&[&[0, 0xcf][..], &packet].concat());
        let frames = taken(&whole[..60], whole.len() as u32 - 60);
        let [(0, Upper::Circuit { bytes: 100, .. })] = frames.upper[..] else { panic!("{:?}", frames.upper) };
    }
}
