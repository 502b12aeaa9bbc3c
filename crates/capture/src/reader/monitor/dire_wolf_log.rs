//! The log of received APRS packets that Dire Wolf writes with `-l` or `-L`: comma-separated values under a line of names.
//!
//! ```text
//! chan,utime,isotime,source,heard,level,error,dti,name,symbol,latitude,...
//! 0,1645889817,2022-02-26T15:36:57Z,N0CALL-9,WIDE1-1,50(10/8),0,!,N0CALL-9,/>,...
//! ```
//!
//! Source: `src/log.c`. A line has the source and the station that was heard, which is the source or a digipeater; not
//! the destination, the rest of the path and the content. The destination is `NODEST` here, and the length that of the
//! header and the data type identifier.

use super::ax25::{Control, Heading, callsign};
use super::{Draft, Ports, Program, shown, text};
use crate::reader::record::Description;
use crate::reader::stamps::Written;
use crate::reader::text::fields;
use sojourn_protocols::ax25::wire::Role;

const COLUMNS: &str = "chan,utime,isotime,source,heard,";
/// What the destination is called.
const NO_DESTINATION: &str = "NODEST";

/// A reader of the log.
#[derive(Debug, Default)]
pub(super) struct Log {
    ports: Ports,
    frame: Option<Draft>,
    lines: u64,
}

/// Whether a line is that of the names, behind which all have times.
pub(super) fn has_time(line: &[u8]) -> Option<bool> {
    line.trim_ascii_start().starts_with(COLUMNS.as_bytes()).then_some(true)
}

impl Program for Log {
    fn begins(&self, _line: &[u8]) -> bool {
        true
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        // several logs may be in one file
        if has_time(line).is_some() || line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let line = text(line);
        let fields = fields(&line, b',');
        let [channel, time, _, source, heard, _, _, identifier, ..] = fields.as_slice() else {
            return Err(format!("has {} columns: {}", fields.len(), shown(&line)));
        };
        let time = Written::read(time, None).ok_or_else(|| format!("has no time: {}", shown(time)))?;
        let from = callsign(source)?;
        let heard = heard.trim_end_matches('?');
        let via = if heard.is_empty() || heard == source { Vec::new() } else { vec![(callsign(heard)?, true)] };
        let heading = Heading {
            from,
            to: callsign(NO_DESTINATION)?,
            via,
            role: Role::Command,
            control: Control::UI,
            poll_final: false,
            is_extended: false,
            pid: Some(0xf0),
        };
        let mut octets = heading.octets();
        octets.extend(identifier.bytes().take(1));
        let port = self.ports.number(channel)?;
        self.lines += 1;
        self.frame = Some(Draft { time, port, length: octets.len(), octets });
        Ok(())
    }

    fn finish(&mut self) -> Option<Draft> {
        self.frame.take()
    }

    fn port(&self, port: usize) -> Description {
        self.ports.of_ax25(port)
    }

    fn notes(&self) -> Vec<String> {
        let note = format!(
            "this log has neither destinations, shown as {NO_DESTINATION}, nor the content of packets: utilisation and throughput are \
             of their headers alone"
        );
        (self.lines > 0).then_some(note).into_iter().collect()
    }
}
