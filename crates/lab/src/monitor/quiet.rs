//! Quiet hours: times of the week in which no alert is raised or cleared.

use sojourn_scenario::{Problem, Problems};

/// Days as they are written; 1970 began on a Thursday.
const DAYS: [&str; 7] = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"];
const MINUTE_NS: u64 = 60_000_000_000;
const DAY_MINUTES: u64 = 24 * 60;
const HELP: &str =
    "\"22:00-06:00\" for every day, \"sat-sun 00:00-24:00\", \"mon 02:00-04:00\"; UTC, as the times of lines";

/// A time of each day, or of some days of the week, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    /// Whether it begins on each day, from Thursday.
    days: [bool; 7],
    /// Minutes of the day at which it begins and ends; the end may be on the next day.
    begin: u64,
    end: u64,
}

impl QuietHours {
    /// Reads `[DAY[-DAY]] HH:MM-HH:MM`.
    pub fn parse(text: &str) -> Result<QuietHours, Problems> {
        QuietHours::read(text)
            .ok_or_else(|| Problem::plain(format!("`{text}` cannot be read as quiet hours")).help(HELP).into())
    }

    fn read(text: &str) -> Option<QuietHours> {
        let text = text.trim().to_ascii_lowercase();
        let (days, hours) = match text.split_once(' ') {
            Some((days, hours)) => (read_days(days)?, hours.trim()),
            None => ([true; 7], text.as_str()),
        };
        let (begin, end) = hours.split_once('-')?;
        let (begin, end) = (minutes(begin)?, minutes(end)?);
        (begin != end && begin < DAY_MINUTES).then_some(QuietHours { days, begin, end })
    }

    /// Whether a time is within, in nanoseconds since 1970.
    pub fn contains(&self, at_ns: u64) -> bool {
        let minute = at_ns / MINUTE_NS;
        let (day, minute) = ((minute / DAY_MINUTES) as usize % 7, minute % DAY_MINUTES);
        let began = |day: usize| self.days[day % 7];
        if self.begin < self.end {
            return began(day) && (self.begin..self.end).contains(&minute);
        }
        (began(day) && minute >= self.begin) || (began(day + 6) && minute < self.end)
    }
}

fn read_days(text: &str) -> Option<[bool; 7]> {
    let index = |name: &str| DAYS.iter().position(|day| *day == name);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (index(first)?, index(last)?);
    let count = (last + 7 - first) % 7 + 1;
    let mut days = [false; 7];
    (first..first + count).for_each(|day| days[day % 7] = true);
    Some(days)
}

/// `HH:MM` as minutes of a day, up to 24:00.
fn minutes(text: &str) -> Option<u64> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|_| digits.len() == 2);
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (minutes < 60 && hours * 60 + minutes <= DAY_MINUTES).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nanoseconds of a time of the week from Thursday, 1 January 1970.
    fn at(day: u64, hour: u64, minute: u64) -> u64 {
        ((day * 24 + hour) * 60 + minute) * MINUTE_NS
    }

    fn is_quiet(text: &str, at_ns: u64) -> bool {
        QuietHours::parse(text).unwrap().contains(at_ns)
    }

    #[test]
    fn a_night_reaches_into_the_next_day() {
        let at = |hour, minute| at(20_000, hour, minute);
        let found =
            [at(21, 59), at(22, 0), at(23, 59), at(0, 0), at(5, 59), at(6, 0)].map(|at| is_quiet("22:00-06:00", at));
        assert_eq!(found, [false, true, true, true, true, false]);
    }

    #[test]
    fn days_are_those_on_which_it_begins() {
        assert!(is_quiet("thu 00:00-24:00", at(0, 12, 0)) && !is_quiet("fri 00:00-24:00", at(0, 12, 0)));
        assert!(is_quiet("sat-mon 10:00-11:00", at(4, 10, 30)), "Monday");
        assert!(!is_quiet("sat-mon 10:00-11:00", at(5, 10, 30)), "Tuesday");
        assert!(is_quiet("sun 22:00-06:00", at(4, 3, 0)), "the night that began on Sunday");
        assert!(!is_quiet("sun 22:00-06:00", at(3, 3, 0)), "the night that began on Saturday");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in
            ["", "22:00", "22-06", "25:00-26:00", "10:00-10:00", "24:00-06:00", "someday 10:00-11:00", "1:00-2:60"]
        {
            assert!(QuietHours::parse(text).is_err(), "{text}");
        }
    }
}
