//! LonTalk, ISO/IEC 14908-1 (EIA-709.1): packets in [`wire`] and over IP in [`lonip`], encoded timer values in [`timer`],
//! buffer counts and sizes in [`buffer`], the authentication algorithm in [`authentication`], layers 3 to 7 of a node in
//! [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - every PDU of layers 2 to 7: LPDU with priority, alternate path, delta backlog and CRC; NPDU with address
//!   formats 0, 1, 2a, 2b and 3 and domains of 0, 1, 3 and 6 bytes; TPDU, SPDU, AuthPDU; APDU of explicit
//!   messages, foreign frames, network variables, diagnostics and management
//! - the services unacknowledged, unacknowledged-repeated, acknowledged and request/response, each to a node, a
//!   group, a subnet, a domain and a unique id; all but the first with authentication
//! - one open transaction per priority class; transaction numbers not reused to a destination within 24 s
//! - group retries that list the members that have responded (REM/MSG), and for lists beyond two bytes a REMINDER before
//!   the message
//! - receive records, duplicate detection with repeated responses, delivery before acknowledgement
//! - the delta backlogs of all packets, the alternate path on the last two tries
//! - LON/IP data packets, ISO/IEC 14908-4 (EIA-852)
//!
//! Not implemented, and why:
//! - medium access (layer 2): it reacts within bit times and belongs to the network that simulates the medium
//! - the effect of network management and diagnostic messages: they are delivered like any message, and the application
//!   responds
//! - a second domain: a node is in one, and receives packets to its unique id in any
//! - the address table and its 15 entries: a message carries its recipient, with group size or backlog
//! - waiting when the table of recent destinations is full: the table has no limit
//! - restarting the receive timer on a duplicate: neither the open stack nor the bulletin specifies it
//! - the open-media variants of the AuthPDU (types 1 and 3) are refused with an error of their own
//! - LON/IP packets of configuration, routing and statistics, and packets with a digest, are refused likewise
//!
//! Sources: the LonTalk response-time bulletin (Echelon, March 1992) for a node's processing and timing; the open LON
//! stacks DX and EX for bit order, timers and exchanges; Wireshark for agreement on the bytes.
//!
//! # A dialogue
//!
//! ```
//! use std::sync::Arc;
//!
//! use sojourn_core::{Duration, Machine, Time};
//! use sojourn_protocols::lontalk::machine::{
//!     Input, Message, Node, NodeConfiguration, Outcome, Output, Recipient, Service, Settings,
//! };
//! use sojourn_protocols::lontalk::timer::TransactionTimer;
//! use sojourn_protocols::lontalk::wire::{Apdu, SubnetNode};
//!
//! let settings = Arc::new(Settings::default());
//! let node = |number| Node::new(NodeConfiguration::new(SubnetNode::new(1, number), Arc::clone(&settings)));
//! let (mut sensor, mut controller) = (node(1), node(2));
//!
//! let message = Message {
//!     service: Service::Acknowledged,
//!     recipient: Recipient::Node(SubnetNode::new(1, 2)),
//!     priority: false,
//!     authenticated: false,
//!     retries: 3,
//!     timer: TransactionTimer::from_duration(Duration::from_millis(128))?,
//!     apdu: Apdu::update(1, vec![0x55]),
//! };
//! let mut now = Time::ZERO;
//! sensor.handle(now, Input::Send { reference: 1, message });
//! assert_eq!(sensor.next_wakeup(), Some(now + Duration::from_millis(128)));
//!
//! // each packet transmitted by one node is received by the other
//! let carry = |now, from: &mut Node<Vec<u8>>, to: &mut Node<Vec<u8>>| {
//!     while let Some(output) = from.poll_output() {
//!         match output {
//!             Output::Transmit { packet, .. } => {
//!                 to.handle(now, Input::Receive { packet, application_buffer: true, challenge: [0; 8] });
//!             }
//!             Output::Deliver(delivery) => assert_eq!(delivery.apdu.data, [0x55]),
//!             Output::Finished { outcome, .. } => assert_eq!(outcome, Outcome::Success),
//!             Output::Withdraw { .. } | Output::Response { .. } => {}
//!         }
//!     }
//! };
//! now += Duration::from_millis(15);
//! carry(now, &mut sensor, &mut controller);
//! carry(now, &mut controller, &mut sensor);
//! carry(now, &mut sensor, &mut controller);
//! assert_eq!(sensor.next_wakeup(), None);
//! # Ok::<(), sojourn_protocols::lontalk::timer::NoCode>(())
//! ```

pub mod authentication;
pub mod buffer;
pub mod lonip;
pub mod machine;
pub mod timer;
pub mod wire;
