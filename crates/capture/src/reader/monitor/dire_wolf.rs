//! What Dire Wolf prints on its console with `-T`.
//!
//! ```text
//! [0.3 10:11:12] N0CALL>APRS,WIDE1-1*,WIDE2-1:!4237.14NS07120.83W#
//! [0L 10:11:13] N0CALL>KP4DJT:(I cmd, n(s)=0, n(r)=1, p=0, pid=0xf0)Hello<0x0d>
//! ```
//!
//! Sources: `src/direwolf.c` (received), `src/xmit.c` (sent: `L` or `H` behind the channel), `src/ax25_pad.c`
//! (`ax25_format_addrs`, `ax25_frame_type`, `ax25_safe_print`, `ax25_hex_dump`), `src/dtime_now.c` (`timestamp_user_format`).
//! The asterisk follows the last digipeater that has repeated the frame. UI frames of text have no description; other frames have, and
//! octets that do not print are in hexadecimal, so that information is whole. Colours, without `-t 0`, are taken out (`src/textcolor.c`). A hexadecimal dump, with `-d p`, is taken
//! in place of it. All other lines are messages of the program or what it finds in APRS, and are passed over.

use std::borrow::Cow;

use super::ax25::{Control, Extended, Heading, path};
use super::{Draft, Ports, Program, text};
use crate::reader::record::Description;
use crate::reader::stamps::{DAY, Written};
use sojourn_protocols::ax25::wire::Role;

/// No layer 3.
const TEXT: u8 = 0xf0;
const NET_ROM: u8 = 0xcf;
const ESCAPE: u8 = 0x1b;
/// The identifier of a UI frame that is not of text, which is not printed.
const NOT_PRINTED: u8 = 0x00;

/// A reader of the text.
#[derive(Debug, Default)]
pub(super) struct Text {
    ports: Ports,
    extended: Extended,
    frame: Option<Draft>,
    /// The dump of the frame so far, between its lines of hyphens.
    dump: Option<Vec<u8>>,
    has_unknown_pid: bool,
}

/// Whether a line is that of a frame, and then whether it has a time.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    let line = plain(line);
    let (bracket, rest) = head(&line)?;
    let (addresses, _) = split(rest, b':')?;
    path(&text(addresses)).ok()?;
    Some(time(bracket.split_once(' ').map_or("", |(_, time)| time)).is_some())
}

/// A line without the sequences that set colours: ESC, a bracket, parameters and a final octet (ECMA-48, 5.4).
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.contains(&ESCAPE) {
        return Cow::Borrowed(line);
    }
    let mut octets = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        match (first, behind) {
            (ESCAPE, [b'[', sequence @ ..]) => {
                let end = sequence.iter().position(|octet| matches!(octet, 0x40..=0x7e));
                rest = &sequence[end.map_or(sequence.len(), |end| end + 1)..];
            }
            _ => octets.push(first),
        }
    }
    Cow::Owned(octets)
}

/// What is in the brackets of a frame's line, and what is behind them.
fn head(line: &[u8]) -> Option<(&str, &[u8])> {
    let line = line.strip_prefix(b"[").filter(|line| line.first().is_some_and(u8::is_ascii_digit))?;
    let (bracket, rest) = split(line, b']')?;
    Some((std::str::from_utf8(bracket).ok()?, rest.strip_prefix(b" ")?))
}

fn split(line: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = line.iter().position(|octet| *octet == at)?;
    Some((&line[..place], &line[place + 1..]))
}

impl Program for Text {
    fn begins(&self, line: &[u8]) -> bool {
        head(&plain(line)).is_some()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = plain(line);
        if let Some((bracket, rest)) = head(&line) {
            self.frame = Some(self.frame(bracket, rest)?);
            return Ok(());
        }
        if line.starts_with(b"------") {
            self.dump = if self.dump.is_none() && self.frame.is_some() { Some(Vec::new()) } else { self.take_dump() };
        } else if let Some(dump) = &mut self.dump
            && let Some((offset, octets)) = dumped(&line)
            && offset == dump.len()
        {
            dump.extend(octets);
        }
        Ok(())
    }

    fn finish(&mut self) -> Option<Draft> {
        self.take_dump();
        self.frame.take()
    }

    fn port(&self, port: usize) -> Description {
        self.ports.of_ax25(port)
    }

    fn notes(&self) -> Vec<String> {
        let note = "the identifier of layer 3 (PID) of UI frames that are not of text is not printed and taken as 00 \
                    (direwolf -d p prints all octets)";
        self.has_unknown_pid.then(|| note.to_owned()).into_iter().collect()
    }
}

impl Text {
    fn frame(&mut self, bracket: &str, rest: &[u8]) -> Result<Draft, String> {
        let (channel, stamp) = bracket.split_once(' ').unwrap_or((bracket, ""));
        let time = time(stamp).ok_or("has no time")?;
        let (addresses, rest) = split(rest, b':').ok_or("has no colon behind its addresses")?;
        let (from, to, via) = path(&text(addresses))?;
        let described = description(rest);
        let is_exchange = described.as_ref().is_some_and(|(of, _)| of.control == Control::XID);
        let (of, information) = described.unwrap_or((Described::TEXT, rest));
        let information = if is_exchange { Vec::new() } else { unescaped(information) };
        let pid = match of.pid {
            None if of.control != Control::UI => None,
            None if information.first() == Some(&0xff) => Some(NET_ROM),
            None => {
                self.has_unknown_pid = true;
                Some(NOT_PRINTED)
            }
            pid => pid,
        };
        let Described { control, role, poll_final, .. } = of;
        let is_extended = self.extended.has(from, to, control) && !matches!(control, Control::U(_));
        let heading = Heading { from, to, via, role, control, poll_final, is_extended, pid };
        let mut octets = heading.octets();
        octets.extend(information);
        // the parameters of XID are printed as words
        let length = octets.len() + usize::from(is_exchange);
        let number = channel.find(|c: char| !c.is_ascii_digit()).map_or(channel, |end| &channel[..end]);
        let port = self.ports.number(if channel.ends_with("is") { channel } else { number })?;
        Ok(Draft { time, port, octets, length })
    }

    /// Ends a dump, whose octets are the frame's if they are from the same station.
    fn take_dump(&mut self) -> Option<Vec<u8>> {
        let dump = self.dump.take()?;
        let frame = self.frame.as_mut()?;
        let addresses = |octets: &[u8]| octets.get(7..13).map(<[u8]>::to_vec);
        if addresses(&dump).is_some_and(|of| Some(of) == addresses(&frame.octets)) {
            frame.length = dump.len();
            frame.octets = dump;
        }
        None
    }
}

/// What a description says of a frame.
struct Described {
    control: Control,
    role: Role,
    poll_final: bool,
    pid: Option<u8>,
}

impl Described {
    /// A UI frame of text; C is not printed of it.
    const TEXT: Described = Described { control: Control::UI, role: Role::Command, poll_final: false, pid: Some(TEXT) };
}

/// The description `(I cmd, n(s)=0, n(r)=1, p=0, pid=0xf0)` and what is behind it; text may begin with a parenthesis too.
fn description(line: &[u8]) -> Option<(Described, &[u8])> {
    let line = line.strip_prefix(b"(")?;
    // n(s) and n(r) have parentheses of their own
    let end = line
        .iter()
        .enumerate()
        .position(|(at, octet)| *octet == b')' && !matches!(line[..at], [.., b'n', b'(', b's' | b'r']))?;
    let mut fields = std::str::from_utf8(&line[..end]).ok()?.split(", ");
    let (name, role) = fields.next()?.split_once(' ')?;
    let role = match role {
        "cmd" => Role::Command,
        "res" => Role::Response,
        "cc=00" => Role::PreV2 { bits: false },
        "cc=11" => Role::PreV2 { bits: true },
        _ => return None,
    };
    let (mut n_s, mut n_r, mut flag, mut pid) = (None, None, None, None);
    for field in fields {
        let (key, value) = field.split_once('=')?;
        match key {
            "n(s)" => n_s = Some(number(value)?),
            "n(r)" => n_r = Some(number(value)?),
            "p" | "f" | "p/f" => flag = Some(number(value)? != 0),
            "pid" => pid = Some(u8::from_str_radix(value.strip_prefix("0x")?, 16).ok()?),
            _ => return None,
        }
    }
    let control = Control::named(name, n_s, n_r).filter(|_| name != "C" && name != "D")?;
    Some((Described { control, role, poll_final: flag?, pid }, &line[end + 1..]))
}

/// A sequence number, of seven bits at most.
fn number(text: &str) -> Option<u8> {
    text.parse().ok().filter(|number| *number < 128)
}

/// Information in which octets that do not print are `<0x0d>`.
fn unescaped(printed: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(printed.len());
    let mut rest = printed;
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = rest.strip_prefix(b"<0x").and_then(|hex| {
            let (&[high, low, b'>'], behind) = hex.split_first_chunk()? else { return None };
            let digit = |octet: u8| char::from(octet).to_digit(16);
            Some(((digit(high)? << 4 | digit(low)?) as u8, behind))
        });
        let (octet, behind) = escaped.unwrap_or((first, behind));
        octets.push(octet);
        rest = behind;
    }
    octets
}

/// The offset and the octets of `  010:  82 a0 a4 ...  characters`.
fn dumped(line: &[u8]) -> Option<(usize, Vec<u8>)> {
    let line = line.strip_prefix(b"  ")?;
    let (offset, octets) = split(line, b':')?;
    let offset = usize::from_str_radix(std::str::from_utf8(offset).ok()?, 16).ok()?;
    let octets = std::str::from_utf8(&octets[..octets.len().min(1 + 3 * 16)]).ok()?;
    let octets =
        octets.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).ok()).collect::<Option<Vec<_>>>()?;
    (octets.len() <= 16).then_some((offset, octets))
}

/// The time of a format of the user's: a date of year, month and day if there is one, and the time of day; other dates do not
/// count, for they may begin with the day or the month.
fn time(stamp: &str) -> Option<Written> {
    let words: Vec<&str> = stamp.split([' ', 'T']).filter(|word| !word.is_empty()).collect();
    let of_day = words.iter().position(|word| word.contains(':'));
    let Some(place) = of_day else { return words.iter().find_map(|word| Written::read(word, None)) };
    let clock = words[place].trim_end_matches('Z');
    let is_date = |word: &&str| word.len() == 10 && word.as_bytes()[4] == b'-';
    let date = place.checked_sub(1).map(|before| words[before]).filter(is_date);
    let mut written = Written::read(clock, date).or_else(|| Written::read(&format!("{clock}:00"), date))?;
    let half = words.get(place + 1).map(|word| word.to_ascii_uppercase());
    let hour = written.nanoseconds % DAY / (DAY / 24);
    match half.as_deref() {
        Some("PM") if hour < 12 => written.nanoseconds += DAY / 2,
        Some("AM") if hour == 12 => written.nanoseconds -= DAY / 2,
        _ => {}
    }
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::stamps::Origin;

    #[test]
    fn times_are_of_the_usual_formats() {
        let read = |stamp| time(stamp).map(|written| (written.nanoseconds / 1_000_000_000, written.from));
        assert_eq!(read("10:11:12"), Some((36_672, Origin::Midnight)));
        assert_eq!(read("2022-02-26 15:36:57"), Some((1_645_889_817, Origin::Epoch)));
        assert_eq!(read("2022-02-26T15:36:57Z"), Some((1_645_889_817, Origin::Epoch)));
        assert_eq!(read("02/26/22 15:36:57"), Some((56_217, Origin::Midnight)));
        assert_eq!(read("03:36:57 PM"), Some((56_217, Origin::Midnight)));
        assert_eq!(read("12:00:01 AM"), Some((1, Origin::Midnight)));
        assert_eq!(read("15:36"), Some((56_160, Origin::Midnight)));
        assert_eq!(read("1645889817"), Some((1_645_889_817, Origin::Epoch)));
        assert_eq!(read("noon"), None);
    }

    #[test]
    fn octets_that_do_not_print_are_in_hexadecimal() {
        assert_eq!(unescaped(b"a<0x0d><0xFf><0x0><b>"), b"a\r\xff<0x0><b>");
    }

    #[test]
    fn text_that_begins_with_a_parenthesis_is_no_description() {
        assert!(description(b"(hello) there").is_none());
        assert!(description(b"(RR res, n(r)=3, f=1)").is_some());
        assert!(description(b"(RR res, n(r)=300, f=1)").is_none());
        assert!(description(b"(I cmd, n(s)=0, p=1)").is_none());
    }
}
