//! URLs of buses on serial lines: `SCHEME:///dev/ttyUSB0?baud=19200&parity=even&stop=1` and options of the protocol.

use std::ops::Range;
use std::path::PathBuf;

use rustix::io::Errno;
use sojourn_scenario::{Problem, Problems};

use crate::io::line::Place;
use crate::io::serial::{self, BIT_RATES};
use crate::target::Target;
use crate::target::options::Options;
use sojourn_core::serial::{Format, Parity};

/// A device and the settings of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialLine {
    /// Path of the device.
    pub device: PathBuf,
    /// How characters are sent.
    pub settings: Format,
}

/// Parities by their names.
const PARITIES: [(&str, Parity); 3] = [("none", Parity::None), ("even", Parity::Even), ("odd", Parity::Odd)];

impl SerialLine {
    /// Parses the URL of a line whose settings are these where it names no others; returns the options that are left.
    pub fn of(target: &Target, usual: Format) -> Result<(SerialLine, Options<'_>), Problems> {
        let after = target.after_scheme();
        let text = &target.with_secrets()[after.clone()];
        let query = after.start + text.find('?').unwrap_or(text.len());
        let device = &target.with_secrets()[after.start..query];
        if !device.starts_with('/') || device.len() < 2 {
            let problem = target.problem(after.start..query.max(after.start), "a serial line is the path of a device");
            return Err(problem.help(format!("{}:///dev/ttyUSB0?baud=9600", target.scheme())).into());
        }
        let mut options = Options::of(target, query..after.end);
        let bit_rate = options.take("baud").map(|(_, place)| bit_rate(target, place)).transpose()?;
        let parity = options.word("parity", &PARITIES)?.unwrap_or(usual.parity);
        let stop_bits = options.number("stop", 1..=2)?.map_or(usual.stop_bits, |stop| stop as u8);
        let settings = Format { parity, stop_bits, ..Format::new(bit_rate.unwrap_or(usual.bit_rate)) };
        Ok((SerialLine { device: device.into(), settings }, options))
    }

    /// The line as a place to open.
    pub fn place(&self) -> Place {
        Place::Serial(self.device.clone(), self.settings)
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        self.device.display().to_string()
    }

    /// A sentence on a USB adapter that keeps octets for long.
    pub fn latency_note(&self) -> Option<String> {
        let timer = serial::latency_timer(&self.device).filter(|timer| timer.seconds() > 0.001)?;
        let (name, ms) = (self.name(), timer.seconds() * 1e3);
        Some(format!(
            "the USB adapter of {name} passes octets on after up to {ms} ms, which response times include: as root, echo 1 \
             into latency_timer below /sys/class/tty"
        ))
    }
}

/// The bit rate at a place in a URL.
pub fn bit_rate(target: &Target, place: Range<usize>) -> Result<u32, Problem> {
    let text = &target.with_secrets()[place.clone()];
    text.parse().ok().filter(|rate| BIT_RATES.contains(rate)).ok_or_else(|| {
        let message = format!("`{text}` is not a serial line speed");
        let rates = BIT_RATES.map(|rate| rate.to_string()).join(", ");
        target.problem(place, message).help(format!("known: {rates}"))
    })
}

/// Why a device cannot be opened.
pub fn unopened(target: &Target, name: &str, fault: Errno) -> Problem {
    match fault {
        Errno::NOENT => target.whole_problem(format!("there is no device {name}")),
        Errno::ACCESS => target
            .whole_problem(format!("no permission to open {name}"))
            .help("serial devices belong to the group dialout on many systems"),
        Errno::NOTTY => target.whole_problem(format!("{name} is not a serial line")),
        _ => target.whole_problem(format!("cannot open {name}: {fault}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Format = Format { parity: Parity::Even, stop_bits: 1, ..Format::new(19_200) };

    fn line(text: &str) -> Result<SerialLine, Problem> {
        let target = Target::parse(text, &["modbus-rtu"]).unwrap();
        let (line, options) = SerialLine::of(&target, USUAL).map_err(|problems| problems.0[0].clone())?;
        options.finish().map(|()| line)
    }

    #[test]
    fn a_url_names_the_device_and_what_is_unusual_of_its_line() {
        let plain = line("modbus-rtu:///dev/ttyUSB0").unwrap();
        assert_eq!((plain.name().as_str(), plain.settings), ("/dev/ttyUSB0", USUAL));
        let full = line("modbus-rtu:///dev/ttyS1?stop=2&baud=9600&parity=none").unwrap();
        assert_eq!(full.settings, Format { parity: Parity::None, stop_bits: 2, ..Format::new(9600) });
    }

    #[test]
    fn every_mistake_stands_where_it_is() {
        let place = |text| line(text).unwrap_err().place.unwrap().span;
        assert_eq!(place("modbus-rtu://ttyUSB0"), 13..20);
        assert_eq!(place("modbus-rtu:///dev/x?baud=9601"), 25..29);
        assert_eq!(place("modbus-rtu:///dev/x?stop=3"), 25..26);
        assert_eq!(place("modbus-rtu:///dev/x?parity=evens"), 27..32);
        assert_eq!(place("modbus-rtu:///dev/x?bits=7"), 20..26);
    }
}
