//! A transceiver under a hand clock, with another station that hears every frame at once.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_protocols::ax25::machine::{Settings, TimerStart};
use sojourn_protocols::ax25::wire::Modulo;

use super::*;

const AIR: Air =
    Air { bit_rate: 1200, transmit_delay: Duration::from_millis(300), transmit_tail: Duration::from_millis(100) };

fn call(text: &str) -> Address {
    text.parse().unwrap()
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn settings() -> Arc<Settings> {
    let frack = Duration::from_secs(5);
    Arc::new(Settings { frack, t1_start: TimerStart::TransmitEnd, n1: 128, k: 4, ..Settings::default() })
}

fn transceiver(airtime_s: u64, asks_queue: bool) -> Transceiver {
    let policy = StationPolicy {
        air: AIR,
        airtime: Duration::from_secs(airtime_s),
        window: 4,
        digipeaters: 0,
        partner: None,
        identify: Duration::from_secs(600),
        asks_queue,
    };
    let own = call("NEAR-1");
    Transceiver::new(own, Station::new([own], settings()).unwrap(), 128, &policy).unwrap()
}

fn key() -> LinkKey {
    LinkKey::direct(call("NEAR-1"), call("FAR-1"))
}

/// All it has to say.
fn outgoing(transceiver: &mut Transceiver) -> Vec<Output> {
    std::iter::from_fn(|| transceiver.poll_output()).collect()
}

/// What it transmits, as monitors print it.
fn frames(transceiver: &mut Transceiver) -> Vec<String> {
    let outputs = outgoing(transceiver);
    let octets =
        outputs.iter().filter_map(|output| if let Output::Transmit(octets) = output { Some(octets) } else { None });
    octets.map(|octets| Frame::parse(octets, Modulo::Eight).unwrap().to_string()).collect()
}

/// A near station and a far one; every frame takes its time on the air.
struct Pair {
    near: Transceiver,
    far: Station<Vec<u8>>,
    now: Time,
    /// Frames on the air: when they end, who hears them, and what they are.
    air: Vec<(Time, bool, Vec<u8>)>,
    /// When each frame of the near station was on the air.
    sent: Vec<(Time, Time)>,
    delivered: Vec<u8>,
    near_said: Vec<StationOutput>,
}

impl Pair {
    fn new(airtime_s: u64) -> Pair {
        let far = Station::new([call("FAR-1")], settings()).unwrap();
        let near = transceiver(airtime_s, false);
        Pair { near, far, now: Time::ZERO, air: vec![], sent: vec![], delivered: vec![], near_said: vec![] }
    }

    fn drain(&mut self) {
        let mut free = self.now;
        for output in outgoing(&mut self.near) {
            match output {
                Output::Transmit(octets) => {
                    let keying = if free == self.now { AIR.keying() } else { Duration::ZERO };
                    let end = free + keying + AIR.frame(&octets);
                    self.sent.push((free, end));
                    self.air.push((end, false, octets));
                    free = end;
                }
                Output::Station(output) => self.near_said.push(output),
                _ => {}
            }
        }
        let mut free = self.now;
        while let Some(output) = self.far.poll_output() {
            match output {
                machine::Output::SeizeRequest => {
                    self.far.handle(self.now, machine::Input::SeizeConfirm { information_frames: 7 });
                }
                machine::Output::Transmit { frame, .. } => {
                    let octets = frame.to_bytes().unwrap();
                    free += AIR.frame(&octets);
                    self.air.push((free, true, octets));
                }
                machine::Output::Deliver { data, .. } => self.delivered.extend(data),
                _ => {}
            }
        }
    }

    /// Lives until `end`.
    fn live(&mut self, end: Time) {
        loop {
            self.drain();
            let of_air = self.air.iter().map(|(at, ..)| *at).min().unwrap_or(Time::NEVER);
            let of_near = self.near.next_wakeup().unwrap_or(Time::NEVER);
            let of_far = self.far.next_wakeup().unwrap_or(Time::NEVER);
            let next = of_air.min(of_near).min(of_far);
            if next > end {
                self.now = end;
                return;
            }
            self.now = next.max(self.now);
            if let Some(index) = self.air.iter().position(|(at, ..)| *at <= self.now) {
                let (_, to_near, octets) = self.air.remove(index);
                if to_near {
                    self.near.handle(self.now, Input::Heard(octets));
                } else {
                    let frame = Frame::parse(&octets, Modulo::Eight).unwrap().map(<[u8]>::to_vec);
                    self.far.handle(self.now, machine::Input::Receive { frame });
                }
            } else if of_near <= self.now {
                self.near.wake(self.now);
            } else {
                self.far.wake(self.now);
            }
        }
    }

    fn send(&mut self, octets: usize) {
        let link = self.near.link(&key()).unwrap();
        self.near.send(self.now, link, &vec![b'x'; octets]);
    }
}

#[test]
fn nothing_waits_for_airtime_once_an_exchange_has_begun() {
    let mut pair = Pair::new(10);
    pair.near.handle(pair.now, Input::Station(machine::Input::Connect { key: key() }));
    pair.send(3000);
    pair.live(at(60_000));
    assert_eq!(pair.delivered.len(), 3000);
    assert!(pair.near.airtime() > Duration::from_secs(20), "twice the budget of a minute");
    assert_eq!(pair.near.station().counters().get(machine::Counter::Timeouts), 0);
    assert!(pair.near.affords(pair.now, Duration::from_secs(2)) > at(70_000), "the next exchange pays for it");
}

#[test]
fn an_acknowledgement_leaves_at_once_with_the_budget_spent() {
    let mut pair = Pair::new(10);
    pair.near.handle(pair.now, Input::Station(machine::Input::Connect { key: key() }));
    pair.send(3000);
    pair.live(at(60_000));
    let link = pair.far.link(&LinkKey::direct(call("FAR-1"), call("NEAR-1"))).unwrap();
    let before = pair.sent.len();
    let sent = pair.now;
    pair.far.handle(sent, machine::Input::Send { link, pid: Pid::NONE, data: vec![b'y'; 64] });
    pair.live(at(64_000));
    let (begin, _) = pair.sent[before];
    assert!(pair.near.affords(sent, Duration::from_secs(2)) > at(70_000));
    assert!(begin < sent + Duration::from_secs(1), "{} s", begin.since(sent).seconds());
}

#[test]
fn an_answer_of_the_application_travels_with_the_acknowledgement() {
    let mut pair = Pair::new(60);
    pair.near.handle(pair.now, Input::Station(machine::Input::Connect { key: key() }));
    pair.live(at(5000));
    let far = pair.far.link(&LinkKey::direct(call("FAR-1"), call("NEAR-1"))).unwrap();
    let before = pair.sent.len();
    pair.far.handle(pair.now, machine::Input::Send { link: far, pid: Pid::NONE, data: b"hello".to_vec() });
    while pair.near_said.iter().all(|said| !matches!(said, machine::Output::Deliver { .. })) {
        let next = pair.now + Duration::from_millis(1);
        pair.live(next);
    }
    pair.send(5);
    pair.live(at(9000));
    assert_eq!(pair.sent.len() - before, 1, "an I frame that acknowledges, and no RR before it");
}

#[test]
fn a_block_of_several_frames_leaves_in_one_burst() {
    let mut pair = Pair::new(60);
    pair.near.handle(pair.now, Input::Station(machine::Input::Connect { key: key() }));
    pair.live(at(5000));
    let before = pair.sent.len();
    pair.send(384);
    pair.live(at(12_000));
    let burst = &pair.sent[before..];
    assert_eq!(burst.len(), 3);
    assert!(burst[0].1 == burst[1].0 && burst[1].1 == burst[2].0, "one key-up: {burst:?}");
}

#[test]
fn the_airtime_of_an_exchange_is_that_of_its_frames_and_acknowledgements() {
    let near = transceiver(60, false);
    let (one, two, five) = (near.airtime_of(128), near.airtime_of(256), near.airtime_of(640));
    let keying = AIR.keying();
    assert_eq!(two - one, AIR.longest_frame(0, 128), "a second frame in the same burst");
    assert_eq!(five - one, AIR.longest_frame(0, 128).times(4) + keying + AIR.control_burst(0), "and a second burst");
    assert!(one > keying.times(2) && one < Duration::from_secs(3), "{}", one.seconds());
}

#[test]
fn an_airtime_too_short_for_a_frame_is_refused_at_the_start() {
    let policy = StationPolicy {
        air: AIR,
        airtime: Duration::from_secs(2),
        window: 4,
        digipeaters: 0,
        partner: None,
        identify: Duration::from_secs(600),
        asks_queue: false,
    };
    let station = Station::new([call("NEAR-1")], settings()).unwrap();
    let refused = Transceiver::new(call("NEAR-1"), station, 128, &policy).unwrap_err();
    assert!(
        refused.to_string().starts_with("an airtime of 2 s a minute has no room for a frame of 128 octets"),
        "{refused}"
    );
}

#[test]
fn shutdown_disconnects_at_once_even_with_the_budget_spent_and_a_burst_pending() {
    let mut pair = Pair::new(10);
    pair.near.handle(pair.now, Input::Station(machine::Input::Connect { key: key() }));
    pair.send(3000);
    pair.live(at(20_000));
    let link = pair.near.link(&key()).unwrap();
    let before = pair.sent.len();
    pair.near.handle(pair.now, Input::Leave);
    pair.near.handle(pair.now, Input::Station(machine::Input::Disconnect { link }));
    assert_eq!(frames(&mut pair.near), ["NEAR-1>FAR-1: DISC P"]);
    assert!(before > 2);
    pair.near.handle(pair.now, Input::Identify);
    assert_eq!(frames(&mut pair.near), ["NEAR-1>ID: UI"]);
}

#[test]
fn a_station_identifies_itself_only_while_it_transmits() {
    let mut near = transceiver(60, false);
    near.handle(at(0), Input::Identify);
    assert!(frames(&mut near).is_empty(), "one who has said nothing owes nothing");
    near.handle(
        at(1000),
        Input::Station(machine::Input::SendUnnumbered { key: key(), pid: Pid::NONE, data: vec![b'x'] }),
    );
    assert_eq!(frames(&mut near).len(), 1);
    assert_eq!(near.identification.due(), at(601_000));
    near.wake(at(601_000));
    assert_eq!(frames(&mut near), ["NEAR-1>ID: UI"]);
    near.wake(at(700_000));
    near.handle(at(2_000_000), Input::Identify);
    assert!(frames(&mut near).is_empty());
}

#[test]
fn nothing_is_sent_while_the_tnc_is_disconnected_and_waiting_frames_follow() {
    let mut near = transceiver(60, false);
    near.handle(at(0), Input::Port { open: false });
    near.handle(at(1), Input::Station(machine::Input::Connect { key: key() }));
    assert!(frames(&mut near).is_empty());
    near.handle(at(700), Input::Port { open: true });
    assert_eq!(frames(&mut near), ["NEAR-1>FAR-1: SABM P"]);
}

#[test]
fn a_frame_lost_with_the_tnc_is_polled_for_when_t1_expires() {
    let mut near = transceiver(60, true);
    near.wake(at(0));
    near.handle(at(1), Input::Queue(0));
    near.handle(at(2), Input::Station(machine::Input::Connect { key: key() }));
    near.handle(at(10), Input::Port { open: false });
    near.wake(at(5010));
    near.handle(at(6000), Input::Port { open: true });
    near.handle(at(6001), Input::Queue(0));
    assert_eq!(frames(&mut near), ["NEAR-1>FAR-1: SABM P", "NEAR-1>FAR-1: SABM P"]);
}

#[test]
fn t1_starts_when_the_tnc_s_queue_is_empty_and_the_last_frame_has_left() {
    let mut near = transceiver(60, true);
    near.wake(at(0));
    assert_eq!(outgoing(&mut near), [Output::AskQueue]);
    near.handle(at(10), Input::Queue(0));
    near.handle(at(20), Input::Station(machine::Input::Connect { key: key() }));
    assert_eq!(frames(&mut near), ["NEAR-1>FAR-1: SABM P"]);
    // the channel is busy for a minute
    let mut now = at(20);
    while now < at(60_000) {
        now = near.next_wakeup().unwrap();
        near.wake(now);
        assert!(outgoing(&mut near).iter().all(|output| *output == Output::AskQueue), "T1 does not run");
        near.handle(now, Input::Queue(17));
    }
    near.handle(now, Input::Queue(0));
    let left = near.next_wakeup().unwrap();
    assert!(left > now + AIR.transmit_tail);
    near.wake(left);
    assert_eq!(near.next_wakeup(), Some(left + Duration::from_secs(5)), "T1");
}

#[test]
fn an_own_frame_repeated_by_a_digipeater_is_reported_and_not_taken_for_another_s() {
    let mut near = transceiver(60, false);
    let route = sojourn_protocols::ax25::wire::Digipeaters::new(&[call("DIGI")]).unwrap();
    let key = LinkKey { digipeaters: route, ..key() };
    near.handle(at(0), Input::Station(machine::Input::SendUnnumbered { key, pid: Pid::NONE, data: b"hi".to_vec() }));
    let octets = outgoing(&mut near)
        .into_iter()
        .find_map(|output| if let Output::Transmit(octets) = output { Some(octets) } else { None });
    let mut frame = Frame::parse(octets.as_deref().unwrap(), Modulo::Eight).unwrap();
    frame.addressing.digipeaters = frame.addressing.digipeaters.advanced();
    near.handle(at(3000), Input::Heard(frame.to_bytes().unwrap()));
    assert_eq!(outgoing(&mut near), [Output::Repeated(frame.map(<[u8]>::to_vec))]);
}

proptest! {
    #[test]
    fn the_station_survives_any_input(
        noise in proptest::collection::vec((0_u64..3000, proptest::collection::vec(any::<u8>(), 0..60)), 0..60),
        queue in proptest::collection::vec(any::<u64>(), 0..20),
    ) {
        let mut near = transceiver(30, true);
        near.handle(at(0), Input::Queue(0));
        near.handle(at(0), Input::Station(machine::Input::Connect { key: key() }));
        let mut now = at(0);
        let mut answers = queue.into_iter();
        for (pause, mut octets) in noise {
            now += Duration::from_millis(pause);
            // half of it comes from the station that is called, with any control field and anything behind it
            if octets.len() % 2 == 0 {
                let addressing = LinkKey::direct(call("FAR-1"), call("NEAR-1")).addressing(sojourn_protocols::ax25::wire::Role::Response);
                let head = Frame::<&[u8]> { addressing, poll_final: true, body: sojourn_protocols::ax25::wire::Body::Ua };
                let mut frame = head.to_bytes().unwrap();
                frame.truncate(14);
                frame.append(&mut octets);
                octets = frame;
            }
            near.handle(now, Input::Heard(octets));
            if let Some(octets) = answers.next() {
                near.handle(now, Input::Queue(octets));
            }
            if near.next_wakeup().is_some_and(|due| due <= now) {
                near.wake(now);
            }
            outgoing(&mut near);
        }
        near.handle(now, Input::Leave);
        prop_assert!(near.airtime() <= Duration::from_secs(30).times(1 + now.since(Time::ZERO).whole(Duration::from_secs(60)) + 1));
    }
}
