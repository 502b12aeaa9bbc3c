//! Dialogues of LonTalk nodes on a hand clock.
//!
//! [`Channel`](channel::Channel) joins nodes by a channel that takes a millisecond for a packet and loses those it
//! is told to. Packets go through their bytes. What happens is noted in words, one line each, in order.

mod any_input;
mod authentication;
mod channel;
mod group;
mod loss;
mod priority;
mod records;
mod timing;
mod unicast;
