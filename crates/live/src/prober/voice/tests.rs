use sojourn_core::Time;
use sojourn_metrics::record::Observation;

use super::*;
use crate::prober::peer::{PeerTimes, Response};

fn g729a() -> Codec {
    "g729a".parse().expect("a codec")
}

/// The other end's clock is ahead by so much.
const AHEAD_NS: u64 = 1_700_000_000_000_000_000;

fn at(ms: f64) -> Time {
    Time::ZERO + Duration::from_nanos((ms * 1e6) as u64)
}

/// A packet every 20 ms with these forward and return delays in milliseconds; `None` for the lost.
fn packets(delays_ms: &[Option<(f64, f64)>]) -> Packets {
    sent_late(delays_ms, 0.0)
}

/// The same, of which every tenth leaves later than scheduled.
fn sent_late(delays_ms: &[Option<(f64, f64)>], late_ms: f64) -> Packets {
    let mut packets = Packets::starting_at(0);
    for (index, paths) in delays_ms.iter().enumerate() {
        let (sequence, intended_ms) = (index as u64, 100.0 + 20.0 * index as f64);
        let left_ms = intended_ms + if index % 10 == 5 { late_ms } else { 0.0 };
        packets.sent(at(intended_ms), at(left_ms));
        let Some((forward, reverse)) = paths else { continue };
        let far_ns = AHEAD_NS + ((left_ms + forward) * 1e6) as u64;
        let far = Some(PeerTimes { received: far_ns, sent: Some(far_ns), earlier: None, class: None, kernel: true });
        let (received, kernel_received, class) = (at(left_ms + forward + reverse), None, None);
        packets.answered(Response { sequence, received, kernel_received, far, class });
    }
    packets
}

fn heard(voice: &Voice, packets: &Packets, with_clock: bool) -> Record {
    counted(voice, packets, with_clock, None)
}

fn counted(voice: &Voice, packets: &Packets, with_clock: bool, counts: Option<&PeerCounts>) -> Record {
    let estimate = ClockEstimate::of(packets.all()).filter(|_| with_clock);
    let mut record = Record::default();
    voice.report(packets, 0..packets.all().len(), estimate.as_ref(), counts, &mut record);
    record
}

#[test]
fn a_packet_holds_its_sound_and_a_header() {
    let voice = Voice::default();
    assert_eq!((voice.octets(), voice.samples()), (172, 160));
    let short = Voice { codec: g729a(), packet_time: Duration::from_millis(10), ..voice };
    assert_eq!((short.octets(), short.samples()), (22, 80));
}

#[test]
fn a_stream_without_one_way_delays_is_rated_by_half_its_round_trip_time() {
    let record = heard(&Voice::default(), &packets(&[Some((30.0, 50.0)); 50]), false);
    // 20 ms of a packet, 3.75 ms that the codec looks ahead, 40 ms of path delay and 40 ms in the buffer
    assert!((record.value("play_out_delay") - 0.10375).abs() < 1e-9);
    let transmission = Transmission { delay: Duration::from_picoseconds(103_750_000_000), loss: 0.0, burst_ratio: 1.0 };
    let expected = r_factor(Codec::G711.impairment(), transmission).expect("a rating");
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
fn a_loss_in_one_direction_counts_in_that_direction_alone() {
    // 3 of 100 lost forward, or 3 of 100 on the return
    let paths: Vec<_> = (0..200).map(|n| (n % 33 != 20).then_some((10.0, 10.0))).collect();
    let lost = paths.iter().filter(|path| path.is_none()).count() as u64;
    let packets = packets(&paths);
    let of =
        |received| counted(&Voice::default(), &packets, true, Some(&PeerCounts { received, ..Default::default() }));
    for (record, [impaired, other]) in [(of(200 - lost), ["forward", "return"]), (of(200), ["return", "forward"])] {
        assert_eq!(record.value(&format!("play_out_loss/{impaired}/lost")), lost as f64 / 200.0);
        assert_eq!(record.value(&format!("play_out_loss/{other}")), 0.0);
        assert!(record.value(&format!("mos/{other}")) > 4.3, "{}", record.value(&format!("mos/{other}")));
        assert!(record.value(&format!("mos/{impaired}")) < 4.2);
        assert_eq!(record.value("mos"), record.value(&format!("mos/{impaired}")));
    }
    let unknown = heard(&Voice::default(), &packets, true);
    assert_eq!(unknown.value("play_out_loss/forward"), unknown.value("play_out_loss/return"), "as lost in both");
}

#[test]
fn a_late_departure_of_this_host_impairs_nothing() {
    let paths = [Some((10.0, 10.0)); 200];
    for with_clock in [true, false] {
        let [punctual, late] =
            [0.0, 90.0].map(|late_ms| heard(&Voice::default(), &sent_late(&paths, late_ms), with_clock));
        assert_eq!((late.value("play_out_loss"), late.total("fifo_underflow")), (0.0, 0));
        assert!((late.value("mos") - punctual.value("mos")).abs() < 1e-6);
    }
}

#[test]
fn silence_is_the_poorest_of_all() {
    let record = heard(&Voice::default(), &packets(&[None; 20]), false);
    assert_eq!((record.value("mos"), record.value("play_out_loss/lost")), (1.0, 1.0));
    assert!(!record.metrics.contains_key("play_out_delay"), "nothing was played");
}

#[test]
fn a_wideband_stream_is_rated_on_its_own_scale_and_only_where_its_loss_is_known_to_impair() {
    let of = |name: &str, paths: &[Option<(f64, f64)>]| {
        let codec: Codec = name.parse().expect("a codec");
        heard(&Voice { codec, ..Voice::default() }, &packets(paths), false)
    };
    let clear = [Some((10.0, 10.0)); 100];
    // 129 less what the codec and 71.5 ms of delay impair
    let record = of("g722", &clear);
    assert!((115.0..116.0).contains(&record.value("r_factor")), "{}", record.value("r_factor"));
    assert!((record.value("mos") - 4.32).abs() < 0.02);
    let lossy: Vec<_> = (0..100).map(|n| (n % 20 != 10).then_some((10.0, 10.0))).collect();
    let record = of("g722", &lossy);
    assert_eq!(record.metrics["mos"], Observation::NotApplicable);
    assert!((record.value("play_out_loss") - 0.05).abs() < 1e-9);
    assert!(record.notes[0].contains("g722"), "{:?}", record.notes);
    assert!(of("amr-wb-12.65", &lossy).value("mos") < of("amr-wb-12.65", &clear).value("mos") - 0.5);
}

#[test]
fn a_packet_holds_whole_frames_and_a_buffer_at_least_one_packet() {
    let [ten, fifteen, thirty] = [10, 15, 30].map(Duration::from_millis);
    let of = |codec, packet_time| Voice { codec, packet_time, ..Voice::default() };
    assert_eq!(of(g729a(), thirty).checked().map(|voice| voice.octets()), Ok(42));
    assert_eq!(of(g729a(), fifteen).checked(), Err(InvalidVoice::Packet { frame_us: 10_000 }));
    assert_eq!(of(Codec::G711, Duration::ZERO).checked(), Err(InvalidVoice::Packet { frame_us: 125 }));
    assert_eq!(Voice { buffer: ten, ..Voice::default() }.checked(), Err(InvalidVoice::Buffer));
}
