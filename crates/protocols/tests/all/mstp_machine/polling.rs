//! NO_TOKEN and POLL_FOR_MASTER.

use super::*;

#[test]
fn the_token_counts_as_lost_after_500_ms_and_is_generated_in_the_slot_of_the_address() {
    let mut bench = Bench::in_a_ring();
    bench.silence(ms(500));
    assert_eq!(bench.node.state(), State::NoToken);
    bench.silence(ms(50));
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
    assert_eq!((bench.counted(Counter::LostTokens), bench.counted(Counter::TokensGenerated)), (1, 1));
}

#[test]
fn a_node_of_a_lower_address_is_heard_and_the_token_is_not_generated_twice() {
    let mut bench = Bench::in_a_ring();
    bench.silence(ms(500));
    bench.octets(8);
    assert_eq!(bench.node.state(), State::Idle);
    bench.silence(ms(500));
    bench.silence(ms(50));
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
}

#[test]
fn a_node_that_misses_its_slot_waits_until_all_slots_have_passed() {
    let mut bench = Bench::in_a_ring();
    bench.silence(ms(500));
    let silent = bench.now;
    bench.now += ms(61);
    bench.node.wake(bench.now);
    assert_eq!(bench.node.state(), State::NoToken);
    assert_eq!(bench.node.next_wakeup(), Some(silent + ms(1280)));
    bench.now = silent + ms(1280);
    bench.node.wake(bench.now);
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
}

#[test]
fn a_node_without_a_successor_polls_every_address_and_then_is_the_only_master() {
    let mut bench = Bench::new(Settings { max_master: 8, ..Settings::new(5) });
    bench.silence(ms(500));
    bench.silence(ms(50));
    let mut polled = bench.sent();
    while !bench.node.is_sole() {
        bench.silence(ms(35));
        if !bench.node.is_sole() {
            polled.extend(bench.sent());
        }
    }
    let addresses: Vec<u8> = polled.iter().map(|&(_, address)| address).collect();
    assert_eq!(addresses, [6, 7, 8, 0, 1, 2, 3, 4]);
    // it looks for others again, and sends what it has meanwhile
    bench.send(DataNotExpectingReply, 200);
    assert_eq!(bench.sent()[0], (PollForMaster, 6));
    bench.silence(ms(35));
    assert_eq!(bench.sent()[0], (DataNotExpectingReply, 200));
}

#[test]
fn an_only_master_that_is_answered_has_a_successor() {
    let mut bench = Bench::new(Settings { max_master: 6, ..Settings::new(5) });
    bench.silence(ms(500));
    bench.silence(ms(50));
    while !bench.node.is_sole() {
        bench.sent();
        bench.silence(ms(35));
    }
    bench.sent();
    bench.hear(ReplyToPollForMaster, 5, 2);
    assert_eq!(bench.sent(), [(Token, 2)]);
    assert!(!bench.node.is_sole());
}

#[test]
fn an_invalid_frame_counts_as_no_reply_and_any_other_valid_one_makes_the_node_drop_the_token() {
    let polling = || {
        let mut bench = Bench::new(Settings::new(5));
        bench.hear(Token, 5, 3);
        bench.sent();
        bench
    };
    let mut bench = polling();
    bench.node.handle(bench.now, Input::Invalid);
    assert_eq!(bench.sent(), [(PollForMaster, 7)]);
    for (kind, destination) in [(Token, 5), (ReplyToPollForMaster, 4), (DataNotExpectingReply, 255)] {
        let mut bench = polling();
        bench.hear(kind, destination, 3);
        assert_eq!((bench.outputs(), bench.node.state()), (vec![], State::Idle), "{kind} to {destination}");
    }
}

#[test]
fn a_poll_is_answered_in_idle_and_frames_from_the_own_address_are_not() {
    let mut bench = Bench::in_a_ring();
    bench.hear(PollForMaster, 5, 3);
    assert_eq!(bench.sent(), [(ReplyToPollForMaster, 3)]);
    bench.hear(PollForMaster, 5, 5);
    assert_eq!((bench.sent(), bench.counted(Counter::DuplicateNode)), (vec![], 1));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |settings: Settings| Node::new(settings, Time::ZERO).unwrap_err().to_string();
    assert_eq!(refused(Settings::new(128)), "address is 128 and must be 0 to 127");
    assert_eq!(refused(Settings { max_master: 4, ..Settings::new(5) }), "address is 5 and must be 0 to 4");
    assert_eq!(
        refused(Settings { max_info_frames: 0, ..Settings::new(5) }),
        "Max_Info_Frames is 0 and must be 1 to 255"
    );
    let zero = Settings { usage_timeout: Duration::ZERO, ..Settings::new(5) };
    assert_eq!(refused(zero), "T_usage_timeout in ms is 0 and must be 1 to 3600000");
}
