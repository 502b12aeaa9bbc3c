//! A NET/ROM node as a sans-IO machine: [`Node`] keeps routes and circuits.
//!
//! A driver opens AX.25 links to neighbours when [`Output::Send`] names one, hands what comes in on them to the node as
//! [`Input`]s, and broadcasts what [`Output::Broadcast`] brings. Users come and go as circuits; what is delivered to one
//! counts as its backlog until the driver says that it has been [consumed](Input::Consumed), and a driver gives a
//! circuit a message only while it [has room](Node::has_room).
//!
//! | file | concern |
//! |---|---|
//! | `node.rs` | which packet is for whom; the users' requests |
//! | `routing.rs` | routes, their quality and age; broadcasts heard and made |
//! | `circuits.rs` | circuits by number |
//! | `circuit.rs` | a circuit's set-up and end |
//! | `sending.rs` | information that goes out: window, repetition, a choked sender |
//! | `receiving.rs` | information that comes in: order, acknowledgements, missing packets |
//! | `choking.rs` | when the other side is choked and released |
//! | `context.rs` | what its node hands a circuit |
//! | `timers.rs` | timers and ticks |
//! | `settings.rs`, `presets.rs` | what a sysop sets, and what programs have set |

mod choking;
mod circuit;
mod circuits;
mod context;
mod counters;
mod node;
mod output;
mod presets;
mod receiving;
mod routing;
mod sending;
mod settings;
mod timers;

pub use counters::{Counter, Counters};
pub use node::Node;
pub use output::{Cause, CircuitId, DropReason, Input, Neighbour, Output, Purpose, Refusal};
pub use routing::{ROUTE_LIMIT, Route};
pub use settings::{
    AcknowledgeStart, BacklogUnit, Choke, ChokeRelease, ChokeSignal, EarlyAcknowledge, Modulus, NakPolicy, Retransmit,
    Routing, Settings, Transport,
};
