//! What the monitor of BPQ (LinBPQ, BPQ32) prints and its packet log has, and what monitors of AGWPE print.
//!
//! ```text
//! 10:11:12R N0CALL>KP4DJT,DIGI* Port=1 <I C P S2 R1>:
//! Hello world.
//!  1:Fm N0CALL To KP4DJT Via DIGI* <UI pid=F0 Len=12>[10:11:12]
//! Hello world.
//! ```
//!
//! Sources: `Moncode.c` (`IntDecodeFrame`, `WritePacketLogThread`) and `AGWMoncode.c` of LinBPQ. `C` is SABM and `D` is DISC as
//! the name of a frame, behind it C is a command, R a response, P and F the bit; without them the sender is of a version before 2.0.
//! Sequence numbers are modulo 8. The length is printed of UI frames alone and by AGWPE: else it is that of the text,
//! in which ends of lines are CR, and characters that do not print are missing. The end of the last line does not count, for BPQ
//! adds one where there is none.

use super::ax25::{Control, Heading, callsign, digipeaters, path};
use super::{Draft, Ports, Program, net_rom, shown, text};
use crate::reader::record::Description;
use crate::reader::stamps::Written;
use sojourn_protocols::ax25::wire::Role;

const NET_ROM: u8 = 0xcf;
/// Octets of text of a frame; BPQ prints 257 at most.
const LONGEST: usize = 4096;
/// What BPQ prints behind frames of other protocols, and their identifiers.
const PROTOCOLS: [(&str, u8); 4] = [("<IP>", 0xcc), ("ARP ", 0xcd), ("<Fragmented IP", 0x08), ("NODES ", NET_ROM)];
/// The identifier of compressed data.
const COMPRESSED: u8 = 0xf1;

/// A reader of the text.
#[derive(Debug, Default)]
pub(super) struct Text {
    ports: Ports,
    frame: Option<Frame>,
    has_unknown_lengths: bool,
}

#[derive(Debug)]
struct Frame {
    draft: Draft,
    expects: Expects,
    /// Length of what is before the text.
    headers: usize,
    /// Whether the text has the whole length.
    has_length: bool,
    /// Ends of lines before the next text.
    ends: usize,
}

/// What the next line may have of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    Nothing,
    Text,
    NetRom,
    Headers,
}

/// Whether a line is that of a frame, and then whether it has a time.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    let parts = Parts::of(line)?;
    Some(parts.time.is_some_and(|time| Written::read(time, None).is_some()))
}

/// The line of a frame in its parts.
struct Parts<'a> {
    time: Option<&'a str>,
    port: &'a str,
    addresses: Addresses<'a>,
    /// What is in the angle brackets.
    frame: &'a str,
    /// What is behind them and, with AGWPE, the time.
    behind: &'a str,
}

enum Addresses<'a> {
    /// `FROM>TO,VIA*`.
    Path(&'a str),
    /// `FROM To TO Via VIA*,VIA`.
    Words(&'a str),
}

impl<'a> Parts<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        Parts::of_bpq(line).or_else(|| Parts::of_agwpe(line))
    }

    fn of_bpq(line: &'a str) -> Option<Self> {
        let (time, rest) = line.split_at_checked(8)?;
        if time.bytes().filter(|byte| *byte == b':').count() != 2 {
            return None;
        }
        let rest = rest.strip_prefix(['R', 'T'])?.strip_prefix(' ')?;
        let (addresses, rest) = rest.split_once(' ')?;
        let (port, rest) = match rest.strip_prefix("Port=") {
            Some(rest) => rest.split_once(' ')?,
            None => ("", rest),
        };
        let (frame, behind) = rest.trim_start().strip_prefix('<')?.split_once('>')?;
        addresses.contains('>').then_some(Parts {
            time: Some(time),
            port,
            addresses: Addresses::Path(addresses),
            frame,
            behind,
        })
    }

    fn of_agwpe(line: &'a str) -> Option<Self> {
        let (port, rest) = line.trim_start().split_once(":Fm ")?;
        let (addresses, rest) = rest.split_once(" <")?;
        let (frame, behind) = rest.split_once('>')?;
        let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let (time, behind) = match behind.trim_start().strip_prefix('[').and_then(|behind| behind.split_once(']')) {
            Some((time, behind)) => (Some(time.trim_end_matches(['R', 'T', ' '])), behind),
            None => (None, behind),
        };
        is_port.then_some(Parts { time, port, addresses: Addresses::Words(addresses), frame, behind })
    }
}

impl Program for Text {
    fn begins(&self, line: &[u8]) -> bool {
        Parts::of(line).is_some()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if let Some(parts) = Parts::of(line) {
            self.frame = Some(self.frame(&parts)?);
            return Ok(());
        }
        let is_blank = line.iter().all(u8::is_ascii_whitespace);
        match &mut self.frame {
            Some(frame) if frame.expects == Expects::Text && is_blank => frame.ends += 1,
            _ if is_blank => {}
            Some(frame) if frame.expects != Expects::Nothing => frame.line(line),
            _ => return Err(format!("cannot be a frame: {}", shown(&text(line)))),
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<Draft> {
        let Frame { mut draft, headers, has_length, .. } = self.frame.take()?;
        if has_length {
            draft.octets.truncate(draft.length);
        } else {
            draft.length = draft.length.max(draft.octets.len());
            self.has_unknown_lengths |= draft.octets.len() > headers;
        }
        Some(draft)
    }

    fn port(&self, port: usize) -> Description {
        let mut description = self.ports.of_ax25(port);
        description.name = description.name.filter(|name| !name.is_empty());
        description
    }

    fn notes(&self) -> Vec<String> {
        let note = "the length of information is not printed and taken from the text, which lacks characters that do not print";
        self.has_unknown_lengths.then(|| note.to_owned()).into_iter().collect()
    }
}

impl Text {
    fn frame(&mut self, parts: &Parts<'_>) -> Result<Frame, String> {
        let time = parts.time.and_then(|time| Written::read(time, None)).ok_or("has no time")?;
        let (from, to, via) = match parts.addresses {
            Addresses::Path(addresses) => path(addresses)?,
            Addresses::Words(addresses) => {
                let (ends, via) = addresses.trim().split_once(" Via ").unwrap_or((addresses.trim(), ""));
                let (from, to) = ends.split_once(" To ").ok_or("has no addresses")?;
                let via = via.split([',', ' ']).filter(|name| !name.is_empty());
                (callsign(from.trim())?, callsign(to.trim())?, digipeaters(via)?)
            }
        };
        let Words { control, role, poll_final, mut pid, length } = Words::of(parts.frame)?;
        let behind = parts.behind.trim();
        let known = PROTOCOLS.iter().find(|(name, _)| behind.starts_with(name));
        let compressed = behind
            .split_once(" Bytes of Compressed")
            .and_then(|(bytes, _)| bytes.strip_prefix('<')?.parse::<u16>().ok());
        let expects = match (control.has_information(), behind) {
            (false, _) => Expects::Nothing,
            (true, "NET/ROM") => {
                pid = Some(NET_ROM);
                Expects::NetRom
            }
            (true, ":") => {
                pid = pid.or(Some(0xf0));
                Expects::Text
            }
            _ if known.is_some() => {
                pid = known.map(|(_, pid)| *pid);
                Expects::Headers
            }
            _ if compressed.is_some() => {
                pid = Some(COMPRESSED);
                Expects::Headers
            }
            _ if pid == Some(0xf0) => Expects::Text,
            _ if matches!(parts.addresses, Addresses::Words(_)) && pid.is_none() => {
                pid = Some(0xf0);
                Expects::Text
            }
            _ => Expects::Headers,
        };
        let heading = Heading { from, to, via, role, control, poll_final, is_extended: false, pid };
        let octets = heading.octets();
        let headers = octets.len();
        // an identifier or parameters that are not printed
        let least = usize::from(control.has_information() && pid.is_none() || control == Control::XID);
        let length = length.or(compressed);
        let whole = headers + length.map_or(least, usize::from);
        let port = self.ports.number(parts.port)?;
        let draft = Draft { time, port, octets, length: whole };
        Ok(Frame { draft, expects, headers, has_length: length.is_some(), ends: 0 })
    }
}

/// The words in angle brackets: `I C P R1 S2 pid=F0 Len=12`.
struct Words {
    control: Control,
    role: Role,
    poll_final: bool,
    pid: Option<u8>,
    length: Option<u16>,
}

impl Words {
    fn of(frame: &str) -> Result<Self, String> {
        let unknown = || format!("has the frame {}", shown(frame));
        let mut words = frame.split_whitespace();
        let name = words.next().ok_or_else(unknown)?;
        let (mut role, mut poll_final, mut pid, mut length) = (Role::PreV2 { bits: false }, false, None, None);
        let (mut n_s, mut n_r) = (None, None);
        let number = |digits: &str| digits.parse().ok().filter(|number: &u8| *number < 8);
        for word in words {
            match word {
                "C" => role = Role::Command,
                "R" => role = Role::Response,
                "P" | "F" => poll_final = true,
                _ => match (word.split_once('='), word.split_at_checked(1)) {
                    (Some((key, value)), _) if key.eq_ignore_ascii_case("pid") => {
                        pid = Some(u8::from_str_radix(value, 16).map_err(|_| unknown())?);
                    }
                    (Some((key, value)), _) if key.eq_ignore_ascii_case("len") => length = value.parse().ok(),
                    (None, Some(("S", digits))) => n_s = number(digits),
                    (None, Some(("R", digits))) => n_r = number(digits),
                    _ => return Err(unknown()),
                },
            }
        }
        let control = Control::named(name, n_s, n_r).ok_or_else(unknown)?;
        Ok(Words { control, role, poll_final, pid, length })
    }
}

impl Frame {
    /// Takes a line behind that of the frame.
    fn line(&mut self, line: &[u8]) {
        match self.expects {
            Expects::Text if self.draft.octets.len() - self.headers < LONGEST => {
                let octets = &mut self.draft.octets;
                octets.extend(std::iter::repeat_n(b'\r', self.ends.min(LONGEST)));
                octets.extend(&line[..line.len().min(LONGEST)]);
                self.ends = 1;
            }
            Expects::NetRom => {
                self.expects = Expects::Headers;
                if let Some(packet) = net_rom::of_bpq(&text(line)) {
                    self.draft.octets.extend(packet.to_bytes());
                    if packet.body.name() == "information" {
                        (self.expects, self.headers) = (Expects::Text, self.draft.octets.len());
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_frame_comes_before_what_kind_it_is() {
        let found = Words::of("C C P").unwrap();
        assert_eq!((found.control, found.role, found.poll_final), (Control::U(0x2f), Role::Command, true));
        let found = Words::of("I C P R1 S2 pid=F0 Len=12").unwrap();
        assert_eq!((found.control, found.pid, found.length), (Control::I { n_s: 2, n_r: 1 }, Some(0xf0), Some(12)));
        let found = Words::of("RR R F R5").unwrap();
        assert_eq!((found.control, found.role), (Control::S { code: 1, n_r: 5 }, Role::Response));
        assert!(Words::of("RR R F R9").is_err() && Words::of("").is_err() && Words::of("?? C").is_err());
    }
}
