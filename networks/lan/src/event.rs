//! Events at the hosts.

use sojourn_engine::Queue;

use sojourn_model::timed::Step;

/// An event at the hosts; packets, clients, streams, talkers and transfers are given by number.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A client makes a request.
    Request(u32),
    /// A client checks whether its request has timed out.
    Timeout(u32),
    /// A server has the response to a datagram.
    Answer(u32),
    /// A client over TCP makes a request.
    Ask(u32),
    /// A server over TCP has the response.
    Respond(u32),
    /// A datagram of a stream leaves.
    Emit(u32),
    /// A talker's packet leaves.
    Speak(u32),
    /// A bulk transfer begins.
    Begin(u32),
    /// A TCP timer of an end of a transfer is due.
    TcpTimer(u32),
    /// A CPU has finished sending a packet.
    Made(u32),
    /// The packet is in the adapter.
    Stored(u32),
    /// A received packet interrupts its host.
    Interrupt(u32),
    /// The CPU has received the packet.
    Taken(u32),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// Pending events and the virtual clock.
pub type Events = Queue<Event>;
