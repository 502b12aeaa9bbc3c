//! Infers channel type and processor speed from packet spacing.

use sojourn_core::Duration;

use sojourn_capture::arrivals::Reservoir;

/// A standard channel, as far as the spacing of packets shows it (open LON Stack EX, standard transceiver table; interval
/// before the first slot by the EIA-709.1 reference MAC at 10 MHz).
#[derive(Debug)]
pub(super) struct Standard {
    pub name: &'static str,
    /// Bits per second.
    bit_rate: f64,
    /// Bits before the first byte of a packet.
    preamble: f64,
    /// Idle time from the end of a packet to the first slot, s.
    beta1: f64,
    /// Width of a slot, s.
    beta2: f64,
}

/// The common channels, from the slowest to the fastest; those of RS-485 cannot be distinguished from them while traffic is
/// light.
pub(super) const STANDARDS: [Standard; 3] = [
    standard("TP/FT-10", 78_125.0, 8.0, 898.2e-6, 168e-6),
    standard("TP/XF-78", 78_125.0, 8.0, 802.2e-6, 72e-6),
    standard("TP/XF-1250", 1_250_000.0, 16.0, 385.2e-6, 24e-6),
];

const fn standard(name: &'static str, bit_rate: f64, preamble: f64, beta1: f64, beta2: f64) -> Standard {
    Standard { name, bit_rate, preamble, beta1, beta2 }
}

impl Standard {
    /// Time of a packet of `length` bytes on the channel, s.
    pub fn packet_time(&self, length: f64) -> f64 {
        (self.preamble + 4.0 + 8.0 * length) / self.bit_rate
    }

    /// Wait for an idle channel at the 25th percentile, about a third of the base window of 16 slots, s.
    pub fn usual_wait(&self) -> f64 {
        5.5 * self.beta2
    }
}

/// Share of gaps that may contradict a channel: stamps of real captures are not exact.
const CONTRADICTIONS: f64 = 0.01;
/// Share of a gap by which a stamp may be wrong.
const STAMP_ERROR: f64 = 0.02;
/// Values kept.
const SAMPLE: usize = 512;

/// How close packets followed each other.
#[derive(Clone, Debug)]
pub(super) struct Spacing {
    /// Gaps between ends, s.
    pub gaps: Reservoir,
    pub count: u64,
    length_sum: f64,
    /// By standard channel, gaps that are shorter than the channel allows: with the interval before the first slot, and
    /// by the length of the packet alone.
    too_close: [u64; STANDARDS.len()],
    too_short: [u64; STANDARDS.len()],
}

impl Default for Spacing {
    fn default() -> Self {
        let none = [0; STANDARDS.len()];
        Spacing { gaps: Reservoir::new(SAMPLE), count: 0, length_sum: 0.0, too_close: none, too_short: none }
    }
}

impl Spacing {
    /// A packet of `length` bytes ended `gap` after the one before.
    pub fn push(&mut self, length: usize, gap: Duration) {
        let (length, gap) = (length as f64, gap.seconds());
        self.gaps.push(gap);
        self.count += 1;
        self.length_sum += length;
        for (index, standard) in STANDARDS.iter().enumerate() {
            let packet = standard.packet_time(length) * (1.0 - STAMP_ERROR);
            self.too_short[index] += u64::from(gap < packet);
            self.too_close[index] += u64::from(gap < packet + standard.beta1 * (1.0 - STAMP_ERROR));
        }
    }

    /// Adds the gaps of another list.
    pub fn merge(&mut self, other: &Spacing) {
        self.gaps.merge(&other.gaps);
        self.count += other.count;
        self.length_sum += other.length_sum;
        for index in 0..STANDARDS.len() {
            self.too_close[index] += other.too_close[index];
            self.too_short[index] += other.too_short[index];
        }
    }

    /// Mean length of the packets, bytes.
    pub fn mean_length(&self) -> f64 {
        self.length_sum / self.count.max(1) as f64
    }
}

/// The channel that was chosen, and why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub standard: &'static Standard,
    /// Gaps looked at.
    pub gaps: u64,
    /// Share of the gaps that contradict the next slower channel.
    pub against_slower: f64,
}

/// The slowest standard channel that the gaps do not contradict: `own` are those of packets that begin on the channel,
/// `forwarded` the times that routers took to put a packet on it.
pub(super) fn choose(own: &Spacing, forwarded: &Spacing) -> Choice {
    let gaps = own.count + forwarded.count;
    let against = |index: usize| {
        let contradictions = own.too_close[index] + forwarded.too_short[index];
        if gaps == 0 { 0.0 } else { contradictions as f64 / gaps as f64 }
    };
    let possible = (0..STANDARDS.len()).find(|&index| against(index) <= CONTRADICTIONS);
    let index = possible.unwrap_or(STANDARDS.len() - 1);
    Choice { standard: &STANDARDS[index], gaps, against_slower: index.checked_sub(1).map_or(0.0, against) }
}

/// Input clocks of Neuron processors, MHz.
const CLOCKS: [f64; 8] = [0.625, 1.25, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0];

/// The input clock (MHz) at which processing that takes `at_10_mhz` seconds at 10 MHz, and `elsewhere` seconds on the
/// channel, come closest to what was `observed`.
pub(super) fn clock(observed: f64, at_10_mhz: f64, elsewhere: f64) -> f64 {
    let difference = |clock: f64| {
        let expected = at_10_mhz * 10.0 / clock + elsewhere;
        libm::fabs(libm::log(observed.max(1e-6) / expected))
    };
    let best = CLOCKS.into_iter().min_by(|a, b| difference(*a).total_cmp(&difference(*b)));
    best.unwrap_or(10.0)
}
