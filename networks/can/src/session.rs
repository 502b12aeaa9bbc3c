//! The session of a source: a message of several frames at a time, and the machines of the protocols at both ends of it.

use sojourn_core::{Machine, Time};
use sojourn_model::slab::NONE;
use sojourn_protocols::StreamRange;
use sojourn_protocols::can::canopen::{
    BlockClient, BlockOutput, BlockServer, Client, ClientOutput, Server, ServerOutput,
};
use sojourn_protocols::can::isotp;
use sojourn_protocols::can::j1939;

use crate::in_flight::{Act, Carried};
use crate::site::{FlowSettings, Service};
use crate::uds::Exchange;

/// The session of a source.
#[derive(Clone, Debug)]
pub struct Session {
    /// The message that is pending; none.
    pub message: u32,
    /// Frames of another turn are of a message, or an attempt, that is over.
    pub turn: u32,
    /// The delay budget of its message.
    pub budget: u32,
    /// How often it may be begun again.
    pub tries: u8,
    /// Of a poll the receiver that is asked, by its place.
    pub point: Option<usize>,
    /// When it is woken; an event for another instant is void.
    pub due: Time,
    /// Receivers that have the message.
    pub handled: u32,
    /// The machines of both ends.
    pub ends: Ends,
    service: Service,
    /// Receivers of a message.
    pub receivers: usize,
    /// Bytes of the message.
    pub data: u16,
}

/// The machines of both ends.
#[derive(Clone, Debug)]
pub enum Ends {
    /// A remote frame, or another that asks, waits for its answer until then.
    Remote(Time),
    /// Of a service data object.
    Sdo(Client, Server),
    /// Of a service data object in blocks.
    Block(BlockClient, BlockServer),
    /// Of ISO-TP.
    IsoTp(isotp::Sender<StreamRange>, isotp::Receiver<StreamRange>),
    /// Of diagnosis.
    Uds(Box<Exchange>),
    /// Of J1939.
    J1939(j1939::Sender, Vec<j1939::Receiver>),
}

impl Ends {
    fn of(service: Service, receivers: usize, data: u16) -> Option<Ends> {
        Some(match service {
            Service::Broadcast => return None,
            Service::Remote(_) | Service::Request(..) => Ends::Remote(Time::NEVER),
            Service::Sdo(timeout) => Ends::Sdo(Client::new(timeout), Server::new(data.into())),
            Service::SdoBlock(timeout, segments) => Ends::Block(BlockClient::new(timeout), BlockServer::new(segments)),
            Service::IsoTp(parameters) => Ends::IsoTp(isotp::Sender::new(parameters), isotp::Receiver::new(parameters)),
            Service::Uds(parameters, answer) => Ends::Uds(Box::new(Exchange::new(parameters, answer))),
            Service::J1939(parameters, _) => {
                Ends::J1939(j1939::Sender::new(parameters), vec![j1939::Receiver::new(parameters); receivers])
            }
        })
    }

    /// The next thing that an end does.
    pub fn next(&mut self) -> Option<Act> {
        match self {
            Ends::Remote(_) => None,
            Ends::Uds(exchange) => exchange.next(),
            Ends::Sdo(client, server) => match (client.poll_output(), server) {
                (Some(ClientOutput::Transmit(sdo)), _) => Some(Act::Forth(Carried::Sdo(sdo))),
                (Some(ClientOutput::Complete(_)), _) => Some(Act::Complete),
                (Some(ClientOutput::Failed(_)), _) => Some(Act::Failed),
                (None, server) => loop {
                    match server.poll_output()? {
                        ServerOutput::Transmit(sdo) => return Some(Act::Back(0, Carried::Sdo(sdo))),
                        ServerOutput::Written(_) | ServerOutput::Read(_) => {}
                    }
                },
            },
            Ends::Block(client, server) => match client.poll_output() {
                Some(BlockOutput::Transmit(block)) => Some(Act::Forth(Carried::Block(block))),
                Some(BlockOutput::Complete) => Some(Act::Complete),
                Some(BlockOutput::Failed) => Some(Act::Failed),
                None => Some(Act::Back(0, Carried::Block(server.poll_output()?))),
            },
            Ends::IsoTp(sender, receiver) => loop {
                let (output, is_sender) = match sender.poll_output() {
                    Some(output) => (output, true),
                    None => (receiver.poll_output()?, false),
                };
                match output {
                    isotp::Output::Transmit(pdu) if is_sender => return Some(Act::Forth(Carried::IsoTp(pdu))),
                    isotp::Output::Transmit(pdu) => return Some(Act::Back(0, Carried::IsoTp(pdu))),
                    isotp::Output::Complete(_) if !is_sender => return Some(Act::Complete),
                    isotp::Output::Failed(_) => return Some(Act::Failed),
                    isotp::Output::Complete(_) | isotp::Output::Data(_) => {}
                }
            },
            Ends::J1939(sender, receivers) => {
                while let Some(output) = sender.poll_output() {
                    match output {
                        j1939::Output::Control(control) => return Some(Act::Forth(Carried::Control(control))),
                        j1939::Output::Packet(sequence) => return Some(Act::Forth(Carried::Packet(sequence))),
                        j1939::Output::Failed(_) => return Some(Act::Failed),
                        j1939::Output::Complete(_) => {}
                    }
                }
                let of = |(number, receiver): (u16, &mut j1939::Receiver)| Some((number, receiver.poll_output()?));
                let (number, output) = (0..).zip(receivers).find_map(of)?;
                Some(match output {
                    j1939::Output::Control(control) => Act::Back(number, Carried::Control(control)),
                    j1939::Output::Complete(_) => Act::Complete,
                    j1939::Output::Packet(_) | j1939::Output::Failed(_) => Act::Failed,
                })
            }
        }
    }

    /// When an end wants to be woken.
    pub fn next_wakeup(&self) -> Option<Time> {
        match self {
            Ends::Remote(until) => Some(*until).filter(|until| *until != Time::NEVER),
            Ends::Sdo(client, _) => client.next_wakeup(),
            Ends::Block(client, _) => client.next_wakeup(),
            Ends::Uds(exchange) => exchange.next_wakeup(),
            Ends::IsoTp(sender, receiver) => sender.next_wakeup().into_iter().chain(receiver.next_wakeup()).min(),
            Ends::J1939(sender, receivers) => {
                sender.next_wakeup().into_iter().chain(receivers.iter().filter_map(|one| one.next_wakeup())).min()
            }
        }
    }

    /// Wakes both ends; whether an answer has been waited for long enough.
    pub fn wake(&mut self, now: Time) -> bool {
        match self {
            Ends::Remote(until) => return *until <= now,
            Ends::Uds(exchange) => return exchange.wake(now),
            Ends::Sdo(client, _) => client.wake(now),
            Ends::Block(client, _) => client.wake(now),
            Ends::IsoTp(sender, receiver) => {
                sender.wake(now);
                receiver.wake(now);
            }
            Ends::J1939(sender, receivers) => {
                sender.wake(now);
                receivers.iter_mut().for_each(|receiver| receiver.wake(now));
            }
        }
        false
    }
}

impl Session {
    /// The session of a flow's sender with this many receivers; none of single frames.
    pub fn of(flow: &FlowSettings, receivers: usize) -> Option<Session> {
        Some(Session {
            message: NONE,
            turn: 0,
            budget: NONE,
            tries: 0,
            point: None,
            due: Time::NEVER,
            handled: 0,
            ends: Ends::of(flow.service, receivers, flow.data)?,
            service: flow.service,
            receivers,
            data: flow.data,
        })
    }

    /// Forgets what was pending.
    pub fn reset(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        self.ends = Ends::of(self.service, self.receivers, self.data).expect("a session has ends");
        self.due = Time::NEVER;
    }
}
