//! AX.25, the link layer of amateur packet radio: frames in [`wire`], bit stuffing and line codes in [`hdlc`], IL2P in
//! its place in [`il2p`], links and digipeaters in [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - versions 2.0 and 2.2, modulo 8 and modulo 128; peers before 2.0, which do not distinguish commands from responses
//! - all frames: I, RR, RNR, REJ, SREJ (single and multi-selective), SABM, SABME, DISC, DM, UA, FRMR, UI, XID, TEST
//! - connection establishment with fall-back from 2.2 to 2.0, SABM collisions, release, reset, frame reject
//! - T1 fixed (TNC-2) or adaptive as in Dire Wolf and Linux, T1 times 2m + 1 for m digipeaters, T1 from hand-over, from
//!   the end of the burst, or paused while the channel is busy; T2, T3, N1, N2, k; own and peer receiver busy
//! - timer recovery by enquiry, or by the oldest I frame as before 2.0
//! - up to eight digipeaters; many links of one station, by own address, peer and path
//! - flags, bit stuffing, FCS, aborts, NRZI, G3RUH scrambling, and the resulting air time
//!
//! Not implemented, and why:
//! - channel access (DCD, p-persistence, TXDELAY): it belongs to the network that simulates the radio, or to a TNC
//! - segmentation and the DAMA master: no peer that Sojourn talks to uses them
//! - XID before SABME, and negotiation of the modulus by XID: SABME and its response settle it
//! - FRMR for unknown control fields (W, except SABME) and for an unexpected information field (X): such octets are
//!   named errors of [`wire`] and reach no link
//!
//! Where implementations differ from the standard, implementations prevail: every command with P gets a response with F
//! at once, before own I frames; some TNCs respond to SABME with DM, which means v2.0; XID bit fields come in either
//! octet order.
//!
//! Sources: AX.25 Link Access Protocol v2.0 (ARRL, 1984) and v2.2 (TAPR, 1998, and its current edition); TNC-2
//! parameters (TAPR); the behaviour of Dire Wolf, of Linux net/ax25 and of LinBPQ; ISO 3309, ISO 4335, ISO 8885.
//!
//! # A dialogue
//!
//! ```
//! use std::sync::Arc;
//!
//! use sojourn_core::{Machine, Time};
//! use sojourn_protocols::ax25::machine::{Input, LinkKey, Output, Settings, Station};
//! use sojourn_protocols::ax25::wire::{Address, Pid};
//!
//! let (ping, pong): (Address, Address) = ("PING-1".parse().unwrap(), "PONG-2".parse().unwrap());
//! let settings = Arc::new(Settings::default());
//! let mut stations = [ping, pong].map(|own| Station::<Vec<u8>>::new([own], Arc::clone(&settings)).unwrap());
//! let key = LinkKey::direct(ping, pong);
//! stations[0].handle(Time::ZERO, Input::Connect { key });
//! let link = stations[0].link(&key).unwrap();
//! stations[0].handle(Time::ZERO, Input::Send { link, pid: Pid::NONE, data: b"hello".to_vec() });
//!
//! let mut delivered = Vec::new();
//! for index in [0, 1, 0, 1, 0] {
//!     let mut frames = Vec::new();
//!     while let Some(output) = stations[index].poll_output() {
//!         match output {
//!             Output::SeizeRequest => stations[index].handle(Time::ZERO, Input::SeizeConfirm { information_frames: 7 }),
//!             Output::Transmit { frame, .. } => frames.push(frame),
//!             Output::Deliver { data, .. } => delivered.push(data),
//!             _ => {}
//!         }
//!     }
//!     for frame in frames {
//!         stations[1 - index].handle(Time::ZERO, Input::Receive { frame });
//!     }
//! }
//! assert_eq!(delivered, [b"hello".to_vec()]);
//! assert_eq!(stations[0].backlog(link), 0);
//! ```

pub mod hdlc;
pub mod il2p;
pub mod machine;
pub mod wire;
