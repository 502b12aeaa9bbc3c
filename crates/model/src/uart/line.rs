//! A line that one driver has at a time; two destroy what they send.

use sojourn_core::serial::Format;
use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};

/// A frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The sender's number. It has one frame on the line at a time.
    pub sender: u32,
    /// The caller's identifier of the frame.
    pub tag: u32,
    /// Characters, at least 1.
    pub characters: u32,
    /// Silence between two characters.
    pub gap: Duration,
}

/// What destroyed a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Another driver was enabled at the time.
    Overlap {
        /// The first character that is wrong, from 0.
        first: u32,
    },
    /// A bit error.
    Noise {
        /// The first character that is wrong, from 0.
        first: u32,
    },
    /// The line was interrupted.
    Interrupted {
        /// The first character that is wrong, from 0.
        first: u32,
    },
}

impl Damage {
    /// The first character that is wrong, from 0.
    pub const fn first(self) -> u32 {
        match self {
            Damage::Overlap { first } | Damage::Noise { first } | Damage::Interrupted { first } => first,
        }
    }
}

/// A frame as every receiver of the line got it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The caller's identifier of the frame.
    pub tag: u32,
    /// When its first start bit began.
    pub begin: Time,
    /// `None` where every character arrived.
    pub damage: Option<Damage>,
}

/// A frame on the line.
#[derive(Clone, Copy, Debug)]
struct Sending {
    frame: Frame,
    begin: Time,
    end: Time,
    damage: Option<Damage>,
}

/// A line and the frames on it.
#[derive(Debug)]
pub struct Line {
    format: Format,
    /// The driver stays enabled for so long after the last stop bit.
    release: Duration,
    /// The logarithm of the probability that a character has no bit error.
    clean: f64,
    noise: Stream,
    sending: Vec<Sending>,
    /// When the last character ended, of those that have.
    silent_since: Time,
    /// Who drove the line last, and until when its driver is enabled.
    driven: (u32, Time),
    interrupted: bool,
}

clone_fields!([] Line { format, release, clean, noise, sending, silent_since, driven, interrupted });

rekey_fields!(Line { noise });

impl Line {
    /// A silent line. Panics unless `bit_error_rate` is 0 to below 1 and the bit rate above 0.
    pub fn new(format: Format, bit_error_rate: f64, noise: Stream) -> Line {
        assert!(format.bit_rate > 0, "a line has a bit rate");
        let mut line = Line {
            format,
            release: Duration::ZERO,
            clean: 0.0,
            noise,
            sending: Vec::new(),
            silent_since: Time::ZERO,
            driven: (u32::MAX, Time::ZERO),
            interrupted: false,
        };
        line.set_bit_error_rate(bit_error_rate);
        line
    }

    /// Drivers stay enabled for `release` after the last stop bit.
    pub fn released_after(self, release: Duration) -> Line {
        Line { release, ..self }
    }

    /// How characters are sent.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The probability that a bit is wrong, of frames that begin from now on. Panics unless it is 0 to below 1.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        assert!((0.0..1.0).contains(&rate), "a bit error rate is 0 to below 1");
        self.clean = f64::from(self.format.bits()) * libm::log1p(-rate);
    }

    /// Interrupts the line, or mends it. What is on the line then is lost from its next character on.
    pub fn interrupt(&mut self, now: Time, interrupted: bool) {
        self.interrupted = interrupted;
        if interrupted {
            for other in &mut self.sending {
                let first = character_at(self.format, &other.frame, other.begin, now);
                damage(&mut other.damage, Damage::Interrupted { first });
            }
        }
    }

    /// When characters 0 to `count` (exclusive) of a frame that begins at `begin` have been received.
    pub fn after(&self, begin: Time, count: u32, gap: Duration) -> Time {
        begin + self.format.characters(count) + gap.times(u64::from(count.saturating_sub(1)))
    }

    /// The sender enables its driver and sends the first character now. When the last stop bit ends: [`Line::end`] must be called then.
    pub fn send(&mut self, now: Time, frame: Frame) -> Time {
        debug_assert!(frame.characters > 0 && self.sending.iter().all(|other| other.frame.sender != frame.sender));
        let end = self.after(now, frame.characters, frame.gap);
        let mut sent = Sending { frame, begin: now, end, damage: self.noise(frame.characters) };
        if self.interrupted {
            damage(&mut sent.damage, Damage::Interrupted { first: 0 });
        }
        // a driver that is still enabled hides the first character; its own frame has ended
        let (driver, until) = self.driven;
        if until > now && driver != frame.sender {
            damage(&mut sent.damage, Damage::Overlap { first: 0 });
        }
        for other in &mut self.sending {
            let first = character_at(self.format, &other.frame, other.begin, now);
            if first < other.frame.characters {
                damage(&mut other.damage, Damage::Overlap { first });
            }
            damage(&mut sent.damage, Damage::Overlap { first: 0 });
        }
        self.sending.push(sent);
        end
    }

    /// The sender's frame has ended; how it was received.
    ///
    /// Panics where the sender has none on the line.
    pub fn end(&mut self, now: Time, sender: u32) -> Received {
        let place = self.sending.iter().position(|sent| sent.frame.sender == sender).expect("a frame of this sender");
        let Sending { frame, begin, end, damage } = self.sending.swap_remove(place);
        debug_assert_eq!(now, end);
        self.silent_since = now;
        self.driven = (sender, now + self.release);
        Received { tag: frame.tag, begin, damage }
    }

    /// Since when the line is silent; `None` while a frame is on it. Time zero before the first frame.
    pub fn silent_since(&self) -> Option<Time> {
        self.sending.is_empty().then_some(self.silent_since)
    }

    /// When the earliest frame that is on the line began; `None` while the line is silent.
    pub fn active_since(&self) -> Option<Time> {
        self.sending.iter().map(|sent| sent.begin).min()
    }

    /// The first character with a bit error: their number before it is geometric.
    #[inline]
    fn noise(&mut self, characters: u32) -> Option<Damage> {
        if self.clean == 0.0 {
            return None;
        }
        let first = libm::log(1.0 - self.noise.unit()) / self.clean;
        (first < f64::from(characters)).then_some(Damage::Noise { first: first as u32 })
    }
}

/// Keeps the damage that comes first.
fn damage(kept: &mut Option<Damage>, new: Damage) {
    if kept.is_none_or(|kept| new.first() < kept.first()) {
        *kept = Some(new);
    }
}

/// The character of a frame that is being sent at `now`, or the next one where it is in a gap; the number of characters after the last.
fn character_at(format: Format, frame: &Frame, begin: Time, now: Time) -> u32 {
    let ended =
        |count: u32| begin + format.characters(count) + frame.gap.times(u64::from(count.saturating_sub(1))) <= now;
    // ends grow with the number: the first that has not ended
    let (mut low, mut high) = (0, frame.characters);
    while low < high {
        let middle = low + (high - low) / 2;
        if ended(middle + 1) { low = middle + 1 } else { high = middle }
    }
    low
}
