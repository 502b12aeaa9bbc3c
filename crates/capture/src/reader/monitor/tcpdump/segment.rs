//! Segments of TCP (RFC 9293) from what tcpdump prints of them.
//!
//! tcpdump counts sequence numbers from those of the first packet with an acknowledgement of each connection, which is
//! printed with the numbers that it has, as are all with `-S`; of others the numbers are made again. A segment without
//! data whose number is not printed is taken to have that behind all data sent before.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::datagram::{TCP, lacks};
use super::internet::{Ends, Payload, digits};

/// Connections that are followed; all are forgotten when there are more.
const CONNECTIONS: usize = 32_768;
/// Flags in the order of their bits.
const FLAGS: [(char, u8); 8] =
    [('F', 0x01), ('S', 0x02), ('R', 0x04), ('P', 0x08), ('.', 0x10), ('U', 0x20), ('E', 0x40), ('W', 0x80)];
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
/// A first number below this does not show whether others count from it.
const TELLING: u32 = 1 << 20;
/// Octets of options at most.
const OPTIONS: usize = 40;

/// An address and a port.
type End = (IpAddr, u16);

/// The connections of a text.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// By their ends, the lower first.
    known: BTreeMap<(End, End), Connection>,
    /// Whether numbers are those of the packets, as with `-S`, once that has shown.
    are_absolute: Option<bool>,
}

/// What numbers of a connection count from.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// Whether a packet with an acknowledgement has been printed.
    is_counted: bool,
    /// The first number of the lower end, and of the other.
    first: [u32; 2],
    /// The number behind all that each has sent.
    next: [u32; 2],
}

/// Numbers as they are printed.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    /// The number of a segment, and the octets of its data.
    seq: Option<u32>,
    length: u32,
    ack: Option<u32>,
}

impl Connections {
    /// The segment of `Flags [P.], seq 1:59, ack 1, win 502, options [...], length 58`.
    pub fn segment(&mut self, ends: &Ends, line: &str) -> Result<Payload, String> {
        let (source, destination) = ends.ports.ok_or_else(|| lacks("ports", line))?;
        let (names, rest) = line.strip_prefix("Flags [").and_then(|line| line.split_once(']')).unwrap_or_default();
        let flags = FLAGS.iter().filter(|(name, _)| names.contains(*name)).fold(0, |flags, (_, bit)| flags | bit);
        let field = |name: &str| rest.split(", ").find_map(|field| field.strip_prefix(name));
        let number = |name: &str| field(name).and_then(digits);
        let length = number("length ").ok_or_else(|| lacks("length", line))?;
        let ack = number("ack ").filter(|_| flags & ACK != 0);
        let (from, to) = ((ends.from, source), (ends.to, destination));
        let pair = (from.min(to), from.max(to));
        if self.known.len() >= CONNECTIONS && !self.known.contains_key(&pair) {
            self.known.clear();
        }
        let (connection, side) = (self.known.entry(pair).or_default(), usize::from(from > to));
        let printed = Numbers { seq: number("seq "), length, ack };
        let (seq, ack) = connection.numbers(side, flags, printed, &mut self.are_absolute);
        let base = connection.first[1 - side];
        let is_relative = connection.is_counted && self.are_absolute != Some(true) && flags & SYN == 0;
        let options = field("options [").map_or_else(Vec::new, |list| {
            options(list.split(']').next().unwrap_or_default(), if is_relative { base } else { 0 })
        });
        let mut octets = Vec::with_capacity(60);
        octets.extend([source.to_be_bytes(), destination.to_be_bytes()].concat());
        octets.extend([seq.to_be_bytes(), ack.to_be_bytes()].concat());
        octets.extend([((20 + options.len()) as u8) << 2, flags]);
        let window = number("win ").unwrap_or_default();
        let urgent = number("urg ").unwrap_or_default();
        octets.extend([window as u16, 0, urgent as u16].map(u16::to_be_bytes).concat());
        octets.extend(options);
        let whole = (octets.len() as u32).checked_add(length);
        Ok(Payload { protocol: TCP, octets, length: whole })
    }
}

impl Connection {
    /// The numbers that a segment of a side has: its own, and what it acknowledges.
    fn numbers(&mut self, side: usize, flags: u8, printed: Numbers, are_absolute: &mut Option<bool>) -> (u32, u32) {
        let Numbers { seq, length, ack } = printed;
        let other = 1 - side;
        let (seq, acknowledged) = match ack {
            // numbers without an acknowledgement are those of the packet
            None => (seq, 0),
            Some(ack) if !self.is_counted || flags & SYN != 0 => {
                self.is_counted = true;
                // a number that is not printed is taken as 0, from which those of later packets count
                self.first[side] = seq.unwrap_or(0);
                self.first[other] = ack.wrapping_sub(1);
                self.next[other] = ack;
                (seq.or(Some(0)), ack)
            }
            Some(ack) => {
                let from_first = |number: u32, first: u32| number.wrapping_sub(first);
                if are_absolute.is_none() && self.first[other] >= TELLING {
                    *are_absolute = Some(from_first(ack, self.first[other]) < ack);
                }
                let add = |number: u32, first: u32| match are_absolute {
                    Some(true) => number,
                    _ => number.wrapping_add(first),
                };
                (seq.map(|seq| add(seq, self.first[side])), add(ack, self.first[other]))
            }
        };
        let seq = seq.unwrap_or(self.next[side]);
        let control = u32::from(flags & SYN != 0) + u32::from(flags & 0x01 != 0);
        let end = seq.wrapping_add(length).wrapping_add(control);
        // behind what was sent before, or the first number of a connection
        if end.wrapping_sub(self.next[side]) < 1 << 31 || flags & SYN != 0 || self.next[side] == 0 {
            self.next[side] = end;
        }
        (seq, acknowledged)
    }
}

/// The octets of `mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7`, whose selective acknowledgements count from `base`; others are left
/// out.
fn options(list: &str, base: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    for option in list.split(',') {
        let mut words = option.split_whitespace();
        let name = words.next().unwrap_or_default();
        let mut number = || words.find_map(|word| word.parse::<u32>().ok()).unwrap_or_default();
        match name {
            "mss" => octets.extend([&[2, 4][..], &(number() as u16).to_be_bytes()].concat()),
            "wscale" => octets.extend([3, 3, number() as u8]),
            "sackOK" => octets.extend([4, 2]),
            "TS" => octets.extend([&[8, 10][..], &number().to_be_bytes(), &number().to_be_bytes()].concat()),
            "sack" => octets.extend(selective(option, base)),
            "nop" => octets.push(1),
            _ => {}
        }
    }
    octets.truncate(OPTIONS);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

/// The option `sack 2 {1:10}{20:30}`.
fn selective(option: &str, base: u32) -> Vec<u8> {
    let blocks = option.split('{').skip(1).take(4).filter_map(|block| {
        let (left, right) = block.split_once('}')?.0.split_once(':')?;
        let edge = |text: &str| Some(text.parse::<u32>().ok()?.wrapping_add(base).to_be_bytes());
        Some([edge(left)?, edge(right)?].concat())
    });
    let blocks: Vec<u8> = blocks.flatten().collect();
    [&[5, 2 + blocks.len() as u8][..], &blocks].concat()
}
