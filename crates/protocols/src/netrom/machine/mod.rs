//! A NET/ROM node as a sans-IO machine: [`Node`] keeps routes and circuits.
//!
//! A driver opens AX.25 links to neighbours when [`Output::Send`] names one, passes packets received on them to the
//! node as [`Input`]s, and broadcasts what [`Output::Broadcast`] carries. Users connect by circuits. Delivered data
//! count towards the backlog of a circuit until the driver reports them [consumed](Input::Consumed); a driver passes
//! a message to a circuit only while it [has room](Node::has_room).
//!
//! | file | contents |
//! |---|---|
//! | `node.rs` | network layer: packets received and forwarded; requests of users |
//! | `routing.rs` | routes, their quality and obsolescence; NODES broadcasts received and sent |
//! | `transport_layer.rs`, `circuits.rs` | transport layer: packets and requests for circuits; circuits by number |
//! | `circuit/` | a circuit: connect, disconnect, timers; information sent and received |
//! | `send_window.rs`, `receive_window.rs` | the send queue and the windows |
//! | `backlog.rs` | data not consumed, and the choke that they cause |
//! | `context.rs` | what a node passes its circuits with every input |
//! | `timers.rs` | timers and ticks |
//! | `settings.rs`, `presets.rs` | parameters, and the defaults of programs |

mod backlog;
mod circuit;
mod circuits;
mod context;
mod counters;
mod node;
mod output;
mod presets;
mod receive_window;
mod routing;
mod send_window;
mod settings;
mod timers;
mod transport_layer;

pub use counters::{Counter, Counters};
pub use node::Node;
pub use output::{Cause, CircuitId, DropReason, Input, Neighbour, Output, Purpose, Refusal};
pub use routing::{ROUTE_LIMIT, Route};
pub use settings::{
    AcknowledgeStart, BacklogUnit, Choke, ChokeRelease, ChokeSignal, EarlyAcknowledge, Modulus, NakPolicy, Retransmit,
    Routing, Settings, Transport,
};
