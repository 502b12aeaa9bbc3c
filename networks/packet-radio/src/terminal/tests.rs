//! Tests of the serial line.

use sojourn_core::{Duration, Time};
use sojourn_protocols::{StreamRange, UserData};

use super::serial_input::Input;
use super::serial_output::Output;
use super::settings::{DataMode, TerminalSettings};
use crate::information::Payload;

/// A line of 1000 characters a second to a TNC with packets of 10 octets.
fn settings(mode: DataMode) -> TerminalSettings {
    TerminalSettings {
        paclen: 10,
        character: ms(1),
        interval: ms(1),
        excludes_transmission: false,
        mode,
        turnaround: Duration::ZERO,
        send_buffer: Some(100),
        receive_buffer: 100,
    }
}

fn transparent(restarts: bool) -> DataMode {
    DataMode::Transparent { packet_time: ms(30), restarts }
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + ms(n)
}

fn block(offset: u32, length: u16) -> Payload {
    Payload::Stream(StreamRange { stream: 0, offset, length })
}

/// All packets with the millisecond at which each is complete, up to `until`.
fn packets(input: &mut Input, until: u64) -> Vec<(u64, usize)> {
    let mut packets = Vec::new();
    while input.next_event() <= at(until) {
        let now = input.next_event();
        if let Some((packet, _)) = input.take(now) {
            packets.push((now.picoseconds() / 1_000_000_000, packet.length()));
        }
    }
    packets
}

#[test]
fn in_converse_mode_packets_go_at_paclen_and_at_the_end_of_a_block() {
    let mut input = Input::new(settings(DataMode::Converse));
    input.write(at(5), block(0, 25));
    assert_eq!(packets(&mut input, 1000), [(15, 10), (25, 10), (30, 5)]);
    input.write(at(40), block(25, 10));
    assert_eq!(packets(&mut input, 1000), [(50, 10)]);
}

#[test]
fn in_transparent_mode_a_short_packet_waits_for_its_timer() {
    for (restarts, expected) in [(true, (25 + 30, 5)), (false, (21 + 30, 5))] {
        let mut input = Input::new(settings(transparent(restarts)));
        input.write(at(0), block(0, 25));
        assert_eq!(packets(&mut input, 1000), [(10, 10), (20, 10), expected]);
    }
}

#[test]
fn characters_further_apart_than_the_timer_are_sent_one_by_one() {
    let slow = TerminalSettings { interval: ms(40), ..settings(transparent(true)) };
    let mut input = Input::new(slow);
    input.write(at(0), block(0, 3));
    assert_eq!(packets(&mut input, 1000), [(70, 1), (110, 1), (150, 1)]);
}

#[test]
fn a_full_buffer_stops_the_pc_until_the_peer_has_acknowledged_a_packet() {
    let mut input = Input::new(TerminalSettings { send_buffer: Some(15), ..settings(DataMode::Converse) });
    input.write(at(0), block(0, 30));
    assert_eq!(packets(&mut input, 100), [(10, 10)]);
    assert_eq!((input.held_octets(), input.next_event()), (15, Time::NEVER), "five more fit, then the line stops");
    input.acknowledged(at(200), 1);
    assert_eq!(packets(&mut input, 400), [(205, 10)]);
    input.acknowledged(at(300), 1);
    assert_eq!(packets(&mut input, 400), [(305, 10)], "no character is lost");
}

#[test]
fn a_pc_that_is_stopped_while_the_tnc_transmits_completes_its_character_and_resumes_later() {
    let mut input = Input::new(TerminalSettings { excludes_transmission: true, ..settings(DataMode::Converse) });
    input.write(at(0), block(0, 10));
    let within = Time::ZERO + Duration::from_micros(3_400);
    input.transmits(within, true);
    assert_eq!((input.held_octets(), input.next_event()), (4, Time::NEVER));
    input.transmits(at(50), false);
    assert_eq!(packets(&mut input, 1000), [(56, 10)]);
}

#[test]
fn delivered_data_reach_the_pc_in_order_at_the_rate_of_the_line() {
    let mut output = Output::new(ms(1));
    output.push(at(0), block(0, 10));
    output.push(at(4), block(10, 5));
    assert_eq!((output.waiting(), output.next_event()), (15, at(10)));
    assert!(output.take(at(9)).is_none());
    assert_eq!(output.take(at(10)), Some(block(0, 10)));
    assert_eq!((output.waiting(), output.next_event()), (5, at(15)));
    assert_eq!(output.take(at(15)), Some(block(10, 5)));
    assert_eq!((output.waiting(), output.next_event()), (0, Time::NEVER));
}
