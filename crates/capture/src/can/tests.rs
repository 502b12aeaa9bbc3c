use sojourn_core::{Duration, Time};
use sojourn_protocols::can::log::record_of;

use super::*;
use crate::LinkType;
use crate::testing::transactions;

/// Frames of a bus as a log has them, each behind its milliseconds.
fn followed(frames: &[(u64, &str)]) -> Sink {
    with_data_phase(frames, DataPhase::default())
}

fn with_data_phase(frames: &[(u64, &str)], data_phase: DataPhase) -> Sink {
    let (mut tracker, mut out) = (Can { data_phase, ..Can::default() }, Sink::with_log());
    let (mut end, mut record) = (Time::ZERO, Vec::new());
    for (number, (ms, frame)) in (1..).zip(frames) {
        record_of(frame, &mut record).unwrap();
        end = Time::ZERO + Duration::from_millis(*ms);
        out.take(number, end);
        tracker.packet(&Packet::whole(number, end, LinkType::CAN_SOCKETCAN, &record), &mut out);
    }
    tracker.finish(end, &mut out);
    out
}

fn answered(ms: u64, frames: [u64; 2]) -> crate::testing::Seen {
    (Outcome::Answered, 1, Some(ms), frames.map(Some))
}

fn flows(out: &Sink) -> Vec<String> {
    out.flows().iter().map(|(_, key)| key.to_string()).collect()
}

#[test]
fn a_message_has_its_intervals_and_exactly_its_bits() {
    // of these frames 119, 125 and 81 bits are known, intermission included
    let (counting, zeros, short) = ("123#0102030405060708", "123#0000000000000000", "123#DEADBEEF");
    let out = followed(&[(0, counting), (10, zeros), (22, short), (30, "100#")]);
    // and 51 of the frame without data
    assert_eq!(out.bits()[&0], 119 + 125 + 81 + 51);
    let [bus] = out.can_buses() else { panic!("one bus") };
    let ids: Vec<String> = bus.identifiers.iter().map(|identifier| identifier.id.to_string()).collect();
    assert_eq!(ids, ["100", "123"], "by priority");
    let CanIdentifier { frames, bytes, lengths, intervals, bits, .. } = bus.identifiers[1];
    assert_eq!((frames, bytes, lengths, bits.nominal), (3, 20, [4, 8], 325));
    assert_eq!((intervals.count, intervals.least, intervals.most), (2, 0.01, 0.012));
    assert!((intervals.mean - 0.011).abs() < 1e-12);
    // of 10 and 12 ms: the root of 1 + 1
    assert!((intervals.jitter().unwrap() - 2_f64.sqrt() * 1e-3).abs() < 1e-12);
    assert_eq!(flows(&out), ["123 to everyone, CAN", "100 to everyone, CAN"]);
}

#[test]
fn worst_cases_are_those_of_davis_and_of_canbusload() {
    let out = followed(&[(0, "123#0102030405060708"), (1, "12345678#0102030405060708"), (2, "100#")]);
    let [bus] = out.can_buses() else { panic!("one bus") };
    // 55 + 10 s and 80 + 10 s bits (Davis and others 2007); 269 + 48 s and 389 + 48 s fifths of one (canframelen.c)
    assert_eq!(bus.worst.nominal, 135 + 160 + 55);
    assert_eq!(bus.every_fifth.nominal, 653 / 5 + 773 / 5 + 269 / 5);
}

#[test]
fn the_data_phase_of_can_fd_counts_by_its_bit_rate() {
    // without dynamic stuff bits: 29 bits at 500 kbit/s and 97 at 2 Mbit/s
    let frame = "555##15555555555555555";
    let frames = [(0, frame), (1, frame), (2, frame), (3, frame)];
    assert_eq!(followed(&frames).bits()[&0], 4 * 126);
    let phase = DataPhase { rates: Some((500_000, 2_000_000)) };
    assert_eq!(with_data_phase(&frames, phase).bits()[&0], 4 * 29 + 97);
}

#[test]
fn a_diagnostic_request_is_answered_in_one_frame_or_in_several() {
    let out = followed(&[
        (0, "7E0#0322F190"),
        (12, "7E8#101462F190414243"),
        (13, "7E0#300000"),
        (20, "7E8#2144454647484950"),
        (30, "7E8#2251525354555600"),
        (40, "7E0#021001"),
        (45, "7E8#065001003201F4"),
    ]);
    assert_eq!(transactions(&out), [answered(12, [1, 2]), answered(5, [6, 7])]);
    let complete: Vec<u64> = out
        .log()
        .iter()
        .filter_map(|event| match event {
            crate::Event::Complete(_, _, span) => Some(span.picoseconds() / 1_000_000_000),
            _ => None,
        })
        .collect();
    assert_eq!(complete, [30, 5]);
    let known = ["7E0 to 7E8, UDS 22, read data by identifier", "7E0 to 7E8, UDS 10, session control"];
    assert_eq!(flows(&out), known);
    let (_, key) = out.flows().iter().next().unwrap();
    assert_eq!(key.member(), "uds-22/7E0/7E8");
}

#[test]
fn a_request_that_is_pending_waits_and_one_that_is_refused_fails() {
    let out = followed(&[
        (0, "18DA10F1#0431010203"),
        (40, "18DAF110#037F3178"),
        (3000, "18DAF110#0471010203"),
        (4000, "18DA10F1#022701"),
        (4005, "18DAF110#037F2737"),
    ]);
    let refused = (Outcome::Refused, 1, Some(5), [Some(4), Some(5)]);
    assert_eq!(transactions(&out), [answered(3000, [1, 3]), refused]);
}

#[test]
fn a_request_is_repeated_given_up_or_wants_no_answer() {
    let out = followed(&[
        (0, "7DF#020100"),
        (1000, "7DF#020100"),
        (1010, "7E9#06410000000000"),
        (2000, "7E1#0322F18C"),
        (3000, "7E1#0322F18D"),
        (3100, "7E1#023E80"),
        (14000, "7E1#0322F18E"),
    ]);
    let expected = [
        (Outcome::Answered, 2, Some(1010), [Some(1), Some(3)]),
        (Outcome::Unanswered, 1, None, [Some(4), None]),
        (Outcome::Sent, 1, None, [Some(6), None]),
        (Outcome::Unanswered, 1, None, [Some(5), None]),
        (Outcome::Open, 1, None, [Some(7), None]),
    ];
    assert_eq!(transactions(&out), expected);
    assert_eq!(flows(&out)[0], "7DF to everyone, OBD 01");
}

#[test]
fn an_object_is_read_at_once_or_in_segments_and_a_transfer_may_be_aborted() {
    let out = followed(&[
        (0, "605#4018100100000000"),
        (2, "585#4318100178563412"),
        // ten bytes: seven in the first segment
        (10, "605#4008100000000000"),
        (13, "585#410810000A000000"),
        (14, "605#6000000000000000"),
        (16, "585#0041424344454647"),
        (17, "605#7000000000000000"),
        (20, "585#1948494A00000000"),
        (30, "605#2B40600000000000"),
        (34, "585#8040600011000906"),
    ]);
    let refused = (Outcome::Refused, 1, Some(4), [Some(9), Some(10)]);
    assert_eq!(transactions(&out), [answered(2, [1, 2]), answered(3, [3, 4]), refused]);
    let (_, tally) = out.services().find(|(service, _)| **service == Service::Sdo).unwrap();
    assert_eq!((tally.complete.count, tally.complete.sum), (2, 12 * 1_000_000_000));
    assert!(flows(&out).contains(&"client to node 5, SDO".to_owned()));
}

#[test]
fn an_object_is_written_in_segments() {
    let out = followed(&[
        (0, "605#4018100100000000"),
        (1, "585#4318100178563412"),
        (10, "605#2108100008000000"),
        (12, "585#6008100000000000"),
        (13, "605#0041424344454647"),
        (15, "585#2000000000000000"),
        (16, "605#1D48000000000000"),
        (19, "585#3000000000000000"),
    ]);
    assert_eq!(transactions(&out), [answered(1, [1, 2]), answered(2, [3, 4])]);
    assert_eq!(out.whole().complete.sum, (1 + 9) * 1_000_000_000);
}

#[test]
fn identifiers_of_objects_are_messages_on_a_bus_where_none_was_answered() {
    let out = followed(&[(0, "601#4018100100000000"), (10, "601#4018100100000000"), (15, "581#0000000000000000")]);
    let outcomes: Vec<Outcome> = transactions(&out).iter().map(|transaction| transaction.0).collect();
    assert_eq!(outcomes, [Outcome::Sent; 3]);
    assert_eq!(flows(&out), ["601 to everyone, CAN", "581 to everyone, CAN"]);
}

#[test]
fn a_remote_frame_is_answered_by_the_data_frame_with_its_identifier() {
    let out = followed(&[(0, "123#R4"), (1, "124#00"), (3, "123#DEADBEEF"), (10, "123#DEADBEEF")]);
    let sent = |frame| (Outcome::Sent, 1, None, [Some(frame), None]);
    assert_eq!(transactions(&out), [sent(2), answered(3, [1, 3]), sent(4)]);
    assert_eq!(out.whole().counted("remote_frames"), 1);
    assert_eq!(out.can_buses()[0].identifiers[0].remote_frames, 1);
}

#[test]
fn a_parameter_group_comes_in_one_frame_by_the_transport_protocol_or_not_at_all() {
    let out = followed(&[
        // address claimed (PGN 60928), asked of all
        (0, "18EAFFF9#00EE00"),
        (4, "18EEFF21#0102030405060708"),
        // DM1 (PGN 65226) of 9 bytes, announced to all
        (100, "18EA21F9#CAFE00"),
        (105, "1CECFF21#20090002FFCAFE00"),
        (155, "1CEBFF21#0101020304050607"),
        (205, "1CEBFF21#020809FFFFFFFFFF"),
        (300, "18EA21F9#EBFE00"),
        (307, "18E8F921#01FFFFFFFFEBFE00"),
        (400, "18EA22F9#EBFE00"),
    ]);
    let refused = (Outcome::Refused, 1, Some(7), [Some(7), Some(8)]);
    let open = (Outcome::Open, 1, None, [Some(9), None]);
    assert_eq!(transactions(&out), [answered(4, [1, 2]), answered(5, [3, 4]), refused, open]);
    assert_eq!(flows(&out)[1], "SA F9 to SA 21, J1939 request, PGN 65226");
    assert_eq!(out.whole().complete.sum, (4 + 105) * 1_000_000_000);
}

#[test]
fn messages_of_the_driver_are_counted_by_their_class() {
    // a bus error, bus off, and lost arbitration
    let out = followed(&[(0, "20000088#0000080000000000"), (1, "20000040#00"), (2, "20000002#05"), (3, "123#00")]);
    let whole = out.whole();
    let counted = ["error_frames", "bus_offs", "arbitration_losses"].map(|metric| whole.counted(metric));
    assert_eq!(counted, [1, 1, 1]);
    assert_eq!(transactions(&out).len(), 1);
}

#[test]
fn a_cooked_capture_has_identifiers_in_the_byte_order_of_its_host() {
    let sll = [0, 0, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0c];
    let sll2 = [0, 0x0d, 0, 0, 0, 0, 0, 3, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let (mut tracker, mut out) = (Can::default(), Sink::default());
    let frames = [
        (LinkType::LINUX_SLL, [&sll[..], &[0x23, 1, 0, 0, 1, 0, 0, 0, 7]].concat()),
        (LinkType::LINUX_SLL, [&sll[..], &[0, 0, 1, 0x23, 1, 0, 0, 0, 7]].concat()),
        (LinkType::LINUX_SLL2, [&sll2[..], &[0x78, 0x56, 0x34, 0x92, 1, 0, 0, 0, 7]].concat()),
    ];
    for (link_type, data) in &frames {
        let packet = Packet::whole(1, Time::ZERO, *link_type, data);
        assert!(is_cooked(&packet));
        tracker.packet(&packet, &mut out);
    }
    tracker.finish(Time::ZERO, &mut out);
    let found: Vec<(String, u64, bool)> = out.can_buses()[0]
        .identifiers
        .iter()
        .map(|identifier| (identifier.id.to_string(), identifier.frames, identifier.is_fd))
        .collect();
    assert_eq!(found, [("123".to_owned(), 2, false), ("12345678".to_owned(), 1, true)]);
}
