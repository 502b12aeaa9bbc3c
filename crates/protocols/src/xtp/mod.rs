//! XTP, the Xpress Transport Protocol, revision 4.0: packets as bytes in [`wire`], straight on IPv4 in [`ip`], the
//! contexts of a host in [`machine`].
//!
//! # Scope
//!
//! Met:
//! - all packet formats (FIRST, DATA, CNTL, ECNTL, TCNTL, JCNTL, DIAG) and options; null and IPv4 addresses, traffic
//!   specifications of formats 0 and 1; the checksum over all or over the header (NOCHECK). JOIN, of XTP 3, is named
//!   and refused
//! - set-up by FIRST, which may carry data; keys returned with RTN, and exchanged by TCNTL
//! - acknowledgement when the sender asks: SREQ, DREQ, a toggle of EDGE; FASTNAK
//! - selective retransmission by spans, and go-back-n; NOERR, where gaps are passed over
//! - flow control by allocation, RES, NOFLOW; rate and burst; SORT
//! - WTIMER with the synchronising handshake, CTIMER, CTIMEOUT, RTIMER; the round trip and its deviation
//! - the graceful close of both halves, END, contexts that linger; RCLOSE of a user that has had enough
//! - multicast of one sender: reliable to a known number of receivers, by go-back-n, and unreliable
//!
//! Not met, and why:
//! - joining a multicast association late: JCNTL is read and written, and refused with DIAG 5; the sender knows how
//!   many receivers there are, and what comes and goes unnoticed is their silence alone
//! - tags (BTAG) are read and written, and a receiver passes them over: users have message ends instead
//! - routes and path release belonged to XTP 3
//! - the standard itself was not at hand: rules come from the sources below, and where these are silent from choices
//!   that the documentation of each setting states
//!
//! Beyond the outline that the sources give:
//! - until the peer has answered, the handshake's question is FIRST itself, since the peer may not have heard it
//! - packets that ask, not only DATA, are answered with DIAG 3 where their context is unknown; it is believed only as an
//!   answer to a handshake's question, since it may be about a packet that came before FIRST
//! - a packet that must wait for room asks for a report at delivery (DREQ) with the packet before it, and WTIMER runs
//!   while nothing else would bring news of room
//!
//! Sources: Weaver, McNabb, Fenton and Simoncic, Digitized voice over XTP and FDDI (UVA TR-92-05, 1992), for what the
//! study's stack did; Wireshark for formats and checksum; Dempsey, Fenton and Weaver, The Multidriver (1990), for
//! multicast; the tutorial of Sanders and Weaver (1990) for the mechanisms.
//!
//! # A dialogue
//!
//! ```
//! use std::sync::Arc;
//!
//! use sojourn_core::{Duration, Machine, Time};
//! use sojourn_protocols::Bytes;
//! use sojourn_protocols::xtp::machine::{Cast, Configuration, Endpoint, Input, Limits, Output, Reason, AddressFilter};
//! use sojourn_protocols::xtp::wire::Address;
//!
//! let configuration = Arc::new(Configuration::default());
//! let mut hosts: [Endpoint<Bytes, usize>; 2] = [Endpoint::new(Limits::default()), Endpoint::new(Limits::default())];
//! let mut now = Time::ZERO;
//! let listen = Input::Listen { listener: 1, filter: AddressFilter::Port(80), configuration: Arc::clone(&configuration) };
//! hosts[1].handle(now, listen);
//! hosts[0].handle(
//!     now,
//!     Input::Open {
//!         reference: 1,
//!         to: 1,
//!         address: Address::ipv4(([10, 0, 0, 1], 4000), ([10, 0, 0, 2], 80)),
//!         cast: Cast::Unicast,
//!         configuration,
//!         data: Some((Bytes::from_static(b"good morning"), true)),
//!     },
//! );
//!
//! // what one transmits the other receives; both close when they may
//! let mut received = Vec::new();
//! let mut ended = 0;
//! while ended < 2 {
//!     now += Duration::from_millis(1);
//!     for host in [0, 1] {
//!         while let Some(output) = hosts[host].poll_output() {
//!             match output {
//!                 Output::Transmit { to, packet, .. } => {
//!                     hosts[to].handle(now, Input::Receive { from: host, packet, answer: true });
//!                 }
//!                 Output::Opened { context, .. } => hosts[host].handle(now, Input::Close { context }),
//!                 Output::Deliver { data, .. } => received.extend(data),
//!                 Output::EndOfStream { context } => hosts[host].handle(now, Input::Close { context }),
//!                 Output::Closed { reason, .. } => {
//!                     assert_eq!(reason, Reason::Finished);
//!                     ended += 1;
//!                 }
//!                 _ => {}
//!             }
//!         }
//!     }
//! }
//! assert_eq!(received, b"good morning");
//! ```

pub mod ip;
pub mod machine;
pub mod wire;
