//! A measuring station and an agent under a hand clock, on a channel of 1200 bit/s.

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::{self, Counter, Settings as LinkSettings, Station, TimerStart};
use sojourn_protocols::ax25::wire::{Address, Addressing, Body, Digipeaters, Frame, Pid, Role};

use super::*;
use crate::io::drive::AppPoll;
use crate::transport::Listening;
use crate::transports::ax25::airtime::Air;
use crate::transports::ax25::handler::StationApp;
use crate::transports::ax25::responder::Agent;
use crate::transports::ax25::transceiver::{Input, Output, StationPolicy};

const AIR: Air =
    Air { bit_rate: 1200, transmit_delay: Duration::from_millis(300), transmit_tail: Duration::from_millis(100) };

fn call(text: &str) -> Address {
    text.parse().unwrap()
}

/// A station with this airtime, as of the profile `afsk-1200`.
fn station(own: &str, partner: Option<&str>, airtime_s: u64) -> Transceiver {
    let policy = StationPolicy {
        air: AIR,
        airtime: Duration::from_secs(airtime_s),
        window: 4,
        digipeaters: 0,
        partner: partner.map(call),
        identify: Duration::from_secs(600),
        asks_queue: false,
    };
    let (frack, t2) = (Duration::from_secs(5), Duration::from_millis(1200));
    let settings =
        LinkSettings { frack, t2, t1_start: TimerStart::TransmitEnd, n1: 128, k: 4, ..LinkSettings::default() };
    let settings = LinkSettings { busy_clear: machine::BusyClear::Poll, ..settings };
    Transceiver::new(call(own), Station::new([call(own)], Arc::new(settings)).unwrap(), 128, &policy).unwrap()
}

/// What 20 round trips of this many octets gave.
struct Seen {
    times: Distribution,
    failures: u32,
    waited: Duration,
    /// T1 of either station expired.
    timeouts: u64,
    /// RNR was received.
    busy: u32,
    /// When each frame of the two stations was on the air.
    sent: [Vec<(Time, Time)>; 2],
}

/// A channel on which one transmission follows the other.
#[derive(Default)]
struct Channel {
    free: Time,
    /// Frames that are to come: their ends, the stations that receive them, and their octets.
    air: Vec<(Time, usize, Vec<u8>)>,
    sent: [Vec<(Time, Time)>; 2],
}

impl Channel {
    fn transmit(&mut self, now: Time, from: usize, octets: Vec<u8>) {
        let keying = if self.free <= now { AIR.keying() } else { Duration::ZERO };
        let begin = self.free.max(now);
        self.free = begin + keying + AIR.frame(&octets);
        self.sent[from].push((begin, self.free));
        self.air.push((self.free, 1 - from, octets));
    }
}

/// Of a measuring station and an agent with these airtimes, where the agent has sent this many frames to another station
/// before, in less than 12 s.
fn measured([near_airtime_s, far_airtime_s]: [u64; 2], size: u32, before: u32) -> Seen {
    let mut stations = [station("NEAR-1", Some("FAR-1"), near_airtime_s), station("FAR-1", None, far_airtime_s)];
    let (watch, watch_of_agent) = (Watch::new(), Watch::new());
    let mut port_handler = PortHandler::new("a channel".to_owned(), &watch);
    let mut port_of_agent = PortHandler::new("a channel".to_owned(), &watch_of_agent);
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
    let listening =
        Listening { count: None, duration: None, inject_loss: 0.0, seed: 1, on_air: None, agent: None, key: None };
    let mut agent = Agent::new(&listening, &mut port_of_agent);
    let (mut now, mut channel, mut busy) = (Time::ZERO, Channel::default(), 0);
    for _ in 0..before {
        let to_another = LinkKey::direct(call("FAR-1"), call("OTHER-1"));
        let frame = machine::Input::SendUnnumbered { key: to_another, pid: Pid::NONE, data: vec![b'x'; 128] };
        stations[1].handle(now, Input::Station(frame));
    }
    for step in 0.. {
        assert!(step < 200_000, "the clock goes on");
        let is_begun = before == 0 || now >= Time::ZERO + Duration::from_secs(12);
        let poll = if is_begun {
            session.poll_app(now, &mut stations[0])
        } else {
            AppPoll::Wait(now + Duration::from_secs(1))
        };
        let AppPoll::Wait(poll_of_agent) = agent.poll_app(now, &mut stations[1]) else { panic!("it goes on") };
        let mut indicated = false;
        for (from, station) in stations.iter_mut().enumerate() {
            while let Some(output) = station.poll_output() {
                match output {
                    Output::Transmit(octets) => channel.transmit(now, from, octets),
                    Output::Station(output) => {
                        busy += u32::from(matches!(output, machine::Output::PeerBusy { busy: true, .. }));
                        if from == 0 {
                            session.indicate(now, output)
                        } else {
                            agent.indicate(now, output)
                        }
                        indicated = true;
                    }
                    _ => {}
                }
            }
        }
        let AppPoll::Wait(until) = poll else { break };
        if indicated {
            continue;
        }
        let of_station = |station: &Transceiver| station.next_wakeup().unwrap_or(Time::NEVER);
        let next = channel.air.iter().map(|(at, ..)| *at).min().unwrap_or(Time::NEVER).min(until).min(poll_of_agent);
        let next = next.min(of_station(&stations[0])).min(of_station(&stations[1]));
        assert!(next < Time::ZERO + Duration::from_secs(7200), "something is still to come");
        now = now.max(next);
        match channel.air.iter().position(|(at, ..)| *at <= now).map(|index| channel.air.remove(index)) {
            Some((_, to, octets)) => stations[to].handle(now, Input::Heard(octets)),
            None => stations.iter_mut().for_each(|station| station.wake(now)),
        }
    }
    let timeouts = stations.iter().map(|station| station.station().counters().get(Counter::Timeouts)).sum();
    let waited = spans.waited;
    Seen { failures: user.failures, times: user.times, waited, timeouts, busy, sent: channel.sent }
}

#[test]
fn response_times_are_the_same_with_an_airtime_of_12_and_of_60_seconds() {
    for size in [64, 256] {
        let (little, plenty) = (measured([12, 12], size, 0), measured([60, 60], size, 0));
        for seen in [&little, &plenty] {
            assert_eq!((seen.times.count(), seen.failures, seen.timeouts, seen.busy), (20, 0, 0, 0));
        }
        let [little_mean, plenty_mean] = [&little, &plenty].map(|seen| seen.times.mean().unwrap());
        assert!((little_mean - plenty_mean).abs() < 0.01 * plenty_mean, "{little_mean} s, {plenty_mean} s");
        assert!(little.times.max().unwrap().seconds() < 1.1 * plenty_mean, "no round trip waits for airtime");
        assert!(little.waited > Duration::from_secs(60) && plenty.waited < little.waited, "{:?}", plenty.waited);
    }
}

#[test]
fn without_loss_no_minute_holds_more_than_the_airtime_of_either_station() {
    for sent in measured([12, 12], 256, 0).sent {
        for (_, end) in &sent {
            let begin = Time::from_picoseconds(end.picoseconds().saturating_sub(60_000_000_000_000));
            let on_air = |(from, to): &(Time, Time)| (*to).min(*end).since((*from).max(begin)).seconds();
            let sum: f64 = sent.iter().map(on_air).sum();
            assert!(sum <= 12.0, "{sum} s in the minute to {} s", end.seconds());
        }
    }
}

#[test]
fn an_exchange_waits_for_the_airtime_that_the_far_station_has_spent_on_others() {
    let (unspent, spent) = (measured([12, 12], 256, 0), measured([12, 12], 256, 8));
    let [first, later] = [&unspent, &spent].map(|seen| seen.sent[0][1].0.since(Time::ZERO).seconds());
    assert!(first < 5.0 && later > 60.0, "a block leaves after {first} s and {later} s");
    assert_eq!((spent.times.count(), spent.timeouts, spent.busy), (20, 0, 0));
    let [unspent, spent] = [unspent, spent].map(|seen| seen.times.mean().unwrap());
    assert!((spent - unspent).abs() < 0.01 * unspent, "{spent} s, {unspent} s");
}

#[test]
fn exchanges_with_an_agent_of_less_airtime_wait_for_its_rnr_to_end_and_are_not_sent_again() {
    let seen = measured([60, 12], 256, 0);
    assert_eq!((seen.times.count(), seen.failures, seen.timeouts), (20, 0, 0));
    assert!(seen.busy > 3 && seen.waited > Duration::from_secs(120), "{} times, {:?}", seen.busy, seen.waited);
    let usual = measured([60, 60], 256, 0).times.mean().unwrap();
    let longest = seen.times.max().unwrap().seconds();
    assert!(longest < usual + 0.3, "RNR leaves in the burst of the answer: {longest} s, else {usual} s");
}

#[test]
fn of_a_frame_that_digipeaters_repeat_one_copy_is_airtime_of_the_far_station() {
    let mut near = station("NEAR-1", Some("FAR-1"), 12);
    let route = Digipeaters::new(&[call("DIGI")]).unwrap();
    let mut addressing = Addressing::new(call("FAR-1"), call("NEAR-1"), route, Role::Command);
    let body = |data| Body::Ui { pid: Pid::NONE, data };
    let data = [b'x'; 256];
    let before = Duration::from_secs(9);
    let frame = Frame { addressing, poll_final: false, body: body(&data[..]) };
    for _ in 0..5 {
        near.handle(Time::ZERO, Input::Heard(frame.to_bytes().unwrap()));
    }
    assert_eq!(near.affords(Time::ZERO, before), Time::ZERO, "the far station's own copy is that of the digipeater's");
    addressing.digipeaters = addressing.digipeaters.advanced();
    let frame = Frame { addressing, ..frame };
    near.handle(Time::ZERO, Input::Heard(frame.to_bytes().unwrap()));
    assert!(near.affords(Time::ZERO, before) > Time::ZERO + Duration::from_secs(60));
}
