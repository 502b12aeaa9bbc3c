//! Time series of events: counts in bins of equal width, which doubles whenever the capture outgrows the bins.

use sojourn_core::{Duration, Time};
use sojourn_metrics::interval::Part;

/// Bins at most.
const BINS: usize = 1024;
/// The first width of a bin.
const FIRST_WIDTH: Duration = Duration::from_millis(1);

/// Counts of one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// Packets.
    pub packets: u64,
    /// Their bytes from layer 3 on.
    pub l3_bytes: u64,
    /// User data in bytes, without copies.
    pub new_bytes: u64,
    /// Bits on all media.
    pub bits: u64,
    /// Transactions that began.
    pub transactions: u64,
    /// Transactions that began and were answered.
    pub answered: u64,
    /// Transactions that began and were not answered.
    pub unanswered: u64,
    /// Retries of transactions that began.
    pub retries: u64,
    /// Sum of the response times of those that began and were answered, in picoseconds.
    pub response: u128,
}

impl Bin {
    fn add(&mut self, other: &Bin) {
        self.packets += other.packets;
        self.l3_bytes += other.l3_bytes;
        self.new_bytes += other.new_bytes;
        self.bits += other.bits;
        self.transactions += other.transactions;
        self.answered += other.answered;
        self.unanswered += other.unanswered;
        self.retries += other.retries;
        self.response += other.response;
    }
}

/// Counts over time.
#[derive(Clone, Debug)]
pub struct Series {
    width: Duration,
    bins: Vec<Bin>,
}

impl Default for Series {
    fn default() -> Self {
        Series { width: FIRST_WIDTH, bins: Vec::new() }
    }
}

impl Series {
    /// Width of each bin.
    pub fn width(&self) -> Duration {
        self.width
    }

    /// The bins from the start of the capture on.
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The bin of an instant.
    #[inline]
    pub(crate) fn at(&mut self, time: Time) -> &mut Bin {
        let mut place = self.place(time);
        while place >= BINS {
            self.widen();
            place = self.place(time);
        }
        if place >= self.bins.len() {
            self.bins.resize(place + 1, Bin::default());
        }
        &mut self.bins[place]
    }

    fn place(&self, time: Time) -> usize {
        time.since(Time::ZERO).whole(self.width) as usize
    }

    #[cold]
    fn widen(&mut self) {
        self.width = self.width.times(2);
        for place in 0..self.bins.len().div_ceil(2) {
            let mut bin = self.bins[2 * place];
            if let Some(next) = self.bins.get(2 * place + 1) {
                bin.add(next);
            }
            self.bins[place] = bin;
        }
        self.bins.truncate(self.bins.len().div_ceil(2));
    }

    /// All of the time from the first packet to `end` in this many parts, in seconds, by what `value` takes of a bin; `None` of
    /// fewer bins than parts.
    pub fn parts(&self, end: Time, parts: usize, value: impl Fn(&Bin) -> f64) -> Option<Vec<Part>> {
        // the last bin is whole only if the capture lasts to its end: it belongs to the one before
        let whole = (self.place(end)).min(BINS);
        if whole < parts {
            return None;
        }
        let of = |place: usize| self.bins.get(place).map_or(0.0, &value);
        let part = |part: usize| {
            let (begin, until) = (whole * part / parts, whole * (part + 1) / parts);
            let width = self.width.seconds();
            let (more, rest) = match until == whole {
                true => ((until..self.bins.len()).map(of).sum::<f64>(), end.seconds() - whole as f64 * width),
                false => (0.0, 0.0),
            };
            let sum = (begin..until).map(of).sum::<f64>() + more;
            Part { sum, size: (until - begin) as f64 * width + rest.max(0.0) }
        };
        Some((0..parts).map(part).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_in_order_while_the_bins_widen() {
        let mut series = Series::default();
        for second in 0..100 {
            let time = Time::ZERO + Duration::from_secs(second);
            series.at(time).packets += 1 + second;
        }
        assert!(series.bins().len() <= BINS && series.width() > FIRST_WIDTH);
        assert_eq!(series.bins().iter().map(|bin| bin.packets).sum::<u64>(), 5050);
        let halves = series.parts(Time::ZERO + Duration::from_secs(100), 2, |bin| bin.packets as f64).unwrap();
        assert!(halves[0].sum < halves[1].sum, "{halves:?}");
        assert_eq!(halves[0].sum + halves[1].sum, 5050.0);
        assert!((halves[0].size + halves[1].size - 100.0).abs() < 1e-9, "{halves:?}");
    }

    #[test]
    fn what_comes_at_the_end_of_a_capture_is_in_its_last_part() {
        let mut series = Series::default();
        let end = Time::ZERO + Duration::from_micros(36_800_000);
        series.at(Time::ZERO).packets += 4;
        series.at(end).packets += 12;
        let parts = series.parts(end, 8, |bin| bin.packets as f64).unwrap();
        assert_eq!((parts[0].sum, parts[7].sum), (4.0, 12.0));
        assert!((parts.iter().map(|part| part.size).sum::<f64>() - 36.8).abs() < 1e-9);
    }

    #[test]
    fn the_longest_capture_fits() {
        let mut series = Series::default();
        series.at(Time::from_picoseconds(u64::MAX)).packets += 1;
        series.at(Time::ZERO).packets += 1;
        assert_eq!(series.bins().iter().map(|bin| bin.packets).sum::<u64>(), 2);
    }
}
