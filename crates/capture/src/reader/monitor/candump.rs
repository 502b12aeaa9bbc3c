//! `candump` of can-utils: its log (`-L`, and files of `-l`), and what it displays with absolute times (`-ta`). Other tools
//! write the log as well, python-can among them.
//!
//! ```text
//! (1620000000.000000) can0 123#DEADBEEF           data frame
//! (1620000000.000250) can0 12345678#R8            remote frame
//! (1620000000.000500) can0 123##1DEADBEEF         CAN FD, behind its flags
//! (1620000000.000750) can0 20000088#0000080000000000   message of the driver about an error
//! (1620000000.001000)  can0  123   [4]  DE AD BE EF    the first, displayed
//! ```

use sojourn_protocols::can::log::record_of;

use super::{Draft, Origin, Ports, Program, Written, shown, text};
use crate::LinkType;
use crate::reader::record::Description;
use crate::reader::stamps::SECOND;

/// Reads its lines, each a frame.
#[derive(Debug, Default)]
pub(super) struct Log {
    ports: Ports,
    draft: Option<Draft>,
}

/// Whether a line is a frame, and then whether it has a time.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    let line = text(line);
    let (stamp, rest) = timed(&line);
    let mut words = rest.split_ascii_whitespace();
    let frame = frame_of(words.by_ref().skip(1))?;
    record_of(&frame, &mut Vec::new()).is_ok().then_some(stamp.is_some())
}

/// The time in front of a line, as nanoseconds, and what follows it.
fn timed(line: &str) -> (Option<u64>, &str) {
    let line = line.trim_start();
    let behind = line.strip_prefix('(').and_then(|behind| behind.split_once(')'));
    behind.map_or((None, line), |(time, rest)| (nanoseconds(time), rest))
}

fn nanoseconds(time: &str) -> Option<u64> {
    let (seconds, part) = time.split_once('.')?;
    let is_number =
        |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds, 12) || !is_number(part, 9) {
        return None;
    }
    let part = part.parse::<u64>().ok()? * 10_u64.pow(9 - part.len() as u32);
    seconds.parse::<u64>().ok()?.checked_mul(SECOND)?.checked_add(part)
}

/// The frame of the words behind the interface, as a log has it.
fn frame_of<'t>(mut words: impl Iterator<Item = &'t str>) -> Option<String> {
    let first = words.next()?;
    if first.contains('#') {
        return Some(first.to_owned());
    }
    // identifier, length in brackets, of CAN FD with two digits, and the data
    let length = words.next()?.strip_prefix('[')?.strip_suffix(']')?;
    let number: usize = length.parse().ok().filter(|number| *number <= 64)?;
    let mut words = words.peekable();
    if words.peek() == Some(&"remote") {
        return Some(format!("{first}#R{number}"));
    }
    let octets: String = words.take(number).collect();
    let flags = if length.len() == 2 { "#0" } else { "" };
    (octets.len() == 2 * number).then(|| format!("{first}#{flags}{octets}"))
}

impl Program for Log {
    fn begins(&self, _: &[u8]) -> bool {
        self.draft.is_some()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = text(line);
        if line.trim().is_empty() {
            return Ok(());
        }
        let (time, rest) = timed(&line);
        let nanoseconds = time.ok_or_else(|| format!("has no time as (1620000000.000000): {}", shown(line.trim())))?;
        let mut words = rest.split_ascii_whitespace();
        let interface = words.next().ok_or("has no interface as can0 behind the time")?;
        let frame = frame_of(words).ok_or_else(|| format!("has no frame as 123#DEADBEEF: {}", shown(rest.trim())))?;
        let mut octets = Vec::new();
        record_of(&frame, &mut octets).map_err(|error| format!("cannot be read as a frame: {error}"))?;
        let port = self.ports.number(interface)?;
        let length = octets.len();
        self.draft = Some(Draft { time: Written { nanoseconds, from: Origin::Epoch }, port, octets, length });
        Ok(())
    }

    fn finish(&mut self) -> Option<Draft> {
        self.draft.take()
    }

    fn port(&self, port: usize) -> Description {
        Description { name: self.ports.0.get(port).cloned(), link_type: LinkType::CAN_SOCKETCAN, speed: None }
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The octets of each line's frame, and its port.
    fn read(lines: &[&str]) -> Vec<(u64, usize, Vec<u8>)> {
        let mut log = Log::default();
        let mut frame = |line: &&str| {
            log.line(line.as_bytes()).unwrap();
            let draft = log.finish().unwrap();
            (draft.time.nanoseconds, draft.port, draft.octets)
        };
        lines.iter().map(&mut frame).collect()
    }

    #[test]
    fn lines_of_a_log_are_records_of_socketcan() {
        let found = read(&[
            "(1620000000.000250) can0 123#DEADBEEF",
            "(0.000001) can1 1ABCDEF0#R8",
            "(1620000000.0000005) can0 123##1112233",
            "(1620000000.000000) can0 20000088#0000080000000000",
        ]);
        assert_eq!(found[0].0, 1_620_000_000_000_250_000);
        assert_eq!(found[0].2, [0, 0, 1, 0x23, 4, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0]);
        assert_eq!((found[1].0, found[1].1), (1_000, 1));
        assert_eq!(found[1].2[..8], [0xda, 0xbc, 0xde, 0xf0, 8, 0, 0, 0]);
        assert_eq!(found[2].0 % 1_000_000_000, 500);
        assert_eq!((&found[2].2[..11], found[2].2.len()), (&[0, 0, 1, 0x23, 3, 5, 0, 0, 0x11, 0x22, 0x33][..], 72));
        assert_eq!(found[3].2, [0x20, 0, 0, 0x88, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_displayed_line_is_the_same_record_as_its_line_in_a_log() {
        let found = read(&[
            " (1620000000.000000)  can0  123   [4]  DE AD BE EF",
            " (1620000000.000000)  can0  123   [8]  remote request",
            " (1620000000.000000)  can0  123  [02]  11 22",
        ]);
        let log =
            read(&["(1620000000.0) can0 123#DEADBEEF", "(1620000000.0) can0 123#R8", "(1620000000.0) can0 123##01122"]);
        assert_eq!(found, log);
    }

    #[test]
    fn a_line_is_recognised_with_or_without_a_time_and_others_are_not() {
        let found =
            ["(1.5) can0 123#00", "  can0  123   [1]  00", "can0 123#00", "(1.5) can0 hello", "a 123 [2] 00", "1 2 3"]
                .map(|line| has_time(line.as_bytes()));
        assert_eq!(found, [Some(true), Some(false), Some(false), None, None, None]);
    }

    #[test]
    fn a_line_that_is_no_frame_is_refused_by_name() {
        let said = |line: &str| Log::default().line(line.as_bytes()).unwrap_err();
        assert_eq!(
            said("(1.5) can0 1234#00"),
            "cannot be read as a frame: expected an identifier of 3 or 8 hexadecimal digits, found `1234`"
        );
        assert_eq!(said("can0 123#00"), "has no time as (1620000000.000000): \"can0 123#00\"");
        assert_eq!(said("(1.5) can0"), "has no frame as 123#DEADBEEF: \"can0\"");
    }
}
