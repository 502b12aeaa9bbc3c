//! Dialogues of MS/TP nodes on a hand clock: each state and transition, then whole trunks.

mod answering;
mod any_input;
mod polling;
mod slave;
mod token;
mod trunk;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::mstp::machine::*;
use sojourn_protocols::mstp::wire::{Frame, FrameType};

use FrameType::*;

type Node = Master<Vec<u8>>;

/// The time of a token at 38400 bit/s, rounded.
const TOKEN: Duration = Duration::from_micros(2083);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A master with its clock, as a driver of frames has it.
struct Bench {
    now: Time,
    node: Node,
}

impl Bench {
    /// A master with address 5 that knows its successor 9 and has polled all addresses between.
    fn in_a_ring() -> Bench {
        let mut bench = Bench::new(Settings::new(5));
        bench.hear(Token, 5, 3);
        assert_eq!(bench.sent(), [(PollForMaster, 6)]);
        bench.hear(ReplyToPollForMaster, 5, 9);
        assert_eq!(bench.sent(), [(Token, 9)]);
        bench.hear(PollForMaster, 10, 9);
        assert_eq!(bench.node.state(), State::Idle);
        bench
    }

    fn new(settings: Settings) -> Bench {
        Bench { now: Time::ZERO, node: Node::new(settings, Time::ZERO).unwrap() }
    }

    /// A frame from another node begins 3 ms after what was before, and ends.
    fn hear(&mut self, kind: FrameType, destination: u8, source: u8) {
        self.hear_data(kind, destination, source, &[]);
    }

    fn hear_data(&mut self, kind: FrameType, destination: u8, source: u8, data: &[u8]) {
        self.octets(8);
        let own = self.node.settings().address;
        let input = match destination {
            255 => Input::Frame(Frame { kind, destination, source, data: data.to_vec() }),
            other if other == own => Input::Frame(Frame { kind, destination, source, data: data.to_vec() }),
            _ => Input::NotForUs,
        };
        self.node.handle(self.now, input);
    }

    /// Octets on the line, 3 ms after what was before.
    fn octets(&mut self, octets: u32) {
        self.now = self.now + ms(3) + TOKEN;
        self.node.handle(self.now, Input::Activity { octets, until: self.now });
    }

    /// What the node sends, one frame after the other until it waits; each leaves after the time of a token.
    fn sent(&mut self) -> Vec<(FrameType, u8)> {
        let mut frames = Vec::new();
        while let Some(output) = self.node.poll_output() {
            if let Output::Transmit(frame) = output {
                assert_eq!(frame.source, self.node.settings().address);
                assert!(self.node.is_sending() && self.node.next_wakeup().is_none(), "no timer runs meanwhile");
                frames.push((frame.kind, frame.destination));
                self.now += TOKEN;
                self.node.handle(self.now, Input::Sent);
            }
        }
        frames
    }

    /// Everything that the node puts out, without a frame having left.
    fn outputs(&mut self) -> Vec<Output<Vec<u8>>> {
        std::iter::from_fn(|| self.node.poll_output()).collect()
    }

    /// Silence up to the next timer, which is this long after the last octet.
    fn silence(&mut self, expected: Duration) {
        let due = self.node.next_wakeup().expect("a timer");
        assert_eq!(due.since(self.now), expected, "in {:?}", self.node.state());
        self.now = due;
        self.node.wake(due);
    }

    fn send(&mut self, kind: FrameType, destination: u8) {
        self.node.handle(self.now, Input::Send { kind, destination, data: vec![1, 2, 3] });
    }

    fn counted(&self, counter: Counter) -> u64 {
        self.node.counters().get(counter)
    }
}
