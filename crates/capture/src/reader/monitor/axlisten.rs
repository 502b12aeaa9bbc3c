//! What `axlisten` (`listen`) of ax25-apps prints.
//!
//! ```text
//! ax0: fm N0CALL to KP4DJT via WIDE1* WIDE2 ctl I10^ pid=F0(Text) len 12 10:11:12.123456
//! 0000  Hello world.
//! ax0: fm KP4DJT to N0CALL ctl RR1v 10:11:13.000001
//! ```
//!
//! Sources: `listen/listen.c`, `listen/ax25dump.c`, `listen/nrdump.c` of ax25-apps. An I frame has N(R), then N(S); `+` is
//! a command with P, `^` one without, `-` a response with F, `v` one without. The information of text and unknown protocols
//! follows as characters, 64 in a line behind their offset, with a dot for those that do not print; with `-h` in
//! hexadecimal, 16 in a line; with `-r` as lines. Of NET/ROM the headers are printed and the user data; of other protocols headers
//! alone, so that the information counts as cut. SREJ is printed as `[invalid]` with a number.

use super::ax25::{Control, Heading, callsign};
use super::net_rom::Route;
use super::{Draft, Ports, Program, shown, text};
use crate::reader::record::Description;
use crate::reader::stamps::Written;
use sojourn_protocols::ax25::wire::{DIGIPEATER_LIMIT, Role};

/// Protocols whose information `axlisten` decodes: of segments, X.25, IP, ARP, FlexNet and OpenTRAC.
const DECODED: [u8; 6] = [0x08, 0x01, 0xcc, 0xcd, 0xce, 0x77];
const NET_ROM: u8 = 0xcf;
/// Characters in a line of a dump.
const DUMPED: usize = 64;

/// A reader of the text.
#[derive(Debug, Default)]
pub(super) struct Text {
    ports: Ports,
    frame: Option<Frame>,
    has_dots: bool,
}

/// A frame that lines are added to.
#[derive(Debug)]
struct Frame {
    draft: Draft,
    expects: Expects,
    /// Octets of the dump at hand so far.
    dumped: usize,
}

/// What the next line may have of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    Nothing,
    /// Information that is printed as it is.
    Dump,
    NetRom,
    Transport(Route),
    /// Headers of a protocol that are not read.
    Headers,
}

/// Whether a line is that of a frame, and then whether it has a time.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    let (_, rest) = head(line)?;
    Some(rest.split_whitespace().any(|word| Written::read(word, None).is_some()))
}

/// The port and the rest of the line of a frame.
fn head(line: &[u8]) -> Option<(&str, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let (port, rest) = line.split_once(": ")?;
    let port = port.strip_prefix("Port ").unwrap_or(port);
    let is_frame = rest.strip_prefix("EAX25: ").unwrap_or(rest).starts_with("fm ") && rest.contains(" to ");
    (is_frame && !port.is_empty() && !port.contains(char::is_whitespace)).then_some((port, rest))
}

impl Program for Text {
    fn begins(&self, line: &[u8]) -> bool {
        head(line).is_some()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if let Some((port, rest)) = head(line) {
            self.frame = Some(self.frame(port, rest)?);
            return Ok(());
        }
        match &mut self.frame {
            _ if line.iter().all(u8::is_ascii_whitespace) => {}
            Some(frame) if frame.expects != Expects::Nothing => self.has_dots |= frame.line(line),
            _ => return Err(format!("cannot be a frame: {}", shown(&text(line)))),
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<Draft> {
        let mut draft = self.frame.take()?.draft;
        draft.octets.truncate(draft.length);
        Some(draft)
    }

    fn port(&self, port: usize) -> Description {
        self.ports.of_ax25(port)
    }

    fn notes(&self) -> Vec<String> {
        let note = "characters that do not print are dots in this text and are taken as printed (axlisten -h prints all octets)";
        self.has_dots.then(|| note.to_owned()).into_iter().collect()
    }
}

impl Text {
    fn frame(&mut self, port: &str, line: &str) -> Result<Frame, String> {
        let (heading, rest) = heading(line)?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let time = time(&words).ok_or("has no time")?;
        let length =
            words.windows(2).find_map(|pair| (pair[0] == "len").then(|| pair[1].parse::<u16>().ok())).flatten();
        let (pid, octets) = (heading.pid, heading.octets());
        let is_exchange = heading.control == Control::XID;
        let length = octets.len() + usize::from(length.unwrap_or(u16::from(is_exchange)));
        let expects = match pid {
            None => Expects::Nothing,
            Some(NET_ROM) => Expects::NetRom,
            Some(pid) if DECODED.contains(&pid) => Expects::Headers,
            Some(_) => Expects::Dump,
        };
        let port = self.ports.number(port)?;
        Ok(Frame { draft: Draft { time, port, octets, length }, expects, dumped: 0 })
    }
}

/// The heading of a frame, and what follows the control field.
fn heading(line: &str) -> Result<(Heading, &str), String> {
    let (is_extended, line) = line.strip_prefix("EAX25: ").map_or((false, line), |line| (true, line));
    let (addresses, rest) = line.split_once(" ctl ").ok_or("has no control field")?;
    let words: Vec<&str> = addresses.split_whitespace().collect();
    let (ends, via) = match words.as_slice() {
        ["fm", from, "to", to] => ([*from, *to], &[][..]),
        ["fm", from, "to", to, "via", via @ ..] if via.len() <= DIGIPEATER_LIMIT => ([*from, *to], via),
        _ => return Err(format!("has the addresses {}", shown(addresses))),
    };
    let [from, to] = [callsign(ends[0])?, callsign(ends[1])?];
    let via = via.iter().map(|name| match name.strip_suffix('*') {
        Some(name) => Ok((callsign(name)?, true)),
        None => Ok((callsign(name)?, false)),
    });
    let via = via.collect::<Result<_, String>>()?;
    let (field, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (control, role, poll_final) = control(field, is_extended)?;
    let pid = rest.trim_start().strip_prefix("pid=").map(|pid| {
        let digits = pid.find(|c: char| !c.is_ascii_hexdigit()).map_or(pid, |end| &pid[..end]);
        u8::from_str_radix(digits, 16).map_err(|_| format!("has the identifier {}", shown(pid)))
    });
    let pid = pid.transpose()?;
    Ok((
        Heading {
            from,
            to,
            via,
            role,
            control,
            poll_final,
            is_extended: is_extended && !matches!(control, Control::U(_)),
            pid,
        },
        rest,
    ))
}

/// The control field `I10^`: name, N(R), N(S), command or response with P or F.
fn control(field: &str, is_extended: bool) -> Result<(Control, Role, bool), String> {
    let unknown = || format!("has the control field {}", shown(field));
    let (body, role, poll_final) = match field.as_bytes().last() {
        Some(b'+') => (&field[..field.len() - 1], Role::Command, true),
        Some(b'^') => (&field[..field.len() - 1], Role::Command, false),
        Some(b'-') => (&field[..field.len() - 1], Role::Response, true),
        Some(b'v') => (&field[..field.len() - 1], Role::Response, false),
        _ => (field, Role::PreV2 { bits: false }, false),
    };
    let (name, numbers) = body.split_at(body.find(|c: char| c.is_ascii_digit()).unwrap_or(body.len()));
    let name = if name == "[invalid]" && !numbers.is_empty() { "SREJ" } else { name };
    let largest = if is_extended { 127 } else { 7 };
    let number =
        |digits: &str| digits.parse().ok().filter(|number: &u8| *number <= largest && *digits == number.to_string());
    let (n_r, n_s) = match (name, numbers) {
        ("I", numbers) if is_extended => {
            let splits =
                (1..numbers.len()).filter_map(|at| Some((number(numbers.get(..at)?)?, number(numbers.get(at..)?)?)));
            let splits: Vec<(u8, u8)> = splits.collect();
            let &[(n_r, n_s)] = splits.as_slice() else {
                return Err(format!("does not show where N(R) ends and N(S) begins: {}", shown(field)));
            };
            (Some(n_r), Some(n_s))
        }
        ("I", numbers) if numbers.len() == 2 => (number(&numbers[..1]), number(&numbers[1..])),
        (_, numbers) => (number(numbers), None),
    };
    let control = Control::named(name, n_s, n_r).filter(|_| name != "C" && name != "D").ok_or_else(unknown)?;
    Ok((control, role, poll_final))
}

/// The time behind the other words, with the date before it if there is one.
fn time(words: &[&str]) -> Option<Written> {
    let is_date = |word: &str| word.len() == 10 && word.as_bytes()[4] == b'-' && word.as_bytes()[7] == b'-';
    words.iter().enumerate().find_map(|(at, word)| {
        let date = at.checked_sub(1).map(|before| words[before]).filter(|word| is_date(word));
        Written::read(word, date)
    })
}

impl Frame {
    /// Takes a line behind the heading; returns whether it has dots for characters.
    fn line(&mut self, line: &[u8]) -> bool {
        match self.expects {
            Expects::Dump => return self.dump(line),
            Expects::NetRom => {
                self.expects = Route::of_axlisten(&text(line)).map_or(Expects::Headers, Expects::Transport);
            }
            Expects::Transport(route) => {
                self.expects = Expects::Headers;
                if let Some(packet) = route.transport_of_axlisten(&text(line)) {
                    self.draft.octets.extend(packet.to_bytes());
                    if packet.body.name() == "information" {
                        self.expects = Expects::Dump;
                    }
                }
            }
            Expects::Headers | Expects::Nothing => {}
        }
        false
    }

    fn dump(&mut self, line: &[u8]) -> bool {
        let left = self.draft.length.saturating_sub(self.draft.octets.len());
        let before = self.draft.octets.len();
        let has_dots = match offset(line) {
            Some((at, dumped)) if at >= self.dumped && at - self.dumped <= DUMPED => {
                // spaces at the end of the line before are lost
                self.draft.octets.extend(std::iter::repeat_n(b' ', left.min(at - self.dumped)));
                let octets = hexadecimal(dumped);
                self.draft.octets.extend(octets.as_deref().unwrap_or(dumped));
                octets.is_none() && dumped.contains(&b'.')
            }
            _ => {
                self.draft.octets.extend(line);
                self.draft.octets.push(b'\r');
                false
            }
        };
        self.draft.octets.truncate(self.draft.length.max(before));
        self.dumped += self.draft.octets.len() - before;
        has_dots
    }
}

/// The offset of a line of a dump, and the line behind it.
fn offset(line: &[u8]) -> Option<(usize, &[u8])> {
    let (digits, rest) = line.split_at_checked(4)?;
    let is_offset = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'A'..=b'F'));
    let rest = rest.strip_prefix(b"  ").filter(|_| is_offset)?;
    Some((usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, rest))
}

/// The octets of `48 65 6C 6C 6F`, padded to 16, then ` | ` and the characters.
fn hexadecimal(dumped: &[u8]) -> Option<Vec<u8>> {
    let octets = dumped.get(..48).filter(|_| dumped[48..].starts_with(b" | "))?;
    let octets = std::str::from_utf8(octets).ok()?;
    octets.split_whitespace().map(|octet| (octet.len() == 2).then(|| u8::from_str_radix(octet, 16).ok())?).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_i_frames_are_n_r_then_n_s() {
        let found = control("I53+", false).unwrap();
        assert_eq!(found, (Control::I { n_s: 3, n_r: 5 }, Role::Command, true));
        assert_eq!(control("I9912^", true).unwrap().0, Control::I { n_s: 12, n_r: 99 });
        assert!(control("I123^", true).unwrap_err().starts_with("does not show where N(R) ends"));
        let found = control("[invalid]3v", false).unwrap();
        assert_eq!(found, (Control::S { code: 0x0d, n_r: 3 }, Role::Response, false));
        assert_eq!(control("SABM", false).unwrap(), (Control::U(0x2f), Role::PreV2 { bits: false }, false));
        assert_eq!(control("[invalid]+", false).unwrap_err(), "has the control field \"[invalid]+\"");
    }

    #[test]
    fn times_stand_behind_the_other_words_with_or_without_a_date() {
        let date = time(&["len", "3", "2022-02-26", "15:36:57.051240"]).unwrap();
        assert_eq!(date.nanoseconds, 1_645_889_817_051_240_000);
        assert_eq!(time(&["1645889817.051240"]), Some(date));
        assert_eq!(time(&["[DAMA]", "00:00:01"]).unwrap().nanoseconds, 1_000_000_000);
        assert_eq!(time(&["len", "12"]), None);
    }
}
