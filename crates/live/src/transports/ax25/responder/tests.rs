//! An agent and a visitor under a hand clock, on a channel of 1200 bit/s.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::{LinkKey, Settings as LinkSettings, Station, TimerStart};
use sojourn_protocols::ax25::wire::{Address, Frame, Modulo, Pid};

use super::*;
use crate::transports::ax25::airtime::Air;
use crate::transports::ax25::block::block;
use crate::transports::ax25::transceiver::{Output, StationPolicy};

const AIR: Air =
    Air { bit_rate: 1200, transmit_delay: Duration::from_millis(300), transmit_tail: Duration::from_millis(100) };

fn call(text: &str) -> Address {
    text.parse().unwrap()
}

fn settings() -> Arc<LinkSettings> {
    let frack = Duration::from_secs(20);
    Arc::new(LinkSettings { frack, t1_start: TimerStart::TransmitEnd, n1: 128, k: 4, ..LinkSettings::default() })
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

#[test]
fn what_was_received_is_answered_and_the_next_block_waits_for_airtime() {
    let policy = StationPolicy {
        air: AIR,
        airtime: Duration::from_secs(12),
        window: 4,
        digipeaters: 0,
        partner: None,
        identify: Duration::from_secs(600),
        asks_queue: false,
    };
    let mut near =
        Transceiver::new(call("PONG-1"), Station::new([call("PONG-1")], settings()).unwrap(), 128, &policy).unwrap();
    let mut visitor: Station<Vec<u8>> = Station::new([call("PING-1")], settings()).unwrap();
    let (watch, key) = (Watch::new(), LinkKey::direct(call("PING-1"), call("PONG-1")));
    let mut port_handler = PortHandler::new("a channel".to_owned(), &watch);
    let listening =
        Listening { count: None, duration: None, inject_loss: 0.0, seed: 1, on_air: None, agent: None, key: None };
    let mut agent = Agent::new(&listening, &mut port_handler);
    visitor.handle(at(0), machine::Input::Connect { key });
    let link = visitor.link(&key).unwrap();
    let (mut now, mut blocks, mut echoed, mut busy) = (at(0), 0, 0, Vec::new());
    while now < at(100) {
        let AppPoll::Wait(_) = agent.poll_app(now, &mut near) else { panic!("it goes on") };
        while let Some(output) = near.poll_output() {
            match output {
                Output::Transmit(octets) => {
                    let frame = Frame::parse(&octets, Modulo::Eight).unwrap().map(<[u8]>::to_vec);
                    visitor.handle(now, machine::Input::Receive { frame });
                }
                Output::Station(output) => agent.indicate(now, output),
                _ => {}
            }
        }
        while let Some(output) = visitor.poll_output() {
            match output {
                machine::Output::SeizeRequest => {
                    visitor.handle(now, machine::Input::SeizeConfirm { information_frames: 7 });
                    visitor.handle(now, machine::Input::Transmitted);
                }
                machine::Output::Transmit { frame, .. } => near.handle(now, Input::Heard(frame.to_bytes().unwrap())),
                machine::Output::Deliver { data, .. } => echoed += data.len(),
                machine::Output::PeerBusy { busy: is_busy, .. } => busy.push((is_busy, now)),
                _ => {}
            }
        }
        // one block after the other, as long as the agent is ready
        if echoed == blocks * 128 && !busy.last().is_some_and(|(is_busy, _)| *is_busy) {
            let data = block(blocks as u64, 128);
            visitor.handle(now, machine::Input::Send { link, pid: Pid::NONE, data });
            blocks += 1;
        }
        now += Duration::from_millis(1);
        near.wake(now);
        visitor.wake(now);
    }
    let (first, again) = (busy[0], busy[1]);
    assert!(first.0 && first.1 < at(20), "{busy:?}");
    assert!(
        !again.0 && again.1 > at(58) && again.1 < at(75),
        "ready when the first answers are a minute ago: {busy:?}"
    );
    assert!(blocks > 10 && echoed >= (blocks - 1) * 128, "all but the last are answered: {echoed} of {blocks} blocks");
    assert!(near.airtime() > Duration::from_secs(12), "in all of the run");
}
