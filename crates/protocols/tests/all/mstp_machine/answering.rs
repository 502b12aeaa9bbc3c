//! IDLE and ANSWER_DATA_REQUEST.

use super::*;

fn asked() -> Bench {
    let mut bench = Bench::in_a_ring();
    bench.hear_data(DataExpectingReply, 5, 3, &[7]);
    let outputs = bench.outputs();
    let [Output::Deliver(delivery)] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!((delivery.source, &delivery.data[..], delivery.is_reply), (3, &[7][..], false));
    assert_eq!(bench.node.state(), State::AnswerDataRequest);
    bench
}

#[test]
fn a_reply_within_the_delay_is_sent_without_the_token() {
    let mut bench = asked();
    bench.now += ms(20);
    bench.node.handle(bench.now, Input::Reply { destination: 3, data: vec![1; 10] });
    assert_eq!(bench.sent(), [(DataNotExpectingReply, 3)]);
    assert_eq!((bench.node.state(), bench.counted(Counter::RepliesSent)), (State::Idle, 1));
}

#[test]
fn a_reply_of_more_than_501_octets_is_an_extended_frame() {
    let mut bench = asked();
    bench.node.handle(bench.now, Input::Reply { destination: 3, data: vec![1; 502] });
    assert_eq!(bench.sent(), [(ExtendedDataNotExpectingReply, 3)]);
}

#[test]
fn a_reply_that_is_not_ready_after_245_ms_is_postponed_and_comes_with_the_token() {
    let mut bench = asked();
    bench.silence(ms(245));
    assert_eq!(bench.sent(), [(ReplyPostponed, 3)]);
    bench.node.handle(bench.now, Input::Reply { destination: 3, data: vec![1] });
    assert_eq!((bench.sent(), bench.node.queued()), (vec![], 1));
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(DataNotExpectingReply, 3), (Token, 9)]);
}

#[test]
fn an_application_may_postpone_at_once() {
    let mut bench = asked();
    bench.node.handle(bench.now, Input::Postpone);
    assert_eq!(bench.sent(), [(ReplyPostponed, 3)]);
    // without a request there is nothing to postpone
    bench.node.handle(bench.now, Input::Postpone);
    assert_eq!(bench.sent(), []);
}

#[test]
fn a_reply_to_another_node_than_the_one_that_asked_waits_for_the_token() {
    let mut bench = asked();
    bench.node.handle(bench.now, Input::Reply { destination: 4, data: vec![1] });
    assert_eq!((bench.sent(), bench.node.queued(), bench.node.state()), (vec![], 1, State::AnswerDataRequest));
}

#[test]
fn data_without_a_reply_are_delivered_and_broadcast_requests_are_not() {
    let mut bench = Bench::in_a_ring();
    bench.hear_data(DataNotExpectingReply, 255, 3, &[1]);
    let outputs = bench.outputs();
    assert!(matches!(&outputs[..], [Output::Deliver(delivery)] if delivery.broadcast && !delivery.is_reply));
    bench.hear_data(DataExpectingReply, 255, 3, &[1]);
    assert_eq!((bench.outputs(), bench.node.state()), (vec![], State::Idle));
}

#[test]
fn a_test_request_is_answered_with_its_data() {
    let mut bench = Bench::in_a_ring();
    bench.hear_data(TestRequest, 5, 3, &[4, 5]);
    let answer = Frame { kind: TestResponse, destination: 3, source: 5, data: vec![4, 5] };
    assert_eq!(bench.outputs(), [Output::Transmit(answer)]);
}

#[test]
fn a_restart_forgets_successor_and_queue() {
    let mut bench = Bench::in_a_ring();
    bench.send(DataNotExpectingReply, 9);
    bench.now += ms(100);
    bench.node.restart(bench.now);
    assert_eq!((bench.node.successor(), bench.node.queued()), (None, 0));
    bench.hear(Token, 5, 3);
    assert_eq!(bench.sent(), [(PollForMaster, 6)]);
}
