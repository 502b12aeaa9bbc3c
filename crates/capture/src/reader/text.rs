//! LonTalk packet logs as text: a header line with the column names, then one line per packet, as protocol analysers
//! export their tables (LOYTEC LPA User Manual 3.3, 4.9; column and decimal separators are configurable there).
//!
//! | column | contents |
//! |---|---|
//! | `Time` | `14:06:22.435`, with a date before it or in a column `Date`; or seconds |
//! | `Raw`, `Raw data` or `Packet` | the packet in hexadecimal from the link header on, with or without its CRC |
//!
//! Other columns (number, length, source, destination, service, transaction) repeat what the packet contains and are
//! not read. The first packet decides whether packets include their CRC. Unreadable lines are counted and skipped.

use sojourn_protocols::lontalk::wire::crc;

use super::lines::line_length;
use super::record::{Broken, Description, Record};
use super::stamps::{Midnight, nanoseconds};
use super::window::Window;
use crate::LinkType;

/// Lines that cannot be read are stated one by one up to this number.
const STATED: usize = 8;
const SEPARATORS: [u8; 4] = *b";\t|,";
/// Names of the column with the packet.
const RAW: [&str; 6] = ["raw", "raw data", "raw packet", "packet", "packet data", "bytes"];

/// A file of this format.
pub(super) struct TextLog {
    separator: u8,
    date: Option<usize>,
    time: usize,
    raw: usize,
    /// Number of the last line.
    line: u64,
    has_crc: Option<bool>,
    midnight: Midnight,
    invalid: Vec<String>,
    more_invalid: u64,
    /// The packet of the line at hand.
    pub packet: Vec<u8>,
    pub interface: Description,
}

impl TextLog {
    /// Reads the line of column names; `None` if a file does not begin with one.
    pub fn open(window: &mut Window) -> Result<Option<Self>, Broken> {
        let Ok(Some(length)) = line_length(window) else { return Ok(None) };
        let Ok(line) = std::str::from_utf8(&window.bytes()[..length]) else { return Ok(None) };
        let line = line.trim_start_matches('\u{feff}').trim_end();
        let count = |separator: &u8| line.bytes().filter(|byte| byte == separator).count();
        let separator = SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(b',');
        let names: Vec<String> = fields(line, separator).iter().map(|name| name.trim().to_lowercase()).collect();
        let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
        let Some(time) = place(&["time", "time stamp", "timestamp"]) else { return Ok(None) };
        let raw = place(&RAW).ok_or_else(|| Broken::Columns(names.join(", ")))?;
        let date = place(&["date"]);
        window.pass(length);
        let interface = Description { name: None, link_type: LinkType::LONTALK, speed: None };
        Ok(Some(TextLog {
            separator,
            date,
            time,
            raw,
            line: 1,
            has_crc: None,
            midnight: Midnight::default(),
            invalid: Vec::new(),
            more_invalid: 0,
            packet: Vec::new(),
            interface,
        }))
    }

    /// The next packet; `None` at the end of the file.
    pub fn next(&mut self, window: &mut Window) -> Result<Option<Record>, Broken> {
        while let Some(whole) = line_length(window)? {
            self.line += 1;
            let line = String::from_utf8_lossy(&window.bytes()[..whole]).into_owned();
            let line = line.trim();
            match self.packet(line) {
                Ok(stamp) => {
                    let length = self.packet.len();
                    return Ok(Some(Record {
                        stamp,
                        interface: 0,
                        original_length: length as u32,
                        from: 0,
                        length,
                        whole,
                    }));
                }
                Err(_) if line.is_empty() => {}
                Err(reason) if self.invalid.len() < STATED => {
                    self.invalid.push(format!("line {} {reason} and was passed over", self.line));
                }
                Err(_) => self.more_invalid += 1,
            }
            window.pass(whole);
        }
        Ok(None)
    }

    /// What was wrong with lines, once the file has ended.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let more = (self.more_invalid > 0).then(|| format!("{} further lines were passed over", self.more_invalid));
        self.invalid.iter().cloned().chain(more)
    }

    /// Reads a line: the packet, and its stamp in nanoseconds.
    fn packet(&mut self, line: &str) -> Result<u64, String> {
        let fields = fields(line, self.separator);
        let field = |place: usize, name: &str| {
            fields.get(place).map(|field| field.trim()).ok_or_else(|| format!("has no column {name}"))
        };
        let time = field(self.time, "Time")?;
        let raw = field(self.raw, "Raw")?;
        let date = self.date.map(|place| field(place, "Date")).transpose()?;
        let mut packet = hexadecimal(raw)?;
        let read = nanoseconds(time, date).ok_or_else(|| format!("has no time: {}", shown(time)))?;
        // times without a date begin anew at midnight
        let stamp = self.midnight.since_first(read);
        if !*self.has_crc.get_or_insert_with(|| ends_with_crc(&packet)) {
            packet.extend_from_slice(&crc(&packet).to_be_bytes());
        }
        self.packet = packet;
        Ok(stamp)
    }
}

/// The fields of a line; those in quotation marks may hold separators, and marks twice.
pub(super) fn fields(line: &str, separator: u8) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                found.last_mut().expect("one at least").push('"');
            }
            '"' => quoted = !quoted,
            c if c == char::from(separator) && !quoted => found.push(String::new()),
            c => found.last_mut().expect("one at least").push(c),
        }
    }
    found
}

/// The octets of `01 2f`, `012f`, `0x01, 0x2f`, `01:2f`.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.replace("0x", " ").replace("0X", " ");
    let digits: Vec<u32> = digits
        .chars()
        .filter(|c| !matches!(c, ' ' | ':' | '-' | '.' | ','))
        .map(|c| c.to_digit(16).ok_or_else(|| format!("has a packet with {c:?}, which is not hexadecimal")))
        .collect::<Result<_, _>>()?;
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return Err(format!("has a packet of {} hexadecimal digits", digits.len()));
    }
    Ok(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

fn ends_with_crc(packet: &[u8]) -> bool {
    packet.split_last_chunk().is_some_and(|(covered, last)| !covered.is_empty() && crc(covered).to_be_bytes() == *last)
}

pub(super) fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_may_hold_separators() {
        assert_eq!(fields(r#"a,"b,c",,"d ""e""""#, b','), ["a", "b,c", "", r#"d "e""#]);
    }

    #[test]
    fn octets_are_read_in_every_usual_form() {
        for text in ["01 2f", "012F", "0x01 0x2f", "01:2f", "01-2f"] {
            assert_eq!(hexadecimal(text), Ok(vec![1, 0x2f]), "{text}");
        }
        assert_eq!(hexadecimal("01 2").unwrap_err(), "has a packet of 3 hexadecimal digits");
        assert_eq!(hexadecimal("01 zz").unwrap_err(), "has a packet with 'z', which is not hexadecimal");
    }
}
