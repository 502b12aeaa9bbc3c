//! Dialogues of the transports above CAN: both ends on a hand clock, over a bus that takes a time for each frame and loses some.

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::can::canopen::{
    Client, ClientInput, ClientOutput, Failure, Object, Sdo, Segment, Server, ServerOutput,
};
use sojourn_protocols::can::isotp::{self, FlowStatus, Pdu, Receiver, Sender, Separation};
use sojourn_protocols::can::j1939::{self, AbortReason, Address, Control, DataTransfer, Identifier};

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// How long a frame is on the bus.
const FRAME: Duration = Duration::from_micros(250);

/// What became of a message of ISO-TP.
#[derive(Debug, Default, PartialEq)]
struct Transfer {
    received: Vec<u8>,
    frames: usize,
    sent: Option<u16>,
    complete: Option<u16>,
    failures: Vec<isotp::Failure>,
    took: Duration,
}

/// Sends a message of this many bytes; frame `lost` does not arrive.
fn isotp(length: usize, parameters: isotp::Parameters, lost: Option<usize>) -> Transfer {
    let mut sender: Sender<Vec<u8>> = Sender::new(parameters);
    let mut receiver: Receiver<Vec<u8>> = Receiver::new(parameters);
    let (mut now, mut transfer) = (Time::ZERO, Transfer::default());
    let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
    sender.handle(now, isotp::Input::Send(message));
    for _ in 0..10_000 {
        if let Some(output) = sender.poll_output() {
            match output {
                isotp::Output::Transmit(pdu) => {
                    now += FRAME;
                    transfer.frames += 1;
                    sender.handle(now, isotp::Input::Transmitted);
                    if lost != Some(transfer.frames) {
                        receiver.handle(now, isotp::Input::Received(pdu));
                    }
                }
                isotp::Output::Complete(bytes) => transfer.sent = Some(bytes),
                isotp::Output::Failed(failure) => transfer.failures.push(failure),
                isotp::Output::Data(_) => panic!("a sender receives no data"),
            }
        } else if let Some(output) = receiver.poll_output() {
            match output {
                isotp::Output::Transmit(pdu) => {
                    now += FRAME;
                    transfer.frames += 1;
                    if lost != Some(transfer.frames) {
                        sender.handle(now, isotp::Input::Received(pdu));
                    }
                }
                isotp::Output::Data(data) => transfer.received.extend(data),
                isotp::Output::Complete(bytes) => {
                    (transfer.complete, transfer.took) = (Some(bytes), now.since(Time::ZERO))
                }
                isotp::Output::Failed(failure) => transfer.failures.push(failure),
            }
        } else {
            let Some(at) = sender.next_wakeup().into_iter().chain(receiver.next_wakeup()).min() else {
                return transfer;
            };
            now = now.max(at);
            sender.wake(now);
            receiver.wake(now);
        }
    }
    panic!("the dialogue does not end")
}

#[test]
fn seven_bytes_go_in_one_frame_and_eight_in_a_first_a_flow_control_and_a_consecutive_one() {
    let one = isotp(7, isotp::Parameters::default(), None);
    assert_eq!((one.frames, one.complete, one.sent), (1, Some(7), Some(7)));
    let two = isotp(8, isotp::Parameters::default(), None);
    assert_eq!((two.frames, two.complete, two.took), (3, Some(8), FRAME.times(3)));
    assert_eq!(two.received, (0..8).collect::<Vec<u8>>());
}

#[test]
fn a_block_size_and_a_separation_time_slow_a_message_down_by_what_they_say() {
    // 6 bytes first, then 20 in 3 frames: 7, 7 and 6
    let parameters = isotp::Parameters { block_size: 2, separation: Separation(5), ..isotp::Parameters::default() };
    let transfer = isotp(26, parameters, None);
    assert_eq!(transfer.complete, Some(26));
    // first, flow control, two frames, flow control, one frame; 5 ms between the two of a block
    assert_eq!((transfer.frames, transfer.took), (6, FRAME.times(6) + ms(5)));
}

#[test]
fn frames_of_can_fd_carry_62_bytes_at_once() {
    let parameters = isotp::Parameters { frame: 64, ..isotp::Parameters::default() };
    assert_eq!(isotp(62, parameters, None).frames, 1);
    // 62 first, 63 in the next, 1 in the last
    assert_eq!(isotp(126, parameters, None).frames, 4);
}

#[test]
fn lost_frames_are_noticed_by_the_timers_of_the_end_that_waits() {
    let lost = |frame| isotp(30, isotp::Parameters::default(), Some(frame)).failures;
    assert_eq!(lost(1), [isotp::Failure::FlowControlTimeout], "the first frame");
    assert_eq!(lost(2)[0], isotp::Failure::FlowControlTimeout, "flow control");
    assert_eq!(lost(3), [isotp::Failure::WrongSequence], "a consecutive frame");
    assert_eq!(lost(6), [isotp::Failure::ConsecutiveTimeout], "the last frame");
    assert_eq!(isotp(4096, isotp::Parameters::default(), None).failures, [isotp::Failure::Length]);
}

#[test]
fn a_receiver_without_room_ends_the_message() {
    let mut sender: Sender<Vec<u8>> = Sender::new(isotp::Parameters::default());
    sender.handle(Time::ZERO, isotp::Input::Send(vec![0; 20]));
    assert!(matches!(sender.poll_output(), Some(isotp::Output::Transmit(Pdu::First(20, _)))));
    sender.handle(Time::ZERO, isotp::Input::Transmitted);
    let wait = Pdu::FlowControl(FlowStatus::Wait, 0, Separation(0));
    sender.handle(Time::ZERO + ms(900), isotp::Input::Received(wait));
    assert_eq!(sender.next_wakeup(), Some(Time::ZERO + ms(1900)), "it waits for another flow control");
    let overflow = Pdu::FlowControl(FlowStatus::Overflow, 0, Separation(0));
    sender.handle(Time::ZERO + ms(1000), isotp::Input::Received(overflow));
    assert_eq!(sender.poll_output(), Some(isotp::Output::Failed(isotp::Failure::Overflow)));
}

#[test]
fn separation_times_are_milliseconds_or_hundreds_of_microseconds() {
    assert_eq!(Separation(0x0a).span(), ms(10));
    assert_eq!(Separation(0xf3).span(), Duration::from_micros(300));
    assert_eq!(Separation(0x80).span(), ms(127), "reserved");
    for (us, octet) in [(0, 0), (1, 0xf1), (250, 0xf3), (901, 1), (1000, 1), (1001, 2), (500_000, 0x7f)] {
        assert_eq!(Separation::at_least(Duration::from_micros(us)), Separation(octet), "{us} µs");
    }
}

/// A message of J1939: instants at which frames were sent, what the ends report.
fn j1939(size: u16, to_all: bool, lost: Option<usize>) -> (Vec<Duration>, Vec<j1939::Output>) {
    let parameters = j1939::Parameters::default();
    let (mut sender, mut receiver) = (j1939::Sender::new(parameters), j1939::Receiver::new(parameters));
    let (mut now, mut sent, mut reports) = (Time::ZERO, Vec::new(), Vec::new());
    sender.handle(now, j1939::Input::Send { size, pgn: 0xfeca, to_all });
    for _ in 0..10_000 {
        if let Some(output) = sender.poll_output() {
            let input = match output {
                j1939::Output::Control(control) => j1939::Input::Control(control),
                j1939::Output::Packet(number) => j1939::Input::Packet(number),
                report => {
                    reports.push(report);
                    continue;
                }
            };
            sent.push(now.since(Time::ZERO));
            now += FRAME;
            sender.handle(now, j1939::Input::Transmitted);
            if lost != Some(sent.len()) {
                receiver.handle(now, input);
            }
        } else if let Some(output) = receiver.poll_output() {
            let j1939::Output::Control(control) = output else {
                reports.push(output);
                continue;
            };
            sent.push(now.since(Time::ZERO));
            now += FRAME;
            if lost != Some(sent.len()) {
                sender.handle(now, j1939::Input::Control(control));
            }
        } else {
            let Some(at) = sender.next_wakeup().into_iter().chain(receiver.next_wakeup()).min() else {
                return (sent, reports);
            };
            now = now.max(at);
            sender.wake(now);
            receiver.wake(now);
        }
    }
    panic!("the dialogue does not end")
}

#[test]
fn the_longest_message_to_all_is_announced_and_takes_255_packets_50_ms_apart() {
    let (sent, reports) = j1939(1785, true, None);
    assert_eq!(sent.len(), 256);
    assert_eq!(sent[1], FRAME + ms(50));
    assert_eq!(*sent.last().unwrap(), (FRAME + ms(50)).times(255));
    assert_eq!(reports, [j1939::Output::Complete(1785), j1939::Output::Complete(1785)]);
}

#[test]
fn a_message_to_one_node_goes_in_windows_of_16_packets() {
    // 39 bytes: 6 packets in one window; RTS, CTS, 6 packets, end of message
    assert_eq!(j1939(39, false, None).0.len(), 9);
    // 1785 bytes: 255 packets in 16 windows, each after a CTS
    let (sent, reports) = j1939(1785, false, None);
    assert_eq!(sent.len(), 1 + 16 + 255 + 1);
    assert_eq!(reports.len(), 2);
}

#[test]
fn a_lost_frame_to_one_node_ends_in_an_abort_after_the_timeout() {
    let failed = |reports: &[j1939::Output]| reports.contains(&j1939::Output::Failed(AbortReason::Timeout));
    for lost in 1..=8 {
        let (_, reports) = j1939(39, false, Some(lost));
        assert!(failed(&reports), "frame {lost}: {reports:?}");
    }
    let (_, reports) = j1939(39, true, Some(7));
    assert!(failed(&reports), "the last packet to all: {reports:?}");
    assert_eq!(j1939(8, false, None).1, [j1939::Output::Failed(AbortReason::Resources)], "one frame carries 8 bytes");
}

#[test]
fn identifiers_have_the_fields_of_the_standard() {
    // EEC1 of the engine: PGN 61444, priority 3, source 0
    let eec1 = Identifier::of(0x0cf0_0400);
    assert_eq!(eec1, Identifier { priority: 3, pgn: 61_444, destination: Address::Group, source: 0 });
    let connection = Identifier { priority: 7, pgn: 60_416, destination: Address::Node(0xff), source: 0x0b };
    assert_eq!(connection.value(), 0x1cec_ff0b);
    for id in [0x18fe_f100, 0x1cec_ff0b, 0x0cf0_0400, 0x18ea_0021] {
        assert_eq!(Identifier::of(id).value(), id);
    }
}

#[test]
fn connection_management_has_the_bytes_of_the_standard() {
    let rts = Control::Rts { size: 23, packets: 4, most: 0xff, pgn: 0xfeca };
    assert_eq!(rts.to_bytes(), [16, 23, 0, 4, 0xff, 0xca, 0xfe, 0]);
    assert_eq!(
        Control::parse(&[17, 4, 1, 0xff, 0xff, 0xca, 0xfe, 0]),
        Ok(Control::Cts { packets: 4, next: 1, pgn: 0xfeca })
    );
    let wrong = Control::parse(&[32, 23, 0, 3, 0xff, 0xca, 0xfe, 0]).unwrap_err();
    assert_eq!(wrong.to_string(), "23 bytes in 3 packets of 7");
    assert_eq!(DataTransfer::parse(&[2, 1, 2, 3, 4, 5, 6, 7]).unwrap().data, [1, 2, 3, 4, 5, 6, 7]);
}

const OBJECT: Object = Object { index: 0x6041, subindex: 0 };

/// A transfer with a server of `size` bytes: frames, and what the ends report.
fn sdo(input: ClientInput, size: u32) -> (Vec<Sdo>, Vec<ClientOutput>, Vec<ServerOutput>) {
    let (mut client, mut server) = (Client::new(ms(500)), Server::new(size));
    let (mut frames, mut of_client, mut of_server) = (Vec::new(), Vec::new(), Vec::new());
    client.handle(Time::ZERO, input);
    loop {
        let (from_client, from_server) = (client.poll_output(), server.poll_output());
        match (from_client, from_server) {
            (None, None) => return (frames, of_client, of_server),
            (one, other) => {
                match one {
                    Some(ClientOutput::Transmit(sdo)) => {
                        frames.push(sdo);
                        let sent = Sdo::of_client(&sdo.to_bytes());
                        assert_eq!(sent, Ok(sdo));
                        server.handle(Time::ZERO, sdo);
                    }
                    one => of_client.extend(one),
                }
                match other {
                    Some(ServerOutput::Transmit(sdo)) => {
                        frames.push(sdo);
                        assert_eq!(Sdo::of_server(&sdo.to_bytes()), Ok(sdo));
                        client.handle(Time::ZERO, ClientInput::Received(sdo));
                    }
                    other => of_server.extend(other),
                }
            }
        }
    }
}

#[test]
fn four_bytes_take_one_frame_in_each_direction() {
    let (frames, client, server) = sdo(ClientInput::Upload(OBJECT), 4);
    assert_eq!(frames, [Sdo::Upload(OBJECT), Sdo::Uploaded(OBJECT, 4, [0; 4])]);
    assert_eq!((client, server), (vec![ClientOutput::Complete(4)], vec![ServerOutput::Read(4)]));
    let (frames, client, server) = sdo(ClientInput::Download(OBJECT, 2), 0);
    assert_eq!(frames, [Sdo::Download(OBJECT, 2, [0; 4]), Sdo::Downloaded(OBJECT)]);
    assert_eq!((client, server), (vec![ClientOutput::Complete(2)], vec![ServerOutput::Written(2)]));
}

#[test]
fn longer_objects_go_in_segments_of_seven_bytes() {
    // 20 bytes: an initiation and three segments, each with an answer
    let (frames, client, _) = sdo(ClientInput::Upload(OBJECT), 20);
    assert_eq!((frames.len(), client), (8, vec![ClientOutput::Complete(20)]));
    let (frames, client, server) = sdo(ClientInput::Download(OBJECT, 15), 0);
    assert_eq!((frames.len(), client, server), (8, vec![ClientOutput::Complete(15)], vec![ServerOutput::Written(15)]));
    let toggles: Vec<bool> = frames
        .iter()
        .filter_map(|sdo| match sdo {
            Sdo::DownloadSegment(Segment { toggle, .. }) => Some(*toggle),
            _ => None,
        })
        .collect();
    assert_eq!(toggles, [false, true, false]);
}

#[test]
fn service_data_objects_have_the_bytes_of_the_standard() {
    assert_eq!(Sdo::Upload(OBJECT).to_bytes(), [0x40, 0x41, 0x60, 0, 0, 0, 0, 0]);
    assert_eq!(Sdo::Uploaded(OBJECT, 2, [0x37, 0x02, 0, 0]).to_bytes(), [0x4b, 0x41, 0x60, 0, 0x37, 0x02, 0, 0]);
    assert_eq!(Sdo::Download(Object { index: 0x6040, subindex: 0 }, 1, [6, 0, 0, 0]).to_bytes()[0], 0x2f);
    assert_eq!(Sdo::of_client(&[0; 7]).unwrap_err().to_string(), "SDO of 7 bytes, expected 8");
}

#[test]
fn a_client_without_an_answer_aborts_after_its_timeout() {
    let mut client = Client::new(ms(500));
    client.handle(Time::ZERO, ClientInput::Upload(OBJECT));
    client.poll_output();
    assert_eq!(client.next_wakeup(), Some(Time::ZERO + ms(500)));
    client.wake(Time::ZERO + ms(500));
    let abort = Sdo::Abort(OBJECT, sojourn_protocols::can::canopen::Abort::TIMEOUT);
    assert_eq!(client.poll_output(), Some(ClientOutput::Transmit(abort)));
    assert_eq!(client.poll_output(), Some(ClientOutput::Failed(Failure::Timeout)));
    assert!(!client.is_busy());
}

proptest! {
    #[test]
    fn messages_of_any_length_arrive_whole(length in 1usize..=4095, block_size in 0u8..40, frame in prop::sample::select(vec![8u8, 12, 64])) {
        let transfer = isotp(length, isotp::Parameters { block_size, frame, ..isotp::Parameters::default() }, None);
        prop_assert_eq!(transfer.complete, Some(length as u16));
        let expected: Vec<u8> = (0..length).map(|at| at as u8).collect();
        prop_assert_eq!(transfer.received, expected);
    }

    #[test]
    fn any_bytes_leave_the_machines_and_parsers_whole(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        use sojourn_protocols::can::fuzz;
        fuzz::isotp(&bytes);
        fuzz::j1939(&bytes);
        fuzz::sdo(&bytes);
        fuzz::socketcan(&bytes);
        fuzz::candump(&bytes);
    }

    #[test]
    fn any_line_that_looks_like_candump_is_read_or_refused(line in "\\([0-9]{1,12}\\.[0-9]{5,7}\\) [a-z0-9]{0,5} [0-9A-F]{2,9}##?[0-9A-FR]{0,40}") {
        sojourn_protocols::can::fuzz::candump(line.as_bytes());
    }

    #[test]
    fn records_of_any_header_are_read_or_refused(header in any::<[u8; 8]>(), rest in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut record = header.to_vec();
        record[4] %= 72;
        record.extend(rest);
        sojourn_protocols::can::fuzz::socketcan(&record);
    }
}
