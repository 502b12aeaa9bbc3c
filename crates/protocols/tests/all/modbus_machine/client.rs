//! What a client sends, when it gives up, and what it takes for an answer.

use super::*;

/// What a client asks and reports, in words.
fn said(client: &mut Client<Request>) -> Vec<String> {
    let word = |output| match output {
        ClientOutput::Transmit { transaction, unit, attempt, .. } => {
            format!("send {unit} id {transaction} try {attempt}")
        }
        ClientOutput::Ended { unit, attempt, outcome, .. } => match outcome {
            Outcome::Answered(Response::Exception { code, .. }) => format!("{unit} refused: {code}"),
            Outcome::Answered(_) => format!("{unit} answered try {attempt}"),
            other => format!("{unit} {other:?} after try {attempt}"),
        },
    };
    outputs(client).into_iter().map(word).collect()
}

fn serial() -> Client<Request> {
    Client::new(Carrier::Serial)
}

fn tcp(outstanding: u16) -> Client<Request> {
    Client::new(Carrier::Tcp { outstanding })
}

fn submit(client: &mut Client<Request>, now: u64, order: Order<Request>) {
    client.handle(at(now), ClientInput::Submit(order));
}

fn receive(client: &mut Client<Request>, now: u64, unit: u8, transaction: u16, response: Response) {
    client.handle(at(now), ClientInput::Received { unit, transaction, response });
}

#[test]
fn requests_on_a_line_follow_each_other() {
    let mut client = serial();
    submit(&mut client, 0, order(1, 0));
    submit(&mut client, 0, order(2, 0));
    assert_eq!(said(&mut client), ["send 1 id 0 try 0"]);
    assert_eq!((client.queued(), client.open(), client.next_wakeup()), (1, 1, None));
    client.handle(at(9), ClientInput::Sent);
    assert_eq!(client.next_wakeup(), Some(at(109)), "100 ms from the last stop bit on");
    receive(&mut client, 40, 1, 0, values(1));
    assert_eq!(said(&mut client), ["1 answered try 0", "send 2 id 1 try 0"]);
}

#[test]
fn a_pause_separates_transactions_but_not_tries() {
    let mut client = serial();
    submit(&mut client, 0, Order { pause: Duration::from_millis(20), ..order(1, 1) });
    submit(&mut client, 0, order(2, 0));
    client.handle(at(9), ClientInput::Sent);
    assert_eq!(said(&mut client), ["send 1 id 0 try 0"]);
    client.wake(at(109));
    assert_eq!(said(&mut client), ["send 1 id 1 try 1"], "at once");
    client.handle(at(118), ClientInput::Sent);
    receive(&mut client, 150, 1, 0, values(1));
    assert_eq!(said(&mut client), ["1 answered try 1"]);
    assert_eq!(client.next_wakeup(), Some(at(170)));
    client.wake(at(170));
    assert_eq!(said(&mut client), ["send 2 id 2 try 0"]);
}

#[test]
fn a_dead_server_costs_one_more_timeout_than_there_are_retries() {
    let mut client = serial();
    submit(&mut client, 0, order(9, 3));
    let mut now = Time::ZERO;
    let mut sent = 0;
    while said(&mut client).iter().any(|word| word.starts_with("send")) {
        sent += 1;
        client.handle(now, ClientInput::Sent);
        now = client.next_wakeup().unwrap();
        client.wake(now);
        if client.open() == 0 {
            break;
        }
    }
    assert_eq!((sent, now), (4, at(400)));
    assert_eq!(said(&mut client), ["9 TimedOut after try 3"]);
}

#[test]
fn a_client_keeps_waiting_after_a_response_of_another_unit_or_function() {
    let mut client = serial();
    submit(&mut client, 0, order(1, 0));
    client.handle(at(9), ClientInput::Sent);
    receive(&mut client, 20, 2, 0, values(1));
    receive(&mut client, 30, 1, 0, values(2));
    receive(&mut client, 40, 1, 0, Response::WroteRegister { address: 0, value: 7 });
    assert_eq!(said(&mut client), ["send 1 id 0 try 0"]);
    assert_eq!((client.ignored(), client.next_wakeup()), (3, Some(at(109))));
    receive(&mut client, 50, 1, 0, values(1));
    assert_eq!(said(&mut client), ["1 answered try 0"]);
}

#[test]
fn a_damaged_response_is_a_reason_to_try_again_at_once() {
    let mut client = serial();
    submit(&mut client, 0, order(1, 1));
    client.handle(at(9), ClientInput::Sent);
    client.handle(at(40), ClientInput::Damaged);
    assert_eq!(said(&mut client), ["send 1 id 0 try 0", "send 1 id 1 try 1"]);
    client.handle(at(41), ClientInput::Damaged);
    assert!(said(&mut client).is_empty(), "its own request is still being sent");
    client.handle(at(49), ClientInput::Sent);
    client.handle(at(80), ClientInput::Damaged);
    assert_eq!(said(&mut client), ["1 Damaged after try 1"]);
}

#[test]
fn a_broadcast_is_not_answered_and_its_turnaround_delays_the_next_request() {
    let mut client = serial();
    let write = Request::WriteRegister { address: 1, value: 2 };
    submit(&mut client, 0, Order { request: write, ..order(0, 3) });
    submit(&mut client, 0, order(1, 0));
    client.handle(at(9), ClientInput::Sent);
    client.handle(at(30), ClientInput::Damaged);
    receive(&mut client, 40, 0, 0, Response::WroteRegister { address: 1, value: 2 });
    assert_eq!(client.next_wakeup(), Some(at(109)));
    client.wake(at(109));
    assert_eq!(said(&mut client), ["send 0 id 0 try 0", "0 Broadcast after try 0", "send 1 id 1 try 0"]);
}

#[test]
fn an_exception_is_an_answer_and_not_tried_again() {
    let mut client = serial();
    submit(&mut client, 0, order(1, 3));
    client.handle(at(9), ClientInput::Sent);
    let code = sojourn_protocols::modbus::ExceptionCode::SERVER_DEVICE_BUSY;
    receive(&mut client, 30, 1, 0, Response::Exception { function: 3, code });
    assert_eq!(said(&mut client), ["send 1 id 0 try 0", "1 refused: server device busy"]);
}

#[test]
fn on_tcp_several_requests_are_open_and_answered_in_any_order() {
    let mut client = tcp(2);
    (1..=3).for_each(|unit| submit(&mut client, 0, order(unit, 0)));
    assert_eq!(said(&mut client), ["send 1 id 0 try 0", "send 2 id 1 try 0"]);
    assert_eq!(client.next_wakeup(), Some(at(100)), "from the request on");
    receive(&mut client, 10, 2, 1, values(1));
    assert_eq!(said(&mut client), ["2 answered try 0", "send 3 id 2 try 0"]);
    receive(&mut client, 20, 1, 7, values(1));
    assert_eq!((said(&mut client).len(), client.ignored()), (0, 1), "no open transaction");
    client.wake(at(100));
    assert_eq!(said(&mut client), ["1 TimedOut after try 0"]);
    receive(&mut client, 101, 1, 0, values(1));
    assert_eq!((said(&mut client).len(), client.ignored()), (0, 2), "too late");
}

#[test]
fn on_tcp_a_retry_has_a_transaction_of_its_own_and_unit_0_is_a_unit() {
    let mut client = tcp(1);
    submit(&mut client, 0, order(0, 1));
    client.wake(at(100));
    assert_eq!(said(&mut client), ["send 0 id 0 try 0", "send 0 id 1 try 1"]);
    receive(&mut client, 110, 0, 0, values(1));
    receive(&mut client, 120, 0, 1, values(1));
    assert_eq!((said(&mut client), client.ignored()), (vec!["0 answered try 1".to_owned()], 1));
}

#[test]
fn a_lost_connection_ends_what_is_open_and_what_waits() {
    let mut client = tcp(1);
    submit(&mut client, 0, order(1, 3));
    submit(&mut client, 0, order(2, 3));
    client.handle(at(5), ClientInput::Closed);
    assert_eq!(said(&mut client), ["send 1 id 0 try 0", "1 Closed after try 0", "2 Closed after try 0"]);
    assert_eq!((client.open(), client.queued(), client.next_wakeup()), (0, 0, None));
}

#[test]
fn an_order_has_the_usual_timeout_of_a_request_or_turnaround_of_a_broadcast() {
    let [request, broadcast] = [1, 0].map(|unit| Order::new(unit, read(1)));
    assert_eq!((request.timeout, request.retries), (Duration::from_secs(1), 0));
    assert_eq!(broadcast.timeout, Duration::from_millis(100));
}
