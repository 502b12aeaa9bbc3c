//! The client machine as a peer of the prober asks it, on a serial line and on a TCP connection.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::modbus::machine::{Asked, Carrier, Client, ClientInput, ClientOutput, Order, Outcome};
use sojourn_protocols::modbus::{Request, Response, Table, rtu, tcp};

use super::frames::{Found, FrameReader};
use super::url::Question;
use crate::io::echo::Echo;
use crate::io::network_error::ServiceError;
use crate::prober::line_peer::{LineClient, Step};

/// Requests that may wait for the one before them: a probe leaves room on the line.
const MOST_WAITING: usize = 2;

/// A request of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbered {
    sequence: u64,
    request: Request,
}

impl Asked for Numbered {
    type Response = Response;

    fn accepts(&self, response: &Response) -> bool {
        self.request.accepts(response)
    }
}

/// What both carriers have in common: the machine, and what came of it.
#[derive(Debug)]
struct Asking {
    client: Client<Numbered>,
    question: Question,
    timeout: Duration,
    most_open: usize,
    steps: VecDeque<Step>,
}

impl Asking {
    fn new(question: Question, carrier: Carrier, timeout: Duration) -> Asking {
        let most_open = carrier.outstanding() + MOST_WAITING;
        let client = Client::new(carrier);
        Asking { client, question, timeout, most_open, steps: VecDeque::new() }
    }

    fn ask(&mut self, now: Time, sequence: u64) -> bool {
        if self.client.open() + self.client.queued() >= self.most_open {
            return false;
        }
        let Question { unit, request } = self.question.clone();
        // a measurement sends every request once
        let once = Order::new(unit, Numbered { sequence, request });
        let order = Order { timeout: self.timeout, ..once };
        self.client.handle(now, ClientInput::Submit(order));
        true
    }

    /// The next request to send: its transaction, unit and PDU. What ended at `at` becomes a step.
    fn next(&mut self, at: Time) -> Option<(u16, u8, Vec<u8>)> {
        while let Some(output) = self.client.poll_output() {
            match output {
                ClientOutput::Transmit { transaction, unit, request, .. } => {
                    let pdu = request.request.to_bytes().expect("the URL was checked");
                    return Some((transaction, unit, pdu));
                }
                ClientOutput::Ended { request: Numbered { sequence, .. }, outcome, .. } => {
                    let failed = |error| Step::Failed { sequence, at, error };
                    self.steps.push_back(match outcome {
                        Outcome::Answered(Response::Exception { code, .. }) => {
                            failed(ServiceError::ModbusException(code))
                        }
                        Outcome::Answered(_) | Outcome::Broadcast => Step::Answered { sequence, at },
                        Outcome::TimedOut => failed(ServiceError::Timeout),
                        Outcome::Damaged => failed(ServiceError::Damaged),
                        Outcome::Closed => failed(ServiceError::ConnectionLost),
                    });
                }
            }
        }
        None
    }
}

/// A client on a serial line.
#[derive(Debug)]
pub struct RtuClient {
    asking: Asking,
    reader: FrameReader,
    echo: Echo,
    t35: Duration,
    /// A response and when its last octet was read; the machine gets it after t3.5.
    held: Option<(Time, Found)>,
    is_captured: bool,
}

impl RtuClient {
    /// A client that asks the same again and again.
    pub fn new(question: Question, t35: Duration, timeout: Duration) -> RtuClient {
        let reader = FrameReader::new(t35, |pdu| Response::parse(pdu).is_ok());
        let asking = Asking::new(question, Carrier::Serial, timeout);
        RtuClient { asking, reader, echo: Echo::default(), t35, held: None, is_captured: false }
    }

    /// The same, whose frames are steps for a capture too.
    pub fn captured(self) -> RtuClient {
        RtuClient { is_captured: true, ..self }
    }

    fn hold(&mut self, now: Time, found: Option<Found>) {
        let Some(found) = found else { return };
        let (Found::Frame(octets) | Found::Damaged(octets)) = &found;
        self.capture(now, octets.clone());
        self.held = Some((now, found));
    }

    fn capture(&mut self, at: Time, octets: Vec<u8>) {
        if self.is_captured {
            self.asking.steps.push_back(Step::Frame(at, octets));
        }
    }

    /// Hands the response over that was held for t3.5.
    fn release(&mut self, now: Time) {
        let Some((at, found)) = self.held.take_if(|(at, _)| now >= *at + self.t35) else { return };
        let response = match &found {
            Found::Frame(octets) => {
                rtu::parse(octets).ok().and_then(|frame| Some((frame.unit, Response::parse(frame.pdu).ok()?)))
            }
            Found::Damaged(_) => None,
        };
        let input = match response {
            Some((unit, response)) => ClientInput::Received { unit, transaction: 0, response },
            None => ClientInput::Damaged,
        };
        self.asking.client.handle(now, input);
        self.send(now, at);
    }

    /// Sends what the machine has to send; what ended, ended at `at`.
    fn send(&mut self, now: Time, at: Time) {
        while let Some((_, unit, pdu)) = self.asking.next(at) {
            let mut octets = Vec::with_capacity(rtu::length(pdu.len()));
            rtu::emit(unit, &pdu, &mut octets);
            self.reader.clear();
            self.held = None;
            self.capture(now, octets.clone());
            // a write is answered by its echo
            let is_read = self.asking.question.request.function().is_read();
            self.echo.sent(if is_read { &octets } else { &[] });
            self.asking.steps.push_back(Step::Send(octets));
            self.asking.client.handle(now, ClientInput::Sent);
        }
    }
}

impl LineClient for RtuClient {
    fn ask(&mut self, now: Time, sequence: u64) -> bool {
        let is_taken = self.asking.ask(now, sequence);
        self.send(now, now);
        is_taken
    }

    fn received(&mut self, now: Time, octets: &[u8]) -> Result<(), ServiceError> {
        self.release(now);
        let mut taken = Vec::new();
        self.echo.filter(octets, &mut taken);
        let found = if taken.is_empty() { None } else { self.reader.push(now, &taken) };
        self.hold(now, found);
        Ok(())
    }

    fn lost(&mut self, now: Time) {
        self.reader.clear();
        self.held = None;
        self.asking.client.handle(now, ClientInput::Closed);
        self.send(now, now);
    }

    fn wake(&mut self, now: Time) {
        self.release(now);
        let found = self.reader.wake(now);
        self.hold(now, found);
        if self.asking.client.next_wakeup().is_some_and(|due| due <= now) {
            self.asking.client.wake(now);
        }
        self.send(now, now);
    }

    fn next_wakeup(&self) -> Option<Time> {
        let held = self.held.as_ref().map(|(at, _)| *at + self.t35);
        [held, self.reader.next_wakeup(), self.asking.client.next_wakeup()].into_iter().flatten().min()
    }

    fn poll(&mut self) -> Option<Step> {
        self.asking.steps.pop_front()
    }
}

/// A client on a TCP connection.
#[derive(Debug)]
pub struct TcpClient {
    asking: Asking,
    /// Octets received of frames that are not whole.
    stream: Vec<u8>,
}

impl TcpClient {
    /// A client that asks the same again and again, `outstanding` requests at a time.
    pub fn new(question: Question, outstanding: u16, timeout: Duration) -> TcpClient {
        TcpClient { asking: Asking::new(question, Carrier::Tcp { outstanding }, timeout), stream: Vec::new() }
    }

    fn send(&mut self, at: Time) {
        while let Some((transaction, unit, pdu)) = self.asking.next(at) {
            let mut octets = Vec::with_capacity(tcp::length(pdu.len()));
            tcp::emit(transaction, unit, &pdu, &mut octets);
            self.asking.steps.push_back(Step::Send(octets));
        }
    }
}

impl LineClient for TcpClient {
    fn ask(&mut self, now: Time, sequence: u64) -> bool {
        let is_taken = self.asking.ask(now, sequence);
        self.send(now);
        is_taken
    }

    fn received(&mut self, now: Time, octets: &[u8]) -> Result<(), ServiceError> {
        self.stream.extend_from_slice(octets);
        let mut taken = 0;
        while let Some((adu, rest)) = tcp::parse(&self.stream[taken..]).map_err(|_| ServiceError::Protocol)? {
            taken = self.stream.len() - rest.len();
            // any other PDU answers no request
            if let Ok(response) = Response::parse(adu.pdu) {
                let (unit, transaction) = (adu.unit, adu.transaction);
                self.asking.client.handle(now, ClientInput::Received { unit, transaction, response });
            }
        }
        self.stream.drain(..taken);
        self.send(now);
        Ok(())
    }

    fn lost(&mut self, now: Time) {
        self.stream.clear();
        self.asking.client.handle(now, ClientInput::Closed);
        self.send(now);
    }

    fn wake(&mut self, now: Time) {
        self.asking.client.wake(now);
        self.send(now);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.asking.client.next_wakeup()
    }

    fn poll(&mut self) -> Option<Step> {
        self.asking.steps.pop_front()
    }
}

/// Takes octets as blocks, each behind one with the milliseconds since the one before and one with its length: whatever comes,
/// every request that a client takes ends once.
pub fn fuzz(octets: &[u8]) {
    let request = Request::Read { table: Table::HoldingRegisters, address: 107, count: 3 };
    let question = || Question { unit: 17, request: request.clone() };
    let (t35, timeout) = (Duration::from_millis(2), Duration::from_millis(100));
    any_blocks(&mut RtuClient::new(question(), t35, timeout), octets);
    any_blocks(&mut TcpClient::new(question(), 1, timeout), octets);
}

fn any_blocks(client: &mut impl LineClient, octets: &[u8]) {
    let (mut now, mut asked, mut ended, mut rest) = (Time::ZERO, 0, 0, octets);
    let ends = |client: &mut dyn LineClient| {
        let is_end = |step: &Step| matches!(step, Step::Answered { .. } | Step::Failed { .. });
        std::iter::from_fn(|| client.poll()).filter(is_end).count() as u64
    };
    while let Some((&[ms, length], behind)) = rest.split_first_chunk() {
        let (block, behind) = behind.split_at(behind.len().min(length.into()));
        rest = behind;
        now += Duration::from_millis(ms.into());
        asked += u64::from(client.ask(now, asked));
        if client.received(now, block).is_err() {
            client.lost(now);
        }
        client.wake(now);
        ended += ends(client);
    }
    client.lost(now);
    assert_eq!(asked, ended + ends(client));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sojourn_protocols::modbus::ExceptionCode;

    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(100);
    const T35: Duration = Duration::from_millis(2);

    fn question() -> Question {
        Question { unit: 17, request: Request::Read { table: Table::HoldingRegisters, address: 107, count: 3 } }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn steps(client: &mut impl LineClient) -> Vec<Step> {
        std::iter::from_fn(|| client.poll()).collect()
    }

    fn frame(unit: u8, pdu: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        rtu::emit(unit, pdu, &mut octets);
        octets
    }

    /// The request of the specification's example, whose CRC is 7687.
    const REQUEST: [u8; 8] = [0x11, 0x03, 0x00, 0x6b, 0x00, 0x03, 0x76, 0x87];
    const REGISTERS: &[u8] = &[3, 6, 2, 43, 0, 0, 0, 100];

    #[test]
    fn a_response_ends_with_its_last_octet_and_the_next_request_leaves_a_silence_later() {
        let mut client = RtuClient::new(question(), T35, TIMEOUT);
        assert!(client.ask(at(0), 0) && client.ask(at(1), 1));
        assert_eq!(steps(&mut client), [Step::Send(REQUEST.to_vec())], "one at a time");
        client.received(at(12), &frame(17, REGISTERS)).unwrap();
        assert_eq!((steps(&mut client), client.next_wakeup()), (vec![], Some(at(14))));
        client.wake(at(14));
        let expected = [Step::Answered { sequence: 0, at: at(12) }, Step::Send(REQUEST.to_vec())];
        assert_eq!(steps(&mut client), expected);
    }

    #[test]
    fn an_adapter_that_receives_its_own_request_does_no_harm_to_a_read() {
        let mut client = RtuClient::new(question(), T35, TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(5), &REQUEST).unwrap();
        client.received(at(12), &frame(17, REGISTERS)).unwrap();
        client.wake(at(14));
        assert_eq!(steps(&mut client)[1..], [Step::Answered { sequence: 0, at: at(12) }]);
    }

    #[test]
    fn a_request_fails_by_exception_damage_or_silence_and_is_not_repeated() {
        let mut client = RtuClient::new(question(), T35, TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(12), &frame(17, &[0x83, 2])).unwrap();
        client.wake(at(14));
        let illegal = ServiceError::ModbusException(ExceptionCode::ILLEGAL_DATA_ADDRESS);
        let failed = |sequence, ms, error| Step::Failed { sequence, at: at(ms), error };
        assert_eq!(steps(&mut client)[1..], [failed(0, 12, illegal)]);
        client.ask(at(20), 1);
        client.received(at(30), &[1, 2, 3]).unwrap();
        client.wake(at(60));
        client.wake(at(62));
        assert_eq!(steps(&mut client)[1..], [failed(1, 60, ServiceError::Damaged)]);
        client.ask(at(100), 2);
        client.wake(at(200));
        assert_eq!(steps(&mut client)[1..], [failed(2, 200, ServiceError::Timeout)]);
    }

    #[test]
    fn the_answer_of_another_unit_is_not_taken() {
        let mut client = RtuClient::new(question(), T35, TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(12), &frame(18, REGISTERS)).unwrap();
        client.wake(at(14));
        client.received(at(20), &frame(17, REGISTERS)).unwrap();
        client.wake(at(22));
        assert_eq!(steps(&mut client)[1..], [Step::Answered { sequence: 0, at: at(20) }]);
    }

    #[test]
    fn a_line_takes_no_more_requests_than_a_few() {
        let mut client = RtuClient::new(question(), T35, TIMEOUT);
        let taken: Vec<bool> = (0..5).map(|sequence| client.ask(at(0), sequence)).collect();
        assert_eq!(taken, [true, true, true, false, false]);
        client.lost(at(1));
        let lost = |sequence| Step::Failed { sequence, at: at(1), error: ServiceError::ConnectionLost };
        assert_eq!(steps(&mut client)[1..], [lost(0), lost(1), lost(2)]);
    }

    #[test]
    fn over_tcp_answers_are_found_by_their_transactions_in_any_segments() {
        let mut client = TcpClient::new(question(), 2, TIMEOUT);
        client.ask(at(0), 0);
        client.ask(at(0), 1);
        assert_eq!(steps(&mut client).len(), 2);
        let (mut octets, pdu) = (Vec::new(), REGISTERS);
        tcp::emit(1, 17, pdu, &mut octets);
        tcp::emit(0, 17, pdu, &mut octets);
        for (ms, octet) in (1..).zip(&octets) {
            client.received(at(ms), &[*octet]).unwrap();
        }
        // each answer has 15 octets
        let expected = [Step::Answered { sequence: 1, at: at(15) }, Step::Answered { sequence: 0, at: at(30) }];
        assert_eq!(steps(&mut client), expected);
        assert_eq!(client.received(at(40), &[0, 0, 0, 9, 0, 6, 1]), Err(ServiceError::Protocol));
    }

    proptest! {
        #[test]
        fn any_octets_at_any_time_leave_every_request_ended(octets in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz(&octets);
        }
    }
}
