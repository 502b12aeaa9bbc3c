//! Infers the bottleneck rate from packet spacing (packet pairs and bursts).
//!
//! Packets queued at a link leave it back to back: the time between them is the transmission time of the later one.
//! Cross traffic and idle times lengthen it, so the rate appears as the shortest spacing that many packets have in
//! common (mode of the dispersion; Dovrolis, Ramanathan and Moore, Packet-dispersion techniques and a
//! capacity-estimation methodology, 2004).

use sojourn_core::Time;

use super::trips::sorted;
use sojourn_capture::arrivals::Reservoir;

/// Octets of Ethernet with a packet: preamble, header, check sequence and gap (IEEE 802.3).
pub(super) const FRAMING: f64 = 38.0;
/// Octets of a packet from which its time on a link is distinguished from errors of the stamps.
const LONG: u32 = 400;
/// Values kept.
const SAMPLE: usize = 2048;
/// Ratio of the times that count as the same.
const WIDTH: f64 = 1.04;
/// Fewest packets with the same time, and their share of all.
const FEWEST: usize = 10;
const SHARE: f64 = 0.1;

/// How close packets of one host followed each other.
#[derive(Clone, Debug)]
pub(super) struct Spacing<T> {
    /// Time per octet on the link, s.
    times: Reservoir,
    last: Option<(T, Time)>,
}

impl<T> Default for Spacing<T> {
    fn default() -> Self {
        Spacing { times: Reservoir::new(SAMPLE), last: None }
    }
}

impl<T: Copy + PartialEq> Spacing<T> {
    /// A packet of `octets` octets of `program`. Packets of one program say nothing unless they are part of a `burst`: a
    /// program that sends again after a time of its own has this time in common too.
    pub fn push(&mut self, program: T, is_burst: bool, octets: u32, time: Time) {
        if let Some((last, before)) = self.last.replace((program, time))
            && octets >= LONG
            && (is_burst || last != program)
        {
            self.times.push(time.since(before).seconds() / (f64::from(octets) + FRAMING));
        }
    }

    /// Bit rate of the bottleneck before the point of capture, if one shows.
    pub fn rate(&self) -> Option<Dispersion> {
        Dispersion::of(&self.times)
    }
}

impl Dispersion {
    /// The rate at which octets follow each other, of times per octet in seconds; `None` where no time is common.
    pub fn of(times: &Reservoir) -> Option<Dispersion> {
        let times = sorted(times);
        let within = |from: usize| times[from..].iter().take_while(|time| **time <= times[from] * WIDTH).count();
        let counts: Vec<usize> =
            (0..times.len()).map(|from| if times[from] > 0.0 { within(from) } else { 0 }).collect();
        let most = counts.iter().copied().max()?;
        if most < FEWEST || (most as f64) < SHARE * times.len() as f64 {
            return None;
        }
        // of several modes the shortest time: the others are of packets with traffic in between
        let from = counts.iter().position(|count| 2 * count >= most && *count >= FEWEST)?;
        let same = &times[from..from + counts[from]];
        Some(Dispersion { rate: 8.0 / same[same.len() / 2], packets: same.len(), of: times.len() })
    }
}

/// A rate that the spacing of packets shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dispersion {
    /// Bit/s, Ethernet framing included.
    pub rate: f64,
    /// Packets with this spacing.
    pub packets: usize,
    /// Packets looked at.
    pub of: usize,
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    #[test]
    fn packets_that_waited_for_a_link_show_its_rate() {
        let mut spacing = Spacing::default();
        let mut now = Time::ZERO;
        for number in 0..200_u64 {
            // 1500 octets and the framing at 10 Mbit/s, every third with another packet in between
            now += Duration::from_nanos(if number % 3 == 0 { 2_460_800 } else { 1_230_400 });
            spacing.push(1, true, 1500, now);
        }
        let found = spacing.rate().unwrap();
        assert!((found.rate / 1e7 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!((found.packets, found.of), (133, 199));
    }

    #[test]
    fn a_program_with_a_period_of_its_own_shows_no_rate() {
        let mut spacing = Spacing::default();
        (0..200).for_each(|number| spacing.push(1, false, 1500, Time::ZERO + Duration::from_millis(20 * number)));
        assert_eq!(spacing.rate(), None);
    }
}
