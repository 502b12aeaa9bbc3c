//! What `tcpdump -n` prints of IPv4 and IPv6.
//!
//! ```text
//! 10:11:12.123456 IP 10.0.0.1.33779 > 10.0.0.2.80: Flags [S], seq 603899916, win 64240, options [mss 1460], length 0
//! 10:11:12.124000 IP6 fe80::1 > fe80::2: ICMP6, echo request, id 5, seq 1, length 64
//! ```
//!
//! Sources: `print.c`, `util-print.c` (`ts_print`), `print-ether.c`, `print-sll.c`, `print-ip.c`, `print-ip6.c`, `print-tcp.c`,
//! `print-udp.c`, `print-domain.c`, `print-icmp.c`, `print-icmp6.c`, `print-ascii.c` of tcpdump. Times are of any option `-t`; the
//! number of a packet (`-#`), the interface and direction of `-i any`, the link header of `-e`, the header of IP of `-v`
//! and the octets of `-x`, `-X`, `-xx` and `-XX` are read. Fields that are not printed are 0: without `-v` those of IP
//! other than addresses, length and protocol. User data are not printed either and count as cut.

mod datagram;
mod internet;
mod segment;

use self::internet::{Ends, Link, Network, Payload};
use self::segment::Connections;
use super::{Draft, Ports, Program, shown, text};
use crate::LinkType;
use crate::reader::record::Description;
use crate::reader::stamps::{Origin, Written};

/// Messages of the program itself.
const MESSAGES: [&str; 7] = [
    "tcpdump:",
    "listening on ",
    "reading from file",
    "dropped privs",
    "captured",
    "received by filter",
    "dropped by kernel",
];
/// The longest packet of which octets in hexadecimal are kept.
const LONGEST_DUMP: usize = 256 * 1024;

/// A reader of the text.
#[derive(Debug, Default)]
pub(super) struct Text {
    ports: Ports,
    links: Vec<LinkType>,
    connections: Connections,
    packet: Option<Packet>,
    /// A header of IP whose packet is in the next line, as with `-v`.
    header: Option<Header>,
    found: Found,
}

#[derive(Debug)]
struct Header {
    time: Written,
    port: usize,
    link: Link,
    network: Network,
}

#[derive(Debug)]
struct Packet {
    draft: Draft,
    link: Link,
    ends: Ends,
    /// Octets in hexadecimal so far.
    dump: Vec<u8>,
}

/// What notes are about.
#[derive(Debug, Default)]
struct Found {
    packets: u64,
    /// Packets that are not read, and the first of them.
    others: u64,
    first_other: String,
    /// Packets whose lines do not have their length.
    without_length: u64,
    /// Packets whose user data are not printed.
    without_data: u64,
}

/// Whether a line is that of a packet, and then whether it has a time.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    let line = std::str::from_utf8(line).ok()?;
    let (time, rest) = stamped(line);
    let (_, behind) = internet::behind_interface(rest);
    let packet = behind.strip_prefix("IP6 ").or_else(|| behind.strip_prefix("IP "));
    let is_packet = packet.is_some_and(|packet| packet.starts_with('(') || packet.contains(" > "))
        || behind.starts_with("ARP, ")
        || rest.contains("ethertype ");
    is_packet.then_some(time.is_some())
}

/// The time of a line and what is behind it, without the number of the packet.
fn stamped(line: &str) -> (Option<Written>, &str) {
    let line = match line.trim_start().split_once("  ") {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => line,
    };
    // a difference has a sign, which is a space where it is positive
    let is_difference = line.starts_with([' ', '-']);
    let plain = if is_difference { &line[1..] } else { line };
    if plain.starts_with([' ', '\t']) {
        return (None, line);
    }
    let (first, rest) = plain.split_once(' ').unwrap_or((plain, ""));
    if let Some(written) = Written::read(first, None) {
        let is_before = line.starts_with('-');
        let from = if is_difference { Origin::Previous { is_before } } else { written.from };
        return (Some(Written { from, ..written }), rest);
    }
    let is_date = first.len() == 10 && first.as_bytes()[4] == b'-';
    let (second, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    match Written::read(second, Some(first)).filter(|_| is_date) {
        Some(written) => (Some(written), behind),
        None => (None, line),
    }
}

impl Program for Text {
    fn begins(&self, line: &[u8]) -> bool {
        line.first() != Some(&b'\t') && stamped(&text(line)).0.is_some()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.first() == Some(&b'\t') {
            if let Some(packet) = &mut self.packet {
                packet.dumped(line);
            }
            return Ok(());
        }
        let line = text(line);
        let (time, rest) = stamped(&line);
        let is_message = || MESSAGES.iter().any(|message| line.starts_with(message) || line.ends_with(message));
        match (time, self.header.take()) {
            (Some(time), _) => self.begin(time, rest),
            (None, Some(header)) if line.starts_with("    ") => self.packet(header, line.trim_start()),
            (None, _) if line.trim().is_empty() || line.starts_with("    ") || is_message() => Ok(()),
            (None, _) => Err(format!("has no time: {}", shown(&line))),
        }
    }

    fn finish(&mut self) -> Option<Draft> {
        self.header = None;
        let Packet { mut draft, link, ends, dump } = self.packet.take()?;
        if let Some(octets) = link.with_dump(&draft.octets, &dump, &ends) {
            draft.length = draft.length.max(octets.len());
            draft.octets = octets;
        }
        self.found.packets += 1;
        self.found.without_data += u64::from(draft.length > draft.octets.len());
        Some(draft)
    }

    fn port(&self, port: usize) -> Description {
        let link_type = self.links.get(port).copied().unwrap_or(LinkType::RAW_IP);
        let name = self.ports.0.get(port).and_then(|name| name.split_once(' ')).map(|(_, name)| name);
        Description { name: name.filter(|name| !name.is_empty()).map(str::to_owned), link_type, speed: None }
    }

    fn notes(&self) -> Vec<String> {
        let Found { packets, others, first_other, without_length, without_data } = &self.found;
        let others = (*others > 0).then(|| {
            format!("{others} packets of other protocols are not read from this text, the first {}", shown(first_other))
        });
        let lengths = (*without_length > 0).then(|| {
            format!("{without_length} of {packets} packets do not have their length in this text and count without user data")
        });
        let data = (*without_data > 0).then(|| {
            format!(
                "user data of {without_data} of {packets} packets are not in this text: requests and answers are taken in turn, not by \
                 what applications send (tcpdump -w writes all octets, -x prints them)"
            )
        });
        others.into_iter().chain(lengths).chain(data).collect()
    }
}

impl Text {
    /// Takes what is behind the time of a line.
    fn begin(&mut self, time: Written, rest: &str) -> Result<(), String> {
        let (interface, behind) = internet::behind_interface(rest);
        let Some((link, network, rest)) = Link::of(behind) else {
            if self.found.others == 0 {
                rest.clone_into(&mut self.found.first_other);
            }
            self.found.others += 1;
            return Ok(());
        };
        let link_type = link.link_type();
        let port = self.ports.number(&format!("{} {interface}", link_type.0))?;
        if self.links.len() == port {
            self.links.push(link_type);
        }
        let header = Header { time, port, link, network };
        let (network, rest) = header.network.verbose(rest);
        let header = Header { network, ..header };
        if rest.is_empty() {
            self.header = Some(header);
            return Ok(());
        }
        self.packet(header, rest)
    }

    /// Takes `SOURCE > DESTINATION: ...`, behind a header of IP.
    fn packet(&mut self, header: Header, line: &str) -> Result<(), String> {
        let Header { time, port, link, network } = header;
        let (ends, mut rest) = Ends::of(line, network.is_v6)?;
        // what -vv finds of checksums
        while let Some((_, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            rest = behind;
        }
        let payload = if network.is_later_fragment() {
            Payload::unread(network.protocol.unwrap_or_default())
        } else if rest.starts_with("Flags [") {
            self.connections.segment(&ends, rest)?
        } else {
            match datagram::payload(&ends, rest)? {
                Some(payload) => payload,
                None => {
                    self.found.others += 1;
                    if self.found.others == 1 {
                        line.clone_into(&mut self.found.first_other);
                    }
                    return Ok(());
                }
            }
        };
        self.found.without_length += u64::from(payload.length.is_none() && network.length.is_none());
        let (octets, length) = network.octets(&ends, &payload);
        let draft = Draft { time, port, length: link.length(length), octets: link.before(octets) };
        self.packet = Some(Packet { draft, link, ends, dump: Vec::new() });
        Ok(())
    }
}

impl Packet {
    /// Takes a line of octets, `\t0x0010:  4500 003c ...`; those of `-X` have characters behind two spaces.
    fn dumped(&mut self, line: &[u8]) {
        let line = text(line);
        let Some((offset, octets)) = line.trim_start().strip_prefix("0x").and_then(|line| line.split_once(": ")) else {
            return;
        };
        let is_next = usize::from_str_radix(offset, 16) == Ok(self.dump.len());
        if !is_next || self.dump.len() > LONGEST_DUMP {
            return;
        }
        let octets = octets.trim_start();
        let digits = octets.split("  ").next().unwrap_or_default().bytes().filter(u8::is_ascii_hexdigit).take(32);
        let digits: Vec<u8> = digits.map(|digit| char::from(digit).to_digit(16).unwrap_or_default() as u8).collect();
        self.dump.extend(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_every_option() {
        let read = |line| stamped(line);
        let of_day = Written { nanoseconds: 36_672_000_001_000, from: Origin::Midnight };
        assert_eq!(read("10:11:12.000001 IP a"), (Some(of_day), "IP a"));
        let epoch = Written { nanoseconds: 1_591_780_863_720_289_000, from: Origin::Epoch };
        assert_eq!(read("1591780863.720289 IP a"), (Some(epoch), "IP a"));
        assert_eq!(read("2020-06-10 09:21:03.720289 IP a"), (Some(epoch), "IP a"));
        assert_eq!(read("    1  2020-06-10 09:21:03.720289 IP a"), (Some(epoch), "IP a"));
        let later = Written { nanoseconds: 126_619_000, from: Origin::Previous { is_before: false } };
        assert_eq!(read(" 00:00:00.126619 IP a"), (Some(later), "IP a"));
        let before = Written { from: Origin::Previous { is_before: true }, ..later };
        assert_eq!(read("-00:00:00.126619 IP a"), (Some(before), "IP a"));
        assert_eq!(read("IP 10.0.0.1 > 10.0.0.2: x").0, None);
        assert_eq!(read("    10.0.0.1.5 > 10.0.0.2.6: x").0, None);
    }
}
