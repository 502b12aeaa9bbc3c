//! A measuring station and an echo under a hand clock, on a channel of 1200 bit/s.

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::{self, Counter, Settings as LinkSettings, Station, TimerStart};
use sojourn_protocols::ax25::wire::{Address, Frame, Modulo};

use super::*;
use crate::io::drive::AppPoll;
use crate::transports::ax25::airtime::Air;
use crate::transports::ax25::handler::StationApp;
use crate::transports::ax25::transceiver::{Input, Output, StationPolicy};

const AIR: Air =
    Air { bit_rate: 1200, transmit_delay: Duration::from_millis(300), transmit_tail: Duration::from_millis(100) };

fn call(text: &str) -> Address {
    text.parse().unwrap()
}

fn settings(frack_s: u64) -> Arc<LinkSettings> {
    let (frack, t2) = (Duration::from_secs(frack_s), Duration::from_millis(1200));
    Arc::new(LinkSettings { frack, t2, t1_start: TimerStart::TransmitEnd, n1: 128, k: 4, ..LinkSettings::default() })
}

/// What 20 round trips of so many octets gave.
struct Seen {
    times: Distribution,
    failures: u32,
    waited: Duration,
    polls: u64,
    /// When each frame of the measuring station was on the air.
    sent: Vec<(Time, Time)>,
}

fn measured(airtime_s: u64, size: u32) -> Seen {
    let policy = StationPolicy {
        air: AIR,
        airtime: Duration::from_secs(airtime_s),
        window: 4,
        digipeaters: 0,
        identify: Duration::from_secs(600),
        asks_queue: false,
    };
    let station = Station::new([call("NEAR-1")], settings(5)).unwrap();
    let mut near = Transceiver::new(call("NEAR-1"), station, 128, &policy).unwrap();
    // its T1 runs while its frames wait for the channel
    let mut far: Station<Vec<u8>> = Station::new([call("FAR-1")], settings(20)).unwrap();
    let watch = Watch::new();
    let mut port_handler = PortHandler::new("a channel".to_owned(), &watch);
    let wanted = ping_pong::Wanted {
        round_trips: 20,
        size,
        time_out: Duration::from_secs(600),
        pause: Duration::ZERO,
        quiet: Duration::from_secs(5),
    };
    let (mut user, mut spans) = (PingPong::new(wanted, 1, &[], &watch), LinkTimes::default());
    let key = LinkKey::direct(call("NEAR-1"), call("FAR-1"));
    let mut session = LinkSession::new(key, Duration::from_secs(600), &mut user, &mut port_handler, &mut spans);
    let (mut now, mut air, mut free, mut sent) = (Time::ZERO, Vec::<(Time, bool, Vec<u8>)>::new(), Time::ZERO, vec![]);
    let mut gathered = Vec::new();
    for step in 0.. {
        assert!(step < 100_000, "the clock goes on");
        let mut indicated = false;
        let poll = session.poll_app(now, &mut near);
        while let Some(output) = near.poll_output() {
            match output {
                Output::Transmit(octets) => {
                    let keying = if free <= now { AIR.keying() } else { Duration::ZERO };
                    let begin = free.max(now);
                    free = begin + keying + AIR.frame(&octets);
                    sent.push((begin, free));
                    air.push((free, false, octets));
                }
                Output::Station(output) => {
                    session.indicate(now, output);
                    indicated = true;
                }
                _ => {}
            }
        }
        while let Some(output) = far.poll_output() {
            match output {
                machine::Output::SeizeRequest => {
                    far.handle(now, machine::Input::SeizeConfirm { information_frames: 7 });
                    far.handle(now, machine::Input::Transmitted);
                }
                machine::Output::Transmit { frame, .. } => {
                    let octets = frame.to_bytes().unwrap();
                    let keying = if free <= now { AIR.keying() } else { Duration::ZERO };
                    free = free.max(now) + keying + AIR.frame(&octets);
                    air.push((free, true, octets));
                }
                machine::Output::Deliver { link, pid, data } => {
                    gathered.extend(data);
                    let blocks = gathered.len() / size as usize * size as usize;
                    for data in gathered.drain(..blocks).collect::<Vec<u8>>().chunks(128).map(<[u8]>::to_vec) {
                        far.handle(now, machine::Input::Send { link, pid, data });
                    }
                }
                _ => {}
            }
        }
        let AppPoll::Wait(until) = poll else { break };
        if indicated {
            continue;
        }
        let next = air.iter().map(|(at, ..)| *at).min().unwrap_or(Time::NEVER).min(until);
        let next = next.min(near.next_wakeup().unwrap_or(Time::NEVER)).min(far.next_wakeup().unwrap_or(Time::NEVER));
        assert!(next < Time::ZERO + Duration::from_secs(7200), "something is still to come");
        now = now.max(next);
        match air.iter().position(|(at, ..)| *at <= now).map(|index| air.remove(index)) {
            Some((_, true, octets)) => near.handle(now, Input::Heard(octets)),
            Some((_, false, octets)) => {
                let frame = Frame::parse(&octets, Modulo::Eight).unwrap().map(<[u8]>::to_vec);
                far.handle(now, machine::Input::Receive { frame });
            }
            None => {
                near.wake(now);
                far.wake(now);
            }
        }
    }
    let polls = far.counters().get(Counter::Enquiries) + near.station().counters().get(Counter::Enquiries);
    Seen { failures: user.failures, times: user.times, waited: spans.waited, polls, sent }
}

#[test]
fn response_times_are_the_same_with_an_airtime_of_12_and_of_60_seconds() {
    for size in [64, 256] {
        let (little, plenty) = (measured(12, size), measured(60, size));
        assert_eq!((little.times.count(), little.failures, little.polls), (20, 0, 0));
        assert_eq!((plenty.times.count(), plenty.failures, plenty.polls), (20, 0, 0));
        let [little_mean, plenty_mean] = [&little, &plenty].map(|seen| seen.times.mean().unwrap());
        assert!((little_mean - plenty_mean).abs() < 0.01 * plenty_mean, "{little_mean} s, {plenty_mean} s");
        assert!(little.times.max().unwrap().seconds() < 1.1 * plenty_mean, "no round trip waits for airtime");
        assert!(little.waited > Duration::from_secs(60) && plenty.waited < little.waited, "{:?}", plenty.waited);
    }
}

#[test]
fn without_loss_no_minute_holds_more_than_the_airtime() {
    let seen = measured(12, 256);
    for (_, end) in &seen.sent {
        let begin = Time::from_picoseconds(end.picoseconds().saturating_sub(60_000_000_000_000));
        let on_air = |(from, to): &(Time, Time)| (*to).min(*end).since((*from).max(begin)).seconds();
        let sum: f64 = seen.sent.iter().map(on_air).sum();
        assert!(sum <= 12.0, "{sum} s in the minute to {} s", end.seconds());
    }
}
