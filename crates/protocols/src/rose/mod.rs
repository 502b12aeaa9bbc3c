//! ROSE, packet radio over virtual circuits: the X.25 packet layer in AX.25 links. Packets in [`wire`], the switch in
//! [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - all packet types of X.25 that ROSE uses, modulo 8; facilities of both families with callsigns and digipeaters
//! - restart, call, clear and reset with their timers (T20 to T23), window rotation (T25), interrupts
//! - windows of 1 to 7, acknowledgements delayed to be carried by data (piggybacked), RR and RNR, REJ from a neighbour
//! - acknowledgement by the next switch, or end to end by setting or D bit; the M bit, where frames must be fragmented
//! - routes by address prefix, with alternatives; call collisions; the user's path in two digipeater fields
//!
//! Not implemented, and why:
//! - permanent virtual circuits, modulo 128, fast select, negotiation of window and packet size: ROSE has none of them
//! - the switch's own applications (USERS, HEARD, CONFIG) and call progress texts: they differ between versions;
//!   [`machine::Output`] reports to the driver all that they contain
//! - calls to another network identification code (DNIC) from a user's path, which has room for six digits
//!
//! A routing loop ends at the first switch that the call passes twice, as in Linux net/rose: the calling address, both
//! stations and a random number identify a call.
//!
//! X.25 may reset a circuit and lose data. Between switches a reset is propagated; at a user, whose AX.25 link has no
//! such reset, the call is cleared instead, so that no loss of data goes unreported. Likewise a call is cleared only after
//! earlier data have been sent on. Both are this project's choices.
//!
//! Sources: CCITT X.25 (1988) sections 4 to 7 and annexes C and E; ISO 8208 for T25; X.121; packet forms, facilities,
//! defaults and loop detection as in Linux net/rose; the ROSE X.25 Packet Switch user's manual (RATS) for the
//! user's path.
//!
//! # A call
//!
//! ```
//! use std::sync::Arc;
//!
//! use sojourn_core::{Machine, Time};
//! use sojourn_protocols::ax25::wire::{Address, Digipeaters};
//! use sojourn_protocols::rose::machine::{Input, InterfaceRole, Output, Settings, Switch, TrunkId, UserCall};
//! use sojourn_protocols::rose::wire::{Body, Packet};
//!
//! let settings = Settings::new("3100908001".parse().unwrap());
//! let mut switch = Switch::<Vec<u8>>::new(Arc::new(settings), 1, 0).unwrap();
//! let trunk = TrunkId(0);
//! switch.handle(Time::ZERO, Input::TrunkUp { trunk, role: InterfaceRole::Dce });
//! switch.handle(Time::ZERO, Input::Receive { trunk, packet: Packet::new(0, Body::RestartConfirmation) });
//! assert!(switch.is_ready(trunk));
//!
//! let (caller, called): (Address, Address) = ("PING".parse().unwrap(), "PONG-2".parse().unwrap());
//! let (near, far) = (Digipeaters::NONE, Digipeaters::NONE);
//! let user = switch.reserve_user();
//! let call = UserCall { caller, called, address: "201256".parse().unwrap(), near, far };
//! switch.handle(Time::ZERO, Input::UserCallRequest { user, call });
//! // there is no route to 3100201256
//! let last = std::iter::from_fn(|| switch.poll_output()).last();
//! assert!(matches!(last, Some(Output::DisconnectUser { .. })));
//! ```

pub mod machine;
pub mod wire;
