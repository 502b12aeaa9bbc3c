//! One AX.25 link.

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Address as Callsign, Body, Modulo, Role, Supervisory};

use super::heard::{Heard, flow_key};
use crate::connection::{Connection, Information, Numbers, Side};
use crate::{FlowId, Moment, Outcome, Service, Sink, Transaction};

/// A link, whether it is up or not.
#[derive(Debug)]
pub(super) struct Link {
    ends: [Callsign; 2],
    /// Who set the link up; where that was not seen, who sent information first.
    initiator: Option<Callsign>,
    modulo: Modulo,
    connection: Option<Connection>,
    connect: Option<Command>,
    disconnect: Option<Command>,
    test: Option<Command>,
    last: Time,
    /// The path length of each end's frames, and the most digipeaters that one had not passed.
    first_copies: [(usize, u8); 2],
}

/// A command that waits for its response, by the station that sent it.
#[derive(Clone, Copy, Debug)]
struct Command {
    from: Callsign,
    begin: Moment,
    attempts: u32,
    bytes: u32,
}

impl Link {
    /// The link of two stations.
    pub fn between(a: Callsign, b: Callsign) -> Link {
        Link {
            ends: [a, b],
            initiator: None,
            modulo: Modulo::Eight,
            connection: None,
            connect: None,
            disconnect: None,
            test: None,
            last: Time::ZERO,
            first_copies: [(0, 0); 2],
        }
    }

    pub fn modulo(&self) -> Modulo {
        self.modulo
    }

    /// When the last frame was heard.
    pub fn last(&self) -> Time {
        self.last
    }

    /// Takes a frame of the link. Returns whether it has new information.
    pub fn frame(&mut self, heard: &Heard<'_>, out: &mut Sink) -> bool {
        self.last = self.last.max(heard.time);
        let (source, time) = (heard.frame.addressing.source, heard.time);
        let is_first_copy = self.is_first_copy(heard);
        match heard.frame.body {
            Body::Sabm | Body::Sabme if is_first_copy => self.connect(heard, out),
            Body::Disc if is_first_copy => repeat(&mut self.disconnect, source, out.moment(time), 0),
            Body::Ua if heard.arrives() => self.confirmed(heard, out),
            Body::Dm if heard.arrives() => self.refused(heard, out),
            Body::I { n_s, n_r, data, .. } => {
                self.acknowledge(heard, n_r);
                return self.information(heard, n_s, heard.octets(data), out);
            }
            Body::S { modulo, kind, n_r, .. } => {
                if modulo != self.modulo {
                    // what was read with the other modulus had wrong numbers
                    self.end_connection(out);
                    self.modulo = modulo;
                }
                self.supervisory(heard, (kind, n_r), is_first_copy, out);
            }
            Body::Test(data) => self.test(heard, heard.octets(data), is_first_copy, out),
            _ => {}
        }
        false
    }

    /// Whether this copy is the first that can be heard of what its source sends: the source's own, or else that of a
    /// digipeater. A ROSE switch marks all digipeaters of a user's path as passed.
    fn is_first_copy(&mut self, heard: &Heard<'_>) -> bool {
        let source = usize::from(heard.frame.addressing.source == self.ends[1]);
        let (path, hops_left) = (heard.frame.addressing.digipeaters.len(), heard.hops_left());
        let (known, most) = &mut self.first_copies[source];
        if *known != path {
            (*known, *most) = (path, hops_left);
        }
        *most = hops_left.max(*most);
        hops_left == *most
    }

    /// Ends the link: everything open is reported.
    pub fn finish(&mut self, out: &mut Sink) {
        self.end_connection(out);
        for (command, service) in [(self.connect.take(), Service::Ax25), (self.test.take(), Service::Ax25Unnumbered)] {
            if let Some(command) = command {
                let flow = self.flow(command.from, service, out);
                out.transaction(command.transaction(flow, None, Outcome::Unanswered, 0));
            }
        }
        self.disconnect = None;
    }

    /// SABM and SABME set the link up, or anew.
    fn connect(&mut self, heard: &Heard<'_>, out: &mut Sink) {
        let source = heard.frame.addressing.source;
        self.end_connection(out);
        self.initiator = Some(source);
        self.modulo =
            if matches!(heard.frame.body, Body::Sabme) { Modulo::OneHundredTwentyEight } else { Modulo::Eight };
        repeat(&mut self.connect, source, out.moment(heard.time), 0);
    }

    /// UA answers whichever command its receiver sent.
    fn confirmed(&mut self, heard: &Heard<'_>, out: &mut Sink) {
        let to = heard.frame.addressing.destination;
        if let Some(connect) = self.connect.take_if(|command| command.from == to) {
            let flow = self.begin(to, true, out).flow();
            out.sample(flow, "connect_time", heard.time, heard.time.since(connect.begin.time));
        } else if let Some(disconnect) = self.disconnect.take_if(|command| command.from == to) {
            let flow = self.flow(self.initiator.unwrap_or(to), Service::Ax25, out);
            out.sample(flow, "disconnect_time", heard.time, heard.time.since(disconnect.begin.time));
            self.end_connection(out);
        }
    }

    /// DM refuses a connection, or confirms that there is none.
    fn refused(&mut self, heard: &Heard<'_>, out: &mut Sink) {
        let to = heard.frame.addressing.destination;
        if let Some(connect) = self.connect.take_if(|command| command.from == to) {
            let flow = self.flow(to, Service::Ax25, out);
            out.transaction(connect.transaction(flow, Some(out.moment(heard.time)), Outcome::Refused, 0));
        } else {
            self.disconnect = None;
            self.end_connection(out);
        }
    }

    fn information(&mut self, heard: &Heard<'_>, n_s: u8, bytes: u32, out: &mut Sink) -> bool {
        let source = heard.frame.addressing.source;
        let initiator = *self.initiator.get_or_insert(source);
        if self.connection.is_none() {
            self.begin(initiator, false, out);
        }
        let Some(connection) = &mut self.connection else { return false };
        let information = Information {
            number: n_s,
            time: heard.time,
            hops_left: heard.hops_left(),
            l3_bytes: heard.length,
            l4_bytes: bytes,
        };
        connection.information(side(initiator, source), information, out)
    }

    fn supervisory(&mut self, heard: &Heard<'_>, (kind, n_r): (Supervisory, u8), is_first_copy: bool, out: &mut Sink) {
        let Heard { frame, .. } = heard;
        // SREJ without the F bit asks for one frame and acknowledges none (AX.25 v2.2, 4.3.2.4)
        if kind != Supervisory::Srej || frame.poll_final {
            self.acknowledge(heard, n_r);
        }
        if frame.poll_final && frame.addressing.role == Role::Command && is_first_copy {
            let flow = self.flow(self.initiator.unwrap_or(frame.addressing.source), Service::Ax25, out);
            out.count(flow, "polls", 1);
        }
    }

    fn acknowledge(&mut self, heard: &Heard<'_>, n_r: u8) {
        if let (Some(connection), Some(initiator)) = (&mut self.connection, self.initiator) {
            let side = side(initiator, heard.frame.addressing.source);
            connection.acknowledged(side, n_r, heard.time, heard.hops_left());
        }
    }

    /// Begins a connection of `initiator`; its numbers start at 0 if it was seen set up.
    fn begin(&mut self, initiator: Callsign, from_start: bool, out: &mut Sink) -> &mut Connection {
        let numbers = match self.modulo {
            Modulo::Eight => Numbers::Modulo8,
            Modulo::OneHundredTwentyEight => Numbers::Modulo128,
        };
        let flow = self.flow(initiator, Service::Ax25, out);
        self.connection.insert(Connection::new(flow, numbers, from_start))
    }

    fn end_connection(&mut self, out: &mut Sink) {
        if let Some(mut connection) = self.connection.take() {
            connection.finish(out);
        }
    }

    /// The flow from one end to the other.
    fn flow(&self, from: Callsign, service: Service, out: &mut Sink) -> FlowId {
        let to = if from == self.ends[0] { self.ends[1] } else { self.ends[0] };
        out.flow(flow_key(from, to, service))
    }

    /// TEST: the other station returns the information.
    fn test(&mut self, heard: &Heard<'_>, bytes: u32, is_first_copy: bool, out: &mut Sink) {
        let addressing = heard.frame.addressing;
        match addressing.role {
            Role::Response if heard.arrives() => {
                if let Some(test) = self.test.take_if(|command| command.from == addressing.destination) {
                    let flow = self.flow(test.from, Service::Ax25Unnumbered, out);
                    out.transaction(test.transaction(flow, Some(out.moment(heard.time)), Outcome::Answered, bytes));
                }
            }
            Role::Command if is_first_copy => {
                if let Some(lost) = self.test.take() {
                    let flow = self.flow(lost.from, Service::Ax25Unnumbered, out);
                    out.transaction(lost.transaction(flow, None, Outcome::Unanswered, 0));
                }
                repeat(&mut self.test, addressing.source, out.moment(heard.time), bytes);
            }
            _ => {}
        }
    }
}

impl Command {
    fn transaction(&self, flow: FlowId, end: Option<Moment>, outcome: Outcome, answer_bytes: u32) -> Transaction {
        let Command { begin, attempts, bytes, .. } = *self;
        let of = Transaction::of(flow, begin, end, outcome);
        Transaction { attempts, request_bytes: bytes, answer_bytes, ..of }
    }
}

/// A command is sent, for the first time or again.
fn repeat(command: &mut Option<Command>, from: Callsign, begin: Moment, bytes: u32) {
    match command.as_mut().filter(|command| command.from == from) {
        Some(command) => command.attempts = command.attempts.saturating_add(1),
        None => *command = Some(Command { from, begin, attempts: 1, bytes }),
    }
}

fn side(initiator: Callsign, station: Callsign) -> Side {
    if station == initiator { Side::Initiator } else { Side::Responder }
}
