//! Times that LonTalk codes in four bits.

use sojourn_core::Duration;
use thiserror::Error;

/// Milliseconds of the sixteen codes of the transaction timer, which is the repeat timer too.
pub const TRANSACTION_TIMER_MS: [u64; 16] =
    [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072];

/// Milliseconds of the sixteen codes of the receive timer.
pub const RECEIVE_TIMER_MS: [u64; 16] =
    [128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576];

/// How long a sender waits for answers before it tries again, or between repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionTimer(u8);

/// How long a receiver remembers a message to tell duplicates by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiveTimer(u8);

/// A time for which there is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{wanted} is no LonTalk {timer} timer; {}", nearest_words(*.below, *.above))]
pub struct NoCode {
    /// The time asked for.
    pub wanted: Duration,
    /// Which timer.
    pub timer: &'static str,
    /// The longest coded time below it.
    pub below: Option<Duration>,
    /// The shortest coded time above it.
    pub above: Option<Duration>,
}

fn nearest_words(below: Option<Duration>, above: Option<Duration>) -> String {
    match (below, above) {
        (Some(below), Some(above)) => format!("the nearest codes are {below} and {above}"),
        (Some(only), None) | (None, Some(only)) => format!("the nearest code is {only}"),
        (None, None) => String::new(),
    }
}

/// Both timers differ in their table alone.
macro_rules! coded {
    ($type:ident, $table:ident, $name:literal) => {
        impl $type {
            /// The timer of a four-bit code; `None` beyond 15.
            pub const fn from_code(code: u8) -> Option<Self> {
                if code < 16 { Some($type(code)) } else { None }
            }

            /// The timer of exactly this time, or the codes nearest to it.
            pub fn from_duration(wanted: Duration) -> Result<Self, NoCode> {
                let times = $table.map(Duration::from_millis);
                if let Ok(code) = times.binary_search(&wanted) {
                    return Ok($type(code as u8));
                }
                Err(NoCode {
                    wanted,
                    timer: $name,
                    below: times.iter().rev().find(|time| **time < wanted).copied(),
                    above: times.iter().find(|time| **time > wanted).copied(),
                })
            }

            /// All sixteen times, shortest first.
            pub fn all() -> impl Iterator<Item = Self> {
                (0..16).map($type)
            }

            /// The four-bit code.
            pub const fn code(self) -> u8 {
                self.0
            }

            /// The time.
            pub const fn duration(self) -> Duration {
                Duration::from_millis($table[self.0 as usize])
            }
        }
    };
}

coded!(TransactionTimer, TRANSACTION_TIMER_MS, "transaction");
coded!(ReceiveTimer, RECEIVE_TIMER_MS, "receive");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_gives_its_time_and_every_time_its_code() {
        for code in 0..16 {
            let timer = TransactionTimer::from_code(code).unwrap();
            assert_eq!(TransactionTimer::from_duration(timer.duration()), Ok(timer));
            let timer = ReceiveTimer::from_code(code).unwrap();
            assert_eq!(ReceiveTimer::from_duration(timer.duration()), Ok(timer));
        }
        assert_eq!(TransactionTimer::from_code(16), None);
        assert_eq!(TransactionTimer::from_code(6).unwrap().duration(), Duration::from_millis(128));
        assert_eq!(ReceiveTimer::from_code(8).unwrap().duration(), Duration::from_millis(2048));
    }

    #[test]
    fn a_time_without_a_code_names_the_nearest_codes() {
        let error = TransactionTimer::from_duration(Duration::from_millis(100)).unwrap_err();
        assert_eq!(error.to_string(), "100 ms is no LonTalk transaction timer; the nearest codes are 96 ms and 128 ms");
        let error = ReceiveTimer::from_duration(Duration::from_millis(1)).unwrap_err();
        assert_eq!(error.to_string(), "1 ms is no LonTalk receive timer; the nearest code is 128 ms");
        let error = ReceiveTimer::from_duration(Duration::from_secs(60)).unwrap_err();
        assert_eq!(error.above, None);
    }
}
