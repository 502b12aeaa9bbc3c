//! CPU time that a node's processors spend on each step.
//!
//! The values fit the published rates and response times of the LonTalk response-time bulletin (Echelon,
//! March 1992) for nodes of 10 MHz; they scale inversely with the input clock.

use sojourn_core::Duration;

/// Input clock at which the costs are given, in hertz.
pub const REFERENCE_CLOCK: f64 = 10e6;

/// CPU time of each step of a node, with the processor that performs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// Application: the call that sends a message.
    pub send_call: Duration,
    /// Application: copying one byte of a message it builds, or of a variable it receives.
    pub application_copy: Duration,
    /// Network: forming an outgoing packet.
    pub form: Duration,
    /// Network: copying one byte of an outgoing packet.
    pub form_copy: Duration,
    /// Network: the transmit record and timer of an acknowledged message or request.
    pub transmit_record: Duration,
    /// Network: a received packet's address check and application buffer.
    pub receive: Duration,
    /// Network: copying one byte of a received packet.
    pub receive_copy: Duration,
    /// Network: a received message's receive record and duplicate check.
    pub receive_record: Duration,
    /// Network: building an acknowledgement.
    pub acknowledge: Duration,
    /// Network: processing an acknowledgement and the completion event.
    pub complete: Duration,
    /// Network: one pass of the authentication transform.
    pub authentication_pass: Duration,
    /// Network: discarding a packet for another node.
    pub discard: Duration,
    /// Application: from delivery to the task that handles the message.
    pub notice: Duration,
    /// Application: the event of a network variable update.
    pub variable_event: Duration,
    /// Router: storing and forwarding a packet.
    pub route: Duration,
    /// Router: copying one byte of it.
    pub route_copy: Duration,
}

impl Default for Costs {
    fn default() -> Self {
        let micros = Duration::from_micros;
        Costs {
            send_call: micros(1000),
            application_copy: micros(188),
            form: micros(1781),
            form_copy: Duration::from_nanos(19_670),
            transmit_record: micros(3000),
            receive: micros(1480),
            receive_copy: micros(20),
            receive_record: micros(3500),
            acknowledge: micros(900),
            complete: micros(2280),
            authentication_pass: micros(1150),
            discard: micros(700),
            notice: micros(930),
            variable_event: micros(800),
            route: micros(1500),
            route_copy: micros(20),
        }
    }
}

impl Costs {
    /// These costs at an input clock of `hertz`.
    pub fn at_clock(&self, hertz: f64) -> Costs {
        let factor = REFERENCE_CLOCK / hertz;
        let scale = |cost: Duration| Duration::from_picoseconds(libm::round(cost.picoseconds() as f64 * factor) as u64);
        Costs {
            send_call: scale(self.send_call),
            application_copy: scale(self.application_copy),
            form: scale(self.form),
            form_copy: scale(self.form_copy),
            transmit_record: scale(self.transmit_record),
            receive: scale(self.receive),
            receive_copy: scale(self.receive_copy),
            receive_record: scale(self.receive_record),
            acknowledge: scale(self.acknowledge),
            complete: scale(self.complete),
            authentication_pass: scale(self.authentication_pass),
            discard: scale(self.discard),
            notice: scale(self.notice),
            variable_event: scale(self.variable_event),
            route: scale(self.route),
            route_copy: scale(self.route_copy),
        }
    }

    /// The authentication transform over an APDU of `length` bytes: passes of 48 bytes.
    pub fn authentication(&self, length: usize) -> Duration {
        self.authentication_pass.times(length.div_ceil(48).max(1) as u64)
    }
}
