//! Complete dialogues with each packet lost in turn. AX.25 loses none; nevertheless a switch must never hang, and never
//! leave a gap unreported: everything arrives in order and once, or both users are disconnected. If every transmission of
//! a clear request is lost, they are disconnected when the trunks restart.

use proptest::prelude::*;
use sojourn_core::Machine;
use sojourn_protocols::rose::machine::*;

use super::chain::Chain;

/// A dialogue: frames in each direction, and the number of switches.
#[derive(Clone, Debug)]
struct Dialogue {
    switches: usize,
    frames: [usize; 2],
    window: u8,
    significance: Significance,
}

fn text(from: usize, number: usize) -> String {
    format!("{}{number}", if from == 0 { "ping" } else { "pong" })
}

impl Dialogue {
    const fn through(switches: usize) -> Self {
        Dialogue { switches, frames: [9, 4], window: 7, significance: Significance::Local }
    }

    fn run(&self, lose: &[usize]) -> Chain {
        let mut chain = Chain::new(self.switches, |settings| Settings {
            window: self.window,
            significance: self.significance,
            ..settings
        });
        chain.lose = lose.to_vec();
        let last = self.switches - 1;
        chain.start();
        chain.settle();
        chain.call(0, last);
        chain.settle();
        for (at, frames) in [(0, self.frames[0]), (last, self.frames[1])] {
            (0..frames).for_each(|number| chain.send(at, &text(at, number)));
        }
        chain.settle();
        chain.begin_anew_where_a_clear_went_unheard();
        chain.hang_up(0);
        chain.settle();
        chain.begin_anew_where_a_clear_went_unheard();
        chain
    }

    fn survives_the_loss_of_each_packet(&self) {
        let whole = self.run(&[]);
        self.expect_everything(&whole);
        for place in 0..whole.sent {
            self.expect_no_gap(&self.run(&[place]));
        }
    }

    fn expected(&self, from: usize) -> Vec<Vec<u8>> {
        let frames = self.frames[from.min(1)];
        (0..frames).map(|number| text(from, number).into_bytes()).collect()
    }

    fn expect_everything(&self, chain: &Chain) {
        let last = self.switches - 1;
        assert_eq!(chain.delivered[last], self.expected(0), "{:#?}", chain.log);
        assert_eq!(chain.delivered[0], self.expected(last), "{:#?}", chain.log);
        assert_eq!(chain.ended[last], 1, "{:#?}", chain.log);
        self.expect_silence(chain);
    }

    fn expect_no_gap(&self, chain: &Chain) {
        let last = self.switches - 1;
        for (from, to) in [(0, last), (last, 0)] {
            let (all, arrived) = (self.expected(from), &chain.delivered[to]);
            assert!(all.starts_with(arrived), "in order and once: {:#?}", chain.log);
            // the first user's own disconnect is not reported to it
            let reported = chain.ended[0] == 1;
            assert!(arrived.len() == all.len() || reported, "a gap is unreported: {:#?}", chain.log);
        }
        assert_eq!(chain.users, vec![None; self.switches], "every user knows that it is over: {:#?}", chain.log);
        self.expect_silence(chain);
    }

    fn expect_silence(&self, chain: &Chain) {
        for switch in &chain.switches {
            let left = (switch.channels(), switch.users(), switch.backlog(), switch.next_wakeup());
            assert_eq!(left, (0, 0, 0, None), "{:#?}", chain.log);
        }
    }
}

#[test]
fn through_two_switches() {
    Dialogue::through(2).survives_the_loss_of_each_packet();
}

#[test]
fn through_three_switches() {
    Dialogue::through(3).survives_the_loss_of_each_packet();
}

#[test]
fn with_a_window_of_one_and_of_two() {
    for window in [1, 2] {
        Dialogue { window, ..Dialogue::through(3) }.survives_the_loss_of_each_packet();
    }
}

#[test]
fn with_acknowledgements_from_end_to_end() {
    for window in [2, 7] {
        let significance = Significance::EndToEnd;
        Dialogue { window, significance, ..Dialogue::through(3) }.survives_the_loss_of_each_packet();
    }
}

#[test]
fn a_clear_request_lost_in_every_transmission_is_recovered_by_a_restart() {
    let mut chain = Chain::new(2, |settings| settings);
    chain.start();
    chain.settle();
    chain.call(0, 1);
    chain.settle();
    chain.lose = vec![chain.sent, chain.sent + 1];
    chain.hang_up(0);
    chain.settle();
    assert_eq!(
        (chain.switches[0].channels(), chain.switches[1].channels(), chain.ended[1]),
        (0, 1, 0),
        "{:#?}",
        chain.log
    );
    chain.start();
    chain.settle();
    assert_eq!((chain.switches[1].channels(), chain.ended[1]), (0, 1), "{:#?}", chain.log);
}

proptest! {
    #[test]
    fn with_any_packets_lost(
        switches in 2usize..5,
        frames in (0usize..20, 0usize..20),
        window in 1u8..8,
        end_to_end: bool,
        lose in prop::collection::vec(0usize..120, 0..6),
    ) {
        let significance = if end_to_end { Significance::EndToEnd } else { Significance::Local };
        let dialogue = Dialogue { switches, frames: [frames.0, frames.1], window, significance };
        dialogue.expect_everything(&dialogue.run(&[]));
        let chain = dialogue.run(&lose);
        if chain.count("A trunk ready") > 0 {
            dialogue.expect_no_gap(&chain);
        }
    }
}
