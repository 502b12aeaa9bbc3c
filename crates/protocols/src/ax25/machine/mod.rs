//! AX.25 links as a sans-IO machine: a [`Station`] with all its links, and a [`Digipeater`].
//!
//! A driver passes user requests and received frames to a station as [`Input`]s, drains its [`Output`]s, and wakes it
//! when a timer is due. The driver owns channel access: a station with frames to send emits [`Output::SeizeRequest`]
//! once; when the driver has the channel it passes [`Input::SeizeConfirm`] and receives the frames of one burst,
//! built at that moment so that they carry the latest N(R). A driver without channel access of its own (KISS, AXUDP)
//! confirms at once.
//!
//! | file | contents |
//! |---|---|
//! | `station/` | links by (own address, peer, digipeater path); frames outside any link |
//! | `link/` | a link: coordinates the parts below; receive, transmit, timers |
//! | `establishment.rs` | what each state does about SABM, SABME, DISC, UA, DM and FRMR |
//! | `send_window.rs` | the I frame queue, V(A) and V(S) |
//! | `receiver.rs`, `reorder_buffer.rs` | V(R), REJ and SREJ, own receiver busy, pending responses and T2 |
//! | `pending.rs` | U frames and enquiries to send |
//! | `t1.rs`, `rtt_estimator.rs`, `timer.rs` | T1, RC and SRT; timers that can pause |
//! | `parameters.rs` | version, modulus, reject mode, k, N1, N2, and the XID exchange |
//! | `context.rs` | what a station passes its links with every input |
//! | `digipeater.rs` | a digipeater |

mod context;
mod counters;
mod digipeater;
mod establishment;
mod link;
mod output;
mod parameters;
mod pending;
mod receiver;
mod reorder_buffer;
mod rtt_estimator;
mod send_window;
mod settings;
mod station;
mod t1;
mod timer;

pub use counters::{Counter, Counters};
pub use digipeater::Digipeater;
pub use link::LinkState;
pub use output::{Cause, Input, LinkId, LinkKey, Output, Purpose, Refusal};
pub use settings::{
    Backoff, BusyClear, Recovery, RejectMode, SabmeResponse, Settings, T1Adaptation, TimerStart, Version,
};
pub use station::Station;
