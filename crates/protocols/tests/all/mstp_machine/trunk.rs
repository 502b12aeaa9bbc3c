//! Whole trunks on a hand clock: every node hears every frame.

use super::*;

/// Masters on a line at 38400 bit/s that take `LATENCY` from a frame to their own.
struct Trunk {
    now: Time,
    nodes: Vec<Node>,
    /// The frame on the line: when it ends, and who sends it.
    line: Option<(Time, usize, Frame<Vec<u8>>)>,
    /// Frames that have been heard, and the one that is destroyed.
    frames: u32,
    lost: Option<u32>,
    tokens: Vec<(Time, u8)>,
    polls: u32,
}

const LATENCY: Duration = Duration::from_millis(3);

impl Trunk {
    fn new(addresses: &[u8], max_master: u8) -> Trunk {
        let node = |&address: &u8| Node::new(Settings { max_master, ..Settings::new(address) }, Time::ZERO).unwrap();
        let nodes = addresses.iter().map(node).collect();
        Trunk { now: Time::ZERO, nodes, line: None, frames: 0, lost: None, tokens: Vec::new(), polls: 0 }
    }

    fn run(&mut self, until: Time) {
        while self.now < until {
            for from in 0..self.nodes.len() {
                while let Some(output) = self.nodes[from].poll_output() {
                    if let Output::Transmit(frame) = output {
                        assert!(self.line.is_none(), "{:?}: two send at once", self.now);
                        self.line = Some((self.now + LATENCY + TOKEN, from, frame));
                    }
                }
            }
            match self.line.take() {
                Some((end, from, frame)) => self.end(end, from, &frame),
                None => self.wake(),
            }
        }
    }

    fn end(&mut self, end: Time, from: usize, frame: &Frame<Vec<u8>>) {
        self.now = end;
        self.frames += 1;
        let is_lost = self.lost == Some(self.frames);
        if frame.kind == Token && !is_lost {
            self.tokens.push((end, frame.destination));
        }
        self.polls += u32::from(frame.kind == PollForMaster);
        self.nodes[from].handle(end, Input::Sent);
        for (at, node) in self.nodes.iter_mut().enumerate().filter(|(at, _)| *at != from) {
            let _ = at;
            node.handle(end, Input::Activity { octets: 8, until: end });
            let input = match is_lost {
                true => Input::Invalid,
                false if frame.destination == node.settings().address => Input::Frame(frame.clone()),
                false => Input::NotForUs,
            };
            node.handle(end, input);
        }
    }

    fn wake(&mut self) {
        let due = self.nodes.iter().filter_map(Machine::next_wakeup).min().expect("a timer runs");
        self.now = self.now.max(due);
        let now = self.now;
        // one at a time: what it sends is heard by the others
        let first = self.nodes.iter_mut().find(|node| node.next_wakeup().is_some_and(|due| due <= now));
        first.expect("a node that is due").wake(now);
    }
}

#[test]
fn masters_that_start_together_form_a_ring_in_the_order_of_their_addresses() {
    let mut trunk = Trunk::new(&[3, 0, 7, 12], 12);
    trunk.run(Time::ZERO + ms(2000));
    let order: Vec<u8> = trunk.tokens.iter().rev().take(4).map(|&(_, to)| to).collect();
    let successors: Vec<_> = trunk.nodes.iter().map(|node| node.successor().unwrap()).collect();
    assert_eq!(successors, [7, 3, 12, 0]);
    assert!(order.windows(2).all(|pair| matches!(pair, [3, 0] | [7, 3] | [12, 7] | [0, 12])), "{order:?}");
}

#[test]
fn the_share_of_tokens_with_a_poll_is_the_gap_over_the_gap_and_49() {
    // masters 0 and 1, addresses up to 9: node 1 has a gap of 8, node 0 none
    let mut trunk = Trunk::new(&[0, 1], 9);
    trunk.run(Time::ZERO + ms(2000));
    // from one end of a sweep to another, 100 sweeps of node 1
    let start = trunk.polls;
    let tokens = |trunk: &Trunk| trunk.tokens.iter().filter(|(_, to)| *to == 1).count();
    let before = tokens(&trunk);
    while tokens(&trunk) - before < 57 * 100 {
        let next = trunk.now + ms(1);
        trunk.run(next);
    }
    assert_eq!(trunk.polls - start, 8 * 100);
}

#[test]
fn after_the_loss_of_any_one_frame_there_is_one_token_again() {
    for masters in 3..=8u8 {
        let addresses: Vec<u8> = (0..masters).map(|at| at * 3).collect();
        let highest = (masters - 1) * 3;
        // the frames of a rotation with a poll of each node, and those after it
        for lost in 1..=u32::from(masters) * 4 {
            let mut trunk = Trunk::new(&addresses, highest);
            trunk.run(Time::ZERO + ms(3000));
            trunk.lost = Some(trunk.frames + lost);
            let frames_before = trunk.frames;
            while trunk.frames < frames_before + lost {
                let next = trunk.now + ms(1);
                trunk.run(next);
            }
            let sweep = (TOKEN + ms(35) + LATENCY).times(u64::from(highest) + 1);
            let bound = ms(500) + ms(10).times(128) + sweep;
            let until = trunk.now + bound;
            trunk.run(until);
            // all have the token in turn, and only one has it
            let rotation = trunk.now + (TOKEN.times(2) + LATENCY + ms(35)).times(u64::from(masters) * 2);
            let seen = trunk.tokens.len();
            trunk.run(rotation);
            for address in &addresses {
                assert!(trunk.tokens[seen..].iter().any(|(_, to)| to == address), "{masters} masters, frame {lost}");
            }
            assert!(trunk.nodes.iter().filter(|node| node.has_token()).count() <= 1);
        }
    }
}
