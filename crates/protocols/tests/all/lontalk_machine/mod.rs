//! Dialogues of LonTalk nodes on a manual clock.
//!
//! [`Channel`](channel::Channel) connects nodes by a channel that takes a millisecond per packet and loses selected ones.
//! Packets are encoded and parsed. Events are logged as text, one line each, in order.

mod any_input;
mod authentication;
mod channel;
mod group;
mod loss;
mod priority;
mod receive_records;
mod timing;
mod unicast;
