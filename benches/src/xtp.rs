//! XTP: a saturated association of two endpoints without a network between them, and packets as bytes.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::xtp::machine::{AddressFilter, Cast, Configuration, ContextId, Endpoint, Input, Limits, Output};
use sojourn_protocols::xtp::wire::{Address, Body, Header, Key, Options, Packet};
use sojourn_protocols::{Bytes, StreamRange};

use crate::clock::timed;

type Host = Endpoint<StreamRange, u32>;

/// Packets in flight at most.
const WINDOW: u32 = 32;

/// Data packets a second of processor time that one endpoint sends and the other acknowledges one by one.
pub fn transfer(packets: u64, samples: u16) -> f64 {
    let window = WINDOW * u32::from(samples);
    let configuration = Arc::new(Configuration {
        max_data: u32::from(samples),
        initial_window: window,
        receive_buffer: window,
        send_buffer: 2 * window,
        ..Configuration::default()
    });
    let mut hosts = [Host::new(Limits::default()), Host::new(Limits::default())];
    let listen = Input::Listen { listener: 0, filter: AddressFilter::Null, configuration: Arc::clone(&configuration) };
    hosts[1].handle(Time::ZERO, listen);
    let (to, cast, address) = (1, Cast::Unicast, Address::NULL);
    hosts[0].handle(Time::ZERO, Input::Open { reference: 0, to, address, cast, configuration, data: None });
    let Some(Output::Opened { context, .. }) = hosts[0].poll_output() else { panic!("an association is opened") };
    let (seconds, delivered) = timed(|| {
        let (mut now, mut written, mut delivered) = (Time::ZERO, 0, 0);
        while delivered < packets * u64::from(samples) {
            now += Duration::from_micros(1);
            written += fill(&mut hosts[0], now, context, samples, packets - written);
            carry(&mut hosts, now, &mut delivered);
            hosts.iter_mut().for_each(|host| {
                if host.next_wakeup().is_some_and(|at| at <= now) {
                    host.wake(now);
                }
            });
        }
        delivered
    });
    assert_eq!(delivered, packets * u64::from(samples));
    packets as f64 / seconds
}

/// Writes until twice the window waits; how many packets.
fn fill(host: &mut Host, now: Time, context: ContextId, samples: u16, limit: u64) -> u64 {
    let mut written = 0;
    let room = 2 * u64::from(WINDOW) * u64::from(samples);
    while written < limit && host.queued(context) < room {
        let data = StreamRange { stream: 0, offset: 0, length: samples };
        host.handle(now, Input::Write { context, data, end_of_message: true });
        written += 1;
    }
    written
}

fn carry(hosts: &mut [Host; 2], now: Time, delivered: &mut u64) {
    for host in [0, 1] {
        while let Some(output) = hosts[host].poll_output() {
            match output {
                Output::Transmit { packet, .. } => {
                    hosts[1 - host].handle(now, Input::Receive { from: host as u32, packet, answer: true });
                }
                Output::Deliver { data, .. } => *delivered += u64::from(data.length),
                _ => {}
            }
        }
    }
}

/// Bytes of data a second of processor time that are written into packets of 8 KiB and read from them, checksums
/// included.
pub fn codec(packets: u64) -> f64 {
    const DATA: usize = 8192;
    let header = Header { key: Key(1), options: Options::SREQ, sort: 0, sync: 1, seq: 0 };
    let packet = Packet { header, body: Body::Data { tag: None, data: Bytes::from(vec![0x5a; DATA]) } };
    let mut buffer = vec![0; packet.length()];
    let (seconds, ()) = timed(|| {
        for _ in 0..packets {
            packet.emit(std::hint::black_box(&mut buffer)).expect("a packet that has bytes");
            let read = Packet::parse(std::hint::black_box(&buffer)).expect("the packet written");
            std::hint::black_box(read);
        }
    });
    packets as f64 * DATA as f64 / seconds
}
