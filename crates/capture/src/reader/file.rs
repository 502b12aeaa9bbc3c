//! One open capture file: its format and its current record.

use std::collections::BTreeMap;
use std::io::Read;

use super::compression::{decompressed, unknown_compression};
use super::interfaces::Interfaces;
use super::monitor::Monitor;
use super::pcap::Pcap;
use super::pcapng::PcapNg;
use super::record::{Broken, Description, Record};
use super::text::{TextLog, shown};
use super::window::Window;
use super::{Fault, ReadError};

/// A file that is being read.
pub(super) struct CaptureFile {
    name: String,
    window: Window,
    format: Format,
    /// The record at the start of the window.
    pub head: Option<Record>,
    /// Numbers of its interfaces in the whole capture.
    numbers: BTreeMap<usize, u32>,
    packets: u64,
    /// Whether its next record has not arrived yet.
    pub awaits: bool,
}

enum Format {
    Pcap(Pcap),
    PcapNg(PcapNg),
    Text(Box<TextLog>),
    Monitor(Box<Monitor>),
}

impl CaptureFile {
    /// Opens `input` as the file `name`, up to its first packet.
    pub fn open(name: String, input: Box<dyn Read + Send>, faults: &mut Vec<Fault>) -> Result<Self, ReadError> {
        let unreadable = |source| ReadError::Unreadable { name: name.clone(), source };
        let mut window = Window::new(decompressed(input).map_err(unreadable)?);
        // what cannot be decompressed fails here
        let begins = window.fill(1).map_err(unreadable)?;
        if !begins {
            return Err(ReadError::Empty(name));
        }
        let format = match Format::open(&mut window) {
            Ok(Some(format)) => format,
            Ok(None) => return Err(not_a_capture(name, window.bytes())),
            Err(Broken::NoTimes(remedy)) => return Err(ReadError::NoTimes { name, remedy }),
            Err(Broken::Read(source)) => return Err(ReadError::Unreadable { name, source }),
            Err(broken) => return Err(ReadError::Header { name, reason: broken.to_string() }),
        };
        let mut file =
            CaptureFile { name, window, format, head: None, numbers: BTreeMap::new(), packets: 0, awaits: false };
        file.read_head(faults);
        match &file.format {
            Format::Monitor(text) if file.head.is_none() && !file.awaits => {
                Err(ReadError::NoLine { name: file.name, reason: text.nothing() })
            }
            _ => Ok(file),
        }
    }

    /// Passes over the record at hand to the next.
    #[inline]
    pub fn advance(&mut self, faults: &mut Vec<Fault>) {
        if let Some(head) = self.head.take() {
            self.window.pass(head.whole);
            self.packets += 1;
            self.read_head(faults);
        }
    }

    /// Reads the record that had not arrived, if it has now.
    #[cold]
    pub fn resume(&mut self, faults: &mut Vec<Fault>) {
        if std::mem::take(&mut self.awaits) {
            self.read_head(faults);
        }
    }

    /// Whether it has been read to its end.
    pub fn is_over(&self) -> bool {
        self.head.is_none() && !self.awaits
    }

    #[inline]
    fn read_head(&mut self, faults: &mut Vec<Fault>) {
        match self.format.next(&mut self.window) {
            Ok(Some(record)) => self.head = Some(record),
            Ok(None) => self.ended(faults),
            Err(broken) if broken.awaits() => self.awaits = true,
            Err(broken) => {
                self.fault(&broken.to_string(), faults);
                self.ended(faults);
            }
        }
    }

    #[cold]
    fn ended(&self, faults: &mut Vec<Fault>) {
        if let Format::Text(log) = &self.format {
            log.faults().for_each(|reason| self.fault(&reason, faults));
        }
        if let Format::Monitor(text) = &self.format {
            text.faults().for_each(|reason| self.fault(&reason, faults));
        }
        if let Format::PcapNg(format) = &self.format {
            if format.invalid_blocks > 0 {
                self.fault(&format!("{} blocks are not valid and were passed over", format.invalid_blocks), faults);
            }
            if format.without_stamp > 0 {
                let reason = format!("{} packets have no stamp and take that of the last", format.without_stamp);
                self.fault(&reason, faults);
            }
        }
    }

    fn fault(&self, reason: &str, faults: &mut Vec<Fault>) {
        let (at_byte, after_packets) = (self.window.offset(), self.packets);
        faults.push(Fault { file: self.name.clone(), at_byte, after_packets, reason: reason.to_owned() });
    }

    /// The bytes of the record at hand.
    #[inline]
    pub fn data(&self, record: &Record) -> &[u8] {
        match &self.format {
            Format::Text(log) => &log.packet,
            Format::Monitor(text) => &text.packet,
            _ => &self.window.bytes()[record.from..record.from + record.length],
        }
    }

    /// The number in the whole capture of the record's interface.
    #[inline]
    pub fn interface(&mut self, record: &Record, file: usize, interfaces: &mut Interfaces) -> u32 {
        if let Some(&number) = self.numbers.get(&record.interface) {
            return number;
        }
        let number = interfaces.number(file, record.interface, self.format.description(record.interface));
        self.numbers.insert(record.interface, number);
        number
    }
}

impl Format {
    fn open(window: &mut Window) -> Result<Option<Self>, Broken> {
        if let Some(pcap) = Pcap::open(window)? {
            return Ok(Some(Format::Pcap(pcap)));
        }
        if let Some(pcapng) = PcapNg::open(window)? {
            return Ok(Some(Format::PcapNg(pcapng)));
        }
        if let Some(log) = TextLog::open(window)? {
            return Ok(Some(Format::Text(Box::new(log))));
        }
        Ok(Monitor::open(window)?.map(|text| Format::Monitor(Box::new(text))))
    }

    #[inline]
    fn next(&mut self, window: &mut Window) -> Result<Option<Record>, Broken> {
        match self {
            Format::Pcap(format) => format.next(window),
            Format::PcapNg(format) => format.next(window),
            Format::Text(format) => format.next(window),
            Format::Monitor(format) => format.next(window),
        }
    }

    fn description(&self, interface: usize) -> &Description {
        match self {
            Format::Pcap(format) => &format.interface,
            Format::PcapNg(format) => &format.interfaces[interface],
            Format::Text(format) => &format.interface,
            Format::Monitor(format) => &format.interfaces[interface],
        }
    }
}

fn not_a_capture(name: String, first: &[u8]) -> ReadError {
    if let Some(compression) = unknown_compression(first) {
        return ReadError::Compression { name, compression };
    }
    let is_printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = match first[..first.len().min(64)].iter().all(is_printable) {
        true => shown(String::from_utf8_lossy(line).trim_end()),
        false => first.iter().take(4).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
    };
    ReadError::NotACapture { name, first }
}
