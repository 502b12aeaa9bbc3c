//! Frames of AX.25 (v2.2) from what a monitor prints of them.

use std::collections::BTreeSet;

use sojourn_protocols::ax25::wire::{Address, DIGIPEATER_LIMIT, Role};

/// The P/F bit of a control field of one octet.
const POLL_FINAL: u8 = 0x10;
/// U frames by their names, with what BPQ calls SABM and DISC.
const UNNUMBERED: [(&str, u8); 11] = [
    ("UI", 0x03),
    ("DM", 0x0f),
    ("SABM", 0x2f),
    ("C", 0x2f),
    ("DISC", 0x43),
    ("D", 0x43),
    ("UA", 0x63),
    ("SABME", 0x6f),
    ("FRMR", 0x87),
    ("XID", 0xaf),
    ("TEST", 0xe3),
];
const SUPERVISORY: [(&str, u8); 4] = [("RR", 0x01), ("RNR", 0x05), ("REJ", 0x09), ("SREJ", 0x0d)];
/// Pairs of stations whose modulus is remembered; all are forgotten when there are more.
const PAIRS: usize = 4096;

/// Digipeaters, and whether they have repeated the frame.
pub(super) type Via = Vec<(Address, bool)>;

/// What a monitor prints before the information field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub from: Address,
    pub to: Address,
    pub via: Via,
    pub role: Role,
    pub control: Control,
    pub poll_final: bool,
    /// Whether the control field of an I or S frame has two octets.
    pub is_extended: bool,
    pub pid: Option<u8>,
}

/// The kind of a frame and its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    I { n_s: u8, n_r: u8 },
    S { code: u8, n_r: u8 },
    U(u8),
}

impl Control {
    pub const UI: Control = Control::U(0x03);
    pub const XID: Control = Control::U(0xaf);
    const SABM: Control = Control::U(0x2f);
    const SABME: Control = Control::U(0x6f);

    /// The frame named so, of these numbers if it has them.
    pub fn named(name: &str, n_s: Option<u8>, n_r: Option<u8>) -> Option<Control> {
        if name == "I" {
            return Some(Control::I { n_s: n_s?, n_r: n_r? });
        }
        if let Some(&(_, code)) = SUPERVISORY.iter().find(|(known, _)| *known == name) {
            return Some(Control::S { code, n_r: n_r? });
        }
        UNNUMBERED.iter().find(|(known, _)| *known == name).map(|&(_, code)| Control::U(code))
    }

    /// Whether a protocol identifier and information follow.
    pub fn has_information(self) -> bool {
        matches!(self, Control::I { .. } | Control::UI)
    }

    fn largest(self) -> u8 {
        match self {
            Control::I { n_s, n_r } => n_s.max(n_r),
            Control::S { n_r, .. } => n_r,
            Control::U(_) => 0,
        }
    }
}

impl Heading {
    /// The octets of the frame from its addresses to its protocol identifier.
    pub fn octets(&self) -> Vec<u8> {
        let (to_flag, from_flag) = match self.role {
            Role::Command => (true, false),
            Role::Response => (false, true),
            Role::PreV2 { bits } => (bits, bits),
        };
        let mut octets = Vec::with_capacity(7 * (2 + self.via.len()) + 3);
        address(&mut octets, self.to, to_flag, false);
        address(&mut octets, self.from, from_flag, self.via.is_empty());
        for (index, &(digipeater, repeated)) in self.via.iter().enumerate() {
            address(&mut octets, digipeater, repeated, index + 1 == self.via.len());
        }
        self.control(&mut octets);
        octets.extend(self.pid);
        octets
    }

    fn control(&self, octets: &mut Vec<u8>) {
        let flag = if self.poll_final { POLL_FINAL } else { 0 };
        let (first, n_r) = match self.control {
            Control::U(code) => return octets.push(code | flag),
            Control::I { n_s, n_r } => (n_s << 1, n_r),
            Control::S { code, n_r } => (code, n_r),
        };
        if self.is_extended {
            octets.extend([first, n_r << 1 | u8::from(self.poll_final)]);
        } else {
            octets.push(n_r << 5 | flag | first);
        }
    }
}

/// Seven octets of an address: the callsign, shifted, and the SSID between two reserved bits and flags.
pub(super) fn address(octets: &mut Vec<u8>, address: Address, flag: bool, is_last: bool) {
    let callsign = address.callsign().bytes().chain(std::iter::repeat(b' '));
    octets.extend(callsign.take(6).map(|character| character << 1));
    octets.push(u8::from(flag) << 7 | 0x60 | address.ssid() << 1 | u8::from(is_last));
}

/// Which pairs of stations number their frames modulo 128, for texts that do not say so of each frame.
#[derive(Debug, Default)]
pub(super) struct Extended(BTreeSet<(Address, Address)>);

impl Extended {
    /// Whether a frame's control field has two octets: a SABME was heard before, or a number is above 7.
    pub fn has(&mut self, from: Address, to: Address, control: Control) -> bool {
        let pair = (from.min(to), from.max(to));
        if control == Control::SABM {
            self.0.remove(&pair);
        } else if control == Control::SABME || control.largest() > 7 {
            if self.0.len() >= PAIRS {
                self.0.clear();
            }
            self.0.insert(pair);
        }
        self.0.contains(&pair)
    }
}

/// The address that `text` is.
pub(super) fn callsign(text: &str) -> Result<Address, String> {
    text.parse().map_err(|error| format!("has the address {}: {error}", super::super::text::shown(text)))
}

/// Digipeaters, of which the one with an asterisk and all before it have repeated the frame.
pub(super) fn digipeaters<'a>(names: impl Iterator<Item = &'a str>) -> Result<Via, String> {
    let mut via = Vec::new();
    for name in names {
        if via.len() == DIGIPEATER_LIMIT {
            return Err(format!("has more than {DIGIPEATER_LIMIT} digipeaters"));
        }
        let (name, repeated) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
        via.push((callsign(name)?, repeated));
        if repeated {
            via.iter_mut().for_each(|(_, repeated)| *repeated = true);
        }
    }
    Ok(via)
}

/// `FROM>TO,VIA*,VIA`.
pub(super) fn path(text: &str) -> Result<(Address, Address, Via), String> {
    let (from, rest) = text.split_once('>').ok_or("has no addresses")?;
    let mut names = rest.split(',');
    let to = callsign(names.next().unwrap_or_default())?;
    Ok((callsign(from)?, to, digipeaters(names)?))
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::ax25::wire::{Frame, Modulo};

    use super::*;

    #[test]
    fn a_heading_has_the_octets_of_its_addresses_control_field_and_identifier() {
        let (from, to, via) = path("N7LEM>NJ7P,N7OO*").unwrap();
        let control = Control::I { n_s: 7, n_r: 1 };
        let heading = Heading {
            from,
            to,
            via,
            role: Role::PreV2 { bits: false },
            control,
            poll_final: true,
            is_extended: false,
            pid: Some(0xf0),
        };
        // by AX.25 v2.2, 3.12: characters shifted, C of neither end, H of the digipeater, which is the last
        let expected = [
            0x9c, 0x94, 0x6e, 0xa0, 0x40, 0x40, 0x60, 0x9c, 0x6e, 0x98, 0x8a, 0x9a, 0x40, 0x60, 0x9c, 0x6e, 0x9e, 0x9e,
            0x40, 0x40, 0xe1, 0x3e, 0xf0,
        ];
        assert_eq!(heading.octets(), expected);
    }

    #[test]
    fn numbers_above_7_and_a_sabme_show_two_control_octets_until_a_sabm() {
        let (a, b) = (callsign("A-1").unwrap(), callsign("B").unwrap());
        let mut extended = Extended::default();
        let small = Control::named("RR", None, Some(3)).unwrap();
        assert!(!extended.has(a, b, small));
        assert!(extended.has(a, b, Control::SABME));
        assert!(extended.has(b, a, small));
        let heading = Heading {
            from: a,
            to: b,
            via: Vec::new(),
            role: Role::Response,
            control: small,
            poll_final: true,
            is_extended: true,
            pid: None,
        };
        let octets = heading.octets();
        assert_eq!(octets[14..], [0x01, 0x07]);
        assert!(Frame::parse(&octets, Modulo::OneHundredTwentyEight).unwrap().poll_final);
        assert!(!extended.has(a, b, Control::SABM));
        assert!(extended.has(a, b, Control::named("I", Some(8), Some(0)).unwrap()));
    }
}
