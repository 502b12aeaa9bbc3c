//! Channels: bit rates, frame times and slots, and the standard transceivers that define them.
//!
//! Times derive from a node's communication parameters as the EIA-709.1 reference MAC derives them for
//! special-purpose mode; their use for direct mode is an assumption that the saturation point of the
//! 1992 response-time bulletin supports within about 5 %.

use sojourn_core::{Duration, Time};

/// The longest LPDU a table of wire times covers, in bytes (249-byte NPDU with header, CRC and margin).
const LONGEST_LPDU: usize = 280;

/// Bits of line-code violation that end a frame (USART manuals of a LonTalk-capable controller: 3).
const VIOLATION_BITS: u64 = 3;

/// The share of its peak rate at which a channel saturates (LonTalk response-time bulletin).
const SATURATION_SHARE: f64 = 0.8;

/// Random slots that pass before the first of several contenders fires: 2 to 3.
const SLOTS_WAITED: f64 = 2.5;

/// What a collision does to a sender that detects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollisionAbort {
    /// It transmits to the end of its packet, then retries.
    Never,
    /// It stops at the end of its preamble.
    EndOfPreamble,
    /// It stops as soon as it senses the other (special-purpose transceivers).
    Immediate,
}

/// A standard transceiver: the stored communication parameters (open LON Stack EX, transceiver table).
#[derive(Debug)]
pub struct Standard {
    /// The name users write.
    pub name: &'static str,
    /// Thousandths of a bit per second.
    pub millibits_per_second: u64,
    /// Thousandths of bits of bit-sync before the byte-sync.
    pub preamble_millibits: u64,
    /// Idle timer, in units of 1794 processor cycles.
    pub packet_cycle: u64,
    /// Beta 2 control code of the transceiver table, from which the slot width derives.
    pub beta2_control: u64,
    /// Interpacket padding code after a reception.
    pub receive_interpacket: u64,
    /// Priority slots the channel comes with.
    pub priority_slots: u32,
    /// From a transmission's start until all others sense it.
    pub carrier_sense_latency: Duration,
}

/// The standard channels of the transceiver table.
pub const STANDARD: [Standard; 7] = [
    standard("TP/XF-1250", 1_250_000_000, 16_000, [4, 0, 0], 16, 15),
    standard("TP/XF-78", 78_125_000, 8_000, [4, 4, 15], 4, 51),
    standard("TP/RS485-78", 78_125_000, 8_000, [4, 4, 15], 4, 51),
    standard("TP/FT-10", 78_125_000, 8_000, [5, 12, 15], 4, 115),
    standard("TP/RS485-39", 39_062_500, 4_000, [5, 6, 16], 4, 77),
    standard("TP/RS485-625", 625_000_000, 8_000, [4, 2, 15], 4, 15),
    // the transceiver makes the preamble: its length, the bit rate and 7.3 bits until others receive are those of the PLT-22
    // user guide (Echelon 078-0175-01), table 3.3
    standard("PL-20N", 3_987_000, 33_500, [63, 166, 103], 8, 1831),
];

const fn standard(
    name: &'static str,
    rate: u64,
    preamble: u64,
    codes: [u64; 3],
    slots: u32,
    sense_us: u64,
) -> Standard {
    Standard {
        name,
        millibits_per_second: rate,
        preamble_millibits: preamble,
        packet_cycle: codes[0],
        beta2_control: codes[1],
        receive_interpacket: codes[2],
        priority_slots: slots,
        carrier_sense_latency: Duration::from_micros(sense_us),
    }
}

impl Standard {
    /// The channel called `name`.
    pub fn find(name: &str) -> Option<&'static Standard> {
        STANDARD.iter().find(|standard| standard.name == name)
    }

    /// One slot, at a clock whose processor cycle is `cycle`.
    pub const fn beta2(&self, cycle: Duration) -> Duration {
        cycle.times(20 * self.beta2_control + 40)
    }

    /// From the end of a packet to the first slot, at a clock whose processor cycle is `cycle`.
    pub const fn beta1(&self, cycle: Duration) -> Duration {
        let code = self.receive_interpacket;
        let pad = if code < 128 { 41 * code } else { 145 * (code - 128) };
        cycle.times(285 + 20 * self.beta2_control + 40 + pad + 317)
    }

    /// The idle timer that lowers a backlog, at a clock whose processor cycle is `cycle`.
    pub const fn idle_timer(&self, cycle: Duration) -> Duration {
        cycle.times(1794 * self.packet_cycle)
    }
}

/// A processor cycle at 10 MHz: six input clocks.
pub const CYCLE_10_MHZ: Duration = Duration::from_nanos(600);

/// A channel as the medium access sees it: every time derived, every option resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Thousandths of a bit per second.
    pub millibits_per_second: u64,
    /// Thousandths of bits of bit-sync (preamble) before the byte-sync.
    pub preamble_millibits: u64,
    /// From the end of a packet to the first slot.
    pub beta1: Duration,
    /// One slot, priority or random.
    pub beta2: Duration,
    /// The idle timer that lowers a backlog.
    pub idle_timer: Duration,
    /// Priority slots after every packet, 0 to 127.
    pub priority_slots: u32,
    /// From a transmission's start until all others sense it; shorter than a slot.
    pub carrier_sense_latency: Duration,
    /// Largest backlog, 1 to 63.
    pub backlog_cap: u8,
    /// Backlog estimate at power-up, 1 to 63.
    pub backlog_start: u8,
    /// Whether a priority packet that appears between Beta1 and its slot may still use it.
    pub late_priority_upgrade: bool,
    /// Whether priority slots are open only after a packet with a valid CRC.
    pub priority_needs_crc: bool,
    /// Random slots of one unit of backlog.
    pub base_window: u32,
    /// Extra slots a station sits out after its own packet, where there are priority slots.
    pub post_transmission_pause: u32,
    /// Detected collisions after which a packet is dropped, 1 to 255.
    pub collision_limit: u8,
    /// What a detected collision does to the transmission.
    pub collision_abort: CollisionAbort,
    /// Whether the one transmission that began before all others survives a collision.
    pub capture: bool,
    /// Each station's slots lie late by a fixed time, uniform on 0 to this.
    pub skew: Duration,
    /// Chance of a bit error, the same for all receivers of a packet.
    pub bit_error_rate: f64,
}

impl Channel {
    /// A standard channel with nodes of 10 MHz and the options' defaults.
    pub fn of(standard: &Standard) -> Channel {
        Channel {
            millibits_per_second: standard.millibits_per_second,
            preamble_millibits: standard.preamble_millibits,
            beta1: standard.beta1(CYCLE_10_MHZ),
            beta2: standard.beta2(CYCLE_10_MHZ),
            idle_timer: standard.idle_timer(CYCLE_10_MHZ),
            priority_slots: standard.priority_slots,
            carrier_sense_latency: standard.carrier_sense_latency,
            backlog_cap: 63,
            backlog_start: 1,
            late_priority_upgrade: false,
            priority_needs_crc: false,
            base_window: 16,
            post_transmission_pause: 16,
            collision_limit: 255,
            collision_abort: CollisionAbort::Never,
            capture: false,
            skew: Duration::ZERO,
            bit_error_rate: 0.0,
        }
    }

    /// The time of this many thousandths of a bit time.
    pub fn time_of(&self, millibits: u64) -> Duration {
        Duration::from_units(millibits, self.millibits_per_second)
    }

    /// Thousandths of bits that a packet of `length` LPDU bytes takes on the wire: bit-sync, byte-sync, bytes, violation.
    pub const fn wire_millibits(&self, length: u64) -> u64 {
        self.preamble_millibits + 1000 * (1 + 8 * length + VIOLATION_BITS)
    }

    /// When the `number`-th slot after `from` begins.
    #[inline]
    pub fn slot(&self, from: Time, number: u32) -> Time {
        from + self.beta2.times(u64::from(number))
    }

    /// How many of the slots after `from` begin before `end`.
    #[inline]
    pub fn slots_before(&self, end: Time, from: Time) -> u32 {
        let slots = end.since(from).picoseconds().div_ceil(self.beta2.picoseconds());
        u32::try_from(slots).unwrap_or(u32::MAX)
    }

    /// Packets per second at which the channel saturates when they are of `length` LPDU bytes on average: 80 % of
    /// the rate at which several stations always have one to send (LonTalk response-time bulletin).
    pub fn saturation_rate(&self, length: f64) -> f64 {
        let wire = (self.wire_millibits(0) as f64 / 1000.0 + 8.0 * length) * 1000.0 / self.millibits_per_second as f64;
        let slots = f64::from(self.priority_slots) + SLOTS_WAITED;
        SATURATION_SHARE / (wire + self.beta1.seconds() + slots * self.beta2.seconds())
    }

    /// Wire times by LPDU length, so that no packet costs a division.
    pub fn wire_times(&self) -> Vec<Duration> {
        (0..=LONGEST_LPDU as u64).map(|length| self.time_of(self.wire_millibits(length))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_channels_have_the_times_of_their_parameters() {
        let times = |name| {
            let standard = Standard::find(name).unwrap();
            let micros = |d: Duration| d.picoseconds() / 1_000_000;
            let (beta2, beta1) = (standard.beta2(CYCLE_10_MHZ), standard.beta1(CYCLE_10_MHZ));
            (micros(beta2), micros(beta1), standard.idle_timer(CYCLE_10_MHZ).picoseconds() / 10_000_000)
        };
        assert_eq!(times("TP/XF-1250"), (24, 385, 430));
        assert_eq!(times("TP/XF-78"), (72, 802, 430));
        assert_eq!(times("TP/FT-10"), (168, 898, 538));
        assert_eq!(times("TP/RS485-39"), (96, 850, 538));
        assert_eq!(times("TP/RS485-625"), (48, 778, 430));
        assert_eq!(times("PL-20N"), (2016, 4911, 6781));
    }

    #[test]
    fn a_slot_begins_before_an_instant_or_does_not() {
        let channel = Channel::of(Standard::find("TP/XF-78").unwrap());
        let from = Time::from_picoseconds(5);
        for slots in [0, 1, 7] {
            let begin = channel.slot(from, slots);
            assert_eq!(channel.slots_before(begin, from), slots);
            assert_eq!(channel.slots_before(begin + Duration::from_picoseconds(1), from), slots + 1);
        }
        assert_eq!(channel.slots_before(Time::ZERO, from), 0);
    }

    #[test]
    fn eleven_bytes_take_1280_microseconds_at_78_kbit() {
        let channel = Channel::of(Standard::find("TP/XF-78").unwrap());
        assert_eq!(channel.wire_times()[11], Duration::from_micros(1280));
    }

    #[test]
    fn a_power_line_transceiver_begins_a_packet_with_thirty_three_and_a_half_bits() {
        let channel = Channel::of(Standard::find("PL-20N").unwrap());
        let bits = 33.5 + 1.0 + 88.0 + 3.0;
        assert!((channel.wire_times()[11].seconds() - bits / 3987.0).abs() < 1e-12);
    }

    #[test]
    fn eleven_byte_packets_saturate_a_78_kbit_channel_near_360_a_second() {
        let channel = Channel { priority_slots: 0, ..Channel::of(Standard::find("TP/XF-78").unwrap()) };
        assert!((channel.saturation_rate(11.0) / 360.0 - 1.0).abs() < 0.03);
    }

    #[test]
    fn every_standard_channel_senses_a_carrier_within_a_slot() {
        for standard in &STANDARD {
            let channel = Channel::of(standard);
            assert!(channel.carrier_sense_latency < channel.beta2, "{}", standard.name);
        }
    }
}
