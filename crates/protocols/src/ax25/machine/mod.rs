//! AX.25 links as a sans-IO machine: a [`Station`] with all its links, and a [`Digipeater`].
//!
//! A driver gives a station requests of its user and frames of the channel as [`Input`]s, drains its [`Output`]s,
//! and wakes it when a timer is due. Access to the channel is the driver's: a station that has something to send
//! says [`Output::SeizeRequest`] once; when the driver has the channel it says [`Input::SeizeConfirm`] and is given the
//! frames of one burst, built at that moment, so that they acknowledge all that came in meanwhile. A driver that
//! knows nothing of its channel (KISS, AXUDP) answers at once.
//!
//! | file | concern |
//! |---|---|
//! | `station/` | many links by (own call, peer, way); frames of no link |
//! | `link.rs` | a link's state and its changes |
//! | `owed.rs` | the frames it owes the other station |
//! | `context.rs` | what its station hands it |
//! | `unnumbered.rs` | set-up and end: SABM, SABME, DISC, UA, DM, FRMR |
//! | `supervisory.rs` | RR, RNR, REJ, SREJ |
//! | `information.rs` | I frames that come in, in sequence or not |
//! | `window.rs` | I frames that go out, until they are acknowledged |
//! | `reorder.rs` | frames that came before their turn (SREJ) |
//! | `expiry.rs` | what happens when T1, T2, T3 or TM201 expires |
//! | `burst.rs` | the frames of a burst |
//! | `negotiation.rs` | XID |
//! | `round_trip.rs` | T1 fixed or adapted |
//! | `timer.rs` | timers that may stand still |
//! | `digipeater.rs` | a digipeater |

mod burst;
mod context;
mod counters;
mod digipeater;
mod expiry;
mod information;
mod link;
mod negotiation;
mod output;
mod owed;
mod reorder;
mod round_trip;
mod settings;
mod station;
mod supervisory;
mod timer;
mod unnumbered;
mod window;

pub use counters::{Counter, Counters};
pub use digipeater::Digipeater;
pub use link::LinkState;
pub use output::{Cause, Input, LinkId, LinkKey, Output, Purpose, Refusal};
pub use settings::{
    Backoff, BusyClear, Recovery, RejectMode, SabmeResponse, Settings, T1Adaptation, TimerStart, Version,
};
pub use station::Station;
