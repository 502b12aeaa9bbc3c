//! USE_TOKEN, WAIT_FOR_REPLY, DONE_WITH_TOKEN, PASS_TOKEN.

use super::*;

#[test]
fn a_token_without_anything_to_send_is_passed_to_the_successor() {
    let mut bench = Bench::in_a_ring();
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(Token, 9)]);
    assert_eq!(bench.node.state(), State::PassToken);
    // the fifth octet shows that it is used
    bench.octets(4);
    assert_eq!(bench.node.state(), State::PassToken);
    bench.octets(1);
    assert_eq!(bench.node.state(), State::Idle);
}

#[test]
fn a_broadcast_token_is_nobodys() {
    let mut bench = Bench::in_a_ring();
    bench.hear(Token, 255, 3);
    assert_eq!((bench.sent(), bench.node.state()), (vec![], State::Idle));
}

#[test]
fn a_token_carries_at_most_max_info_frames() {
    let mut bench = Bench::new(Settings { max_info_frames: 2, ..Settings::new(5) });
    for _ in 0..3 {
        bench.send(DataNotExpectingReply, 9);
    }
    bench.hear(Token, 5, 3);
    let data = (DataNotExpectingReply, 9);
    assert_eq!(bench.sent(), [data, data, (PollForMaster, 6)]);
    bench.hear(ReplyToPollForMaster, 5, 9);
    assert_eq!(bench.sent(), [(Token, 9)]);
    bench.hear(PollForMaster, 10, 9);
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [data, (Token, 9)]);
    assert_eq!((bench.node.queued(), bench.counted(Counter::FramesSent)), (0, 3));
}

#[test]
fn a_request_is_waited_for_and_its_reply_delivered_before_the_token_goes_on() {
    for kind in [DataNotExpectingReply, TestResponse, ExtendedDataNotExpectingReply, DataExpectingReply] {
        let mut bench = Bench::in_a_ring();
        bench.send(DataExpectingReply, 7);
        bench.hear(Token, 5, 3);
        assert_eq!(bench.sent(), [(DataExpectingReply, 7)]);
        assert_eq!(bench.node.state(), State::WaitForReply);
        bench.hear_data(kind, 5, 7, &[9]);
        let outputs = bench.outputs();
        let Output::Deliver(delivery) = &outputs[0] else { panic!("{outputs:?}") };
        assert_eq!((delivery.kind, delivery.source, delivery.is_reply), (kind, 7, true));
        assert!(matches!(&outputs[1], Output::Transmit(frame) if (frame.kind, frame.destination) == (Token, 9)));
    }
}

#[test]
fn a_broadcast_request_is_not_waited_for() {
    let mut bench = Bench::in_a_ring();
    bench.send(DataExpectingReply, 255);
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(DataExpectingReply, 255), (Token, 9)]);
}

#[test]
fn no_reply_ends_the_use_of_the_token_whatever_is_queued() {
    let mut bench = Bench::new(Settings { max_info_frames: 10, ..Settings::new(5) });
    bench.send(DataExpectingReply, 7);
    bench.send(DataExpectingReply, 8);
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(DataExpectingReply, 7)]);
    bench.silence(ms(255));
    let unanswered = Output::Unanswered { destination: 7, outcome: Outcome::Timeout };
    assert_eq!(bench.node.poll_output(), Some(unanswered));
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
    assert_eq!((bench.node.queued(), bench.counted(Counter::ReplyTimeouts)), (1, 1));
}

#[test]
fn a_postponed_reply_an_invalid_frame_and_one_for_another_end_the_wait() {
    let waiting = || {
        let mut bench = Bench::in_a_ring();
        bench.send(DataExpectingReply, 7);
        bench.hear(Token, 5, 3);
        bench.sent();
        bench
    };
    let ends = |mut bench: Bench, outcome| {
        assert_eq!(bench.node.poll_output(), Some(Output::Unanswered { destination: 7, outcome }));
        assert_eq!(bench.sent(), [(Token, 9)]);
    };
    let mut bench = waiting();
    bench.hear(ReplyPostponed, 5, 7);
    ends(bench, Outcome::Postponed);
    let mut bench = waiting();
    bench.node.handle(bench.now, Input::Invalid);
    ends(bench, Outcome::Disturbed);
    let mut bench = waiting();
    bench.hear(DataNotExpectingReply, 8, 7);
    ends(bench, Outcome::Disturbed);
}

#[test]
fn a_frame_that_shows_another_token_makes_the_node_drop_its_own() {
    for kind in [Token, PollForMaster, ReplyToPollForMaster, TestRequest] {
        let mut bench = Bench::in_a_ring();
        bench.send(DataExpectingReply, 7);
        bench.hear(Token, 5, 3);
        bench.sent();
        bench.hear(kind, 5, 7);
        assert_eq!((bench.sent(), bench.node.state()), (vec![], State::Idle), "{kind}");
        assert_eq!(bench.counted(Counter::TokensDropped), 1);
    }
}

#[test]
fn a_token_that_is_not_used_is_sent_again_and_then_a_new_successor_is_sought() {
    let mut bench = Bench::in_a_ring();
    bench.hear(Token, 5, 3);
    bench.sent();
    bench.silence(ms(35));
    assert_eq!(bench.sent(), [(Token, 9)]);
    bench.silence(ms(35));
    assert_eq!(bench.sent(), [(PollForMaster, 10)]);
    assert_eq!((bench.counted(Counter::TokenRetries), bench.counted(Counter::SuccessorsLost)), (1, 1));
    assert_eq!(bench.node.successor(), None);
    bench.hear(ReplyToPollForMaster, 5, 10);
    assert_eq!(bench.sent(), [(Token, 10)]);
}

#[test]
fn after_49_tokens_one_address_of_the_gap_is_polled_with_each_token_until_all_were() {
    // between 5 and 9 lie three addresses: 3 polls in 3 + 49 tokens
    let mut bench = Bench::in_a_ring();
    let mut polled = Vec::new();
    for token in 0..2 * 52 {
        bench.hear(Token, 5, 3);
        let sent = bench.sent();
        if let [(PollForMaster, address)] = sent[..] {
            polled.push((token, address));
            bench.silence(ms(35));
            assert_eq!(bench.sent(), [(Token, 9)]);
        } else {
            assert_eq!(sent, [(Token, 9)]);
        }
        bench.octets(8);
    }
    // TokenCount is 0 when the successor is found: 49 tokens, three polls, then the one that sets it to 1 and 48 more
    assert_eq!(polled, [(49, 6), (50, 7), (51, 8), (101, 6), (102, 7), (103, 8)]);
}

#[test]
fn a_vacant_address_is_waited_for_as_long_as_is_set_even_not_at_all() {
    let vacant = Settings { vacant: 0b100_0000, vacant_timeout: Duration::ZERO, ..Settings::new(5) };
    let mut bench = Bench::new(vacant);
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
    bench.silence(Duration::ZERO);
    assert_eq!(bench.sent(), [(PollForMaster, 7)]);
    bench.silence(ms(35));
}
