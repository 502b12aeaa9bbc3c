//! Behaviour of a channel, step by step.

mod closed_forms;
mod equivalence;
mod fading;
mod forward_error_correction;
mod levels;
mod reference_model;

use sojourn_core::Streams;
use sojourn_protocols::ax25::hdlc::air_time::mean_time;

use super::*;

const BIT_RATE: u64 = 9600;

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn at(count: u64) -> Time {
    Time::ZERO + milliseconds(count)
}

/// TXDELAY 100 ms, slot time 100 ms, persistence 1.
fn member(number: u32) -> MemberSettings {
    let streams = Streams::new(1, 0);
    let stream = |what: &str| streams.stream(&format!("station/{number}/{what}"));
    let settings = MemberSettings::new(stream("access"), stream("noise"));
    MemberSettings { txdelay: milliseconds(100), persistence: 1.0, ..settings }
}

fn channel(hearing: Hearing, change: impl Fn(u32, MemberSettings) -> MemberSettings) -> Channel {
    let members = (0..hearing.members()).map(|number| change(number, member(number))).collect();
    Channel::new(ChannelSettings::new(BIT_RATE), members, hearing)
}

fn frame(tag: u32) -> AirFrame {
    AirFrame { tag, octets: 272, translated: 0 }
}

fn air_time(frames: u64) -> Duration {
    mean_time(frames, 272 * frames, BIT_RATE)
}

/// All events until the channel is idle; each member that loads sends the frames of these tags.
fn run(channel: &mut Channel, tags: &[u32]) -> Vec<(Time, ChannelEvent)> {
    let mut events = Vec::new();
    while channel.next_event() < Time::NEVER {
        let now = channel.next_event();
        let Some(event) = channel.handle(now) else { continue };
        if let ChannelEvent::Load { member } = event {
            channel.load(now, member, tags.iter().copied().map(frame));
        }
        events.push((now, event));
    }
    events
}

/// Outcome of each frame at `listener`, by sender, until the channel is idle.
fn receptions(channel: &mut Channel, listener: u32) -> Vec<(u32, Received)> {
    let mut receptions = Vec::new();
    while channel.next_event() < Time::NEVER {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => channel.load(now, member, [frame(0)]),
            Some(ChannelEvent::Ended { member, .. }) => receptions.push((member, channel.receive(listener))),
            _ => {}
        }
    }
    receptions
}

#[test]
fn a_burst_keys_once_and_its_frames_follow_without_a_gap() {
    let mut channel = channel(Hearing::all(2), |_, member| MemberSettings { txtail: milliseconds(30), ..member });
    channel.request(at(5), 0);
    let first = at(105);
    let expected = [
        (at(5), ChannelEvent::Load { member: 0 }),
        (first + air_time(1), ChannelEvent::Ended { member: 0, tag: 7, start: first }),
        (first + air_time(2), ChannelEvent::Ended { member: 0, tag: 8, start: first + air_time(1) }),
        (first + air_time(3), ChannelEvent::Ended { member: 0, tag: 9, start: first + air_time(2) }),
        (first + air_time(3) + milliseconds(30), ChannelEvent::Unkeyed { member: 0 }),
    ];
    assert_eq!(run(&mut channel, &[7, 8, 9]), expected);
    let tally = channel.tally(at(10_000));
    assert_eq!((tally.key_ups, tally.frames, tally.overlapped), (1, 3, 0));
    assert_eq!(tally.busy, milliseconds(130) + air_time(3));
}

#[test]
fn a_member_that_loads_nothing_does_not_transmit() {
    let mut channel = channel(Hearing::all(2), |_, member| member);
    channel.request(at(0), 0);
    assert_eq!(run(&mut channel, &[]), [(at(0), ChannelEvent::Load { member: 0 })]);
    assert_eq!(channel.tally(at(10)).key_ups, 0);
}

#[test]
fn a_member_that_loads_after_txdelay_keeps_the_channel_busy_meanwhile() {
    let late = |_, member| MemberSettings { loading: Loading::AfterTxdelay, ..member };
    let mut channel = channel(Hearing::all(2), late);
    channel.request(at(0), 0);
    channel.request(at(1), 1);
    let end = at(100) + air_time(1);
    let events = run(&mut channel, &[7]);
    assert_eq!(
        events[..5],
        [
            (at(0), ChannelEvent::Keyed { member: 0 }),
            (at(100), ChannelEvent::Load { member: 0 }),
            (end, ChannelEvent::Ended { member: 0, tag: 7, start: at(100) }),
            (end, ChannelEvent::Unkeyed { member: 0 }),
            (end, ChannelEvent::Keyed { member: 1 }),
        ]
    );
}

#[test]
fn a_member_that_finds_the_channel_busy_waits_until_it_is_idle_and_then_dwait() {
    let mut channel = channel(Hearing::all(2), |_, member| MemberSettings { dwait: milliseconds(40), ..member });
    channel.request(at(0), 0);
    channel.request(at(10), 1);
    let events = run(&mut channel, &[7]);
    let clear = at(100) + air_time(1);
    assert_eq!(events[3], (clear + milliseconds(40), ChannelEvent::Load { member: 1 }));
}

#[test]
fn a_request_during_a_transmission_is_granted_afterwards() {
    let mut channel = channel(Hearing::all(2), |_, member| member);
    channel.request(at(0), 0);
    channel.handle(at(0));
    channel.load(at(0), 0, [frame(1)]);
    channel.request(at(50), 0);
    let events = run(&mut channel, &[2]);
    let end = at(100) + air_time(1);
    assert_eq!(events[1..3], [(end, ChannelEvent::Unkeyed { member: 0 }), (end, ChannelEvent::Load { member: 0 })]);
    assert_eq!(events.len(), 5);
}

#[test]
fn stations_that_transmit_at_one_instant_collide_at_all_listeners_of_both() {
    let mut channel = channel(Hearing::all(3), |_, member| member);
    channel.request(at(0), 0);
    channel.request(at(0), 1);
    assert_eq!(receptions(&mut channel, 2), [(0, Received::Collided), (1, Received::Collided)]);
    assert_eq!(channel.tally(at(10_000)).overlapped, 2);
}

#[test]
fn a_carrier_is_not_detected_within_the_dcd_delay() {
    let deaf_at_first = |_, member| MemberSettings { dcd_delay: milliseconds(30), ..member };
    for (asked, expected) in [(30, Received::Collided), (31, Received::Good)] {
        let mut channel = channel(Hearing::all(3), deaf_at_first);
        channel.request(at(0), 0);
        channel.request(at(asked), 1);
        assert_eq!(receptions(&mut channel, 2), [(0, expected), (1, expected)], "asked at {asked} ms");
    }
}

#[test]
fn a_hidden_station_collides_only_where_it_is_heard() {
    let mut hearing = Hearing::all(4);
    hearing.hide(0, 1);
    hearing.hide(1, 0);
    hearing.hide(3, 1);
    for (listener, expected) in [(1, Received::Unheard), (2, Received::Collided), (3, Received::Good)] {
        let mut channel = channel(hearing.clone(), |_, member| member);
        channel.request(at(0), 0);
        channel.request(at(200), 1);
        assert_eq!(receptions(&mut channel, listener)[0], (0, expected));
    }
}

#[test]
fn with_capture_the_first_carrier_is_received() {
    let mut hearing = Hearing::all(3);
    hearing.hide(1, 0);
    let members = (0..3).map(member).collect();
    let settings = ChannelSettings { capture: true, ..ChannelSettings::new(BIT_RATE) };
    let mut channel = Channel::new(settings, members, hearing);
    channel.request(at(0), 0);
    channel.request(at(200), 1);
    assert_eq!(receptions(&mut channel, 2), [(0, Received::Good), (1, Received::Collided)]);
}

#[test]
fn a_station_receives_nothing_while_it_transmits_and_until_its_receiver_has_recovered() {
    let mut hearing = Hearing::all(2);
    hearing.hide(0, 1);
    let end_of_first = milliseconds(100) + air_time(1);
    for (recovery, expected) in [(0, Received::Good), (40, Received::Good), (41, Received::WhileTransmitting)] {
        let recovering = |_, member| MemberSettings { receiver_recovery: milliseconds(recovery), ..member };
        let mut channel = channel(hearing.clone(), recovering);
        channel.request(Time::ZERO, 1);
        // begins 40 ms after the other has ended
        channel.request(Time::ZERO + (end_of_first - milliseconds(60)), 0);
        assert_eq!(receptions(&mut channel, 1)[1], (0, expected), "{recovery} ms");
    }
}

#[test]
fn a_station_that_has_transmitted_decides_only_when_its_receiver_has_recovered() {
    let mut channel =
        channel(Hearing::all(2), |_, member| MemberSettings { receiver_recovery: milliseconds(70), ..member });
    channel.request(at(0), 0);
    channel.handle(at(0));
    channel.load(at(0), 0, [frame(1)]);
    channel.request(at(1), 0);
    let events = run(&mut channel, &[2]);
    let end = at(100) + air_time(1);
    assert_eq!(events[2], (end + milliseconds(70), ChannelEvent::Load { member: 0 }));
}

#[test]
fn a_watchdog_truncates_a_burst() {
    let limit = milliseconds(100) + air_time(1) + milliseconds(50);
    let mut channel =
        channel(Hearing::all(2), |_, member| MemberSettings { transmission_limit: Some(limit), ..member });
    channel.request(at(0), 0);
    channel.handle(at(0));
    channel.load(at(0), 0, [frame(1), frame(2), frame(3)]);
    let mut ends = Vec::new();
    while channel.next_event() < Time::NEVER {
        let now = channel.next_event();
        if let Some(ChannelEvent::Ended { tag, .. }) = channel.handle(now) {
            ends.push((now, tag, channel.receive(1)));
        }
    }
    let (whole, cut) = (at(100) + air_time(1), Time::ZERO + limit);
    assert_eq!(ends, [(whole, 1, Received::Good), (cut, 2, Received::Cut), (cut, 3, Received::Cut)]);
    assert_eq!(channel.tally(at(10_000)).cut, 2);
}

#[test]
fn both_directions_of_a_wire_are_independent() {
    let wire = || Channel::wire(ChannelSettings::new(BIT_RATE), [member(0), member(1)]);
    let alone = |member| {
        let mut wire = wire();
        wire.request(at(u64::from(member)), member);
        run(&mut wire, &[1, 2])
    };
    let mut both = wire();
    both.request(at(0), 0);
    both.request(at(1), 1);
    let mut expected = [alone(0), alone(1)].concat();
    expected.sort_by_key(|(now, _)| *now);
    assert_eq!(run(&mut both, &[1, 2]), expected);

    let mut both = wire();
    both.request(at(0), 0);
    both.request(at(1), 1);
    let mut received = Vec::new();
    while both.next_event() < Time::NEVER {
        let now = both.next_event();
        match both.handle(now) {
            Some(ChannelEvent::Load { member }) => both.load(now, member, [frame(0)]),
            Some(ChannelEvent::Ended { member, .. }) => received.push((member, both.receive(1 - member))),
            _ => {}
        }
    }
    assert_eq!(received, [(0, Received::Good), (1, Received::Good)]);
}

#[test]
fn a_station_that_waits_for_a_slot_time_first_transmits_one_later_than_one_that_does_not() {
    for (first_slot, wait) in [(FirstSlot::AtOnce, 0), (FirstSlot::AfterSlottime, 100)] {
        let mut channel = channel(Hearing::all(2), |_, member| MemberSettings { first_slot, ..member });
        channel.request(at(7), 0);
        channel.request(at(8), 1);
        let loads: Vec<Time> = run(&mut channel, &[7])
            .into_iter()
            .filter_map(|(now, event)| matches!(event, ChannelEvent::Load { .. }).then_some(now))
            .collect();
        let first_ends = at(7 + wait + 100) + air_time(1);
        assert_eq!(loads, [at(7 + wait), first_ends + milliseconds(wait)], "{first_slot:?}");
    }
}

#[test]
fn a_held_carrier_delays_others_and_not_the_station_that_sent_it() {
    let held = |_, member| MemberSettings { dcd_hold: DcdHold::Constant(milliseconds(425)), watches: true, ..member };
    for (asks, wait) in [(0, 0), (1, 425)] {
        let mut channel = channel(Hearing::all(2), held);
        channel.request(at(0), 0);
        channel.handle(at(0));
        channel.load(at(0), 0, [frame(1)]);
        while channel.next_event() < at(50) {
            channel.handle(channel.next_event());
        }
        channel.request(at(50), asks);
        let end = at(100) + air_time(1);
        let events = run(&mut channel, &[2]);
        assert!(events.contains(&(end + milliseconds(wait), ChannelEvent::Load { member: asks })), "{events:?}");
        let dropped = ChannelEvent::Carrier { group: 1, detected: false };
        assert_eq!(events.contains(&(end + milliseconds(425), dropped)), asks == 1, "{events:?}");
    }
}

#[test]
fn a_share_of_frames_leaves_a_station_spoilt_whatever_their_length_and_for_all_listeners() {
    let streams = Streams::new(1, 0);
    for octets in [15, 272] {
        let mut channel = channel(Hearing::all(3), |number, member| {
            let errors = FrameErrors { rate: 0.1, draws: streams.stream("errors") };
            MemberSettings { frame_errors: (number == 0).then_some(errors), ..member }
        });
        let (mut lost, mut now) = (0, Time::ZERO);
        for _ in 0..10_000 {
            channel.request(now, 0);
            channel.handle(channel.next_event());
            channel.load(now, 0, [AirFrame { tag: 0, octets, translated: 0 }]);
            now = channel.next_event();
            channel.handle(now);
            let received = [channel.receive(1), channel.receive(2)];
            assert_eq!(received[0], received[1]);
            lost += u32::from(received[0] == Received::Corrupted);
            now = channel.next_event();
            channel.handle(now);
        }
        assert!((900..1100).contains(&lost), "{lost} of 10000 frames of {octets} octets");
    }
}

#[test]
fn one_event_signals_a_carrier_to_all_watchers_and_one_its_end() {
    let watching = |_, member| MemberSettings { watches: true, dcd_delay: milliseconds(20), ..member };
    let mut channel = channel(Hearing::all(3), watching);
    channel.request(at(0), 0);
    let mut notices = Vec::new();
    while channel.next_event() < Time::NEVER {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => channel.load(now, member, [frame(0)]),
            Some(ChannelEvent::Carrier { group, detected }) => {
                notices.push((now, detected, channel.watchers(group).collect::<Vec<_>>()));
            }
            _ => {}
        }
    }
    // the sender knows when its own carrier goes off, and gets the event of all watchers too
    let end = at(100) + air_time(1);
    assert_eq!(notices, [(at(20), true, vec![1, 2]), (end, false, vec![0, 1, 2])]);
}

#[test]
fn the_same_streams_give_the_same_run() {
    let random = |_, member| MemberSettings { persistence: 0.2, ..member };
    let once = || {
        let mut channel = channel(Hearing::all(5), random);
        (0..5).for_each(|member| channel.request(at(0), member));
        run(&mut channel, &[1, 2])
    };
    assert_eq!(once(), once());
}
