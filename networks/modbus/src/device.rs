//! What a server needs for a request.

use sojourn_core::{Duration, Stream, Time, rekey_fields};
use sojourn_engine::law::Law;
use sojourn_engine::sample::uniform;
use sojourn_protocols::modbus::ExceptionCode;
use sojourn_protocols::modbus::machine::Device;

use super::poll::{Answer, Poll};
use super::site::Class;

/// A device whose values are not looked at: it takes its time, and answers.
#[derive(Clone, Debug)]
pub struct Timing {
    delay: Law,
    per_register: Duration,
    scan: Duration,
    stream: Stream,
    /// When it looked at the request that it carries out.
    pub begun: Time,
}

rekey_fields!(Timing { stream });

impl Timing {
    /// Of a station, with its random numbers.
    pub fn new(class: &Class, stream: Stream) -> Timing {
        let Class { delay, per_register, scan, .. } = class;
        Timing { delay: delay.clone(), per_register: *per_register, scan: *scan, stream, begun: Time::ZERO }
    }
}

impl Device for Timing {
    type Request = Poll;
    type Response = Answer;

    fn carry_out(&mut self, now: Time, _unit: u8, poll: &Poll) -> Option<(Answer, Time)> {
        let wait = if self.scan == Duration::ZERO { self.scan } else { uniform(&mut self.stream, self.scan) };
        self.begun = now + wait;
        let ready = self.begun + self.delay.draw(&mut self.stream) + self.per_register.times(poll.registers());
        Some((Answer { poll: *poll, exception: 0, read: ready }, ready))
    }

    fn busy(&self, poll: &Poll) -> Answer {
        Answer { poll: *poll, exception: ExceptionCode::SERVER_DEVICE_BUSY.0, read: Time::ZERO }
    }
}
