//! A client and a server that exchange frames over a path that loses, delays and damages them.

use proptest::prelude::*;
use sojourn_protocols::modbus::Request;

use super::*;

/// What becomes of one frame.
#[derive(Clone, Copy, Debug)]
enum Course {
    Arrives,
    IsLost,
    IsDamaged,
}

/// One request after the other over a line where a frame takes 10 ms, until all have ended: the outcomes.
fn dialogue(orders: &[Order<Request>], courses: &[Course]) -> Vec<Outcome<Response>> {
    let mut client = Client::new(Carrier::Serial);
    let mut memory = Memory::new(None, 10);
    memory.delay = Duration::from_millis(5);
    let mut server = Server::new(Carrier::Serial, memory);
    let mut courses = courses.iter().copied().chain(std::iter::repeat(Course::Arrives));
    let mut now = at(0);
    orders.iter().for_each(|order| client.handle(now, ClientInput::Submit(order.clone())));
    let mut outcomes = Vec::new();
    while outcomes.len() < orders.len() {
        match client.poll_output() {
            Some(ClientOutput::Ended { outcome, .. }) => outcomes.push(outcome),
            Some(ClientOutput::Transmit { unit, request, .. }) => {
                now += Duration::from_millis(10);
                client.handle(now, ClientInput::Sent);
                if let Course::Arrives = courses.next().unwrap() {
                    let request = request.to_bytes().unwrap();
                    server.handle(now, Indication { connection: 0, transaction: 0, unit, request });
                }
            }
            None => {
                let replies =
                    server.next_wakeup().filter(|due| client.next_wakeup().is_none_or(|expiry| *due <= expiry));
                now = replies.or(client.next_wakeup()).expect("a timer runs while a request is open");
                if replies.is_none() {
                    client.wake(now);
                    continue;
                }
                server.wake(now);
                for reply in outputs(&mut server) {
                    now += Duration::from_millis(10);
                    let response = Response::parse(&reply.response).unwrap();
                    match courses.next().unwrap() {
                        Course::Arrives => {
                            client.handle(now, ClientInput::Received { unit: reply.unit, transaction: 0, response });
                        }
                        Course::IsDamaged => client.handle(now, ClientInput::Damaged),
                        Course::IsLost => {}
                    }
                }
            }
        }
    }
    outcomes
}

proptest! {
    #[test]
    fn every_request_ends_once_and_is_answered_where_a_try_succeeds(
        units in prop::collection::vec(0u8..4, 1..12),
        retries in 0u8..4,
        courses in prop::collection::vec(
            prop::sample::select(vec![Course::Arrives, Course::IsLost, Course::IsDamaged]), 0..24),
    ) {
        let write = Request::WriteRegister { address: 3, value: 4 };
        let orders: Vec<_> = units
            .iter()
            .map(|&unit| Order { request: if unit == 0 { write.clone() } else { read(1) }, ..order(unit, retries) })
            .collect();
        let outcomes = dialogue(&orders, &courses);
        prop_assert_eq!(outcomes.len(), orders.len());
        for (outcome, unit) in outcomes.iter().zip(&units) {
            prop_assert_eq!(matches!(outcome, Outcome::Broadcast), *unit == 0);
        }
        let failed = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::TimedOut | Outcome::Damaged)).count();
        let bad = courses.iter().filter(|course| !matches!(course, Course::Arrives)).count();
        prop_assert!(failed * (usize::from(retries) + 1) <= bad, "{failed} failed of {bad} lost frames");
    }
}
