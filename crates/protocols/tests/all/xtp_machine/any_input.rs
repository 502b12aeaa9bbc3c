//! Whatever comes in, at whatever time: nothing panics, memory stays bounded, what began ends.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::*;

use super::network::{Bytes, Host, PORT, stream};

#[derive(Clone, Debug)]
enum Step {
    Open(bool, usize),
    Write(usize, usize),
    Close(usize),
    Abort(usize),
    StopReading(usize),
    Consume(usize, u64),
    Post(usize, u64),
    /// A packet made up, with a key of one of the contexts or of none.
    Receive(Forged),
    /// A packet that the endpoint once sent, or that was sent to it, comes back from somewhere.
    Echo(usize, Host),
    Transmitted,
    Pass(u64),
}

/// A packet whose numbers lie near those in use.
#[derive(Clone, Debug)]
struct Forged {
    from: Host,
    key: usize,
    returned: bool,
    options: Options,
    sync: u32,
    seq: u64,
    kind: u8,
    numbers: [u64; 6],
    data: usize,
    answer: bool,
}

fn near() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..120, 1 => Just(u64::MAX), 1 => Just(u64::MAX - 5), 1 => any::<u64>()]
}

fn forged() -> impl Strategy<Value = Forged> {
    let options = prop::collection::vec(prop::sample::select(Options::ALL.to_vec()), 0..4).prop_map(|chosen| {
        chosen.into_iter().fold(Options::NONE, |all, (_, option)| all | option).without(Options::BTAG)
    });
    let sync = prop_oneof![4 => 0u32..20, 1 => any::<u32>()];
    let numbers = prop::array::uniform6(near());
    let places = (1usize..3, 0usize..6, any::<bool>(), 0u8..9, 0usize..40, any::<bool>());
    (places, options, sync, near(), numbers).prop_map(
        |((from, key, returned, kind, data, answer), options, sync, seq, numbers)| Forged {
            from,
            key,
            returned,
            options,
            sync,
            seq,
            kind,
            numbers,
            data,
            answer,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (any::<bool>(), 0usize..50).prop_map(|(multicast, length)| Step::Open(multicast, length)),
        4 => (0usize..6, 0usize..100).prop_map(|(context, length)| Step::Write(context, length)),
        1 => (0usize..6).prop_map(Step::Close),
        1 => (0usize..6).prop_map(Step::Abort),
        1 => (0usize..6).prop_map(Step::StopReading),
        1 => (0usize..6, near()).prop_map(|(context, bytes)| Step::Consume(context, bytes)),
        1 => (0usize..6, near()).prop_map(|(context, bytes)| Step::Post(context, bytes)),
        12 => forged().prop_map(Step::Receive),
        6 => (any::<usize>(), 1usize..3).prop_map(|(place, from)| Step::Echo(place, from)),
        1 => Just(Step::Transmitted),
        3 => (0u64..3000).prop_map(Step::Pass),
    ]
}

fn some_configuration() -> impl Strategy<Value = Configuration> {
    let error = prop::sample::select(vec![ErrorControl::None, ErrorControl::Selective, ErrorControl::GoBackN]);
    let requests = prop::sample::select(vec![Requests::EveryPacket, Requests::Every(2), Requests::Never]);
    let by = prop::sample::select(vec![RequestBy::Sreq, RequestBy::Dreq, RequestBy::Edge]);
    let rate = prop::sample::select(vec![Rate::UNLIMITED, Rate { bytes_per_second: 500, burst: 20 }]);
    let flags = any::<(bool, bool, bool, bool)>();
    (error, requests, by, rate, flags).prop_map(|(error_control, requests, request_by, send_rate, flags)| {
        let (flow_control, fast_nak, reservation, reported) = flags;
        Configuration {
            max_data: 10,
            receive_buffer: 64,
            reorder_packets: 5,
            send_buffer: 200,
            error_control,
            requests,
            request_by,
            send_rate,
            flow_control,
            fast_nak,
            reservation,
            consumption: if reported { Consumption::Reported } else { Consumption::AtDelivery },
            ..Configuration::default()
        }
    })
}

/// Drives one endpoint and keeps what it says.
struct Driver {
    endpoint: Endpoint<Bytes, Host>,
    now: Time,
    configuration: Arc<Configuration>,
    contexts: Vec<ContextId>,
    keys: Vec<Key>,
    packets: Vec<Packet<Bytes>>,
    closed: Vec<ContextId>,
    outputs: usize,
}

impl Driver {
    fn new(configuration: Configuration, packets_in_flight: Option<u32>) -> Self {
        let configuration = Arc::new(configuration);
        let mut endpoint = Endpoint::new(Limits { contexts: 8, packets_in_flight, ..Limits::default() });
        for (listener, filter) in [(1, AddressFilter::Port(PORT)), (2, AddressFilter::Null)] {
            let configuration = Arc::clone(&configuration);
            endpoint.handle(Time::ZERO, Input::Listen { listener, filter, configuration });
        }
        Driver {
            endpoint,
            now: Time::ZERO,
            configuration,
            contexts: Vec::new(),
            keys: vec![Key(99)],
            packets: Vec::new(),
            closed: Vec::new(),
            outputs: 0,
        }
    }

    fn apply(&mut self, step: Step) {
        let context = |place: usize| (!self.contexts.is_empty()).then(|| self.contexts[place % self.contexts.len()]);
        let input = match step {
            Step::Open(multicast, length) => Some(Input::Open {
                reference: 0,
                to: 1,
                address: Address::NULL,
                cast: if multicast { Cast::Multicast { receivers: 2 } } else { Cast::Unicast },
                configuration: Arc::clone(&self.configuration),
                data: (length > 0).then(|| (stream(length), true)),
            }),
            Step::Write(place, length) => context(place).map(|context| Input::Write {
                context,
                data: stream(length),
                end_of_message: length % 2 == 0,
            }),
            Step::Close(place) => context(place).map(|context| Input::Close { context }),
            Step::Abort(place) => context(place).map(|context| Input::Abort { context }),
            Step::StopReading(place) => context(place).map(|context| Input::StopReading { context }),
            Step::Consume(place, bytes) => context(place).map(|context| Input::Consumed { context, bytes }),
            Step::Post(place, bytes) => context(place).map(|context| Input::Post { context, bytes }),
            Step::Receive(forged) => Some(self.forge(forged)),
            Step::Echo(place, from) => {
                self.packets.get(place % self.packets.len().max(1)).cloned().map(|mut packet| {
                    packet.header.key = Key(packet.header.key.0 ^ (place as u64 % 2) << 63);
                    Input::Receive { from, packet, answer: true }
                })
            }
            Step::Transmitted => Some(Input::Transmitted),
            Step::Pass(milliseconds) => return self.pass(Duration::from_millis(milliseconds)),
        };
        if let Some(input) = input {
            self.endpoint.handle(self.now, input);
            self.drain();
        }
    }

    fn forge(&self, forged: Forged) -> Input<Bytes, Host> {
        let [rseq, alloc, left, right, left2, right2] = forged.numbers;
        let control = Control { rseq, alloc, echo: forged.sync / 2 };
        let address = if left % 2 == 0 { Address::NULL } else { Address::ipv4(([1; 4], 1), ([2; 4], PORT)) };
        let rates = Specification::Rates {
            max_data: left as u32,
            in_rate: right as u32,
            in_burst: left2 as u32,
            out_rate: 0,
            out_burst: 0,
        };
        let traffic = Traffic { service: Service::Unspecified, specification: rates };
        let xkey = self.keys[left as usize % self.keys.len()];
        let data = stream(forged.data);
        let body = match forged.kind {
            0 | 1 => Body::Data { tag: None, data },
            2 => Body::Control(control),
            3 => Body::First { address, traffic, data },
            4 | 5 => Body::ErrorControl(control, vec![Span { left, right }, Span { left: left2, right: right2 }]),
            6 => Body::TrafficControl { control, xkey, traffic },
            7 => Body::JoinControl { control, xkey, address, traffic },
            _ => {
                let code = Code::ALL[left as usize % Code::ALL.len()];
                Body::Diagnostic(Diagnostic::new(code, Value::Unspecified))
            }
        };
        let key = self.keys[forged.key % self.keys.len()];
        let key = if forged.returned { key.returned() } else { key };
        let options = forged.options;
        let header = Header { key, options, sort: 0, sync: forged.sync, seq: forged.seq };
        Input::Receive { from: forged.from, packet: Packet { header, body }, answer: forged.answer }
    }

    fn drain(&mut self) {
        while let Some(output) = self.endpoint.poll_output() {
            self.outputs += 1;
            match output {
                Output::Transmit { packet, .. } => {
                    assert!(packet.check().is_ok());
                    assert!(packet.body.data().is_none_or(|data| data.length() <= 10));
                    self.keys.push(packet.header.key.plain());
                    if let Body::TrafficControl { xkey, .. } = packet.body {
                        self.keys.push(xkey);
                    }
                    self.packets.push(packet);
                }
                Output::Opened { context, .. } | Output::Accepted { context, .. } => self.contexts.push(context),
                Output::Closed { context, .. } => {
                    assert!(!self.closed.contains(&context), "an association ends once");
                    self.closed.push(context);
                }
                _ => {}
            }
        }
        assert!(self.endpoint.contexts() <= 8);
    }

    fn pass(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(at) = self.endpoint.next_wakeup().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.endpoint.wake(self.now);
            self.drain();
        }
        self.now = end;
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_every_timer_ends(
        configuration in some_configuration(),
        packets_in_flight in prop::option::of(1u32..4),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut driver = Driver::new(configuration, packets_in_flight);
        for step in steps {
            driver.apply(step);
            for context in driver.contexts.iter() {
                prop_assert!(driver.endpoint.queued(*context) < 200 + 100, "writes are refused beyond the buffer");
            }
        }
        // from now on no peer responds; contexts that await a response give up, and the others are aborted
        let open = driver.contexts.clone();
        driver.pass(Duration::from_secs(400));
        for context in open {
            driver.apply_abort(context);
        }
        driver.pass(Duration::from_secs(3));
        prop_assert_eq!(driver.endpoint.contexts(), 0);
        prop_assert_eq!(driver.endpoint.next_wakeup(), None);
        prop_assert_eq!(driver.closed.len(), driver.contexts.len(), "each association has ended with a reason");
        prop_assert!(driver.outputs < 100_000);
    }
}

impl Driver {
    fn apply_abort(&mut self, context: ContextId) {
        self.endpoint.handle(self.now, Input::Abort { context });
        self.drain();
    }
}
