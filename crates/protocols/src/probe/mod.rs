//! The protocol between a measuring host and `sojourn agent`: probes and replies, load in both directions, limits.
//!
//! The same [packet](wire::Packet) format serves UDP datagrams and the frames of a TCP connection, numbers big-endian:
//!
//! ```text
//!  0 magic "SJN" | 3 version | 4 tag 16 | 20 kind | 21 flags | 22 length 2 | 24 token 16 | 40 sequence 8 | 48 body | padding
//! ```
//!
//! The tag is HMAC-SHA-256 truncated to 128 bits over the first 128 octets of the packet without the tag itself; the
//! octets beyond are padding and ignored. Magic, version, tag and its coverage never change, so that versions can be
//! negotiated, and nothing of a packet is parsed before its tag is verified. An agent without a key uses the empty key:
//! then the tag only protects integrity.
//!
//! ```text
//! client                          agent
//! Hello(nonce)            ->
//!                         <-      Cookie(nonce, cookie)           no state is kept yet
//! Open(nonce, cookie)     ->
//!                         <-      Opened(limits, proof), the token in its header, or Refused
//! Probe n                 ->
//!                         <-      Reply n, as long as the probe
//! Load                    ->                                      counted
//! Query(proof), Stop      ->
//!                         <-      Report(proof)
//! Start(proof)            ->
//!                         <-      Report(proof), Load(proof) ...  while Query returns the proofs
//! PhaseQuery               ->
//!                         <-      PhaseReport
//! Close                   ->
//!                         <-      Closed(report)
//! ```
//!
//! Protection against abuse for reflection and amplification: a cookie proves that the client receives at its source
//! address (like SYN cookies; RFC 4987, section 3.6), and before that no response is longer than its request and no
//! state is kept. Every later packet carries the session's 128-bit token, accepted from that address and port only;
//! each sequence number is accepted once (RFC 4303, section 3.4.3). A holder of the key who forges a client's address
//! could request load to it. Load therefore starts and continues only while the client returns, at least every two
//! seconds, a number (the proof) that reports and load carry to its address. The proof changes every five seconds and
//! cannot be computed without the agent's secret.
//!
//! A client that an agent measures for asks by a [`lines::LineWriter`] over a connection of direction `Measure`, which an agent
//! grants only where its rules permit it.
//!
//! [`client`] has the state machines of the client, [`server`] that of the agent. None of them reads a clock or generates
//! random numbers: nonces and the agent's secret are parameters.

pub mod client;
pub mod lines;
pub mod server;
pub mod wire;

/// Default UDP and TCP port of an agent, below the ephemeral ports of Linux.
pub const DEFAULT_PORT: u16 = 18620;
