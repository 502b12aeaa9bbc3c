//! The protocol between a host that measures and `sojourn agent`: probes and their replies, loads either way, limits.
//!
//! One form of [packet](wire::Packet) serves UDP datagrams and the frames of a TCP connection, numbers big-endian:
//!
//! ```text
//!  0 magic "SJN" | 3 version | 4 tag 16 | 20 kind | 21 flags | 22 length 2 | 24 token 16 | 40 sequence 8 | 48 body | padding
//! ```
//!
//! The tag is HMAC-SHA-256 cut to 128 bits over the first 128 octets of the packet without the tag itself; what lies
//! beyond is padding that nobody reads. Magic, version, tag and what the tag covers never change, so that any version
//! can tell any other which one it speaks, and nothing of a packet is read before its tag is found right. An agent
//! without a key uses the key of no octets: then the tag only shows that the packet is whole.
//!
//! ```text
//! client                          agent
//! Hello(nonce)            ->
//!                         <-      Cookie(nonce, cookie)           nothing is kept yet
//! Open(nonce, cookie)     ->
//!                         <-      Opened(limits), the token in its header, or Refused
//! Probe n                 ->
//!                         <-      Reply n, as long as the probe
//! Load                    ->                                      counted
//! Start, Ask, Stop        ->
//!                         <-      Report
//! Close                   ->
//!                         <-      Closed(report)
//! ```
//!
//! What keeps an agent from being turned against others: a cookie shows that the client receives at the address it
//! sends from (RFC 4987, section 3.6, for TCP), and until then no answer is longer than its question and nothing is
//! kept; every later packet shows the session's token of 128 bits, taken from that address and port alone; a sequence
//! number counts once (RFC 4303, section 3.4.3); load towards the client ends when the client falls silent.
//!
//! [`client`] has the machines of the measuring side, [`server`] that of the agent. None of them reads a clock or makes
//! random numbers: nonces and the agent's secret are given to them.

pub mod client;
pub mod server;
pub mod wire;

/// The UDP and TCP port of an agent where none is named. It lies below the ephemeral ports of Linux, so that no outgoing
/// connection takes it.
pub const DEFAULT_PORT: u16 = 18620;
