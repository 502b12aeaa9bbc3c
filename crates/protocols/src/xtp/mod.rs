//! Xpress Transport Protocol (XTP), revision 4.0: packets in [`wire`], directly over IPv4 in [`ip`], the contexts of a
//! host in [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - all packet formats (FIRST, DATA, CNTL, ECNTL, TCNTL, JCNTL, DIAG) and options; null and IPv4 addresses, traffic
//!   specifications of formats 0 and 1; the checksum over all or over the header (NOCHECK). JOIN, of XTP 3, is
//!   rejected with an error
//! - opening by FIRST, which may carry data; keys returned with RTN, and exchanged by TCNTL
//! - status reports on request of the sender: SREQ, DREQ, a toggle of EDGE; FASTNAK
//! - selective retransmission by spans, and go-back-n; NOERR, where gaps are skipped
//! - flow control by allocation, RES, NOFLOW; rate and burst; SORT
//! - WTIMER with the synchronizing handshake, CTIMER, CTIMEOUT, RTIMER; SRTT and its deviation
//! - graceful close of both streams, END, lingering contexts; RCLOSE of a user that stops reading
//! - multicast of one sender: reliable to a known number of receivers, by go-back-n, and unreliable
//!
//! Not implemented:
//! - late joining of a multicast association: JCNTL is parsed and emitted, and refused with DIAG code 5; the sender is
//!   configured with the number of receivers, and detects the loss of one by its missing reports only
//! - tags (BTAG) are parsed and emitted, but receivers ignore them: users have message ends instead
//! - routes and path release, which belonged to XTP 3
//! - the standard itself was not available: rules follow the sources below, and otherwise the choices documented with
//!   each setting
//!
//! Beyond the sources:
//! - until the peer has responded, the handshake's request is FIRST itself, since the peer may not have received it
//! - packets that request status, not only DATA, are answered with DIAG code 3 if their context is unknown; it is accepted
//!   only in response to a handshake's request, since another packet may have arrived before FIRST
//! - the last packet that the allocation permits sets DREQ, and WTIMER runs while no report of new allocation is expected
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
//! // each host receives what the other transmits; both close
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
