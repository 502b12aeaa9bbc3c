//! Monitor text: what `axlisten`, Dire Wolf, BPQ, `tcpdump` and `candump` print of packets.
//!
//! | text | times |
//! |---|---|
//! | `axlisten` of ax25-apps, and `listen` as it was called before | of day, with a date (`-tttt`), since 1970 (`-tt`), since the packet before or the first |
//! | Dire Wolf's console with `-T`, and the log that `-l` and `-L` write | as `-T` says; of the log since 1970 |
//! | BPQ's monitor and packet log, and monitors of AGWPE | of day |
//! | `tcpdump -n`, also with `-e`, `-v`, `-x` | as of `axlisten` |
//! | `candump` of can-utils with `-L` or `-ta`, and the log that `-l` writes | since 1970, or since the log began |
//!
//! A line, or several, become the octets of a packet, as far as they are printed. Where the text has its whole length, the
//! octets that are missing count as cut by a snap length, so that trackers take the packet as one of a binary capture. The
//! program is recognised by the first line that is one of its packets. Lines that are not understood are counted. A
//! line is held at a time, of 64 KiB at most, and the packet that is put together.

mod ax25;
mod axlisten;
mod bpq;
mod candump;
mod dire_wolf;
mod dire_wolf_log;
mod net_rom;
mod tcpdump;

use super::lines::{LONGEST_LINE, line_at};
use super::record::{Broken, Description, Record};
use super::stamps::{Origin, Reading, Stamps, Written};
use super::text::shown;
use super::window::Window;
use crate::LinkType;

/// Octets at the beginning of a file in which a packet must be for the program to be recognised.
const SEARCHED: usize = 64 * 1024;
/// Packets whose times show what they count from, where the first is 0.
const SHOWING: usize = 16;
/// Packets without a time, and none with one, after which a text has no times.
const TIMELESS: usize = 3;
/// Ports that a text may name.
const PORTS: usize = 64;

/// A packet that is put together from its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Draft {
    time: Written,
    /// Its port, by the number that the program's reader gave it.
    port: usize,
    /// What is printed of it, from the header of its link on.
    octets: Vec<u8>,
    /// Its whole length as far as the text has it.
    length: usize,
}

/// Reads the text of a program.
trait Program: Send {
    /// Whether a line ends the packet at hand, because it begins another.
    fn begins(&self, line: &[u8]) -> bool;

    /// Takes a line, of the packet at hand or of a new one. An error says why it cannot be read.
    fn line(&mut self, line: &[u8]) -> Result<(), String>;

    /// Ends the packet at hand.
    fn finish(&mut self) -> Option<Draft>;

    /// What packets of a port are.
    fn port(&self, port: usize) -> Description;

    /// What the text cannot show, once it has ended.
    fn notes(&self) -> Vec<String>;
}

/// A program whose text is read.
struct Kind {
    name: &'static str,
    /// Whether a line is one of its packets, and then whether it has a time.
    has_time: fn(&[u8]) -> Option<bool>,
    reader: fn() -> Box<dyn Program>,
    /// What makes it print times.
    remedy: &'static str,
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "axlisten",
        has_time: axlisten::has_time,
        reader: || Box::new(axlisten::Text::default()),
        remedy: "axlisten prints them without -t or with -tt to -ttttt, versions up to 0.0.8-rc4 with -t",
    },
    Kind {
        name: "Dire Wolf",
        has_time: dire_wolf::has_time,
        reader: || Box::new(dire_wolf::Text::default()),
        remedy: "Dire Wolf prints them with -T '%Y-%m-%d %H:%M:%S'",
    },
    Kind {
        name: "Dire Wolf's log",
        has_time: dire_wolf_log::has_time,
        reader: || Box::new(dire_wolf_log::Log::default()),
        remedy: "the column utime has them",
    },
    Kind {
        name: "BPQ",
        has_time: bpq::has_time,
        reader: || Box::new(bpq::Text::default()),
        remedy: "BPQ writes them to its packet log, and monitors of AGWPE in brackets behind each frame",
    },
    Kind {
        name: "tcpdump",
        has_time: tcpdump::has_time,
        reader: || Box::new(tcpdump::Text::default()),
        remedy: "tcpdump prints them without -t or with -tt to -ttttt",
    },
    Kind {
        name: "candump",
        has_time: candump::has_time,
        reader: || Box::new(candump::Log::default()),
        remedy: "candump prints them with -L or -ta, and -l writes a log with them",
    },
];

/// A file of such text.
pub(super) struct Monitor {
    program: Box<dyn Program>,
    name: &'static str,
    stamps: Stamps,
    /// Number of the last line.
    line: u64,
    /// Lines that could not be read, and what was wrong with the first.
    unread: u64,
    first_unread: String,
    broken: Option<Broken>,
    /// The packet at hand.
    pub packet: Vec<u8>,
    pub interfaces: Vec<Description>,
}

impl Monitor {
    /// Recognises the program that printed the file; `None` if none of them did.
    pub fn open(window: &mut Window) -> Result<Option<Self>, Broken> {
        let Some(kind) = recognised(window)? else { return Ok(None) };
        let program = (kind.reader)();
        let reading = reading((kind.reader)(), window)?;
        Ok(Some(Monitor {
            program,
            name: kind.name,
            stamps: Stamps::new(reading),
            line: 0,
            unread: 0,
            first_unread: String::new(),
            broken: None,
            packet: Vec::new(),
            interfaces: Vec::new(),
        }))
    }

    /// The next packet; `None` at the end of the file.
    pub fn next(&mut self, window: &mut Window) -> Result<Option<Record>, Broken> {
        loop {
            if let Some(broken) = self.broken.take() {
                return Err(broken);
            }
            let line = match line_at(window, 0) {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(self.program.finish().map(|last| self.record(last))),
                Err(broken) if broken.awaits() => return Err(broken),
                Err(broken) => {
                    let Some(last) = self.program.finish() else { return Err(broken) };
                    self.broken = Some(broken);
                    return Ok(Some(self.record(last)));
                }
            };
            self.line += 1;
            let (ended, taken) = take(self.program.as_mut(), line.of(window));
            window.pass(line.whole);
            if let Err(reason) = taken {
                self.unread(&reason);
            }
            if let Some(draft) = ended {
                return Ok(Some(self.record(draft)));
            }
        }
    }

    fn record(&mut self, draft: Draft) -> Record {
        let Draft { time, port, octets, length } = draft;
        while self.interfaces.len() <= port {
            self.interfaces.push(self.program.port(self.interfaces.len()));
        }
        self.packet = octets;
        Record {
            stamp: self.stamps.stamp(time),
            interface: port,
            original_length: u32::try_from(length.max(self.packet.len())).unwrap_or(u32::MAX),
            from: 0,
            length: self.packet.len(),
            whole: 0,
        }
    }

    #[cold]
    fn unread(&mut self, reason: &str) {
        if self.unread == 0 {
            self.first_unread = format!("line {} {reason}", self.line);
        }
        self.unread += 1;
    }

    /// Why none of its lines could be read, where that is so at its end.
    pub fn nothing(&self) -> String {
        let Monitor { name, first_unread, .. } = self;
        format!("it looks like the text of {name}, but none of its lines can be read: {first_unread}")
    }

    /// What was wrong with lines, and what the text cannot show, once the file has ended.
    pub fn faults(&self) -> impl Iterator<Item = String> {
        let (lines, verb) = if self.unread == 1 { ("line of", "was") } else { ("lines of", "were") };
        let unread = (self.unread > 0).then(|| {
            let Monitor { name, unread, first_unread, .. } = self;
            format!("{unread} {lines} the text of {name} could not be read and {verb} passed over; the first: {first_unread}")
        });
        let reading = match self.stamps.reading {
            Reading::OfDay => None,
            Reading::SincePrevious => {
                Some("times are read as since the packet before, for the first is 0 (option -ttt)")
            }
            Reading::SinceFirst => Some("times are read as since the first packet, which is at 0 (option -ttttt)"),
        };
        unread.into_iter().chain(reading.map(str::to_owned)).chain(self.program.notes())
    }
}

/// Takes a line: the packet that it ends, and whether it can be read.
fn take(program: &mut dyn Program, line: &[u8]) -> (Option<Draft>, Result<(), String>) {
    let ended = if program.begins(line) { program.finish() } else { None };
    (ended, program.line(line))
}

/// The program of the first line that is a packet of one.
fn recognised(window: &mut Window) -> Result<Option<&'static Kind>, Broken> {
    let (mut from, mut timeless) = (0, [0; KINDS.len()]);
    while from < SEARCHED {
        let Ok(Some(line)) = line_at(window, from) else { break };
        from += line.whole;
        let text = line.of(window);
        for (kind, timeless) in KINDS.iter().zip(&mut timeless) {
            match (kind.has_time)(text) {
                Some(true) => return Ok(Some(kind)),
                Some(false) => *timeless += 1,
                None => {}
            }
        }
        if timeless.iter().any(|found| *found >= TIMELESS) {
            break;
        }
    }
    let without = KINDS.iter().zip(timeless).max_by_key(|(_, found)| *found).filter(|(_, found)| *found > 0);
    without.map_or(Ok(None), |(kind, _)| Err(Broken::NoTimes(kind.remedy)))
}

/// What times without a date count from: a first that is 0, or marked as a difference, is not a time of day. Times since
/// the first packet never go back.
fn reading(mut program: Box<dyn Program>, window: &mut Window) -> Result<Reading, Broken> {
    let (mut from, mut found) = (0, Vec::new());
    while found.len() < SHOWING && from < SEARCHED {
        let Ok(Some(line)) = line_at(window, from) else { break };
        from += line.whole;
        let (Some(draft), _) = take(program.as_mut(), line.of(window)) else { continue };
        let is_difference = matches!(draft.time.from, Origin::Previous { .. });
        if found.is_empty() && !is_difference && (draft.time.from == Origin::Epoch || draft.time.nanoseconds > 0) {
            return Ok(Reading::OfDay);
        }
        found.push(draft.time.nanoseconds);
    }
    found.extend(program.finish().map(|draft| draft.time.nanoseconds));
    let goes_on = found.len() > 2 && found.is_sorted();
    Ok(if goes_on { Reading::SinceFirst } else { Reading::SincePrevious })
}

/// Names of ports in the order in which they were met.
#[derive(Debug, Default)]
struct Ports(Vec<String>);

impl Ports {
    fn number(&mut self, name: &str) -> Result<usize, String> {
        if let Some(known) = self.0.iter().position(|known| known == name) {
            return Ok(known);
        }
        if self.0.len() >= PORTS {
            return Err(format!("has the port {}, and {PORTS} others are known", shown(name)));
        }
        self.0.push(name.to_owned());
        Ok(self.0.len() - 1)
    }

    /// A port with frames of AX.25.
    fn of_ax25(&self, port: usize) -> Description {
        Description { name: self.0.get(port).cloned(), link_type: LinkType::AX25, speed: None }
    }
}

/// A line as text: other encodings than UTF-8 are in user data only, which are read as octets.
fn text(line: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(line)
}

const _: () = assert!(SEARCHED <= LONGEST_LINE);

#[cfg(test)]
mod tests;
