//! Samples the octets delivered by the load over time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sojourn_core::{Duration, Time};

use crate::io::clock::{Clock, to_system};
use crate::prober::loader::LoadWindow;

/// Samples over the whole time under load.
const LOOKS: u64 = 600;
/// Shortest interval between samples.
const SHORTEST: Duration = Duration::from_millis(100);
/// How often it checks for the end.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// Samples the octets delivered from the start of the load to its end, or until it is ended.
pub fn watch(loaded: LoadWindow, clock: Clock, delivered: &AtomicU64, over: &AtomicBool) -> Vec<(Time, u64)> {
    let every = loaded.end.since(loaded.start).divided(LOOKS).max(SHORTEST);
    let mut looks = Vec::new();
    let mut due = loaded.start;
    while due <= loaded.end && !over.load(Ordering::Relaxed) {
        let now = clock.now();
        if now < due {
            std::thread::sleep(to_system(due.since(now).min(LONGEST_SLEEP)));
            continue;
        }
        looks.push((now, delivered.load(Ordering::Relaxed)));
        // missed samples are not taken later
        while due <= now {
            due += every;
        }
    }
    looks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_samples_the_octets_from_start_to_end() {
        let clock = Clock::start();
        let start = clock.now() + Duration::from_millis(50);
        let loaded = LoadWindow { start, end: start + Duration::from_millis(450) };
        let (delivered, over) = (AtomicU64::new(7), AtomicBool::new(false));
        let looks = watch(loaded, clock, &delivered, &over);
        assert!((1..=5).contains(&looks.len()), "every tenth of a second, or later: {looks:?}");
        assert!(looks[0].0 >= start);
        assert!(looks.windows(2).all(|pair| pair[0].0 < pair[1].0) && looks.iter().all(|look| look.1 == 7));
    }

    #[test]
    fn it_ends_with_the_load() {
        let clock = Clock::start();
        let loaded = LoadWindow { start: clock.now(), end: clock.now() + Duration::from_secs(3600) };
        assert!(watch(loaded, clock, &AtomicU64::new(0), &AtomicBool::new(true)).is_empty());
    }
}
