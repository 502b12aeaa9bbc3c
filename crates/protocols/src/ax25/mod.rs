//! AX.25, the link layer of amateur packet radio: frames as bytes in [`wire`], their bits in [`hdlc`], links and
//! digipeaters in [`machine`].
//!
//! # Scope
//!
//! Met:
//! - versions 2.0 and 2.2, modulo 8 and modulo 128; stations older than 2.0, which do not tell commands from responses
//! - all frames: I, RR, RNR, REJ, SREJ (one by one and with a list), SABM, SABME, DISC, DM, UA, FRMR, UI, XID, TEST
//! - set-up with fall-back from 2.2 to 2.0, collisions of set-ups, release, reset, frame reject
//! - T1 fixed (TNC-2) or adapted as Dire Wolf and Linux do, T1 times 2m + 1 for m digipeaters, T1 from hand-over, from
//!   the end of the burst, or standing still while the channel is busy; T2, T3, N1, N2, k; own and peer busy
//! - recovery by enquiry, or by the oldest I frame as before 2.0
//! - up to eight digipeaters; many links of one station by (own call, peer, way)
//! - flags, stuffed zeros, FCS, aborts, NRZI, G3RUH scrambling, and the time all that takes
//!
//! Not met, and why:
//! - access to the channel (DCD, p-persistence, TXDELAY): it belongs to the network that simulates the radio, or to a TNC
//! - the segmenter and the DAMA master: no program that Sojourn meets uses them
//! - XID before SABME, and a modulus settled by XID: SABME and its refusal settle it
//! - FRMR for control fields that are not known (W but for SABME) and for information where none belongs (X): such bytes
//!   are named errors of [`wire`] and reach no link
//!
//! Where the texts differ from what is on the air, the air was followed: every command that polls is answered with F at
//! once, before own information; DM answers SABME on some TNCs and means v2.0; XID bit fields come in either order.
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
//! let mut heard = Vec::new();
//! for turn in [0, 1, 0, 1, 0] {
//!     let mut frames = Vec::new();
//!     while let Some(output) = stations[turn].poll_output() {
//!         match output {
//!             Output::SeizeRequest => stations[turn].handle(Time::ZERO, Input::SeizeConfirm { information_frames: 7 }),
//!             Output::Transmit { frame, .. } => frames.push(frame),
//!             Output::Deliver { data, .. } => heard.push(data),
//!             _ => {}
//!         }
//!     }
//!     for frame in frames {
//!         stations[1 - turn].handle(Time::ZERO, Input::Receive { frame });
//!     }
//! }
//! assert_eq!(heard, [b"hello".to_vec()]);
//! assert_eq!(stations[0].backlog(link), 0);
//! ```

pub mod hdlc;
pub mod machine;
pub mod wire;
