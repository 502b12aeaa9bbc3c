//! BACnet MS/TP, the token bus of ANSI/ASHRAE 135 clause 9: frames and the receive machine in [`wire`], a master and a slave
//! node in [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - every frame with header CRC and data CRC; extended frames (types 32 and 33) in COBS with CRC-32K
//! - the receive machine, octet by octet, with its abort after silence and the frames that are for other nodes
//! - the master node: every state and transition of clause 9.5.6 with the errata and addenda that bacnet-stack cites
//!   (135-2004d-8, SSPC errata of 2004, 135-2008v-1); the slave node of 9.5.7
//! - wait times of zero and more for a reply to Poll For Master from addresses that are declared vacant
//!
//! Not implemented, and why:
//! - medium access below the frame, `T_turnaround` and `T_postdrive`: the driver keeps them, since they depend on what the line
//!   does
//! - zero configuration and automatic bit rate: extensions of bacnet-stack that few devices have
//! - NPDU and APDU: data are carried unread. That a broadcast with a confirmed request is dropped is the application's task,
//!   [`Delivery::broadcast`](machine::Delivery) says so
//!
//! Sources: bacnet-stack 1c636cb5 (`src/bacnet/datalink/mstp.c`, `mstpdef.h`, `crc.c`, `cobs.c`), which quotes the standard's
//! names of transitions; Annex G of the standard for the check values of a token.
//!
//! # A dialogue
//!
//! ```
//! use sojourn_core::{Duration, Machine, Time};
//! use sojourn_protocols::mstp::machine::{Input, Master, Output, Settings};
//! use sojourn_protocols::mstp::wire::{Frame, FrameType, Received, Receiver};
//!
//! // node 5 receives the token, has nothing to send, and looks for a successor: it polls address 6
//! let mut master = Master::<Vec<u8>>::new(Settings::new(5), Time::ZERO)?;
//! let mut receiver = Receiver::new(Some(5));
//! let mut now = Time::ZERO;
//! for octet in [0x55, 0xff, 0x00, 0x05, 0x03, 0x00, 0x00, 0xfa] {
//!     now += Duration::from_micros(260);
//!     master.handle(now, Input::Activity { octets: 1, until: now });
//!     match receiver.push(now, octet) {
//!         Some(Received::Frame(frame)) => master.handle(now, Input::Frame(frame.to_owned())),
//!         Some(Received::NotForUs(_)) => master.handle(now, Input::NotForUs),
//!         Some(Received::Invalid(_)) => master.handle(now, Input::Invalid),
//!         None => {}
//!     }
//! }
//! let Some(Output::Transmit(poll)) = master.poll_output() else { panic!("a frame to send") };
//! assert_eq!((poll.kind, poll.destination), (FrameType::PollForMaster, 6));
//!
//! // the driver says when the last octet has left; the node then waits T_usage_timeout for a reply
//! master.handle(now, Input::Sent);
//! assert_eq!(master.next_wakeup(), Some(now + Duration::from_millis(35)));
//! # Ok::<(), sojourn_protocols::limits::ParameterOutOfRange>(())
//! ```

pub mod machine;
pub mod wire;

/// The address to which all nodes listen; no node has it.
pub const BROADCAST: u8 = 255;
/// The highest address of a master; slaves have addresses up to 254.
pub const HIGHEST_MASTER: u8 = 127;
