//! Events of the simulation.

use sojourn_engine::Queue;
use sojourn_model::timed::Step;

/// An event, with the number of what it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The frame of a station on a line has ended: the line among the media, and the station.
    LineEnd(u16, u32),
    /// A frame of a line is with its receivers.
    Received(u32),
    /// A client may send on its line.
    Start(u32),
    /// A packet of TCP arrives.
    Arrive(u32),
    /// A packet is with the program that it is for.
    Taken(u32),
    /// A server has carried out a request.
    Serve(u32),
    /// A timer of a client's connection is due.
    Wake(u32),
    /// A source's next round or request is due.
    Fire(u32),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// The event queue.
pub type Events = Queue<Event>;
