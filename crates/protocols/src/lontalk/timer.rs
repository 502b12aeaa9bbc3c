//! Timer values that LonTalk encodes in four bits.

use sojourn_core::Duration;
use thiserror::Error;

/// Milliseconds of the sixteen codes of the transaction timer and repeat timer.
pub const TRANSACTION_TIMER_MS: [u64; 16] =
    [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072];

/// Milliseconds of the sixteen codes of the receive timer.
pub const RECEIVE_TIMER_MS: [u64; 16] =
    [128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576];

/// The transaction timer (time between tries) or repeat timer (time between repetitions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionTimer(u8);

/// The receive timer: how long a receiver keeps a message for duplicate detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReceiveTimer(u8);

/// A duration that no code represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{requested} is not a LonTalk {timer} timer; {}", nearest(*.below, *.above))]
pub struct NoCode {
    /// The duration that was requested.
    pub requested: Duration,
    /// Name of the timer: transaction or receive.
    pub timer: &'static str,
    /// The longest encodable duration below it.
    pub below: Option<Duration>,
    /// The shortest encodable duration above it.
    pub above: Option<Duration>,
}

fn nearest(below: Option<Duration>, above: Option<Duration>) -> String {
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

            /// The timer of exactly this duration, or an error with the nearest codes.
            pub fn from_duration(requested: Duration) -> Result<Self, NoCode> {
                let times = $table.map(Duration::from_millis);
                if let Ok(code) = times.binary_search(&requested) {
                    return Ok($type(code as u8));
                }
                Err(NoCode {
                    requested,
                    timer: $name,
                    below: times.iter().rev().find(|time| **time < requested).copied(),
                    above: times.iter().find(|time| **time > requested).copied(),
                })
            }

            /// All sixteen values, shortest first.
            pub fn all() -> impl Iterator<Item = Self> {
                (0..16).map($type)
            }

            /// The four-bit code, 0 to 15.
            pub const fn code(self) -> u8 {
                self.0
            }

            /// The duration of the code.
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
        assert_eq!(
            error.to_string(),
            "100 ms is not a LonTalk transaction timer; the nearest codes are 96 ms and 128 ms"
        );
        let error = ReceiveTimer::from_duration(Duration::from_millis(1)).unwrap_err();
        assert_eq!(error.to_string(), "1 ms is not a LonTalk receive timer; the nearest code is 128 ms");
        let error = ReceiveTimer::from_duration(Duration::from_secs(60)).unwrap_err();
        assert_eq!(error.above, None);
    }
}
