//! Transmission Control Protocol (TCP, RFC 9293): segments in [`wire`], connections in [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - connections: three-way handshake with active, passive and simultaneous open; half-close; reset; or established from
//!   the start
//! - sending: sliding window with window scaling (RFC 7323), silly window avoidance and Nagle's algorithm (RFC 9293,
//!   3.8.6.2 and 3.7.4), zero-window probes; retransmission with exponential backoff, Karn's algorithm, timestamps for
//!   RTT measurement (RFC 7323)
//! - timers: individual timers (RFC 6298), or the free-running 200 ms and 500 ms ticks of 4.4BSD
//! - congestion control: slow start and congestion avoidance (RFC 5681) as Reno, NewReno (RFC 6582) or CUBIC (RFC 9438,
//!   which after a loss grows as Linux's does);
//!   fast retransmit and fast recovery with or without selective acknowledgements (SACK; RFC 2018, RFC 6675); with
//!   individual timers also HyStart, and the undoing of spurious timeouts (Eifel, RFC 3522; F-RTO, RFC 5682)
//! - explicit congestion notification (ECN): negotiation, echo and reaction (RFC 3168), less of it after marks than after losses
//!   (ABE, RFC 8511); accurate ECN (RFC 9768) by the ACE field; DCTCP (RFC 8257) and TCP Prague
//!   (draft-briscoe-iccrg-prague-congestion-control), which react to the share of marks
//! - BBR version 3 (draft-ietf-ccwg-bbr-04), without marks of ECN
//! - pacing, as Linux's
//! - loss recovery by times: RACK and tail loss probes (RFC 8985), with proportional rate reduction (PRR, RFC 9937)
//! - receiving: reassembly, delayed acknowledgements, windows that never shrink
//!
//! Not implemented:
//! - urgent data and header prediction: no program that Sojourn measures with uses the former, and the latter only
//!   saves CPU time
//! - the AccECN option (RFC 9768, 3.2.3), which counts octets beside the segments of the ACE field; SYNs without ECN after one that
//!   was lost; ECN of SYNs and of pure acknowledgements (ECN++), but for those of DCTCP and Prague, which Linux marks as well
//! - Prague's fallback where a queue is taken for one of classic ECN
//! - with RACK: DSACK (RFC 2883), by which a sender learns of needless retransmissions, and the detection of spurious timeouts
//! - PAWS, keep-alive, TCP Fast Open: none changes what the profiles are meant to show; they are
//!   the next candidates if a kernel is to be modeled more closely
//! - path MTU discovery: the path MTU follows from the scenario
//!
//! Sources: the RFCs named; G. Wright, W. R. Stevens, TCP/IP Illustrated, volume 2, 1995, for 4.4BSD.

pub mod machine;
pub mod wire;
