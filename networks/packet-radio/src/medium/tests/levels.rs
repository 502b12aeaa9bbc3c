//! Receivers that follow the stronger of two carriers.

use super::*;

const RATIO: i32 = 8_000;

/// Members that all hear each other, received by all at these levels, in dB.
fn captured(levels_db: &[i32], persistence: f64) -> Channel {
    let count = levels_db.len() as u32;
    let mut levels = Levels::equal(count, RATIO);
    for listener in 0..count {
        (0..).zip(levels_db).for_each(|(sender, level)| levels.set(listener, sender, 1000 * level));
    }
    channel(Hearing::all(count), |_, member| MemberSettings { persistence, ..member }).with_levels(levels)
}

/// What the last member receives of the others, which key at the same instant.
fn heard_at_once(levels_db: &[i32]) -> Vec<(u32, Received)> {
    let mut channel = captured(levels_db, 1.0);
    (0..levels_db.len() as u32 - 1).for_each(|member| channel.request(at(0), member));
    receptions(&mut channel, levels_db.len() as u32 - 1)
}

#[test]
fn of_two_frames_at_once_the_one_that_is_stronger_by_the_ratio_is_received() {
    assert_eq!(heard_at_once(&[8, 0, 0]), [(0, Received::Good), (1, Received::Collided)]);
    assert_eq!(heard_at_once(&[-8, 0, 0]), [(0, Received::Collided), (1, Received::Good)]);
    assert_eq!(heard_at_once(&[7, 0, 0]), [(0, Received::Collided), (1, Received::Collided)]);
}

#[test]
fn a_frame_must_be_stronger_than_each_carrier_that_it_meets() {
    let outcomes = heard_at_once(&[20, 13, 0, 0]);
    assert!(outcomes.iter().all(|(_, received)| *received == Received::Collided), "{outcomes:?}");
    assert_eq!(heard_at_once(&[20, 12, 0, 0])[0], (0, Received::Good));
}

#[test]
fn each_listener_has_levels_of_its_own() {
    let mut levels = Levels::equal(4, RATIO);
    levels.set(2, 0, 10_000);
    levels.set(3, 1, 10_000);
    for (listener, expected) in [(2, [Received::Good, Received::Collided]), (3, [Received::Collided, Received::Good])] {
        let mut channel = channel(Hearing::all(4), |_, member| member).with_levels(levels.clone());
        (0..2).for_each(|member| channel.request(at(0), member));
        let received: Vec<_> = receptions(&mut channel, listener).into_iter().map(|(_, received)| received).collect();
        assert_eq!(received, expected, "at {listener}");
    }
}

#[test]
fn a_stronger_carrier_that_comes_later_takes_the_receiver_from_the_first() {
    for (first_stays, level, expected) in [
        (true, 0, [Received::Good, Received::Collided]),
        (true, 8, [Received::Collided, Received::Good]),
        (false, 0, [Received::Collided, Received::Collided]),
    ] {
        let mut hidden = Hearing::all(3);
        hidden.hide(0, 1);
        hidden.hide(1, 0);
        let mut levels = Levels::equal(3, RATIO);
        levels.set(2, 1, 1000 * level);
        let settings = ChannelSettings { capture: first_stays, ..ChannelSettings::new(BIT_RATE) };
        let mut channel = Channel::new(settings, (0..3).map(member).collect(), hidden).with_levels(levels);
        channel.request(at(0), 0);
        let mut received = Vec::new();
        while channel.next_event() < Time::NEVER {
            let now = channel.next_event();
            match channel.handle(now) {
                Some(ChannelEvent::Load { member }) => {
                    channel.load(now, member, [frame(0)]);
                    // the other keys while the first is on
                    if member == 0 {
                        channel.request(at(150), 1);
                    }
                }
                Some(ChannelEvent::Ended { .. }) => received.push(channel.receive(2)),
                _ => {}
            }
        }
        assert_eq!(received, expected, "capture {first_stays}, {level} dB");
    }
}

/// In each slot each of n saturated stations transmits with probability p. Where each is stronger than the next by the
/// ratio, the k-th frame survives when none of the k - 1 stronger stations takes the slot, (1 - p)^(k - 1), and one frame
/// survives of every collision.
#[test]
fn saturated_stations_on_a_ladder_of_levels_lose_frames_to_the_stronger_ones_alone() {
    let (p, stations) = (0.2, 5);
    let ladder: Vec<i32> = (0..=stations).map(|rank| -10 * rank).collect();
    let mut channel = captured(&ladder, p);
    (0..stations as u32).for_each(|member| channel.request(Time::ZERO, member));
    let (mut sent, mut good) = ([0u32; 5], [0u32; 5]);
    while sent[0] < 20_000 {
        let now = channel.next_event();
        match channel.handle(now) {
            Some(ChannelEvent::Load { member }) => channel.load(now, member, [frame(0)]),
            Some(ChannelEvent::Ended { member, .. }) => {
                sent[member as usize] += 1;
                good[member as usize] += u32::from(channel.receive(stations as u32) == Received::Good);
            }
            Some(ChannelEvent::Unkeyed { member }) => channel.request(now, member),
            _ => {}
        }
    }
    for (rank, (sent, good)) in sent.into_iter().zip(good).enumerate() {
        let (share, expected) = (f64::from(good) / f64::from(sent), libm::pow(1.0 - p, rank as f64));
        let tolerance = 4.0 * (expected * (1.0 - expected) / f64::from(sent)).sqrt();
        assert!((share - expected).abs() <= tolerance, "rank {rank}: {share} {expected}");
    }
}
