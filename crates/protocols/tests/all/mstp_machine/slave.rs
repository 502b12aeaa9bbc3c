//! The slave node.

use super::*;

fn asked() -> (Slave<Vec<u8>>, Time) {
    let mut slave = Slave::new(Settings::new(200), Time::ZERO).unwrap();
    let now = Time::ZERO + ms(10);
    slave.handle(now, Input::Activity { octets: 23, until: now });
    slave.handle(now, Input::Frame(Frame { kind: DataExpectingReply, destination: 200, source: 3, data: vec![7] }));
    assert!(matches!(slave.poll_output(), Some(Output::Deliver(_))) && slave.is_asked());
    (slave, now)
}

#[test]
fn a_slave_answers_within_the_reply_delay_and_not_after() {
    let reply = || Input::Reply { destination: 3, data: vec![1] };
    let (mut slave, now) = asked();
    slave.handle(now + ms(245), reply());
    let sent = Frame { kind: DataNotExpectingReply, destination: 3, source: 200, data: vec![1] };
    assert_eq!(slave.poll_output(), Some(Output::Transmit(sent)));
    let (mut slave, now) = asked();
    slave.handle(now + ms(246), reply());
    assert_eq!((slave.poll_output(), slave.counters().get(Counter::LateReplies)), (None, 1));
    let (mut slave, now) = asked();
    assert_eq!(slave.next_wakeup(), Some(now + ms(245)));
    slave.wake(now + ms(245));
    assert!(!slave.is_asked() && slave.next_wakeup().is_none());
}

#[test]
fn a_slave_neither_postpones_nor_takes_a_token_nor_answers_polls() {
    let (mut slave, now) = asked();
    slave.handle(now, Input::Postpone);
    assert_eq!(slave.poll_output(), None);
    let mut slave = Slave::<Vec<u8>>::new(Settings::new(20), Time::ZERO).unwrap();
    for kind in [Token, PollForMaster] {
        slave.handle(now, Input::Frame(Frame::bare(kind, 20, 3)));
        slave.handle(now, Input::Send { kind: DataNotExpectingReply, destination: 3, data: vec![] });
        assert_eq!(slave.poll_output(), None);
    }
    slave.handle(now, Input::Frame(Frame { kind: TestRequest, destination: 20, source: 3, data: vec![1] }));
    assert!(matches!(slave.poll_output(), Some(Output::Transmit(frame)) if frame.kind == TestResponse));
    assert!(Slave::<Vec<u8>>::new(Settings::new(255), Time::ZERO).is_err());
}
