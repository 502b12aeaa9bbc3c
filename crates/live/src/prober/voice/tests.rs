use sojourn_core::Time;
use sojourn_metrics::record::Observation;

use super::*;

/// The other end's clock is ahead by so much.
const AHEAD_NS: u64 = 1_700_000_000_000_000_000;

fn at(ms: f64) -> Time {
    Time::ZERO + Duration::from_nanos((ms * 1e6) as u64)
}

/// A packet every 20 ms with these forward and return delays in milliseconds; `None` for the lost.
fn packets(delays_ms: &[Option<(f64, f64)>]) -> Vec<Packet> {
    let packet = |(index, paths): (usize, &Option<(f64, f64)>)| {
        let spoken_ms = 100.0 + 20.0 * index as f64;
        let far_ns = paths.map(|(forward, _)| AHEAD_NS + ((spoken_ms + forward) * 1e6) as u64);
        Packet {
            intended: at(spoken_ms),
            sent: at(spoken_ms),
            departed: None,
            received: paths.map(|(forward, reverse)| at(spoken_ms + forward + reverse)),
            kernel_received: None,
            far_received: far_ns,
            far_sent: far_ns,
        }
    };
    delays_ms.iter().enumerate().map(packet).collect()
}

fn heard(voice: &Voice, packets: &[Packet], with_clock: bool) -> Record {
    let estimate = ClockEstimate::of(packets).filter(|_| with_clock);
    let mut record = Record::default();
    voice.report(packets, estimate.as_ref(), &mut record);
    record
}

#[test]
fn a_packet_holds_its_sound_and_a_header() {
    let voice = Voice::default();
    assert_eq!((voice.octets(), voice.samples()), (172, 160));
    let short = Voice { codec: Codec::G729a, packet_time: Duration::from_millis(10), ..voice };
    assert_eq!((short.octets(), short.samples()), (22, 80));
}

#[test]
fn a_stream_without_one_way_delays_is_rated_by_half_its_round_trip_time() {
    let record = heard(&Voice::default(), &packets(&[Some((30.0, 50.0)); 50]), false);
    // 20 ms of a packet, 3.75 ms that the codec looks ahead, 40 ms of path delay and 40 ms in the buffer
    assert!((record.value("play_out_delay") - 0.10375).abs() < 1e-9);
    let transmission = Transmission { delay: Duration::from_picoseconds(103_750_000_000), loss: 0.0, burst_ratio: 1.0 };
    let expected = r_factor(Codec::G711.impairment(), transmission);
    assert!((record.value("r_factor") - expected).abs() < 1e-6);
    assert!(record.value("mos") > 4.3);
    assert_eq!(record.metrics["fifo_underflow"], Observation::Count(0));
    assert!(!record.metrics.contains_key("mos/forward"), "no peer reported one-way delays");
}

#[test]
fn delay_in_one_direction_impairs_that_direction_alone_and_the_lower_rating_is_that_of_the_call() {
    // every tenth packet is delayed by 90 ms in the return direction
    let paths: Vec<_> = (0..200).map(|n| Some((10.0, if n % 10 == 5 { 100.0 } else { 10.0 }))).collect();
    let record = heard(&Voice::default(), &packets(&paths), true);
    assert_eq!(record.value("play_out_loss/forward"), 0.0);
    assert!((record.value("play_out_loss/return/late") - 0.1).abs() < 1e-9);
    assert!((record.value("play_out_loss/return") - 0.1).abs() < 1e-9);
    assert!(record.value("mos/return") < record.value("mos/forward") - 0.3);
    assert_eq!(record.value("mos"), record.value("mos/return"));
    assert!((record.value("play_out_delay/forward") - 0.07375).abs() < 1e-6);
}

#[test]
fn a_longer_wait_turns_late_packets_into_delay() {
    let paths: Vec<_> = (0..200).map(|n| Some((10.0, if n % 10 == 5 { 100.0 } else { 10.0 }))).collect();
    let delayed = Voice { start_up: Duration::from_millis(100), ..Voice::default() };
    let record = heard(&delayed, &packets(&paths), true);
    assert_eq!(record.value("play_out_loss/return"), 0.0);
    assert!(record.value("mos/return") > 4.2);
}

#[test]
fn a_stream_whose_first_packets_were_held_up_fills_a_small_buffer() {
    // the first six come together: all later ones are earlier than the instants that the first has set
    let paths: Vec<_> = (0..40).map(|n| Some((5.0, f64::from(5 + 20 * (5 - i32::min(n, 5)))))).collect();
    let small = Voice { buffer: Duration::from_millis(100), ..Voice::default() };
    let record = heard(&small, &packets(&paths), false);
    let lost = record.total("fifo_overflow");
    assert!(lost > 0 && lost.is_multiple_of(160), "whole packets of 160 samples: {lost}");
    assert_eq!(record.value("play_out_loss"), record.value("play_out_loss/overflow"));
    let roomy = heard(&Voice::default(), &packets(&paths), false);
    assert_eq!(roomy.metrics["fifo_overflow"], Observation::Count(0));
}

#[test]
fn silence_is_the_poorest_of_all() {
    let record = heard(&Voice::default(), &packets(&[None; 20]), false);
    assert_eq!((record.value("mos"), record.value("play_out_loss/lost")), (1.0, 1.0));
    assert!(!record.metrics.contains_key("play_out_delay"), "nothing was played");
}

#[test]
fn a_packet_holds_whole_frames_and_a_buffer_at_least_one_packet() {
    let [ten, fifteen, thirty] = [10, 15, 30].map(Duration::from_millis);
    let of = |codec, packet_time| Voice { codec, packet_time, ..Voice::default() };
    assert_eq!(of(Codec::G729a, thirty).checked().map(|voice| voice.octets()), Ok(42));
    assert_eq!(of(Codec::G729a, fifteen).checked(), Err(InvalidVoice::Packet { frame_us: 10_000 }));
    assert_eq!(of(Codec::G711, Duration::ZERO).checked(), Err(InvalidVoice::Packet { frame_us: 125 }));
    assert_eq!(Voice { buffer: ten, ..Voice::default() }.checked(), Err(InvalidVoice::Buffer));
}
