//! Times as text: what they mean, and what day they are of where they have no date.

use super::FIRST_CAPTURES_NS;

pub(super) const SECOND: u64 = 1_000_000_000;
pub(super) const DAY: u64 = 24 * 3_600 * SECOND;

/// A clock that goes back by more than this has passed midnight; by less, it was set, as at the end of summer time.
const SET_BACK: u64 = 3 * 3_600 * SECOND;
/// A time of day so much later than the last, just behind midnight, is of the day before.
const OVERTAKEN: u64 = DAY - 60 * SECOND;

/// Days that times without a date have passed.
#[derive(Debug, Default)]
pub(super) struct Midnight {
    /// Nanoseconds of the last packet, and of the days passed.
    last: u64,
    days: u64,
}

impl Midnight {
    /// Nanoseconds since the first midnight of a time of day.
    pub fn since_first(&mut self, of_day: u64) -> u64 {
        let mut stamp = of_day.saturating_add(self.days);
        if stamp < self.last && self.last - stamp > SET_BACK && of_day < DAY {
            self.days = self.days.saturating_add(DAY);
            stamp = stamp.saturating_add(DAY);
        } else if self.days > 0 && stamp.saturating_sub(self.last) > OVERTAKEN && of_day < DAY {
            return stamp - DAY;
        }
        self.last = stamp;
        stamp
    }
}

/// What a time stamp of a monitor text counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// 1970-01-01.
    Epoch,
    /// The midnight before, or what else the program was asked for.
    Midnight,
    /// The packet before; negative where that is later.
    Previous {
        /// Whether the time is before that packet.
        is_before: bool,
    },
}

/// A time as a line has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub nanoseconds: u64,
    pub from: Origin,
}

impl Written {
    /// A time of a line: `10:11:12.5`, with a date before it, or seconds since 1970 with nine digits or more.
    pub fn read(time: &str, date: Option<&str>) -> Option<Written> {
        if time.contains(':') {
            let is_plain = time.split(':').count() == 3
                && time.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b','));
            let nanoseconds = nanoseconds(time, date).filter(|_| is_plain)?;
            let from = if date.is_some() { Origin::Epoch } else { Origin::Midnight };
            return (date.is_some() || nanoseconds < DAY).then_some(Written { nanoseconds, from });
        }
        let seconds = time.split('.').next()?;
        let is_epoch = date.is_none() && seconds.len() >= 9 && seconds.bytes().all(|byte| byte.is_ascii_digit());
        is_epoch.then(|| nanoseconds(time, None))?.map(|nanoseconds| Written { nanoseconds, from: Origin::Epoch })
    }
}

/// How times without a date are to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    OfDay,
    SincePrevious,
    SinceFirst,
}

/// Makes stamps of the times of a text.
#[derive(Debug)]
pub(super) struct Stamps {
    pub reading: Reading,
    midnight: Midnight,
    /// Nanoseconds of the last packet since the first.
    elapsed: u64,
}

impl Stamps {
    pub fn new(reading: Reading) -> Self {
        Stamps { reading, midnight: Midnight::default(), elapsed: 0 }
    }

    /// Nanoseconds since 1970. Without a date the first day is 1980-01-01, before which there were no captures.
    pub fn stamp(&mut self, written: Written) -> u64 {
        let Written { nanoseconds, from } = written;
        let since = match (from, self.reading) {
            (Origin::Epoch, _) => return nanoseconds,
            (_, Reading::OfDay) => self.midnight.since_first(nanoseconds),
            (_, Reading::SinceFirst) => nanoseconds,
            (Origin::Previous { is_before: true }, Reading::SincePrevious) => {
                self.elapsed = self.elapsed.saturating_sub(nanoseconds);
                self.elapsed
            }
            (_, Reading::SincePrevious) => {
                self.elapsed = self.elapsed.saturating_add(nanoseconds);
                self.elapsed
            }
        };
        since.saturating_add(FIRST_CAPTURES_NS as u64)
    }
}

/// Nanoseconds of `14:06:22.435`, `2026-11-23 14:06:22,435` or `12.5`, with a date of its own if there is one.
pub(super) fn nanoseconds(time: &str, date: Option<&str>) -> Option<u64> {
    let (before, clock) = match time.rsplit_once([' ', 'T']) {
        Some((date, clock)) => (Some(date), clock),
        None => (date, time),
    };
    let mut seconds = 0_u64;
    let mut parts = clock.split(':').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() {
            seconds = seconds.checked_add(part.parse().ok()?)?.checked_mul(60)?;
        } else {
            let (whole, fraction) = part.split_once(['.', ',']).unwrap_or((part, ""));
            seconds = seconds.checked_add(whole.parse().ok()?)?;
            let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
            let days = before.map_or(Some(0), days)?;
            let date_ns = days.checked_mul(DAY)?;
            return seconds.checked_mul(SECOND)?.checked_add(digits.parse().ok()?)?.checked_add(date_ns);
        }
    }
    None
}

/// Days from 1970-01-01 to `2026-11-23`, or to `23.11.2026`.
fn days(date: &str) -> Option<u64> {
    let mut parts = date.trim().split(['-', '.', '/']).map(|part| part.parse::<i64>().ok());
    let (a, month, b) = (parts.next()??, parts.next()??, parts.next()??);
    let (year, day) = if a > 31 { (a, b) } else { (b, a) };
    if !(1970..=2500).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // days of the proleptic Gregorian calendar, years that begin in March
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let whole = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    u64::try_from(whole - 719_468).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_a_date() {
        assert_eq!(nanoseconds("14:06:22.435", None), Some(50_782_435_000_000));
        assert_eq!(nanoseconds("12,5", None), Some(12_500_000_000));
        assert_eq!(nanoseconds("1970-01-02 00:00:01", None), Some(DAY + SECOND));
        assert_eq!(nanoseconds("00:00:01", Some("23.11.2026")), Some(20_780 * DAY + SECOND));
        assert_eq!(nanoseconds("1999-13-02 00:00:01", None), None);
        assert_eq!(nanoseconds("noon", None), None);
        assert_eq!(nanoseconds("99999999999999999999", None), None);
    }
}
