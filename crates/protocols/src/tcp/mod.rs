//! TCP, the Transmission Control Protocol (RFC 9293): segments as bytes in [`wire`], connections in [`machine`].
//!
//! # Scope
//!
//! Met:
//! - connections: three-way handshake, active and passive, at once from both ends; release of each direction; reset;
//!   or established from the start
//! - sending: sliding window with window scaling (RFC 7323), silly window avoidance and Nagle's rule (RFC 1122), window
//!   probes; retransmission with exponential back-off, Karn's rule, timestamps for round trips (RFC 7323)
//! - timers: fine ones (RFC 6298), or the free-running 200 ms and 500 ms ticks of 4.4BSD
//! - congestion control: slow start and congestion avoidance (RFC 5681) as Reno, NewReno (RFC 6582) or CUBIC (RFC 9438);
//!   fast retransmit and recovery with or without selective acknowledgements (RFC 2018, RFC 6675)
//! - receiving: data out of order, delayed acknowledgements, windows that never shrink
//!
//! Not met, and why:
//! - urgent data and header prediction: no program that Sojourn measures with uses the one, and the other is only speed
//! - ECN, PAWS, keep-alive, fast open, HyStart, PRR, RACK: none changes what the profiles are there to show; they are the
//!   next to come if a kernel is to be followed more closely
//! - path MTU discovery: a path's MTU is known where a scenario says it
//!
//! Sources: the RFCs named; G. Wright, W. R. Stevens, TCP/IP Illustrated, volume 2, 1995, for 4.4BSD.

pub mod machine;
pub mod wire;
